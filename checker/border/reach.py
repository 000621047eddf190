"""What a spec can execute, and what data it can get hold of.

From its marked methods on, every name that the bytecode mentions is looked up: globals, outer variables, default
values, attributes of modules, and methods of the classes that are known, whatever object they are called on. So
too much is found rather than too little, and nothing is executed for it.
"""

from __future__ import annotations

import abc
import builtins
import contextlib
import copy
import enum
import functools
import gc
import importlib
import os
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import CodeType
from typing import Any

from ..errors import EverystateError, is_ours
from ..language import marks
from ..language.declarations import Declaring
from ..language.domains import Domain, Enum, Map
from ..language.marks import MARKED
from ..language.methods import Method, function_of
from ..language.record import Record, RecordDomain
from ..language.spec import Spec
from ..language.statements import choose, require
from . import bytecode, reader_texts
from .bytecode import Hazard
from .policy import (
    ASKING,
    CHANGING,
    COMPUTING,
    CONTAINERS,
    DATA,
    DEPENDS,
    EVALUATING,
    EXECUTED,
    FUNCTIONS,
    HOLDING,
    IMPLICIT,
    INSTEAD,
    INTERNAL,
    MAPPINGS,
    NO_CACHE,
    NO_PRINT,
    OF_EXCEPTIONS,
    OWN,
    REFUSED,
    SCALARS,
    SLOTS,
    TRUSTED,
    WRAPPERS,
)


@dataclass(frozen=True)
class Origin:
    """By which name, in which code object, something was reached."""

    code: CodeType
    name: str

    def error(self, reason: str, remedy: str, code: str = "E230") -> EverystateError:
        """What was reached is refused."""
        where = bytecode.place(self.code, bytecode.line_of(self.code, self.name))
        return EverystateError(code, where, expression=self.name, reason=reason, remedy=remedy)


@dataclass(frozen=True)
class Slots:
    """The fields of an object that has no dictionary."""

    owner: Any
    names: tuple[str, ...]

    def items(self) -> list[tuple[str, Any]]:
        """The fields that are set."""
        return [(n, getattr(self.owner, n)) for n in self.names if hasattr(self.owner, n)]


@dataclass(frozen=True)
class Cached:
    """What a function with a cache remembers; lists and objects in it would be state."""

    function: Any

    def __iter__(self) -> Iterator[Any]:
        seen: dict[int, Any] = {}
        todo = [v for v in gc.get_referents(self.function) if v is not self.function.__wrapped__]
        while todo:
            value = todo.pop()
            if id(value) not in seen and not isinstance(value, (*DATA, type, types.FunctionType)):
                seen[id(value)] = value
                inside = isinstance(value, (dict, tuple, frozenset)) or type(value).__name__ == "_lru_list_elem"
                todo += gc.get_referents(value) if inside else []
        known = (dict, tuple, frozenset)
        return iter([v for v in seen.values() if not isinstance(v, known) and type(v).__name__ != "_lru_list_elem"])


class Reach:
    """The `codes` and the changeable `data` that a spec reaches; `refused` are the errors met on the way.

    `names` are those that its code mentions, `any_name` says that getattr may ask for others,
    `any_hidden` that something else may.

    Data is kept by identity, with the name under which it was first reached.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.refused: list[tuple[EverystateError, bool]] = []
        self.data: dict[int, tuple[Any, Origin]] = {}
        self.codes: set[CodeType] = set()
        self.names: set[str] = set(IMPLICIT)
        self.any_name = self.any_hidden = False
        self._any_property = False
        self._names_of_libraries: set[str] = set()
        self._libraries: set[str] = set()
        self._classes: dict[type, Origin | None] = {}
        self._pending: list[tuple[Any, Origin]] = []
        self._seen: dict[int, Any] = {}
        self._functions: dict[tuple[int, bool], types.FunctionType] = {}
        self._known: dict[str, list[tuple[type, Any]]] = {}
        self._attributes: dict[str, list[tuple[Any, Origin]]] = {}
        self._explore()

    # -- the walk ------------------------------------------------------------------------------------------

    def _explore(self) -> None:
        for cls in (*type(self.spec).__mro__, *_classes(self.spec.domains.values())):
            self._add_class(cls, None)
        for name, value in _roots(self.spec):
            self._method(type(self.spec), name, value)
        given = ((n, v) for instance in self.spec.instances for n, v in instance.arguments)
        for name, value in (*self.spec.constants.items(), *given):
            self._value(value, Origin(_any_code(self.spec), name))
        for name in ("instances", "properties"):
            if name in self.names:
                self._kept(getattr(self.spec, name), Origin(_any_code(self.spec), name))
        self._drain()
        self._forgotten()

    def _drain(self) -> None:
        while self._pending:
            value, origin = self._pending.pop()
            self._reached(value, origin)

    def copy(self) -> Reach:
        """A reach that can be led further without this one."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict, set)):
                vars(other)[name] = copy.copy(value)
        other._known = {name: list(found) for name, found in self._known.items()}
        other._attributes = {name: list(found) for name, found in self._attributes.items()}
        return other

    def examine(self, code: CodeType, names: dict[str, Any]) -> list[EverystateError]:
        """Look at a function to which no name led, as if one had; what is refused in it."""
        before = len(self.refused)
        self._code(code, names, False, None)
        self._drain()
        return [error for error, _ in self.refused[before:]]

    def _add_class(self, cls: type, origin: Origin | None) -> None:
        if _foreign_library(cls):
            self._library(cls.__module__)
            if cls.__module__ == "reprlib":
                place = origin or Origin(_any_code(self.spec), cls.__name__)
                self._add(place.error("it asks for the class of a value, not for its text", "use repr()"), state=False)
            return
        if cls in self._classes:
            return
        self._classes[cls] = origin
        for name, value in vars(cls).items():
            if name == MARKED:
                continue
            special = name.startswith("__") and name.endswith("__") and not isinstance(value, SLOTS)
            if isinstance(value, (functools.cached_property, functools._lru_cache_wrapper)) and _stateful(cls):
                self._refuse_cache(cls, name, value)
            if _generated(cls, name, value):
                continue
            if name == "__dataclass_fields__":
                place = origin or Origin(_any_code(self.spec), cls.__name__)
                self._each((given for f in value.values() for given in (f.default, f.default_factory)), place)
            if name == "__match_args__":
                for attribute in value if isinstance(value, tuple) else ():
                    self._named(attribute)
            elif (special and (callable(value) or hasattr(value, "__get__"))) or self._may_be_asked_for(name, value):
                self._method(cls, name, value)
            else:
                self._known.setdefault(name, []).append((cls, value))
        if issubclass(cls, enum.Enum):
            for member in cls.__members__.values():
                place = origin or Origin(_any_code(self.spec), cls.__name__)
                self._value(member.value, place)
                self._fields(member, place)
        if isinstance(cls, abc.ABCMeta) and not isinstance(cls, Declaring):
            place = origin or Origin(_any_code(self.spec), cls.__name__)
            self._never("register", place.error("what it remembers is no part of the state", "derive from it", "E232"))
        for base in (*cls.__mro__[1:], type(cls)):
            self._add_class(base, origin)
        self.data.setdefault(id(cls), (cls, origin or Origin(_any_code(self.spec), cls.__name__)))

    def _may_be_asked_for(self, name: str, value: Any) -> bool:
        if name in self.names or name in self._names_of_libraries:
            return True
        if self.any_name and not name.startswith("__"):
            return True
        return self._any_property and not isinstance(value, FUNCTIONS)

    def _never(self, name: str, error: EverystateError) -> None:
        """Whoever mentions a name is refused."""
        if name in self.names:
            self._add(error, state=True)
        else:
            self._known.setdefault(name, []).append((type(self.spec), error))

    def _library(self, name: str) -> None:
        """Code of Python's library that was read: what it mentions it may ask of any object that it is given."""
        if name in self._libraries or name not in TRUSTED:
            return
        self._libraries.add(name)
        self._names_of_libraries |= bytecode.names_of_module(name)
        for mentioned in self._known.keys() & self._names_of_libraries:
            for cls, value in self._known.pop(mentioned):
                self._method(cls, mentioned, value)

    def _method(self, cls: type, name: str, value: Any) -> None:
        """A class attribute that is mentioned by its name."""
        function = value.wrapped if isinstance(value, Method) else value
        static = isinstance(function, staticmethod)
        function = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        if isinstance(function, property):
            for part in (function.fget, function.fset, function.fdel):
                self._method(cls, name, part)
        elif isinstance(function, types.FunctionType):
            bound = issubclass(cls, (Spec, Record)) and not static
            self._function(function, bound, self._classes.get(cls))
        elif isinstance(function, EverystateError):
            self._add(function, state=True)
        elif function is not None and not isinstance(function, WRAPPERS):  # __hash__ = int.__hash__
            self._pending.append((function, Origin(_any_code(self.spec), name)))

    def _function(self, function: types.FunctionType, method: bool = False, via: Origin | None = None) -> None:
        """`via` is where code of a library was reached from the spec."""
        code = function.__code__
        via = via if bytecode.of_library(code.co_filename) else None
        if (id(function), method) in self._functions or (id(function), False) in self._functions:
            return
        self._functions[id(function), method] = function
        if _of_its_module(function) and (is_ours(code.co_filename) or _trusted(code.co_filename)):
            self._library(function.__module__)
            if function.__name__ in EVALUATING:
                place = via or Origin(_any_code(self.spec), function.__name__)
                self._add(place.error("it evaluates texts", "name the types themselves"), state=False)
            # decorators of ours and of Python hold the function that they wrap
            for inner in map(contents, function.__closure__ or ()):
                if isinstance(inner, types.FunctionType) and inner.__code__.co_filename != "<string>":
                    self._function(inner, method, via)
                elif isinstance(inner, MAPPINGS) and not is_ours(code.co_filename):
                    # what is registered with a singledispatch
                    self._kept(inner, via or Origin(_any_code(self.spec), code.co_name))
                    self._each(inner.values(), via or Origin(_any_code(self.spec), code.co_name))
            return
        self._kept(vars(function), via or Origin(code, code.co_name))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._value(contents(cell), via or Origin(code, name))
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._value(value, via or Origin(code, code.co_name))
        self._code(code, function.__globals__, method, via)

    def _code(
        self, code: CodeType, names: dict[str, Any], method: bool, via: Origin | None, nested: bool = False
    ) -> None:
        self.codes.add(code)
        for lambdas in reader_texts.told_later(code, reader_texts.tellers(names)):
            for hazard in bytecode.changes(lambdas):
                self._hazard(lambdas, hazard, via)
        if code.co_name == "__del__":
            self._refuse_finalizer(code)
        for hazard in bytecode.hazards(code, nested, method):
            self._hazard(code, hazard, via)
        for name in code.co_names:
            if name.startswith("@"):
                continue  # of pytest, see bytecode.is_of_pytest
            self._named(name)
            found = names.get(name, getattr(builtins, name, None))
            if found is type and method and bytecode.asks_type_of_self(code, name):
                continue
            if name in names or hasattr(builtins, name):
                self._value(found, via or Origin(code, name), globally=(code, name))
        for name in bytecode.imports(code):
            self._imported(name, Origin(code, name), names, via)
        for line, name in bytecode.tested(code):
            self._tested(code, line, name, names.get(name))
        self._names_in_texts(code, names)
        for inner in reader_texts.executed_inside(code, reader_texts.tellers(names)):
            self._code(inner, names, False, via, nested=True)

    def _tested(self, code: CodeType, line: int, name: str, found: Any) -> None:
        """E219 for a tuple, or a function that was not called, where a condition is asked for."""
        if not name:
            value, remedy = "a tuple", "write the text of an assertion without brackets: assert condition, 'text'"
        elif isinstance(found, types.FunctionType) and found.__name__ == name:
            value, remedy = f"the function {name} (not called)", f"call it: {name}(...)"
        else:
            return
        self._add(EverystateError("E219", bytecode.place(code, line), value=value, remedy=remedy), state=True)

    def _forgotten(self) -> None:
        """E133 for a method that only looks like an action: it assigns variables, or requires, and nobody calls it."""
        mentioned = set(self.names)
        methods = {
            n: function_of(v) for cls in type(self.spec).__mro__ if _user_class(cls) for n, v in vars(cls).items()
        }
        functions = {n: f for n, f in methods.items() if isinstance(f, types.FunctionType)}
        for name, function in functions.items():
            mentioned |= bytecode.all_names(function.__code__) - {name}
        for name, function in functions.items():
            special = name.startswith("__") or name in ("variables", *self.spec._declared)
            if special or name in mentioned or self.any_name or not self._acts(function):
                continue
            facts = {"meant": "an action", "remedy": "write @action above it, call it, or remove it"}
            place = bytecode.place(function.__code__, function.__code__.co_firstlineno)
            error = EverystateError("E133", place, spec=type(self.spec).__name__, name=name, **facts)
            self._add(error, state=True)

    def _acts(self, function: types.FunctionType) -> bool:
        """Whether a method requires something, or assigns variables."""
        code, names = function.__code__, function.__globals__
        if any(names.get(n) in (require, choose) for n in code.co_names if n in ("require", "choose")):
            return True
        return not set(self.spec.domains).isdisjoint(bytecode.assigned_to_self(code))

    def _names_in_texts(self, code: CodeType, names: dict[str, Any]) -> None:
        """What getattr and its like may ask for by a text."""
        if not bytecode.asks_by_text(code):
            return
        for name in bytecode.texts(code):
            self._named(name)
        if bytecode.computes(code, bytecode.ASKED_FOR):
            self._any()
        if bytecode.computes(code, bytecode.MADE):
            self._any(hidden=True)
        if bytecode.computes(code, bytecode.FORMATS) and not self._any_property:
            self._any_property = self.any_hidden = True
            for name, found in list(self._known.items()):
                if any(self._may_be_asked_for(name, value) for _, value in found):
                    self._named(name)

    def _any(self, hidden: bool = False) -> None:
        """An attribute of any name may be asked for; `hidden` where getattr is not called by its name to do it."""
        self.any_hidden |= hidden
        if not self.any_name:
            self.any_name = True
            never = {"variables", *(d.name for d in self.spec.marked(marks.DISPLAY, marks.ASSUMPTION))}
            for name in [*self._known, *self._attributes]:
                if name not in never and not name.startswith("__"):  # these run before the search, or for a reader
                    self._named(name)

    def _imported(self, name: str, origin: Origin, names: dict[str, Any], via: Origin | None) -> None:
        """A module that a function imports itself, maybe before anybody else does."""
        package = names.get("__package__") or ""
        for candidate in {name, f"{package}.{name}".strip(".")} - {""}:
            if via is not None:
                self._value(sys.modules.get(candidate), via)
                continue
            with contextlib.suppress(ImportError):
                self._value(importlib.import_module(candidate), origin)

    def _named(self, name: str) -> None:
        """A name is mentioned: methods and values of that name may be reached on any object."""
        if name in self.names:
            return
        self.names.add(name)
        for cls, value in self._known.pop(name, ()):
            self._method(cls, name, value)
        for value, origin in self._attributes.pop(name, ()):
            self._value(value, origin)
        derived = vars(self.spec).get(name)
        if derived is not None and name not in OWN:
            self._value(derived, Origin(_any_code(self.spec), name))

    def _module(self, module: types.ModuleType, origin: Origin) -> None:
        """Whatever is asked of a module by a name that is mentioned anywhere."""
        if bytecode.is_of_pytest(getattr(module, "__file__", None) or ""):
            return
        if module.__name__ == "sys" and "modules" in self.names:
            self._add(origin.error("it leads to every module there is", "import what you need"), state=False)
        self._kept(vars(module), origin)
        if module.__name__.startswith(INTERNAL):
            self._add(origin.error("it belongs to how a spec is executed", "use the values themselves"), state=False)
            return
        for name, value in list(vars(module).items()):
            if name.startswith("__") and name != "__getattr__":
                continue
            if name == "__getattr__" or name in self.names or self.any_name:
                self._value(value, Origin(origin.code, name))
            else:
                self._attributes.setdefault(name, []).append((value, Origin(origin.code, name)))

    def _value(self, value: Any, origin: Origin, globally: tuple[CodeType, str] | None = None) -> None:
        if type(value) in SCALARS or id(value) in self._seen or (id(value), False) in self._functions:
            return
        if globally is not None and globally[1] not in bytecode.global_names(globally[0]):
            return
        self._pending.append((value, origin))

    # -- what is reached -----------------------------------------------------------------------------------

    def _reached(self, value: Any, origin: Origin) -> None:
        if id(value) in self._seen:
            return
        if isinstance(value, types.FunctionType) and value.__module__ not in DEPENDS:
            self._function(value, via=origin)
            if _trusted(value.__code__.co_filename) and _of_its_module(value):
                self._kept(vars(value), origin)
            else:
                self._fields(value, origin)
            return
        self._seen[id(value)] = value
        depends = DEPENDS.get(getattr(value, "__module__", None) or "")
        if depends is not None:
            self._add(origin.error(*depends, "E232"), state=True)
        elif isinstance(value, types.ModuleType):
            self._module(value, origin)
        elif issubclass(type(value), type):
            self._class(value, origin)
        elif isinstance(value, types.MethodType):
            self._value(value.__func__, origin)
            self._value(value.__self__, origin)
        elif isinstance(value, types.BuiltinFunctionType):
            self._builtin(value, origin)
        elif isinstance(value, (staticmethod, classmethod)):
            self._value(value.__func__, origin)
            self._fields(value, origin)
        elif isinstance(value, functools._lru_cache_wrapper):
            self._value(value.__wrapped__, origin)
            self._fields(value, origin)
            self._kept(Cached(value), origin)
            for name in ("cache_info", "cache_clear", "cache_parameters"):
                self._never(name, origin.error("what it remembers is no part of the state", *NO_CACHE))
        elif isinstance(value, WRAPPERS):
            self._add(origin.error("it goes round what values say of themselves", "use operators"), state=False)
        elif isinstance(value, types.CellType):
            self._kept(Slots(value, ("cell_contents",)), origin)
            self._value(contents(value), origin)
        elif isinstance(value, BaseException):
            self._kept(Slots(value, OF_EXCEPTIONS), origin)
            self._own(value, origin)
            self._each(value.args, origin)
        elif isinstance(value, (*MAPPINGS, *CONTAINERS)):
            self._kept(value, origin)
            self._each((*value.keys(), *value.values()) if isinstance(value, MAPPINGS) else value, origin)
            self._own(value, origin)
        elif isinstance(value, DATA):
            self._own(value, origin)
            if isinstance(value, HOLDING):
                self._each(gc.get_referents(value), origin)
            if isinstance(value, Fraction):
                self._kept(Slots(value, ("_numerator", "_denominator")), origin)
        elif value is not self.spec:
            self._instance(value, origin)

    def _own(self, value: Any, origin: Origin) -> None:
        """What an author added to a kind of values of Python: methods and fields."""
        if _user_class(type(value)):
            self._add_class(type(value), origin)
            self._fields(value, origin)

    def _fields(self, value: Any, origin: Origin) -> None:
        """The attributes that an object has itself."""
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            if not getattr(getattr(type(value), "__dataclass_params__", None), "frozen", False):
                self._kept(fields, origin)
            self._each(fields.values(), origin)
        slots = slots_of(value)
        if slots is not None:
            self._kept(slots, origin)
            self._each((part for _, part in slots.items()), origin)

    def _each(self, values: Iterable[Any], origin: Origin) -> None:
        for value in values:
            self._value(value, origin)

    def _kept(self, value: Any, origin: Origin) -> None:
        if not isinstance(value, (tuple, frozenset, types.MappingProxyType)):
            self.data.setdefault(id(value), (value, origin))

    def _class(self, cls: type, origin: Origin) -> None:
        if str(cls.__module__).startswith(INTERNAL):
            self._add(origin.error("it belongs to how a spec is executed", "use the values themselves"), state=False)
        if cls.__module__ == "builtins" and cls.__name__ in REFUSED:
            self._refuse(origin, cls.__name__)
        elif _user_class(cls):
            self._add_class(cls, origin)
        elif not _foreign_library(cls) and cls.__module__ not in COMPUTING and not issubclass(cls, DATA):
            self._machine_code(cls, origin)
        elif cls in ASKING and origin.name != cls.__name__:
            self._any(hidden=True)

    def _machine_code(self, found: Any, origin: Origin) -> None:
        reason = f"{found.__module__}.{found.__name__} is machine code, and what it does is not known"
        self._add(origin.error(reason, "compute with the state alone", "E232"), state=True)

    def _builtin(self, function: Any, origin: Origin) -> None:
        name = function.__name__
        owner = function.__self__
        if isinstance(owner, types.ModuleType) or owner is None:
            if name in REFUSED:
                self._refuse(origin, name)
            elif name == "print" and not reader_texts.shown_to_people():
                self._add(origin.error("sys.stdout is an object that sees what is printed", *NO_PRINT), state=True)
            elif name in bytecode.BY_TEXT and origin.name != name:
                self._any(hidden=True)
            elif function.__module__ not in COMPUTING:
                self._machine_code(function, origin)
        else:
            self._value(owner, origin)
            if name in bytecode.FORMATS and isinstance(owner, str):
                self.any_hidden = True
                for mentioned in bytecode.names_in(owner):
                    self._named(mentioned)

    def _instance(self, value: Any, origin: Origin) -> None:
        cls = type(value)
        if _has_state_in_c(cls) or isinstance(value, Spec):
            reason = f"it is a {cls.__name__}, whose state is no part of the state of the spec"
            self._add(origin.error(reason, "keep data in variables of the spec, and constants in tuples", "E232"), True)
            return
        if _foreign_library(cls):
            # objects in C hold functions that no attribute shows
            held = gc.get_referents(value)
            self._each(held, origin)
            if isinstance(value, ASKING):
                self._asked_for(held, origin)
            if isinstance(value, bytearray):
                self._kept(value, origin)
        self._add_class(cls, origin)
        self._fields(value, origin)

    def _asked_for(self, held: list[Any], origin: Origin) -> None:
        """The attributes that an attrgetter or methodcaller was made for."""
        for path in (part for value in held for part in (value if isinstance(value, tuple) else (value,))):
            for name in path.split(".") if isinstance(path, str) else ():
                self._named(name)
                for hazard in bytecode.loaded(origin.code, name, bytecode.line_of(origin.code, origin.name)):
                    self._hazard(origin.code, hazard, None)

    # -- refusals ------------------------------------------------------------------------------------------

    def _hazard(self, code: CodeType, hazard: Hazard, via: Origin | None) -> None:
        kind = "E232" if hazard.state else "E230"
        if via is not None:
            inside = f"{os.path.basename(code.co_filename)}:{hazard.line}"
            reason = f"it leads to {code.co_name} ({inside}), which has {hazard.expression}, and {hazard.reason}"
            self._add(via.error(reason, "compute it with operators and functions of your own", kind), hazard.state)
            return
        facts = {"expression": hazard.expression, "reason": hazard.reason, "remedy": hazard.remedy}
        self._add(EverystateError(kind, bytecode.place(code, hazard.line), **facts), hazard.state)

    def _refuse(self, origin: Origin, name: str) -> None:
        remedy = INSTEAD.get(name, "compute with the values themselves")
        outside = name in CHANGING
        self._add(origin.error(REFUSED[name], remedy, "E232" if outside else "E230"), outside)

    def _refuse_cache(self, cls: type, name: str, value: Any) -> None:
        wrapped = value.func if isinstance(value, functools.cached_property) else value.__wrapped__
        facts = {"expression": name, "reason": "what it remembers is no part of the state"}
        where = bytecode.place(wrapped.__code__, wrapped.__code__.co_firstlineno)
        remedy = "make it an ordinary method, or compute it in variables()"
        self._add(EverystateError("E232", where, **facts, remedy=remedy), state=True)

    def _refuse_finalizer(self, code: CodeType) -> None:
        facts = {"expression": "__del__", "reason": "when Python calls it depends on who still holds the object"}
        where = bytecode.place(code, code.co_firstlineno)
        self._add(EverystateError("E232", where, **facts, remedy="call an ordinary method where it is due"), state=True)

    def _add(self, error: EverystateError, state: bool) -> None:
        self.refused.append((error, state))


def _roots(spec: Spec) -> list[tuple[str, Any]]:
    """The methods that are executed while a spec is checked."""
    return [(d.name, d.method) for d in spec.marked(*EXECUTED)]


def _classes(domains: Iterable[Domain]) -> list[type]:
    """The classes of records and enum members of a state."""
    found: list[type] = []
    for domain in domains:
        inner = list(domain.fields.values()) if isinstance(domain, RecordDomain) else []
        inner += [domain.element] if hasattr(domain, "element") else []
        found += [domain.cls] if isinstance(domain, RecordDomain) else []
        found += [type(member) for member in domain.members] if isinstance(domain, Enum) else []
        found += [type(key) for key in domain.keys] if isinstance(domain, Map) else []
        found += _classes(inner)
    return list(dict.fromkeys(found))


def contents(cell: types.CellType) -> Any:
    """What an outer variable holds; None where it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def slots_of(value: Any) -> Slots | None:
    """The fields that an object of a class written in Python has besides its dictionary."""
    if issubclass(type(value), type):
        return None
    slots = [(cls, vars(cls).get("__slots__", ())) for cls in type(value).__mro__ if _user_class(cls)]
    named = [(cls, n) for cls, s in slots for n in ((s,) if isinstance(s, str) else s)]
    names = [_mangled(cls, n) for cls, n in named if n not in ("__dict__", "__weakref__")]
    return Slots(value, tuple(names)) if names else None


def _mangled(cls: type, name: str) -> str:
    """What Python makes of a private name in the body of a class."""
    return f"_{cls.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


def _module_file(cls: type) -> str:
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) or ""


def _foreign_library(cls: type) -> bool:
    """Whether a class is one of Python's own, of a module that was read, or of the checker."""
    return cls.__module__ in TRUSTED or cls.__module__ == "builtins" or is_ours(_module_file(cls))


def _user_class(cls: type) -> bool:
    """Whether a class was written in Python, outside of the checker."""
    heap, immutable = 1 << 9, 1 << 8
    return bool(cls.__flags__ & heap) and not cls.__flags__ & immutable and not _foreign_library(cls)


def _generated(cls: type, name: str, value: Any) -> bool:
    """Whether dataclasses wrote a method of a class: it has such a name, and mentions the fields only."""
    code = getattr(value, "__code__", None)
    if not isinstance(code, CodeType) or code.co_filename != "<string>" or name not in _WRITTEN:
        return False
    fields = {*vars(cls).get("__dataclass_fields__", ())}
    return bool(fields) and all(n in fields or n in _WORDS or n.startswith("__dataclass_") for n in code.co_names)


_WRITTEN = {f"__{name}__" for name in ["init", "repr", "eq", "lt", "le", "gt", "ge", "hash", "setattr", "delattr"]}
_WORDS = {
    "__class__",
    "__qualname__",
    "__setattr__",
    "__delattr__",
    "__post_init__",
    "NotImplemented",
    "object",
    "type",
}
_WORDS |= {"super", "cls", "hash", "repr", "FrozenInstanceError", "isinstance"}


def _of_its_module(function: types.FunctionType) -> bool:
    """Whether a function belongs to the module of its file, and was not made to look so."""
    module = sys.modules.get(str(function.__globals__.get("__name__")))
    made = getattr(module, "__file__", None) == function.__code__.co_filename
    return made and getattr(module, "__dict__", None) is function.__globals__


def _trusted(path: str) -> bool:
    return path in _TRUSTED_FILES or path in _newly_trusted() or bytecode.is_of_pytest(path)


_TRUSTED_FILES: set[str] = set()


def _newly_trusted() -> set[str]:
    """The files of TRUSTED; a module may be imported at any time."""
    for name in _UNSEEN & sys.modules.keys():
        _TRUSTED_FILES.add(getattr(sys.modules[name], "__file__", None) or "")
        _UNSEEN.discard(name)
    return _TRUSTED_FILES


_UNSEEN = set(TRUSTED)


def _has_state_in_c(cls: type) -> bool:
    """Whether objects of a class may hold more than Python shows: iterators, files, locks, random generators."""
    foreign = any(not (_user_class(base) or _foreign_library(base)) for base in cls.__mro__)
    foreign = foreign and cls.__module__ not in COMPUTING
    return foreign or (hasattr(cls, "__next__") and not _user_class(cls))


def _stateful(cls: type) -> bool:
    return issubclass(cls, (Spec, Record))


def _any_code(spec: Spec) -> CodeType:
    """A code object of a spec, for places that no other names."""
    return type(spec).variables.__code__
