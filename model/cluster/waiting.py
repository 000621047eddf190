"""Waiting for what a cluster does by itself: by a condition, up to a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ..conformance.driver import NotJudged

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds until a deadline is missed. Nothing takes long; a machine that is busy may."""
PAUSE = 0.01


def wait(
    what: str, condition: Callable[[], T], alive: Callable[[], None] = lambda: None, patience: float = PATIENCE
) -> T:
    """The first value of a condition that is true; NotJudged after the deadline.

    `alive` raises when there is no sense in waiting any more.
    """
    deadline = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        alive()
        if time.monotonic() > deadline:
            raise NotJudged(f"waited {patience:.0f} seconds in vain: {what}")
        time.sleep(PAUSE)
