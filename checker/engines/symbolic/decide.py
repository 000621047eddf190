"""What `prove` does without options: decide whether a spec is correct, for any number of steps.

Up to 200,000 states are explored first; a violation among them is the answer. Then a bounded search by z3 runs beside
the proof: guesses from the explored states, and IC3 with the inductive ones. The first answer counts. z3 confirms a
proof before it is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any

from ...backends.smt import BROKEN, FAULT, STUCK, Goal, Stopped, Unrolling, own_context, z3
from ...backends.smt.cnf import Cnf
from ...frontend.tracer import Tracer
from ...ir.expr import Expr
from ...ir.traced import Model
from ...language import marks
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, Violation, checked, claimed
from ...results.text import count
from ...results.verdict import Kind, Verdict
from ..crosscheck import formula_states
from ..observer import Observer, Silent
from ..refined_initial_states import with_beginnings
from ..violations import once_each
from . import certificate, report
from .bounded import check_names
from .expectations import excluded
from .guesses import Guesses, Reached, inductive_part
from .ic3 import Ic3
from .predicates import Clause, Predicates, Values, rows_of
from .reachability import ENOUGH, Explored
from .search import Hit, Question, Search
from .steps import Cube

SAMPLE = 20_000
"""Explored states from which invariants are guessed."""
UNBOUNDED = 1 << 30
HEAD_START = 10.0
"""Seconds after which the bounded search begins, unless the guesses have ended before: most proofs take less."""
PATIENCE = 5.0
"""Seconds for a goal that no explored state reaches; as many as were spent before, if these are more."""


@dataclass(frozen=True)
class Invariant:
    """An inductive invariant without violations: clauses over predicates."""

    predicates: Predicates
    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Decision:
    """The outcome, with the invariant if it is a proof."""

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


class _GivenUp(Exception):
    """A query has taken too long."""


class Attempt:
    """One attempt at a model, or at several that differ in constants."""

    def __init__(
        self, models: Sequence[Model], question: Question, observer: Observer, target: str, help: Help
    ) -> None:
        self.question, self.observer, self.target, self.help = question, observer, target, help
        most = max(1, help.states // len(models))
        self.explored = [Explored(model, question.deadlock, observer, most) for model in models]
        searched = models if len(models) == 1 else list(map(without_temporal, models))
        self.search = Search(searched, replace(question, depth=UNBOUNDED), Silent())
        self.model = self.search.models[0]
        self.clock, self.queries = self.search.clock, 0
        enabled = {n for e in self.explored for n, seen in e.result.coverage.items() if seen.enabled}
        self.search.unseen = [sight for sight in self.search.unseen if sight.name not in enabled]
        self.thread = Thread(target=self._bounded, daemon=True)
        self.hits: list[Hit] = []
        self.deadline: float | None = None
        self.ended = False

    def violations(self, m: int) -> list[Violation]:
        """The violations of a model in explored states, in the fewest steps."""
        names = self.question.properties
        found = [v for v in self.explored[m].result.violations if not names or v.property in names]
        found = with_beginnings(self.search.models[m].spec, self.target, found, names)
        lengths = [v.length for v in found if v.length is not None]
        return [v for v in found if v.length == min(lengths)] if lengths else found

    # -- the bounded search --------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin the bounded search, unless it has begun or ended."""
        if self.thread.ident is None and not self.ended:
            self.thread.start()

    def _bounded(self) -> None:
        self.hits = self.search.first()

    def _look(self) -> None:
        """End the proof at a limit, or when the bounded search has an answer."""
        self.clock.left()
        if self.clock.elapsed > HEAD_START:
            self._begin()
        if self.deadline is not None and self.clock.elapsed > self.deadline:
            raise _GivenUp
        if not self.thread.is_alive() and (self.hits or self.search.complete):
            raise _Answered

    def end(self) -> None:
        """End the bounded search."""
        self.ended = self.clock.ended = True
        while self.thread.is_alive():
            self.search.unrolling.solver.interrupt()
            self.thread.join(0.05)
        self.clock.ended = False
        self.search.question = self.question

    # -- the proof -----------------------------------------------------------------------------------------

    def run(self) -> Invariant | list[Hit]:
        """A confirmed invariant, or the violations of shortest traces.

        Neither of them where the bounded search has shown that no trace can be longer.
        """
        with self.clock.counting("writing formulas"):
            self.predicates = self._predicates()
            self.cnf = Cnf(self.search.system, self.predicates.formulas(), self.search.goals)
        try:
            clauses = self._proved(self.cnf)
        except _Answered:
            return self.hits
        finally:
            self.end()
        if isinstance(clauses, list):
            return self._behaviour(clauses)
        self.known = clauses
        self.observer.phase("checking the proof")
        with self.clock.counting("shortening the proof"):
            short = tuple(certificate.needed(self.cnf, clauses))
        self.queries += certificate.check(self.predicates, short, self.search.goals, self.clock)
        return Invariant(self.predicates, short)

    def _predicates(self) -> Predicates:
        each = SAMPLE // len(self.explored)
        rows = rows_of(self.search.system, {m: explored.sample(each) for m, explored in enumerate(self.explored)})
        lemmas = [lemma_terms(model) if self.help.lemmas else [] for model in self.search.models]
        return Predicates(self.search.system, rows, lemmas)

    def _proved(self, cnf: Cnf, known: Sequence[Clause] = (), surely: bool = True) -> tuple[Clause, ...] | list[Cube]:
        """The clauses of an invariant, or the cubes that lead to a violation; Reached, unless `surely` requires a
        trace."""
        seen, explored = self.predicates.seen, self.predicates.explored
        self.observer.phase("guessing invariants")
        guesses = Guesses(cnf, seen, explored, known, self._look)
        guesses.around = self._around  # type: ignore[method-assign]
        try:
            inductive = guesses.run(self.predicates.lemmas, self.help.wrong)
        except Reached:
            if not surely:
                raise
            inductive = False
        finally:
            self.queries += guesses.queries
        if inductive:
            return (*known, *guesses.clauses)
        self._begin()
        clauses = inductive_part(cnf, [*known, *guesses.clauses])
        self.observer.phase(f"IC3 with {count(len(clauses), 'clause')}")
        proof = Ic3(cnf, seen, explored, clauses, self._look)
        try:
            chain = proof.run()
        finally:
            self.queries += proof.queries
        return chain if chain is not None else (*clauses, *proof.invariant)

    def _around(self, state: Sequence[int]) -> tuple[list[int], int]:
        """States around a reachable one, for guesses."""
        *slots, m = self.predicates.row(state)
        places = self.search.system.states.places[m]
        rows = rows_of(self.search.system, {m: self.explored[m].around([slots[place] for place in places])})
        return self.predicates.bits(rows), len(rows)

    def _behaviour(self, chain: Sequence[Cube]) -> list[Hit]:
        """The violations at the end of a trace through some cubes."""
        unrolling, formulas = Unrolling(self.search.system, self.clock), self.predicates.formulas()
        unrolling.add(self.search.system.initial)
        for at, cube in enumerate(chain):
            if at:
                unrolling.extend()
            parts = [formulas[abs(literal) - 1] for literal in cube]
            signed = [part if literal > 0 else z3.Not(part) for part, literal in zip(parts, cube, strict=True)]
            unrolling.add(z3.And(self.search.system.valid, *signed), at)
        hits: list[Hit] = []
        for goal in sorted(self.search.goals, key=lambda goal: goal.step):
            if goal.step and unrolling.length < len(chain):
                unrolling.extend()
            found = unrolling.ask(unrolling.name(goal.formula, len(chain) - 1))
            if found is not None:
                m, last = unrolling.which(found), len(chain) - (0 if goal.step else 1)
                hits.append(Hit(goal, m, unrolling.behaviour(found, m, last), len(chain) - 1 + goal.ahead))
        least = min(hit.length for hit in hits)
        return [hit for hit in hits if hit.length == least]

    # -- goals that should be reachable --------------------------------------------------------------------

    def goals(self) -> tuple[list[str], list[Violation], dict[str, str]]:
        """After a proof: reached goals, unreachable goals, and why others were not checked."""
        reached, missing, unjudged = self._reached(), list[Violation](), dict[str, str]()
        for goal in self.search.targets:
            if goal.name in reached:
                continue
            self.deadline = self.clock.elapsed + max(PATIENCE, self.clock.elapsed)
            try:
                found = self._reaches(goal)
            except _GivenUp:
                unjudged |= goals([goal.name], "no trace reaches it so far, and no proof says that none does")
                continue
            if found:
                reached.add(goal.name)
            else:
                missing.append(Violation(goal.name, Kind.UNREACHED, None, self.model.properties[goal.index].text))
        return [goal.name for goal in self.search.targets if goal.name in reached], missing, unjudged

    def _reached(self) -> set[str]:
        """The goals that an explored state, or a trace of the bounded search, reaches."""
        values, found = Values(self.explored[0].columns(UNBOUNDED)), set(self.search.reached)
        for goal in self.search.targets:
            prop = self.model.properties[goal.index]
            holds = values(self.model.pool.and_([prop.term, *(self.model.pool.not_(e) for e, _ in prop.errors)]))
            if holds.any():
                found.add(goal.name)
        return found

    def _reaches(self, goal: Goal) -> bool:
        with self.clock.counting("writing formulas"):
            cnf = Cnf(self.search.system, self.predicates.formulas(), [goal])
        try:
            clauses = self._proved(cnf, self.known, surely=False)
        except Reached:
            return True
        if isinstance(clauses, list):
            return True
        certificate.check(self.predicates, clauses, [goal], self.clock)
        return False

    # -- results -------------------------------------------------------------------------------------------

    def decision(self) -> Decision:
        """Decide about one model."""
        if violations := self.violations(0):
            return Decision(self.violated(violations))
        found = self.run()
        if isinstance(found, list):
            return Decision(self._answered(found))
        reached, missing, unjudged = self.goals()
        if missing:
            return Decision(self.violated(missing))
        waiting = {} if self.question.properties else temporal(self.model.spec)
        said = self.claimed()
        said += f"; {', '.join(reached)} {'is' if len(reached) == 1 else 'are'} reachable" if reached else ""
        verdict = Verdict.UNDECIDED if waiting else Verdict.PROVED
        how = f"an invariant of {count(len(found.clauses), 'clause')}, confirmed by z3"
        details = {"proof": {"clauses": len(found.clauses), "queries": self.queries}}
        more = {"held": (*self.names, *reached), "vacuous": self.vacuous(found)}
        return Decision(self.result(verdict, said, waiting | unjudged, how=how, details=details, **more), found)

    def vacuous(self, proof: Invariant) -> tuple[str, ...]:
        """Warnings about what no reachable state shows."""
        if len(self.explored) == 1 and self.explored[0].complete:
            return self.explored[0].result.vacuous
        formulas = proof.predicates.formulas()
        parts = [
            z3.Or([formulas[abs(n) - 1] if n > 0 else z3.Not(formulas[abs(n) - 1]) for n in clause])
            for clause in proof.clauses
        ]
        return excluded(self.search.system, self.search.unseen, parts, self.clock)

    @property
    def names(self) -> list[str]:
        """The properties that are proved."""
        return list(dict.fromkeys(g.name for g in self.search.goals if g.key not in (FAULT, STUCK, BROKEN)))

    def claimed(self, of: str = "") -> str:
        """What is proved."""
        names, keys = self.names, {goal.key for goal in self.search.goals}
        parts = [f"{claimed(self.model.spec, names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
        parts += ["no deadlock"] * (STUCK in keys) + ["no action fails"] * (FAULT in keys)
        return f"{', '.join(parts) or 'nothing is violated'}{of} after any number of steps"

    def result(self, verdict: Verdict, said: str, unjudged: Any = None, **more: Any) -> Result:
        """A result of the attempt."""
        spec = self.model.spec
        spent = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in self.clock.spent.items())
        seen = count(sum(explored.result.distinct for explored in self.explored), "explored state")
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
            remarks=tuple(spec._without_instances()),
            checked=checked(spec, self.question.deadlock),
            said=said,
            effort=f"{seen}, {self.queries} queries: {spent}",
            **more,
        )

    def violated(self, violations: Sequence[Violation]) -> Result:
        """The result of violations of least length."""
        violations = once_each([(v.length or 0, v) for v in violations])
        said = report.violated(violations, self.question.properties)
        return self.result(Verdict.VIOLATED, said, violations=tuple(violations))

    def crosschecked(self, result: Result) -> Result:
        """The result, after the formulas were compared with plain Python."""
        goals = [*self.search.goals, *self.search.targets]
        compared = formula_states.cross_check(
            self.search.system, self.question.depth, self.question.allowance, goals, observer=self.observer
        )
        return replace(result, cross_checked=compared)

    def _answered(self, hits: Sequence[Hit]) -> Result:
        """The result for violations with traces, or for a bounded search that is complete."""
        reported = [((h.length, h.cells), report.violation_of(self.model, self.target, h)) for h in hits]
        found = once_each(reported)
        if self.search.complete and not found:
            found += report.unreached(self.model, self.search)
        return report.conclude(self.model, self.target, self.search, found)

    def stopped(self, stop: Stopped) -> Result:
        """The result of an attempt that a limit ended."""
        depth = max(0, self.search.excluded)
        said = f"{stop.reason}: nothing is violated in behaviours of up to {count(depth, 'step')}"
        reason = "it is not known whether it is reached"
        unjudged = goals([t.name for t in self.search.targets], reason) | temporal(self.model.spec)
        return self.result(Verdict.UNDECIDED, said, unjudged, stopped=stop.reason, interrupted=stop.interrupted)


def without_temporal(model: Model) -> Model:
    """The model without temporal properties. Their number depends on parameter values, and only where all choices of
    constants have the same properties in the same places does one of them represent all."""
    return replace(model, properties=tuple(p for p in model.properties if p.kind not in marks.TEMPORAL))


def lemma_terms(model: Model) -> list[Expr]:
    """The @lemma methods of a spec as terms; each holds only where it can be evaluated."""
    lemmas = [prop for prop in model.spec.properties if prop.kind == marks.LEMMA]
    if not lemmas:
        return []
    tracer, found = Tracer(model.spec), []
    for prop in lemmas:
        term, errors = tracer.condition(prop.name)
        found.append(tracer.pool.and_([term, *(tracer.pool.not_(error) for error, _ in errors)]))
    return found


@own_context()
def decide(
    model: Model, question: Question, observer: Observer | None = None, target: str = "", help: Help | None = None
) -> Decision:
    """Prove the properties of a model for any number of steps, or find a shortest violation; UNDECIDED at a limit."""
    check_names(model, question.properties)
    attempt = Attempt([model], question, observer or Silent(), target or type(model.spec).__name__, help or Help())
    try:
        found = attempt.decision()
    except (Stopped, KeyboardInterrupt) as end:
        attempt.end()
        stop = end if isinstance(end, Stopped) else Stopped("interrupted", interrupted=True)
        found = Decision(attempt.stopped(stop))
    return replace(found, result=attempt.crosschecked(found.result))
