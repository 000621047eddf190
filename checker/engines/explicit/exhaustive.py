"""Exhaustive breadth-first search on machine code.

Levels are built one by one. The workers share one store. Each takes chunks of the level's states, large ones first,
expands them and stores the new successors; a level ends with its last chunk. So the set of states of each level, and
with it every count, verdict and trace, does not depend on the number of workers or on timing. One worker alone builds a
level of a few chunks, without atomic operations.

Predecessors are not stored. When a property fails, `traces` walks the stored levels backwards; that expands those
levels once more, and saves 4 to 8 bytes for every state.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backends.native import Compiled, Program
from ...backends.native.initial_states import InitialStates, TooManyInitialStates
from ...backends.native.interface import NARROW
from ...backends.native.tiered_code import LONG, TieredCode
from ...errors import EverystateError
from ...ir.traced import Model
from ...results.result import Result
from ...results.text import count
from ..limits import Limits
from ..memory import available, shown
from ..observer import Observer, Progress, Silent, counted
from ..symmetry import reduced
from .compression import Compression
from .findings import Findings
from .part_tables import OutOfRoom
from .rendezvous import Rendezvous
from .report import conclude
from .store import Ranges, RootsTooNarrow, Store, pieces, shares, size, without
from .worker import GROW, NO_ACTION, Worker

if TYPE_CHECKING:
    from .checkpoint import Work

CHUNK = 1 << 10
"""The minimum number of states that a worker takes at once."""

CAREFUL = 1
"""The minimum number of states that it expands at once near the limit on states."""


DEEP = 64
"""The number of levels after which narrow ones are built by machine code alone."""


class Exhaustive:
    """One breadth-first search; `run` performs it.

    `several` says whether machine code may build several levels by itself.
    """

    several = True

    def __init__(self, model: Model, limits: Limits, observer: Observer | None = None, target: str = "") -> None:
        self.model, self.limits, self.observer = model, limits, observer or Silent()
        self.target = target or type(model.spec).__name__
        self.program = Program(model)
        self.stop = threading.Event()
        self._trading = threading.Lock()
        self._earlier: list[Compiled] = []
        self.stopped, self.full = "", False
        self.work: Work | None = None
        self.started = time.perf_counter()

    def run(self) -> Result:
        """Search to the end, to a limit or to an interrupt."""
        self.tiers = TieredCode(self.program, counted(self.observer, "compiling"))
        with self.limits.stopwatch.measuring("compiling"):
            compiled = self.tiers.first()
        self.started = time.perf_counter()
        self._allocate(compiled)
        with ExitStack() as after:
            after.callback(lambda: self.tiers.close())
            if self.limits.work is not None:
                self.work = after.enter_context(self._opened(self.limits.work))
            return self._searched(compiled)

    def _opened(self, folder: str) -> AbstractContextManager[Work]:
        from ..saved_run import about
        from .checkpoint import opened

        first = self._beginning().tobytes()
        facts = about(self.target, self.program, self.tiers.text, first, self.limits.deadlock)
        return opened(folder, self.limits.resume, facts, self.program)

    def _searched(self, compiled: Compiled) -> Result:
        findings = Findings(self.program, self.limits.deadlock)
        initial = self._initial(compiled, findings)
        interrupted = False
        try:
            self._levels(findings)
        except KeyboardInterrupt:
            self.stop.set()
            interrupted, self.stopped = True, "interrupted"
        finally:
            self.pool.shutdown()
        seconds = time.perf_counter() - self.started
        self.limits.stopwatch.spent["search"] += seconds
        self.observer.phase("rebuilding traces" if findings.violated else "")
        found = self._conclude(findings, initial, seconds, interrupted)
        if not found.interrupted:
            self.tiers.wait()
        return found

    def _conclude(self, findings: Findings, initial: int, seconds: float, interrupted: bool) -> Result:
        return conclude(self, findings, initial, seconds, interrupted)

    # -- set-up --------------------------------------------------------------------------------------------

    def _allocate(self, compiled: Compiled) -> None:
        workers = 1 if self.model.view else max(1, self.limits.workers)
        self.compiled = compiled
        self.store = Store(compiled, self.limits.max_memory or int(0.85 * available()), workers)
        self.workers = [Worker(self.store) for _ in range(workers)]
        # Two threads for each worker: when the table must grow, one waits while the other divides its share.
        self.pool = ThreadPoolExecutor(2 * workers, thread_name_prefix="everystate")
        self.compression = Compression(self.store, self.limits.compress)
        self.levels: list[Ranges] = []
        self.unfinished: Ranges = []

    def _initial(self, compiled: Compiled, findings: Findings) -> int:
        packed = self._beginning()
        flags = np.ones(len(packed), np.uint64)
        compiled.inside_states(packed.ctypes.data, len(packed), flags.ctypes.data)
        findings.outside_initial(compiled, packed[flags == 0])
        self.generated_initially = len(packed)
        if self.work is not None and self.work.levels:
            self._put_back(self.work, findings)
            self.stopped = self._ending(findings) or self.stopped
            return len(packed)
        inside = np.ascontiguousarray(packed[flags == 1])
        self.open_level(1)
        try:
            self.receive(inside)
        except OutOfRoom:
            raise self._too_many() from None
        self.levels.append(self.close_level())
        findings.level_done(self.workers, 1, self.observer)
        self._keep(findings)
        return len(packed)

    def _put_back(self, work: Work, findings: Findings) -> None:
        from .resuming import put_back

        put_back(self, work, findings)

    def receive(self, states: Any) -> None:
        """Store states with the first worker, all that are not stored."""
        done = 0
        while done < len(states):
            rest = states[done:]
            done += self.workers[0].receive(rest, np.full(len(rest), NO_ACTION, np.uint16))
            if done < len(states):
                self.grow()

    def _keep(self, findings: Findings) -> None:
        """Write the last level into the work folder, if there is one."""
        if self.work is not None:
            from .checkpoint import BLOCK

            blocks = (self.store.block(*piece) for piece in pieces(self.levels[-1], BLOCK))
            self.work.keep(blocks, findings.totals - findings.beside, findings.first_seen, findings.paths)

    def _beginning(self) -> Any:
        """The packed states from which the search begins."""
        try:
            on_progress = partial(self.observer.part, "initial values")
            return InitialStates(self.model).rows(self.store.budget, on_progress)
        except TooManyInitialStates:
            raise self._too_many() from None

    def _too_many(self) -> EverystateError:
        return EverystateError("E504", None, size=shown(self.store.budget), need="more with all its initial states")

    # -- the search ----------------------------------------------------------------------------------------

    def _levels(self, findings: Findings) -> None:
        self._enforce_limits()
        while self.levels[-1] and not self.stopped:
            if self._is_narrow():
                self._narrow_levels(findings)
                continue
            chunks = self._begin_level(findings)  # an interrupt would leave a level that cannot be closed
            try:
                self._level(chunks)
            except KeyboardInterrupt:
                self.stop.set()
                self.stopped = "interrupted"
                raise
            finally:
                found = self.close_level()
                findings.level_done(self.workers, len(self.levels), self.observer, expanding=True)
                if self.stopped:
                    self.unfinished = found
            if self.stopped:
                return
            self.levels.append(found)
            self._keep(findings)
            self.observer.level(self._progress())
            self.stopped = self._ending(findings) or self.stopped
        if not self.levels[-1]:
            self.levels.pop()

    def _is_narrow(self) -> bool:
        """Whether one worker may build several levels by itself: they are narrow, and none is saved or limited."""
        last, limits = self.levels[-1], self.limits
        return (
            self.several
            and len(self.levels) > DEEP
            and (len(last), size(last) <= NARROW) == (1, True)
            and self.work is None
            and self.store.part_tables is None
            and limits.max_states is None
        )

    def _narrow_levels(self, findings: Findings) -> None:
        """Build some narrow levels."""
        self._trade_up()
        self.open_level(1)
        worker, (start, end) = self.workers[0], self.levels[-1][0]
        always, never = findings.masks()
        worker.set("always", always)
        worker.set("never", never)
        first, ends = self.store.level_start, list[int]()
        try:
            for some, full in worker.explore_levels(start, end, findings.news()):
                ends += some
                if full:
                    self.grow()
        except OutOfRoom:
            self.full = True
            self._halt(self.store.shortage)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            raise
        finally:
            self.store.used, self.store.level_start = worker.get("next"), worker.get("level_start")
            self.levels += [without(*each, []) for each in pairwise([first, *ends])]
            expanded = len(self.levels) if self.stopped else len(self.levels) - 1
            findings.level_done(self.workers, expanded, self.observer, expanding=True)
            self.unfinished = without(ends[-1] if ends else first, self.store.used, []) if self.stopped else []
        if not self.stopped:
            self._enforce_limits()
            self.observer.level(self._progress())
            self.stopped = self._ending(findings) or self.stopped

    def _ending(self, findings: Findings) -> str:
        """Why the search ends early; empty when it continues."""
        return findings.ending(self.limits.stop_early)

    def _begin_level(self, findings: Findings) -> deque[tuple[int, int]]:
        """Prepare the next level: divide the states to be expanded into chunks."""
        self._trade_up()
        if self.compression.due(self.distinct):
            self._compress()
        always, never = findings.masks()
        chunks = deque(shares(self.levels[-1], CHUNK, len(self.workers)))
        self.open_level(min(len(self.workers), len(chunks)))
        for worker in self.workers:
            worker.set("always", always)
            worker.set("never", never)
        return chunks

    def _level(self, chunks: deque[tuple[int, int]]) -> None:
        meeting = Rendezvous(self.crowd, self.grow)
        futures = [self.pool.submit(self._work, worker, chunks, meeting) for worker in self.workers[: self.crowd]]
        try:
            self._watch(futures)
        except KeyboardInterrupt:
            self.stop.set()
            for future in futures:
                future.exception()
            raise
        for future in futures:
            future.result()

    def open_level(self, crowd: int) -> None:
        self.crowd, self.store.level_start = crowd, self.store.used
        for worker in self.workers:
            worker.begin(crowd)

    def close_level(self) -> Ranges:
        """The ranges of the states that the level has stored."""
        if self.crowd == 1:
            self.store.used = self.workers[0].get("next")
            holes = []
        else:
            holes = [worker.hole for worker in self.workers[: self.crowd]]
        return without(self.store.level_start, self.store.used, holes)

    def _watch(self, futures: list[Future[None]]) -> None:
        """Wait for a level, report progress, and enforce the limit on states."""
        while not all(f.done() for f in futures):
            for future in futures:
                try:
                    future.result(timeout=0.1)
                except TimeoutError:
                    break
                except Exception:
                    self.stop.set()
            self._trade_up()
            self.observer.progress(self._progress())

    def _trade_up(self) -> None:
        """Optimise the code of a long search; workers use it from their next chunk on."""
        if not self._trading.acquire(blocking=False):
            return
        try:
            if self.distinct >= LONG:
                self.tiers.optimise()
            better = self.tiers.better()
            if better is not None:
                self._earlier.append(self.compiled)  # a worker may be in it
                self._take(better)
        finally:
            self._trading.release()

    def _take(self, code: Compiled) -> None:
        self.compiled = self.store.compiled = code
        for worker in self.workers:
            worker.compiled = code

    def _compress(self) -> bool:
        """Compress the states while no worker runs; returns whether that makes them smaller."""
        slack = self.store.slack(len(self.workers))
        with self._trading:
            return self._compressed(self.compression.compress(self.tiers, self.levels, slack))

    def _compressed(self, tiers: TieredCode | None) -> bool:
        """Continue with the code that a store of compressed states needs."""
        if tiers is None:
            return False
        self.tiers.close(tiers)
        self.tiers = tiers
        self._take(self.store.compiled)
        for worker in self.workers:
            worker.compress()
        return True

    def _progress(self) -> Progress:
        if self.crowd == 1:
            self.store.used = self.workers[0].get("next")
        generated = self._counted(self.program.counters.generated) + self.generated_initially
        waiting = self.distinct - self._counted(self.program.counters.expanded)
        seconds = time.perf_counter() - self.started
        return Progress(len(self.levels), self.distinct, generated, waiting, self.store.bytes, seconds)

    def _counted(self, counter: int) -> int:
        return sum(int(worker.counters[counter]) for worker in self.workers)

    @property
    def distinct(self) -> int:
        """States stored so far."""
        return sum(worker.stored for worker in self.workers)

    def _work(self, worker: Worker, chunks: deque[tuple[int, int]], meeting: Rendezvous) -> None:
        """One worker's part of a level."""
        try:
            while chunks and not self.stop.is_set():
                try:
                    start, end = chunks.popleft()
                except IndexError:
                    return
                while start < end and not self.stop.is_set():
                    upto = start + self._allowed(end - start)
                    status = worker.explore(start, upto)
                    while status == GROW and not self.stop.is_set():
                        meeting.wait()
                        status = worker.resume()
                    start = upto
                    self._enforce_limits()
        except OutOfRoom:
            self.full = True
            self._halt(self.store.shortage)
        finally:
            meeting.leave()

    def grow(self) -> None:
        """Make space while no worker runs: double the table. Where memory forbids that, compress states, or else fill
        the table further."""
        if self.crowd == 1:
            self.store.used = self.workers[0].get("next")
        slack, last = self.store.slack(self.crowd), self.store.part_tables is not None
        while True:
            try:
                self.store.grow(self.workers, slack, self.pool, tighten=last)
                return
            except RootsTooNarrow:
                with self._trading:
                    self._compressed(self.compression.widen(self.tiers, slack))
            except OutOfRoom:
                if last:
                    raise
                last = True
                self._compress()
            if self.store.roomy(slack):
                return

    def _allowed(self, states: int) -> int:
        """How many of some states are expanded before the limit on states is checked again.

        As many as would fill a quarter of the remaining limit at the average rate so far, so it is hardly exceeded.
        """
        most = self.limits.max_states
        if most is None:
            return states
        expanded = self._counted(self.program.counters.expanded)
        each = max(self.distinct / expanded, 1) if expanded else self.program.most_successors
        return min(states, max(CAREFUL, int((most - self.distinct) / (4 * self.crowd * each))))

    def _enforce_limits(self) -> None:
        most = self.limits.max_states
        if most is not None and self.distinct >= most:
            self._halt(f"the limit of {count(most, 'state')} is reached")
        if self.limits.deadline is not None and self.limits.deadline.passed:
            self._halt(self.limits.deadline.passed)

    def _halt(self, reason: str) -> None:
        self.stopped = self.stopped or reason
        self.stop.set()


def check(model: Model, limits: Limits | None = None, observer: Observer | None = None, target: str = "") -> Result:
    """Visit every reachable state of a model within limits; see Result for what the verdict proves."""
    return Exhaustive(reduced(model), limits or Limits(), observer, target).run()
