"""Outcomes of a block of lifted code: control falls through its end (None), or the block is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..ir.expr import Expr
from ..ir.state_value import StateValue

Value = TypeVar("Value")


class Given(Generic[Value]):
    """A side of a condition that is a value already."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __call__(self) -> Value:
        return self.value


@dataclass(frozen=True, eq=False)
class Return:
    """The function returns a value."""

    value: Any


class UNSET:
    """A value that is read only where another one was assigned: a builtin that is written in Python begins with it."""


class LoopExit:
    """The loop around is left, or takes its next item; LEFT is a loop that was left by a break of its own."""


BREAK, CONTINUE, LEFT = LoopExit(), LoopExit(), LoopExit()


@dataclass(frozen=True, eq=False)
class ConditionalEnd:
    """One end where a condition holds, another one elsewhere."""

    condition: Expr
    then: Outcome
    otherwise: Outcome


@dataclass(frozen=True, eq=False)
class ConditionalValue(StateValue):
    """A value that is one where a condition holds, else another: merged only on use.

    `MISSING` is the value of a name that was not assigned.
    """

    condition: Expr
    then: Any
    otherwise: Any


Outcome = Return | LoopExit | ConditionalEnd | None
