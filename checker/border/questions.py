"""What code asks of dice, clocks and the environment, by the names that stand in it."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from ..errors import EverystateError
from ..language.methods import function_of
from . import bytecode
from .nondeterminism import ASKED, PLAIN, SEEDS, THEMSELVES, WORDS
from .ownership import beside, user_class
from .sources import all_codes, body_of

LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF")
_EXECUTING = {"exec", "eval"}
_HOLDERS = (types.ModuleType, type)
FUNCTIONS = (FunctionType, functools._lru_cache_wrapper)
Names = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What is asked in a code object, where, and why that is refused."""

    code: CodeType
    name: str
    line: int
    why: str

    @property
    def error(self) -> EverystateError:
        """It is refused."""
        asked = (word for word in bytecode.names_in(self.name) if WORDS.get(word) == self.why)  # of a text, its word
        reason = f"{next(asked, self.name)} {self.why}"
        return EverystateError("E138", bytecode.place(self.code, self.line), reason=reason)


def first(code: CodeType, names: Names, seen: set[CodeType]) -> Question | None:
    """The first question of code, itself or through other functions of the author's; of those seen before none."""
    if code in seen or beside(code, names):
        return None
    seen.add(code)
    for question in questions(code, names):
        return question
    for inner in code.co_consts:
        found = first(inner, names, seen) if isinstance(inner, CodeType) else None
        if found is not None:
            return found
    modules = [names[n] for n in code.co_names if isinstance(names.get(n), types.ModuleType)]
    for name in code.co_names:
        for value in (names.get(name), *(vars(module).get(name) for module in modules)):
            found = first_below(value, seen)
            if found is not None:
                return found
    return None


def first_below(value: Any, seen: set[CodeType]) -> Question | None:
    """The same of the function in a value, and of those that its decorators have wrapped."""
    if user_class(type(value)):  # it may do anything where it is asked for an attribute
        value = inspect.getattr_static(value, "__call__", None)
    function = function_of(value)
    while isinstance(function, FUNCTIONS):
        if isinstance(function, FunctionType):
            found = first(function.__code__, function.__globals__, seen)
            if found is not None:
                return found
        function = vars(function).get("__wrapped__")
    return None


def questions(code: CodeType, names: Names) -> Iterator[Question]:
    """What a code object asks of whom it loads by name, or has imported itself."""
    if not _may_ask(code, names):
        return
    steps, local = bytecode.steps_of(code), dict[str, Any]()
    module, imported, line = None, None, code.co_firstlineno
    for at, step in enumerate(steps):
        line = bytecode.line_at(step) or line
        name = str(step.argval)
        if step.opname == "IMPORT_NAME":
            module, imported = sys.modules.get(name), sys.modules.get(name.partition(".")[0])
        elif step.opname == "IMPORT_FROM":  # of the package itself in `import a.b as c`
            imported = getattr(module, name, module)
            if id(module) in ASKED and isinstance(imported, PLAIN) and name in ASKED[id(module)][1]:
                yield Question(code, name, line, ASKED[id(module)][1][name])
        elif step.opname.startswith("STORE") and imported is not None:
            local[name], imported = imported, None
        elif step.opname in LOADS:
            value = local.get(name, names.get(name))
            yield from _itself(code, value, steps[at : at + 3], line)
            yield from _asked_of(code, value, steps[at + 1 : at + 6], line)
        elif step.opname == "LOAD_CONST" and isinstance(step.argval, str) and not _EXECUTING.isdisjoint(code.co_names):
            yield from (Question(code, name, line, WORDS[word]) for word in bytecode.names_in(name) if word in WORDS)


def asks(module: types.ModuleType) -> bool:
    """Whether anything that stands in a module may ask."""
    body = body_of(module)
    return body is not None and any(_may_ask(code, vars(module)) for code in all_codes(body))


def _may_ask(code: CodeType, names: Names) -> bool:
    """Whether the names in a code object leave it open that it asks; to read its instructions takes much longer."""
    if not WORDS.keys().isdisjoint(code.co_names) or not _EXECUTING.isdisjoint(code.co_names):
        return True
    given = [sys.modules.get(name) for name in code.co_names]
    given += map(names.get, (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars))
    seen = set[int]()
    while given:
        value = given.pop()
        if id(value) in THEMSELVES or id(value) in SEEDS:
            return True
        if issubclass(type(value), _HOLDERS) and id(value) not in seen:
            seen.add(id(value))
            held = vars(value)
            if "__getattr__" in held:
                return True
            given += [held[name] for name in code.co_names if name in held]
    return False


def _asked_of(code: CodeType, value: Any, following: Any, line: int) -> Iterator[Question]:
    for at, step in enumerate(following[:3]):
        name = str(step.argval)
        if step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            return
        why = ASKED[id(value)][1].get(name) if id(value) in ASKED else None
        line = bytecode.line_at(step) or line
        if why is not None:
            yield Question(code, name, line, why)
        value = inspect.getattr_static(value, name, None) if issubclass(type(value), _HOLDERS) else None
        yield from _itself(code, value, following[at : at + 3], line)


def _itself(code: CodeType, value: Any, steps: Any, line: int) -> Iterator[Question]:
    """What is asked by naming a value in the first of some steps, or calling it without a seed in the second."""
    name = str(steps[0].argval)
    if id(value) in THEMSELVES:
        yield Question(code, name, line, THEMSELVES[id(value)][1])
    elif id(value) in SEEDS and len(steps) > 2 and _without_a_seed(*steps[1:3]):
        yield Question(code, name, line, SEEDS[id(value)][1])


def _without_a_seed(step: Any, after: Any) -> bool:
    """Whether dice are made of nothing, or of None."""
    if step.opname == "LOAD_CONST" and step.argval is None:
        return bool(after.opname == "CALL")
    return bool(step.opname == "CALL" and not step.arg)
