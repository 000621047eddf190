"""What a partition reports about a level: its mark, and its counters."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native.program import Shape
from ..path_notes import LevelNotes, Noted, Notes

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
    """The digest of a partition's blocks, its counters, and a state of each path that was taken."""

    digest: bytes
    counters: Any
    noted: Noted

    def packed(self) -> bytes:
        """As bytes."""
        notes = (path.to_bytes(8, sys.byteorder) + row for path, row in sorted(self.noted.items()))
        return bytes(self.digest + self.counters.astype(np.uint64).tobytes() + b"".join(notes))


def unpacked(payload: Any, shape: Shape, digest: int = DIGEST) -> Stats:
    """The statistics in some bytes, with a digest of so many bytes."""
    raw, size = bytes(payload), 8 * (1 + shape.words)
    counters = np.frombuffer(raw, np.uint64, shape.counters.size, digest)
    cut = (raw[at : at + size] for at in range(digest + counters.nbytes, len(raw), size))
    return Stats(raw[:digest], counters, {int.from_bytes(note[:8], sys.byteorder): note[8:] for note in cut})


class Total:
    """The counters of all partitions so far, as a part of a search for Findings."""

    def __init__(self, counters: Any) -> None:
        self.counters = counters.copy()
        self.notes: Notes = LevelNotes({})

    def add(self, counters: Any, noted: Noted) -> None:
        """A level is complete."""
        self.counters, self.notes = self.counters + counters, LevelNotes(noted)
