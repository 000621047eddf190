"""What `prove` does without options: find out whether a spec is correct, for any number of steps.

Up to 200,000 states are explored first; a violation among them ends it. Then a bounded search by z3 runs beside the proof:
guesses from the explored states, and IC3 with what of them is inductive. The first answer counts. A
proof is confirmed by z3 before it is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any

from ...backends.smt import BROKEN, FAULT, STUCK, Goal, Stopped, System, Unrolling, own_context, z3
from ...backends.smt.cnf import Cnf
from ...ir.expr import Expr
from ...ir.model import Model
from ...ir.tracer import Tracer
from ...language import marks
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, Violation, checked, claimed
from ...results.text import count
from ...results.verdict import Kind, Verdict
from ..doublecheck import formula_states
from ..observer import Observer, Silent
from ..refined_initial_states import with_beginnings
from ..violations import once_each
from . import certificate, report
from .bounded import check_names
from .guesses import Guesses, Reached, inductive_part
from .ic3 import Ic3
from .predicates import Clause, Predicates, Values, rows_of
from .reachability import ENOUGH, Explored
from .search import Hit, Question, Search
from .steps import Cube

SAMPLE = 20_000
"""Explored states from which invariants are guessed."""
UNBOUNDED = 1 << 30


@dataclass(frozen=True)
class Invariant:
    """An inductive invariant without violations: clauses over predicates."""

    predicates: Predicates
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Decision:
    """What was found out, with the invariant if that is a proof."""

    result: Result
    invariant: Invariant | None = None


@dataclass(frozen=True)
class Help:
    """What a proof may use: so many explored states, so many wrong guesses, and the author's lemmas."""

    states: int = ENOUGH
    wrong: int = 500
    lemmas: bool = True


class _Answered(Exception):
    """The bounded search has an answer."""


class Attempt:
    """One attempt at one model."""

    def __init__(self, model: Model, question: Question, observer: Observer, target: str, help: Help) -> None:
        self.model, self.question, self.observer, self.target, self.help = model, question, observer, target, help
        self.explored = Explored(model, question.deadlock, observer, help.states)
        self.search = Search([model], replace(question, depth=UNBOUNDED), Silent())
        self.clock, self.queries, self.phase = self.search.clock, 0, ""
        self.thread = Thread(target=self._bounded, daemon=True)
        self.hits: list[Hit] = []

    # -- the bounded search --------------------------------------------------------------------------------

    def _bounded(self) -> None:
        self.hits = self.search.first()

    def _look(self) -> None:
        """End the proof at a limit, or when the bounded search has an answer."""
        self.clock.left()
        if not self.thread.is_alive() and (self.hits or self.search.complete):
            raise _Answered

    def _quiet(self) -> None:
        """End the bounded search."""
        self.clock.ended = True
        while self.thread.is_alive():
            self.search.unrolling.solver.interrupt()
            self.thread.join(0.05)
        self.clock.ended = False

    # -- the decision --------------------------------------------------------------------------------------

    def run(self) -> Decision:
        """Decide."""
        found = self._known_violations()
        if found:
            return Decision(self._violated(found))
        with self.clock.counting("writing formulas"):
            predicates = self._predicates()
            cnf = Cnf(self.search.system, predicates.formulas(), self.search.goals)
        self.thread.start()
        try:
            clauses = self._proved(cnf, predicates)
        except _Answered:
            return Decision(self._answered())
        except Stopped:
            self._quiet()
            raise
        if isinstance(clauses, list):
            self._quiet()
            hits = self._behaviour(predicates, clauses)
            return Decision(self._violated([report.violation_of(self.model, self.target, hit) for hit in hits]))
        self._quiet()
        return self._reported(cnf, predicates, clauses)

    def _known_violations(self) -> list[Violation]:
        """What explored states violate in the fewest steps."""
        names = self.question.properties
        found = [v for v in self.explored.result.violations if not names or v.property in names]
        found = with_beginnings(self.model.spec, self.target, found, names)
        lengths = [v.length for v in found if v.length is not None]
        return [v for v in found if v.length == min(lengths)] if lengths else found

    def _predicates(self) -> Predicates:
        rows = rows_of(self.search.system, [self.explored.columns(SAMPLE)])
        return Predicates(self.search.system, rows, lemma_terms(self.model) if self.help.lemmas else [])

    def _proved(self, cnf: Cnf, predicates: Predicates, known: Sequence[Clause] = ()) -> tuple[Clause, ...] | list[Cube]:
        """The clauses of an invariant, or the cubes that lead to a violation."""
        seen, explored = predicates.seen, predicates.explored
        self.observer.phase("guessing invariants")
        guesses = Guesses(cnf, seen, explored, known, self._look)
        try:
            inductive = guesses.run(predicates.lemmas, self.help.wrong)
        except Reached:
            inductive = False
        self.queries += guesses.queries
        if inductive:
            return (*known, *guesses.clauses)
        clauses = inductive_part(cnf, [*known, *guesses.clauses])
        self.observer.phase(f"IC3 with {count(len(clauses), 'clause')}")
        proof = Ic3(cnf, seen, explored, clauses, self._look)
        try:
            chain = proof.run()
        finally:
            self.queries += proof.queries
        return chain if chain is not None else (*clauses, *proof.invariant)

    def _behaviour(self, predicates: Predicates, chain: Sequence[Cube]) -> list[Hit]:
        """The violations at the end of a behaviour through some cubes."""
        unrolling, formulas = Unrolling(self.search.system, self.clock), predicates.formulas()
        unrolling.add(self.search.system.initial)
        for at, cube in enumerate(chain):
            if at:
                unrolling.extend()
            parts = [formulas[abs(literal) - 1] for literal in cube]
            signed = [part if literal > 0 else z3.Not(part) for part, literal in zip(parts, cube, strict=True)]
            unrolling.add(z3.And(self.search.system.valid, *signed), at)
        hits = []
        for goal in sorted(self.search.goals, key=lambda goal: goal.step):
            if goal.step and unrolling.length < len(chain):
                unrolling.extend()
            found = unrolling.ask(unrolling.name(goal.formula, len(chain) - 1))
            if found is not None:
                last = len(chain) - (0 if goal.step else 1)
                hits.append(Hit(goal, 0, unrolling.behaviour(found, 0, last), len(chain) - 1 + goal.ahead))
        least = min(hit.length for hit in hits)
        return [hit for hit in hits if hit.length == least]

    # -- goals that should be reachable --------------------------------------------------------------------

    def _reached(self) -> set[str]:
        """The goals that an explored state, or a behaviour of the bounded search, reaches."""
        values, found = Values(self.explored.columns(UNBOUNDED)), set(self.search.reached)
        for goal in self.search.targets:
            prop = self.model.properties[goal.index]
            if not goal.step:
                holds = values(prop.term) != 0
                for error, _ in prop.errors:
                    holds = holds & (values(error) == 0)
                if holds.any():
                    found.add(goal.name)
        return found

    def _unreachable(self, goal: Goal, predicates: Predicates, known: Sequence[Clause]) -> bool:
        with self.clock.counting("writing formulas"):
            cnf = Cnf(self.search.system, predicates.formulas(), [goal])
        clauses = self._proved(cnf, predicates, known)
        if isinstance(clauses, list):
            return False
        certificate.check(predicates, clauses, [goal], self.clock)
        return True

    # -- results -------------------------------------------------------------------------------------------

    def _reported(self, cnf: Cnf, predicates: Predicates, clauses: tuple[Clause, ...]) -> Decision:
        self.observer.phase("checking the proof")
        with self.clock.counting("shortening the proof"):
            short = tuple(certificate.needed(cnf, clauses))
        self.queries += certificate.check(predicates, short, self.search.goals, self.clock)
        reached, missing = self._reached(), []
        for goal in self.search.targets:
            if goal.name not in reached:
                if self._unreachable(goal, predicates, clauses):
                    missing.append(Violation(goal.name, Kind.UNREACHED, None, self.model.properties[goal.index].text))
                else:
                    reached.add(goal.name)
        if missing:
            return Decision(self._violated(missing))
        names = [g.name for g in self.search.goals if g.key not in (FAULT, STUCK, BROKEN)]
        names = list(dict.fromkeys(names))
        keys = {goal.key for goal in self.search.goals}
        parts = [f"{claimed(self.model.spec, names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
        parts += ["no deadlock"] * (STUCK in keys) + ["no action fails"] * (FAULT in keys)
        said = f"{', '.join(parts) or 'nothing is violated'} after any number of steps"
        goals_said = sorted(reached)
        said += f"; {', '.join(goals_said)} {'is' if len(goals_said) == 1 else 'are'} reachable" if goals_said else ""
        how = f"an invariant of {count(len(short), 'clause')}, confirmed by z3"
        waiting = {} if self.question.properties else temporal(self.model.spec)
        verdict = Verdict.UNDECIDED if waiting else Verdict.PROVED
        result = self._result(verdict, said, held=(*names, *goals_said), how=how, unjudged=waiting)
        return Decision(result, Invariant(predicates, short))

    def _result(self, verdict: Verdict, said: str, unjudged: Any = None, **more: Any) -> Result:
        spec = self.model.spec
        spent = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in self.clock.spent.items())
        seen = count(self.explored.result.distinct, "explored state")
        return Result(
            target=self.target,
            constants=spec.constants,
            engine="z3",
            verdict=verdict,
            conditions=conditions_of(spec, unjudged=unjudged or {}),
            distinct=0,
            generated=0,
            initial=0,
            depth=0,
            seconds=self.clock.elapsed,
            checked=checked(spec, self.question.deadlock),
            said=said,
            effort=f"{seen}, {self.queries} queries: {spent}",
            **more,
        )

    def _violated(self, violations: list[Violation]) -> Result:
        violations = once_each([(v.length or 0, v) for v in violations])
        said = report.violated(violations, self.question.properties)
        return self._result(Verdict.VIOLATED, said, violations=tuple(violations))

    def _answered(self) -> Result:
        """The result of the bounded search."""
        hits = [((h.length, h.cells), report.violation_of(self.model, self.target, h)) for h in self.hits]
        found = once_each(hits)
        if self.search.complete and not found:
            found += report.unreached(self.model, self.search)
        return report.conclude(self.model, self.target, self.search, found)

    def stopped(self, stop: Stopped) -> Result:
        """The result of an attempt that a limit ended."""
        depth = max(0, self.search.excluded)
        said = f"{stop.reason}: nothing is violated in behaviours of up to {count(depth, 'step')}"
        reason = "nobody knows yet whether it is reached"
        unjudged = goals([t.name for t in self.search.targets], reason) | temporal(self.model.spec)
        return self._result(
            Verdict.UNDECIDED, said, unjudged, stopped=stop.reason, interrupted=stop.interrupted
        )


def lemma_terms(model: Model) -> list[Expr]:
    """The @lemma methods of a spec as terms; each holds only where it can be evaluated."""
    lemmas = [prop for prop in model.spec.properties if prop.kind == marks.LEMMA]
    if not lemmas:
        return []
    tracer, found = Tracer(model.spec), []
    try:
        for prop in lemmas:
            term, errors = tracer.condition(prop.name)
            found.append(tracer.pool.and_([term, *(tracer.pool.not_(error) for error, _ in errors)]))
    finally:
        tracer.outside.forget()
    return found


@own_context()
def decide(
    model: Model, question: Question, observer: Observer | None = None, target: str = "", help: Help | None = None
) -> Decision:
    """Prove the properties of a model for any number of steps, or find a shortest violation; UNDECIDED at a limit."""
    check_names(model, question.properties)
    attempt = Attempt(model, question, observer or Silent(), target or type(model.spec).__name__, help or Help())
    try:
        found = attempt.run()
    except (Stopped, KeyboardInterrupt) as end:
        attempt._quiet()
        stop = end if isinstance(end, Stopped) else Stopped("interrupted", interrupted=True)
        found = Decision(attempt.stopped(stop))
    search = attempt.search
    twice = formula_states.doublecheck(
        search.system, 20, question.doublecheck, attempt.clock.elapsed, [*search.goals, *search.targets],
        observer=attempt.observer,
    )
    return replace(found, result=replace(found.result, doublechecked=twice))
