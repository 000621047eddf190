"""State outside of the state: data that a spec changes where no engine sees it.

What a spec can get hold of besides its variables (lists and dictionaries of a module, attributes of classes and of
objects of its own) is compared before and after it was executed.
"""

from __future__ import annotations

import collections
import functools
import operator
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import EverystateError, is_ours, user_place
from ..language.methods import Bound, Method, function_of
from ..language.spec import Spec
from . import bytecode
from .policy import OF_EXCEPTIONS
from .reach import Origin, Reach, Slots, contents, slots_of


def examine(spec: Spec, symbols: bool) -> Outside:
    """Refuse what cannot be checked soundly; raises E230 or E232 at the first line that does it.

    `symbols` says whether the spec is about to be traced. Without, only what keeps state outside of the state is
    refused, since plain Python decides everything else exactly.
    """
    reach = Reach(spec)
    for error, state in sorted(reach.refused, key=lambda found: not found[1]):
        if state or symbols:
            raise error
    return Outside(reach)


class Read:
    """What functions that are executed once for every path, and merged, were given or hold; they must only read it."""

    def __init__(self, spec: Spec, parts: tuple[Any, ...]) -> None:
        self._held: list[tuple[Any, list[Any]]] = []
        self._seen: set[int] = {id(spec)}
        for part in parts:
            self._add(part)

    def check(self) -> None:
        """E233 when something has changed since."""
        for value, before in self._held:
            if not _same(before, _content(value)):
                raise EverystateError("E233", user_place(), kind=_in_words(value))

    def _add(self, value: Any) -> None:
        cls = type(value)
        if cls in _UNCHANGING or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if cls is types.FunctionType:
            self._function(value)
        elif cls in (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType):
            self._add(value.__self__)
        elif cls is Bound:
            self._add(value._method)
        elif cls is functools.partial:
            self._add((value.func, value.args, value.keywords))
        elif issubclass(cls, type):
            for base in value.__mro__:
                if "<locals>" in base.__qualname__:
                    self._hold(base)
        elif cls.__module__.startswith(_CHECKER) or isinstance(value, Spec):
            return
        elif isinstance(value, (staticmethod, classmethod, property)):
            self._add(function_of(value))
        elif isinstance(value, Method):
            self._add(value.wrapped)
        elif isinstance(value, types.ModuleType):
            if value.__name__ not in sys.modules:
                self._hold(vars(value))
        elif isinstance(value, Iterator):
            raise EverystateError("E233", user_place(), kind="an iterator, which can be read once only")
        else:
            self._fields(value)

    def _function(self, value: types.FunctionType) -> None:
        if value.__closure__ and not is_ours(value.__code__.co_filename):
            self._hold(Cells(value.__closure__))
        for part in (value.__defaults__, value.__kwdefaults__, value.__dict__):
            if part:
                self._hold(part)

    def _fields(self, value: Any) -> None:
        """What an object holds: as a collection, in its dictionary, in its slots and in its class."""
        if "<locals>" in type(value).__qualname__:
            self._add(type(value))
        if isinstance(value, BaseException):
            self._hold(Slots(value, OF_EXCEPTIONS))
        elif isinstance(value, Fraction):
            self._hold(Slots(value, ("_numerator", "_denominator")))
        elif isinstance(value, types.CellType):
            self._hold(Cells((value,)))
        elif isinstance(value, collections.defaultdict):
            self._add(value.default_factory)
        if isinstance(value, (list, tuple, set, frozenset, dict, collections.deque, bytearray)):
            self._hold(value)
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict) and fields and "_binding" not in fields:
            self._hold(fields)
        slots = slots_of(value)
        if slots is not None:
            self._hold(slots)

    def _hold(self, value: Any) -> None:
        content = _content(value)
        self._held.append((value, content))
        for part in content:
            self._add(part)


@dataclass(frozen=True)
class Cells:
    """The outer variables of a function."""

    cells: tuple[types.CellType, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter([contents(cell) for cell in self.cells])


_UNCHANGING = {int, float, complex, str, bytes, bool, type(None), range}
_CHECKER = __name__.partition("border")[0]


def _in_words(value: Any) -> str:
    if isinstance(value, Cells):
        return "an outer variable"
    return f"a {type(value).__name__}"


class Outside:
    """What the data around a spec held before it was executed."""

    def __init__(self, reach: Reach) -> None:
        self._codes = reach.codes
        self.names, self.any_name, self.any_hidden = reach.names, reach.any_name, reach.any_hidden
        self._held = [(value, origin, _content(value)) for value, origin in reach.data.values()]
        stored = frozenset().union(*map(bytecode.stored, reach.codes))
        watched = [(value, _watched(value, stored)) for value, _ in reach.data.values()]
        self._quick = [(value, names, _now(value, names)) for value, names in watched if names is not None]

    def check(self) -> None:
        """E232 when something has changed since."""
        for value, origin, before in self._held:
            now = _content(value)
            if not _same(before, now):
                raise self._changed(value, origin, before, now)

    def check_path(self) -> None:
        """The same after every path, for data that another path could put back; fast, since there are many paths."""
        for value, names, before in self._quick:
            now = _now(value, names)
            if len(now) != len(before) or not all(map(operator.is_, now, before)):
                self.check()
                return

    def _changed(self, value: Any, origin: Origin, before: list[Any], now: list[Any]) -> EverystateError:
        kind = f"the class {value.__name__}" if issubclass(type(value), type) else f"a {type(value).__name__}"
        error = origin.error(
            f"it is {kind} that changed while an action or a property was executed",
            "make it a variable of the spec, declared in variables()",
            "E232",
        )
        fresh: set[str] = set()
        if _has_names(value):
            was = {n: v for n, v in zip(before[::2], before[1::2], strict=True) if isinstance(n, str)}
            pairs = zip(now[::2], now[1::2], strict=True)
            fresh = {n for n, v in pairs if isinstance(n, str) and (n not in was or was[n] is not v)}
        for code in self._codes:
            for line in bytecode.assigned(code, fresh):
                error.where = bytecode.place(code, line)
        return error


def _watched(value: Any, stored: frozenset[str]) -> tuple[str, ...] | None:
    """What of some data is looked at after every path: () for all of a collection, the attributes that some code
    assigns of a class, a module or an object; None for nothing."""
    if isinstance(value, Slots):
        return tuple(n for n in value.names if n in stored) or None
    if issubclass(type(value), type):
        return tuple(n for n in vars(value) if n in stored) or None
    if isinstance(value, dict) and "__name__" in value and "__spec__" in value:
        return tuple(n for n in value if n in stored) or None
    if isinstance(value, (list, set, dict, collections.deque, bytearray)):
        return None if isinstance(value, dict) and value.keys() <= MARKS else ()
    return None


MARKS = {"__everystate__", "__fairness__", "__wrapped__"}
"""What decorators leave in the dictionary of a function."""


def _now(value: Any, names: tuple[str, ...] | None) -> list[Any]:
    """What is there at the moment."""
    if names:
        fields = value if isinstance(value, dict) else None
        if isinstance(value, Slots):
            return [getattr(value.owner, n, None) for n in names]
        return [(vars(value) if fields is None else fields).get(n) for n in names]
    return [*value, *value.values()] if isinstance(value, dict) else list(value)


def _has_names(value: Any) -> bool:
    """Whether the parts of an object are names, each followed by its value."""
    return isinstance(value, (type, dict, types.MappingProxyType, Slots))


def _content(value: Any) -> list[Any]:
    """The parts of an object, one level deep; deeper ones are objects of their own."""
    if issubclass(type(value), type):
        # annotations are made when they are first read
        return [part for item in vars(value).items() if not item[0].startswith("__") for part in item]
    if isinstance(value, (dict, types.MappingProxyType, Slots)):
        return [part for item in value.items() for part in item]
    return list(value)


def _same(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(a is b or _equal(a, b) for a, b in zip(before, now, strict=True))


def _equal(a: Any, b: Any) -> bool:
    """Whether two parts that are not the same object mean the same: numbers and texts may be made anew."""
    return type(a) is type(b) and type(a) in (int, float, str, bytes, bool) and bool(a == b)
