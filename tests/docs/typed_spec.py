"""What a type checker knows of a spec; `reveal_type` says what it must be, `# error` what must be wrong. Never run."""

from __future__ import annotations

import enum
from typing import reveal_type

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Interchangeable,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    invariant,
    require,
    subsets,
)


class Light(enum.Enum):
    RED = 1
    GREEN = 2


class Batch(Record):
    seq: int
    ok: bool


class Typed(Spec):
    most = Constant(3, "the largest number")

    def variables(self) -> None:
        batch = Batch.of(seq=Int(0, self.most), ok=Bool())
        self.number = Int(0, self.most)
        self.truth = Bool(init=True)
        self.word = Enum("up", "down")
        self.light = Enum(Light)
        self.node = Interchangeable(2, "nodes")
        self.pair = Array(2, Int(0, 1))
        self.lights = Array(2, Light)
        self.grid = Array(2, Array(2, Bool()))
        self.log = Seq(batch, 2)
        self.numbers = Seq(range(3), 4)
        self.seen = Set(range(2))
        self.edges = Set([(0, 1), (1, 0)])
        self.by_name = Map(["a", "b"], Int(0, 1))
        self.by_light = Map(Light, Bool())
        self.last = Option(Int(0, 3))
        self.held = Option(batch)

    @action(n=Int(0, 3))
    def go(self, n: int) -> None:
        reveal_type(self.most)  # int
        reveal_type(self.number)  # int
        reveal_type(self.truth)  # bool
        reveal_type(self.word)  # str
        reveal_type(self.light)  # Light
        reveal_type(self.node)  # int
        reveal_type(self.pair)  # list[int]
        reveal_type(self.pair[0])  # int
        reveal_type(self.lights[0])  # Light
        reveal_type(self.grid[0][1])  # bool
        reveal_type(self.log)  # SeqValue[Batch] | Any
        reveal_type(self.log.popleft().seq)  # int | Any
        reveal_type(len(self.numbers))  # int
        reveal_type(self.seen)  # set[int]
        reveal_type(self.edges)  # set[tuple[int, int]]
        reveal_type(self.by_name["a"])  # int
        reveal_type(self.by_light)  # dict[Light, bool]
        reveal_type(self.last)  # int | None
        reveal_type(self.held)  # Batch | None
        reveal_type(choose(range(3)))  # int
        reveal_type(choose(Light))  # Light
        reveal_type(choose(self.log))  # Batch | Any
        reveal_type(choose(subsets(range(3))))  # set[int]
        require(self.log)
        self.number = n
        self.light = Light.GREEN
        self.log = []
        self.log.append(Batch(seq=1, ok=True))
        self.numbers = self.numbers[1:]
        self.seen = {1}
        self.by_name = {"a": 0, "b": 1}
        self.last = None
        self.last = 2
        if self.held is not None:
            self.number = self.held.seq
        self.number = "up"  # error: assignment
        self.light = Light.BLUE  # error: attr-defined
        self.numbers.append("up")  # error: arg-type
        self.numbers.pushleft(1)  # error: union-attr
        self.numbr += 1  # error: attr-defined
        require(self.nmber < 2)  # error: attr-defined
        self.edges.append((0, 1))  # error: attr-defined

    @action
    def reads_what_may_be_none(self) -> None:
        self.number = self.last + 1  # error: operator

    @invariant
    def small(self) -> bool:
        return self.number < self.most

    @invariant
    def few(self) -> bool:
        return sum(light is Light.RED for light in self.lights) <= 1
