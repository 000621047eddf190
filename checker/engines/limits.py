"""The limits of a search, as it is told them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

LEAST = 1000
"""States that are cross-checked, at the least."""


@dataclass(frozen=True)
class Deadline:
    """The moment at which a search ends: so many `seconds` after `since`, a reading of time.monotonic()."""

    seconds: float
    since: float = field(default_factory=time.monotonic)

    @property
    def passed(self) -> str:
        """Why a search ends now; empty where it does not."""
        over = time.monotonic() > self.since + self.seconds
        return f"the time limit of {self.seconds:g} s is reached" if over else ""


@dataclass(frozen=True)
class Limits:
    """Bounds of a search; `max_memory` counts the state store, in bytes (None: 85 % of what is free).

    `compress` folds the states of a large search from the beginning, not only when memory gets short.
    `work` is a folder in which levels are kept when they are complete, `resume` goes on with those that are there.
    `spill` is a folder for the states of a search whose memory has ended, which then goes on there.
    `cross_check` says how many states are cross-checked (None: `twice`, and more in a long run).
    Nothing ends a search at a `deadline` but machine code in one process and plain Python.
    """

    workers: int = 1
    max_states: int | None = None
    max_memory: int | None = None
    deadlock: bool = True
    stop_early: bool = False
    cross_check: int | None = None
    twice: int = LEAST
    compress: bool = False
    work: str | None = None
    resume: bool = False
    spill: str | None = None
    deadline: Deadline | None = None
