"""Exhaustive search in plain Python: the slow engine that needs no compiler and no tracer.

It executes the spec as it is, so that agreement with the native engine, trace for trace, checks the whole pipeline.
Suitable for up to some ten thousand states. A `careful` search is for a spec that the front end could not read: it
executes everything again, ends in E207 where the results differ, and in E206 where something does not return.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from ...errors import CheckedError, EverystateError, Where, place_of
from ...frontend import watchdog
from ...frontend.watchdog import NeverReturns, Watchdog
from ...ir.layout import Layout, plan
from ...language import marks
from ...language.concrete import Step, StepFailed, attempts, beginnings, evaluate, initial_states, label, outside
from ...language.declarations import ActionInstance, Property, method_name, method_place
from ...language.formulas import Formula
from ...language.identity import identity
from ...language.methods import function_of
from ...language.oversights import is_idle, no_effect, oversights
from ...language.spec import Spec
from ...language.state import State
from ...results.conditions import conditions_of
from ...results.result import Result, Violation, checked
from ...results.text import count
from ...results.verdict import GRAVITY, ActionCoverage, Kind, Verdict
from ..limits import Limits
from ..memory import available, resident, shown
from ..observer import Observer, Progress, Silent
from ..plain_python import ImplicationRecorder
from ..refined_initial_states import with_beginnings
from ..replay import make_trace, why_false
from ..temporal import liveness
from ..vacuity import ends_early, never_enabled, never_true, pruned
from .growth import growing

EACH = 256
"""States after which the memory of the process is measured again."""
FIRST, OFTEN = 64, 8
"""A careful search executes each step of so many states so often, and those of all others twice."""
Cells = tuple[int, ...]
Words = tuple[int, ...]


@dataclass
class FirstViolation:
    """The first occurrence of a violation: its level, and the least state or step, in packed words, that shows it."""

    level: int
    place: tuple[Words, ...]
    error: CheckedError | None = None
    states: int = 0
    beyond: bool = False


@dataclass
class _Action:
    enabled: int = 0
    taken: int = 0
    new: int = 0
    changes: bool = False
    """Whether a step of it goes to another state."""


@dataclass
class Search:
    """One breadth-first search over concrete states."""

    spec: Spec
    limits: Limits
    observer: Observer
    target: str
    careful: bool = False
    levels: list[dict[Cells, Cells | None]] = field(default_factory=list)
    known: dict[Any, int] = field(default_factory=dict)
    seen: dict[tuple[str, Kind], FirstViolation] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    generated: int = 0
    expanded: int = 0
    ended: int = 0
    outside: int = 0
    outside_initially: int = 0
    stopped: str = ""
    unfinished: dict[Cells, Cells | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.layout: Layout = plan(self.spec.domains)
        self.watchdog = Watchdog()
        self._room = self.limits.max_memory or int(0.85 * available())
        self._before = resident()
        self.coverage: dict[str, _Action] = defaultdict(_Action)
        self.implications: dict[tuple[str, Where], bool] = {}
        self.views = self.spec._named(marks.VIEW)
        of_state = (marks.INVARIANT, marks.REACHABLE, marks.VIEW, marks.CONSTRAINT, *marks.ON_GRAPHS)
        self.on_states = [p for p in self.spec.properties if p.kind in of_state and not p.steps]
        self.on_steps = [p for p in self.spec.properties if p.steps]
        for instance in self.spec.instances:
            self.coverage[instance.name]

    # -- states --------------------------------------------------------------------------------------------

    def run(self) -> Result:
        """Search to the end or to a limit."""
        started = time.perf_counter()
        interrupted = False
        try:
            with self.watchdog.over() if self.careful else nullcontext():
                self._explore(started)
        except NeverReturns as stuck:
            seconds = int(watchdog.SECONDS_PER_PATH)
            place = place_of(stuck.__traceback__)
            raise EverystateError("E206", place, action=self.target, seconds=seconds) from None
        except KeyboardInterrupt:
            interrupted, self.stopped = True, "interrupted"
        return self._result(time.perf_counter() - started, interrupted)

    def _explore(self, started: float) -> None:
        level: dict[Cells, Cells | None] = {}
        self.levels.append(level)
        for refined in self.spec._refinements.values():
            beginnings(refined)  # where it has none, nothing can be checked of this spec
        for state in initial_states(self.spec):
            self.generated += 1
            self._arrive(state, None, level, 1)
        self.initial = self.generated
        while self.levels[-1] and not self.stopped:
            following: dict[Cells, Cells | None] = {}
            first: dict[Cells, int] = {}
            for cells in sorted(self.levels[-1], key=self.layout.pack):
                if self._full():
                    break
                self._expand(State(self.spec.domains, cells), following, first)
            names = list(self.coverage)
            for action in first.values():
                self.coverage[names[action]].new += 1
            if self.stopped:
                self.unfinished = following
                break
            self.levels.append(following)
            seconds = time.perf_counter() - started
            progress = Progress(len(self.levels) - 1, len(self.known), self.generated, len(following), 0, seconds)
            self.observer.level(progress)
            self._limit()
        if not self.levels[-1]:
            self.levels.pop()

    def _full(self) -> bool:
        """Whether the limit on states or the deadline is reached; a level that it cuts off is incomplete."""
        most, deadline = self.limits.max_states, self.limits.deadline
        if deadline is not None:
            self.stopped = self.stopped or deadline.passed
        if most is not None and len(self.known) >= most:
            self.stopped = f"the limit of {count(most, 'state')} is reached"
        elif self.expanded % EACH == 0 and resident() - self._before > self._room:
            self.stopped = f"the memory limit of {shown(self._room)} is reached"
        return bool(self.stopped)

    def _limit(self) -> None:
        if ("error", Kind.ERROR) in self.seen:
            self.stopped = "an action failed; states beyond it are not defined"
        elif self.limits.stop_early and self.seen:
            self.stopped = "stopped at the first violation"

    def _expand(self, state: State, following: dict[Cells, Cells | None], first: dict[Cells, int]) -> None:
        level, successors, failed = len(self.levels), 0, False
        names = list(self.coverage)
        enabled: set[str] = set()
        for instance in self.spec.instances:
            for step in self._attempts(state, instance):
                if isinstance(step, StepFailed):
                    failed = True
                    self._note("error", Kind.ERROR, level, (self._pack(state.cells),), step.error)
                    continue
                successors += 1
                enabled.add(instance.name)
                action = self.coverage[instance.name]
                action.taken, action.changes = action.taken + 1, action.changes or step.state.cells != state.cells
                self._check_step(state, step.state, level)
                if self._arrive(step.state, state.cells, following, level + 1):
                    number = names.index(instance.name)
                    first[step.state.cells] = min(number, first.get(step.state.cells, number))
        for name in enabled:
            self.coverage[name].enabled += 1
        self.generated += successors
        self.expanded += 1
        if successors or failed:
            return
        self.ended += 1
        if self.limits.deadlock and not self.spec._ends:
            self._note("deadlock", Kind.DEADLOCK, level, (self._pack(state.cells),), None)

    def _attempts(self, state: State, instance: ActionInstance) -> Iterable[Step | StepFailed]:
        """The steps of an action instance; E207 in a careful search if it has others when it is executed again."""
        if not self.careful:
            return attempts(self.spec, state, instance)
        found: list[Step | StepFailed] | None = None
        for _ in range(OFTEN if self.expanded < FIRST else 2):
            self.watchdog.begin()
            before, found = found, list(attempts(self.spec, state, instance))
            if before is not None and list(map(_outcome, before)) != list(map(_outcome, found)):
                place = method_place(getattr(type(self.spec), method_name(instance.name)))
                raise EverystateError("E207", place, action=str(instance))
        return found or []

    def _arrive(self, state: State, parent: Cells | None, level: dict[Cells, Cells | None], number: int) -> bool:
        """Store a successor; returns whether it is a state of the level being built."""
        key = self._key(state)
        if key in self.known:
            if self.known[key] == number and state.cells in level and parent is not None:
                old = level[state.cells]
                if old is None or self._pack(parent) < self._pack(old):
                    level[state.cells] = parent
            return self.known[key] == number
        if outside(self.spec, state):
            self.outside += parent is not None
            self.outside_initially += parent is None
            self._check_state(state, number, beyond=True)
            return False
        self.known[key] = number
        level[state.cells] = parent
        self._check_state(state, number)
        return True

    def _key(self, state: State) -> Any:
        if not self.views:
            return state.cells
        return tuple(self._identity(name, state) for name in self.views)

    def _identity(self, name: str, state: State) -> Any:
        """The value of a view for a state; states in which it fails count as one, which `_check_state` reports."""
        try:
            value = evaluate(self.spec, name, state).value
        except CheckedError:
            return "error", name
        return identity(value, name, method_place(getattr(type(self.spec), name)))

    def _pack(self, cells: Cells) -> Words:
        return self.layout.pack(cells)

    # -- properties ----------------------------------------------------------------------------------------

    def _check_state(self, state: State, level: int, beyond: bool = False) -> None:
        for prop in self.on_states:
            value, error = self._value(prop, state, None)
            if error is not None:
                self._note(prop.name, Kind.PROPERTY_ERROR, level, (self._pack(state.cells),), error, beyond)
            elif prop.kind == marks.REACHABLE:
                self.reached.update([prop.name] if value else [])
            elif not value and prop.kind == marks.INVARIANT:
                self._note(prop.name, Kind.INVARIANT, level, (self._pack(state.cells),), None, beyond)

    def _check_step(self, before: State, after: State, level: int) -> None:
        for prop in self.on_steps:
            value, error = self._value(prop, after, before)
            place = (self._pack(before.cells), self._pack(after.cells))
            if error is not None:
                self._note(prop.name, Kind.PROPERTY_ERROR, level, place, error)
            elif not value and prop.kind == marks.STEP_INVARIANT:
                kind = Kind.REFINEMENT if prop.name in self.spec._refinements else Kind.STEP_INVARIANT
                self._note(prop.name, kind, level, place, None)

    def _value(self, prop: Property, state: State, before: State | None) -> tuple[bool, CheckedError | None]:
        noting = ImplicationRecorder()
        self.watchdog.begin()
        try:
            value = evaluate(self.spec, prop.name, state, before, noting).value
            if self.careful and _comparable(evaluate(self.spec, prop.name, state, before).value) != _comparable(value):
                raise EverystateError("E207", method_place(self.spec._declaration(prop.name).method), action=prop.name)
            if prop.kind in (marks.INVARIANT, marks.STEP_INVARIANT):
                self._note_implications(prop.name, noting)
            return prop.kind in marks.ON_GRAPHS or bool(value), None
        except EverystateError as error:
            if isinstance(error, CheckedError):
                return False, error
            raise

    def _note_implications(self, name: str, noting: ImplicationRecorder) -> None:
        """At which places an invariant has an implication, and whether its left side was ever true."""
        for place in noting.asked:
            if place is not None:
                key = name, place
                self.implications[key] = self.implications.get(key, False) or place in noting.lefts

    def _note(
        self,
        name: str,
        kind: Kind,
        level: int,
        place: tuple[Words, ...],
        error: CheckedError | None,
        beyond: bool = False,
    ) -> None:
        found = self.seen.get((name, kind))
        if found is None:
            found = self.seen[name, kind] = FirstViolation(level, place, error)
            self.observer.violation(name, level)
        elif found.level == level and place < found.place:
            found.place, found.error = place, error
        found.states += not beyond
        found.beyond = found.beyond or beyond

    # -- the result ----------------------------------------------------------------------------------------

    def _behaviour(self, seen: FirstViolation) -> list[Cells]:
        """A shortest trace to the place of a violation, by least predecessors."""
        cells = self.layout.unpack(seen.place[0])
        chain, level = [cells], seen.level
        if level > len(self.levels) or cells not in self.levels[level - 1]:
            chain.append(self._least_predecessor(cells, level - 1)) if level > 1 else None
            level -= 1
        while level > 1:
            parent = self.levels[level - 1][chain[-1]]
            assert parent is not None
            chain.append(parent)
            level -= 1
        chain.reverse()
        return chain + [self.layout.unpack(w) for w in seen.place[1:]]

    def _least_predecessor(self, cells: Cells, level: int) -> Cells:
        found = []
        for candidate in self.levels[level - 1]:
            there = State(self.spec.domains, candidate)
            steps = (attempts(self.spec, there, i) for i in self.spec.instances)
            if any(not isinstance(s, StepFailed) and s.state.cells == cells for of in steps for s in of):
                found.append(candidate)
        return min(found, key=self.layout.pack)

    def _violation(self, name: str, kind: Kind, seen: FirstViolation) -> Violation:
        behaviour = self._behaviour(seen)
        last = State(self.spec.domains, behaviour[-1])
        texts = {p.name: p.text for p in self.spec.properties}
        text = seen.error.what if seen.error else texts.get(name, "no action is enabled")
        facts: dict[str, Any] = {"shows": name, "kind": kind.value, "explanation": text}
        if kind is Kind.ERROR:
            facts["failing"] = self._failing(last)
        elif name in texts:
            before = State(self.spec.domains, behaviour[-2]) if len(seen.place) == 2 else None
            facts["witness"] = why_false(self.spec, name, last, before)[0]
        trace = make_trace(self.spec, self.target, behaviour, **facts)
        return Violation(name, kind, trace, text, seen.error, seen.states, seen.beyond)

    def _failing(self, state: State) -> str:
        for instance in self.spec.instances:
            for step in attempts(self.spec, state, instance):
                if isinstance(step, StepFailed):
                    return label(step.action, step.choices)
        raise AssertionError("a step that failed once does not fail again")

    def _result(self, seconds: float, interrupted: bool) -> Result:
        order = [p.name for p in self.spec.properties]
        keys = sorted(self.seen, key=lambda k: order.index(k[0]) if k[0] in order else -1)
        found = [self._violation(name, kind, self.seen[name, kind]) for name, kind in keys]
        found.sort(key=lambda v: GRAVITY.index(v.kind))
        found = with_beginnings(self.spec, self.target, found)
        complete = not self.stopped
        if complete and self.expanded != len(self.known):
            reason = f"{len(self.known):,} states were to be expanded, and {self.expanded:,} were"
            raise EverystateError("E505", None, spec=type(self.spec).__name__, reason=reason)
        unjudged: Mapping[str, str] = {}
        vacuously: list[str] = []
        if complete and self.levels:
            broken = [v.property for v in found]
            search = liveness.PlainSearch(self.spec, self.target, self.layout, self.levels)
            judged = search.judged(broken, self.limits, self.observer)
            found += judged.violations
            unjudged, vacuously = judged.vacuous, judged.never
            goals = [p for p in self.on_states if p.kind == marks.REACHABLE and p.name not in self.reached]
            expected = "some reachable state satisfies it"
            found += [Violation(p.name, Kind.UNREACHED, None, p.text or expected) for p in goals]
        failed = {v.property for v in found} | unjudged.keys()
        bounds_of = (marks.VIEW, marks.CONSTRAINT, marks.ACTION_CONSTRAINT, marks.TEMPORAL_ASSUMPTION)
        names = [p.name for p in (*self.on_states, *self.on_steps) if p.kind not in bounds_of]
        verdict = Verdict.VIOLATED if found else Verdict.PROVED if complete and not unjudged else Verdict.UNDECIDED
        coverage = {n: ActionCoverage(a.enabled, a.taken, a.new) for n, a in self.coverage.items()}
        never = [*self._never(coverage), *vacuously] if complete else []
        half, rest = self.levels[: max(1, len(self.levels) // 2)], [*self.levels[-1:], self.unfinished]
        grows = growing(self.spec.domains, itertools.chain(*half), itertools.chain(*rest))
        return Result(
            target=self.target,
            constants=self.spec.constants,
            engine="python",
            verdict=verdict,
            conditions=conditions_of(
                self.spec, merging=True, pruned=pruned(self.outside, self.outside_initially), unjudged=unjudged
            ),
            distinct=len(self.known),
            generated=self.generated,
            initial=self.initial,
            depth=len(self.levels),
            seconds=seconds,
            violations=tuple(found),
            remarks=(*self.spec._without_instances(), *liveness.without_fairness(self.spec)),
            vacuous=(*oversights(self.spec), *never),
            coverage=coverage,
            held=tuple(n for n in names if n not in failed) if complete else (),
            checked=checked(self.spec, self.limits.deadlock, temporal=True),
            stopped=self.stopped,
            growing=grows if self.stopped and not found else "",
            interrupted=interrupted,
        )

    def _never(self, coverage: Mapping[str, ActionCoverage]) -> Iterator[str]:
        """What has never happened in a whole search."""
        for name, action in coverage.items():
            if not action.enabled:
                yield never_enabled(name)
            elif not (self.coverage[name].changes or is_idle(function_of(self.spec._declaration(name).method))):
                yield no_effect(name)
        yield from (never_true(*key) for key, held in sorted(self.implications.items(), key=str) if not held)
        yield from () if self.seen else ends_early(coverage, len(self.levels), self.ended, len(self.known))


def _outcome(step: Step | StepFailed) -> tuple[Any, ...]:
    """What a step leads to, for comparison with another one."""
    if isinstance(step, StepFailed):
        return step.choices, step.error.code, step.error.where
    return step.choices, step.state.cells


def visited(spec: Spec, limits: Limits) -> Iterator[Cells]:
    """The states that a search visits, level by level, in the order of their packed words."""
    search = Search(spec, limits, Silent(), type(spec).__name__)
    search.run()
    for level in (*search.levels, search.unfinished):
        yield from sorted(level, key=search.layout.pack)


def check(
    spec: Spec,
    limits: Limits | None = None,
    observer: Observer | None = None,
    target: str = "",
    careful: bool = False,
) -> Result:
    """Visit every reachable state by running the spec concretely; same verdicts and traces as the native engine."""
    return Search(spec, limits or Limits(), observer or Silent(), target or type(spec).__name__, careful).run()


def _comparable(value: Any) -> Any:
    """The value of a property, to compare it with another one."""
    return (value.form(), value.conditions()) if isinstance(value, Formula) else value
