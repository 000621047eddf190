"""Checks conditions, and what a method of each kind returns."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from types import GeneratorType, MethodType, ModuleType
from typing import Any

from ..errors import EverystateError, user_place
from . import marks
from .declarations import method_place
from .domains import Domain
from .formulas import Formula


def truth(value: Any) -> bool:
    """The value of a condition; E219 for a value that Python takes as true in any state, which is never meant."""
    if value is True or value is False:
        return value
    if callable(value):
        remedy = f"call it: {getattr(value, '__name__', 'it')}(...)".replace("<lambda>", "it")
    elif isinstance(value, tuple):
        remedy = "`a and b` holds where both of them do; len(...) > 0 says whether there are any"
    elif isinstance(value, Iterator):
        remedy = "all(...) or any(...) say which of its elements must hold"
    elif isinstance(value, (ModuleType, Domain)):
        remedy = "write a condition on the state"
    else:
        return bool(value)
    raise EverystateError("E219", user_place(), value=kind_of(value), remedy=remedy)


def kind_of(value: Any) -> str:
    """A value of Python in the words of the language, with an article."""
    if isinstance(value, MethodType):
        return f"the method {value.__name__} (not called)"
    if isinstance(value, (type, ModuleType)):
        return f"the {'class' if isinstance(value, type) else 'module'} {value.__name__}"
    if callable(value):
        return f"the function {getattr(value, '__name__', 'it')} (not called)".replace(" <lambda>", "")
    if value is None or isinstance(value, bool):
        return "None" if value is None else "a boolean"
    words = {int: "a number", str: "a string", tuple: f"a tuple of {len(value)}" if isinstance(value, tuple) else ""}
    if type(value) in words:
        return words[type(value)]
    if isinstance(value, (GeneratorType, enum.Enum, Domain)):
        return "a generator" if isinstance(value, GeneratorType) else f"{value}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


KINDS = {
    marks.ACTION: "an action",
    marks.INITIAL: "an initial method",
    marks.ACTION_CONSTRAINT: "an action constraint",
    marks.INVARIANT: "an invariant",
    marks.EVENTUALLY: "an `eventually` property",
    marks.LEADS_TO: "a `leads to` property",
    marks.EVENTUALLY_ALWAYS: "an `eventually always` property",
    marks.INFINITELY_OFTEN: "an `infinitely often` property",
    marks.ALWAYS_REACHABLE: "an `always reachable` property",
    marks.TEMPORAL_FORMULA: "a temporal formula",
    marks.TEMPORAL_ASSUMPTION: "a temporal assumption",
    marks.ASSUMPTION: "an assumption",
}
CONDITIONS = (
    marks.INVARIANT,
    marks.STEP_INVARIANT,
    marks.REACHABLE,
    marks.EVENTUALLY,
    marks.EVENTUALLY_ALWAYS,
    marks.INFINITELY_OFTEN,
    marks.ALWAYS_REACHABLE,
    marks.CONSTRAINT,
    marks.ACTION_CONSTRAINT,
    marks.ASSUMPTION,
    marks.LEMMA,
)


def with_article(kind: str) -> str:
    """A kind of method as a sentence names it."""
    return KINDS.get(kind, f"a {kind}")


def check_returned(kind: str, method: Callable[..., Any], value: Any, named: Callable[[Any], str] = kind_of) -> None:
    """E209, E218 and E220 when a method does not return what its mark requires; `named` gives the type of a value."""
    name = method.__name__
    if kind in (marks.ACTION, marks.INITIAL) and value is not None:
        raise EverystateError("E220", method_place(method), name=name, value=named(value), kind=with_article(kind))
    if kind in CONDITIONS and named(value) != "a boolean":
        raise EverystateError("E209", method_place(method), name=name, value=named(value))
    if kind == marks.LEADS_TO:
        parts = [named(part) for part in value] if isinstance(value, tuple) else [named(value)]
        if parts != ["a boolean", "a boolean"]:
            shown = " and ".join(parts) if len(parts) <= 2 else f"{len(parts)} values"
            raise EverystateError("E218", method_place(method), name=name, value=shown)
    if kind in marks.OF_FORMULAS:
        parts = value.conditions() if isinstance(value, Formula) else [value]
        wrong = next((named(part) for part in parts if named(part) != "a boolean"), "")
        if wrong or not isinstance(value, Formula):
            raise EverystateError("E237", method_place(method), name=name, value=wrong or "a boolean alone")
