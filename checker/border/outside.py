"""State outside of the state: data that a spec changes where no engine sees it.

What a spec can get hold of besides its variables (lists and dictionaries of a module, attributes of classes and of
objects of its own) is compared before and after it was executed.
"""

from __future__ import annotations

import collections
import functools
import operator
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import EverystateError, is_ours, user_place
from ..language.methods import Bound
from ..language.spec import Spec
from . import bytecode
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
            if "<locals>" in value.__qualname__:
                self._hold(value)
        elif cls.__module__.startswith(_CHECKER) or isinstance(value, (Spec, types.ModuleType)):
            return
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
        """What an object holds: as a collection, in its dictionary and in its slots."""
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
        self._quick = [(value, list(_parts(value))) for value, _ in reach.data.values() if _may_change_soon(value)]

    def check(self) -> None:
        """E232 when something has changed since."""
        for value, origin, before in self._held:
            now = _content(value)
            if not _same(before, now):
                raise self._changed(value, origin, before, now)

    def check_path(self) -> None:
        """The same after every path, for data that another path could put back; fast, since there are many paths."""
        for value, before in self._quick:
            if len(value) != len(before) or not all(map(operator.is_, _parts(value), before)):
                self.check()
                return

    def _changed(self, value: Any, origin: Origin, before: list[Any], now: list[Any]) -> EverystateError:
        kind = f"the class {value.__name__}" if issubclass(type(value), type) else f"a {type(value).__name__}"
        error = origin.error(
            f"it is {kind} that changed while an action or a property was executed",
            "make it a variable of the spec, declared in variables()",
            "E232",
        )
        names = {part for part in now if isinstance(part, str)} if _has_names(value) else set()
        fresh = {n for n in names if n not in before or before[before.index(n) + 1] is not now[now.index(n) + 1]}
        for code in self._codes:
            for line in bytecode.assigned(code, fresh):
                error.where = bytecode.place(code, line)
        return error


def _may_change_soon(value: Any) -> bool:
    """Whether data is a collection or the fields of an object; classes, modules and functions change with a name."""
    if not isinstance(value, (list, set, dict, collections.deque, bytearray)):
        return False
    return not (isinstance(value, dict) and ("__name__" in value or value.keys() <= MARKS))  # a module, a function


MARKS = {"__everystate__", "__fairness__", "__wrapped__"}
"""What our decorators leave in the dictionary of a function."""


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


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
