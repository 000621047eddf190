"""The code that a spec can execute: functions, the names that they mention, and the methods of these names."""

from __future__ import annotations

import abc
import builtins
import contextlib
import enum
import functools
import importlib.util
import itertools
import sys
import types
import typing
from types import CodeType
from typing import Any

from ..errors import EverystateError, is_ours
from ..language import marks
from ..language.declarations import Declaring
from ..language.marks import MARKED
from ..language.methods import Method, function_of
from ..language.record import Record
from ..language.spec import Spec
from . import bytecode, reader_texts
from .findings import Met, Origin, any_code, contents
from .ownership import MISSING, foreign_library, generated, module_of, mro_of, of_its_module, stateful, trusted, vars_of
from .policy import EVALUATES, EVALUATING, FUNCTIONS, LAZY, MAPPINGS, OWN, SLOTS, TRUSTED, UNLIKE, WRAPPERS

_OF_GENERIC = {
    id(getattr(typing, "_generic_class_getitem", typing.Generic)),
    id(function_of(vars(typing.Generic)["__class_getitem__"])),
}
"""What Python makes of `P[int]`; a generic NamedTuple has it as if it were its own."""


class Mentioned(Met):
    """Led on by names; what they stand for that is no function is left pending."""

    def _add_class(self, cls: type, origin: Origin | None) -> None:
        if foreign_library(cls):
            self._keep_class(cls, origin)
            self._library(module_of(cls))
            if cls.__module__ == "reprlib":
                place = origin or Origin(any_code(self.spec), cls.__name__)
                self._add(place.error("it asks for the class of a value, not for its text", "use repr()"), state=False)
            return
        if cls in self._classes:
            return
        self._classes[cls] = origin
        for name, value in vars_of(cls).items():
            if name in (MARKED, *LAZY) or (name == "__class_getitem__" and id(function_of(value)) in _OF_GENERIC):
                continue
            special = name.startswith("__") and name.endswith("__") and not isinstance(value, SLOTS)
            if isinstance(value, (functools.cached_property, functools._lru_cache_wrapper)) and stateful(cls):
                self._refuse_cache(cls, name, value)
            if generated(cls, name, value):
                for attribute in {*value.__code__.co_names} - {"hash"} if name == "__hash__" else ():
                    self._named(attribute)
                continue
            if name == "_value2member_map_" and issubclass(cls, enum.Flag):
                continue  # Python adds R | W when it is first made; code of the author's that asks is refused
            if name == "__dataclass_fields__":
                place = origin or Origin(any_code(self.spec), cls.__name__)
                self._each((given for f in value.values() for given in (f.default, f.default_factory)), place)
            if name == "__match_args__":
                for attribute in value if isinstance(value, tuple) else ():
                    self._named(attribute)
            elif (special and (callable(value) or hasattr(value, "__get__"))) or self._may_be_asked_for(name, value):
                self._method(cls, name, value)
            else:
                self._known.setdefault(name, []).append((cls, value))
        if issubclass(cls, enum.Flag):
            for flag in list(cls._value2member_map_.values()):
                if isinstance(flag, enum.Flag):
                    enum.Flag.__invert__(flag)  # which it remembers, as R | W in the map
        if issubclass(cls, enum.Enum):
            for member in cls.__members__.values():
                place = origin or Origin(any_code(self.spec), cls.__name__)
                self._value(member.value, place)
                self._fields(member, place)
        self._asked_of_classes(cls, origin)
        if isinstance(cls, abc.ABCMeta) and not isinstance(cls, Declaring):
            place = origin or Origin(any_code(self.spec), cls.__name__)
            remedy = "derive from the class, in place of register()"
            self._never("register", place.error("what it remembers is no part of the state", remedy, "E232"))
        for base in (*mro_of(cls)[1:], type(cls)):
            self._add_class(base, origin)
        self._keep_class(cls, origin)

    def _keep_class(self, cls: type, origin: Origin | None) -> None:
        """A class may be given other attributes, whoever it is of."""
        self.data.setdefault(id(cls), (cls, origin or Origin(any_code(self.spec), cls.__name__)))

    def _asked_of_classes(self, cls: type, origin: Origin | None) -> None:
        """E230 for a class that would look at the class of a symbol when isinstance(...) asks it."""
        place = origin or Origin(any_code(self.spec), cls.__name__)
        for name in ("__subclasshook__", "__subclasscheck__"):
            hook = function_of(vars(cls).get(name))
            read = isinstance(hook, types.FunctionType) and of_its_module(hook) and trusted(hook.__code__)
            if hook is not None and not read:
                reason = f"its {name} looks at the class of a value, which is another one while it is traced"
                self._add(place.error(reason, "use isinstance() with the classes themselves"), state=False)
        if vars(cls).get("_is_runtime_protocol"):
            asked = (vars(cls).get(name, ()) for name in ("__annotations__", "__protocol_attrs__"))
            members = {*vars(cls), *itertools.chain.from_iterable(asked)} - {"_abc_impl", "__orig_bases__"}
            private = {n for n in members if n.startswith("_") and not n.startswith(("__", "_is_"))}
            for name in sorted(members & UNLIKE | private)[:1]:
                reason = f"it asks whether there is a {name}, and symbols differ in that from values"
                self._add(place.error(reason, "use isinstance() with the classes themselves"), state=False)

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
        for mentioned in sorted(self._known.keys() & self._names_of_libraries):
            found = self._known.pop(mentioned, ())  # one may have led to another
            refused = [each for each in found if isinstance(each[1], EverystateError)]
            if refused:
                self._known[mentioned] = refused  # to the author of a spec, not to Python's library
            for cls, value in found:
                if not isinstance(value, EverystateError):
                    self._method(cls, mentioned, value)

    def _method(self, cls: type, name: str, value: Any) -> None:
        """A class attribute that is mentioned by its name."""
        function = value.wrapped if isinstance(value, Method) else value
        static = isinstance(function, staticmethod)
        function = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        if isinstance(function, property):
            for part in (function.fget, function.fset, function.fdel):
                self._method(cls, name, part)
        elif isinstance(function, functools.cached_property):  # of a helper's: what it keeps is held by the object
            self._method(cls, name, function.func)
        elif isinstance(function, types.FunctionType):
            bound = issubclass(cls, (Spec, Record)) and not static
            self._function(function, bound, self._classes.get(cls))
        elif isinstance(function, EverystateError):
            self._add(function, state=True)
        elif function is not None and not isinstance(function, WRAPPERS):  # __hash__ = int.__hash__
            self._pending.append((function, Origin(any_code(self.spec), name)))

    def _function(self, function: types.FunctionType, method: bool = False, via: Origin | None = None) -> None:
        """`via` is where code of a library was reached from the spec."""
        code = function.__code__
        via = via if bytecode.of_library(code.co_filename) else None
        if (id(function), method) in self._functions or (id(function), False) in self._functions:
            return
        self._functions[id(function), method] = function
        if of_its_module(function) and trusted(code):
            self._library(function.__module__)
            if function.__name__ in EVALUATING:
                place = via or Origin(any_code(self.spec), function.__name__)
                self._add(place.error(*EVALUATES), state=False)
            # decorators of ours and of Python hold the function that they wrap
            for inner in map(contents, function.__closure__ or ()):
                if isinstance(inner, types.FunctionType) and inner.__code__.co_filename != "<string>":
                    self._function(inner, method, via)
                elif isinstance(inner, MAPPINGS) and not is_ours(code.co_filename):
                    # what is registered with a singledispatch
                    self._kept(inner, via or Origin(any_code(self.spec), code.co_name))
                    self._each(inner.values(), via or Origin(any_code(self.spec), code.co_name))
            return
        if _has_other_builtins(function):
            place = via or Origin(code, code.co_name)
            self._add(place.error("its module has __builtins__ of its own", "give functions other names"), state=True)
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
        tellers = reader_texts.tellers(names)
        for lambdas in reader_texts.told_later(code, tellers):
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
            found = names[name] if name in names else _of_builtins(name)
            if found is type and method and bytecode.asks_type_of_self(code, name):
                continue
            if found is not MISSING:
                self._value(found, via or Origin(code, name), globally=(code, name))
        for name, taken in bytecode.imports(code):
            self._imported(name, taken, Origin(code, name.lstrip(".")), str(names.get("__package__") or ""), via)
        for line, name in bytecode.tested(code):
            self._tested(code, line, name, names.get(name))
        self._names_in_texts(code, names)
        for inner in reader_texts.executed_inside(code, tellers):
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
            self._value(derived, Origin(any_code(self.spec), name))

    def _imported(self, name: str, taken: tuple[str, ...], origin: Origin, package: str, via: Origin | None) -> None:
        """A module that a function imports itself, maybe before anybody else does; failing, it tells itself."""
        full = name
        with contextlib.suppress(Exception):
            full = importlib.util.resolve_name(name, package)
            if via is None:
                importlib.__import__(full, fromlist=taken)
        for module in (full, *(f"{full}.{part}" for part in taken)):
            self._value(sys.modules.get(module), via or origin)


def _of_builtins(name: str) -> Any:
    """What Python's own module has under a name; only special names does a module have besides those that it holds."""
    found = vars(builtins).get(name, MISSING)
    return getattr(builtins, name, MISSING) if found is MISSING and name.startswith("__") else found


def _has_other_builtins(function: types.FunctionType) -> bool:
    """Whether a name of Python's own is something else in a function; collections.namedtuple writes one without any."""
    own: Any = getattr(function, "__builtins__", None)
    plain = vars(builtins)
    if own is plain or not isinstance(own, dict):
        return False
    names = bytecode.all_names(function.__code__) - function.__globals__.keys()
    return any(own.get(name) is not plain.get(name) for name in names)
