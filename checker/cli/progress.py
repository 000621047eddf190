"""Progress on standard error: one live line on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable

from ..engines.observer import Progress, Silent
from ..results.report import rate
from .output import draw, note, on_terminal

PHASES = {
    "tracing": "tracing the spec",
    "tracing all": "tracing the spec for each choice of the open constants",
    "compiling": "compiling the spec to machine code (kept for the next run)",
    "initial values": "trying combinations of initial values",
    "rebuilding traces": "rebuilding traces",
    "cross-checking": "cross-checking states in plain Python",
}
REDRAW = 0.1
"""Seconds between two redraws of the live line."""
SPEAK = 5.0
"""Seconds between two plain lines."""
PATIENCE = 0.5
"""Seconds that a phase may last before a plain line reports it."""


def shown_bytes(number: float) -> str:
    """A size for people: 41.2 MiB."""
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"


def shown_time(seconds: float) -> str:
    """A time for people: 0:07, 12:34, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def exact(number: float) -> str:
    """A number with all its digits: 1,161,192."""
    return f"{number:,}"


def line(progress: Progress, shown: Callable[[float], str] = exact) -> str:
    """How far a search is."""
    speed = progress.distinct / progress.seconds if progress.seconds else 0.0
    parts = [
        f"level {progress.level}",
        f"{shown(progress.distinct)} distinct",
        f"{shown(progress.generated)} generated",
        f"{shown(progress.queue)} queued",
        f"{rate(speed)}/s",
    ]
    parts += [shown_bytes(progress.bytes)] if progress.bytes else []
    return "  ".join([*parts, shown_time(progress.seconds)])


def walk_line(progress: Progress, shown: Callable[[float], str] = exact) -> str:
    """How far a batch of random walks is."""
    total = progress.level + progress.queue
    return f"walk {shown(progress.level)} of {shown(total)}  {shown(progress.generated)} states  " + shown_time(
        progress.seconds
    )


def part_line(text: str, done: int, total: int) -> str:
    """How far a phase of many parts is."""
    return f"{PHASES.get(text, text)}: {done:,} of {total:,}"


class Watcher(Silent):
    """An observer that reports the progress of a run; `finish` ends the reports."""

    def __init__(self, walking: bool = False) -> None:
        self.line = walk_line if walking else line
        self.failed: list[str] = []

    def violation(self, name: str, level: int) -> None:
        self.failed.append(name)

    def finish(self) -> None:
        """The run is over."""

    def progress_text(self, progress: Progress, width: int | None = None) -> str:
        """The line of a moment, with the properties that are known to fail; numbers rounded where it is too wide."""
        failed = f"  violated: {', '.join(dict.fromkeys(self.failed))}" if self.failed else ""
        progress_text = self.line(progress) + failed
        return progress_text if width is None or len(progress_text) <= width else self.line(progress, rate) + failed


class Live(Watcher):
    """One line that is written over and over, and erased at the end."""

    def __init__(self, walking: bool = False) -> None:
        super().__init__(walking)
        self.drawn = 0.0

    def phase(self, text: str) -> None:
        self._draw(PHASES.get(text, text) + " ..." if text else "")

    def part(self, text: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.drawn >= REDRAW:
            self.drawn = now
            self._draw(part_line(text, done, total))

    def progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self.drawn >= REDRAW:
            self.drawn = now
            self._draw(self.progress_text(progress, self.width()))

    level = progress

    def finish(self) -> None:
        self._draw("")

    def width(self) -> int:
        """Characters that fit on the line."""
        return shutil.get_terminal_size().columns - 1

    def _draw(self, text: str) -> None:
        draw(text[: self.width()])


class Lines(Watcher):
    """A line now and then; nothing at all of a run that is over in a moment."""

    def __init__(self, walking: bool = False) -> None:
        super().__init__(walking)
        self.spoken = time.monotonic()
        self.timer: threading.Timer | None = None

    def phase(self, text: str) -> None:
        self._cancel()
        self.spoken = time.monotonic()
        if text:
            self.timer = threading.Timer(PATIENCE, self._say, [PHASES.get(text, text) + " ..."])
            self.timer.daemon = True
            self.timer.start()

    def part(self, text: str, done: int, total: int) -> None:
        if time.monotonic() - self.spoken >= SPEAK:
            self._cancel()
            self._say(part_line(text, done, total))

    def progress(self, progress: Progress) -> None:
        self._cancel()
        if time.monotonic() - self.spoken >= SPEAK:
            self._say(self.progress_text(progress))

    level = progress

    def finish(self) -> None:
        self._cancel()

    def _cancel(self) -> None:
        """Cancel the line of the last phase; wait if it is being printed."""
        timer, self.timer = self.timer, None
        if timer is not None:
            timer.cancel()
            if timer.is_alive():
                timer.join()

    def _say(self, text: str) -> None:
        self.spoken = time.monotonic()
        note(text, whole=True)


def watcher(quiet: bool, walking: bool = False) -> Watcher:
    """The observer for this standard error."""
    if quiet:
        return Watcher(walking)
    return Live(walking) if on_terminal() else Lines(walking)
