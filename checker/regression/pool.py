"""Many jobs in parallel processes, within the processors and the memory of the machine.

Processes are started afresh (nothing is inherited but the path of modules), serve one job after the other, and
are replaced when they die or overstay. One slot or one job runs here, without processes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from ..engines.memory import available
from .job import Job, Load, run
from .outcome import Outcome, undecided

GRACE = 60.0
"""Seconds beyond twice its time limit after which a process is ended from outside."""
SHARE = 0.85
"""Part of the free memory that all jobs together may take."""

Tell = Callable[[Job, Outcome | None], None]
"""Told when a job starts (None) and when it is over."""
Skip = Callable[[Job], Outcome | None]
"""Asked before a job starts: an outcome if it need not be made."""


@dataclass
class Worker:
    """A process, the connection to it, and the job that it is at."""

    process: Any
    connection: Connection
    number: int = -1
    job: Job | None = None
    until: float | None = None


class Pool:
    """Runs jobs; `run` gives their outcomes in order."""

    def __init__(self, load: Load, slots: int, tell: Tell, skip: Skip) -> None:
        self.load, self.slots, self.tell, self.skip = load, max(1, slots), tell, skip
        self.context = multiprocessing.get_context("spawn")
        self.idle: list[Worker] = []
        self.busy: list[Worker] = []
        self.memory = int(SHARE * available())

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcome of each job; after an interrupt the open ones are undecided."""
        share = max(1 << 26, self.memory // min(self.slots, max(1, len(jobs))))
        fitted = [_fitted(job, share, self.slots) for job in jobs]
        found: dict[int, Outcome] = {}
        try:
            if self.slots == 1 or len(jobs) == 1:
                self._here(fitted, found)
            else:
                self._elsewhere(fitted, found)
        except KeyboardInterrupt:
            for number, job in enumerate(jobs):
                found.setdefault(number, undecided("interrupted", job.target, job.constants, 130))
        finally:
            self._end()
        return [found[number] for number in range(len(jobs))]

    def _here(self, jobs: Sequence[Job], found: dict[int, Outcome]) -> None:
        for number, job in enumerate(jobs):
            if not self._skipped(number, job, found):
                self.tell(job, None)
                found[number] = run(job, self.load)
                self.tell(job, found[number])

    def _elsewhere(self, jobs: Sequence[Job], found: dict[int, Outcome]) -> None:
        waiting = dict(enumerate(jobs))
        while waiting or self.busy:
            for number in self._startable(waiting):
                job = waiting.pop(number)
                if not self._skipped(number, job, found):
                    self._start(number, job)
                break
            else:
                self._collect(found)

    def _skipped(self, number: int, job: Job, found: dict[int, Outcome]) -> bool:
        known = self.skip(job)
        if known is not None:
            found[number] = known
            self.tell(job, known)
        return known is not None

    def _startable(self, waiting: dict[int, Job]) -> list[int]:
        """The first job for which there is room; an empty machine has room for any."""
        at_work = [w.job for w in self.busy if w.job]
        threads = self.slots - sum(j.allowance.threads for j in at_work)
        memory = self.memory - sum(j.allowance.memory or 0 for j in at_work)
        for number, job in waiting.items():
            fits = job.allowance.threads <= threads and (job.allowance.memory or 0) <= memory
            if fits or not at_work:
                return [number]
        return []

    # -- processes -----------------------------------------------------------------------------------------

    def _start(self, number: int, job: Job) -> None:
        worker = self.idle.pop() if self.idle else self._hire()
        worker.number, worker.job = number, job
        worker.until = _deadline(job)
        self.busy.append(worker)
        self.tell(job, None)
        with contextlib.suppress(OSError):
            worker.connection.send(job)

    def _hire(self) -> Worker:
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=serve, args=(theirs, self.load), daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours)

    def _collect(self, found: dict[int, Outcome]) -> None:
        """Wait until some process has answered, died or overstayed."""
        limits = [w.until - time.monotonic() for w in self.busy if w.until is not None]
        ready = wait([w.connection for w in self.busy], max(0.0, min(limits)) if limits else None)
        for worker in list(self.busy):
            if worker.connection in ready:
                self._over(worker, found)
            elif worker.until is not None and time.monotonic() > worker.until:
                self._dismiss(worker, found, f"did not end within {worker.until - _begun(worker):.0f} s")

    def _over(self, worker: Worker, found: dict[int, Outcome]) -> None:
        assert worker.job is not None
        try:
            answer: Outcome = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            self._dismiss(worker, found, _cause(worker.process.exitcode))
            return
        self.busy.remove(worker)
        self.idle.append(worker)
        found[worker.number] = answer
        self.tell(worker.job, answer)

    def _dismiss(self, worker: Worker, found: dict[int, Outcome], reason: str) -> None:
        assert worker.job is not None
        self.busy.remove(worker)
        worker.process.kill()
        worker.connection.close()
        found[worker.number] = undecided(f"its process {reason}", worker.job.target, worker.job.constants)
        self.tell(worker.job, found[worker.number])

    def _end(self) -> None:
        for worker in (*self.idle, *self.busy):
            worker.connection.close()
            worker.process.kill()
            worker.process.join(5)


def serve(connection: Connection, load: Load) -> None:
    """The life of a process: one job after the other, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(run(connection.recv(), load))


def _fitted(job: Job, share: int, slots: int) -> Job:
    """A job with its share of the memory, and no more threads than there are slots."""
    given = job.allowance
    return replace(job, allowance=replace(given, memory=given.memory or share, threads=min(given.threads, slots)))


def _deadline(job: Job) -> float | None:
    seconds = job.allowance.seconds
    return None if seconds is None else time.monotonic() + 2 * seconds + GRACE


def _begun(worker: Worker) -> float:
    assert worker.job is not None and worker.until is not None
    return worker.until - 2 * (worker.job.allowance.seconds or 0) - GRACE


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        hint = ", perhaps for lack of memory" if -code == signal.SIGKILL else ""
        return f"was ended by signal {-code}{hint}"
    return f"ended with code {code}"
