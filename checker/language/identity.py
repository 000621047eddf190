"""The key of a state under a @view: values are compared as by Python's ==, whatever they are made of.

Allowed are numbers (a boolean counts as 0 or 1), strings and enum members, None, records, and collections of these.
Other values are refused (E226): they have no equality by value, or iterating consumes them.
"""

from __future__ import annotations

import enum
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from typing import Any

from ..errors import EverystateError, Where
from .domains import is_frozen_dataclass, parts_of_value
from .record import Record

ORDERED = (tuple, list, range, KeysView, ValuesView, ItemsView)
"""What is compared element by element."""


def identity(value: Any, name: str, where: Where | None) -> Any:
    """Something hashable that is equal for equal values; `name` and `where` say which view it is."""
    if value is None or isinstance(value, (str, enum.Enum)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, ORDERED):
        return "sequence", tuple(identity(item, name, where) for item in value)
    if isinstance(value, (set, frozenset)):
        return "set", frozenset(identity(item, name, where) for item in value)
    if isinstance(value, Mapping):
        pairs = ((identity(k, name, where), identity(v, name, where)) for k, v in value.items())
        return "map", frozenset(pairs)
    if isinstance(value, Record):
        fields = {n: v for n, v in value.__dict__.items() if not n.startswith("_")}
        return type(value), tuple((n, identity(fields[n], name, where)) for n in sorted(fields))
    if is_frozen_dataclass(type(value)):
        return type(value), tuple(identity(part, name, where) for part in parts_of_value(value))
    raise refused(value, name, where)


def refused(value: Any, name: str, where: Where | None) -> EverystateError:
    """E226 for a value without an equality by value."""
    return EverystateError("E226", where, name=name, value=f"a {type(value).__name__}")
