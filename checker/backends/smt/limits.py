"""The limits of a run on z3 and SAT solvers: time, memory and Ctrl-C end a query, each with its reason."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import z3

LOOK = 0.05
"""Seconds between two checks of the limits while z3 works: it takes less than 50 MB in that time."""


class Stopped(Exception):
    """A search ended without an answer; the text is the reason for people."""

    def __init__(self, reason: str, interrupted: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.interrupted = reason, interrupted


@dataclass(frozen=True)
class Memory:
    """The limit on the memory of this process: bytes, and the text that people use for it."""

    bytes: int
    text: str


def resident() -> int:
    """Bytes of memory that this process holds; where the system does not say it, the most that it has held."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Clock:
    """The limits of a run, and where its time went."""

    def __init__(self, seconds: float | None = None, memory: Memory | None = None) -> None:
        self.seconds, self.memory, self.started = seconds, memory, time.perf_counter()
        self.ended, self._looked = False, 0.0
        self.spent: dict[str, float] = defaultdict(float)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.started

    def left(self) -> int:
        """Milliseconds that are left; Stopped when there are none, when the process holds too much memory, or from
        outside."""
        if self.ended:
            raise Stopped("not needed any more")
        if self.full:
            raise Stopped(f"the memory limit of {self.memory.text if self.memory else ''} is reached")
        if self.seconds is None:
            return (1 << 32) - 1
        left = int(1000 * (self.seconds - self.elapsed))
        if left <= 0:
            raise Stopped(f"the time limit of {self.seconds:g} s is reached")
        return left

    def look(self) -> bool:
        """Check the limits, unless that was done a moment ago; returns whether it was done now."""
        now = time.perf_counter()
        if now - self._looked < LOOK:
            return False
        self._looked = now
        self.left()
        return True

    @property
    def full(self) -> bool:
        """Whether the process holds more memory than it may."""
        return self.memory is not None and resident() > self.memory.bytes

    @property
    def over(self) -> bool:
        """Whether a limit is reached."""
        return self.ended or self.full or (self.seconds is not None and self.elapsed >= self.seconds)

    @contextmanager
    def counting(self, what: str) -> Iterator[None]:
        """Count the time of the body."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spent[what] += time.perf_counter() - start

    @contextmanager
    def watching(self, work: z3.Solver | z3.Context) -> Iterator[None]:
        """Interrupt z3 when a limit is reached during the body.

        z3's own limit, memory_max_size, is global to the process and leaves its solvers in an undefined state; its
        timeouts do not end all of its tactics. An interrupt is an ordinary end of a query.
        """
        if self.memory is None and self.seconds is None:
            yield
            return
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(work, done), daemon=True)
        watch.start()
        try:
            yield
        finally:
            done.set()
            watch.join()

    def _watch(self, work: Any, done: threading.Event) -> None:
        while not done.wait(LOOK):
            if self.over:
                work.interrupt()
