"""How work on a cluster ends before it is done: the user wants no more, or Kafka could not be brought to a place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ..conformance.driver import NotJudged
from ..conformance.process import Line
from .servers import Servers


class Stopped(NotJudged):
    """The user wants no more."""


class EndedEarly(Protocol):
    """An outcome that says how it ended."""

    interrupted: bool
    not_judged: str


@contextmanager
def ending(outcome: EndedEarly) -> Iterator[None]:
    """Do the body, or note in the outcome why it was not done to its end."""
    try:
        yield
    except Stopped:
        outcome.interrupted = True
    except NotJudged as reason:
        outcome.not_judged = str(reason)


@contextmanager
def blaming(servers: Servers) -> Iterator[None]:
    """Do the body; where it was not done to its end and a server has died, that is the reason (E732)."""
    try:
        yield
    except Stopped:
        raise
    except NotJudged:
        servers.require_alive()
        raise


def require_wanted(line: Line, servers: Servers) -> None:
    """Stopped when the user wants no more; an error when a server has died."""
    if line.stopped:
        raise Stopped
    servers.require_alive()
