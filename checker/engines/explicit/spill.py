"""A search that continues on disk when memory runs out.

`disk` gives the same states and counts for a level as a search in memory, so verdicts and traces are the same. One
thread builds the levels, and limits on states are checked after each.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.tiered_code import TieredCode
from ...errors import EverystateError
from ...ir.layout import Layout
from ...ir.traced import Model
from ...language import marks
from ...results.result import Result
from ...results.text import count
from ..crosscheck.selection import by_turns, least_hashes, quotas, single
from ..limits import Limits
from ..memory import shown
from ..observer import Observer, Progress, Silent
from ..path_notes import LevelNotes, Notes
from ..symmetry import reduced
from .checkpoint import SavedLevel, Work
from .disk import Disk
from .exhaustive import Exhaustive
from .findings import Findings
from .growth import SAMPLE, extremes
from .history import ROWS_AT_ONCE, History
from .part_tables import OutOfRoom
from .report import conclude
from .store import Store, pieces


class DiskHistory(History):
    """The levels of a search whose states are on disk."""

    def __init__(self, compiled: Compiled, store: Store, disk: Disk) -> None:
        super().__init__(compiled, store, [])
        self.disk = disk

    @property
    def depth(self) -> int:
        return self.disk.depth

    @property
    def last(self) -> int:
        return self.disk.depth

    @property
    def distinct(self) -> int:
        return self.disk.distinct

    def upto(self, level: int) -> int:
        return sum(self.disk.bounds[max(0, level)])

    @property
    def bytes(self) -> int:
        """Bytes of a state on disk."""
        return 8 * self.program.words * self.distinct

    def blocks(self, level: int, rows: int | None = None) -> Iterator[Any]:
        yield from self.disk.level(level, rows or self.rows)

    def sample(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        levels = range(1, self.depth + 1)
        sizes = [self.disk.size(level) for level in levels]
        shares = zip(quotas(sizes, first), quotas(sizes, last), strict=True)
        picked = [self._drawn(level, *share) for level, share in zip(levels, shares, strict=True)]
        yield from by_turns(picked) if first else (pair for level in picked for pair in level)

    def _drawn(self, level: int, first: int, last: int) -> Iterator[tuple[int, Any]]:
        def some() -> Iterator[Any]:
            return self.blocks(level, ROWS_AT_ONCE)

        for row in single(least_hashes(some, self.disk.size(level), first, last)):
            yield level, row

    def extremes(self, layout: Layout, levels: Collection[int]) -> list[tuple[int, ...]]:
        step = max(1, sum(self.disk.size(n) for n in levels) // SAMPLE)
        rows = [block[::step] for n in levels for block in self.blocks(n, ROWS_AT_ONCE)]
        return extremes(layout, [np.concatenate(rows)]) if rows else []


class LevelCounters:
    """The counters of the levels that are complete, and the paths that the last one was the first to take."""

    def __init__(self, counters: Any) -> None:
        self.counters = counters
        self.notes: Notes = LevelNotes({})


class SpillingSearch(Exhaustive):
    """A search with a folder for its states, used when memory runs out."""

    several = False

    def __init__(self, model: Model, limits: Limits, observer: Observer | None, target: str, folder: str) -> None:
        super().__init__(model, limits, observer, target)
        if self.program.viewed:
            reason = "states are compared by a view or a symmetry, and which of equal ones is kept depends on the order"
            raise EverystateError("E142", None, spec=type(model.spec).__name__, reason=reason)
        self.folder = Path(folder)
        self.disk: Disk | None = None
        self.went_on: tuple[int, float] = (0, 0.0)

    def run(self) -> Result:
        """Search to the end, to a limit or to an interrupt; removes the files on disk."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            place = tempfile.mkdtemp(prefix="everystate-states-", dir=self.folder)
        except OSError as error:
            raise EverystateError("E408", None, path=self.folder, reason=error.strerror or error) from None
        self.place = Path(place)
        try:
            return super().run()
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _put_back(self, work: Work, findings: Findings) -> None:
        """Resume a run; where its levels do not fit into memory, continue on disk."""
        try:
            super()._put_back(work, findings)
        except EverystateError as error:
            if error.code != "E504":
                raise
            self.full, last = True, work.levels[-1]
            findings.first_seen.update(last.first_seen)
            findings.paths.update(pair for kept in work.levels for pair in kept.taken.items())
            findings.level_done([LevelCounters(np.array(last.counters, np.uint64))], last.number, Silent())
            self._before = (findings.totals.copy(), dict(findings.first_seen))

    def _begin_level(self, findings: Findings) -> deque[tuple[int, int]]:
        self._before = (findings.totals.copy(), dict(findings.first_seen))
        return super()._begin_level(findings)

    def _levels(self, findings: Findings) -> None:
        kept = self.work.levels if self.full and self.work is not None else []
        if not self.full:
            super()._levels(findings)
        if not self.full:
            return
        findings.totals, findings.first_seen = self._before
        self.stopped, self.unfinished = "", []
        try:
            self._go_on(findings, self._moved(kept))
        except OutOfRoom:
            self.stopped = f"the memory limit of {shown(self.store.budget)} is reached, with states on disk"
        except OSError as error:
            self.stopped = f"the disk is full or fails: {error.strerror or error} ({self.folder})"

    def _moved(self, kept: Sequence[SavedLevel]) -> Disk:
        """Move all states to disk: those of a resumed run, or those in memory."""
        self.observer.phase("memory ends: states go to disk")
        code = TieredCode(self.program).first() if self.store.part_tables is not None else self.compiled
        disk = Disk(self.place, code, self.store.budget)
        for found in kept:
            assert self.work is not None
            disk.begin(self.work.states(found, ROWS_AT_ONCE))
        for level in [] if kept else self.levels:
            disk.begin(self.store.block(*piece) for piece in pieces(level, ROWS_AT_ONCE))
        return disk

    def _go_on(self, findings: Findings, disk: Disk) -> None:
        """Build the following levels on disk."""
        self.disk, part = disk, LevelCounters(findings.totals - findings.beside)
        self._let_go(disk.compiled)
        before, started = disk.distinct, time.perf_counter()
        while disk.size(disk.depth) and not self.stopped:
            part.counters = part.counters + disk.build(*findings.masks())
            part.notes = disk.notes
            findings.level_done([part], disk.depth - 1, self.observer, expanding=True)
            self.went_on = (disk.distinct - before, time.perf_counter() - started)
            if self.work is not None:
                self.work.keep(disk.level(disk.depth), part.counters, findings.first_seen, findings.paths)
            self.observer.level(self._so_far(findings))
            self.stopped = self._ending(findings) or self._beyond() or self.stopped
        if not disk.size(disk.depth):
            disk.bounds.pop()

    def _let_go(self, code: Compiled) -> None:
        """Free the memory of the states."""
        budget = self.store.budget
        self.levels, self.workers = [], []
        self.store = self.compression.store = Store(code, budget)
        self.compiled = code

    def _beyond(self) -> str:
        assert self.disk is not None
        most, deadline = self.limits.max_states, self.limits.deadline
        if most and self.disk.distinct >= most:
            return f"the limit of {count(most, 'state')} is reached"
        return deadline.passed if deadline is not None else ""

    def _so_far(self, findings: Findings) -> Progress:
        assert self.disk is not None
        generated = int(findings.totals[self.program.counters.generated]) + self.generated_initially
        disk, seconds = self.disk, time.perf_counter() - self.started
        size = 8 * self.program.words * disk.distinct
        return Progress(disk.depth, disk.distinct, generated, disk.size(disk.depth), size, seconds)

    def _conclude(self, findings: Findings, initial: int, seconds: float, interrupted: bool) -> Result:
        if self.disk is None:
            return super()._conclude(findings, initial, seconds, interrupted)
        history = DiskHistory(self.compiled, self.store, self.disk)
        found = conclude(self, findings, initial, seconds, interrupted, history)
        new, spent = self.went_on
        rate = f", where it found {count(new, 'new state')} at {round(new / spent):,} a second" if spent else ""
        text = (
            f"memory ended at {shown(self.store.budget)}: the search went on with {count(self.disk.distinct, 'state')}"
        )
        return replace(found, remarks=(f"{text} on disk{rate}", *found.remarks))


def check(model: Model, limits: Limits, observer: Observer | None, target: str, folder: str) -> Result:
    """Visit every reachable state of a model, on disk when memory ends. E142 where that is not known to be sound."""
    if any(prop.kind in marks.TEMPORAL for prop in model.spec.properties):
        reason = "a temporal property is judged on the graph of all steps, in memory"
        raise EverystateError("E142", None, spec=type(model.spec).__name__, reason=reason)
    return SpillingSearch(reduced(model), limits, observer, target, folder).run()
