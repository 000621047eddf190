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
from .ownership import MISSING, field_of, fields_of, is_a, module_of, mro_of, user_class, vars_of
from .policy import CHANGING, DATA, IMPLICIT, INSTEAD, INTERNAL, REFUSED, SCALARS


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
        held = [(name, field_of(self.owner, name)) for name in self.names]
        return [(name, value) for name, value in held if value is not MISSING]


def slots_of(value: Any) -> Slots | None:
    """The fields that an object of a class written in Python has besides its dictionary."""
    if issubclass(type(value), type):
        return None
    classes = [cls for cls in mro_of(type(value)) if user_class(cls)]
    names = [n for cls in classes for n, held in vars_of(cls).items() if type(held) is types.MemberDescriptorType]
    return Slots(value, tuple(names)) if names else None


@dataclass(frozen=True)
class Cached:
    """What a function with a cache remembers; lists and objects in it would be state."""

    function: Any

    def __iter__(self) -> Iterator[Any]:
        seen: dict[int, Any] = {}
        todo = [v for v in gc.get_referents(self.function) if v is not self.function.__wrapped__]
        while todo:
            value = todo.pop()
            if id(value) not in seen and not _is_data(value):
                seen[id(value)] = value
                inside = is_a(value, dict, tuple, frozenset) or type(value).__name__ == "_lru_list_elem"
                todo += gc.get_referents(value) if inside else []
        known = (dict, tuple, frozenset)
        return iter([v for v in seen.values() if not is_a(v, *known) and type(v).__name__ != "_lru_list_elem"])


def _is_data(value: Any) -> bool:
    """Whether a value cannot change; symbols say by `__class__` what they stand for, as nobody else may."""
    symbol = any(module_of(cls).startswith(INTERNAL) for cls in mro_of(type(value)))
    return is_a(value, *DATA, type, types.FunctionType) or (symbol and isinstance(value, DATA))


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
        if not is_a(value, tuple, frozenset, types.MappingProxyType):
            self.data.setdefault(id(value), (value, origin))

    def _fields(self, value: Any, origin: Origin) -> None:
        """The attributes that an object has itself."""
        fields = fields_of(value)
        if fields is not None:
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
