"""What the declarations of a spec say of its initial states: every combination of the initial values of its variables.

Combinations are counted, not made: the number of one says which value each variable has, the last variable changing
fastest, as in plain Python. Where a variable begins with any value, its cells are counted in the same way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import EverystateError
from ..language.declarations import class_place
from ..language.domains import AnyOf, Domain, Scalar, Structure
from ..language.spec import Spec
from .layout import Field, Layout

FIRST, LEAST = 10_000, 100
"""Initial values of a variable that are cross-checked, and how many of these in any case."""
MOST = 10**11
"""Combinations that a search tries at the most. It tries some 40 million in a second."""
JOINED = 1 << 12
"""Combinations of several tables that become one table."""

Table = Any
"""The values of some cells, a row for each value; or a range, for one cell that takes every value of the range."""


class Declared:
    """The combinations of declared initial values, by number; the last variable changes fastest.

    E144 where there are too many to try them all.
    """

    def __init__(self, spec: Spec, layout: Layout) -> None:
        self.words, self.number = layout.words, combinations(spec)
        if self.number > MOST:
            facts = {"spec": type(spec).__name__, "number": f"{self.number:,}", "most": f"{MOST:,}"}
            raise EverystateError("E144", class_place(type(spec)), **facts)
        self._digits: list[tuple[int, Callable[[Any], Any]]] = []
        fields, joined = iter(layout.fields), np.zeros((1, self.words), np.uint64)
        for table in itertools.chain.from_iterable(map(tables, spec.domains.values())):
            values = partial(packed, table, list(itertools.islice(fields, width(table))), self.words)
            if len(joined) * len(table) > JOINED:
                self._digits.append((len(joined), joined.__getitem__))
                joined = np.zeros((1, self.words), np.uint64)
            if len(table) > JOINED:
                self._digits.append((len(table), values))
            else:
                joined = (joined[:, None] | values(np.arange(len(table)))).reshape(-1, self.words)
        self._digits.append((len(joined), joined.__getitem__))

    def rows(self, numbers: Any) -> Any:
        """The packed states of some combinations."""
        found, left = np.zeros((len(numbers), self.words), np.uint64), numbers
        for number, values in reversed(self._digits):
            found |= values((left % np.uint64(number)).astype(np.int64))
            left = left // np.uint64(number)
        return found


def compare_values(spec: Spec, over: Callable[[], bool] = lambda: False) -> None:
    """E217 when the declared values of a variable are not those of plain Python; the first ones are compared, LEAST of
    them even when the time is `over`."""
    for name, domain in spec.domains.items():
        symbols, values = cells(tables(domain), FIRST), list[list[int]]()
        for value in itertools.islice(domain.each_initial(), FIRST):
            values.append([])
            domain.encode(value, values[-1])
            if len(values) >= LEAST and over():
                symbols = symbols[: len(values)]
                break
        if symbols != values:
            said = f"the initial values of {name} are others"
            raise EverystateError("E217", None, action=type(spec).__name__, reason=said)


def combinations(spec: Spec) -> int:
    """How many combinations of declared initial values there are."""
    return math.prod(len(table) for domain in spec.domains.values() for table in tables(domain))


def tables(domain: Domain) -> list[Table]:
    """The initial values of a domain: every combination of the rows of some tables, that of the last one changing
    fastest, in the order of plain Python."""
    if isinstance(domain.init, AnyOf) and not domain.init.values:
        return _any(domain)
    parts = [] if domain.has_init else domain.parts()
    if not parts:
        return [_listed(domain, domain.initials())]
    return [table for _, part in parts for table in tables(part)]


def _any(domain: Domain) -> list[Table]:
    """The same for all values of a domain."""
    if _is_free(domain):
        return [range(cell.lo, cell.hi + 1) for cell in domain.cells("")]
    if isinstance(domain, Structure):
        return [table for _, part in domain.parts() for table in _any(part)]
    return [_listed(domain, domain.values())]


def _is_free(domain: Domain) -> bool:
    """Whether each combination of what its cells may hold is another value of a domain."""
    pieces = list(domain.pieces())
    free = all(piece.exists is None and _is_free(piece.domain) for piece in pieces)
    return isinstance(domain, Scalar) or (bool(pieces) and free and domain.most is None)


def _listed(domain: Domain, values: Iterable[Any]) -> Table:
    found = list[list[int]]()
    for value in values:
        found.append([])
        domain.encode(value, found[-1])
    return np.array(found, np.int64).reshape(len(found), domain.size)


def cells(some: Sequence[Table], most: int) -> list[list[int]]:
    """The first combinations of the rows of some tables."""
    numbers, columns = np.arange(min(most, math.prod(map(len, some)))), list[Any]()
    for table in reversed(some):
        columns.append(_rows(table, numbers % len(table)))
        numbers = numbers // len(table)
    found: list[list[int]] = np.hstack(columns[::-1]).tolist()
    return found


def _rows(table: Table, numbers: Any) -> Any:
    return (numbers + table.start).reshape(-1, 1) if isinstance(table, range) else table[numbers]


def width(table: Table) -> int:
    """How many cells it gives a value."""
    return 1 if isinstance(table, range) else int(table.shape[1])


def packed(table: Table, fields: Sequence[Field], words: int, numbers: Any) -> Any:
    """Some rows of a table as words of a state."""
    rows, found = _rows(table, numbers), np.zeros((len(numbers), words), np.uint64)
    for column, field in enumerate(fields):
        found[:, field.word] |= (rows[:, column] - field.lo).astype(np.uint64) << np.uint64(field.shift)
    return found


def narrowed(spec: Spec) -> list[tuple[int, int]]:
    """Of each cell of a state between which values it lies initially, as declared."""
    found: list[tuple[int, int]] = []
    for table in itertools.chain.from_iterable(map(tables, spec.domains.values())):
        if isinstance(table, range):
            found.append((table.start, table.stop - 1))
        else:
            found += zip(table.min(axis=0).tolist(), table.max(axis=0).tolist(), strict=True)
    return found
