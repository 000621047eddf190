"""A variable that holds records or other values, as it is written for a union of TLA+."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everystate import check
from everystate.checker import Enum, Map, Spec, action, choose, require, step_invariant
from everystate.checker.language.domains import ListedValues
from everystate.checker.results.verdict import Verdict


@dataclass(frozen=True)
class Request:
    """A request; one to read has no value."""

    op: str
    val: Any = None


REQUESTS = (Request(op="Rd"), Request(op="Wr", val=1), Request(op="Wr", val=2))


class Memory(Spec):
    """The buffer has a request, then its answer."""

    def variables(self) -> None:
        self.buf: Any = ListedValues([None, 1, 2, *REQUESTS])
        self.mem: Any = ListedValues([1, 2])
        self.ctl = Enum("rdy", "busy")

    @action
    def ask(self) -> None:
        require(self.ctl == "rdy")
        self.buf = choose(REQUESTS)
        self.ctl = "busy"

    @action
    def answer(self) -> None:
        require(self.ctl == "busy")
        self.mem, self.buf = (self.buf.val, None) if self.buf.op == "Wr" else (self.mem, self.mem)
        self.ctl = "rdy"


class Hasty(Memory):
    """It answers before there is a request."""

    @action
    def answer(self) -> None:
        self.buf = self.buf.val


class Slots(Spec):
    """Requests and numbers move through four slots, each with its owner."""

    def variables(self) -> None:
        self.slots: Any = Map(range(4), ListedValues([None, *range(20), *((i, r) for i in (0, 1) for r in REQUESTS)]))
        self.last: Any = ListedValues([None, *((i, r) for i in (0, 1) for r in REQUESTS)])

    @action(i=range(2))
    def put(self, i: int) -> None:
        request = choose(REQUESTS)
        require(self.slots[i] != (i, request))
        self.last = (i, request)
        self.slots[i] = (i, request)

    @step_invariant
    def one_changes(self, before: Any) -> bool:
        return self.slots != before.slots and self.last in self.slots.values()


def test_values_of_several_kinds_are_compared_without_deciding_which_they_are() -> None:
    found = check(Slots, engine="native")
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, 25, 109)
    assert check(Slots, engine="python").generated == 109


def test_fields_of_listed_dataclasses_are_compiled() -> None:
    found = check(Memory, engine="native")
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, 10, 19)


def test_a_field_of_another_kind_of_value_is_an_error_with_a_trace() -> None:
    found = check(Hasty, engine="native")
    assert found.verdict is Verdict.VIOLATED
    assert [(v.error.code, v.length) for v in found.result.violations if v.error] == [("E308", 1)]
