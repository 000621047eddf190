"""What a spec can execute, and what data it can get hold of.

From its marked methods on, every name that the bytecode mentions is looked up: globals, outer variables, default
values, attributes of modules, and methods of the classes that are known, whatever object they are called on. So
too much is found rather than too little, and nothing is executed for it.
"""

from __future__ import annotations

import collections
import copy
import functools
import gc
import os
import re
import types
from collections.abc import Iterable
from fractions import Fraction
from types import CodeType
from typing import Any

from ..errors import EverystateError, file_of
from ..language.composite_domains import Map
from ..language.domains import Domain, Enum
from ..language.marks import Constant
from ..language.record import RecordDomain
from ..language.spec import Spec
from . import bytecode, reader_texts
from .containers import parts_of
from .executable_code import Mentioned
from .findings import Cached, Origin, Slots, any_code, contents
from .forgotten import forgotten
from .ownership import (
    fields_of,
    foreign_library,
    has_state_in_c,
    is_a,
    kept_from_specs,
    of_its_module,
    trusted,
    user_class,
)
from .policy import (
    ASKING,
    COMPUTING,
    CONTAINERS,
    DATA,
    DEPENDS,
    EVALUATED,
    EVALUATES,
    EVALUATING,
    EXECUTED,
    HOLDING,
    IMPLICIT,
    INTERNAL,
    MAPPINGS,
    NO_CACHE,
    NO_PRINT,
    OF_EXCEPTIONS,
    REFUSED,
    UNORDERED,
    WRAPPERS,
)


class Reach(Mentioned):
    """The `codes` and the changeable `data` that a spec reaches; `refused` are the errors met on the way.

    `names` are those that its code mentions, `any_name` says that getattr may ask for others,
    `any_hidden` that something else may.

    Data is kept by identity, with the name under which it was first reached.
    """

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._explore()

    def _explore(self) -> None:
        for cls in (*type(self.spec).__mro__, *classes_of(self.spec.domains.values())):
            self._add_class(cls, None)
        for name, value in _roots(self.spec):
            self._method(type(self.spec), name, value)
        given = [pair for instance in self.spec.instances for pair in instance.arguments]
        given += [pair for prop in self.spec.properties for pair in prop.arguments]
        for name, value in (*self.spec.constants.items(), *given):
            self._value(value, Origin(any_code(self.spec), name))
        for name in ("instances", "properties"):
            if name in self.names:
                self._kept(getattr(self.spec, name), Origin(any_code(self.spec), name))
        self._drain()
        self._check_forgotten()

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

    def _check_forgotten(self) -> None:
        """E133 for a method that only looks like an action; where any name may be asked for, nobody knows who is."""
        mentioned = (self.names - {*IMPLICIT}).union(*(code.co_names for code in self.codes))
        for error in () if self.any_name else forgotten(self.spec, mentioned):
            self._add(error, state=True)

    def _module(self, module: types.ModuleType, origin: Origin) -> None:
        """Whatever is asked of a module by a name that is mentioned anywhere."""
        path = file_of(module)
        if bytecode.is_of_pytest(path) and path.endswith(f"{module.__name__.replace('.', os.sep)}.py"):
            return
        if module.__name__ == "sys" and "modules" in self.names:
            self._add(origin.error("it leads to every module there is", "import what you need"), state=False)
        self._kept(vars(module), origin)
        if module.__name__.startswith(INTERNAL):
            self._add(origin.error(*_OF_OURS), state=False)
            return
        for name, value in list(vars(module).items()):
            if name.startswith("__") and name != "__getattr__":
                continue
            if name == "__getattr__" or name in self.names or self.any_name:
                self._value(value, Origin(origin.code, name))
            else:
                self._attributes.setdefault(name, []).append((value, Origin(origin.code, name)))

    def _reached(self, value: Any, origin: Origin) -> None:
        if id(value) in self._seen:
            return
        if is_a(value, types.FunctionType) and value.__module__ not in DEPENDS:
            if kept_from_specs(value):
                self._add(origin.error(*_OF_OURS), state=False)
            self._function(value, via=origin)
            if value in (functools.cache, functools.lru_cache):
                self._never_asked(origin)
            if trusted(value.__code__) and of_its_module(value):
                self._kept(vars(value), origin)
            else:
                self._fields(value, origin)
            return
        self._seen[id(value)] = value
        if is_a(value, *UNORDERED):
            self.unordered.append((value, origin))
        depends = None if is_a(value, re.Pattern) else DEPENDS.get(getattr(value, "__module__", None) or "")
        if depends is not None:
            self._add(origin.error(*depends, "E232"), state=True)
        elif is_a(value, types.ModuleType):
            self._module(value, origin)
        elif issubclass(type(value), type):
            self._class(value, origin)
        elif is_a(value, types.MethodType):
            self._value(value.__func__, origin)
            self._value(value.__self__, origin)
        elif is_a(value, types.BuiltinFunctionType):
            self._builtin(value, origin)
        elif is_a(value, staticmethod, classmethod):
            self._value(value.__func__, origin)
            self._fields(value, origin)
        elif is_a(value, functools._lru_cache_wrapper):
            self._kept(vars(value), origin)  # functools puts a function of its own there, which nobody may name
            self._each((part for name, part in vars(value).items() if name != "cache_parameters"), origin)
            self._kept(Cached(value), origin)
            self._never_asked(origin)
        elif is_a(value, *WRAPPERS):
            self._add(origin.error("it goes round what values say of themselves", "use operators"), state=False)
        elif is_a(value, types.CellType):
            self._kept(Slots(value, ("cell_contents",)), origin)
            self._value(contents(value), origin)
        elif is_a(value, BaseException):
            self._kept(Slots(value, OF_EXCEPTIONS), origin)
            self._own(value, origin)
            self._each(value.args, origin)
        elif is_a(value, *MAPPINGS, *CONTAINERS):
            self._kept(value, origin)
            self._each(parts_of(value), origin)
            if is_a(value, collections.defaultdict):
                self._value(value.default_factory, origin)
            self._own(value, origin)
        elif is_a(value, *EVALUATED):
            for name in EVALUATING:
                self._never(name, origin.error(*EVALUATES))
        elif is_a(value, *DATA):
            self._own(value, origin)
            if is_a(value, *HOLDING):
                self._each(gc.get_referents(value), origin)
            if is_a(value, Fraction):
                self._kept(Slots(value, ("_numerator", "_denominator")), origin)
            if is_a(value, Domain, Constant):
                self._kept(fields_of(value), origin)
        elif value is not self.spec:
            self._instance(value, origin)

    def _never_asked(self, origin: Origin) -> None:
        """E232 for who asks a cache how often it was called."""
        for name in ("cache_info", "cache_clear", "cache_parameters"):
            self._never(name, origin.error("what it remembers is no part of the state", *NO_CACHE))

    def _own(self, value: Any, origin: Origin) -> None:
        """What an author added to a kind of values of Python: methods and fields."""
        if user_class(type(value)):
            self._add_class(type(value), origin)
            self._fields(value, origin)

    def _class(self, cls: type, origin: Origin) -> None:
        if str(cls.__module__).startswith(INTERNAL):
            self._add(origin.error(*_OF_OURS), state=False)
        if cls.__module__ == "builtins" and cls.__name__ in REFUSED:
            self._refuse(origin, cls.__name__)
        elif user_class(cls):
            self._add_class(cls, origin)
        elif not foreign_library(cls) and cls.__module__ not in COMPUTING and not issubclass(cls, DATA):
            self._machine_code(cls, origin)
        else:
            self._keep_class(cls, origin)
            if cls in ASKING and origin.name != cls.__name__:
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
        if isinstance(value, functools.singledispatchmethod) and "_method_cache" in vars(value):
            # As where an object cannot be a key. Since Python 3.12 it gives equal objects the method of the first.
            vars(value)["_method_cache"] = None
        if has_state_in_c(cls) or is_a(value, Spec):
            reason = f"it is a {cls.__name__}, whose state is no part of the state of the spec"
            remedy = "keep data in variables of the spec, and constants in tuples"
            if hasattr(cls, "__index__"):
                reason = f"it is a {cls.__name__}, which is no number of Python's own"
                remedy = f"write int({origin.name}) where the spec begins"
            self._add(origin.error(reason, remedy, "E232"), True)
            return
        if foreign_library(cls):
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


_OF_OURS = ("it belongs to how a spec is executed", "use the values themselves")


def _roots(spec: Spec) -> list[tuple[str, Any]]:
    """The methods that are executed while a spec is checked."""
    return [(d.name, d.method) for d in spec.marked(*EXECUTED)]


def classes_of(domains: Iterable[Domain]) -> list[type]:
    """The classes of records and enum members of a state."""
    found: list[type] = []
    for domain in domains:
        inner = list(domain.fields.values()) if isinstance(domain, RecordDomain) else []
        inner += [domain.element] if hasattr(domain, "element") else []
        found += [domain.cls] if isinstance(domain, RecordDomain) else []
        found += [type(member) for member in domain.members] if isinstance(domain, Enum) else []
        found += [type(key) for key in domain.keys] if isinstance(domain, Map) else []
        found += classes_of(inner)
    return list(dict.fromkeys(found))
