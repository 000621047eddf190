"""Measures how long a command has taken so far, and its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Stopwatch:
    """Measures a command since it was `started`, a reading of perf_counter()."""

    def __init__(self, started: float | None = None) -> None:
        self.started = perf_counter() if started is None else started
        self.spent: dict[str, float] = defaultdict(float)

    @contextmanager
    def measuring(self, part: str) -> Iterator[None]:
        """Counts the time of a block as a part of the command, without parts measured inside it."""
        self.spent[part] += 0.0  # parts are in the order in which they began
        start, before = perf_counter(), sum(self.spent.values())
        try:
            yield
        finally:
            within = sum(self.spent.values()) - before
            self.spent[part] += perf_counter() - start - within

    @property
    def times(self) -> dict[str, float]:
        """Seconds of the command so far, of each part in the order in which the parts began, and of the rest."""
        whole = perf_counter() - self.started
        return {"command": whole, **self.spent, "rest": max(0.0, whole - sum(self.spent.values()))}
