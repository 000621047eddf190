"""Builtins of Python, written in Python: they are lifted like the helpers of an author.

So laziness, order of evaluation, stopping, errors and writes are Python's. `UNSET` is the value of a name that is read
only where another value was assigned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .outcomes import UNSET


def same(a: Any, b: Any) -> Any:
    """How a collection compares its elements."""
    return a is b or a == b


def any(items: Any) -> bool:
    for item in items:  # noqa: SIM110
        if item:
            return True
    return False


def all(items: Any) -> bool:
    for item in items:  # noqa: SIM110
        if not item:
            return False
    return True


def contains(items: Any, value: Any) -> bool:
    for item in items:  # noqa: SIM110
        if same(item, value):
            return True
    return False


def sum(items: Any, start: Any) -> Any:
    total = start
    for item in items:
        total = total + item
    return total


def min(items: Any, key: Any, default: Any) -> Any:
    some, best, least = False, UNSET, UNSET
    for item in items:
        rank = item if key is None else key(item)
        if not some or rank < least:
            some, best, least = True, item, rank
    if some:
        return best
    if default:
        return default[0]
    raise ValueError("min() iterable argument is empty")


def max(items: Any, key: Any, default: Any) -> Any:
    some, best, most = False, UNSET, UNSET
    for item in items:
        rank = item if key is None else key(item)
        if not some or rank > most:
            some, best, most = True, item, rank
    if some:
        return best
    if default:
        return default[0]
    raise ValueError("max() iterable argument is empty")


def next(iterator: Any, *default: Any) -> Any:
    for item in iterator:
        return item
    if default:
        return default[0]
    raise StopIteration


def iter_until(function: Any, sentinel: Any) -> Iterator[Any]:
    while True:
        value = function()
        if same(value, sentinel):
            return
        yield value


def reduce(function: Any, items: Any, *initial: Any) -> Any:
    some, result = (True, initial[0]) if initial else (False, UNSET)
    for item in items:
        result = function(result, item) if some else item
        some = True
    if some:
        return result
    raise TypeError("reduce() of empty iterable with no initial value")


def index(items: Any, value: Any) -> int:
    for i, item in enumerate(items):
        if same(item, value):
            return i
    raise ValueError("the value is not in the list")


def count(items: Any, value: Any) -> int:
    found = 0
    for item in items:
        if same(item, value):
            found += 1
    return found


def update(items: Any, values: Any) -> None:
    for value in values:
        items.add(value)


def difference_update(items: Any, values: Any) -> None:
    for value in values:
        if value in items:
            items.discard(value)


def chain(*iterables: Any) -> Iterator[Any]:
    return (item for items in iterables for item in items)


def from_iterable(iterables: Any) -> Iterator[Any]:
    return (item for items in iterables for item in items)


def starmap(function: Any, items: Any) -> Iterator[Any]:
    return (function(*item) for item in items)


def filterfalse(function: Any, items: Any) -> Iterator[Any]:
    return (item for item in items if not (item if function is None else function(item)))
