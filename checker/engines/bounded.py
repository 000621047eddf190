"""Bounded checks with z3: the first violation at the least depth, or none within a number of steps.

Behaviours grow step by step in one incremental solver. At each length one query asks for any violation that
ends there; only where it finds one, each property is asked for on its own. What was excluded stays asserted.
A behaviour that cannot grow any more ends the search as a proof: no behaviour is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..backends.native.program import Watch
from ..backends.smt import BITS, BROKEN, FAULT, STUCK, Arithmetic, Clock, Goal, Stopped, System, Unrolling, z3
from ..errors import EverystateError, suggestion
from ..ir.model import Model
from ..language import marks
from ..results.plain import show_constants
from ..results.result import Result, Violation, checked
from ..results.sentence import fails
from ..results.text import count
from ..results.trace import Trace
from ..results.verdict import Kind, Verdict
from . import report
from .observer import Observer, Progress, Silent
from .replay import make_trace

Cells = tuple[int, ...]


@dataclass(frozen=True)
class Question:
    """What to look for: behaviours of at most `depth` steps; `properties` restricts it to some (none: all)."""

    depth: int
    properties: tuple[str, ...] = ()
    deadlock: bool = True
    seconds: float | None = None
    arithmetic: Arithmetic = BITS


@dataclass(frozen=True)
class Hit:
    """A goal that shows at the end of a behaviour of one of the models."""

    goal: Goal
    model: int
    cells: list[Cells]
    length: int


@dataclass
class Search:
    """Iterative deepening over one or several models that differ in constants."""

    models: Sequence[Model]
    question: Question
    observer: Observer
    length: int = 0
    complete: bool = False
    stopped: str = ""
    interrupted: bool = False
    reached: dict[str, Hit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = Clock(self.question.seconds)
        self.observer.phase("writing formulas")
        with self.clock.counting("writing formulas"):
            self.system = System(self.models, self.question.arithmetic)
            self.goals = selected(self.system.goals(self.question.deadlock), self.question.properties)
        self.targets = [t for t in self.system.targets() if self._wants(t.name)]
        self.unrolling = Unrolling(self.system, self.clock)
        self.unrolling.add(self.system.initial)
        self.unrolling.add(self.system.valid)

    def _wants(self, name: str) -> bool:
        return not self.question.properties or name in self.question.properties

    # -- deepening -----------------------------------------------------------------------------------------

    def first(self) -> list[Hit]:
        """Everything that is violated at the least length; empty when nothing is, as far as the search got."""
        try:
            failing: list[Hit] = []
            while True:
                hits = failing + self._hits([g for g in self.goals if g.key != FAULT], self.length)
                self._targets()
                if hits or self.length == self.question.depth:
                    return hits
                failing = self._hits([g for g in self.goals if g.key == FAULT], self.length + 1)
                if not self._longer():
                    return failing
        except Stopped as stop:
            self.stopped, self.interrupted = stop.reason, stop.interrupted
        except KeyboardInterrupt:
            self.stopped, self.interrupted = "interrupted", True
        return []

    def all(self) -> dict[int, list[Hit]]:
        """For each model that violates something, what it violates at its own least length."""
        found: dict[int, list[Hit]] = {}
        try:
            while True:
                self._exclude([g for g in self.goals if g.key != FAULT], self.length, found)
                if self.length == self.question.depth:
                    return found
                self._exclude([g for g in self.goals if g.key == FAULT], self.length + 1, found)
                if not self._longer():
                    return found
        except Stopped as stop:
            self.stopped, self.interrupted = stop.reason, stop.interrupted
        except KeyboardInterrupt:
            self.stopped, self.interrupted = "interrupted", True
        return found

    def _exclude(self, goals: Sequence[Goal], length: int, found: dict[int, list[Hit]]) -> None:
        """Find the models that violate a goal at a length, one after the other, and leave them out from then on."""
        while hits := self._hits(goals, length):
            for hit in hits:
                found.setdefault(hit.model, []).append(hit)
                self.unrolling.solver.add(z3.Not(self.system.chosen(hit.model)))

    def _longer(self) -> bool:
        """Take one more step; False when no behaviour has so many."""
        self.unrolling.extend()
        self.unrolling.add(self.system.valid, self.unrolling.length)
        if self.unrolling.ask() is None:
            self.complete = True
            return False
        self.length += 1
        self.observer.level(Progress(self.length, 0, 0, 0, 0, self.clock.elapsed))
        return True

    def _hits(self, goals: Sequence[Goal], length: int) -> list[Hit]:
        """The goals that show at the end of behaviours of a length; the others are excluded from now on."""
        goals = [g for g in goals if g.ahead <= length]
        if not goals:
            return []
        formulas = [self.unrolling.at(g.formula, length - g.ahead) for g in goals]
        if self.ask(z3.Or(formulas)) is None:
            self.unrolling.solver.add(z3.Not(z3.Or(formulas)))
            return []
        found = [self._hit(goal, f, length) for goal, f in zip(goals, formulas, strict=True)]
        return [hit for hit in found if hit is not None]

    def ask(self, formula: Any) -> Any:
        """A solution in which a formula holds, None when there is none."""
        return self.unrolling.ask(self.unrolling.name(formula))

    def _hit(self, goal: Goal, formula: Any, length: int) -> Hit | None:
        found = self.ask(formula)
        if found is None:
            return None
        model = self.unrolling.which(found)
        states = length - 1 if goal.key == FAULT else length
        return Hit(goal, model, self.unrolling.behaviour(found, model, states), length)

    def _targets(self) -> None:
        for target in self.targets:
            if target.name not in self.reached:
                hit = self._hit(target, self.unrolling.at(target.formula, self.length), self.length)
                if hit is not None:
                    self.reached[target.name] = hit

    # -- telling -------------------------------------------------------------------------------------------

    @property
    def effort(self) -> str:
        """Where the time went."""
        spent = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in self.clock.spent.items())
        return f"{len(self.system.leaves)} leaves of decision trees, {self.unrolling.queries} queries: {spent}"


def selected(goals: list[Goal], names: Sequence[str]) -> list[Goal]:
    """The goals of some names; all of them for no name."""
    return [g for g in goals if not names or g.name in names]


def check_names(model: Model, names: Sequence[str]) -> None:
    """E511 for a name that is no property."""
    known = [p.name for p in model.properties if p.kind != marks.CONSTRAINT] + [FAULT, STUCK]
    for name in names:
        if name not in known:
            facts = {
                "spec": type(model.spec).__name__,
                "suggestion": suggestion(name, known),
                "names": ", ".join(known),
            }
            raise EverystateError("E511", None, name=name, **facts)


def violation_of(model: Model, target: str, hit: Hit) -> Violation:
    """A hit as a violation with its trace, replayed on the concrete spec."""
    keys = {FAULT: report.FAULT, STUCK: report.DEADLOCK}
    prop = None if hit.goal.key in keys else model.properties[hit.goal.index]
    kind = "error" if hit.goal.key == BROKEN else hit.goal.key
    watch = None if prop is None else Watch(kind, hit.goal.index, prop.term, hit.goal.error)
    return report.violation(model, target, watch, keys.get(hit.goal.key, 0), hit.cells, 0)


def check(model: Model, question: Question, observer: Observer | None = None, target: str = "") -> Result:
    """Look for violations in behaviours of at most so many steps; see Result for what the verdict proves."""
    check_names(model, question.properties)
    name = target or type(model.spec).__name__
    search = Search([model], question, observer or Silent())
    hits = search.first()
    violations = [violation_of(model, name, hit) for hit in hits]
    if search.complete and not hits:
        violations += unreached(model, search)
    return conclude(model, name, search, violations)


def unreached(model: Model, search: Search) -> list[Violation]:
    """The goals that no state satisfies, known when no behaviour can grow any more."""
    missing = [t for t in search.targets if t.name not in search.reached]
    return [Violation(t.name, Kind.UNREACHED, None, model.properties[t.index].text) for t in missing]


def conclude(model: Model, target: str, search: Search, violations: list[Violation]) -> Result:
    """The result of a search over one model."""
    verdict = Verdict.PROVED if search.complete else Verdict.BOUNDED
    verdict = Verdict.VIOLATED if violations else Verdict.UNDECIDED if search.stopped else verdict
    names = [g.name for g in search.goals if g.key not in (FAULT, STUCK, BROKEN)]
    unseen = [f"the goal {t.name} was not reached" for t in search.targets if t.name not in search.reached]
    return Result(
        target=target,
        constants=model.spec.constants,
        engine="z3",
        verdict=verdict,
        distinct=0,
        generated=0,
        initial=0,
        depth=search.length + 1,
        seconds=search.clock.elapsed,
        violations=tuple(violations),
        warnings=tuple(unseen) if verdict is Verdict.BOUNDED else (),
        held=() if violations or search.stopped else (*names, *search.reached),
        checked=checked(model.spec, search.question.deadlock),
        stopped=search.stopped,
        interrupted=search.interrupted,
        statement=f"{verdict}  {_violated(violations) if violations else _said(model, search)}",
        effort=search.effort,
    )


def _violated(violations: list[Violation]) -> str:
    end = "the search ended there" if violations[0].trace else "no behaviour can grow any more"
    return f"{', '.join(map(fails, violations))}; no shorter behaviour violates anything, {end}"


def claims(search: Search) -> str:
    """What was looked for, as names."""
    names = list(dict.fromkeys(g.name for g in search.goals if g.key not in (FAULT, STUCK)))
    parts = [f"{', '.join(names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
    parts += ["no deadlock"] if any(g.key == STUCK for g in search.goals) else []
    parts += ["no action fails"] if any(g.key == FAULT for g in search.goals) else []
    return ", ".join(parts) or "nothing is violated"


def _said(model: Model, search: Search) -> str:
    constants = show_constants(model.spec.constants)
    within = f" ({constants})" if constants else ""
    if search.stopped:
        done = f"{claims(search)} in all behaviours of up to {count(search.length - 1, 'step')}"
        return f"{search.stopped}: {done if search.length else 'nothing is proved'}{within}"
    if search.complete:
        return f"{claims(search)}: no behaviour has more than {count(search.length, 'step')}{within}"
    steps = count(search.question.depth, "step")
    return f"{claims(search)} in all behaviours of up to {steps}{within}; nothing is said of longer ones"


def reach(
    model: Model, name: str, question: Question, observer: Observer | None = None, target: str = ""
) -> tuple[Result, Trace | None]:
    """The shortest way to a state in which a property (@reachable or @invariant) holds."""
    check_names(model, [name])
    search = Search([model], replace(question, properties=(name,)), observer or Silent())
    search.goals, search.targets = [search.system.wanted(name)], []
    hits, called = search.first(), target or type(model.spec).__name__
    result = conclude(model, called, search, [])
    if not hits:
        where = "in any reachable state" if search.complete else f"within {count(question.depth, 'step')}"
        said = search.stopped or f"{name} never holds {where}"
        return replace(result, held=(), statement=f"{result.verdict}  {said}"), None
    steps = count(hits[0].length, "step")
    said = f"{Verdict.PROVED}  {name} holds after {steps}, and no behaviour gets there sooner"
    trace = make_trace(model.spec, called, hits[0].cells)
    return replace(result, verdict=Verdict.PROVED, held=(name,), statement=said), trace
