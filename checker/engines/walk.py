"""Random walks: seeded samples of a space too large to visit.

Walk number i of seed s draws from a generator of its own, seeded with (s, i), so any walk can be repeated
alone and the result does not depend on how many are run, nor on who runs them: `sample` makes some walks of a course,
samples merge in any order, `conclude` makes the result. A walk ends after `steps` steps, in a state without
successors, or at the edge of a constraint. Every state on the way is checked.
"""

from __future__ import annotations

import hashlib
import random
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from .sample import Course, Fault, Sample

WATCHED = (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE)


@dataclass
class Met:
    """A violation at the moment when a walk meets it."""

    fault: Fault
    start: State
    path: list[Step]
    text: str
    error: CheckedError | None = None
    failing: str = ""


class Walker:
    """Makes walks of a course; `met` is called for every violation."""

    def __init__(self, spec: Spec, course: Course) -> None:
        self.spec, self.course = spec, course
        self.initial = initial_states(spec)
        self.sample = Sample()
        self.watched = [
            p for p in spec.properties if p.kind in (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE)
        ]
        self.constraints = spec.named(marks.CONSTRAINT)

    def met(self, met: Met) -> None:
        """What to do with a violation."""
        self.order += 1
        self.sample.note(met.fault, self.number, len(met.path), self.order)

    def walk(self, number: int) -> None:
        """Make one walk."""
        self.number, self.order, sample = number, 0, self.sample
        draw = random.Random(f"{self.course.seed}/{number}")
        state = start = draw.choice(self.initial)
        path: list[Step] = []
        sample.generated += 1
        self._check(start, path, None)
        while len(path) < self.course.steps and self._inside(state):
            enabled = self._enabled(start, path, state)
            if not enabled:
                if self.course.deadlock and not self.spec.may_terminate:
                    self.met(Met(("deadlock", Kind.DEADLOCK), start, path, "no action is enabled"))
                break
            step = draw.choice(enabled)
            path.append(step)
            sample.generated += 1
            sample.taken[step.action.name] = sample.taken.get(step.action.name, 0) + 1
            self._check(start, path, state)
            state = step.state
        sample.longest = max(sample.longest, len(path))
        sample.walks += 1

    def _enabled(self, start: State, path: list[Step], state: State) -> list[Step]:
        found: list[Step] = []
        for instance in self.spec.instances:
            for step in attempts(self.spec, state, instance):
                if isinstance(step, StepFailed):
                    failing = label(step.action, step.choices)
                    self.met(Met(("error", Kind.ERROR), start, path, step.error.what, step.error, failing))
                else:
                    found.append(step)
        return found

    def _inside(self, state: State) -> bool:
        return all(bool(evaluate(self.spec, name, state).value) for name in self.constraints)

    def _check(self, start: State, path: list[Step], before: State | None) -> None:
        state = path[-1].state if path else start
        self.sample.visited.add(digest(state))
        for prop in self.watched:
            step = prop.kind == marks.STEP_INVARIANT
            if step and before is None:
                continue
            try:
                value = bool(evaluate(self.spec, prop.name, state, before if step else None).value)
            except EverystateError as error:
                if not isinstance(error, CheckedError):
                    raise
                self.met(Met((prop.name, Kind.PROPERTY_ERROR), start, path, error.what, error))
                continue
            if prop.kind == marks.REACHABLE:
                self.sample.reached.update([prop.name] if value else [])
            elif not value:
                kind = Kind.STEP_INVARIANT if step else Kind.INVARIANT
                self.met(Met((prop.name, kind), start, path, prop.text or "it is false"))


def digest(state: State) -> bytes:
    """128 bits that stand for a state, the same in every process."""
    return hashlib.blake2b(struct.pack(f"{len(state.cells)}q", *state.cells), digest_size=16).digest()


def sample(spec: Spec, course: Course, walks: Sequence[int], observer: Observer | None = None) -> Sample:
    """What the walks of these numbers see; after an interrupt, what was seen until then."""
    told, walker, started = observer or Silent(), Walker(spec, course), time.perf_counter()
    seen = walker.sample
    try:
        for done, number in enumerate(walks, 1):
            known = set(seen.found)
            walker.walk(number)
            for fault in seen.found.keys() - known:
                told.violation(fault[0], seen.found[fault].steps + 1)
            seconds = time.perf_counter() - started
            told.progress(Progress(done, len(seen.visited), seen.generated, len(walks) - done, 0, seconds))
    except KeyboardInterrupt:
        return seen
    return seen


class Retracing(Walker):
    """Repeats a walk up to one of its violations, to tell the trace."""

    def __init__(self, spec: Spec, course: Course, fault: Fault, steps: int) -> None:
        super().__init__(spec, course)
        self.fault, self.steps = fault, steps
        self.seen: Met | None = None

    def met(self, met: Met) -> None:
        if self.seen is None and met.fault == self.fault and len(met.path) == self.steps:
            self.seen = replace(met, path=list(met.path))


def _violation(spec: Spec, target: str, course: Course, fault: Fault, seen: Sample) -> Violation:
    """A violation with its shortest trace, from the walk that had it."""
    sighting, (name, kind) = seen.found[fault], fault
    again = Retracing(spec, Course(sighting.steps + 1, course.seed, course.deadlock), fault, sighting.steps)
    again.walk(sighting.walk)
    met = again.seen
    assert met is not None, "a walk is the same when it is repeated"
    steps, witness = tuple(trace_step(s) for s in met.path), _witness(spec, name, kind, met)
    trace = Trace(target, spec.constants, met.start, steps, name, kind.value, met.text, witness, met.failing)
    return Violation(name, kind, trace, met.text, met.error, sighting.times)


def _witness(spec: Spec, name: str, kind: Kind, met: Met) -> dict[str, Any]:
    if kind not in (Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.PROPERTY_ERROR):
        return {}
    states = [met.start, *(step.state for step in met.path)]
    step = name in spec.named(marks.STEP_INVARIANT)
    return why_false(spec, name, states[-1], states[-2] if step else None)[0]


@dataclass(frozen=True)
class Batch:
    """So many walks of a course, and the name of what is checked."""

    course: Course
    walks: int
    target: str


def conclude(spec: Spec, batch: Batch, seen: Sample, distinct: int, seconds: float) -> Result:
    """The result of a batch from what its walks saw; `distinct` counts the states that they visited."""
    course, target = batch.course, batch.target
    goals = [p.name for p in spec.properties if p.kind == marks.REACHABLE and p.name not in seen.reached]
    faults = sorted(seen.found, key=lambda fault: seen.found[fault].first)
    taken = {i.name: seen.taken.get(i.name, 0) for i in spec.instances}
    interrupted = seen.walks < batch.walks
    told = f"{seen.walks:,} walks of up to {course.steps:,} steps, seed {course.seed}"
    return Result(
        target=target,
        constants=spec.constants,
        engine="walk",
        verdict=Verdict.VIOLATED if faults else Verdict.SAMPLED,
        distinct=distinct,
        generated=seen.generated,
        initial=len(initial_states(spec)),
        depth=seen.longest + 1,
        seconds=seconds,
        violations=tuple(_violation(spec, target, course, fault, seen) for fault in faults),
        warnings=tuple(f"the goal {name} was not seen; walks cannot tell whether it is reachable" for name in goals),
        checked=checked(spec, course.deadlock),
        coverage={name: ActionCoverage(times, times, 0) for name, times in taken.items()},
        stopped="interrupted" if interrupted else told,
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
    course, started = Course(steps, seed, deadlock), time.perf_counter()
    seen = sample(spec, course, range(walks), observer)
    seconds = time.perf_counter() - started
    return conclude(spec, Batch(course, walks, target or type(spec).__name__), seen, len(seen.visited), seconds)
