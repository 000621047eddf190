"""Random walks on Spark: the same walks, distributed over executors, with the same result.

A task makes the walks of a range of numbers. What they saw is small and merges anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from ...frontend.kept import traced
from ...language.spec import Spec
from ...results.result import Result
from ...spark.session import cores, embedded
from ...spark.shipping import Courier, Packed, courier, pack
from ..observer import Observer, Progress, Silent
from ..violations import called
from .sample import WalkSettings, WalkSummary
from .walk import Batch, conclude
from .walker import Walker

if TYPE_CHECKING:
    from pyspark import Accumulator, SparkContext
    from pyspark.sql import SparkSession

GROUP = "everystate-walk"
TASKS_PER_CORE = 2
"""Each traces and compiles the spec before its first walk."""
PAUSE = 0.5
"""Seconds between two progress reports of the tasks."""


@dataclass(frozen=True)
class WalkTask:
    """Makes walks on an executor: for a spec and with settings.

    `made` and `generated` count walks and states for the progress line.
    """

    spec: Packed
    courier: Courier
    course: WalkSettings
    made: Accumulator[int]
    generated: Accumulator[int]

    def __call__(self, ranges: Iterable[range]) -> Iterator[WalkSummary]:
        """Make the walks of some ranges of numbers."""
        spec: Spec = self.courier.loaded(self.spec.target, self.courier.unpacked(self.spec))
        seen = WalkSummary()
        with closing(Walker(traced(spec), self.course)) as walker:
            for numbers in ranges:
                part = walker.sample(numbers)
                self.made.add(part.walks)
                self.generated.add(part.generated)
                seen.merge(part)
        yield seen


def ranges(walks: int, parts: int) -> list[range]:
    """The numbers of all walks in equal parts; no part is empty."""
    parts = min(parts, walks)
    cuts = [walks * part // parts for part in range(parts + 1)]
    return [range(first, last) for first, last in pairwise(cuts)]


@dataclass(frozen=True)
class WalkDistribution:
    """How walks are distributed: the session, the number of tasks (two for each core), and how specs are loaded."""

    spark: SparkSession
    load: Callable[[str, dict[str, Any]], Spec]
    partitions: int | None = None


def walk(spec: Spec, batch: Batch, spread: WalkDistribution, observer: Observer | None = None) -> Result:
    """The same result as that of `walk.walk`, for any number of executors and partitions."""
    observer, started = observer or Silent(), time.perf_counter()
    context = spread.spark.sparkContext
    parts = spread.partitions or TASKS_PER_CORE * cores(spread.spark)
    packed, here = pack(batch.target, spec.constants), embedded(spread.spark)
    share = WalkTask(
        packed,
        courier(spread.load, [batch.target], here),
        batch.course,
        context.accumulator(0),
        context.accumulator(0),
    )

    def job() -> list[WalkSummary]:
        context.setJobGroup(GROUP, f"{batch.walks:,} walks of {batch.target}", interruptOnCancel=True)
        numbers = ranges(batch.walks, parts)
        return context.parallelize(numbers, len(numbers)).mapPartitions(share).collect()

    def show_progress() -> None:
        done, seconds = share.made.value, time.perf_counter() - started
        observer.progress(Progress(done, 0, share.generated.value, batch.walks - done, 0, seconds))

    seen = WalkSummary()
    with batch.stopwatch.measuring("walking"):
        for part in _watched(context, job, show_progress):
            seen.merge(part)
    seconds = time.perf_counter() - started
    with batch.stopwatch.measuring("tracing"):
        model = traced(spec)
    with batch.stopwatch.measuring("compiling"):
        walker = Walker(model, batch.course)
    for key, sighting in seen.found.items():
        observer.violation(called(walker.program, key), sighting.shortest[0] + 1)
    return conclude(walker, batch, seen, seconds)


T = TypeVar("T")


def _watched(context: SparkContext, job: Callable[[], T], show_progress: Callable[[], None]) -> T:
    """Run a Spark job and report progress regularly; Ctrl-C cancels it."""
    from pyspark import InheritableThread

    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(job())
        except Exception as error:
            done.set_exception(error)

    InheritableThread(target=run, daemon=True).start()
    try:
        while not wait([done], PAUSE).done:
            show_progress()
    except KeyboardInterrupt:
        context.cancelJobGroup(GROUP)
        raise
    return done.result()
