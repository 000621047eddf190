"""The states of a search that has run out of memory: in files, one for each share of the state space.

A hash assigns each state to a share. The files grow at their ends, level by level. For a new level the states of the
last one are read and expanded, and each successor is written to a file beside its share. Then one share after the other
is loaded into a store in memory, and its successors that are not in it are new. So every level costs one sequential
pass over all states. The search is exact: whole states are compared, by the same machine code as in memory (delayed
duplicate detection in shares: R. Korf, Linear-time disk-based implicit graph search, 2008).

A share that has outgrown memory is read twice, one half each time, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...backends.native import Compiled
from ...errors import EverystateError
from ..path_notes import LevelNotes, Notes
from ..stepping import Expander, parted
from .part_tables import OutOfRoom
from .store import Store
from .worker import Worker

SHARES = 32
"""Shares of the state space: at the memory limit, each takes that fraction of it."""
MOST = 1 << 20
"""The maximum number of parts of the space; more of them save nothing."""
ROWS = 1 << 14
"""States that are read or written at a time."""


class Disk:
    """Levels in files of a folder; `bounds` has for each level its end in the file of each share."""

    def __init__(self, folder: Path, compiled: Compiled, budget: int) -> None:
        self.folder, self.compiled, self.budget = folder, compiled, budget
        self.words = compiled.program.words
        self.bounds: list[list[int]] = [[0] * SHARES]
        self.passes = [1] * SHARES
        self.notes: Notes = LevelNotes({})

    @property
    def depth(self) -> int:
        """Complete levels."""
        return len(self.bounds) - 1

    def size(self, level: int) -> int:
        """The states of a level."""
        return sum(self.bounds[level]) - sum(self.bounds[level - 1])

    @property
    def distinct(self) -> int:
        """All states."""
        return sum(self.bounds[-1])

    # -- reading -------------------------------------------------------------------------------------------

    def level(self, number: int, rows: int = ROWS) -> Iterator[Any]:
        """The states of a level, some rows at a time."""
        for share in range(SHARES):
            yield from self._states(share, self.bounds[number - 1][share], self.bounds[number][share], rows)

    def _states(self, share: int, first: int, end: int, rows: int = ROWS) -> Iterator[Any]:
        if first == end:
            return
        with open(self._place(share), "rb") as file:
            file.seek(8 * self.words * first)
            for at in range(first, end, rows):
                yield self._read(file, min(rows, end - at))

    def _read(self, file: BinaryIO, rows: int) -> Any:
        data = file.read(8 * self.words * rows)
        if len(data) != 8 * self.words * rows:
            raise EverystateError("E627", None, level=self.depth, reason=f"{file.name} is shorter than it was")
        return np.frombuffer(data, np.uint64).reshape(rows, self.words)

    # -- writing -------------------------------------------------------------------------------------------

    def begin(self, level: Iterable[Any]) -> None:
        """Add a level of states that are known to be new."""
        ends = list(self.bounds[-1])
        for block in level:
            for share, mine in parted(self.compiled, block, SHARES):
                self._write(share, ends, np.ascontiguousarray(block)[mine])
        self.bounds.append(ends)

    def _write(self, share: int, ends: list[int], states: Any) -> None:
        """Write states at the end of a share; removes what an earlier attempt left there."""
        with open(self._place(share), "r+b" if self._place(share).exists() else "wb") as file:
            file.truncate(8 * self.words * ends[share])
            file.seek(0, 2)
            file.write(np.ascontiguousarray(states).tobytes())
        ends[share] += len(states)

    def build(self, always: int, never: int) -> Any:
        """Build the next level; returns its counters. OSError for a full disk: all earlier levels remain valid."""
        counters = self._expand()
        ends = list(self.bounds[-1])
        for share in range(SHARES):
            counters += self._settle(share, ends, always, never)
        self.bounds.append(ends)
        return counters

    def _expand(self) -> Any:
        """Write the successors of the last level, each to its share; returns the counters."""
        expander = Expander(self.compiled)
        self.notes = expander.expansion.notes
        counters = np.zeros(self.compiled.program.counters.size, np.uint64)
        for share in range(SHARES):
            self._beside(share).unlink(missing_ok=True)
        for block in self.level(self.depth):
            states, actions, counted = expander.successors(block)
            counters += counted
            rows = np.empty((len(states), self.words + 1), np.uint64)
            rows[:, :-1], rows[:, -1] = states, actions
            for share, mine in parted(self.compiled, states, SHARES):
                with open(self._beside(share), "ab") as file:
                    file.write(rows[mine].tobytes())
        return counters

    def _settle(self, share: int, ends: list[int], always: int, never: int) -> Any:
        """Write the new successors of a share; returns the counters."""
        while True:
            end, passes = ends[share], self.passes[share]
            try:
                counted = [self._passed(share, ends, p, always, never) for p in range(passes)]
                return np.sum(counted, axis=0, dtype=np.uint64)
            except OutOfRoom:
                if SHARES * passes >= MOST:
                    raise
                ends[share], self.passes[share] = end, 2 * passes

    def _passed(self, share: int, ends: list[int], number: int, always: int, never: int) -> Any:
        """The same for one of several parts of a share."""
        beside = self._beside(share)
        if not beside.exists():
            return np.zeros(self.compiled.program.counters.size, np.uint64)
        parts, mine = SHARES * self.passes[share], share * self.passes[share] + number
        kept = LoadedPart(self.compiled, self.budget)
        for states in self._states(share, 0, self.bounds[-1][share]):
            kept.put_back(self._of(states, states, parts, mine))
        kept.begin(always, never)
        with open(beside, "rb") as file:
            while data := file.read(8 * (self.words + 1) * ROWS):
                rows = np.frombuffer(data, np.uint64).reshape(-1, self.words + 1)
                rows = self._of(rows, rows[:, :-1], parts, mine)
                kept.receive(np.ascontiguousarray(rows[:, :-1]), rows[:, -1].astype(np.uint16))
        for block in kept.new():
            self._write(share, ends, block)
        return kept.worker.counters

    def _of(self, rows: Any, states: Any, parts: int, mine: int) -> Any:
        """The rows whose states belong to one part of the space, given the number of parts."""
        if parts == SHARES:
            return rows
        states, found = np.ascontiguousarray(states), np.zeros(len(states), np.uint64)
        self.compiled.owners_of(states.ctypes.data, len(states), parts, found.ctypes.data)
        return rows[found == mine]

    def _place(self, share: int) -> Path:
        return self.folder / f"{share}"

    def _beside(self, share: int) -> Path:
        return self.folder / f"{share}.next"


class LoadedPart:
    """A part of the space in memory, for one level."""

    def __init__(self, compiled: Compiled, budget: int) -> None:
        self.store = Store(compiled, budget)
        self.worker = Worker(self.store)
        self.worker.begin(1)
        self.worker.set("never", (1 << 64) - 1)

    def put_back(self, states: Any) -> None:
        """Store states of earlier levels; E627 for a duplicate."""
        before = self.worker.stored
        self.store.used = self.store.level_start = self.worker.get("next")
        self.worker.begin(1)  # stores the actions of a level, which for all these states would take memory
        self.receive(states, np.zeros(len(states), np.uint16))
        if self.worker.stored != before + len(states):
            raise EverystateError("E627", None, level=1, reason="a state is there twice")

    def begin(self, always: int, never: int) -> None:
        """What follows is of the new level."""
        self.store.used = self.store.level_start = self.worker.get("next")
        self.worker.begin(1)
        self.worker.counters[:] = 0
        self.worker.set("always", always)
        self.worker.set("never", never)

    def receive(self, states: Any, actions: Any) -> None:
        """Store states that are not stored yet; OutOfRoom at the memory limit."""
        done, states = 0, np.ascontiguousarray(states)
        while done < len(states):
            done += self.worker.receive(states[done:], actions[done:])
            if done < len(states):
                self.store.used = self.worker.get("next")
                self.store.grow([self.worker], 0)

    def new(self) -> Iterator[Any]:
        """The states of the new level."""
        end = self.worker.get("next")
        for at in range(self.store.level_start, end, ROWS):
            yield self.store.block(at, min(end, at + ROWS))
