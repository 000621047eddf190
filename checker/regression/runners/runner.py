"""Runner: the interface between those who need checks (a matrix, a map) and the executors of checks.

A runner gets jobs and yields outcomes, in any order. `Pool` runs them in processes of this machine; anything else that
can send jobs and receive outcomes (both are plain data) can replace it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from ...engines.limits import LEAST_SECONDS
from ...results.verdict import ExitCode
from .job import Job
from .outcome import Outcome, undecided

INTERRUPTED = int(ExitCode.INTERRUPTED)

Tell = Callable[[Job, Outcome | None], None]
"""Called when a job starts (None) and when it is over."""
Begin = Callable[[int], None]
"""Called by a runner that is about to start the job of a number."""
Ended = Generator[tuple[int, Outcome], None, None]
"""The numbers of jobs that are over, with their outcomes."""


class Runner(Protocol):
    """Executes checks.

    `outcomes` calls `begin` immediately before it starts a job, and yields each job exactly once. A check that fails,
    is lost or takes too long is an outcome too (`undecided`), never an exception. When the generator is closed, or is
    interrupted by Ctrl-C, it ends everything that it started.
    """

    def outcomes(self, jobs: Sequence[Job], begin: Begin) -> Ended: ...


def sharing(jobs: Sequence[Job]) -> list[Job]:
    """Jobs that share the time that a cross-check may always take: the variants of a spec have its lines in common."""
    each = LEAST_SECONDS / max(1, len(jobs))
    return [replace(job, allowance=replace(job.allowance, cross_check_seconds=each)) for job in jobs]


def make(runner: Runner, jobs: Sequence[Job], notify: Tell) -> list[Outcome]:
    """The outcome of each job, in the order of the jobs; after Ctrl-C the open ones are undecided, with code 130."""
    found: dict[int, Outcome] = {}
    jobs = sharing(jobs)

    try:
        with closing(runner.outcomes(jobs, lambda number: notify(jobs[number], None))) as ended:
            for number, outcome in ended:
                found[number] = outcome
                notify(jobs[number], outcome)
                if outcome.report["exit_code"] == INTERRUPTED:  # the search took the Ctrl-C
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        for number, job in enumerate(jobs):
            found.setdefault(number, undecided("interrupted", job.target, job.constants, INTERRUPTED))
    return [found[number] for number in range(len(jobs))]
