"""What a partition reports about a level: its mark, and its counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native.program import Shape

DIGEST = 16
"""Bytes of a digest."""


@dataclass(frozen=True)
class Mark:
    """The progress of a partition: level, states up to it, digest of all blocks of states that it has given out."""

    level: int
    count: int
    digest: bytes


@dataclass(frozen=True)
class Stats:
    """The digest of a partition's blocks, and its counters."""

    digest: bytes
    counters: Any

    def packed(self) -> bytes:
        """As bytes."""
        return bytes(self.digest + self.counters.astype(np.uint64).tobytes())


def unpacked(payload: Any, shape: Shape) -> Stats:
    """The statistics in some bytes."""
    raw = bytes(payload)
    return Stats(raw[:DIGEST], np.frombuffer(raw, np.uint64, shape.counters.size, DIGEST))


class Total:
    """The counters of all partitions so far, as a part of a search for Findings."""

    def __init__(self, counters: Any) -> None:
        self.counters = counters.copy()

    def add(self, counters: Any) -> None:
        """A level is complete."""
        self.counters = self.counters + counters
