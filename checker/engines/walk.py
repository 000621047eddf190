"""Random walks: seeded samples of a space too large to visit.

Walk number i of seed s draws from a generator of its own, seeded with (s, i), so any walk can be repeated
alone and the result does not depend on how many are run. A walk ends after `steps` steps, in a state without
successors, or at the edge of a constraint. Every state on the way is checked.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckedError, EverystateError
from ..language import marks
from ..language.concrete import Step, StepFailed, attempts, evaluate, initial_states, label
from ..language.spec import Spec
from ..language.state import State
from ..results.result import Result, Violation, checked
from ..results.trace import Trace
from ..results.verdict import ActionCoverage, Kind, Verdict
from .observer import Observer, Progress, Silent
from .replay import trace_step, why_false


@dataclass
class Walks:
    """A batch of walks and what they saw."""

    spec: Spec
    walks: int
    steps: int
    seed: int
    observer: Observer
    target: str
    deadlock: bool = True
    found: dict[tuple[str, Kind], Violation] = field(default_factory=dict)
    visited: set[State] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    taken: dict[str, int] = field(default_factory=dict)
    generated: int = 0
    longest: int = 0

    def run(self) -> Result:
        """Perform all walks, or as many as an interrupt leaves."""
        started, interrupted, done = time.perf_counter(), False, 0
        self.initial = initial_states(self.spec)
        self.taken = {i.name: 0 for i in self.spec.instances}
        try:
            for number in range(self.walks):
                self._walk(number)
                done += 1
                seconds = time.perf_counter() - started
                self.observer.progress(Progress(done, len(self.visited), self.generated, self.walks - done, 0, seconds))
        except KeyboardInterrupt:
            interrupted = True
        return self._result(time.perf_counter() - started, done, interrupted)

    def _walk(self, number: int) -> None:
        draw = random.Random(f"{self.seed}/{number}")
        state = draw.choice(self.initial)
        path: list[Step] = []
        start = state
        self.generated += 1
        self._check(start, path, None)
        while len(path) < self.steps and self._inside(state):
            enabled = self._enabled(start, path, state)
            if not enabled:
                if self.deadlock and not self.spec.may_terminate:
                    self._note("deadlock", Kind.DEADLOCK, start, path, "no action is enabled")
                return
            step = draw.choice(enabled)
            path.append(step)
            self.generated += 1
            self.taken[step.action.name] += 1
            self._check(start, path, state)
            state = step.state
        self.longest = max(self.longest, len(path))

    def _enabled(self, start: State, path: list[Step], state: State) -> list[Step]:
        found: list[Step] = []
        for instance in self.spec.instances:
            for step in attempts(self.spec, state, instance):
                if isinstance(step, StepFailed):
                    failing = label(step.action, step.choices)
                    self._note("error", Kind.ERROR, start, path, step.error.what, step.error, failing)
                else:
                    found.append(step)
        return found

    def _inside(self, state: State) -> bool:
        return all(bool(evaluate(self.spec, n, state).value) for n in self.spec.named(marks.CONSTRAINT))

    def _check(self, start: State, path: list[Step], before: State | None) -> None:
        state = path[-1].state if path else start
        self.visited.add(state)
        for prop in self.spec.properties:
            step = prop.kind == marks.STEP_INVARIANT
            if prop.kind not in (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE) or (step and before is None):
                continue
            try:
                value = bool(evaluate(self.spec, prop.name, state, before if step else None).value)
            except EverystateError as error:
                if not isinstance(error, CheckedError):
                    raise
                self._note(prop.name, Kind.PROPERTY_ERROR, start, path, error.what, error)
                continue
            if prop.kind == marks.REACHABLE:
                self.reached.update([prop.name] if value else [])
            elif not value:
                kind = Kind.STEP_INVARIANT if step else Kind.INVARIANT
                self._note(prop.name, kind, start, path, prop.text or "it is false")

    def _note(
        self,
        name: str,
        kind: Kind,
        start: State,
        path: list[Step],
        text: str,
        error: CheckedError | None = None,
        failing: str = "",
    ) -> None:
        known = self.found.get((name, kind))
        states = 1 if known is None else known.states + 1
        if known is not None and known.trace is not None and known.trace.length <= len(path):
            trace = known.trace
        else:
            steps = tuple(trace_step(s) for s in path)
            witness = self._witness(name, kind, start, path)
            trace = Trace(self.target, self.spec.constants, start, steps, name, kind.value, text, witness, failing)
        if known is None:
            self.observer.violation(name, len(path) + 1)
        self.found[name, kind] = Violation(name, kind, trace, text, error, states)

    def _witness(self, name: str, kind: Kind, start: State, path: list[Step]) -> dict[str, Any]:
        if kind not in (Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.PROPERTY_ERROR):
            return {}
        states = [start, *(step.state for step in path)]
        step = name in self.spec.named(marks.STEP_INVARIANT)
        return why_false(self.spec, name, states[-1], states[-2] if step else None)[0]

    def _result(self, seconds: float, done: int, interrupted: bool) -> Result:
        goals = [p.name for p in self.spec.properties if p.kind == marks.REACHABLE and p.name not in self.reached]
        unseen = [f"the goal {name} was not seen; walks cannot tell whether it is reachable" for name in goals]
        return Result(
            target=self.target,
            constants=self.spec.constants,
            engine="walk",
            verdict=Verdict.VIOLATED if self.found else Verdict.SAMPLED,
            distinct=len(self.visited),
            generated=self.generated,
            initial=len(self.initial),
            depth=self.longest + 1,
            seconds=seconds,
            violations=tuple(self.found.values()),
            warnings=tuple(unseen),
            checked=checked(self.spec, self.deadlock),
            coverage={n: ActionCoverage(t, t, 0) for n, t in self.taken.items()},
            stopped="interrupted" if interrupted else f"{done:,} walks of up to {self.steps:,} steps, seed {self.seed}",
            interrupted=interrupted,
        )


def walk(
    spec: Spec,
    walks: int,
    steps: int,
    seed: int,
    observer: Observer | None = None,
    target: str = "",
    deadlock: bool = True,
) -> Result:
    """Check random walks; SAMPLED says only that these walks saw no violation."""
    return Walks(spec, walks, steps, seed, observer or Silent(), target or type(spec).__name__, deadlock).run()
