"""What the commands that make many checks share: the runner, loading, telling, and the files of traces."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..language.spec import Spec
from .options import convert, processors
from .output import draw, note, on_terminal, trace_name, write_text
from .progress import shown_time
from .spark import Sweep, on_spark
from .targets import resolve

if TYPE_CHECKING:
    from ..regression.runners.job import Job
    from ..regression.runners.outcome import Outcome
    from ..regression.runners.runner import Runner

SPEAK = 5.0
"""Seconds between two plain lines."""


def load(target: str, constants: dict[str, Any]) -> Spec:
    """The spec of a target; texts become values of the type of the constant."""
    found = resolve(target)
    declared = found.declared()
    given = {
        name: convert(value, declared[name].default) if name in declared and isinstance(value, str) else value
        for name, value in constants.items()
    }
    return found.spec(given)


def runner(given: dict[str, Any]) -> Runner:
    """What makes the checks of a command, by its options."""
    from ..regression.runners.pool import Pool

    if on_spark(given):
        return Sweep(load, given)

    return Pool(load, given["workers"] or processors())


class ProgressLine:
    """Prints on standard error how many checks are done: a live line on a terminal, occasional lines elsewhere.

    Threads report their checks. After `finish` nothing is printed, since the result follows.
    """

    def __init__(self, total: int, quiet: bool = False) -> None:
        self.total, self.quiet, self.done, self.cached = total, quiet, 0, 0
        self.at_work: dict[str, float] = {}
        self.live = on_terminal()
        self.spoken = time.monotonic()
        self.over, self.speaking = threading.Event(), threading.Lock()
        if not quiet:
            threading.Thread(target=self._go_on, name="telling", daemon=True).start()

    def _go_on(self) -> None:
        """Tell of checks that take long, too."""
        while not self.over.wait(SPEAK):
            if self.at_work:
                self._say()

    def __call__(self, job: Job, outcome: Outcome | None) -> None:
        if outcome is None:
            self.at_work[job.name] = time.monotonic()
        else:
            self.at_work.pop(job.name, None)
            self.done += 1
            self.cached += outcome.cached
        if not self.quiet:
            self._say()

    def _say(self) -> None:
        text = f"{self.done} of {self.total} checked" + (f" ({self.cached} known)" if self.cached else "")
        if self.at_work:
            now = time.monotonic()
            text += "; at work: " + ", ".join(f"{n} ({shown_time(now - t)})" for n, t in [*self.at_work.items()])
        with self.speaking:
            if self.over.is_set():
                return
            if self.live:
                draw(text[:100])
            elif time.monotonic() - self.spoken >= SPEAK:
                self.spoken = time.monotonic()
                note(text)

    def finish(self) -> None:
        """End the progress; wait for a line that is being printed."""
        with self.speaking:
            self.over.set()
        if self.live and not self.quiet:
            draw("")


def store_traces(outcome: Outcome, folder: Path | None = None) -> dict[str, str]:
    """Write the trace of every violation as ITF; the path for each property."""
    from ..cache import cache_folder, digest

    found = {}
    for name, trace in outcome.traces.items():
        key = digest(trace.itf)[:12]
        place = folder or cache_folder() / "traces" / key
        place.mkdir(parents=True, exist_ok=True)
        path = place / trace_name(str(outcome.report["target"]), name, key if folder else "")
        write_text(path, trace.itf)
        found[name] = str(path)
    return found
