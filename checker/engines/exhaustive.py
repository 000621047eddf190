"""Exhaustive breadth-first search on machine code.

Level by level. Each worker owns the states whose hash falls to it: it expands the states of the current
level that it owns, stores the successors that it owns, and hands the others to their owners. A level is
over when every worker has expanded its part and received everything from all others. So the set of states
of each level, and with it every count, verdict and trace, does not depend on the number of workers nor on
their timing.

Nothing is kept of how a state was reached. When a property fails, `traces` walks the stored levels
backwards; that costs one more expansion of those levels, and saves 4 to 8 bytes for every state.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends.native import Compiled, Program, compile_program
from ..ir.model import Model, check_limits
from ..language.concrete import initial_states
from ..results.result import Result
from .memory import available, shown
from .observer import Observer, Progress, Silent
from .report import Findings, conclude
from .shard import DONE, NO_ACTION, OutOfRoom, Shard

CHUNK = 1 << 14
"""States that a worker expands between two looks at its inbox."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a search; `max_memory` counts the state store, in bytes (None: 85 % of what is free)."""

    workers: int = 1
    max_states: int | None = None
    max_memory: int | None = None
    deadlock: bool = True
    stop_early: bool = False


class Exhaustive:
    """One breadth-first search; `run` performs it."""

    def __init__(self, model: Model, limits: Limits, observer: Observer | None = None, target: str = "") -> None:
        self.model, self.limits, self.observer = model, limits, observer or Silent()
        self.target = target or type(model.spec).__name__
        self.program = Program(model)
        check_limits(model, "actions", len(self.program.action_names), 60_000, "actions are numbered with 16 bits")
        self.stop = threading.Event()
        self.stopped = ""
        self.started = time.perf_counter()

    def run(self) -> Result:
        """Search to the end, to a limit or to an interrupt."""
        self.observer.phase("compiling")
        compiled = compile_program(self.program)
        self.started = time.perf_counter()
        self._allocate(compiled)
        findings = Findings(self.program, self.limits.deadlock)
        initial = self._initial(compiled, findings)
        interrupted = False
        try:
            self._levels(findings)
        except KeyboardInterrupt:
            self.stop.set()
            interrupted, self.stopped = True, "interrupted"
        seconds = time.perf_counter() - self.started
        self.observer.phase("rebuilding traces" if findings.first_seen else "")
        return conclude(self, findings, initial, seconds, interrupted)

    # -- set-up --------------------------------------------------------------------------------------------

    def _allocate(self, compiled: Compiled) -> None:
        workers = 1 if self.model.view else max(1, self.limits.workers)
        budget = self.limits.max_memory or int(0.85 * available())
        self.budget = budget
        self.shards = [Shard(compiled, budget // workers, me, workers) for me in range(workers)]
        self.inboxes: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in range(workers)]
        self.levels: list[list[tuple[int, int]]] = []
        self.compiled = compiled

    def _initial(self, compiled: Compiled, findings: Findings) -> int:
        states = initial_states(self.model.spec)
        packed = np.array([self.model.layout.pack(s.cells) for s in states], np.uint64)
        packed = packed.reshape(len(states), self.program.words)
        flags = np.ones(len(packed), np.uint64)
        compiled.inside_states(packed.ctypes.data, len(packed), flags.ctypes.data)
        findings.outside_initial(compiled, packed[flags == 0])
        inside = np.ascontiguousarray(packed[flags == 1])
        owners = np.zeros(len(inside), np.uint64)
        compiled.owners_of(inside.ctypes.data, len(inside), len(self.shards), owners.ctypes.data)
        for shard in self.shards:
            mine = np.ascontiguousarray(inside[owners == shard.me])
            shard.receive(mine, np.full(len(mine), NO_ACTION, np.uint16))
        self.levels.append([(0, shard.count) for shard in self.shards])
        findings.level_done(self.shards, 1, self.observer)
        self.generated_initially = len(states)
        return len(states)

    # -- the search ----------------------------------------------------------------------------------------

    def _levels(self, findings: Findings) -> None:
        with ThreadPoolExecutor(len(self.shards), thread_name_prefix="everystate") as pool:
            while any(end > start for start, end in self.levels[-1]) and not self.stopped:
                try:
                    self._level(pool, findings)
                except KeyboardInterrupt:
                    self.stop.set()
                    self.stopped = "interrupted"
                    raise
                finally:
                    findings.level_done(self.shards, len(self.levels), self.observer, expanding=True)
                if self.stopped:
                    return
                self.levels.append(
                    [(end, shard.count) for (_, end), shard in zip(self.levels[-1], self.shards, strict=True)]
                )
                self.observer.level(self._progress())
                if findings.must_stop:
                    self.stopped = "an action failed; what lies beyond it is not defined"
                elif self.limits.stop_early and findings.violated:
                    self.stopped = "stopped at the first violation"
        if not any(end > start for start, end in self.levels[-1]):
            self.levels.pop()

    def _level(self, pool: ThreadPoolExecutor, findings: Findings) -> None:
        always, never = findings.masks()
        for shard, (start, end) in zip(self.shards, self.levels[-1], strict=True):
            shard.set("always", always)
            shard.set("never", never)
            shard.set("cursor", start)
            shard.set("end", start)
            shard.set("level_start", shard.count)
            assert shard.count == end
        futures = [pool.submit(self._work, shard, self.levels[-1][shard.me][1]) for shard in self.shards]
        try:
            self._watch(futures)
        except KeyboardInterrupt:
            self.stop.set()
            for future in futures:
                future.exception()
            raise
        for future in futures:
            future.result()

    def _watch(self, futures: list[Future[None]]) -> None:
        """Wait for a level, telling how it goes, and enforce the limit on states."""
        while not all(f.done() for f in futures):
            for future in futures:
                try:
                    future.result(timeout=0.1)
                except TimeoutError:
                    break
                except Exception:
                    self.stop.set()
            self.observer.progress(self._progress())

    def _progress(self) -> Progress:
        counters = sum(int(s.counters[self.program.counters.generated]) for s in self.shards)
        distinct = sum(s.count for s in self.shards)
        expanded = sum(s.get("cursor") for s in self.shards)
        size = sum(s.bytes for s in self.shards)
        seconds = time.perf_counter() - self.started
        generated = counters + self.generated_initially
        return Progress(len(self.levels), distinct, generated, distinct - expanded, size, seconds)

    def _work(self, shard: Shard, end: int) -> None:
        """One worker's part of a level."""
        others = [owner for owner in range(shard.owners) if owner != shard.me]
        open_others = set(others)
        try:
            while shard.get("cursor") < end and not self.stop.is_set():
                shard.set("end", min(end, shard.get("cursor") + CHUNK))
                while shard.explore() != DONE:
                    self._exchange(shard, others, open_others)
                self._exchange(shard, others, open_others)
                self._enforce_limits()
        except OutOfRoom:
            self._halt(f"the memory limit of {shown(self.budget)} is reached")
        finally:
            for owner in others:
                self.inboxes[owner].put(shard.me)
        while open_others:
            self._take(shard, self.inboxes[shard.me].get(), open_others)

    def _exchange(self, shard: Shard, others: list[int], open_others: set[int]) -> None:
        for owner in others:
            parcel = shard.take_box(owner)
            if parcel is not None:
                self.inboxes[owner].put(parcel)
        while open_others:
            try:
                item = self.inboxes[shard.me].get_nowait()
            except queue.Empty:
                return
            self._take(shard, item, open_others)

    def _take(self, shard: Shard, item: Any, open_others: set[int]) -> None:
        if isinstance(item, int):
            open_others.discard(item)
        elif not self.stop.is_set():
            try:
                shard.receive(*item)
            except OutOfRoom:
                self._halt(f"the memory limit of {shown(self.budget)} is reached")

    def _enforce_limits(self) -> None:
        most = self.limits.max_states
        if most is not None and sum(s.count for s in self.shards) >= most:
            self._halt(f"the limit of {most:,} states is reached")

    def _halt(self, reason: str) -> None:
        self.stopped = self.stopped or reason
        self.stop.set()


def check(model: Model, limits: Limits | None = None, observer: Observer | None = None, target: str = "") -> Result:
    """Visit every reachable state of a model within limits; see Result for what the verdict proves."""
    return Exhaustive(model, limits or Limits(), observer, target).run()
