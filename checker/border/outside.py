"""State outside of the state: data that a spec changes where no engine sees it.

What a spec can get hold of besides its variables (lists and dictionaries of a module, attributes of classes and of
objects of its own) is compared before and after it was executed.
"""

from __future__ import annotations

import types
from typing import Any

from ..errors import EverystateError
from ..language.spec import Spec
from . import bytecode
from .reach import Origin, Reach


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


class Outside:
    """What the data around a spec held before it was executed."""

    def __init__(self, reach: Reach) -> None:
        self._codes = reach.codes
        self._held = [(value, origin, _content(value)) for value, origin in reach.data.values()]

    def check(self) -> None:
        """E232 when something has changed since."""
        for value, origin, before in self._held:
            now = _content(value)
            if not _same(before, now):
                raise self._changed(value, origin, before, now)

    def _changed(self, value: Any, origin: Origin, before: list[Any], now: list[Any]) -> EverystateError:
        kind = f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
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
    return isinstance(value, (type, dict, types.MappingProxyType))


def _content(value: Any) -> list[Any]:
    """The parts of an object, one level deep; deeper ones are objects of their own."""
    if isinstance(value, type):
        # annotations are made when they are first read
        return [part for item in vars(value).items() if not item[0].startswith("__") for part in item]
    if isinstance(value, (dict, types.MappingProxyType)):
        return [part for item in value.items() for part in item]
    return list(value)


def _same(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(a is b or _equal(a, b) for a, b in zip(before, now, strict=True))


def _equal(a: Any, b: Any) -> bool:
    """Whether two parts that are not the same object mean the same: numbers and texts may be made anew."""
    return type(a) is type(b) and type(a) in (int, float, str, bytes, bool) and bool(a == b)
