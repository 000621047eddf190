"""Measures the CPU time of tasks with a few clocks, summed over all tasks of a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

KERNEL, CODEC, REBUILT = "kernel", "codec", "rebuilt"
"""Machine code of the spec; packing and unpacking of blocks; partitions whose shard was made again."""


class Meter(dict[str, float]):
    """CPU seconds of this process by purpose, and counts of events."""


SPENT = Meter.fromkeys((KERNEL, CODEC, REBUILT), 0.0)


class Clock(Protocol):
    """An accumulator of Spark; its value is for the driver."""

    value: Any

    def add(self, term: Any) -> object: ...


class DictAccumulator:
    """Merges dicts in an accumulator of Spark; two attempts of a task report equal values."""

    def zero(self, value: dict[Any, Any]) -> dict[Any, Any]:
        """Nothing reported."""
        return {}

    def addInPlace(self, one: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
        """Both."""
        one.update(other)
        return one


@contextmanager
def spending(name: str) -> Iterator[None]:
    """Count the CPU time of a block."""
    start = time.thread_time()
    try:
        yield
    finally:
        SPENT[name] += time.thread_time() - start


@contextmanager
def reported(clocks: dict[str, Clock]) -> Iterator[None]:
    """Report the CPU time of a task to the driver. A task that runs twice is counted twice."""
    before = dict(SPENT)
    try:
        yield
    finally:
        for name, clock in clocks.items():
            clock.add(SPENT[name] - before[name])
