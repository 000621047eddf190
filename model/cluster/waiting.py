"""Waits for events of a cluster: for a condition, up to a deadline."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

from ..conformance.driver import NotJudged

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds until a deadline on an idle machine."""
CROWDED = 10.0
"""The maximum factor by which a deadline grows on a busy machine."""
PAUSE = 0.01


def crowding() -> float:
    """The factor by which everything takes longer: a server shares the processors with other processes."""
    return min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), CROWDED)


def wait(
    what: str, condition: Callable[[], T], alive: Callable[[], None] = lambda: None, patience: float = PATIENCE
) -> T:
    """The first value of a condition that is true; NotJudged after the deadline.

    `alive` raises when further waiting is useless.
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
