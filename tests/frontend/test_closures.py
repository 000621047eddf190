"""Functions are found where they were written, and records at module level are no functions."""

from __future__ import annotations

from everystate.checker import Array, Bool, Enum, Int, Record, Seq, Spec, action, invariant, require
from everystate.checker.api.checking import check


class Message(Record):
    kind = Enum("ask", "ack")
    clock: int


ACK = Message(kind="ack", clock=0)


class Send(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.network = Seq(Message.of(clock=Int(0, 3)), 2)

    @action
    def send(self) -> None:
        require(len(self.network) < 2)
        self.network.append(ACK)


class Lamps(Spec):
    def variables(self) -> None:
        self.on = Array(2, Bool())

    @action(i=range(2))
    def switch(self, i: int) -> None:
        self.on[i] = not self.on[i]


def both(at: int) -> tuple[object, object]:
    return invariant(lambda self: self.on[at]), invariant(lambda self: not self.on[at])


for lamp in range(2):
    for name, made in zip(("lit", "not_lit"), both(lamp), strict=True):
        setattr(Lamps, f"{lamp}_{name}", made)


def test_lambdas_on_one_line_keep_their_closures() -> None:
    assert {found.property: found.length for found in check(Lamps).violations} == {
        "0_lit": 0,
        "1_lit": 0,
        "0_not_lit": 1,
        "1_not_lit": 1,
    }


def test_a_record_is_a_constant_of_the_module() -> None:
    assert check(Send).proved
    assert check(Send).distinct == 3
