"""How many states a command cross-checks: a fixed number, or as many as fit into a share of its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import perf_counter

from ..limits import LEAST_SECONDS, cross_check_for_all
from ..stopwatch import Stopwatch

CROSS_CHECK = "cross-check"
"""The name of the cross-check among the measured parts of a command."""
SHARE = 0.1
"""The share of a command's time that its cross-check may take."""
ALL = 1 << 62
FIRST, FACTOR = 64, 8
"""With a time limit: the states of the first sample, and the factor by which each next sample is larger."""
NOMINAL = 1000
"""With a time limit: the number by which kinds of states are apportioned."""


class Allowance:
    """How many states are cross-checked: `number`, or as many as take SHARE of the time of a command.

    With a time limit, at least `seconds` are allowed.
    """

    def __init__(self, number: int | None, stopwatch: Stopwatch, seconds: float = LEAST_SECONDS) -> None:
        self.number = cross_check_for_all() if number is None else number
        self.stopwatch, self.seconds = stopwatch, seconds
        self._since: float | None = None

    @property
    def off(self) -> bool:
        """Whether no state is to be cross-checked."""
        return self.number == 0

    @property
    def nominal(self) -> int:
        """The number of states, or one to apportion kinds of states by."""
        return NOMINAL if self.number is None else self.number

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of a block as cross-check."""
        self._since = perf_counter()
        try:
            with self.stopwatch.measuring(CROSS_CHECK):
                yield
        finally:
            self._since = None

    def used(self, compared: int = 0) -> float:
        """The fraction that is used up after so many states; 1 when nothing is left."""
        if self.number is not None:
            return compared / self.number if self.number else 1.0
        now = perf_counter()
        running = 0.0 if self._since is None else now - self._since
        spent = self.stopwatch.spent.get(CROSS_CHECK, 0.0) + running
        return spent / max(self.seconds, SHARE * (now - self.stopwatch.started))

    def left(self, part: float = 1.0) -> float:
        """Seconds that are left of a part of the time; without end where a number is given."""
        whole = max(self.seconds, SHARE * (perf_counter() - self.stopwatch.started))
        return inf if self.number is not None else (part - self.used()) * whole

    def over(self, part: float = 1.0) -> bool:
        """Whether a part of the time is used up; always false where a number is given."""
        return self.number is None and self.used() >= part

    def enough(self, compared: int) -> bool:
        """Whether that many states are as many as were asked for."""
        return self.number is not None and compared >= self.number

    def samples(self, total: int, compared: int = 0) -> Iterator[tuple[int, int]]:
        """The sizes of the samples for so many states, of which some were compared before; each sample contains the one
        before. A second one makes up for states of the first one that were compared before."""
        if self.number is not None:
            left = max(0, self.number - compared)
            yield from [(0, left), (left, self.number)] if compared else [(0, left)]
            return
        before, size = 0, FIRST
        while before < total:
            yield before, size
            before, size = size, FACTOR * size
