"""Cluster: the runner that distributes checks over the executors of a Spark session.

Lanes submit checks: threads of the driver that run one Spark job after the other, with a task for each check. There are
twice as many lanes as task slots, so that no slot waits for the driver. While many checks wait a lane takes several at
a time, towards the end one: a Spark job costs the driver 60 to 120 ms of CPU time, a task 20 ms. Many small jobs are
better than a large one: outcomes are reported at once, a check that follows from another is not submitted, and one that
repeatedly crashes its executor is repeated alone, and fails alone. Each check runs in a process of its own below the
Python worker, see `forked_process` (40 ms).
"""

from __future__ import annotations

import json
import os
import queue
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...engines.memory import available
from ...spark.session import cores, embedded, reason_of
from ...spark.shipping import Courier, Packed, courier, pack
from .forked_process import apart
from .job import Job, Load
from .outcome import Outcome, undecided
from .pool import SHARE
from .runner import Begin, Ended

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROUP = "everystate-sweep"
MOST_LANES = 128
"""Threads of the driver, and Spark jobs at the same time, at most."""
MOST_CHECKS = 8
"""Checks in one Spark job, at most, while slots are few: they are reported together."""
LEAST_MEMORY = 1 << 26

COLUMNS = """name string, target string, constants string, status string, length int, reason string, verdict string,
exit_code int, distinct long, generated long, depth int, seconds double, report string"""


@dataclass(frozen=True)
class CheckTask:
    """The data with which an executor makes checks: how specs are loaded there, and how many checks share a machine (0:
    one for each of its processors)."""

    courier: Courier
    neighbours: int

    def __call__(self, packed: Packed) -> Outcome:
        """Make a check, in a process forked from a worker that has imported what the check needs."""
        from pyspark import TaskContext

        job: Job = self.courier.unpacked(packed)
        context = TaskContext.get()
        threads = min(job.allowance.threads, context.cpus() if context else 1)
        share = int(SHARE * available()) // (self.neighbours or os.cpu_count() or 1)
        memory = job.allowance.memory or max(LEAST_MEMORY, share)
        given = replace(job.allowance, threads=threads, memory=memory)
        return apart(replace(job, allowance=given), self.courier.loaded)


class Cluster:
    """Makes checks on the executors of a session."""

    def __init__(self, spark: SparkSession, load: Load) -> None:
        self.spark, self.load = spark, load
        self.answers: queue.SimpleQueue[tuple[list[int], list[Outcome] | str]] = queue.SimpleQueue()

    def outcomes(self, jobs: Sequence[Job], begin: Begin) -> Ended:
        """See `Runner`."""
        fitted = [replace(job, cache=job.cache and embedded(self.spark)) for job in jobs]
        errand = self._errand(jobs)
        waiting, busy = list(range(len(jobs)))[::-1], 0
        alone: list[int] = []
        try:
            while waiting or alone or busy:
                if busy < self._lanes() and (waiting or alone):
                    taken = self._taken(waiting, alone, begin)
                    busy += 1
                    self._submit(taken, [fitted[number] for number in taken], errand)
                    continue
                numbers, answer = self.answers.get()
                busy -= 1
                if not isinstance(answer, str):
                    yield from zip(numbers, answer, strict=True)
                elif len(numbers) > 1:
                    alone += numbers
                else:
                    job = jobs[numbers[0]]
                    yield numbers[0], undecided(answer, job.target, job.constants)
        finally:
            if busy:
                self.spark.sparkContext.cancelJobGroup(GROUP)

    def _errand(self, jobs: Sequence[Job]) -> CheckTask:
        here = embedded(self.spark)
        conf = self.spark.sparkContext.getConf()
        neighbours = cores(self.spark) if here else int(conf.get("spark.executor.cores", "0") or 0)
        targets = {job.target for job in jobs}
        return CheckTask(courier(self.load, targets, here), neighbours)

    def _lanes(self) -> int:
        return min(MOST_LANES, 2 * cores(self.spark))

    def _taken(self, waiting: list[int], alone: list[int], begin: Begin) -> list[int]:
        """The checks of the next Spark job."""
        if alone:
            return [alone.pop()]
        fair = min(MOST_CHECKS, len(waiting) // (4 * self._lanes()))
        size = max(1, fair, 2 * cores(self.spark) // MOST_LANES)
        taken = [waiting.pop() for _ in range(min(size, len(waiting)))]
        for number in taken:
            begin(number)
        return taken

    def _submit(self, numbers: list[int], jobs: list[Job], errand: CheckTask) -> None:
        """Start a lane: it runs one Spark job, a task for each check, and puts the outcomes into the queue."""
        from pyspark import InheritableThread

        packed = [pack(job.target, job) for job in jobs]
        name = jobs[0].name if len(jobs) == 1 else f"{jobs[0].name} and {len(jobs) - 1} more"

        def lane() -> None:
            context = self.spark.sparkContext
            try:
                context.setJobGroup(GROUP, f"check {name}", interruptOnCancel=True)
                found: list[Outcome] | str = context.parallelize(packed, len(packed)).map(errand).collect()
            except Exception as error:
                found = f"its Spark task failed: {reason_of(error)}"
            self.answers.put((numbers, found))

        InheritableThread(target=lane, daemon=True).start()


def frame(spark: SparkSession, jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> DataFrame:
    """A row for each check: the question, the outcome, and its report as JSON."""
    return spark.createDataFrame([_row(job, outcome) for job, outcome in zip(jobs, outcomes, strict=True)], COLUMNS)


def _row(job: Job, outcome: Outcome) -> tuple[Any, ...]:
    found, report = outcome.overall(), outcome.report
    numbers = [report.get(name, 0) for name in ("exit_code", "distinct", "generated", "depth")]
    constants = json.dumps(job.constants, default=str, sort_keys=True)
    whole = json.dumps(report, default=str)
    head = (job.name, job.target, constants, found.status, found.length, found.reason, report["verdict"])
    return (*head, *numbers, float(report.get("seconds", 0)), whole)
