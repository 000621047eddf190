"""Where the cells of a state are in Python, and how their values are written there.

Interchangeable values are marked, so that a condition about some of them can be written for all.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...language.domains import Bool, Domain, Structure, is_frozen_dataclass, parts_of_value, shown
from ...language.record import Record
from ...language.spec import Spec
from ...language.symmetry import Interchangeable

MARKED = "\u2039{}:{}\u203a"
MARK = re.compile("\u2039([^:]*):(\\d+)\u203a")
"""A mark has the name and the number of a value."""


@dataclass(frozen=True)
class Place:
    """Where a cell is in Python: an expression, the condition for it to have a value, and the values of an enum."""

    path: str
    source: str
    needs: tuple[str, ...] = ()
    members: tuple[Any, ...] = ()
    boolean: bool = False
    alike: str = ""
    """The name of the interchangeable values that it holds."""

    @property
    def variable(self) -> str:
        """The variable of the spec that it is a part of."""
        found = re.search(r"self\.(\w+)", self.source)
        return found[1] if found else ""

    def guarded(self, condition: str, otherwise: str) -> str:
        """A condition on the cell, and its value where the cell has no value."""
        for need in reversed(self.needs):
            condition = f"({condition} if {need} else {otherwise})"
        return condition

    def value(self, number: int) -> str:
        """A value of the cell in Python."""
        if self.alike:
            return MARKED.format(self.alike, number)
        return written(self.members[number]) if self.members else str(number)

    def text(self, number: int) -> str:
        """A value of the cell for people."""
        return shown(self.members[number]) if self.members else str(number)


def written(value: Any) -> str:
    """A member of an enum or of a set, or a key, in Python."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    parts = "".join(f"{name}{written(part)}, " for name, part in _named_parts(value))
    if type(value) is tuple:
        return f"({parts})"
    return f"{type(value).__qualname__}({parts[:-2]})" if _has_parts(value) else repr(value)


def _has_parts(value: Any) -> bool:
    return isinstance(value, (tuple, Record)) or is_frozen_dataclass(type(value))


def _named_parts(value: Any) -> list[tuple[str, Any]]:
    """The parts of a value, with the text before each where the value is written."""
    if isinstance(value, Record):
        return [(f"{name}=", part) for name, part in value.__dict__.items() if not name.startswith("_")]
    return [("", part) for part in parts_of_value(value)] if _has_parts(value) else []


def named(value: Any) -> set[type]:
    """The classes that are named where a value is written."""
    own = isinstance(value, enum.Enum) or (_has_parts(value) and type(value) is not tuple)
    found: set[type] = {type(value)} if own else set()
    return found.union(*(named(part) for _, part in _named_parts(value)))


def places(spec: Spec) -> list[Place]:
    """The place of each cell of a spec, in order."""
    cells = [cell.path for name, domain in spec.domains.items() for cell in domain.cells(name)]
    found = [place for name, domain in spec.domains.items() for place in _places(domain, f"self.{name}", ())]
    return [Place(path, *place) for path, place in zip(cells, found, strict=True)]


def marked(domain: Any, value: Any) -> str:
    """A key or a member in Python, in which each interchangeable value is marked."""
    if isinstance(domain, Interchangeable):
        return MARKED.format(domain.name, value)
    if isinstance(domain, Structure) and type(value) is tuple:
        parts = zip(domain.fields.values(), value, strict=True)
        return f"({''.join(f'{marked(field, part)}, ' for field, part in parts)})"
    return written(value)


def unmarked(source: str) -> str:
    """Python without marks."""
    return MARK.sub(r"\2", source)


_Found = tuple[str, tuple[str, ...], tuple[Any, ...], bool, str]


def _places(domain: Domain, source: str, needs: tuple[str, ...]) -> Iterator[_Found]:
    pieces = list(domain.pieces())
    if not pieces and domain.size:
        alike = domain.name if isinstance(domain, Interchangeable) else ""
        yield source, needs, getattr(domain, "members", ()), isinstance(domain, Bool), alike
    for piece in pieces:
        required = needs
        if piece.exists is not None:
            head, number = pieces[piece.exists[0]], piece.exists[1]
            exists = head.source(source, "")
            required = (*needs, exists if isinstance(head.domain, Bool) else f"{exists} > {number}")
        yield from _places(piece.domain, piece.source(source, marked(getattr(domain, "of", None), piece.key)), required)
