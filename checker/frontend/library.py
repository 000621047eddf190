"""Classes and functions that are not the author's: those of Python and its library, called on values or refused."""

from __future__ import annotations

import collections
import enum
import functools
import logging
import sysconfig
import types
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..errors import EverystateError, is_ours
from ..ir.collection import View
from ..ir.maps import SymMap
from ..ir.optional import OptionalValue
from ..ir.symbols import Number
from ..language import domains
from ..language.methods import function_of
from ..language.record import Record
from ..language.spec import Spec
from .conditional_elements import ConditionalElements, Generator, Text
from .parts import Part
from .set_operations import SET_METHODS

LIBRARY = sysconfig.get_paths()["stdlib"]
PURE_MODULES = (
    *("math", "cmath", "operator", "_operator", "itertools", "functools", "_functools", "collections", "_collections"),
    *("collections.abc", "string", "fractions", "decimal", "re", "copy", "dataclasses", "enum", "typing"),
    *("statistics", "bisect", "_bisect", "heapq", "_heapq", "textwrap", "numbers", "contextlib", "abc", "_abc"),
)
"""Modules of Python's library whose functions only compute."""
BY_VALUE = ("math", "cmath", "fractions", "decimal", "re", "statistics", "string", "textwrap")
"""Those of them whose functions need values that do not depend on the state."""
SIZED, SIZES = ("itertools", "collections"), ("repeat", "times", "maxlen")
"""Modules whose classes take sizes behind the first argument, and names of sizes: C code wants numbers of its own."""
PURE = {
    *(bool, int, float, str, repr, format, ascii, chr, ord, hash, divmod, pow, round, callable, bytes, complex),
    *(bin, hex, oct, frozenset, slice, object, property, staticmethod, classmethod, BaseException),
    logging.getLogger,
}
WRITING = {
    list: "append extend insert pop remove clear sort reverse",
    dict: "update pop popitem clear setdefault",
    set: "add discard remove update clear pop difference_update intersection_update symmetric_difference_update",
    collections.deque: "append appendleft extend extendleft pop popleft remove clear insert rotate reverse",
}
"""The methods by which a container of Python is changed."""
UNBOUND = {f"__{name}__" for name in ("setitem", "delitem", "setattr", "delattr", "init", "iadd", "imul", "ior")}
"""More of them, which a class has and no author calls but as `list.__setitem__(...)`."""


UNDETERMINED = {
    *("random", "_random", "secrets", "time", "datetime", "uuid", "os", "posix", "socket", "subprocess", "threading")
}
"""Modules whose functions may have another result when they are called again: a spec that calls them has no verdict."""


Special = Callable[..., Any]


class Library(Part):
    """The calls of Python's classes and of functions in C, in the lifted code of one tracer."""

    def plain_parts(self, value: Any) -> Any:
        """The elements of a generator or a view as a list, in which None and values are apart.

        A list with conditional elements stays one list, which a function may change.
        """
        if isinstance(value, (ConditionalElements, Generator, View, OptionalValue, Text)) and not isinstance(
            value, SymMap
        ):
            if isinstance(value, (OptionalValue, Text)):
                return self.plain(value)
            parts = self.plain(value) if type(value) is ConditionalElements else list(self.iterate(value))
            optional = any(type(part) is OptionalValue for part in parts)
            return [self.operand(part) for part in parts] if optional else parts
        return value

    def live_parts(self, value: Any) -> Any:
        """The elements as an iterator that sees each change, and takes none before it is wanted."""
        if isinstance(value, (View, Generator)) and not isinstance(value, SymMap):
            return (self.operand(part) if type(part) is OptionalValue else part for part in self.iterate(value))
        return self.plain_parts(value)

    def deeply_plain(self, value: Any) -> Any:
        """A value of Python in which no part depends on the state; the path splits on all parts."""
        value = self.plain(self.plain_parts(value))
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(map(self.deeply_plain, value))
        if type(value) is dict:
            return {self.deeply_plain(k): self.deeply_plain(v) for k, v in value.items()}
        return value

    # -- classes -------------------------------------------------------------------------------------------

    def made_by(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(cls, enum.EnumMeta):
            return self._enum(cls, args, kwargs)
        if issubclass(cls, BaseException):
            caught = self.branching.splitting
            return cls(*[a if caught or not self.depends(a) else "…" for a in args], **kwargs)
        if issubclass(cls, Record):
            init = _special(cls, "__init__")
            if init is None:
                return self.own(cls(*map(self.stored, args), **{n: self.stored(v) for n, v in kwargs.items()}))
        if issubclass(cls, domains.Domain):
            return cls(*map(self.plain, args), **kwargs)
        if cls.__module__ == "builtins" or cls in PURE:
            if cls not in PURE:
                raise self.unknown(cls)
            return cls(*map(self.plain, args), **kwargs)
        init = _special(cls, "__init__")
        if init is not None and _special(cls, "__new__") is None:
            made = cls.__new__(cls)
            self.own(made)
            self.call(init, made, *args, **kwargs)
            return made
        if cls.__module__ in PURE_MODULES:
            live = self.live_parts if cls.__module__ == "itertools" else self.plain_parts
            plain = self.deeply_plain if cls.__module__ in BY_VALUE else live
            sized = cls.__module__ in SIZED
            parts = [self.plain(a) if sized and i and isinstance(a, Number) else plain(a) for i, a in enumerate(args)]
            named = {n: self.plain(v) if n in SIZES else live(v) for n, v in kwargs.items()}
            return self.made(cls(*parts, **named), own=True)
        made = self.own(cls(*args, **kwargs))
        given = {id(arg) for arg in (*args, *kwargs.values())}
        for part in list(getattr(made, "__dict__", {}).values()):
            if type(part) in (list, set, dict) and id(part) not in given:
                self.own(part)  # the default of a dataclass
        return made

    def _enum(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 1 or not self.depends(args[0]):
            return cls(*args, **kwargs)
        if issubclass(cls, enum.Flag):
            return cls(self.plain(args[0]))
        pairs = [(self.truth(self.eq(args[0], member.value)), member) for member in cls]
        self.checked(self.pool.or_([t for t, _ in pairs]), lambda: ValueError(f"no valid {cls.__name__}"))
        return self.one_of(pairs)

    # -- functions in C ------------------------------------------------------------------------------------

    def built_in(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        receiver = getattr(function, "__self__", None)
        if args and isinstance(args[0], (View, Spec)) and _writes_in_c(function):
            reason = "in plain Python it writes to the state unseen, without regard to the domain"
            raise self.refused(f"{function.__qualname__}(...)", reason, "change a copy, list(...), and assign it")
        if receiver is None or isinstance(receiver, types.ModuleType):
            if function in PURE or getattr(function, "__module__", None) in PURE_MODULES:
                return self.of_library(function, args, kwargs)
            if type(function) is types.MethodDescriptorType and args:  # str.upper(s)
                return self.call(getattr(args[0], function.__name__), *args[1:], **kwargs)
            raise self.unknown(function)
        name, kind = function.__name__, type(receiver)
        if issubclass(kind, set) and self.one_by_one(name, receiver, args):
            return None
        if issubclass(kind, (set, frozenset)) and name in SET_METHODS and args and self.depends(args):
            return self.set_method(name, receiver, args)
        method = getattr(self, f"{kind.__name__}_{name}", None)
        if method is not None and kind in (list, tuple, dict, set, frozenset, str, range):
            return method(receiver, *args, **kwargs)
        for base, writing in WRITING.items():
            if isinstance(receiver, base) and name in writing.split():
                self.writes(receiver)
        if isinstance(receiver, (list, dict)):
            args = tuple(map(self.plain_parts, args))
            if isinstance(receiver, dict) and args:
                args = (self.key(args[0]), *args[1:])
            made = function(*args, **kwargs)
        elif isinstance(receiver, (set, frozenset)):
            known = self.key if name in ("add", "discard", "remove") else self._keys
            made = function(*map(known, args), **kwargs)
        elif isinstance(receiver, (str, int, float, tuple, collections.deque, range, bytes)):
            made = function(*map(self._for_python, args), **kwargs)
        elif receiver is object or isinstance(receiver, type):
            if receiver is dict and name == "fromkeys":
                made = function(*map(self._for_python, args), **kwargs)
            elif getattr(receiver, "__module__", "") in PURE_MODULES or issubclass(receiver, (tuple, enum.Enum, int)):
                made = function(*args, **kwargs)
            else:
                raise self.unknown(function)
        elif isinstance(receiver, (types.GeneratorType,)):
            raise self.unknown(function)
        elif type(receiver).__module__ in PURE_MODULES or name.startswith("__"):
            made = function(*map(self.plain_parts, args), **kwargs)
        else:
            raise self.unknown(function)
        return self.made(made)

    def of_library(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function of Python's library returns; the functions that it gets call lifted ones."""
        plain = self.deeply_plain if function.__module__ in BY_VALUE else self.plain_parts
        return self.made(function(*map(plain, args), **{n: self._function(v) for n, v in kwargs.items()}))

    def made(self, value: Any, own: bool = False) -> Any:
        """What a function of Python's library has made: collections and iterators are new."""
        if hasattr(type(value), "__next__"):
            return self.lazy(value)
        if type(value) is tuple:
            for part in value:
                if hasattr(type(part), "__next__") and not isinstance(part, Generator):
                    self.lazy(part)
        return self.own(value) if own or type(value) in (list, set, dict) else value

    def _for_python(self, value: Any) -> Any:
        if isinstance(value, (ConditionalElements, Generator, View)):
            return [self.plain(v) for v in self.iterate(value)]
        if type(value) in (list, tuple) and self.depends(value):
            return type(value)(map(self.plain, value))
        return self.plain(value)

    def _keys(self, values: Any) -> Any:
        """The elements of anything, as a set of Python can hold them."""
        return values if type(values) in (set, frozenset) else [self.key(value) for value in self.iterate(values)]

    def _function(self, value: Any) -> Any:
        """A function that Python calls: it calls the lifted one."""
        if callable(value) and not isinstance(value, type):
            return lambda *args, **kwargs: self.call(value, *args, **kwargs)
        return value

    def special(self, value: Any, name: str) -> Special | None:
        """The special method that an author has written for a class."""
        return _special(type(value), name)  # type: ignore[arg-type]

    def unknown(self, function: Any) -> EverystateError:
        name = getattr(function, "__qualname__", None) or repr(function)
        reason = "it is no function of yours, and none that the compiler knows"
        remedy = "write in Python what it does; for chance, time, input use choose(...), which tries all, or a Constant"
        return self.refused(f"{name}(...)", reason, remedy, limit=_module_of(function) not in UNDETERMINED)


def _writes_in_c(function: Any) -> bool:
    """Whether a function in C changes its first argument without calling its methods: heapq's, and those of classes."""
    if type(function) in (types.MethodDescriptorType, types.WrapperDescriptorType):
        return function.__name__ in UNBOUND or any(function.__name__ in names.split() for names in WRITING.values())
    return getattr(function, "__module__", "") == "_heapq"


def _module_of(function: Any) -> str:
    """The name of the module that defines a function or the class of its object."""
    owner = getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    name = getattr(function, "__module__", None) or (kind.__module__ if owner is not None else "")
    return str(name).partition(".")[0]


@functools.lru_cache(maxsize=4096)
def _special(kind: type, name: str) -> Special | None:
    if kind.__module__ == "builtins" or kind.__module__.startswith("everystate.checker."):
        return None
    for base in kind.__mro__:
        if name in vars(base):
            found = function_of(vars(base)[name])
            plain = type(found) is FunctionType and not is_ours(found.__code__.co_filename)
            return found if plain and not found.__code__.co_filename.startswith(("<", LIBRARY)) else None
    return None
