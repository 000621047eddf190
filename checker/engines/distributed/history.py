"""The history of a distributed search: the first levels are in this process, the others in the work folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.probe import Probe, stopped
from ...ir.layout import Layout
from ..crosscheck.compiled_steps import Answer, answers
from ..crosscheck.selection import WantedStates, by_turns, hashes, least_hashes, quotas, single
from ..expansion import Expansion, Found, merged
from ..explicit.growth import extremes
from ..explicit.history import History, Key
from ..explicit.store import FIRST_BITS, FULL, size
from .checkpoint import CompleteLevel
from .cluster import Cluster, Level

Blocks = Iterable[tuple[int, Any]]
"""Levels and states of them."""
SMALL = 1 << 16
"""States of a level up to which a sample reads all partitions."""
PER_PARTITION = 16
"""States of a sample that come from one partition, where the level is larger."""


class StoredHistory(History):
    """The levels of a distributed search. Queries on the work folder are jobs; the driver merges the answers for
    blocks.

    `built` are the levels in this process; `unfinished` is one that a limit has cut off. `counts` are by partition.
    """

    def __init__(
        self,
        near: History,
        cluster: Cluster,
        built: Sequence[CompleteLevel],
        unfinished: CompleteLevel | None,
        counts: Sequence[int],
    ) -> None:
        super().__init__(near.compiled, near.store, near.levels)
        self.near, self.cluster, self.counts = near, cluster, counts
        self.built = [found for found in built if found.states]
        everything = [*self.built, *([unfinished] if unfinished else [])]
        self.stored: list[Level] = [found.level for found in everything]
        self.sizes = [*map(size, near.levels), *(found.states for found in everything)]

    @property
    def depth(self) -> int:
        return len(self.levels) + len(self.built)

    @property
    def near_depth(self) -> int:
        return len(self.levels)

    @property
    def last(self) -> int:
        """The number of the last level, also of one that was cut off."""
        return len(self.levels) + len(self.stored)

    @property
    def distinct(self) -> int:
        return sum(self.counts)

    @property
    def levels_here(self) -> int:
        return len(self.levels)

    def upto(self, level: int) -> int:
        return sum(self.sizes[: max(0, level)])

    @property
    def bytes(self) -> int:
        """What the shards of all partitions take: records, and tables that are at most four fifths full."""
        slots = sum(1 << max(FIRST_BITS, int(count / FULL).bit_length()) for count in self.counts)
        return self.distinct * self.store.record + 4 * slots

    def ask(self, level: int, query: str, *arguments: Any) -> Found:
        near = len(self.levels)
        if level <= near:
            return super().ask(level, query, *arguments)
        self.cluster.describe(f"trace: {query} in level {level:,}")
        return merged(self.cluster.ask(self._far([level]), partial(_query, query, arguments)))

    def _far(self, levels: Iterable[int]) -> list[Level]:
        """The folders of those levels that are in the work folder."""
        return [self.stored[level - len(self.levels) - 1] for level in levels if len(self.levels) < level <= self.last]

    def guards(self, probe: Probe) -> Any:
        self.cluster.describe("guards of an action that was never enabled")
        found = [self.near.guards(probe), *self.cluster.ask(self.stored, partial(_stopped, probe))]
        return np.sum(found, axis=0, dtype=np.uint64)

    # -- for the comparison with plain Python --------------------------------------------------------------

    def answers(self, first: int, last: int, probes: Mapping[str, Probe]) -> Iterator[tuple[int, Answer]]:
        """Results of machine code for a sample, taken as evenly from all levels as in one process. Executors give the
        same results. States of a large level come from a few partitions, in turns from all."""
        shares = dict(enumerate(zip(quotas(self.sizes, first), quotas(self.sizes, last), strict=True), start=1))
        near = len(self.levels)
        for level in range(1, near + 1):
            rows = (row for _, row in self._picked(level, *shares[level]))
            yield from ((level, said) for said in answers(self, rows, probes))
        wanted = {
            level: shares[level] for level in range(near + 1, self.last + 1) if shares[level][1] > shares[level][0]
        }
        most = max((end for _, end in wanted.values()), default=0)
        whole = [n for n, (_, end) in wanted.items() if self.sizes[n - 1] <= max(SMALL, 4 * end)]
        self.cluster.describe("sample for the comparison with plain Python")
        each = -(-most // PER_PARTITION)
        ends = {level: end for level, (_, end) in wanted.items()}
        found = self.cluster.some(self._far(wanted), whole, each, partial(_answers, ends, dict(probes)))
        said = [pair for part in found for pair in part]
        by_level = [
            sorted((a for n, a in said if n == level), key=lambda a: (hashes(a.row)[0], a.row.tobytes()))[start:end]
            for level, (start, end) in wanted.items()
        ]
        yield from by_turns([[(level, a) for a in some] for level, some in zip(wanted, by_level, strict=True)])

    def levels_of(self, keys: Collection[Key]) -> dict[Key, int]:
        found = self.near.levels_of(keys)
        self.cluster.describe("whether successors are stored")
        for part in self.cluster.ask(self.stored, partial(_levels_of, WantedStates(keys, self.program.key_words))):
            found |= part
        return found

    def extremes(self, layout: Layout, levels: Collection[int]) -> list[tuple[int, ...]]:
        self.cluster.describe("which variables grow")
        here = self.near.extremes(layout, levels)
        return [
            *here,
            *(row for part in self.cluster.ask(self._far(levels), partial(_extremes, layout)) for row in part),
        ]


def _query(query: str, arguments: tuple[Any, ...], compiled: Compiled, blocks: Blocks) -> Found:
    expansion = Expansion(compiled)
    parts = (part for _, block in blocks for part in expansion.parts(block))
    found: Found = getattr(expansion, query)(parts, *arguments)
    return found


def _stopped(probe: Probe, _: Compiled, blocks: Blocks) -> Any:
    return stopped(probe, (block for _, block in blocks))


def _answers(
    ends: Mapping[int, int], probes: Mapping[str, Probe], compiled: Compiled, blocks: Blocks
) -> list[tuple[int, Answer]]:
    """Results of local machine code for the states with the least hashes; at most so many for each level."""
    expansion, said = Expansion(compiled), []
    for level, block in blocks:
        rows = single(least_hashes(partial(_alone, block), len(block), 0, min(ends[level], len(block))))
        said += [(level, each) for each in answers(expansion, rows, probes)]
    return said


def _alone(block: Any) -> list[Any]:
    return [block]


def _levels_of(wanted: WantedStates, compiled: Compiled, blocks: Blocks) -> dict[Key, int]:
    expansion = Expansion(compiled)
    viewed = compiled.program.viewed
    return {key: n for n, block in blocks for _, key in wanted.among(expansion.keys(block) if viewed else block)}


def _extremes(layout: Layout, _: Compiled, blocks: Blocks) -> list[tuple[int, ...]]:
    return extremes(layout, (block for _, block in blocks))
