"""Runs one job in a process forked from this one: a crash, or a hang, becomes an outcome.

For workers of another system (Spark's Python worker), which serve many jobs and must not die of one.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing.connection import Connection, wait

from .job import Job, Load, run
from .outcome import Outcome, undecided
from .pool import GRACE, cause


def apart(job: Job, load: Load) -> Outcome:
    """The outcome of a job; made in this process where there is no fork."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return run(job, load)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_serve, args=(theirs, job, load), daemon=True)
    child.start()
    theirs.close()
    seconds = job.allowance.seconds
    patience = None if seconds is None else 2 * seconds + GRACE
    try:
        if not ours.poll(patience):
            return undecided(f"its process did not end within {patience:.0f} s", job.target, job.constants)
        answer: Outcome = ours.recv()
        return answer
    except (EOFError, OSError):
        child.join(5)
        return undecided(f"its process {cause(child.exitcode)}", job.target, job.constants)
    finally:
        child.kill()
        child.join()
        ours.close()


def _serve(connection: Connection, job: Job, load: Load) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    connection.send(run(job, load))


def _end_with_parent() -> None:
    """A worker that is killed takes its job with it."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
