"""The notes of machine code: for each path of an action instance, the first state that took it.

They are in the array of counters, behind these (see `Counters`). Machine code writes a note where a path is taken for
the first time, and otherwise reads one byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..backends.native import Counters

Noted = dict[int, bytes]
"""For each path by its number, the words of a state that took it."""


class PathNotes:
    """The notes in an array of counters."""

    def __init__(self, array: Any, counters: Counters) -> None:
        notes = array[counters.size :].view(np.uint8)
        self._flags = notes[: counters.paths]
        self._words = array[counters.noted : counters.waiting].reshape(counters.paths, counters.words)

    def clear(self) -> None:
        """Forget which paths were taken."""
        self._flags[:] = 0

    def taken(self) -> frozenset[int]:
        """The paths that were taken."""
        return frozenset(np.flatnonzero(self._flags).tolist())

    def noted(self, known: Mapping[int, Any]) -> Noted:
        """The paths that were taken, with the first state of each; without those that are known already."""
        return {path: self._words[path].tobytes() for path in np.flatnonzero(self._flags).tolist() if path not in known}


class Notes(Protocol):
    """The paths that a part of a search took, each with a state; without those that are known already."""

    def noted(self, known: Mapping[int, Any]) -> Noted: ...


class LevelNotes:
    """The paths that were taken from the states of a level."""

    def __init__(self, found: Noted) -> None:
        self._found = found

    def noted(self, known: Mapping[int, Any]) -> Noted:
        """Those of them that were not taken before."""
        return {path: row for path, row in self._found.items() if path not in known}


@dataclass(frozen=True)
class TakenPath:
    """A path that a search took first on some level: a state there that takes it; `first` is that level, or the first
    of those on which it may be."""

    row: bytes
    first: int
    last: int


def merged(parts: Iterable[Noted]) -> Noted:
    """The notes of several workers: of each path the least state."""
    found: Noted = {}
    for part in parts:
        for path, row in part.items():
            found[path] = min(row, found.get(path, row))
    return found
