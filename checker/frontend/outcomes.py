"""Outcomes of a block of lifted code: control falls through its end (None), or the block is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ir.expr import Expr


@dataclass(frozen=True, eq=False)
class Return:
    """The function returns a value."""

    value: Any


class UNSET:
    """A value that is read only where another one was assigned: a builtin that is written in Python begins with it."""


class LoopExit:
    """The loop around is left, or goes on with its next item."""


BREAK, CONTINUE = LoopExit(), LoopExit()


@dataclass(frozen=True, eq=False)
class ConditionalEnd:
    """One end where a condition holds, another one elsewhere."""

    condition: Expr
    then: Outcome
    otherwise: Outcome


@dataclass(frozen=True, eq=False)
class ConditionalValue:
    """A value that is one where a condition holds, else another: merged only on use.

    `MISSING` is the value of a name that was not assigned.
    """

    condition: Expr
    then: Any
    otherwise: Any


Outcome = Return | LoopExit | ConditionalEnd | None
