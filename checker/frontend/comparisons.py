"""Notes the comparisons that can never be true: text with a number, or a value outside the domain of the other side.

A place in the source counts only if the comparison is impossible each time: a helper may be called with parts of the
state that have other domains. A value of the kind of the other side counts only where it is written in the line:
whether a constant is inside a domain depends on the constants of the spec.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import describe, is_users
from ..errors.place import function_name
from ..ir.collection import View
from ..ir.optional import OptionalValue
from ..ir.symbols import Boolean, Member, Number
from ..language.domains import Domain

KNOWN = {int, bool, str, float, bytes}
"""Types of values that are compared with parts of the state."""
FORMS = (list, set, frozenset, dict, tuple)
"""Types of collections that are compared with parts of the state."""


class Comparisons:
    """The places at which a known value was compared with a part of the state, and whether it can be equal there."""

    def __init__(self) -> None:
        self._impossible: dict[tuple[str, int, str], tuple[str, str, bool]] = {}
        self._possible: set[tuple[str, int, str]] = set()
        self._noted = True

    @contextmanager
    def unnoted(self) -> Iterator[None]:
        """Comparisons that no line of the author has are not noted."""
        before, self._noted = self._noted, False
        try:
            yield
        finally:
            self._noted = before

    def equal(self, a: Any, b: Any, line: int = 0) -> None:
        """Two values are compared with == or !=, or by a case in a line below."""
        known, other = (b, a) if type(b) in KNOWN else (a, b)
        if type(known) in KNOWN and type(other) not in KNOWN and other is not None:
            self._note(repr(known), _possible(known, other), _kind(other), _alike(known, other), line)

    def kinds(self, a: Any, b: Any) -> None:
        """A collection of the state is compared with a plain collection, as a list with a tuple."""
        known, other = (b, a) if isinstance(a, View) else (a, b)
        kind = next((kind for kind in FORMS if isinstance(known, kind)), None)
        if kind is not None and isinstance(other, View):
            self._note(f"a {kind.__name__}", issubclass(kind, other._equals), other._called, False)

    def member(self, item: Any, container: Any) -> None:
        """A value is looked for in a set or a map of the state."""
        if type(item) in KNOWN and isinstance(container, View):
            members, kind = container._asked()
            self._note(repr(item), _is_member(item, members), kind, True)

    def _note(self, known: str, possible: bool, kind: str, alike: bool, line: int = 0) -> None:
        if not self._noted:
            return
        frame: Any = sys._getframe(3)
        while frame is not None and not is_users(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return
        key = frame.f_code.co_filename, line or frame.f_lineno, known
        if possible:
            self._possible.add(key)
        elif key not in self._impossible and key not in self._possible:
            self._impossible[key] = function_name(frame.f_code), kind, alike

    def sentences(self) -> list[str]:
        """What a report says of each comparison that can never be true."""
        found = []
        for key, (function, kind, alike) in self._impossible.items():
            path, line, value = key
            source = describe(path, line, function).source
            if key not in self._possible and (not alike or _is_written(value, source)):
                found.append(f"{function}, line {line}: {value} can never be equal to {kind}: `{source}`")
        return found


def _possible(known: Any, other: Any) -> bool:
    """Whether a value may equal a part of the state; True where that is not known."""
    if type(other) is OptionalValue:
        return _possible(known, other.value)
    if isinstance(other, Member):
        return any(member == known for member in other._members)
    if isinstance(other, Boolean):
        return known in (0, 1)
    if isinstance(other, Number):
        return isinstance(known, (int, float)) and other._term.lo <= known <= other._term.hi
    return not isinstance(other, View)


def _is_member(item: Any, members: Any) -> bool:
    if not isinstance(members, Domain):
        return item in members
    return getattr(members, "size", 0) != 1 or members.code(item) is not None


def _kind(other: Any) -> str:
    """What the other side of a comparison is, in words."""
    if type(other) is OptionalValue:
        return f"{_kind(other.value)} or None"
    if isinstance(other, Member):
        return other._kind()
    if isinstance(other, Boolean):
        return "True or False"
    if isinstance(other, Number):
        return f"a number from {other._term.lo} to {other._term.hi}"
    return other._called if isinstance(other, View) else "a sequence"


def _alike(known: Any, other: Any) -> bool:
    """Whether a value is of the kind of the other side, so that only the domain makes them differ."""
    if type(other) is OptionalValue:
        return _alike(known, other.value)
    if isinstance(other, Member):
        return any(type(member) is type(known) for member in other._members)
    return isinstance(other, Number) and isinstance(known, (int, float))


def _is_written(value: str, source: str) -> bool:
    """Whether a line has a value as a literal, in one kind of quotes or the other."""
    forms = {value, f'"{value[1:-1]}"'} if value[0] == "'" else {value}
    return any(re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.])", source) for form in forms)
