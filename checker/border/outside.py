"""State outside of the state: data that a spec changes where no engine sees it.

What a spec can get hold of besides its variables (lists and dictionaries of a module, attributes of classes and of
objects of its own) is compared before and after it was executed.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import EverystateError, is_ours, user_place
from ..language.spec import Spec
from . import bytecode
from .reach import Origin, Reach, Slots, contents


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
        if type(value) in _UNCHANGING or id(value) in self._seen or isinstance(value, (Spec, type, types.ModuleType)):
            return
        self._seen.add(id(value))
        if isinstance(value, types.FunctionType):
            cells = [cell for cell in value.__closure__ or () if not is_ours(value.__code__.co_filename)]
            self._hold(Cells(cells))
            for part in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
                self._add(part)
        elif isinstance(value, types.MethodType):
            self._add(value.__self__)
        elif isinstance(value, functools.partial):
            self._add((value.func, value.args, value.keywords))
        elif type(value).__module__.startswith("everystate."):
            return
        elif isinstance(value, Iterator):
            raise EverystateError("E233", user_place(), kind="an iterator, which can be read once only")
        elif isinstance(value, (list, tuple, set, frozenset, dict, collections.deque, bytearray)):
            self._hold(value)
        elif isinstance(getattr(value, "__dict__", None), dict):
            self._hold(value.__dict__)

    def _hold(self, value: Any) -> None:
        content = _content(value)
        self._held.append((value, content))
        for part in content:
            self._add(part)


@dataclass(frozen=True)
class Cells:
    """The outer variables of a function."""

    cells: list[types.CellType]

    def __iter__(self) -> Iterator[Any]:
        return iter([contents(cell) for cell in self.cells])


_UNCHANGING = {int, float, complex, str, bytes, bool, type(None), range, types.BuiltinFunctionType}


def _in_words(value: Any) -> str:
    if isinstance(value, Cells):
        return "an outer variable"
    return f"a {type(value).__name__}"


class Outside:
    """What the data around a spec held before it was executed."""

    def __init__(self, reach: Reach) -> None:
        self._codes = reach.codes
        self.names, self.any_name = reach.names, reach.any_name
        self._held = [(value, origin, _content(value)) for value, origin in reach.data.values()]

    def check(self) -> None:
        """E232 when something has changed since."""
        for value, origin, before in self._held:
            now = _content(value)
            if not _same(before, now):
                raise self._changed(value, origin, before, now)

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
