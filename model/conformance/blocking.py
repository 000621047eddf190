"""Producers up to 2.4 wait for their producer id in a pass of their loop: here such a pass ends where it would wait.

The pass has then done all that comes before the wait. When the id is there, the next pass asks for it, gets it and
continues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .classes import has, java, method

WAITS = "the producer waits for its producer id"


def waits_in_a_pass() -> bool:
    """Whether the producer of this release does."""
    return has("Sender", "maybeWaitForProducerId")


def end_wait() -> None:
    """End the pass; an Error, because the producer takes an exception for a failed request and tries again."""
    raise java("java.lang.Error")(WAITS)


def interrupted(action: Callable[[], Any]) -> bool:
    """Whether an action ended because the producer waits."""
    import jpype

    try:
        action()
    except jpype.JException as error:
        cause = error
        while cause.getCause() is not None:
            cause = cause.getCause()
        if str(cause.getMessage()) != WAITS:
            raise cause from None
        return True
    return False


def run_once(sender: Any, now: int) -> None:
    """One pass of the loop."""
    import jpype

    if has("Sender", "runOnce"):
        method("Sender", "runOnce", 0).invoke(sender)
    else:  # before 2.2
        method("Sender", "run", 1).invoke(sender, jpype.JLong(now))
