"""Pool: the runner of one machine, parallel processes within its processors and its memory.

Processes are started afresh (nothing is inherited but the path of modules), serve one job after the other, and
are replaced when they die or overstay. One slot or one job runs here, without processes.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from ...engines.memory import available
from .job import Job, Load, run
from .outcome import Outcome, undecided
from .runner import Begin, Ended

ALLOCATIONS = 1_000_000
"""Objects after which a process collects garbage; there is almost none while a spec is traced."""
GRACE = 60.0
"""Seconds beyond twice its time limit after which a process is ended from outside."""
SHARE = 0.85
"""The fraction of the free memory that all jobs together may take."""


@dataclass
class Worker:
    """A process, the connection to it, its job, and the deadline of the job."""

    process: Any
    connection: Connection
    number: int = -1
    job: Job | None = None
    until: float | None = None


class Pool:
    """Runs jobs, as many at once as there are slots. Within `with`, its processes stay for the next jobs."""

    def __init__(self, load: Load, slots: int) -> None:
        self.load, self.slots = load, max(1, slots)
        self.context = multiprocessing.get_context("spawn")
        self.idle: list[Worker] = []
        self.busy: list[Worker] = []
        self.memory = int(SHARE * available())
        self.stays = False

    def __enter__(self) -> Self:
        self.stays = True
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def outcomes(self, jobs: Sequence[Job], begin: Begin) -> Ended:
        """See `Runner`."""
        share = max(1 << 26, self.memory // min(self.slots, max(1, len(jobs))))
        fitted = [_fitted(job, share, self.slots) for job in jobs]
        if self.slots == 1 or len(jobs) == 1:
            yield from self._here(fitted, begin)
            return
        try:
            yield from self._elsewhere(fitted, begin)
        finally:
            if self.busy or not self.stays:
                self._end()

    def _here(self, jobs: Sequence[Job], begin: Begin) -> Ended:
        _collect_rarely()
        for number, job in enumerate(jobs):
            begin(number)
            yield number, run(job, self.load)

    def _elsewhere(self, jobs: Sequence[Job], begin: Begin) -> Ended:
        waiting = dict(enumerate(jobs))
        while waiting or self.busy:
            number = self._startable(waiting)
            if number is None:
                yield from self._collected()
                continue
            begin(number)
            self._start(number, waiting.pop(number))

    def _startable(self, waiting: dict[int, Job]) -> int | None:
        """The first job that fits into memory; an idle machine accepts any."""
        at_work = [w.job for w in self.busy if w.job]
        threads = self.slots - sum(j.allowance.threads for j in at_work)
        memory = self.memory - sum(j.allowance.memory or 0 for j in at_work)
        for number, job in waiting.items():
            fits = job.allowance.threads <= threads and (job.allowance.memory or 0) <= memory
            if fits or not at_work:
                return number
        return None

    # -- processes -----------------------------------------------------------------------------------------

    def _start(self, number: int, job: Job) -> None:
        worker = self.idle.pop() if self.idle else self._hire()
        worker.number, worker.job = number, job
        worker.until = _deadline(job)
        self.busy.append(worker)
        with contextlib.suppress(OSError):
            worker.connection.send(job)

    def _hire(self) -> Worker:
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=serve, args=(theirs, self.load), daemon=True)
        with deaf_to_interrupts():
            process.start()
        theirs.close()
        return Worker(process, ours)

    def _collected(self) -> Ended:
        """Wait until some process has answered, died or exceeded its time."""
        limits = [w.until - time.monotonic() for w in self.busy if w.until is not None]
        ready = wait([w.connection for w in self.busy], max(0.0, min(limits)) if limits else None)
        for worker in list(self.busy):
            if worker.connection in ready:
                yield worker.number, self._answer(worker)
            elif worker.until is not None and time.monotonic() > worker.until:
                yield worker.number, self._dismissed(worker, f"did not end within {_patience(worker):.0f} s")

    def _answer(self, worker: Worker) -> Outcome:
        try:
            answer: Outcome = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            return self._dismissed(worker, cause(worker.process.exitcode))
        self.busy.remove(worker)
        self.idle.append(worker)
        return answer

    def _dismissed(self, worker: Worker, reason: str) -> Outcome:
        assert worker.job is not None
        self.busy.remove(worker)
        worker.process.kill()
        worker.process.join(5)
        worker.connection.close()
        return undecided(f"its process {reason}", worker.job.target, worker.job.constants)

    def _end(self) -> None:
        for worker in (*self.idle, *self.busy):
            worker.connection.close()
            worker.process.kill()
            worker.process.join(5)
        self.idle, self.busy = [], []


def serve(connection: Connection, load: Load) -> None:
    """The main loop of a process: one job after the other, until there are no more."""
    _collect_rarely()
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(run(connection.recv(), load))


def _collect_rarely() -> None:
    """Look for garbage after many allocations only, and never in what is loaded."""
    gc.freeze()
    gc.set_threshold(ALLOCATIONS)


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes that start here ignore Ctrl-C, even during imports; they install their own handling a moment later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the first start of a process does it, without this block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fitted(job: Job, share: int, slots: int) -> Job:
    """A job with its share of the memory, and no more threads than there are slots."""
    given = job.allowance
    return replace(job, allowance=replace(given, memory=given.memory or share, threads=min(given.threads, slots)))


def _patience(worker: Worker) -> float:
    """Seconds that a worker may take for its job."""
    assert worker.job is not None
    return 2 * (worker.job.allowance.seconds or 0) + GRACE


def _deadline(job: Job) -> float | None:
    seconds = job.allowance.seconds
    return None if seconds is None else time.monotonic() + 2 * seconds + GRACE


def cause(code: int | None) -> str:
    """Why a process ended, from its exit code."""
    if code is not None and code < 0:
        hint = ", perhaps for lack of memory" if -code == signal.SIGKILL else ""
        return f"was ended by signal {-code}{hint}"
    return f"ended with code {code}"
