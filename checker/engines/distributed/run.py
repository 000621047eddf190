"""The part of a search that runs on Spark: level by level, each durable before the next begins."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EverystateError
from ...results.result import Result
from ...results.text import count
from ..explicit.findings import Findings
from ..explicit.history import History
from ..explicit.report import conclude
from ..observer import Progress
from ..path_notes import merged
from ..saved_run import named
from ..stepping import parted
from .blocks import ANCHOR, STATES, STATS, Row, pack
from .checkpoint import FIRST, CompleteLevel, Work
from .cluster import Cluster
from .deduplication import Step
from .errors import interrupts, passed_over
from .history import StoredHistory
from .kernel import Kernel
from .meter import CODEC, KERNEL, REBUILT, Clock, DictAccumulator
from .plan import Task, routes
from .stats import DIGEST, Mark, Total, unpacked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..explicit.exhaustive import Exhaustive


ENDLESS = 1 << 62


class Run:
    """One run on a session, with its levels in a work folder."""

    def __init__(self, search: Exhaustive, spark: SparkSession, work: Work, kernel: Kernel) -> None:
        self.search, self.spark, self.work, self.shape = search, spark, work, kernel.shape
        shipped: Any = spark.sparkContext.broadcast(kernel)
        merging: Any = DictAccumulator()
        told: Any = spark.sparkContext.accumulator({}, merging)
        self.task = Task(work.run, shipped, routes(work.partitions), work.block, self._clocks(), told)
        self.cluster = Cluster(spark, work.folder, self.task)
        self.near = History(search.compiled, search.store, search.levels)
        self.total = Total(np.sum([worker.counters for worker in search.workers], axis=0, dtype=np.uint64))
        self.levels: list[CompleteLevel] = []
        self.cut: CompleteLevel | None = None

    def result(self, findings: Findings, initial: int) -> Result:
        """Continue from the levels in this process, or from those in the work folder, to the end."""
        interrupted = False
        try:
            with interrupts():
                self.cluster.place()
                self._begin(findings)
                while self.levels[-1].states and not self.search.stopped:
                    self._take(self._built(findings), findings)
        except KeyboardInterrupt:
            with passed_over():
                self.spark.sparkContext.cancelAllJobs()
            interrupted, self.search.stopped = True, "interrupted"
        seconds = time.perf_counter() - self.search.started
        self.search.observer.phase("rebuilding traces" if findings.first_seen else "")
        return replace(conclude(self.search, findings, initial, seconds, interrupted, self._history()), engine="spark")

    def close(self) -> None:
        """Restore the session; a lost one needs no cleanup."""
        with passed_over():
            self.cluster.close()

    def _clocks(self) -> dict[str, Clock]:
        return {name: self.spark.sparkContext.accumulator(0.0) for name in (KERNEL, CODEC, REBUILT)}

    @property
    def spent(self) -> dict[str, float]:
        """CPU seconds of all tasks by purpose, and how many partitions were rebuilt."""
        return {name: clock.value for name, clock in self.task.clocks.items()}

    # -- levels --------------------------------------------------------------------------------------------

    def _begin(self, findings: Findings) -> None:
        """Store the levels that this process has built, or load those that were stored before."""
        known = self.work.levels(self.shape)
        if known:
            self.levels.append(known[0])
            for built in known[1:]:
                self._take(built, findings)
            return
        last = len(self.search.levels)
        self.cluster.describe(f"levels 1 to {last:,}")
        rows, marks = packed(self.search, self.task)
        frontier = [row for row in rows if row.level == last]
        self.cluster.store(self.cluster.frame([row for row in rows if row.level < last]), FIRST)
        self.cluster.store(self.cluster.frame(frontier), named(last))
        nothing, width = np.zeros(0, np.uint64), sum(row.count for row in frontier)
        built = CompleteLevel(last, (named(last),), marks, nothing, width, {})
        self.work.commit(built)
        self.levels.append(built)

    def _built(self, findings: Findings) -> CompleteLevel:
        """The level after the last one."""
        before = self.levels[-1]
        always, never = findings.masks()
        step = Step(before.number + 1, before.marks, always, never, self._allowed())
        name = named(step.level)
        self.cluster.describe(f"level {step.level:,}: from {before.states:,} states")
        told = self.cluster.build(before.level, step, name)
        waiting = [row.owner for row in told if row.kind == ANCHOR]
        if not waiting:
            return self._summed(told, step, (name,))
        self.cluster.describe(f"level {step.level:,}: {len(waiting):,} partitions made again from the stored levels")
        stored = [FIRST, *(part for built in self.levels for part in built.names)]
        told += self.cluster.rebuild(stored, step, waiting, name, f"{name}-rebuilt")
        return self._summed(told, step, (name, f"{name}-rebuilt"))

    def _summed(self, told: list[Row], step: Step, names: tuple[str, ...]) -> CompleteLevel:
        rows = {row.owner: row for row in told if row.kind == STATS}
        if len(rows) != self.task.owners:
            raise EverystateError("E627", None, level=step.level, reason="not every partition has reported it")
        stats = {owner: unpacked(row.payload, self.shape) for owner, row in rows.items()}
        marks = {
            owner: Mark(step.level, step.marks[owner].count + rows[owner].count, told.digest)
            for owner, told in stats.items()
        }
        counters = np.sum([told.counters for told in stats.values()], axis=0, dtype=np.uint64)
        noted, states = merged(told.noted for told in stats.values()), sum(row.count for row in rows.values())
        built = CompleteLevel(step.level, names, marks, counters, states, noted)
        if any(row.count >= step.most for row in rows.values()):
            self.cut = built
        else:
            self.work.commit(built)
        return built

    def _allowed(self) -> int:
        """How many states each partition may store on the next level: the rest of the limit, divided evenly.

        Partition sizes vary by chance; four standard deviations of slack suffice that no partition is full while
        another has space.
        """
        limit = self.search.limits.max_states
        if limit is None:
            return ENDLESS
        share = max(0, limit - self.distinct) / self.task.owners
        return int(share + 4 * share**0.5) + 1

    def _take(self, built: CompleteLevel, findings: Findings) -> None:
        """Process the counters of a level that is complete or cut off."""
        search = self.search
        self.total.add(built.counters, built.noted)
        findings.level_done([self.total], built.number - 1, search.observer, expanding=True)
        limit = search.limits.max_states
        reached = f"the limit of {count(limit or 0, 'state')} is reached"
        if self.cut is not None:
            search.stopped = reached
            return
        self.levels.append(built)
        search.observer.level(self._progress(built))
        search.stopped = findings.ending(search.limits.stop_early) or search.stopped
        if not search.stopped and limit is not None and self.distinct >= limit and built.states:
            search.stopped = reached

    # -- figures -------------------------------------------------------------------------------------------

    @property
    def distinct(self) -> int:
        """States up to the last complete level."""
        return sum(mark.count for mark in self.levels[-1].marks.values())

    def _progress(self, built: CompleteLevel) -> Progress:
        generated = int(self.total.counters[self.shape.counters.generated]) + self.search.generated_initially
        seconds = time.perf_counter() - self.search.started
        return Progress(built.number, self.distinct, generated, built.states, self._history().bytes, seconds)

    def _history(self) -> History:
        if not self.levels:
            return self.near
        counts = [mark.count for mark in (self.cut or self.levels[-1]).marks.values()]
        return StoredHistory(self.near, self.cluster, self.levels[1:], self.cut, counts)


def packed(search: Exhaustive, task: Task) -> tuple[list[Row], dict[int, Mark]]:
    """Blocks of all states, and the mark of each partition."""
    digests = [hashlib.blake2b(digest_size=DIGEST) for _ in range(task.owners)]
    counts, rows = [0] * task.owners, []
    for number, ranges in enumerate(search.levels, 1):
        for row in _blocks(search, task, number, search.store.rows(ranges)):
            digests[row.owner].update(row.payload)
            counts[row.owner] += row.count
            rows.append(row)
    last = len(search.levels)
    marks = {owner: Mark(last, counts[owner], digests[owner].digest()) for owner in range(task.owners)}
    return rows, marks


def _blocks(search: Exhaustive, task: Task, level: int, states: Any) -> Iterator[Row]:
    for owner, mine in parted(search.compiled, states, task.owners):
        for seq, at in enumerate(range(0, len(mine), task.block)):
            block = states[mine[at : at + task.block]]
            yield Row(STATES, owner, level, owner, seq, len(block), pack(block))
