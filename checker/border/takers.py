"""Who may take what a module keeps: the code that makes a spec or executes it, by the names that stand there.

A global is loaded by code of its own module. An attribute is asked of whatever stands before it: of a module where its
name does (`answers`), else of any module that somebody hands on as an object. What a method of the spec asks of its
`self` is asked of no module.
"""

from __future__ import annotations

import abc
import functools
import itertools
import sys
from collections.abc import Collection, Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

from ..language.declarations import Declaring
from ..language.spec import Spec
from . import bytecode
from .imports import below, imported, names_in, own, theirs
from .loaded import modules_from
from .ownership import module_of, mro_of, vars_of
from .questions import LOADS, Names, asks
from .reach import Reach, classes_of
from .settled_sets import Place, Sets, place_of
from .sources import all_codes, body_or_empty, is_function, written_in

_ANY = {"globals", "eval", "exec"}
"""By these a function finds all that its module holds."""
_GLOBALS = {"__globals__", "f_globals"}
"""By these, all that any module holds."""
_MODULES = {"modules", "import_module", "__import__", "getmodule", "resolve_name", "get_objects", "get_referents"}
"""By these, any module."""
_TEXTS = {"__dict__", "vars", "dir", "getmembers", "__getattribute__", "attrgetter", "methodcaller", "getattr"}
"""By these, what has a name that is a text."""
_OF_CLASSES = {"type", "__class__", "__func__", "__self__"}
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
Code = tuple[CodeType, Names | None]


class Takers:
    """The code that makes a spec, with its globals as far as these are known, and what executes it."""

    def __init__(self, spec: Spec, reach: Reach, making: Iterable[Code]) -> None:
        self.spec, self._reach = spec, reach
        made_of = (type(spec), *classes_of(spec.domains.values()))
        self.classes = {base for cls in made_of for base in mro_of(cls)}
        """Those of the spec, and of records and enum members of its state: all that these hold makes the spec."""
        self._own = _named(spec)
        self.modules = below([module for module in _homes(spec, reach, making) if theirs(module)])
        self.making = list(_awake(making, self.modules))
        homes = {written_in(module): vars(module) for module in self.modules}
        self.codes: list[Code] = [*((code, homes.get(code.co_filename)) for code in reach.codes), *self.making]
        self._words = {name for code, _ in self.making for name in code.co_names}
        self._anywhere = self._words.union(*(body_or_empty(module).co_names for module in self.modules))
        self.asking = any(map(asks, self.modules))
        """Whether any of these modules may ask."""

    @functools.cached_property
    def _methods(self) -> set[Place]:
        """The methods whose first parameter is the spec."""
        return set() if self._calls_freely() else Sets(self.spec).methods

    def of_module(self, module: ModuleType) -> Iterator[Collection[str] | None]:
        """The names by which a module may be asked for what it holds; None where that may be any name."""
        yield self._own
        for code, _ in self.codes_of(module):
            yield None if not _ANY.isdisjoint(code.co_names) else bytecode.global_names(code)
        if not self._words.isdisjoint(_GLOBALS):
            yield None
        if self.is_handed(module):
            yield self.of_others()
            computed = any(bytecode.computes(code, bytecode.ASKED_FOR) for code, _ in self.making)
            yield None if computed or self._reach.any_name else ()

    @functools.cached_property
    def _handed(self) -> set[int]:
        return {id(module) for module in self._handed_on()}

    def is_handed(self, module: ModuleType) -> bool:
        """Whether somebody may have a module as an object."""
        return id(module) in self._handed or not self._anywhere.isdisjoint(_MODULES)

    def of_others(self) -> Collection[str]:
        """The same of who is not the spec."""
        mentioned = {name for code in self._reach.codes for name in code.co_names}
        found = set(self._reach.names - mentioned)
        for code, names in self.codes:
            found |= self._asked(code, names or {})
        for code in (*map(body_or_empty, self.modules), *(code for code, _ in self.codes)):
            if not _TEXTS.isdisjoint(code.co_names) or bytecode.asks_by_text(code):
                found |= bytecode.texts(code)
        return found

    def codes_of(self, module: ModuleType) -> list[Code]:
        """The code of a module that makes or executes the spec."""
        path = written_in(module)
        return [(code, names) for code, names in self.codes if code.co_filename == path or names is vars(module)]

    def _asked(self, code: CodeType, names: Names) -> set[str]:
        """What a code object loads, but for attributes of the spec itself, and of what names say who it is."""
        me = code.co_varnames[0] if code.co_argcount and place_of(code) in self._methods else ""
        me = "" if me and bytecode.stores(code, me) else me
        found, held = set[str](), None
        for before, step in itertools.pairwise(bytecode.steps_of(code)):
            name = str(step.argval)
            if before.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                held = names.get(str(before.argval))
            own = bool(me) and before.opname in ("LOAD_FAST", "LOAD_DEREF") and before.argval == me
            held = _certain(held, name) if step.opname in ATTRIBUTES else None
            known = held is not None or (own and step.opname in (*ATTRIBUTES, "STORE_ATTR"))
            if isinstance(step.argval, str) and not known:
                found.add(name)
        return found

    def _calls_freely(self) -> bool:
        """Whether what makes a spec may call a method of it with another `self`."""
        loaded = {name for code, _ in self.making for name in bytecode.global_names(code)}
        return not loaded.isdisjoint(self._own) or not self._words.isdisjoint(_OF_CLASSES | _ANY | _GLOBALS)

    def _handed_on(self) -> Iterator[ModuleType]:
        """The modules of which a name does something else than to stand before an attribute, or to be imported."""
        known = own()
        for module in self.modules:
            for code in all_codes(body_or_empty(module)):
                if code.co_name != "<module>":
                    yield from (found for name in names_in(code) for found in imported(module, name, known))
                yield from _handed(code, module)


def _handed(code: CodeType, module: ModuleType) -> Iterator[ModuleType]:
    held: Any = None
    for step, after in itertools.pairwise(bytecode.steps_of(code)):
        if step.opname in LOADS:
            held = vars(module).get(str(step.argval))
        elif step.opname in ATTRIBUTES and isinstance(held, ModuleType) and step.argval not in _TEXTS:
            held = vars(held).get(str(step.argval))
        elif step.opname in ATTRIBUTES and isinstance(held, ModuleType):
            yield held
        else:
            held = None
        alias = after.opname in ("STORE_NAME", "STORE_GLOBAL") and code.co_name == "<module>"
        if isinstance(held, ModuleType) and not alias and after.opname not in (*ATTRIBUTES, "POP_TOP"):
            yield held


def _certain(held: Any, name: str) -> Any:
    """What a module or a class holds under a name, that nobody but itself answers; None where that is not certain."""
    if isinstance(held, ModuleType):
        return vars(held).get(name)
    if type(held) in _PLAIN_CLASSES:
        return next((vars_of(base)[name] for base in mro_of(held) if name in vars_of(base)), None)
    return None


_PLAIN_CLASSES = (type, Declaring, abc.ABCMeta)


def _homes(spec: Spec, reach: Reach, making: Iterable[Code]) -> list[ModuleType]:
    """The modules of the classes of a spec, and of all code that makes or executes it."""
    files = {code.co_filename for code in (*reach.codes, *(code for code, _ in making))}
    homes = [sys.modules[name] for name in map(module_of, type(spec).__mro__) if name in sys.modules]
    return [*homes, *modules_from(files)]


def _awake(making: Iterable[Code], modules: Iterable[ModuleType]) -> Iterator[Code]:
    """Code that has begun, with the functions that have a name that stands there, and what has none beside one: what
    these gave when the spec was made first may have been remembered."""
    todo, asleep = list(making), dict[str, list[Code]]()
    for module in modules:
        for code in all_codes(body_or_empty(module)):
            if is_function(code) and not code.co_name.startswith(("__", "<")):
                asleep.setdefault(code.co_name, []).append((code, vars(module)))
        lambdas = [(inner, vars(module)) for inner in body_or_empty(module).co_consts if _is_lambda(inner)]
        stored = (
            (s.argval for s in bytecode.steps_of(body_or_empty(module)) if s.opname == "STORE_NAME") if lambdas else ()
        )
        for name in stored:
            asleep.setdefault(str(name), []).extend(lambdas)
    while todo:
        code, names = todo.pop()
        for inner in all_codes(code):
            yield inner, names
            for name in inner.co_names:
                todo += asleep.pop(name, ())


def _is_lambda(const: object) -> bool:
    return isinstance(const, CodeType) and const.co_name == "<lambda>"


def _named(spec: Spec) -> set[str]:
    """The names that the module of a spec has for its classes."""
    module = sys.modules.get(module_of(type(spec)))
    held = {} if module is None else vars(module)
    return {name for name, value in held.items() if issubclass(type(value), type) and value in type(spec).__mro__}
