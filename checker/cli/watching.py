"""Watch a spec: check it again whenever its file, or one beside it that it imports, is saved.

Each check runs in a process of its own, which reads every file anew. Files are looked at, not reported by the system:
that works for every editor (one that saves by renaming makes another file), on network drives and in containers.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol

from ..regression.runners.job import Job, run
from ..regression.runners.outcome import PROVED, UNDECIDED, VIOLATED, Finding, Outcome, undecided
from ..regression.runners.pool import cause, deaf_to_interrupts
from .sweeps import load
from .targets import tell_imports

PAUSE = 0.25
"""Seconds between two looks at the files."""
Stamp = tuple[int, int, int, int] | None
"""What identifies a version of a file: time, size, inode, and time of the inode; None for no file."""
Stamps = dict[str, Stamp]


@dataclass(frozen=True)
class Answer:
    """What a check found, and the files on which its imports depend as they were before they were read."""

    outcome: Outcome
    files: Stamps


class Running(Protocol):
    """A check that is under way."""

    def answer(self) -> Answer | None:
        """The answer, if it comes within a pause."""

    def end(self) -> None:
        """Give it up."""


class Watch:
    """Checks a job at every change of a file; `run` comes back only by an interrupt.

    `begin` starts a check, `pause` lets some time pass, `report_check` gets every outcome with the names of the files
    that were changed before it, `lost` that the file is gone.
    """

    def __init__(
        self,
        path: str,
        job: Job,
        report_check: Callable[[Outcome, list[str]], None],
        lost: Callable[[], None],
        begin: Callable[[Job], Running] | None = None,
        pause: Callable[[], None] | None = None,
    ) -> None:
        self.path, self.job, self.report_check, self.lost = os.path.abspath(path), job, report_check, lost
        self.begin, self.pause = begin or Child, pause or wait
        self.files = [self.path]

    def run(self) -> None:
        """Check, and check again."""
        changed: list[str] = []
        while True:
            seen = self._settled()
            answer = self._answer(seen)
            if answer is not None:
                self.report_check(answer.outcome, changed)
                seen |= {path: stamp for path, stamp in answer.files.items() if path not in seen}
                self.files = sorted(seen)
                while look(self.files) == seen:
                    self.pause()
                changed = []
            now = look(self.files)
            changed = sorted({*changed, *(path for path in seen if now[path] != seen[path])})

    def _settled(self) -> Stamps:
        """The files once they exist and are not being written."""
        seen, report_check = look(self.files), False
        while True:
            self.pause()
            now = look(self.files)
            if now == seen and now[self.path] is not None:
                return now
            if now == seen and not report_check:
                self.lost()
                report_check = True
            seen = now

    def _answer(self, seen: Stamps) -> Answer | None:
        """What a check finds; nothing where a file is changed meanwhile."""
        running = self.begin(self.job)
        try:
            while look(self.files) == seen:
                answer = running.answer()
                if answer is not None:
                    return answer
            return None
        finally:
            running.end()


def wait() -> None:
    """Let some time pass."""
    time.sleep(PAUSE)


def look(files: Iterable[str]) -> Stamps:
    """What files are like."""
    return {path: _stamp(path) for path in files}


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


# -- a process for each check ------------------------------------------------------------------------------


class Child:
    """A check in a process of its own, which an interrupt does not reach."""

    def __init__(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        self.job = job
        self.files: Stamps = {}
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, job), daemon=True)
        with deaf_to_interrupts():
            self.process.start()
        theirs.close()

    def answer(self) -> Answer | None:
        """See Running; a process that died is an answer, too."""
        while self.connection.poll(PAUSE):
            try:
                found: Outcome | Stamps = self.connection.recv()
            except (EOFError, OSError):
                self.process.join(5)
                reason = f"its process {cause(self.process.exitcode)}"
                found = undecided(reason, self.job.target, self.job.constants)
            if isinstance(found, Outcome):
                return Answer(found, self.files)
            self.files = found | self.files
        return None

    def end(self) -> None:
        """See Running."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, job: Job) -> None:
    """One check, in a process of its own. It reports each file before it reads it: reading may end the process."""
    tell_imports(lambda path: connection.send(look([path])))
    connection.send(run(job, load))


# -- what has changed --------------------------------------------------------------------------------------


CALLED = {"deadlock": "no deadlock", "error": "no action fails"}
"""What is promised besides the properties of a spec."""


def changes(before: Outcome, after: Outcome) -> list[str]:
    """What a check says otherwise than the one before, in words: property by property, and the number of states."""
    names = dict.fromkeys((*before.checked, *after.checked))
    found = [line for name in names for line in _change(name, before, after)]
    if before.distinct != after.distinct:
        found.append(f"states: {before.distinct:,} -> {after.distinct:,}")
    return found


def _change(name: str, before: Outcome, after: Outcome) -> list[str]:
    shown = CALLED.get(name, name)
    if name not in after.checked:
        return [f"{shown}: not checked any more"]
    now = said(after, name)
    if name not in before.checked:
        return [f"{shown}: new, {now}"]
    past = said(before, name)
    return [f"{shown}: {past} -> {now}"] if past != now else []


def said(outcome: Outcome, name: str) -> str:
    """What a check says of one property; where an action fails, nothing is proved of those that were not violated."""
    found: Finding = outcome.of(name)
    if found.status == VIOLATED:
        return "fails" if found.length is None else f"violated after {found.length} step{'s' * (found.length != 1)}"
    if found.status == PROVED and name != "error" and outcome.of("error").status == VIOLATED:
        return "undecided"
    return "holds" if found.status == PROVED else UNDECIDED
