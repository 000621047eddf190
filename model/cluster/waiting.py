"""Waiting for what a cluster does by itself: by a condition, up to a deadline."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

from ..conformance.driver import NotJudged

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds until a deadline is missed, where processors are free. Nothing takes long."""
CROWDED = 10.0
"""How many times longer it may take on a machine that is busy, at most."""
PAUSE = 0.01


def crowding() -> float:
    """How many times longer everything takes: a server gets its share of the processors among all that want one."""
    return min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), CROWDED)


def wait(
    what: str, condition: Callable[[], T], alive: Callable[[], None] = lambda: None, patience: float = PATIENCE
) -> T:
    """The first value of a condition that is true; NotJudged after the deadline.

    `alive` raises when there is no sense in waiting any more.
    """
    began = time.monotonic()
    while True:
        found = condition()
        if found:
            return found
        alive()
        waited = time.monotonic() - began
        if waited > patience and waited > patience * crowding():
            raise NotJudged(f"waited {waited:.0f} seconds in vain: {what}")
        time.sleep(PAUSE)
