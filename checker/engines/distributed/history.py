"""The history of a distributed search: the first levels are in this process, the others in the work folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.probe import Probe, stopped
from ..expansion import Expansion, Found, merged
from ..history import History
from ..store import FIRST_BITS, FULL
from .cluster import Cluster, Level


class StoredHistory(History):
    """Queries about levels in the work folder are jobs: each task answers for its blocks, the driver merges."""

    def __init__(self, near: History, cluster: Cluster, levels: Sequence[Level], counts: Sequence[int]) -> None:
        super().__init__(near.compiled, near.store, near.levels)
        self.near, self.cluster, self.stored, self.counts = near, cluster, levels, counts

    @property
    def depth(self) -> int:
        return len(self.levels) + len(self.stored)

    @property
    def distinct(self) -> int:
        return sum(self.counts)

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
        return merged(self.cluster.ask([self.stored[level - near - 1]], partial(_query, query, arguments)))

    def guards(self, probe: Probe) -> Any:
        self.cluster.describe("guards of an action that was never enabled")
        found = [self.near.guards(probe), *self.cluster.ask(self.stored, partial(_stopped, probe))]
        return np.sum(found, axis=0, dtype=np.uint64)

    def sample(self, first: int, last: int) -> Iterator[Any]:
        """From the first levels and from the stored ones, as evenly as these go: of a stored level from one block."""
        near, stored = len(self.levels), len(self.stored)
        here = [number * near // (near + stored) for number in (first, last)]
        yield from self.near.sample(*here)
        if stored:
            self.cluster.describe("sample for the comparison with plain Python")
            there = [-(-(number - part) // stored) for number, part in zip((first, last), here, strict=True)]
            step = max(1, stored // max(1, last))
            yield from self.cluster.some(self.stored[::-step], *there)


def _query(query: str, arguments: tuple[Any, ...], compiled: Compiled, blocks: Iterable[Any]) -> Found:
    expansion = Expansion(compiled)
    parts = (part for block in blocks for part in expansion.parts(block))
    found: Found = getattr(expansion, query)(parts, *arguments)
    return found


def _stopped(probe: Probe, _: Compiled, blocks: Iterable[Any]) -> Any:
    return stopped(probe, blocks)
