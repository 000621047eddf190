"""Temporal properties where not all states were explored: a proof by counting rounds, or a lasso.

`monitor` makes a product in which a round is complete when everything was fulfilled that must be so again and again. A
bounded search looks for a cycle with a round in it. IC3 proves that no behaviour has more than so many rounds; z3
confirms that invariant like any other. A lasso is confirmed in plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...backends.smt import Goal, Stopped, Unrolling, z3
from ...ir.traced import Model, TracedProperty
from ...language import marks
from ...language.concrete import StepFailed, attempts, evaluate
from ...language.formulas import Formula
from ...language.spec import Spec
from ...language.state import State
from ...results.result import Violation
from ...results.text import AGAIN, FORMULA, count
from ..observer import Observer, Silent
from ..replay import replay
from ..temporal import liveness as explicit
from ..temporal.lasso_values import holds_on
from .attempt import GivenUp, Help, Invariant, Proof
from .monitor import NEVER, ROUNDS, Monitor, Product, form_of, unsupported
from .reachability import Explored
from .search import Question

Cells = tuple[int, ...]
STATES = 20_000
"""States of a product that are explored."""
SHALLOW = 8
"""Steps up to which a lasso is looked for before a proof."""
SECONDS = 120.0
"""Seconds for a property where the command has no limit."""


@dataclass(frozen=True)
class Judged:
    """What is known of a temporal property: a violation, the argument of a proof, or why it is open."""

    violation: Violation | None = None
    how: str = ""
    open: str = ""


class _Rounds(Proof):
    """The proof that no behaviour of a product has more than so many rounds."""

    def __init__(self, product: Product, question: Question, observer: Observer, most: int, known: Sequence[Explored]):
        self.before = known
        super().__init__([product.model], question, observer, "", Help(STATES, lemmas=False, patience=1e9))
        term = product.model.pool.lt(product.model.pool.const(most), product.rounds)
        self.search.goals = [Goal("rounds", marks.INVARIANT, self.search.system.term(0, term))]

    def _explore(self, models: Sequence[Model], most: int) -> list[Explored]:
        return list(self.before) or super()._explore(models, most)


class Liveness:
    """The judge of one temporal property of a model in which nothing else is violated."""

    def __init__(self, model: Model, prop: TracedProperty, question: Question, target: str, observer: Observer) -> None:
        self.model, self.prop, self.target, self.observer = model, prop, target, observer
        seconds = question.seconds or SECONDS
        self.question = replace(question, deadlock=False, cross_check=0, properties=(), seconds=seconds)
        self.clock = self.question.clock
        self.product = Monitor(model, *form_of(prop)).product()

    def judged(self) -> Judged:
        """A lasso of a few steps, a proof, or a longer lasso; open at a limit."""
        try:
            lassos = Lassos(self.product, self.clock)
            found = lassos.upto(SHALLOW) or self._proved() or lassos.upto(1 << 30)
        except (Stopped, GivenUp) as end:
            return Judged(open=f"is undecided: {end}")
        if isinstance(found, str):
            return Judged(how=found)
        assert found is not None, "the search for a lasso ends with one"
        return Judged(violation=self._violation(*found))

    def _proved(self) -> str:
        """The argument of a proof; empty where some behaviour has ROUNDS rounds."""
        known, least = list[Explored](), 0
        while least < ROUNDS:
            self.observer.phase(f"proving {self.prop.name}: at most {count(least, 'round')}")
            proof = _Rounds(self.product, self._left(), Silent(), least, known)
            if not known:
                known = proof.explored
                least = max(least, self._seen(known[0]))
                if least >= ROUNDS:
                    break
                if proof.complete:
                    number = count(known[0].result.distinct, "state")
                    return f"{self.prop.name}: at most {count(least, 'round')} of fairness in {number} with a monitor"
                proof = _Rounds(self.product, self._left(), Silent(), least, known)
            found = proof.run()
            if isinstance(found, Invariant):
                clauses = count(len(found.clauses), "clause")
                return f"{self.prop.name}: at most {count(least, 'round')} of fairness, by an invariant of {clauses}"
            least += 1
        return ""

    def _left(self) -> Question:
        seconds = None if self.clock.seconds is None else self.clock.left() / 1000
        return replace(self.question, seconds=seconds)

    def _seen(self, explored: Explored) -> int:
        """The most rounds of an explored state."""
        return int(explored.columns(1 << 30)[:, -1].max())

    # -- a lasso -------------------------------------------------------------------------------------------

    def _violation(self, way: list[Cells], cycle: list[Cells]) -> Violation:
        """The violation of a behaviour, after plain Python has confirmed it."""
        spec, states, loop = self.model.spec, [*way, *cycle[:-1]], len(way) - 1
        form, _ = form_of(self.prop)
        columns = [conditions(spec, self.prop, cells) for cells in states]
        assert not holds_on(form, columns, loop), "the lasso violates the property in plain Python"
        neglected = [one for one in spec._fairness() if not is_fair(spec, one, states[loop:])]
        assert not neglected, "the lasso is fair in plain Python"
        closing = replay(spec, [states[-1], states[loop]])[1][0].label if cycle else ""
        facts = {"loop": loop, "closing": closing, "witness": self._witness(columns, loop)}
        return explicit.violation(spec, self.target, self.prop.name, states, 0, facts)

    def _witness(self, columns: Sequence[Sequence[bool]], loop: int) -> dict[str, str]:
        if self.prop.kind == marks.TEMPORAL_FORMULA:
            prop = next(p for p in self.model.spec.properties if p.name == self.prop.name)
            return {FORMULA: explicit.written(self.model.spec, prop)}
        if self.prop.kind == marks.EVENTUALLY_ALWAYS:
            return {AGAIN: f"state {next(at for at in range(loop, len(columns)) if not columns[at][0])}"}
        if self.prop.kind == marks.EVENTUALLY:
            return {}
        since = max((at for at in range(loop) if columns[at][-1]), default=-1) + 1
        first = next(at for at in range(since, len(columns)) if columns[at][0] or len(columns[at]) == 1)
        return {"since": f"state {first}"} if self.prop.kind == marks.LEADS_TO else {"since": f"state {since}"}


class Lassos:
    """A bounded search for a cycle of a product with a complete round in it."""

    def __init__(self, product: Product, clock: Any) -> None:
        from ...backends.smt import System

        self.product, self.system = product, System([product.model])
        self.unrolling = Unrolling(self.system, clock)
        self.unrolling.add(z3.And(self.system.initial, self.system.valid))
        self.places, self.length = self.system.states.places[0], 0
        self.calm = [self._calm(0)]

    def upto(self, most: int) -> tuple[list[Cells], list[Cells]] | None:
        """(the way to a cycle, the rest of the cycle) with at most so many steps; no cycle where nothing changes."""
        while self.length < most:
            self.unrolling.extend()
            self.unrolling.add(self.system.valid, self.unrolling.length)
            self.length += 1
            self.calm.append(self._calm(self.length))
            closed = [self._closes(at) for at in range(self.length)]
            found = self.unrolling.ask(self.calm[-1], self.unrolling.name(z3.Or(closed)))
            if found is not None:
                loop = next(k for k, here in enumerate(closed) if z3.is_true(found.eval(here, model_completion=True)))
                cells = [state[: self.product.size] for state in self.unrolling.behaviour(found)]
                return _without_pauses(cells[: loop + 1]), _without_pauses(cells[loop:])[1:]
        return None

    def _closes(self, at: int) -> Any:
        """That the last state is that of a moment, with more rounds, and that nothing was noted there."""
        here, there = (self.system.states.moment(moment) for moment in (at, self.length))
        same = [*range(self.product.size), *self.product.static]
        parts = [here[self.places[cell]] == there[self.places[cell]] for cell in same]
        return z3.And(self.calm[at], *parts, here[self.places[-1]] != there[self.places[-1]])

    def _calm(self, at: int) -> Any:
        """A literal: nothing is noted at a moment."""
        state = self.system.states.moment(at)
        return self.unrolling.name(z3.And([z3.Not(state[self.places[cell]]) for cell in self.product.noted]))


def _without_pauses(states: Sequence[Cells]) -> list[Cells]:
    return [state for at, state in enumerate(states) if not at or state != states[at - 1]]


def conditions(spec: Spec, prop: TracedProperty, cells: Cells) -> list[bool]:
    """The conditions of a temporal property in a state, by plain Python."""
    value = evaluate(spec, prop.name, State(spec.domains, cells)).value
    if isinstance(value, Formula):
        return [bool(held) for held in value.conditions()]
    return [bool(held) for held in (value if isinstance(value, tuple) else [value])]


def is_fair(spec: Spec, one: Any, cycle: Sequence[Cells]) -> bool:
    """Whether an assumption is not neglected on a cycle for ever, by plain Python."""
    enabled, taken = [], False
    for at, cells in enumerate(cycle):
        after = cycle[(at + 1) % len(cycle)]
        state = State(spec.domains, cells)
        steps = [step for k in one.instances for step in attempts(spec, state, spec.instances[k])]
        following = {step.state.cells for step in steps if not isinstance(step, StepFailed)} - {cells}
        enabled.append(bool(following))
        taken = taken or after in following
    return taken or (not all(enabled) if one.strength == marks.WEAK else not any(enabled))


def judge(
    model: Model, question: Question, target: str, observer: Observer
) -> tuple[list[Violation], dict[str, str], dict[str, str]]:
    """(violations, the argument for each property that holds, why others are open) of all temporal properties."""
    violations, held, waiting = list[Violation](), dict[str, str](), dict[str, str]()
    bounds = ", ".join(prop.name for prop in model.of_kind(marks.CONSTRAINT))
    for prop in model.of_kind(*marks.TEMPORAL):
        if reason := unsupported(model, prop):
            waiting[prop.name] = f"is undecided: {reason}, so only `check` judges it"
            continue
        observer.phase(f"looking for a lasso against {prop.name}")
        try:
            found = Liveness(model, prop, question, target, observer).judged()
        except KeyboardInterrupt:
            found = Judged(open="is undecided: interrupted")
        if found.violation is not None:
            violations.append(found.violation)
        elif found.how:
            held[prop.name] = found.how
        else:
            waiting[prop.name] = found.open
    if held and bounds and not _has_fair_behaviour(model, question):
        reason = f"is undecided: no fair behaviour was found inside the state constraint {bounds}"
        return violations, {}, waiting | dict.fromkeys(held, reason)
    return violations, held, waiting


def _has_fair_behaviour(model: Model, question: Question) -> bool:
    """Whether some fair behaviour stays inside the constraints: a proof says nothing where none does."""
    clock = replace(question, seconds=question.seconds or SECONDS).clock
    try:
        return Lassos(Monitor(model, NEVER, ()).product(), clock).upto(2 * SHALLOW) is not None
    except (Stopped, KeyboardInterrupt):
        return False
