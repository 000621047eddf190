"""A buffer between two channels (InnerFIFO of Lamport's "Specifying Systems"): what is sent is received in its order.

The buffer of the book has no end. Here an action constraint leaves out the steps that would overfill it, so nothing
is said of behaviours that take them.
"""

from typing import Self

from everystate.checker import (
    AnyOf,
    Constant,
    Int,
    Record,
    Seq,
    Spec,
    action,
    action_constraint,
    implies,
    initial,
    require,
    step_invariant,
)


class Channel(Record):
    """A value that is handed over: it waits while the two bits differ."""

    value: int
    ready: int
    acknowledged: int


class FIFO(Spec):
    """A sender, a buffer and a receiver."""

    messages = Constant(3, "different messages")
    most = Constant(3, "messages in the buffer")

    def variables(self) -> None:
        bit = Int(0, 1, init=AnyOf())
        channel = Channel.of(value=Int(0, self.messages - 1, init=AnyOf()), ready=bit, acknowledged=bit)
        self.into = channel
        self.out = channel
        self.buffer = Seq(Int(0, self.messages - 1), self.most + 1)

    @initial
    def nothing_waits(self) -> None:
        require(self.into.ready == self.into.acknowledged)
        require(self.out.ready == self.out.acknowledged)

    @action(message="messages")
    def send(self, message: int) -> None:
        require(self.into.ready == self.into.acknowledged)
        self.into.value = message
        self.into.ready = 1 - self.into.ready

    @action
    def buffer_receives(self) -> None:
        require(self.into.ready != self.into.acknowledged)
        self.into.acknowledged = 1 - self.into.acknowledged
        self.buffer.append(self.into.value)

    @action
    def buffer_sends(self) -> None:
        require(self.out.ready == self.out.acknowledged)
        require(len(self.buffer) > 0)
        self.out.value = self.buffer.popleft()
        self.out.ready = 1 - self.out.ready

    @action
    def receive(self) -> None:
        require(self.out.ready != self.out.acknowledged)
        self.out.acknowledged = 1 - self.out.acknowledged

    @action_constraint
    def buffer_is_not_overfilled(self, before: Self) -> bool:
        """no step makes the buffer longer than that"""
        return len(self.buffer) <= self.most

    @step_invariant
    def values_wait(self, before: Self) -> bool:
        """a value stays in its channel until it is acknowledged"""
        waits = before.out.ready != before.out.acknowledged
        return implies(waits, self.out.value == before.out.value)
