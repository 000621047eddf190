"""The limits of a run on z3: time, memory and Ctrl-C end a query, each with its reason."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import z3

LOOK = 0.05
"""Seconds between two checks of z3's memory while it solves: it takes less than 50 MB in that time."""


class Stopped(Exception):
    """A search ended without an answer; the text is the reason for people."""

    def __init__(self, reason: str, interrupted: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.interrupted = reason, interrupted


@dataclass(frozen=True)
class Memory:
    """The limit on z3's memory: bytes, and the text that people use for it."""

    bytes: int
    text: str


class Clock:
    """The limits of a run, and where its time went."""

    def __init__(self, seconds: float | None = None, memory: Memory | None = None) -> None:
        self.seconds, self.memory, self.started = seconds, memory, time.perf_counter()
        self._before = z3.Z3_get_estimated_alloc_size()
        self._tripped, self.ended = False, False
        self.spent: dict[str, float] = defaultdict(float)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.started

    def left(self) -> int:
        """Milliseconds that are left; Stopped when there are none, when z3 holds too much memory, or from outside."""
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

    @property
    def full(self) -> bool:
        """Whether z3 has allocated more than it may, now or before."""
        if self.memory is not None and z3.Z3_get_estimated_alloc_size() - self._before > self.memory.bytes:
            self._tripped = True
        return self._tripped

    @contextmanager
    def counting(self, what: str) -> Iterator[None]:
        """Count the time of the body."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spent[what] += time.perf_counter() - start

    @contextmanager
    def watching(self, solver: z3.Solver) -> Iterator[None]:
        """Interrupt the solver when it takes too much memory during the body.

        z3's own limit, memory_max_size, is global to the process and leaves its solvers in an undefined state; an
        interrupt is an ordinary end of a query.
        """
        if self.memory is None:
            yield
            return
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(solver, over), daemon=True)
        watch.start()
        try:
            yield
        finally:
            over.set()
            watch.join()

    def _watch(self, solver: z3.Solver, over: threading.Event) -> None:
        while not over.wait(LOOK):
            if self.full:
                solver.interrupt()
                return
