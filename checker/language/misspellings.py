"""Names that an author means otherwise: a mistyped `variables`, a mark that is missing, a variable that is none."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ..errors import EverystateError, describe, is_ours, suggestion
from .declarations import class_place, place_of_value
from .domains import Domain
from .instructions import instructions
from .marks import ACTION, INITIAL, fairness_of, mark_of
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
ASSIGNS = dis.opmap["STORE_ATTR"]
PUSHES = ("LOAD_FAST", "LOAD_DEREF")
"""How the instructions begin that push a local name."""


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


def check_assigned(spec: Any) -> None:
    """E201 for an assignment to a name of self that is no variable: `self.nmae = 3` in an action.

    To a type checker it declares an attribute, and an engine meets it only where it is executed, so it is looked for
    when a spec is made. A method without a mark may declare what it assigns to, for variables() may call it; where one
    calls setattr, any name may be declared.
    """
    cls = type(spec)
    steps = [inspect.unwrap(found.method).__code__ for found in spec.marked(ACTION, INITIAL)]
    others = {code for base in cls.__mro__[:-1] for code in _codes(base)} - {*steps}
    if any("setattr" in code.co_names or "__setattr__" in code.co_names for code in others):
        return
    declared = {name for code in others for name, _ in _assigned(code)} | vars(spec).keys() | spec.domains.keys()
    for code in steps:
        for name, line in _assigned(code):
            if name not in declared and not name.startswith("_") and not hasattr(cls, name):
                where, hint = describe(code.co_filename, line, code.co_name), suggestion(name, list(spec.domains))
                raise EverystateError("E201", where, spec=cls.__name__, name=name, suggestion=hint)


def _codes(cls: type) -> Iterator[CodeType]:
    """The code of an author's methods."""
    for value in vars(cls).values():
        function = function_of(value)
        if isinstance(function, FunctionType):
            code = inspect.unwrap(function).__code__ if hasattr(function, "__wrapped__") else function.__code__
            if not is_ours(code.co_filename):
                yield code


@lru_cache(maxsize=1024)
def _assigned(code: CodeType) -> tuple[tuple[str, int], ...]:
    """The names that a method assigns to on its first argument, each with its line."""
    if not code.co_argcount or ASSIGNS not in code.co_code[::2]:
        return ()
    names, owner, pushed = list[tuple[str, int]](), code.co_varnames[0], ""
    for found in instructions(code):
        if found.opcode == ASSIGNS and pushed == owner:
            names.append((found.argval, (found.positions and found.positions.lineno) or code.co_firstlineno))
        pushed = found.argval if found.opname.startswith(PUSHES) else ""
    return tuple(names)
