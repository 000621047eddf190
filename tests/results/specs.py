"""A spec with a value of every domain, for the tests of traces."""

from __future__ import annotations

import enum

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    invariant,
    narrate,
    require,
)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Parcel(Record):
    size: int
    sender: str | None
    fragile: bool


class Zoo(Spec):
    """One variable of every domain."""

    limit = Constant(3, "steps")
    colour = Constant(Colour.GREEN, "a colour")

    def variables(self) -> None:
        self.number = Int(-5, 5, init=0)
        self.flag = Bool()
        self.light = Enum(Colour)
        self.names = Array(2, Enum("ann", "bob"))
        self.queue = Seq(Parcel.of(size=Int(0, 3), sender=Option(Enum("ann", "bob")), fragile=Bool()), 3)
        self.members = Set(range(4))
        self.places = Map([(0, "x"), (1, "y")], Option(Int(0, 3)))
        self.nested = Map(Colour, Array(2, Set(Enum("p", "q"))))

    @action(who=("ann", "bob"))
    def send(self, who: str) -> None:
        require(len(self.queue) < self.limit and self.number > -5)
        colour = choose(Colour)
        place = choose([(0, "x"), (1, "y")])
        size = choose(Int(1, 2))
        self.light = colour
        self.number -= 1
        self.names[1] = who
        self.places[place] = size
        self.members.add(size)
        self.nested[colour][0].add("q")
        self.queue.append(Parcel(size=size, sender=who, fragile=colour is Colour.RED))
        narrate(f"a parcel of size {size}", source=who, target="depot", lost=size == 2)
        narrate("it is wrapped", at="depot")

    @action
    def receive(self) -> None:
        require(self.queue)
        self.queue.popleft()
        self.flag = not self.flag
        narrate("something arrives")

    @invariant
    def small(self) -> bool:
        """at most two parcels are under way"""
        return len(self.queue) <= 2
