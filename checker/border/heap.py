"""The heap around a spec: every changeable object that its author's modules hold, however they hold it.

Names lead to some of it (`reach`); the rest hangs in slots, default values, keys of dictionaries, fields of exceptions,
callbacks of libraries. Python's garbage collector knows of every reference, so it is asked, and what an object refers
to is compared, by identity, before and after.
"""

from __future__ import annotations

import builtins
import collections
import enum
import functools
import gc
import itertools
import operator
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..errors import file_of, home_of, is_ours
from ..language.marks import Constant
from ..language.methods import Bound, Method
from ..language.record import Record
from ..language.spec import Spec
from .bytecode import of_library
from .containers import items_of, keys_of
from .ownership import (
    fields_of,
    foreign_library,
    generated,
    is_a,
    module_file,
    module_of,
    mro_of,
    of_its_module,
    trusted,
    user_class,
    vars_of,
)
from .policy import LAZY


@dataclass(frozen=True)
class Held:
    """A changeable object, the name under which it was first met, where its references are, and what they were."""

    value: Any
    name: str
    place: Any
    parts: list[Any]


class References:
    """Every reference that some objects hold: so it is soon found that none of them has another one.

    The collector does not tell keys that are texts; they are asked for, of a plain dictionary in one sweep.
    """

    def __init__(self, places: Iterable[Any]) -> None:
        self._places = list(places)
        self._plain = [place for place in self._places if type(place) is dict]
        self._dictionaries = [place for place in self._places if type(place) is not dict and is_a(place, dict)]
        self.take()

    def take(self) -> None:
        """From now on they are compared with what they are now."""
        self._before = self._now()

    def unchanged(self) -> bool:
        """Whether all are what they were when they were taken; others may mean the same."""
        now = self._now()
        return len(now) == len(self._before) and all(map(operator.is_, now, self._before))

    def _now(self) -> list[Any]:
        keys = itertools.chain(self._plain, map(keys_of, self._dictionaries))
        return [*gc.get_referents(*self._places), *itertools.chain.from_iterable(keys)]


class Heap:
    """What can be reached from some named objects, as it is now; `stored` are the attributes that some code assigns.

    `functions` are those met on the way, without what dataclasses wrote.
    """

    def __init__(self, roots: Iterable[tuple[str, Any]], stored: frozenset[str]) -> None:
        self._seen: dict[int, Any] = {}
        self._caches: list[tuple[str, Any]] = []
        self._texts: list[tuple[str, bytearray, bytes]] = []
        self._held: list[Held] = []
        self.functions: list[types.FunctionType] = []
        written = set[int]()
        todo = collections.deque(roots)
        while todo:
            name, value = todo.popleft()
            if id(value) in self._seen or type(value) in _UNCHANGING:
                continue
            self._seen[id(value)] = value
            if type(value) is types.FunctionType and id(value) not in written:
                self.functions.append(value)
            elif is_a(value, type):
                written.update(_written(value))
            if is_a(value, bytearray):
                self._texts.append((name, value, bytes(value)))
            elif is_a(value, functools._lru_cache_wrapper):
                self._caches.append((name, value))
                todo += [(name, value.__wrapped__), (name, vars(value))]
            else:
                held, inner = _parts(value, name)
                todo += inner
                self._held += [Held(owner, name, place, _content(place)) for owner, place in held]
        self._soon = [held.place for held in self._held if _may_change_soon(held, stored)]
        self._of_soon = gc.get_referents(*self._soon)
        self._owners = {id(each) for held in self._held for each in (held.value, held.place)}
        self._references = References(held.place for held in self._held)
        self._kept = False

    def holds(self, value: Any) -> bool:
        """Whether a change of a value would be noticed here."""
        return id(value) in self._owners

    def keep(self, earlier: Iterable[Held]) -> None:
        """Compare some objects with what they held earlier."""
        parts = {id(held.place): held.parts for held in earlier}
        self._held = [replace(held, parts=parts.get(id(held.place), held.parts)) for held in self._held]
        self._kept = bool(parts)

    def changed(self) -> tuple[Held, list[Any]] | None:
        """The first object that is no longer as it was, and what it refers to now; or None."""
        for name, text, before in self._texts:
            if bytes(text) != before:
                return Held(text, name, text, []), []
        for name, cache in self._caches:
            if any(map(_can_change, _cached(cache))):
                return Held(cache, name, cache, []), []
        if self._references.unchanged() and not self._kept:
            return None
        found = next(self.changes(), None)
        if found is None:
            self._references.take()  # what has been made anew means the same
        return found

    def changes(self) -> Iterator[tuple[Held, list[Any]]]:
        """All objects that refer to something else than they did, and to what now."""
        for held in self._held:
            parts = _content(held.place)
            if not _same(held.parts, parts):
                yield held, parts

    def disturbed(self) -> bool:
        """Whether a collection, an outer variable, or a field that some code assigns is not as it was.

        Fast, since there are many paths; the rest is left to `changed`.
        """
        now = gc.get_referents(*self._soon)
        if len(now) != len(self._of_soon) or not all(map(operator.is_, now, self._of_soon)):
            return True
        return any(bytes(text) != before for _, text, before in self._texts)


_UNCHANGING = {int, float, complex, str, bytes, bool, type(None), range, types.BuiltinFunctionType, types.CodeType}
_UNCHANGING |= {type(Ellipsis), type(NotImplemented), types.WrapperDescriptorType, types.MethodDescriptorType}
_UNCHANGING |= {types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType}

_PYTHONS = {"__builtins__", "__annotations__", "__warningregistry__", "__abstractmethods__", "_abc_impl"}
_PYTHONS |= {"_value2member_map_", "__slotnames__", "__weakref__", "__dict__", "__doc__", *LAZY}
"""What Python itself writes into modules and classes when it is asked for something."""


Parts = tuple[list[tuple[Any, Any]], list[tuple[str, Any]]]
"""What is held, with the place of its references, and where to look next."""


def _parts(value: Any, name: str) -> Parts:
    if is_a(value, types.ModuleType):
        return _module(value)
    if is_a(value, type):
        return _class(value)
    if is_a(value, Spec):
        return [], []
    if is_a(value, Method, Bound):
        return [], [(name, value.wrapped if is_a(value, Method) else value._method)]
    if is_a(value, Constant):
        return [], [(name, value.default)]
    if is_a(value, types.FunctionType):
        return _function(value, name)
    cls = type(value)
    if is_ours(module_file(cls)) or module_of(cls) in ("_abc", "_thread", "_io"):
        return [], []
    if is_a(value, Record):
        return ([], []) if "_binding" in vars(value) else ([(value, vars(value))], list(vars(value).items()))
    fields = fields_of(value)
    inner = [(name, part) for part in gc.get_referents(value) if part is not cls and part is not fields]
    if is_a(value, dict):
        inner = [(key if isinstance(key, str) else name, part) for key, part in items_of(value)]
        inner += [(name, key) for key in keys_of(value)]
        inner += [(name, value.default_factory)] if is_a(value, collections.defaultdict) else []
    if fields is not None:
        inner += [(key if isinstance(key, str) else name, part) for key, part in fields.items()]
    held = [] if cls in (tuple, frozenset) else [(value, value)]
    held += [(value, fields)] if fields is not None else []
    if user_class(cls):
        inner.append((cls.__name__, cls))
    return held, [] if user_class(cls) and of_library(module_file(cls)) else inner


def _module(module: types.ModuleType) -> Parts:
    path = file_of(module)
    if module is sys or module is builtins or is_ours(path):
        return [], []
    if not path or of_library(path):
        return [(module, vars(module))], []
    inner = [(name, value) for name, value in list(vars(module).items()) if not name.startswith("__")]
    homes = [(name, sys.modules.get(home_of(value))) for name, value in inner]
    return [(module, vars(module))], inner + homes


def _class(cls: type) -> Parts:
    if foreign_library(cls) or not user_class(cls):
        return [], []
    held = [(cls, fields) for fields in gc.get_referents(vars_of(cls))]
    if of_library(module_file(cls)):
        return held, []
    lazy = {"_member_map_"} if issubclass(cls, enum.Flag) else set()
    inner = [(name, value) for name, value in vars_of(cls).items() if name not in _PYTHONS | lazy]
    return held, [*inner, *((base.__name__, base) for base in mro_of(cls)[1:])]


def _written(cls: type) -> Iterator[int]:
    """The methods of a class that dataclasses wrote, also within what they wrap them in, as they do __repr__."""
    if "__dataclass_fields__" not in vars_of(cls):
        return
    for name, value in vars_of(cls).items():
        while isinstance(value, types.FunctionType):
            if generated(cls, name, value):
                yield id(value)
            value = vars(value).get("__wrapped__")


def _function(function: types.FunctionType, name: str) -> Parts:
    cells = [(name, cell) for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)]
    path = function.__code__.co_filename
    if trusted(function.__code__) and of_its_module(function):
        inner = [(n, contents) for n, cell in cells for contents in gc.get_referents(cell)]
        return [], [(n, part) for n, part in inner if isinstance(part, types.FunctionType)]
    if of_library(path):
        return [], []
    given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    home = (function.__module__ or "", sys.modules.get(function.__module__ or ""))
    fields = vars(function)
    inner = [*cells, *((name, value) for value in given), *fields.items(), home]
    return [(function, function), (function, fields)], inner


def _may_change_soon(held: Held, stored: frozenset[str]) -> bool:
    """Whether a method call may change an object, or some code assigns one of its fields."""
    if held.place is held.value:
        return is_a(held.place, list, set, dict, collections.deque, types.CellType)
    return not stored.isdisjoint(held.place)


def _cached(cache: Any) -> Iterator[Any]:
    """What functools.cache has kept of one function."""
    for kept in gc.get_referents(cache):
        if type(kept) is dict and kept is not vars(cache):
            for value in kept.values():
                link = type(value).__name__ == "_lru_list_elem"
                yield from gc.get_referents(value) if link else (value,)


def _can_change(value: Any) -> bool:
    """Whether a value that a cache hands out again and again may be changed by who gets it."""
    if is_a(value, tuple, frozenset):
        return any(map(_can_change, value))
    if is_a(value, list, dict, set, bytearray, collections.deque):
        return True
    return user_class(type(value)) and not is_a(value, enum.Enum, type)


def _content(value: Any) -> list[Any]:
    """What an object refers to, without what Python writes itself."""
    if is_a(value, dict):
        own = [(key, part) for key, part in items_of(value) if not (isinstance(key, str) and key in _PYTHONS)]
        fields = fields_of(value)
        beside = [] if fields is None else gc.get_referents(fields)
        return [part for item in own for part in item] + beside
    return gc.get_referents(value)


def _same(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(a is b or _equal(a, b) for a, b in zip(before, now, strict=True))


def _equal(a: Any, b: Any) -> bool:
    """Whether two parts that are not the same object mean the same: numbers and texts may be made anew."""
    return type(a) is type(b) and type(a) in (int, float, str, bytes, bool) and bool(a == b)
