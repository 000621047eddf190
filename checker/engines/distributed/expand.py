"""The first half of a level: expand blocks of states, and send each successor to its owner.

What a block gives depends on that block alone, so a task may run again anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from ...backends.native import Compiled
from ...backends.native.program import Group
from .blocks import COUNTS, SUCCESSORS, Row, batch, pack, rows, unpack
from .meter import KERNEL, reported, spending
from .plan import Task

ROWS = 4096


class Expander:
    """Expands states as the search loop in machine code does, up to the point where successors are stored."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.shape = compiled, compiled.program
        self.rows = max(1, min(ROWS, (1 << 22) // (self.shape.most_successors * 8 * self.shape.words)))
        capacity = self.rows * self.shape.most_successors
        self._out = np.empty((capacity, self.shape.words), np.uint64)
        self._actions, self._sources = np.empty(capacity, np.uint16), np.empty(capacity, np.uint32)

    def successors(self, states: Any) -> tuple[Any, Any, Any]:
        """(successors inside the constraints, their actions, what was counted)."""
        counters = np.zeros(self.shape.counters.size, np.uint64)
        with spending(KERNEL):
            parts = [self._part(states[at : at + self.rows], counters) for at in range(0, len(states), self.rows)]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), counters

    def _part(self, states: Any, counters: Any) -> tuple[Any, Any]:
        out, actions, sources = self._out, self._actions, self._sources
        pointers = [a.ctypes.data for a in (out, actions, sources, counters)]
        count = int(self.compiled.expand(states.ctypes.data, len(states), *pointers))
        for group in self.shape.step_groups:
            self._count(group, (out[:count], states, sources), counters)
        if not self.shape.constrained:
            return out[:count].copy(), actions[:count].copy()
        inside = np.zeros(count, np.uint64)
        self.compiled.inside_states(out.ctypes.data, count, inside.ctypes.data)
        outside = np.ascontiguousarray(out[:count][inside == 0])
        counters[self.shape.counters.outside] += np.uint64(len(outside))
        for group in self.shape.state_groups:
            self._count(group, (outside, None, None), counters)
        return out[:count][inside == 1], actions[:count][inside == 1]

    def _count(self, group: Group, given: tuple[Any, Any, Any], counters: Any) -> None:
        """Add the states (or steps) in which each watch of a group holds."""
        states, before, sources = given
        function, _ = self.compiled.flags(group.watches[0])
        flags = np.zeros(len(states), np.uint64)
        extra = [0 if a is None else a.ctypes.data for a in (before, sources)]
        function(states.ctypes.data, *extra, len(states), flags.ctypes.data)
        for bit, watch in enumerate(group.watches):
            held = np.count_nonzero(flags & np.uint64(1 << bit))
            counters[self.shape.counters.hits(watch)] += np.uint64(held)


def parted(compiled: Compiled, states: Any, owners: int) -> Iterator[tuple[int, Any]]:
    """(owner, positions of its states), in the order of owners; within one, similar states lie together.

    Hashing has torn similar states apart. Sorted by the upper bits of their first word (20 ns for a state), they take
    a third less when they are packed. With a view the order stays, since the first of equal states is kept.
    """
    states = np.ascontiguousarray(states)
    found = np.zeros(len(states), np.uint64)
    compiled.owners_of(states.ctypes.data, len(states), owners, found.ctypes.data)
    narrow = found.astype(np.uint16 if owners <= 1 << 16 else np.uint32)
    order = np.arange(len(states)) if compiled.program.viewed else _similar(states)
    order = order[np.argsort(narrow[order], kind="stable")]
    ends = np.cumsum(np.bincount(narrow, minlength=owners))
    for owner in np.flatnonzero(np.diff(ends, prepend=0)):
        yield int(owner), order[ends[owner - 1] if owner else 0 : ends[owner]]


def _similar(states: Any) -> Any:
    """Positions in the order of the first word; those of equal upper bits rise, whatever the algorithm of the sort."""
    mask = np.uint64((1 << len(states).bit_length()) - 1)
    keys = (states[:, 0] & ~mask) | np.arange(len(states), dtype=np.uint64)
    return (np.sort(keys) & mask).astype(np.intp)


def expand(task: Task, level: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blocks of states of a level -> blocks of successors for their owners, and what was counted."""
    with reported(task.clocks):
        yield from _expanded(task, level, Expander(task.kernel.value.compiled()), batches)


def _expanded(
    task: Task, level: int, expander: Expander, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for row in rows(batches):
        states, actions, counters = expander.successors(unpack(row, expander.shape.words))
        counted = Row(COUNTS, row.owner, level, row.owner, row.seq, 0, counters.tobytes())
        yield batch(counted, task.routes)
        for owner, mine in parted(expander.compiled, states, task.owners):
            block = pack(states[mine], actions[mine])
            yield batch(Row(SUCCESSORS, owner, level, row.owner, row.seq, len(mine), block), task.routes)
