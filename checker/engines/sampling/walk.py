"""Random walks: seeded samples of a large state space, and the result for a spec.

A `Walker` makes some walks, samples merge in any order, `conclude` makes the result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from typing import Any

from ...frontend.kept import traced
from ...language import marks
from ...language.spec import Spec
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, Violation, checked
from ...results.text import count
from ...results.verdict import ActionCoverage, SampleCoverage, Verdict
from ..crosscheck.allowance import Allowance
from ..crosscheck.compiled_steps import answer
from ..crosscheck.crosscheck import CrossCheck
from ..crosscheck.selection import single
from ..crosscheck.verdict_check import SampledViolations, confirm
from ..observer import Observer, Silent, counted
from ..refined_initial_states import with_beginnings
from ..stopwatch import Stopwatch
from ..vacuity import never_enabled, never_true, pruned
from ..violations import FAULT, once_each, violation
from .sample import WalkSettings, WalkSummary
from .walker import Walker

WHERE = " on the walks"
BEGINNING = 0.25
"""Where time decides: the part of the cross-check for initial states."""
TOGETHER = 16
"""Walks that are repeated at once."""


@dataclass(frozen=True)
class Batch:
    """Walks of a course, by their numbers, and the name of the target."""

    course: WalkSettings
    walks: int
    target: str
    cross_check: int | None = None
    """How many states are cross-checked; see Limits."""
    stopwatch: Stopwatch = field(default_factory=Stopwatch, compare=False)
    """Measures the command and its parts."""


def conclude(walker: Walker, batch: Batch, seen: WalkSummary, seconds: float) -> Result:
    """The result of a batch from what its walks saw."""
    check = CrossCheck(walker.program, walker.expansion)
    allowance = Allowance(batch.cross_check, batch.stopwatch)
    sampled = _cross_checked(walker, check, allowance, seen.walks)
    model, course, spec = walker.model, batch.course, walker.model.spec
    watched = [walker.watches[key] for key in seen.reached]
    reached = {model.properties[watch.index].name for watch in watched if watch.kind == "reachable"}
    unseen = [p.name for p in model.of_kind(marks.REACHABLE) if p.name not in reached]
    unjudged = goals(unseen, "the walks did not see it, so it is not known whether it is reachable") | temporal(spec)
    with batch.stopwatch.measuring("traces") if seen.found else nullcontext():
        violations = with_beginnings(spec, batch.target, _violations(walker, batch.target, seen))
    with allowance.running():
        for found in violations if not allowance.off else ():
            check.compare_trace(found.trace.states if found.trace else (), allowance)
    coverage = {
        name: ActionCoverage(seen.enabled.get(name, 0), seen.taken.get(name, 0)) for name in walker.program.action_names
    }
    interrupted = seen.walks < batch.walks
    made = f"{seen.walks:,} of {batch.walks:,}" if interrupted else f"{seen.walks:,}"
    walks = f"{made} walks of up to {course.steps:,} steps, seed {course.seed}"
    result = Result(
        target=batch.target,
        constants=spec.constants,
        engine="walk",
        verdict=Verdict.VIOLATED if violations else Verdict.SAMPLED,
        conditions=conditions_of(spec, pruned=_pruned(seen), unjudged=unjudged),
        distinct=len(seen.visited),
        generated=seen.generated,
        initial=len(walker.initial),
        depth=seen.longest + 1,
        seconds=seconds,
        violations=tuple(violations),
        checked=checked(spec, course.deadlock),
        remarks=(*model.remarks, *_ended(walker, seen)),
        vacuous=() if FAULT in seen.found else tuple(_unseen(walker, seen)),
        coverage=coverage,
        sampled=SampleCoverage(seen.visited.error, seen.visited.new(seen.generated)) if seen.walks > 1 else None,
        stopped=f"{walks}, interrupted" if interrupted else walks,
        interrupted=interrupted,
        cross_checked=check.count,
    )
    if not interrupted:
        confirm(spec, result, sampled, whole=False)
    return result


def _cross_checked(walker: Walker, check: CrossCheck, allowance: Allowance, walks: int) -> SampledViolations:
    """Repeat the first walks and compare each of their states; what plain Python saw in these states themselves."""
    levels: dict[bytes, int] = {}
    if not allowance.off:
        walker.observer.phase("cross-checking")
        with allowance.running():
            check.initial(allowance.nominal, allowance, BEGINNING)
            most = TOGETHER + 4 * allowance.nominal // max(1, walker.course.steps)  # few states may be all there are
            for level, row in _repeated(walker, min(walks, most)):
                if check.count and allowance.used(check.count) >= 1:
                    break
                walker.observer.part("cross-checking", min(check.count, allowance.nominal), allowance.nominal)
                if levels.setdefault(row.tobytes(), level) == level:
                    check.compare_answer(answer(walker.expansion, row))
    return SampledViolations.of((level, check.observed[row], False) for row, level in levels.items())


def _repeated(walker: Walker, walks: int) -> Iterator[tuple[int, Any]]:
    """The states of the first walks, each with its number on the walk."""
    for first in range(0, walks, TOGETHER):
        numbers = range(first, min(first + TOGETHER, walks))
        for stage in walker.stages(numbers, walker.course.steps):
            yield from ((stage.steps + 1, row) for row in single(stage.states))


def _pruned(seen: WalkSummary) -> str:
    """What the constraints did to the walks."""
    ended = f"ended {_part(seen.outside, seen)} early" if seen.outside else ""
    return " and ".join(filter(None, [pruned(seen.pruned), ended]))


def _part(some: int, seen: WalkSummary) -> str:
    return f"{some:,} of {count(seen.walks, 'walk')}"


def _ended(walker: Walker, seen: WalkSummary) -> Iterator[str]:
    """How many walks ended for lack of a successor, where that is no error."""
    if seen.stuck and not walker.course.looks_for_deadlock(walker.model.spec):
        yield f"{_part(seen.stuck, seen)} ended early, in states without successors"


def _unseen(walker: Walker, seen: WalkSummary) -> Iterator[str]:
    """What never happened on any walk."""
    for name in walker.program.action_names:
        if not seen.enabled.get(name):
            yield never_enabled(name, WHERE)
    for key, watch in enumerate(walker.watches):
        if watch.kind == "antecedent" and key not in seen.reached:
            antecedent = walker.model.antecedents[watch.index]
            yield never_true(antecedent.property, antecedent.where, WHERE)


def _violations(walker: Walker, target: str, seen: WalkSummary) -> list[Violation]:
    """Every violation once, each with its shortest trace, from the walk that had it."""
    found = []
    for key, sighting in sorted(seen.found.items(), key=lambda item: item[1].first):
        steps, walk = sighting.shortest
        cells = [walker.model.layout.unpack(words) for words in walker.path(walk, steps)]
        watch = walker.watches[key] if key >= 0 else None
        found.append((sighting.shortest, violation(walker.model, target, watch, key, cells, sighting.times)))
    return once_each(found)


def walk(
    spec: Spec,
    walks: int,
    steps: int,
    seed: int,
    observer: Observer | None = None,
    target: str = "",
    deadlock: bool = True,
    cross_check: int | None = None,
    stopwatch: Stopwatch | None = None,
    workers: int = 1,
) -> Result:
    """Check random walks, in some threads; SAMPLED means only that these walks saw no violation."""
    observer, stopwatch, course = observer or Silent(), stopwatch or Stopwatch(), WalkSettings(steps, seed, deadlock)
    with stopwatch.measuring("tracing"):
        model = traced(spec, counted(observer, "tracing"))
    with stopwatch.measuring("compiling"):
        walker = Walker(model, course, observer, workers)
    started = time.perf_counter()
    with closing(walker), stopwatch.measuring("walking"):
        seen = walker.sample(range(walks))
    seconds = time.perf_counter() - started
    batch = Batch(course, walks, target or type(spec).__name__, cross_check, stopwatch)
    return conclude(walker, batch, seen, seconds)
