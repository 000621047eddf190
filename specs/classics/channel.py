"""The asynchronous interface of Lamport's "Specifying Systems" (chapter 3): a two-phase handshake on three wires."""

from typing import Self

from everystate.checker import (
    AnyOf,
    Bool,
    Constant,
    Int,
    Record,
    Spec,
    action,
    implies,
    initial,
    require,
    step_invariant,
)


class Wires(Record):
    """A value, a bit that the sender flips to offer it, and a bit that the receiver flips to accept it."""

    value: int
    ready: bool
    accepted: bool


class Channel(Spec):
    """A sender and a receiver hand over values, one at a time, by flipping two bits."""

    values = Constant(3, "different values that can be sent")

    def variables(self) -> None:
        self.wires = Wires.of(
            value=Int(1, self.values, init=AnyOf()),
            ready=Bool(init=AnyOf()),
            accepted=Bool(init=AnyOf()),
        )

    @initial
    def nothing_under_way(self) -> None:
        require(self.wires.ready == self.wires.accepted)

    @action(value=lambda self: range(1, self.values + 1))
    def send(self, value: int) -> None:
        require(self.wires.ready == self.wires.accepted)
        self.wires.value = value
        self.wires.ready = not self.wires.ready

    @action
    def receive(self) -> None:
        require(self.wires.ready != self.wires.accepted)
        self.wires.accepted = self.wires.ready

    @step_invariant
    def value_stays_until_accepted(self, before: Self) -> bool:
        """a value on offer does not change until the receiver has accepted it"""
        return implies(before.wires.ready != before.wires.accepted, self.wires.value == before.wires.value)

    @step_invariant
    def sides_take_turns(self, before: Self) -> bool:
        """a step flips exactly one of the two bits"""
        sent = self.wires.ready != before.wires.ready
        received = self.wires.accepted != before.wires.accepted
        return sent != received
