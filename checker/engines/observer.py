"""What a search reports while it runs, through an observer; engines never print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """The progress of a search: `queue` states are waiting to be expanded, `bytes` is the size of the state store."""

    level: int
    distinct: int
    generated: int
    queue: int
    bytes: int
    seconds: float


class Observer(Protocol):
    """Receives the events of a search."""

    def phase(self, text: str) -> None:
        """A long phase begins: tracing, compiling, rebuilding a trace."""

    def part(self, text: str, done: int, total: int) -> None:
        """The progress of a phase with many parts: instances traced or compiled, states cross-checked."""

    def progress(self, progress: Progress) -> None:
        """A few times a second."""

    def level(self, progress: Progress) -> None:
        """A level is complete."""

    def violation(self, name: str, level: int) -> None:
        """A property was violated for the first time; its trace follows with the result."""


def counted(observer: Observer, phase: str) -> Callable[[int, int], None]:
    """Begin a phase; returns a function that reports how many of its parts are done, and of how many."""
    observer.phase(phase)
    return lambda done, total: observer.part(phase, done, total)


def unheard(done: int, total: int) -> None:
    """Ignores progress."""


class Silent:
    """An observer that does nothing."""

    def phase(self, text: str) -> None: ...

    def part(self, text: str, done: int, total: int) -> None: ...

    def progress(self, progress: Progress) -> None: ...

    def level(self, progress: Progress) -> None: ...

    def violation(self, name: str, level: int) -> None: ...
