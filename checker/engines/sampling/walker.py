"""Walkers make random walks on machine code.

What walk number i of seed s draws at step t is a function of (s, i, t) alone. So any walk can be repeated by itself,
and the result does not depend on how many are made, nor on which threads or processes make them: `Walker.sample` makes
some walks of a course. A walk chooses among the successors inside the constraints, each with the same chance. It ends
after `steps` steps, in a state without successors, or where all successors are outside: one of them is its last state.
Every state on the way is judged, and all actions are tried in it: so one that fails is noticed, and the number
of states in which each action was enabled is exact.

The walks are made by `walk_loop`. `Walker.stages` makes the same ones with the functions of the model alone: for the
traces of violations and for the cross-check, which thereby compare the two.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native import Compiled, Program
from ...backends.native.initial_states import InitialStates
from ...backends.native.interface import WalkLoop
from ...backends.native.tiered_code import LONG, TieredCode
from ...ir.traced import Model
from ..expansion import Expansion
from ..hashing import below, mixed
from ..observer import Observer, Progress, Silent, counted
from ..violations import called
from .sample import WalkSettings, WalkSummary
from .walk_loop import WalkThread

CHUNK = 1 << 8
"""Walks that a thread begins at once."""
WORTH = 4 * CHUNK
"""Walks for which a thread of their own pays."""
PAUSE = 0.2
"""Seconds between two progress reports of several threads."""


@dataclass(frozen=True)
class WalkBatch:
    """Some walks, by number, after the same number of steps, and their states."""

    walks: Any
    steps: int
    states: Any


class Walker:
    """Makes walks of a course through a model, with a number of threads at most."""

    def __init__(self, model: Model, course: WalkSettings, observer: Observer | None = None, workers: int = 1) -> None:
        self.model, self.course, self.observer, self.workers = model, course, observer or Silent(), workers
        self.program = Program(model)
        self.watches = self.program.watches()
        self.tiers = TieredCode(self.program, counted(self.observer, "compiling"), WalkLoop())
        self._use(self.tiers.first())
        self._earlier: list[Compiled] = []
        self.initial = InitialStates(model).rows()
        self.starts = self.initial[self.expansion.inside(self.initial)]
        self.seed = np.frombuffer(hashlib.blake2b(str(course.seed).encode(), digest_size=8).digest(), "<u8")
        self.observer.phase("")

    def _use(self, code: Compiled) -> None:
        self.code, self.expansion = code, Expansion(code)

    def close(self) -> None:
        """Make no more walks."""
        self.tiers.close()

    # -- one by one ----------------------------------------------------------------------------------------

    def stages(self, numbers: Sequence[int], steps: int) -> Iterator[WalkBatch]:
        """The walks of some numbers, step by step."""
        walks = np.array(numbers, np.uint64)
        states = self.starts[below(np.uint64(len(self.starts)), self._draw(walks, 0))]
        yield WalkBatch(walks, 0, states)
        for step in range(1, steps + 1):
            inside = self.expansion.inside(states)
            walks, states = walks[inside], np.ascontiguousarray(states[inside])
            if not len(walks):
                return
            successors, sources = self.expansion.expand(states)
            positions = self._among(successors, sources, len(states))
            counts = np.bincount(sources[positions], minlength=len(states)).astype(np.uint64)
            firsts, moving = np.cumsum(counts) - counts, counts > 0
            walks = walks[moving]
            states = successors[positions[firsts[moving] + below(counts[moving], self._draw(walks, step))]]
            if len(walks):
                yield WalkBatch(walks, step, states)

    def _among(self, successors: Any, sources: Any, size: int) -> Any:
        """The positions of the successors among which each walk chooses."""
        if not self.program.constrained:
            return np.arange(len(successors))
        inside = self.expansion.inside(successors)
        some = np.zeros(size, bool)
        some[sources[inside]] = True
        return np.flatnonzero(inside | ~some[sources])

    def _draw(self, walks: Any, step: int) -> Any:
        """64 random bits for each walk."""
        return mixed(mixed(walks ^ self.seed) + mixed(np.array([step], np.uint64)))

    def path(self, walk: int, steps: int) -> list[Any]:
        """The packed states of the first steps of a walk."""
        return [tuple(map(int, stage.states[0])) for stage in self.stages([walk], steps)]

    # -- many ----------------------------------------------------------------------------------------------

    def sample(self, numbers: range) -> WalkSummary:
        """Runs the walks with these numbers; returns what they have seen, also after an interrupt."""
        return _Sampling(self, numbers).run()

    def trade_up(self, generated: int) -> None:
        """Optimise the code after many states, and use it when it is ready."""
        if generated >= LONG:
            self.tiers.optimise()
        better = self.tiers.better()
        if better is not None:
            self._earlier.append(self.code)  # a thread may be in it
            self._use(better)


class _Sampling:
    """Makes the walks of some numbers: each thread takes a few of them, until none is left."""

    def __init__(self, walker: Walker, numbers: range) -> None:
        self.walker, self.numbers, self.stopped = walker, numbers, threading.Event()
        self.chunks = deque(numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK))
        crowd = max(1, min(walker.workers, len(numbers) // WORTH))
        given = (walker.program, walker.model.spec, walker.course, int(walker.seed[0]), walker.starts)
        self.threads = [WalkThread(*given) for _ in range(crowd)]
        self.known, self.started = set[int](), time.perf_counter()

    def run(self) -> WalkSummary:
        try:
            if len(self.walker.starts):
                self._one() if len(self.threads) == 1 else self._several()
        except KeyboardInterrupt:
            self.stopped.set()
        seen = WalkSummary()
        for thread in self.threads:
            seen.merge(thread.summary())
        return seen

    def _one(self) -> None:
        for _ in self._walks(self.threads[0]):
            self._look()

    def _several(self) -> None:
        with ThreadPoolExecutor(len(self.threads), thread_name_prefix="everystate") as pool:
            futures = [pool.submit(deque, self._walks(thread), 0) for thread in self.threads]
            try:
                self._watch(futures)
            finally:
                self.stopped.set()
        for future in futures:
            future.result()

    def _watch(self, futures: list[Future[Any]]) -> None:
        waiting = set[Future[Any]](futures)
        while waiting and not any(future.done() and future.exception() for future in futures):
            waiting = wait(waiting, PAUSE).not_done
            self._look()

    def _walks(self, thread: WalkThread) -> Iterator[None]:
        """Make walks until none is left; often stops in between."""
        while not (thread.done or self.stopped.is_set()):
            if thread.waits:
                thread.give(self._next())
            thread.walk(self.walker.code)
            yield

    def _next(self) -> range | None:
        try:
            return self.chunks.popleft()
        except IndexError:
            return None

    def _look(self) -> None:
        """Report progress and new violations."""
        generated, walked = (sum(getattr(t, name) for t in self.threads) for name in ("generated", "walked"))
        self.walker.trade_up(generated)
        seconds = time.perf_counter() - self.started
        self.walker.observer.progress(Progress(walked, 0, generated, len(self.numbers) - walked, 0, seconds))
        for key, steps in sorted((key, steps) for thread in self.threads for key, steps in thread.seen.items()):
            if key not in self.known:
                self.known.add(key)
                self.walker.observer.violation(called(self.walker.program, key), steps + 1)
