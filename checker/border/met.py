"""What was met on the way through all that a spec can execute: data, and errors with the place of who led there."""

from __future__ import annotations

import functools
import gc
import os
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from ..errors import EverystateError
from ..language.spec import Spec
from . import bytecode
from .bytecode import Hazard
from .ownership import user_class
from .policy import CHANGING, DATA, IMPLICIT, INSTEAD, REFUSED, SCALARS


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


def slots_of(value: Any) -> Slots | None:
    """The fields that an object of a class written in Python has besides its dictionary."""
    if issubclass(type(value), type):
        return None
    slots = [(cls, vars(cls).get("__slots__", ())) for cls in type(value).__mro__ if user_class(cls)]
    named = [(cls, n) for cls, s in slots for n in ((s,) if isinstance(s, str) else s)]
    names = [_mangled(cls, n) for cls, n in named if n not in ("__dict__", "__weakref__")]
    return Slots(value, tuple(names)) if names else None


def _mangled(cls: type, name: str) -> str:
    """What Python makes of a private name in the body of a class."""
    return f"_{cls.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


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


def contents(cell: types.CellType) -> Any:
    """What an outer variable holds; None where it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def any_code(spec: Spec) -> CodeType:
    """A code object of a spec, for places that no other names."""
    return type(spec).variables.__code__


class Met:
    """What is known so far, and what is still to be looked at (`_pending`)."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.refused: list[tuple[EverystateError, bool]] = []
        self.data: dict[int, tuple[Any, Origin]] = {}
        self.codes: set[CodeType] = set()
        self.unordered: list[tuple[Any, Origin]] = []
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

    def _value(self, value: Any, origin: Origin, globally: tuple[CodeType, str] | None = None) -> None:
        if type(value) in SCALARS or id(value) in self._seen or (id(value), False) in self._functions:
            return
        if globally is not None and globally[1] not in bytecode.global_names(globally[0]):
            return
        self._pending.append((value, origin))

    def _each(self, values: Iterable[Any], origin: Origin) -> None:
        for value in values:
            self._value(value, origin)

    def _kept(self, value: Any, origin: Origin) -> None:
        if not isinstance(value, (tuple, frozenset, types.MappingProxyType)):
            self.data.setdefault(id(value), (value, origin))

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
