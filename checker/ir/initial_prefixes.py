"""The combinations of declared initial values that @initial methods may accept, found variable by variable.

A combination of the first variables is dropped where the methods refuse it whatever the other variables are: their
conditions are evaluated on intervals. So `one of 9 owners for each of 4 keys` tries some thousand combinations of 32
booleans, not 4,294,967,296.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .expr import Expr, Pool, cells_of
from .initial_states import Declared, narrowed, packed, tables, width
from .interval_arrays import IntervalArrays
from .traced import Model
from .tree import Branch, Choice, Fault, Tree, Update, folded, nodes

MANY = 1 << 20
"""Combinations up to which all are tried: machine code needs less than a tenth of a second."""
REST = 1 << 12
"""Combinations of the last variables that are not looked at one by one."""


class Prefixes:
    """The combinations in order, a block of packed rows at a time, without those that are refused early."""

    def __init__(self, model: Model, block: int) -> None:
        self.model, self.block, self.words = model, block, model.layout.words
        self.number = Declared(model.spec, model.layout).number
        self.condition = _may_begin(model)
        self._read = set(cells_of([self.condition])) if self.condition is not None else set[int]()
        self._free = narrowed(model.spec)
        self._tables, fields, at = list[tuple[int, Any, int]](), iter(model.layout.fields), 0
        for table in itertools.chain.from_iterable(map(tables, model.spec.domains.values())):
            own = list(itertools.islice(fields, width(table)))
            at += len(own)
            self._tables.append((len(table), partial(packed, table, own, self.words), at))

    @property
    def useful(self) -> bool:
        """Whether it pays to look at a part of the variables first."""
        return self.condition is not None and self.number > MANY

    def blocks(self) -> Iterator[tuple[Any, int]]:
        """Blocks of combinations, some of them empty, and how many combinations come before each."""
        yield from self._extended(np.zeros((1, self.words), np.uint64), np.zeros(1, np.int64), 0)

    def _extended(self, rows: Any, places: Any, done: int) -> Iterator[tuple[Any, int]]:
        """All combinations that begin with the values of `done` tables in some rows; `places` are the numbers of these
        among the combinations of the tables."""
        if done == len(self._tables):
            yield rows, int(places[0])
            return
        size, values, cells = self._tables[done]
        rest = math.prod(number for number, _, _ in self._tables[done + 1 :])
        for at in range(0, len(rows) * size, self.block):
            numbers = np.arange(at, min(at + self.block, len(rows) * size))
            longer = rows[numbers // size] | values(numbers % size)
            after = places[numbers // size] * size + numbers % size
            begin = int(after[0]) * rest
            first = cells - (self._tables[done - 1][2] if done else 0)
            if rest * size > REST and self._read.intersection(range(cells - first, cells)):
                accepted = self._accepted(longer, cells)
                longer, after = longer[accepted], after[accepted]
            if len(longer):
                yield from self._extended(longer, after, done + 1)
            else:
                yield longer, begin

    def _accepted(self, rows: Any, known: int) -> Any:
        """Which rows, of which so many cells are known, may become initial states."""
        fields = self.model.layout.fields

        def bounds(cell: int) -> tuple[Any, Any]:
            if cell >= known:
                return self._free[cell]
            f = fields[cell]
            values = ((rows[:, f.word] >> np.uint64(f.shift)) & np.uint64((1 << f.width) - 1)).astype(np.int64) + f.lo
            return values, values

        assert self.condition is not None
        return np.broadcast_to(IntervalArrays(bounds)(self.condition)[1], len(rows)) > 0


def _may_begin(model: Model) -> Expr | None:
    """The condition under which the @initial methods end or fail, as far as they read declared values."""
    parts = list[Expr]()
    for method in model.beginning:
        parts.append(folded(method.tree, partial(_ends, model.pool), None))
        if any(isinstance(node, Update) and node.writes for node in nodes(method.tree)):
            break
    return model.pool.and_(parts) if parts else None


def _ends(pool: Pool, node: Tree, parts: Any, known: None) -> Expr:
    match node:
        case Branch():
            negated = pool.not_(node.condition)
            return pool.or_([pool.and_([node.condition, parts[0]]), pool.and_([negated, parts[1]])])
        case Choice():
            return pool.or_(list(parts))
    return pool.truth(isinstance(node, (Update, Fault)))
