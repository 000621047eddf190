"""A variable that holds records or other values, as it is written for a union of TLA+."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everystate import check
from everystate.checker import Enum, Spec, action, choose, require
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


def test_fields_of_listed_dataclasses_are_compiled() -> None:
    found = check(Memory, engine="native")
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, 10, 19)


def test_a_field_of_another_kind_of_value_is_an_error_with_a_trace() -> None:
    found = check(Hasty, engine="native")
    assert found.verdict is Verdict.VIOLATED
    assert [(v.error.code, v.length) for v in found.result.violations if v.error] == [("E308", 1)]
