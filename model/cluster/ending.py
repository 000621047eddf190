"""How work on a cluster ends early: the user has stopped it, or Kafka could not be brought to a state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ..conformance.driver import NotJudged
from ..conformance.process import Line
from .servers import Servers


class Stopped(NotJudged):
    """The user has stopped the work."""


class EndedEarly(Protocol):
    """An outcome with the reason why it ended early."""

    interrupted: bool
    not_judged: str


@contextmanager
def ending(outcome: EndedEarly) -> Iterator[None]:
    """Run the body; if it ends early, note the reason in the outcome."""
    try:
        yield
    except Stopped:
        outcome.interrupted = True
    except NotJudged as reason:
        outcome.not_judged = str(reason)


@contextmanager
def blaming(servers: Servers) -> Iterator[None]:
    """Run the body; if it ends early and a server has died, that is the reason (E732)."""
    try:
        yield
    except Stopped:
        raise
    except NotJudged:
        servers.require_alive()
        raise


def require_wanted(line: Line, servers: Servers) -> None:
    """Stopped when the user has stopped the work; an error when a server has died."""
    if line.stopped:
        raise Stopped
    servers.require_alive()
