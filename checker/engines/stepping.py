"""Steps without a store: the successors of some states, their counters, and the owner of each.

The result for a block of states depends on that block alone, so it may be expanded again, anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..backends.native import Compiled
from ..backends.native.program import Group
from .expansion import Expansion


class Expander:
    """Expands states as the search loop in machine code does, up to the point where successors are stored."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.shape = compiled, compiled.program
        self.expansion = Expansion(compiled)

    def successors(self, states: Any) -> tuple[Any, Any, Any]:
        """(successors inside the constraints, their actions, the counters)."""
        self.expansion.counters[:] = 0
        parts = [self._part(block) for block in self.expansion.parts(states)]
        counters = self.expansion.counters.copy()
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), counters

    def _part(self, states: Any) -> tuple[Any, Any]:
        out, sources = self.expansion.expand(states)
        actions = self.expansion.actions(slice(len(out)))
        self._count(self.shape.counters.hits, self.shape.step_groups, out, states, sources)
        if not self.shape.constrained:
            return out.copy(), actions.copy()
        inside = self.expansion.inside(out)
        outside = out[~inside]
        self.expansion.counters[self.shape.counters.outside] += np.uint64(len(outside))
        self._count(self.shape.counters.beyond, self.shape.state_groups, outside)
        return out[inside], actions[inside]

    def _count(self, at: Callable[[int], int], groups: Iterable[Group], *given: Any) -> None:
        """Add the states (or steps) in which each watch of some groups holds."""
        for watch, holds in self.expansion.judged(groups, *given):
            self.expansion.counters[at(watch)] += np.uint64(np.count_nonzero(holds))


def parted(compiled: Compiled, states: Any, owners: int) -> Iterator[tuple[int, Any]]:
    """(owner, positions of its states), in the order of owners; within one, similar states lie together.

    Hashing has torn similar states apart. Sorted by the upper bits of their first word (20 ns for a state), they take
    a third less when they are packed. With a view the order stays, since the first of equal states is kept.
    """
    states = np.ascontiguousarray(states)
    found = np.zeros(len(states), np.uint64)
    compiled.owners_of(states.ctypes.data, len(states), owners, found.ctypes.data)
    narrow: Any = found.astype(np.uint16 if owners <= 1 << 16 else np.uint32)
    order = np.arange(len(states)) if compiled.program.viewed else _similar(states)
    order = order[np.argsort(narrow[order], kind="stable")]
    ends = np.cumsum(np.bincount(narrow, minlength=owners))
    for owner in np.flatnonzero(np.diff(ends, prepend=0)):
        yield int(owner), order[ends[owner - 1] if owner else 0 : ends[owner]]


def _similar(states: Any) -> Any:
    """Positions in the order of the first word; those of equal upper bits ascend, for any sorting algorithm."""
    mask = np.uint64((1 << len(states).bit_length()) - 1)
    keys = (states[:, 0] & ~mask) | np.arange(len(states), dtype=np.uint64)
    return (np.sort(keys) & mask).astype(np.intp)
