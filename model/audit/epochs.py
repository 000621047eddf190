"""The sequences of one epoch of a producer: which were written, as intervals, and which were skipped.

Sequences are lifted: a number is taken for the one nearest to its predecessor modulo 2^31, so that a wrap is a step of
one and a number that returns after a wrap is not taken for a duplicate.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from .schema import FIELDS, Columns
from .segment import MODULUS

HALF = MODULUS >> 1
CHAINS = 512
"""Chains of an epoch that are searched for the original of a duplicate."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Batch:
    """One batch, with the values of FIELDS."""

    unit: int
    section: int
    number: int
    position: int
    base_offset: int
    last_offset: int
    first_sequence: int
    last_sequence: int
    epoch: int
    leader_epoch: int
    flags: int
    content: int
    holes: int


@dataclass
class SequenceGap:
    """Lifted sequences [first, last] that were skipped between two batches."""

    first: int
    last: int
    batch: Batch
    other: Batch | None


@dataclass
class Chain:
    """Batches of a producer and epoch that follow each other, as columns, with their lifted first sequences."""

    columns: Columns
    lifted: Array

    def batch(self, at: int) -> Batch:
        """One of them."""
        return Batch(*(int(self.columns[name][at]) for name in FIELDS))

    def __len__(self) -> int:
        return len(self.lifted)

    def length(self) -> Array:
        """The number of sequences of each."""
        return (self.columns["last_offset"] - self.columns["base_offset"] + 1).astype(np.int64)

    def part(self, first: int, last: int) -> Chain:
        """The batches from first to before last."""
        return Chain({name: values[first:last] for name, values in self.columns.items()}, self.lifted[first:last])


class Epoch:
    """The sequences of one epoch: disjoint intervals that were written, in order, and the jumps between them."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: dict[int, int] = {}
        self.top = -1
        self.top_batch: Batch | None = None
        self.previous = 0
        self.jumps: list[SequenceGap] = []
        self.kept: deque[Chain] = deque(maxlen=CHAINS)

    def lift(self, sequence: int) -> int:
        """A sequence number lifted to the value nearest to that of the batch before."""
        if not self.starts:
            return sequence
        return self.previous + (sequence - self.previous + HALF) % MODULUS - HALF

    def overlaps(self, first: int, last: int) -> bool:
        """Whether a sequence of [first, last] was written before."""
        at = bisect_right(self.starts, last)
        return at > 0 and self.ends[self.starts[at - 1]] >= first

    def cover(self, first: int, last: int) -> None:
        """[first, last] is written; parts of it may have been."""
        at = bisect_right(self.starts, first)
        if at and self.ends[self.starts[at - 1]] >= first - 1:
            start = self.starts[at - 1]
            self.ends[start] = max(self.ends[start], last)
        else:
            start = first
            insort(self.starts, first)
            self.ends[first] = last
            at += 1
        while at < len(self.starts) and self.starts[at] <= self.ends[start] + 1:
            self.ends[start] = max(self.ends[start], self.ends.pop(self.starts.pop(at)))

    def missing(self, first: int, last: int) -> int:
        """How many of [first, last] were never written."""
        count, at = last - first + 1, max(0, bisect_right(self.starts, first) - 1)
        while at < len(self.starts) and self.starts[at] <= last:
            start = self.starts[at]
            count -= max(0, min(last, self.ends[start]) - max(first, start) + 1)
            at += 1
        return count

    def reach(self, last: int, chain: Chain, at: int) -> None:
        """A batch of a chain ends with this sequence, which may be the highest."""
        if last > self.top:
            self.top, self.top_batch = last, chain.batch(at)

    def original(self, first: int, last: int) -> Batch | None:
        """The newest remembered batch that shares a sequence with [first, last]."""
        for chain in reversed(self.kept):
            at = int(np.searchsorted(chain.lifted, last, "right")) - 1
            if at >= 0 and chain.lifted[at] + int(chain.length()[at]) > first:
                return chain.batch(at)
        return None
