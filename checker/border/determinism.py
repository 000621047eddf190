"""A spec is the same whenever it is made: what is executed once, at the beginning, throws no dice and asks no clock.

Nobody sees `variables()`, the values of parameters, or the bodies of classes and modules once a spec is made; a verdict
on one that would be another spec the next time says nothing.
"""

from __future__ import annotations

import builtins
import enum
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from ..errors import EverystateError, is_ours
from ..language import marks
from ..language.declarations import class_place
from ..language.domains import Domain
from ..language.integrity import Noted, OfModule, borrowed, noted
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.values import RecordValue
from . import bytecode, hooks
from .imports import bound, name_of, theirs
from .nondeterminism import ASKED, THEMSELVES, WORDS, heard, know_others
from .ownership import module_of, modules_from
from .reach import Reach
from .sources import body_of

_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF")
_OPTIMIZED = 0x1
_HOLDERS = (types.ModuleType, type)
Names = Mapping[str, Any]
Found = TypeVar("Found")


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
        return EverystateError("E138", bytecode.place(self.code, self.line), reason=f"{self.name} {self.why}")


def check(spec: Spec, reach: Reach) -> None:
    """E138 where making the spec depends on when, where or how often it is made."""
    know_others()
    seen: set[CodeType] = set()
    for code, names in functions(spec):
        _look(code, names, seen)
    own = (name for base in type(spec).__mro__ for name in vars(base))
    mentioned = {*reach.names, *(name for code in seen for name in code.co_names), *own}
    files = {code.co_filename for code in (*reach.codes, *seen)}
    bodies = _Bodies()
    for module in modules_from(files):
        bodies.check(module, mentioned)
        for code in (*reach.codes, *seen):
            if code.co_filename == module.__file__:
                bodies.check_taken(code, module)
    _compare(spec)


# -- what is executed ------------------------------------------------------------------------------------------


def functions(spec: Spec) -> Iterator[tuple[CodeType, Names]]:
    """The methods that make a spec, and the functions that give the values of parameters."""
    given = [value for found in spec.marked(marks.ACTION, *marks.TEMPORAL) for value in found.mark.parameters.values()]
    made = [vars(base).get("variables") for base in type(spec).__mro__]
    methods = [found.method for found in spec.marked(marks.ASSUMPTION)]
    for function in map(function_of, (*made, *methods, *given)):
        if isinstance(function, FunctionType):
            yield function.__code__, function.__globals__


def _look(code: CodeType, names: Names, seen: set[CodeType]) -> None:
    """E138 for what a function asks, itself or through other functions of the author's."""
    if code in seen or bytecode.of_library(code.co_filename) or is_ours(code.co_filename):
        return
    seen.add(code)
    for question in _questions(code, names):
        raise question.error
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            _look(inner, names, seen)
    modules = [names[n] for n in code.co_names if isinstance(names.get(n), types.ModuleType)]
    for name in code.co_names:
        for value in (names.get(name), *(vars(module).get(name) for module in modules)):
            function = function_of(value)
            if isinstance(function, FunctionType):
                _look(function.__code__, function.__globals__, seen)


class _Bodies:
    """The bodies of modules, and what they keep of questions that they, or modules that they import, have asked."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Question]] = {}

    def check(self, module: ModuleType, mentioned: set[str]) -> None:
        """E138 where the body of a module, or of a class in it, keeps an answer under a name that the spec mentions."""
        body = body_of(module) if theirs(module) else None
        if body is not None:
            self._check(body, module, mentioned)

    def check_taken(self, code: CodeType, module: ModuleType) -> None:
        """E138 where a function takes an answer from another module."""
        for question in self._taken(code, module)[0].values():
            raise question.error

    def _check(self, code: CodeType, module: ModuleType, mentioned: set[str]) -> None:
        for name, question in self._kept_in(code, module).items():
            if name in mentioned:
                raise question.error
        for inner in code.co_consts:
            if isinstance(inner, CodeType) and not inner.co_flags & _OPTIMIZED:
                self._check(inner, module, mentioned)

    def kept(self, module: ModuleType) -> dict[str, Question]:
        """The names of a module under which its body keeps an answer."""
        name = name_of(module)
        if name not in self._kept:
            self._kept[name] = {}  # modules may import one another
            body = body_of(module) if theirs(module) else None
            self._kept[name] = {} if body is None else self._kept_in(body, module)
        return self._kept[name]

    def _kept_in(self, code: CodeType, module: ModuleType) -> dict[str, Question]:
        asked = {(question.line, question.name): question for question in _questions(code, vars(module))}
        taken, by_star = self._taken(code, module)
        return by_star | (kept(code, asked | taken) if asked or taken else {})

    def _taken(self, code: CodeType, module: ModuleType) -> tuple[dict[tuple[int, str], Question], dict[str, Question]]:
        """The answers of other modules that a code object takes from them, by line and name; and those by `import *`.

        By `from m import NAME`, `m.NAME` and `package.m.NAME`.
        """
        found, by_star = dict[tuple[int, str], Question](), dict[str, Question]()
        steps, local, line = bytecode.steps_of(code), dict[str, Any](), code.co_firstlineno
        held, given, listed = None, None, False
        for at, step in enumerate(steps):
            line, name = bytecode.line_at(step) or line, str(step.argval)
            if step.opname == "IMPORT_NAME":
                listed = steps[at - 1].argval is not None
                held = given = bound(module, int(steps[at - 2].argval), name, listed)
                by_star |= self.kept(held) if steps[at - 1].argval == ("*",) and held is not None else {}
            elif step.opname in _LOADS:
                held = local.get(name, vars(module).get(name))
            elif step.opname in ("IMPORT_FROM", "LOAD_ATTR"):
                inner = vars(held).get(name) if isinstance(held, ModuleType) else None
                question = self.kept(held).get(name) if isinstance(held, ModuleType) else None
                if question is not None:
                    found[line, name] = question
                given, held = inner, held if step.opname == "IMPORT_FROM" and listed else inner
            elif step.opname.startswith("STORE"):
                local[name], given = given, None
        return found, by_star


def kept(code: CodeType, asked: Mapping[tuple[int, str], Found]) -> dict[str, Found]:
    """The names to which a body gives what comes of a question."""
    names: dict[str, Found] = {}
    found: Found | None = None
    line, before = code.co_firstlineno, ""
    for step in bytecode.steps_of(code):
        line = bytecode.line_at(step) or line
        found = asked.get((line, str(step.argval)), found) or names.get(str(step.argval))
        if step.opname in ("STORE_NAME", "STORE_GLOBAL") and found is not None:
            names[str(step.argval)] = found
        in_comprehension = step.opname == "STORE_FAST" or before == "END_FOR"  # inlined from Python 3.12 on
        if step.opname.startswith(("STORE", "POP_TOP", "RETURN")) and not in_comprehension:
            found = None
        before = step.opname
    return names


def _questions(code: CodeType, names: Names) -> Iterator[Question]:
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
        elif step.opname.startswith("STORE") and imported is not None:
            local[name], imported = imported, None
        elif step.opname in _LOADS:
            value = local.get(name, names.get(name))
            if id(value) in THEMSELVES:
                yield Question(code, name, line, THEMSELVES[id(value)][1])
            yield from _asked_of(code, value, steps[at + 1 : at + 4], line)


def _may_ask(code: CodeType, names: Names) -> bool:
    """Whether the names in a code object leave it open that it asks; to read its instructions takes much longer."""
    if not WORDS.isdisjoint(code.co_names):
        return True
    given = [sys.modules.get(name) for name in code.co_names]
    given += map(names.get, (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars))
    seen = set[int]()
    while given:
        value = given.pop()
        if id(value) in THEMSELVES:
            return True
        if issubclass(type(value), _HOLDERS) and id(value) not in seen:
            seen.add(id(value))
            held = vars(value)
            if "__getattr__" in held:
                return True
            given += [held[name] for name in code.co_names if name in held]
    return False


def _asked_of(code: CodeType, value: Any, following: Any, line: int) -> Iterator[Question]:
    for step in following:
        name = str(step.argval)
        if step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            return
        why = ASKED[id(value)][1].get(name) if id(value) in ASKED else None
        if why is not None:
            yield Question(code, name, bytecode.line_at(step) or line, why)
        value = inspect.getattr_static(value, name, None) if issubclass(type(value), _HOLDERS) else None
        if id(value) in THEMSELVES:
            yield Question(code, name, bytecode.line_at(step) or line, THEMSELVES[id(value)][1])


# -- what comes of it ------------------------------------------------------------------------------------------


def _compare(spec: Spec) -> None:
    """E138 where the spec, made once more, is another one."""
    builtin = dict(vars(builtins))
    notes: list[Noted | OfModule] = [*noted(), *borrowed()]
    made = heard(lambda: type(spec)(**spec.constants), lambda: class_place(type(spec)))
    hooks.check_replaced(sys.modules.get(module_of(type(spec))), notes, builtin)
    once, again = _parts(spec), _parts(made)
    for what in dict.fromkeys((*once, *again)):
        if what not in once or what not in again or once[what] != again[what]:
            reason = f"{what} is not what it was"
            raise EverystateError("E138", class_place(type(spec)), reason=reason)


def _parts(spec: Spec) -> dict[str, Any]:
    """What makes a spec: variables, derived constants, whether it may end, actions and properties, to be compared."""
    found = {name: _told(domain) for name, domain in spec.domains.items()} | {"may_terminate": spec._ends}
    own = {name: value for name, value in vars(spec).items() if not name.startswith("_")}
    found |= {name: _told(value) for name, value in own.items() if name not in ("instances", "properties")}
    for number, instance in enumerate(spec.instances):
        found[f"instance {number} of the actions"] = (instance.name, _told(instance.arguments))
    for number, prop in enumerate(spec.properties):
        found[f"property {number}"] = (prop.name, _told(prop.arguments))
    return found


def _told(value: Any) -> Any:
    """A value as something to compare; of objects of an author's own only the class."""
    if isinstance(value, Domain):
        inner = [getattr(value, name, None) for name in ("element", "fields", "members", "keys")]
        return type(value), repr(value), _told(value.init), [_told(part) for part in inner]
    if isinstance(value, (int, float, complex, str, bytes, range, type(None))):
        return type(value), repr(value)
    if isinstance(value, enum.Enum):
        return type(value), value.name
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(map(repr, map(_told, value)))
    if isinstance(value, Mapping):
        return type(value), [(_told(k), _told(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [_told(part) for part in value]
    if isinstance(value, RecordValue):
        return type(value), _told(vars(value))
    values = getattr(value, "values", None)
    return type(value), _told(values) if isinstance(values, tuple) else None
