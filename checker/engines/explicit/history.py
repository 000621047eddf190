"""The history of a search: finds shortest traces by walking the stored levels backwards.

A trace ends at the least state, by packed words, of those that show the violation at its first level, and continues
with the least predecessor in each level before. This choice depends only on the state space, so every engine gives the
same trace with any number of workers. A level is expanded once for all traces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, repeat, tee
from itertools import chain as joined
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.probe import Probe, stopped
from ...ir.layout import Layout
from ..crosscheck.compiled_steps import Answer, answers
from ..crosscheck.selection import WantedStates, by_turns, least_hashes, quotas, single
from ..expansion import LEAST, Expansion, Found, Words
from .growth import SAMPLE, extremes
from .lookup import indexes
from .store import Ranges, Store, evenly, pieces, size

Key = bytes
"""The key of a state: its words, or the terms of its view."""
BLOCKS, SPARE = 16, 4
"""Blocks of a level that are read for a sample, if they have so many times more states than it needs."""
KEPT = 512
"""States that are kept of a level for larger samples."""
ROWS_TOGETHER = 1 << 12
ROWS_AT_ONCE = 1 << 16
"""States that are read together where nothing is expanded."""


class History(Expansion):
    """The levels of a search that has ended."""

    def __init__(
        self, compiled: Compiled, store: Store, levels: Sequence[Ranges], unfinished: Sequence[tuple[int, int]] = ()
    ) -> None:
        super().__init__(compiled)
        self.store, self.levels, self.unfinished = store, levels, list(unfinished)
        self._kept: dict[int, Any] = {}

    @property
    def depth(self) -> int:
        """Levels, including that of the initial states."""
        return len(self.levels)

    @property
    def last(self) -> int:
        """The number of the last level, also of one that was not completed."""
        return self.depth + bool(self.unfinished)

    @property
    def near_depth(self) -> int:
        """The levels whose states can be read in this process."""
        return self.depth

    @property
    def distinct(self) -> int:
        """States, including those of an incomplete level."""
        return sum(self._sizes)

    def upto(self, level: int) -> int:
        """States of the first levels, up to a given one."""
        return sum(self._sizes[: max(0, level)])

    @property
    def bytes(self) -> int:
        """Size of the state store, without unused space of workers."""
        last = [*self.unfinished] or (self.levels[-1] if self.levels else [])
        return self.store.bytes_of(self.distinct, size(last))

    @cached_property
    def _sizes(self) -> list[int]:
        """The number of states of each level, including an incomplete one at the end."""
        return [size(found) for found in (*self.levels, *([self.unfinished] if self.unfinished else []))]

    def blocks(self, level: int, rows: int | None = None) -> Iterator[Any]:
        """The states of a level, in blocks of rows; level 1 is initial, the one after the last is unfinished."""
        ranges = self.levels[level - 1] if level <= self.depth else self.unfinished
        for start, end in pieces(ranges, rows or self.rows):
            yield self.store.block(start, end)

    def ask(self, level: int, query: str, *arguments: Any) -> Found:
        """The answer to a query, a method of Expansion by name, for a level."""
        found: Found = getattr(self, query)(self.blocks(level), *arguments)
        return found

    def guards(self, probe: Probe) -> Any:
        """How many attempts each site of a probe has stopped, over all states."""
        return stopped(probe, (block for level in range(1, self.depth + 1) for block in self.blocks(level)))

    def sample(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """Single states with their levels, evenly from all levels and twice as many from the last one: those of a
        sample of `last` states without those of a sample of `first` states.

        The choice depends on the states alone: in each level those with the least hashes. Of a level with more than a
        million states, those in some blocks, which depend on the order in which workers have stored them. The first
        sample goes level by level; later ones, which may end early, alternate between all levels.
        """
        shares = zip(quotas(self._sizes, first), quotas(self._sizes, last), strict=True)
        picked = [self._picked(level, *share) for level, share in enumerate(shares, start=1) if share[0] < share[1]]
        yield from by_turns(picked) if first else joined.from_iterable(picked)

    def _picked(self, level: int, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """Of a level with millions of states only some blocks are read, so that the end of a large search is short. Of
        a level of many states more than are asked for are kept, so that it is read once."""
        kept = self._kept.get(level, ())
        if last > len(kept):
            wide = self._sizes[level - 1] > ROWS_AT_ONCE
            kept = self._least(level, max(last, KEPT) if wide else last)
            if wide:
                self._kept[level] = kept
        for row in single(kept[first:last]):
            yield level, row

    def _least(self, level: int, last: int) -> Any:
        """The states of a level, or of some blocks of it, with the least hashes."""
        whole = list(pieces(self.levels[level - 1] if level <= self.depth else self.unfinished, ROWS_AT_ONCE))
        some = whole[:: -(-len(whole) // BLOCKS) or 1]
        read = whole if last > sum(end - start for start, end in some) // SPARE else some

        def blocks() -> Iterator[Any]:
            return (self.store.block(*piece) for piece in read)

        return least_hashes(blocks, sum(end - start for start, end in read), 0, last)

    def answers(self, first: int, last: int, probes: Mapping[str, Probe]) -> Iterator[tuple[int, Answer]]:
        """The results of machine code for the states of a sample, each with its level."""
        levels, rows = tee(self.sample(first, last))
        return zip((level for level, _ in levels), answers(self, (row for _, row in rows), probes), strict=True)

    def levels_of(self, keys: Collection[Key]) -> dict[Key, int]:
        """The levels of those states that exist: by the table, or if they are not found there, among all states."""
        found = self._looked_up(list(keys))
        missing = [key for key in keys if key not in found]
        if not missing:
            return found
        wanted = WantedStates(missing, self.program.key_words)
        for levels, rows in self._together():
            places = wanted.among(self.keys(rows) if self.program.viewed else rows)
            found.update((key, levels(at)) for at, key in places)
        return found

    def _looked_up(self, keys: Sequence[Key]) -> dict[Key, int]:
        """The levels of those states that the table of the store has."""
        ranges = sorted(
            (start, end, level)
            for level, some in enumerate((*self.levels, self.unfinished), start=1)
            for start, end in some
        )
        if not ranges or not keys:
            return {}
        starts, ends, levels = np.array(ranges, np.int64).T
        rows = np.frombuffer(b"".join(keys), np.uint64).reshape(-1, self.program.key_words)
        places = indexes(self.store, rows)
        at = np.searchsorted(starts, places, "right") - 1
        stored = (places >= 0) & (at >= 0) & (places < ends[at])
        return {key: int(levels[k]) for key, k, some in zip(keys, at, stored, strict=True) if some}

    def spread(self) -> Iterator[tuple[int, Any]]:
        """The states in blocks, each with its level: one of each level that this process can read, then another of
        each."""
        levels = range(1, self.levels_here + 1)
        yield from by_turns(zip(repeat(level), self.blocks(level, ROWS_TOGETHER), strict=False) for level in levels)

    @property
    def levels_here(self) -> int:
        """Levels whose states this process can read."""
        return self.last

    def levels_between(self, rows: Mapping[Key, tuple[int, int]]) -> dict[Key, int]:
        """The level of each of some states, given the first and the last one on which it may be."""
        found = {row: first for row, (first, last) in rows.items() if first == last}
        some = {row: where for row, where in rows.items() if row not in found}
        if some:
            first, last = min(first for first, _ in some.values()), max(last for _, last in some.values())
            wanted = WantedStates(list(some), self.program.words)
            for levels, block in self._together(first, last):
                found.update((row, levels(at)) for at, row in wanted.among(block))
        return found

    def _together(self, first: int = 1, last: int | None = None) -> Iterator[tuple[Callable[[int], int], Any]]:
        """The states of some levels, by default of all, with blocks of many narrow levels joined, and a function for
        the level of a row."""
        some, levels, rows = list[Any](), list[int](), 0
        for level in range(first, (self.last if last is None else last) + 1):
            for block in self.blocks(level, ROWS_AT_ONCE):
                some.append(block)
                levels.append(level)
                rows += len(block)
                if rows >= ROWS_AT_ONCE:
                    yield _level_in(some, levels), np.concatenate(some)
                    some, levels, rows = [], [], 0
        if some:
            yield _level_in(some, levels), np.concatenate(some)

    def extremes(self, layout: Layout, levels: Collection[int]) -> list[tuple[int, ...]]:
        """The least and the largest values of all cells in some levels, as growth shows them."""
        ranges = [self.levels[n - 1] if n <= self.depth else self.unfinished for n in levels]
        rows = [*evenly(self.store, [part for found in ranges for part in found], SAMPLE)]
        return extremes(layout, [np.array(rows).reshape(-1, self.program.words)])

    # -- where a violation first shows ----------------------------------------------------------------------

    def least_state(self, level: int, watch: int) -> Words | None:
        """The least state of a level in which a watch holds; states outside a constraint count too."""
        found = self.ask(level, "holding", watch) if level <= self.last else {}
        if found or level == 1:
            return found.get(LEAST)
        return self.ask(level - 1, "holding_outside", watch).get(LEAST)

    def least_step(self, level: int, watch: int) -> tuple[Words, Words] | None:
        """The least step out of a level in which a step watch holds."""
        found, half = self.ask(level, "steps", watch).get(LEAST), self.program.words
        return None if found is None else (found[:half], found[half:])

    def least_stuck(self, level: int) -> Words | None:
        """The least state of a level without any successor."""
        return self.ask(level, "stuck").get(LEAST)

    def least_faulty(self, level: int) -> Words | None:
        """The least state of a level in which an action fails."""
        return self.ask(level, "faulty").get(LEAST)

    # -- traces --------------------------------------------------------------------------------------------

    def behaviours(self, ends: Sequence[tuple[int, Words]]) -> list[list[Words]]:
        """For each (level, state): a shortest trace from an initial state to it."""
        chains: list[list[Words]] = [[state] for _, state in ends]
        for level in range(max((level for level, _ in ends), default=1), 1, -1):
            open_chains = [chain for chain, (end, _) in zip(chains, ends, strict=True) if end >= level]
            best = self.ask(level - 1, "predecessors", {chain[-1] for chain in open_chains})
            for chain in open_chains:
                chain.append(best[chain[-1]])
        return [chain[::-1] for chain in chains]


def _level_in(blocks: Sequence[Any], levels: Sequence[int]) -> Callable[[int], int]:
    """Finds the level of a row of some blocks."""
    ends = list(accumulate(map(len, blocks)))
    return lambda row: levels[bisect_right(ends, row)]
