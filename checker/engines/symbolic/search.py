"""Iterative deepening with z3: finds the violations at the least depth.

Traces grow step by step in one incremental solver. At each length one query looks for any violation at the end; only
where it finds one, each property is queried alone. Excluded violations stay asserted. When no trace can be longer, the
search ends as a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

from ...backends.smt import BITS, FAULT, Arithmetic, Clock, Goal, Memory, Stopped, System, Unrolling, z3
from ...backends.smt.limits import resident
from ...ir.traced import Model
from ...results.text import count
from ..crosscheck import formula_states
from ..crosscheck.allowance import Allowance
from ..memory import available, shown
from ..observer import Observer
from ..stopwatch import Stopwatch
from .expectations import sights
from .k_induction import Induction

Cells = tuple[int, ...]


@dataclass(frozen=True)
class Question:
    """What to look for: traces of at most `depth` steps; `properties` restricts it to some (none: all).

    `seconds` and `memory` (bytes of this process; None: 85 % of what is free) end it as UNDECIDED. `cross_check` is
    the number of states to cross-check; see Limits. `stopwatch` measures the command and its parts.
    """

    depth: int
    properties: tuple[str, ...] = ()
    deadlock: bool = True
    seconds: float | None = None
    memory: int | None = None
    arithmetic: Arithmetic = BITS
    cross_check: int | None = None
    stopwatch: Stopwatch = field(default_factory=Stopwatch, compare=False)

    @property
    def allowance(self) -> Allowance:
        """How many states may be cross-checked."""
        return Allowance(self.cross_check, self.stopwatch)

    @property
    def clock(self) -> Clock:
        """A clock that starts now."""
        memory = self.memory or resident() + int(0.85 * available())
        return Clock(self.seconds, Memory(memory, shown(memory)))


@dataclass(frozen=True)
class Hit:
    """A goal that holds at the end of a trace of one of the models."""

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
    depths: list[float] = field(default_factory=list)
    """Seconds since the start at which each depth, from 0 on, was done."""
    timed: InitVar[Clock | None] = None
    """The clock of the run, if it has begun before."""
    inducing: bool = False
    """Whether k-induction looks for a proof beside the search."""
    induction: Induction | None = None
    proved: bool = False
    """Whether it has found one."""

    def __post_init__(self, timed: Clock | None) -> None:
        self.clock = timed or self.question.clock
        self.observer.phase("writing formulas")
        with self.clock.counting("writing formulas"):
            self.system = System(self.models, self.question.arithmetic)
            self.goals = selected(self.system.goals(self.question.deadlock), self.question.properties)
        self.unseen = sights(self.system)
        self.targets = [t for t in self.system.targets() if self._wants(t.name)]
        self.unrolling = Unrolling(self.system, self.clock)
        self.unrolling.add(self.system.initial)
        self.unrolling.add(self.system.valid)

    def _wants(self, name: str) -> bool:
        return not self.question.properties or name in self.question.properties

    # -- deepening -----------------------------------------------------------------------------------------

    def first(self) -> list[Hit]:
        """All violations at the least length; empty when there is none, as far as was searched."""
        try:
            failing: list[Hit] = []
            while True:
                hits = failing + self._hits([g for g in self.goals if g.key != FAULT], self.length)
                self.depths.append(self.clock.elapsed)
                self._targets()
                self._see()
                if hits or self.length == self.question.depth:
                    return hits
                failing = self._hits([g for g in self.goals if g.key == FAULT], self.length + 1)
                if not failing and self._inductive():
                    return []
                if not self._longer():
                    return failing
        except Stopped as stop:
            self.stopped, self.interrupted = stop.reason, stop.interrupted
        except KeyboardInterrupt:
            self.stopped, self.interrupted = "interrupted", True
        return []

    def _inductive(self) -> bool:
        """Whether k-induction proves what was excluded so far for behaviours of any length."""
        if self.inducing:
            self.induction = self.induction or Induction(self.system, self.goals, self.clock)
            self.proved = self.induction.next()
        return self.proved

    def interrupt(self) -> None:
        """End the questions that solvers work on."""
        self.unrolling.solver.interrupt()
        if self.induction is not None:
            self.induction.unrolling.solver.interrupt()

    def all(self) -> dict[int, list[Hit]]:
        """For each model with violations, those at its own least length."""
        found: dict[int, list[Hit]] = {}
        failing: list[int] = []
        try:
            while True:
                self._exclude([g for g in self.goals if g.key != FAULT], found, failing)
                self.depths.append(self.clock.elapsed)
                if self.length == self.question.depth:
                    return found
                failing = self._failing([g for g in self.goals if g.key == FAULT], found)
                if not self._longer():
                    return found
        except Stopped as stop:
            self.stopped, self.interrupted = stop.reason, stop.interrupted
        except KeyboardInterrupt:
            self.stopped, self.interrupted = "interrupted", True
        return found

    def _exclude(self, goals: Sequence[Goal], found: dict[int, list[Hit]], failing: Sequence[int]) -> None:
        """Find the models that violate a goal now, one after the other, and exclude them from then on, as well as
        `failing` ones, in which an action fails at this length."""
        models = list(failing)
        while models or (models := [hit.model for hit in self._hits(goals, self.length)][:1]):
            chosen = self.system.chosen(models[0])
            found.setdefault(models[0], []).extend(self._hits(goals, self.length, chosen))
            self.unrolling.solver.add(z3.Not(chosen))
            del models[0]

    def _failing(self, goals: Sequence[Goal], found: dict[int, list[Hit]]) -> list[int]:
        """The models in which an action fails in the next step; their other violations are still to be queried."""
        failing: list[int] = []
        while hits := self._hits(goals, self.length + 1, *(z3.Not(self.system.chosen(m)) for m in failing)):
            failing.append(hits[0].model)
            found.setdefault(hits[0].model, []).extend(hits)
        return failing

    def _longer(self) -> bool:
        """Add a step; False when no trace has so many."""
        self.unrolling.extend()
        self.unrolling.add(self.system.valid, self.unrolling.length)
        if self.unrolling.ask() is None:
            self.complete = True
            return False
        self.length += 1
        self.observer.phase(f"asking z3 for behaviours of {count(self.length, 'step')}")
        return True

    def _hits(self, goals: Sequence[Goal], length: int, *among: Any) -> list[Hit]:
        """The goals that hold at the end of traces of a length, `among` those where formulas hold; without any, the
        others are excluded from now on."""
        goals = [g for g in goals if g.ahead <= length]
        if not goals:
            return []
        formulas = [self.unrolling.at(g.formula, length - g.ahead) for g in goals]
        if self.ask(z3.And(*among, z3.Or(formulas))) is None:
            if not among:
                self.unrolling.solver.add(z3.Not(z3.Or(formulas)))
            return []
        found = [self._hit(goal, z3.And(*among, f), length) for goal, f in zip(goals, formulas, strict=True)]
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

    def _see(self) -> None:
        """Remove the expectations that some state of this length satisfies."""
        while self.unseen:
            formulas = [self.unrolling.at(sight.formula, self.length) for sight in self.unseen]
            found = self.ask(z3.Or(formulas))
            if found is None:
                return
            values = [found.eval(formula, model_completion=True) for formula in formulas]
            self.unseen = [s for s, value in zip(self.unseen, values, strict=True) if not z3.is_true(value)]

    def vacuous(self) -> tuple[str, ...]:
        """Warnings about what no trace has shown, after a search that was not stopped."""
        where = "" if self.complete else f" in behaviours of up to {count(self.excluded, 'step')}"
        return tuple(sight.missing(where) for sight in self.unseen)

    def cross_check(self) -> int:
        """Compare the formulas with plain Python; returns the number of states."""
        question = self.question
        goals = [*self.goals, *self.targets]
        return formula_states.cross_check(
            self.system, question.depth, question.allowance, goals, observer=self.observer
        )

    # -- reporting -----------------------------------------------------------------------------------------

    @property
    def excluded(self) -> int:
        """The length of the longest traces that were searched, in steps; -1 for none."""
        return len(self.depths) - 1

    @property
    def effort(self) -> str:
        """Where the time went."""
        spent = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in self.clock.spent.items())
        return f"{len(self.system.leaves)} leaves of decision trees, {self.unrolling.queries} queries: {spent}"


def selected(goals: list[Goal], names: Sequence[str]) -> list[Goal]:
    """The goals of some names; all of them for no name."""
    return [g for g in goals if not names or g.name in names]
