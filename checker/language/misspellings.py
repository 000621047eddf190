"""Names that an author means to be special, and that are not: a mistyped `variables`, a mark that is missing."""

from __future__ import annotations

from difflib import get_close_matches
from types import FunctionType
from typing import Any

from ..errors import EverystateError
from .declarations import class_place, place_of_value
from .domains import Domain
from .marks import fairness_of, mark_of
from .methods import function_of

SPECIAL = ("variables", "may_terminate", "conformance")
MARKS = (
    "action",
    "action_constraint",
    "assumption",
    "constraint",
    "eventually",
    "eventually_always",
    "fair",
    "infinitely_often",
    "initial",
    "invariant",
    "leads_to",
    "lemma",
    "reachable",
    "refines",
    "step_invariant",
    "strongly_fair",
    "view",
)


def check_words(cls: type) -> None:
    """E132 for a domain in a class body, E133 for a method or attribute that only looks special."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    for name, value in vars(cls).items():
        if isinstance(value, Domain):
            raise EverystateError("E132", class_place(cls), spec=cls.__name__, name=name)
        if name.startswith("_") or name in inherited:
            continue
        function = function_of(value)
        unmarked = isinstance(function, FunctionType) and not mark_of(function) and not fairness_of(function)
        if unmarked and name in MARKS:
            raise _looks_special(cls, name, value, f"@{name}", f"write @{name} above it, or use another name")
        close = get_close_matches(name.lower(), SPECIAL, 1, 0.85)
        if close and (unmarked or isinstance(value, bool)):
            raise _looks_special(cls, name, value, close[0], f"write {close[0]!r}, or use another name")


def _looks_special(cls: type, name: str, value: Any, meant: str, remedy: str) -> EverystateError:
    where = place_of_value(value) or class_place(cls)
    return EverystateError("E133", where, spec=cls.__name__, name=name, meant=meant, remedy=remedy)
