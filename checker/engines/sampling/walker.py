"""Walkers make random walks on machine code.

Walks advance together: one call expands the states of all of them, and each goes to one of its own successors. What
walk number i of seed s draws at step t is a function of (s, i, t) alone. So any walk can be repeated by itself, and the
result does not depend on how many are run, nor on who runs them: `Walker.sample` makes some walks of a course. A walk
chooses among the successors inside the constraints, as TLC's simulator does. It ends after `steps` steps, in a state
without successors, or where all successors are outside: one of them is its last state. Every state on the way is
checked.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native import Program
from ...backends.native.initial_states import InitialStates
from ...backends.native.tiered_code import LONG, TieredCode
from ...ir.traced import Model
from ..expansion import Expansion
from ..hashing import below, digests, mixed
from ..observer import Observer, Progress, Silent, counted
from ..violations import DEADLOCK, FAULT, KINDS, called
from .sample import WalkSettings, WalkSummary

GROUP = 1 << 10
"""Walks that advance together."""


@dataclass(frozen=True)
class WalkBatch:
    """Some walks, by number, after the same number of steps: their states, their paths, and their last actions."""

    walks: Any
    steps: int
    states: Any
    before: Any = None
    actions: Any = None


class Walker:
    """Makes walks of a course through a model."""

    def __init__(self, model: Model, course: WalkSettings, observer: Observer | None = None) -> None:
        self.model, self.course, self.observer = model, course, observer or Silent()
        self.program = Program(model)
        self.watches, self.tiers = self.program.watches(), TieredCode(self.program, counted(self.observer, "compiling"))
        self.expansion = Expansion(self.tiers.first())
        self.initial = InitialStates(model).rows()
        self.starts = self.initial[self.expansion.inside(self.initial)]
        counters = self.program.counters
        self._enabled = np.array([counters.enabled(a) for a in range(len(self.program.action_names))], int)
        self.seed = np.frombuffer(hashlib.blake2b(str(course.seed).encode(), digest_size=8).digest(), "<u8")
        self.observer.phase("")

    # -- walking -------------------------------------------------------------------------------------------

    def stages(self, numbers: Sequence[int], steps: int, sample: WalkSummary) -> Iterator[WalkBatch]:
        """The walks of some numbers, step by step; walks without a successor are recorded in a sample."""
        walks = np.array(numbers, np.uint64)
        states = self.starts[below(np.uint64(len(self.starts)), self._draw(walks, 0))]
        yield WalkBatch(walks, 0, states)
        for step in range(1, steps + 1):
            inside = self.expansion.inside(states)
            sample.outside += int((~inside).sum())
            walks, states = walks[inside], np.ascontiguousarray(states[inside])
            if not len(walks):
                return
            successors, sources, failing = self._expanded(states, sample)
            moving = np.zeros(len(states), bool)
            moving[sources] = True
            stuck = ~moving & ~failing
            sample.stuck += int(stuck.sum())
            sample.note(FAULT, walks[failing], step - 1)
            if self.course.looks_for_deadlock(self.model.spec):
                sample.note(DEADLOCK, walks[stuck], step - 1)
            positions = self._among(successors, sources, len(states), sample)
            counts = np.bincount(sources[positions], minlength=len(states)).astype(np.uint64)
            firsts = np.cumsum(counts) - counts
            walks, before = walks[moving], np.ascontiguousarray(states[moving])
            chosen = positions[firsts[moving] + below(counts[moving], self._draw(walks, step))]
            states = successors[chosen]
            if len(walks):
                yield WalkBatch(walks, step, states, before, self.expansion.actions(chosen))

    def _among(self, successors: Any, sources: Any, size: int, sample: WalkSummary) -> Any:
        """The positions of the successors among which each walk chooses."""
        if not self.program.constrained:
            return np.arange(len(successors))
        inside = self.expansion.inside(successors)
        sample.pruned += int((~inside).sum())
        some = np.zeros(size, bool)
        some[sources[inside]] = True
        return np.flatnonzero(inside | ~some[sources])

    def _expanded(self, states: Any, sample: WalkSummary) -> tuple[Any, Any, Any]:
        """(successors, positions of their predecessors, in which states an action fails)."""
        before, failing = self.expansion.counters.copy(), np.zeros(len(states), bool)
        found = self.expansion.expand(states)
        counted, faults = self.expansion.counters - before, self.program.counters.faults
        sample.enabled_in(zip(self.program.action_names, counted[self._enabled].tolist(), strict=True))
        if counted[faults]:
            failing = self.expansion.failing(states)
            found = self.expansion.expand(states)
        return *found, failing

    def _draw(self, walks: Any, step: int) -> Any:
        """64 random bits for each walk."""
        return mixed(mixed(walks ^ self.seed) + mixed(np.array([step], np.uint64)))

    def path(self, walk: int, steps: int) -> list[Any]:
        """The packed states of the first steps of a walk."""
        return [tuple(map(int, stage.states[0])) for stage in self.stages([walk], steps, WalkSummary())]

    def close(self) -> None:
        """Make no more walks."""
        self.tiers.close()

    # -- what walks see ------------------------------------------------------------------------------------

    def sample(self, numbers: Sequence[int]) -> WalkSummary:
        """What the walks of these numbers see; after an interrupt, what was seen so far."""
        seen, started, size = WalkSummary(), time.perf_counter(), min(GROUP, self.expansion.rows)
        taken = np.zeros(len(self.program.action_names), np.int64)
        try:
            for at in range(0, len(numbers), size):
                self._trade_up(seen)
                for stage in self.stages(numbers[at : at + size], self.course.steps, seen):
                    self._look(stage, seen, taken)
                    seconds = time.perf_counter() - started
                    self.observer.progress(
                        Progress(seen.walks, 0, seen.generated, len(numbers) - seen.walks, 0, seconds)
                    )
                seen.walks += len(numbers[at : at + size])
        except KeyboardInterrupt:
            pass
        seen.taken = {name: int(n) for name, n in zip(self.program.action_names, taken, strict=True) if n}
        return seen

    def _look(self, stage: WalkBatch, seen: WalkSummary, taken: Any) -> None:
        """Judge the states of a stage, and count them."""
        seen.generated += len(stage.walks)
        seen.longest = max(seen.longest, stage.steps)
        seen.visited.add(digests(stage.states))
        if stage.actions is not None:
            taken += np.bincount(stage.actions, minlength=len(taken))
        known = set(seen.found)
        for watch, holds in self._judged(stage):
            kind = self.watches[watch].kind
            if kind in KINDS:
                seen.note(watch, stage.walks[holds], stage.steps)
            elif kind in ("reachable", "antecedent"):
                seen.reached.add(watch)
        for key in sorted(seen.found.keys() - known):
            self.observer.violation(called(self.program, key), stage.steps + 1)

    def _judged(self, stage: WalkBatch) -> Iterator[tuple[int, Any]]:
        yield from self.expansion.judged(self.program.state_groups, stage.states)
        if stage.before is not None:
            sources = np.arange(len(stage.states), dtype=np.uint32)
            yield from self.expansion.judged(self.program.step_groups, stage.states, stage.before, sources)

    def _trade_up(self, seen: WalkSummary) -> None:
        """Optimise the code of a long batch."""
        if seen.generated >= LONG:
            self.tiers.optimise()
        better = self.tiers.better()
        if better is not None:
            self.expansion = Expansion(better)
