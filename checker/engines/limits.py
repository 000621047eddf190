"""The limits of a search, as its caller sets them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field

from ..errors import EverystateError
from .stopwatch import Stopwatch

VARIABLE = "EVERYSTATE_CROSS_CHECK"
"""The environment variable that sets --cross-check for all commands."""
LEAST_SECONDS = 0.2
"""Seconds that a cross-check may always take, however short the search is."""


def cross_check_number(text: str) -> int:
    """The number of states to cross-check, from the command line; E516 for an invalid text."""
    if text == "off":
        return 0
    if text == "all":
        return 1 << 62
    if not text.isdecimal() or not int(text):
        raise EverystateError("E516", None, value=text)
    return int(text)


def cross_check_for_all() -> int | None:
    """The number from the environment VARIABLE; None where it is not set."""
    text = os.environ.get(VARIABLE)
    return cross_check_number(text) if text else None


@dataclass(frozen=True)
class Deadline:
    """The moment at which a search ends: `seconds` after `since`, a reading of time.monotonic()."""

    seconds: float
    since: float = field(default_factory=time.monotonic)

    @property
    def passed(self) -> str:
        """Why a search ends now; empty where it continues."""
        over = time.monotonic() > self.since + self.seconds
        return f"the time limit of {self.seconds:g} s is reached" if over else ""


@dataclass(frozen=True)
class Limits:
    """Bounds of a search; `max_memory` counts the state store, in bytes (None: 85 % of what is free).

    `compress` compresses the states of a large search from the beginning, not only when memory gets short.
    `work` is a folder in which levels are kept when they are complete, `resume` goes on with those that are there.
    `spill` is a folder for the states of a search whose memory has ended, which then goes on there.
    `cross_check` says how many states are cross-checked (None: as many as take a tenth of the command, or
    `cross_check_seconds`). `stopwatch` measures the command and its parts.
    Nothing ends a search at a `deadline` but machine code in one process and plain Python.
    """

    workers: int = 1
    max_states: int | None = None
    max_memory: int | None = None
    deadlock: bool = True
    stop_early: bool = False
    cross_check: int | None = None
    cross_check_seconds: float = LEAST_SECONDS
    stopwatch: Stopwatch = field(default_factory=Stopwatch, compare=False)
    compress: bool = False
    work: str | None = None
    resume: bool = False
    spill: str | None = None
    deadline: Deadline | None = None
