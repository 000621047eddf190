"""What the declarations of a spec say of its initial states: every combination of the initial values of its variables.

Combinations are counted, not made: the number of one says which value each variable has, the last variable changing
fastest, as in plain Python.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..errors import EverystateError
from ..language.domains import Domain
from ..language.spec import Spec
from .layout import Layout

FIRST = 10_000
"""Initial values of a variable that are cross-checked."""


class Declared:
    """The combinations of declared initial values, by number; the last variable changes fastest."""

    def __init__(self, spec: Spec, layout: Layout) -> None:
        self.tables, at = list[Any](), 0
        for domain in spec.domains.values():
            fields = layout.fields[at : at + domain.size]
            cells = codes(domain)
            table = np.zeros((len(cells), layout.words), np.uint64)
            for column, field in enumerate(fields):
                table[:, field.word] |= (cells[:, column] - field.lo).astype(np.uint64) << np.uint64(field.shift)
            self.tables.append(table)
            at += domain.size
        self.words, self.number = layout.words, math.prod(map(len, self.tables))

    def rows(self, numbers: Any) -> Any:
        """The packed states of some combinations."""
        found, left = np.zeros((len(numbers), self.words), np.uint64), numbers
        for table in reversed(self.tables):
            found |= table[(left % np.uint64(len(table))).astype(np.int64)]
            left = left // np.uint64(len(table))
        return found


def doubt(spec: Spec) -> None:
    """E217 when the declared values of a variable are not those of plain Python, the first ones at least."""
    for name, domain in spec.domains.items():
        symbols, values = codes(domain), list[list[int]]()
        for value in itertools.islice(domain.each_initial(), FIRST):
            values.append([])
            domain.encode(value, values[-1])
        if symbols[:FIRST].tolist() != values:
            said = f"the initial values of {name} are others"
            raise EverystateError("E217", None, action=type(spec).__name__, reason=said)


def codes(domain: Domain) -> Any:
    """The cells of the initial values of a domain, a row each, in their order."""
    parts = [] if domain.has_init else domain.parts()
    if not parts:
        found = [list[int]() for _ in domain.initials()]
        for value, out in zip(domain.initials(), found, strict=True):
            domain.encode(value, out)
        return np.array(found, np.int64).reshape(len(found), domain.size)
    columns = [codes(part) for _, part in parts]
    number, repeat, placed = math.prod(map(len, columns)), 1, list[Any]()
    for column in reversed(columns):
        placed.append(np.tile(np.repeat(column, repeat, axis=0), (number // (repeat * len(column)), 1)))
        repeat *= len(column)
    return np.hstack(placed[::-1])


def narrowed(spec: Spec) -> list[tuple[int, int]]:
    """Of each cell of a state between which values it lies initially, as declared."""
    found: list[tuple[int, int]] = []
    for domain in spec.domains.values():
        cells = codes(domain)
        found += zip(cells.min(axis=0).tolist(), cells.max(axis=0).tolist(), strict=True)
    return found
