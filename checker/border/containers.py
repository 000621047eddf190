"""What Python's own containers hold, whatever a class that an author derived from them says of it.

Such a class may go through something else in `__iter__` or `items`, and what it holds would be seen by nobody.
"""

from __future__ import annotations

import collections
import gc
import types
from typing import Any

from .ownership import is_a, mro_of

_SEQUENCES: tuple[type, ...] = (list, tuple, set, frozenset, collections.deque, bytearray)


def elements_of(value: Any) -> list[Any]:
    """The elements of a list, tuple, set, deque or bytearray, in its order."""
    kind: Any = next(cls for cls in mro_of(type(value)) if cls in _SEQUENCES)
    return list(kind.__iter__(value))


def parts_of(value: Any) -> list[Any]:
    """All that a container holds, keys included."""
    if type(value) is dict:
        return [part for item in value.items() for part in item]
    if is_a(value, dict, types.MappingProxyType):
        return [part for item in items_of(value) for part in item]
    return elements_of(value)


def keys_of(value: dict[Any, Any]) -> list[Any]:
    """The keys of a dictionary, in its order; one that is ordered by itself has its own order, too."""
    if type(value) is dict:
        return list(value)
    ordered = collections.OrderedDict.__iter__(value) if is_a(value, collections.OrderedDict) else ()
    return [*ordered, *dict.__iter__(value)]


def items_of(value: Any) -> list[tuple[Any, Any]]:
    """The keys of a dictionary with what they stand for, in its order; those of the one behind a proxy."""
    if type(value) is dict:
        return list(value.items())
    if is_a(value, types.MappingProxyType):
        return [item for behind in gc.get_referents(value) if is_a(behind, dict) for item in items_of(behind)]
    ordered = is_a(value, collections.OrderedDict)
    moved = [(key, dict.get(value, key)) for key in collections.OrderedDict.__iter__(value)] if ordered else []
    return [*moved, *dict.items(value)]
