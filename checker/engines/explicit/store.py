"""The store of a search: the visited states and their table, shared by all workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol

import numpy as np

from ...backends.native import Compiled
from ...backends.native.interface import LANES, PAGE, CompressedLayout
from ...errors import EverystateError
from ..memory import Region, Workspace, shown
from .part_tables import BLOCK, OutOfRoom, PartTables, Roots, spread

FIRST_BITS = 14
FULL = 0.8
"""Share of used slots at which the table doubles: probes stay short, slots cost 5 to 10 bytes a state."""
TIGHT = 0.95
"""Share of used slots at which the search ends where the table cannot double."""
MAX_BITS = 30
"""A slot of 32 bits has an index, a mark and at least one bit of a tag."""

WORTH_SHARING = 1 << 14
"""Buckets of a table that several threads divide."""

Ranges = list[tuple[int, int]]
"""Indexes of states as (first, one past the last), ascending."""


class AttachedWorker(Protocol):
    """A worker as the store sees it: where its context is, and that it must get the address of a new table."""

    @property
    def pointer(self) -> int: ...

    def look(self) -> None: ...


class RootsTooNarrow(Exception):
    """The numbers of the parts need more words of a root."""


class Store:
    """States with their table, in memory of at most `limit` bytes, for a number of workers.

    Invariant while no worker stores anything: `table` finds exactly the stored states, and `used` plus the
    successors of one batch for each worker stays below `limit`. Indexes below `used` that no worker has
    filled, the rests of the pages at the end of a level, are in no range and in no slot.
    """

    def __init__(self, compiled: Compiled, limit: int, workers: int = 1) -> None:
        program = compiled.program
        self.compiled, self.program, self.budget = compiled, program, limit
        self.words, self.key_words = program.words, program.key_words
        self.viewed = program.viewed
        self.part_tables: PartTables | None = None
        self.room = compiled.batch * program.most_successors
        rows = min(limit // self.record + 1, 1 << MAX_BITS)
        self.capacity = min(limit // (self.record - 8 * self.words + 8) + 1, 1 << MAX_BITS)
        self.arena, self.via_region = self._region("states", rows * 8 * self.words), Region(self.capacity * 2)
        self.states = self._records(self.words)
        self.keys = self._region("keys", self.capacity * 8 * self.key_words) if self.viewed else self.arena
        self.claimed = Workspace(8).array((1,), np.uint64)
        self.bits, self.level_start, self.share = FIRST_BITS, 0, FULL
        slack = self.slack(workers)
        while slack > FULL * (1 << self.bits) / 2:
            self.bits += 1
        least = (4 << self.bits) + (slack + 1) * (self.record + 2)
        if limit < least:
            raise EverystateError("E504", None, size=shown(limit), need=shown(least))
        self.table = self._region("table", self._most_table())

    def _region(self, name: str, size: int) -> Region:
        """Memory for data that outlives a level: states, keys or table."""
        return Region(size)

    def _records(self, words: int) -> Any:
        """The arena as records of a number of words, a row each."""
        numbers = self.arena.array(np.uint64)
        return numbers[: len(numbers) // words * words].reshape(-1, words)

    @property
    def record(self) -> int:
        """Bytes of a state in the arenas."""
        words = self.words if self.part_tables is None else self.part_tables.roots.words
        return 8 * words + (8 * self.key_words if self.viewed else 0)

    def slack(self, workers: int) -> int:
        """Indexes that so many workers may use before any of them checks for space."""
        return self.room if workers == 1 else workers * (self.room + PAGE)

    @property
    def used(self) -> int:
        """One past the last used index."""
        return int(self.claimed[0])

    @used.setter
    def used(self, index: int) -> None:
        self.claimed[0] = index

    @property
    def limit(self) -> int:
        """Indexes that fit before the table must grow."""
        return min(int(self.share * (1 << self.bits)), self._rows_beside(self.bits))

    @property
    def _most_here(self) -> int:
        """Indexes that fit into this table where it is filled as far as possible."""
        return min(int(TIGHT * (1 << self.bits)), self._rows_beside(self.bits))

    @property
    def bytes(self) -> int:
        """Memory in use for states: arena, keys, table and the level's bookkeeping."""
        return self.bytes_of(self.used, self.used - self.level_start)

    def bytes_of(self, states: int, last: int) -> int:
        """Memory for a number of states, of which `last` are in the last level."""
        return states * self.record + (4 << self.bits) + 2 * last + self._parts

    @property
    def _parts(self) -> int:
        """Memory for the parts of compressed states."""
        return 0 if self.part_tables is None else self.part_tables.bytes

    def _most_table(self) -> int:
        """The maximum size of the table in bytes under the memory limit."""
        bits = self.bits
        while bits < MAX_BITS and self.capacity > FULL * (1 << bits):
            bits += 1
        return 4 << bits

    def _rows_beside(self, bits: int) -> int:
        """States that fit into the memory limit beside a table of 2^bits slots."""
        left = self.budget - (4 << bits) - self._parts
        return min(left // (self.record + 2), len(self.states) - 1, self.capacity - 1)

    def roomy(self, slack: int) -> bool:
        """Whether so many more states fit."""
        return self.used + slack <= self.limit and not (self.part_tables is not None and self.part_tables.short(slack))

    def grow(
        self, workers: Sequence[AttachedWorker], slack: int, pool: Executor | None = None, tighten: bool = True
    ) -> None:
        """Double the table while no worker runs, in the threads of a pool. Where memory forbids it, or has more states
        beside this table, `tighten` the table, that is, fill it further; OutOfRoom if that does not help.

        When only the tables of parts are full, these grow.
        """
        if self.part_tables is not None and self.part_tables.short(slack):
            self._grow_parts(workers, slack)
            if self.roomy(slack):
                return
        bigger = self.bits + 1
        if bigger > MAX_BITS or max(self.used + slack, self._most_here) > self._rows_beside(bigger):
            if not tighten or self.share == TIGHT:
                raise OutOfRoom
            self.share = TIGHT
            for worker in workers:
                worker.look()
            if not self.roomy(slack):
                raise OutOfRoom
            return
        context, buckets = workers[0].pointer, (1 << self.bits) // LANES
        share = -(-buckets // len(workers)) if pool is not None and buckets >= WORTH_SHARING else buckets
        displaced = [Region(8 * LANES * share) for _ in range(0, buckets, share)]

        def divide(part: int) -> int:
            start, end = part * share, min((part + 1) * share, buckets)
            return int(self.compiled.divide(context, displaced[part].address, start, end))

        parts = range(len(displaced))
        numbers = list(map(divide, parts) if pool is None or len(parts) == 1 else pool.map(divide, parts))
        self.bits = bigger
        for worker in workers:
            worker.look()
        for part, number in zip(displaced, numbers, strict=True):
            self.compiled.reinsert(context, part.address, number)

    @property
    def shortage(self) -> str:
        """Why no more states fit, and what would be needed."""
        if self.bits == MAX_BITS:
            most = f"{int(TIGHT * (1 << MAX_BITS)):,}"
            return f"one process stores at most {most} states (--spill DIR or --engine spark stores more)"
        twice = 2 * self.used * (self.record + 2) + (8 << self.bits) + self._parts
        used = f"{shown(self.bytes)} are used, twice as many states need about {shown(twice)}"
        return f"the memory limit of {shown(self.budget)} is reached ({used})"

    def _grow_parts(self, workers: Sequence[AttachedWorker], slack: int) -> None:
        assert self.part_tables is not None
        self.part_tables.grow(self.compiled, slack)
        if self.part_tables.short(slack):
            roots = spread(self.part_tables.compression.places, self.part_tables.needed(slack))
            if roots is None:
                raise RootsTooNarrow
            self._make_roots(roots)
        for worker in workers:
            worker.look()

    # -- compressing -------------------------------------------------------------------------------------------

    def compress(self, compiled: Compiled) -> None:
        """Compress all states in place, with code for that; `lay` sets the layout of roots. No worker is running."""
        assert self.part_tables is None and compiled.compression is not None
        part_tables = PartTables(compiled.compression, self.budget)
        roots = self._records(part_tables.roots.words)
        for start, end in pieces([(0, self.used)], BLOCK):
            roots[start:end] = part_tables.roots.packed(part_tables.numbers(compiled, self.states[start:end]))
        self.part_tables, self.compiled, self.states = part_tables, compiled, roots

    def fits(self, compression: CompressedLayout, slack: int) -> bool:
        """Whether the numbers of all parts fit into a compression with the groups of this one."""
        assert self.part_tables is not None
        return spread(compression.places, self.part_tables.needed(slack)) is not None

    def lay(self, compiled: Compiled, slack: int) -> None:
        """Use the code for states whose roots have as many words as needed."""
        assert self.part_tables is not None and compiled.compression is not None
        roots = spread(compiled.compression.places, self.part_tables.needed(slack))
        assert roots is not None, "the compression was fitted"
        self.compiled, self.part_tables.compression = compiled, compiled.compression
        self._make_roots(roots)
        self.part_tables.grow(compiled, slack)
        self.arena.forget(8 * self.used * roots.words)

    def _make_roots(self, roots: Roots) -> None:
        """Rewrite all roots in place: from the last on when they get longer."""
        assert self.part_tables is not None
        old, before, after = self.part_tables.roots, self.states, self._records(roots.words)
        blocks = list(pieces([(0, self.used)], BLOCK))
        for start, end in blocks if roots.words <= old.words else reversed(blocks):
            after[start:end] = roots.packed(old.numbers(before[start:end]))
        self.states = after
        self.part_tables.lie(roots)

    # -- reading -------------------------------------------------------------------------------------------

    def block(self, start: int, end: int, step: int = 1) -> Any:
        """The words of the states start..end-1, or of every step-th of them, a row each."""
        if self.part_tables is None:
            return self.states[start:end:step]
        number = len(range(start, end, step))
        found = np.empty((number, self.words), np.uint64)
        self.compiled.decompress(self.arena.address, self.part_tables.address, start, step, number, found.ctypes.data)
        return found

    def states_at(self, indexes: Any) -> Any:
        """The words of the states at some indexes, a row each."""
        some = np.ascontiguousarray(self.states[indexes])
        if self.part_tables is None:
            return some
        found = np.empty((len(some), self.words), np.uint64)
        self.compiled.decompress(some.ctypes.data, self.part_tables.address, 0, 1, len(some), found.ctypes.data)
        return found

    def keys_at(self, indexes: Any) -> Any:
        """The words that identify the states at some indexes, a row each."""
        if not self.viewed:
            return self.states_at(indexes)
        return self.keys.array(np.uint64)[: self.capacity * self.key_words].reshape(-1, self.key_words)[indexes]

    def rows(self, ranges: Ranges) -> Any:
        """The states of some ranges, a row each."""
        return np.concatenate([self.block(start, end) for start, end in ranges] or [self.block(0, 0)])


def without(start: int, end: int, holes: Sequence[tuple[int, int]]) -> Ranges:
    """The indexes start..end-1 but for some holes."""
    found = []
    for first, last in sorted(hole for hole in holes if hole[0] < hole[1]):
        if start < first:
            found.append((start, first))
        start = max(start, last)
    return [*found, (start, end)] if start < end else found


def size(ranges: Ranges) -> int:
    """How many indexes some ranges have."""
    return sum(end - start for start, end in ranges)


def evenly(store: Store, ranges: Ranges, most: int) -> Iterator[Any]:
    """At most `most` states of some ranges, at even distances."""
    step = max(1, -(-size(ranges) // most))
    for start, end in ranges:
        yield from store.block(start, end, step)


def pieces(ranges: Ranges, most: int) -> Iterator[tuple[int, int]]:
    """The same indexes in ranges of limited size."""
    for start, end in ranges:
        for at in range(start, end, most):
            yield at, min(at + most, end)


def shares(ranges: Ranges, least: int, workers: int) -> Iterator[tuple[int, int]]:
    """The same indexes in ranges that get smaller towards the end, so that all workers end together.

    Guided self-scheduling (C. D. Polychronopoulos and D. J. Kuck, 1987): a quarter of an even share of the rest, from
    16 times `least` down to `least`.
    """
    left = size(ranges)
    for start, end in ranges:
        while start < end:
            most = max(least, min(16 * least, left // (4 * workers)))
            stop = min(start + most, end)
            yield start, stop
            left -= stop - start
            start = stop
