"""The distributed search: first levels in this process, wide levels on Spark.

A level on Spark has a fixed cost of a few tenths of a second, in which this process visits a million states. So a
search begins here, with the native engine, and moves to Spark when a level is wide enough. A space without wide levels
never starts Spark.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from ...ir.traced import Model
from ...results.result import Result
from ..explicit.exhaustive import Exhaustive
from ..explicit.findings import Findings
from ..limits import Limits
from ..observer import Observer, Progress, Silent
from .checkpoint import opened
from .errors import translated
from .kernel import kernel_of
from .plan import Plan
from .run import Run

HANDED_OVER = "handed over"


class Distributed(Exhaustive):
    """A search whose wide levels are distributed; `shipped` says whether any was, `spent` the CPU time of tasks."""

    def __init__(
        self, model: Model, limits: Limits, plan: Plan, observer: Observer | None = None, target: str = ""
    ) -> None:
        self.plan, self.shipped = plan, False
        self.spent: dict[str, float] = {}
        watching = HandoverObserver(observer or Silent(), self)
        super().__init__(model, replace(limits, workers=1), watching, target)

    def _conclude(self, findings: Findings, initial: int, seconds: float, interrupted: bool) -> Result:
        if self.stopped != HANDED_OVER:
            return super()._conclude(findings, initial, seconds, interrupted)
        self.stopped, self.shipped = "", True
        self.observer.phase("starting Spark")
        kernel, stopwatch = kernel_of(self.program), self.limits.stopwatch
        with ExitStack() as after:
            with stopwatch.measuring("starting Spark"):
                spark = after.enter_context(self.plan.session())
            after.enter_context(translated())
            run = Run(self, spark, after.enter_context(opened(self, self.plan, spark, kernel)), kernel)
            try:
                with stopwatch.measuring("search"):
                    result = run.result(findings, initial)
                self.spent = run.spent
                return result
            finally:
                run.close()


class HandoverObserver:
    """Forwards all events to an observer, and ends the search in this process at the first wide level."""

    def __init__(self, observer: Observer, search: Distributed) -> None:
        self._observer, self._search = observer, search

    def __getattr__(self, name: str) -> Any:
        return getattr(self._observer, name)

    def level(self, progress: Progress) -> None:
        """Whether the level just completed is to be distributed."""
        self._observer.level(progress)
        if progress.queue >= self._search.plan.ship and not self._search.shipped:
            self._search.stopped = HANDED_OVER


def check(
    model: Model, limits: Limits, plan: Plan, observer: Observer | None = None, target: str = ""
) -> tuple[Result, bool]:
    """Visit every reachable state on Spark; returns the result, and whether any level was distributed.

    Counts, verdict and traces are those of the native engine, for any number of partitions and executors. Limits on
    states are checked after each level.
    """
    search = Distributed(model, limits, plan, observer, target)
    return search.run(), search.shipped
