"""The history of a search: shortest behaviours, found by walking the stored levels backwards.

Of all states that show a violation at its first level the one with the least packed words is taken, and from
there on the least predecessor in each level before. This choice is a function of the state space alone, so
every engine and any number of workers give the same trace. A level is expanded again for all traces at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..backends.native import Compiled
from .shard import Shard

Words = tuple[int, ...]
ROWS = 4096


class History:
    """The levels of a search that has ended."""

    def __init__(
        self, compiled: Compiled, shards: Sequence[Shard], levels: Sequence[Sequence[tuple[int, int]]]
    ) -> None:
        self.compiled, self.program = compiled, compiled.program
        self.shards, self.levels = shards, levels
        self.rows = max(1, min(ROWS, (1 << 22) // (self.program.most_successors * 8 * self.program.words)))
        capacity = self.rows * self.program.most_successors
        self._out = np.empty((capacity, self.program.words), np.uint64)
        self._actions, self._sources = np.empty(capacity, np.uint16), np.empty(capacity, np.uint32)
        self._counters = np.zeros(self.program.counters.size, np.uint64)

    # -- reading levels ------------------------------------------------------------------------------------

    def blocks(self, level: int) -> Iterator[Any]:
        """The states of a level (1 is the initial one), some rows at a time."""
        for shard, (start, end) in zip(self.shards, self.levels[level - 1], strict=True):
            for at in range(start, end, self.rows):
                yield shard.states[at : min(at + self.rows, end)]

    def expand(self, block: Any) -> tuple[Any, Any]:
        """(successors, positions of their predecessors in the block)."""
        count = self.compiled.expand(
            block.ctypes.data,
            len(block),
            self._out.ctypes.data,
            self._actions.ctypes.data,
            self._sources.ctypes.data,
            self._counters.ctypes.data,
        )
        return self._out[:count], self._sources[:count]

    def expand_with_actions(self, block: Any) -> tuple[Any, Any]:
        """(successors, the action that leads to each)."""
        states, _ = self.expand(block)
        return states, self._actions[: len(states)]

    def flags(self, watch: int, states: Any, before: Any = None, sources: Any = None) -> Any:
        """Where a watch holds, as an array of truths."""
        function, bit = self.compiled.flags(watch)
        states = np.ascontiguousarray(states)
        found = np.zeros(len(states), np.uint64)
        extra = [0 if a is None else a.ctypes.data for a in (before, sources)]
        function(states.ctypes.data, *extra, len(states), found.ctypes.data)
        return (found >> np.uint64(bit)) & np.uint64(1) == 1

    # -- where a violation first shows ----------------------------------------------------------------------

    def least_state(self, level: int, watch: int) -> Words | None:
        """The least state of a level in which a watch holds; states outside a constraint count too."""
        found = _least(block[self.flags(watch, block)] for block in self._level_or_nothing(level))
        if found is not None or level == 1:
            return found
        outside = (self._outside(block) for block in self.blocks(level - 1))
        return _least(states[self.flags(watch, states)] for states in outside)

    def _level_or_nothing(self, level: int) -> Iterator[Any]:
        return self.blocks(level) if level <= len(self.levels) else iter(())

    def _outside(self, block: Any) -> Any:
        states, _ = self.expand(block)
        flags = np.zeros(len(states), np.uint64)
        self.compiled.inside_states(states.ctypes.data, len(states), flags.ctypes.data)
        return states[flags == 0]

    def least_step(self, level: int, watch: int) -> tuple[Words, Words] | None:
        """The least step out of a level in which a step watch holds."""

        def steps() -> Iterator[Any]:
            for block in self.blocks(level):
                states, sources = self.expand(block)
                hit = self.flags(watch, states, block, sources)
                yield np.hstack([block[sources[hit]], states[hit]])

        found = _least(steps())
        half = self.program.words
        return None if found is None else (found[:half], found[half:])

    def least_stuck(self, level: int) -> Words | None:
        """The least state of a level without any successor."""

        def stuck() -> Iterator[Any]:
            for block in self.blocks(level):
                _, sources = self.expand(block)
                alone = np.ones(len(block), bool)
                alone[sources] = False
                rows = block[alone]
                yield rows[[not self._fails(rows[i : i + 1]) for i in range(len(rows))]] if len(rows) else rows

        return _least(stuck())

    def least_faulty(self, level: int) -> Words | None:
        """The least state of a level in which an action fails."""
        return _least(rows for block in self.blocks(level) for rows in self._faulty(block))

    def _fails(self, block: Any) -> bool:
        counter = self.program.counters.faults
        before = int(self._counters[counter])
        self.expand(np.ascontiguousarray(block))
        return int(self._counters[counter]) > before

    def _faulty(self, block: Any) -> Iterator[Any]:
        if not self._fails(block):
            return
        if len(block) == 1:
            yield block
            return
        half = len(block) // 2
        yield from self._faulty(block[:half])
        yield from self._faulty(block[half:])

    # -- behaviours ----------------------------------------------------------------------------------------

    def behaviours(self, ends: Sequence[tuple[int, Words]]) -> list[list[Words]]:
        """For each (level, state): a shortest behaviour from an initial state to it."""
        chains: list[list[Words]] = [[state] for _, state in ends]
        for level in range(max((level for level, _ in ends), default=1), 1, -1):
            open_chains = [chain for chain, (end, _) in zip(chains, ends, strict=True) if end >= level]
            best = self._predecessors(level - 1, {chain[-1] for chain in open_chains})
            for chain in open_chains:
                chain.append(best[chain[-1]])
        return [chain[::-1] for chain in chains]

    def _predecessors(self, level: int, targets: set[Words]) -> dict[Words, Words]:
        best: dict[Words, Words] = {}
        for block in self.blocks(level):
            states, sources = self.expand(block)
            for target in targets:
                hits = np.flatnonzero(states[:, 0] == np.uint64(target[0]))
                for word in range(1, self.program.words):
                    hits = hits[states[hits, word] == np.uint64(target[word])]
                if len(hits):
                    found = _least([block[sources[hits]]])
                    assert found is not None
                    best[target] = min(found, best.get(target, found))
        return best


def _least(candidates: Any) -> Words | None:
    """The least row of some arrays, comparing word by word."""
    best: Words | None = None
    for rows in candidates:
        if len(rows):
            order = np.lexsort([rows[:, w] for w in reversed(range(rows.shape[1]))])
            row = tuple(int(v) for v in rows[order[0]])
            best = row if best is None else min(best, row)
    return best
