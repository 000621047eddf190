"""Inductive proofs with z3: proves properties for any number of steps, without visiting a state.

k-induction: a property that holds in the first k states of every trace, and in any state that follows k states in which
it holds, holds always. The k states are arbitrary values of the domains, so lemmas must exclude unreachable ones.
Properties and lemmas are tried together: those that fail are dropped until the rest is inductive (Houdini). States of a
path are assumed to differ, because a shortest path to a failure repeats none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...backends.smt import BROKEN, FAULT, STUCK, Stopped, System, Unrolling, own_context, z3
from ...ir.traced import Model
from ...language import marks
from ...language.concrete import label
from ...language.state import State
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, checked, claimed
from ...results.text import count
from ...results.trace import Trace
from ...results.verdict import Verdict
from ..crosscheck import formula_states
from ..observer import Observer, Silent
from ..replay import failing_step, make_trace
from . import bounded
from .bounded import check_names
from .expectations import excluded, sights
from .houdini import Steps
from .lemmas import Candidate, Miner, of_goals, of_spec
from .reachability import Explored, explored
from .search import Question, selected

ENGINE = "an inductive proof"


@dataclass(frozen=True)
class Obstacle:
    """A counterexample to induction: a property that fails after states that satisfy all kept properties."""

    property: str
    trace: Trace
    first: str
    """Whether its first state is reachable."""


@dataclass(frozen=True)
class Induction:
    """The outcome of an attempt; `used` are the lemmas that the proof needs, `dropped` those that are not inductive."""

    result: Result
    k: int
    used: tuple[Candidate, ...] = ()
    dropped: tuple[Candidate, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()


class Proof:
    """An attempt with k from 1 upwards: first with the lemmas of the spec, then with mined ones, kind by kind."""

    def __init__(self, model: Model, question: Question, most: int, observer: Observer, target: str) -> None:
        self.model, self.question, self.most, self.observer, self.target = model, question, most, observer, target
        self.clock = question.clock
        with self.clock.counting("writing formulas"):
            self.system = System([model], question.arithmetic)
            goals = selected(self.system.goals(question.deadlock), question.properties)
            self.goals = _named_apart(of_goals(goals))
            self.lemmas = of_spec(self.system)
        self.explored: Explored | None = None
        self.queries = 0

    def run(self) -> Induction:
        """Prove, or report the obstacles."""
        for k in range(1, self.most + 1):
            base = bounded.check(self.model, self._base(k), self.observer, self.target)
            if base.verdict in (Verdict.VIOLATED, Verdict.UNDECIDED):
                return Induction(base, k)
            found = self._attempt(k, self.lemmas)
            if found.result.verdict is Verdict.PROVED:
                return found
        kinds = [[]] if self._refuted() else list(Miner(self.system, self.known()).kinds())
        lemmas = list(self.lemmas)
        for number, more in enumerate(kinds, start=1):
            lemmas += more
            found = self._attempt(self.most, lemmas, last=number == len(kinds))
            if found.result.verdict is Verdict.PROVED:
                break
        return found

    def _refuted(self) -> bool:
        """Whether a property fails in an explored state, so that no lemma can help."""
        failed = {v.property for v in self.known().result.violations if v.trace is not None}
        return any(c.name in failed for c in self.goals)

    def _base(self, k: int) -> Question:
        left = self.clock.left() / 1000 if self.question.seconds is not None else None
        return replace(self.question, depth=k, seconds=left, cross_check=0)

    def _attempt(self, k: int, lemmas: Sequence[Candidate], last: bool = False) -> Induction:
        self.observer.phase(f"{k}-induction with {count(len(lemmas), 'lemma')}")
        lemmas = self._initially(k, lemmas)
        with self.clock.counting("writing formulas"):
            steps = Steps(self.system, k, [*self.goals, *lemmas], self.clock)
        kept = steps.largest([*self.goals, *lemmas])
        self.queries += steps.unrolling.queries
        dropped = tuple(c for c in self.lemmas if c not in kept)
        missing = [c for c in self.goals if c not in kept]
        if not missing:
            used = tuple(c for c in steps.needed(self.goals, kept) if c.goal is None)
            result = replace(self._proved(k, used), vacuous=self._vacuous(kept))
            return self._detailed(Induction(result, k, used, dropped), lemmas)
        obstacles = tuple(self._obstacle(steps, c, kept) for c in missing) if last else ()
        return self._detailed(Induction(self._failed(k, missing), k, (), dropped, obstacles), lemmas)

    def _vacuous(self, kept: Sequence[Candidate]) -> tuple[str, ...]:
        """Warnings: what no state allowed by the proved properties and lemmas shows."""
        invariant = [c.good for c in kept if not c.step]
        return excluded(self.system, sights(self.system), invariant, self.clock)

    def _detailed(self, found: Induction, tried: Sequence[Candidate]) -> Induction:
        """The same with the details of the JSON report."""
        lemmas = {
            "used": [{"name": c.name, "text": c.text, "mined": c.mined} for c in found.used],
            "dropped": [{"name": c.name, "text": c.text} for c in found.dropped],
            "mined": sum(c.mined for c in tried),
        }
        obstacles = [{"property": o.property, "first": o.first} for o in found.obstacles]
        details = {"induction": {"k": found.k, "lemmas": lemmas, "obstacles": obstacles}}
        return replace(found, result=replace(found.result, details=details))

    def _initially(self, k: int, lemmas: Sequence[Candidate]) -> list[Candidate]:
        """The lemmas that hold in the first k states of every trace."""
        start, alive = Unrolling(self.system, self.clock), list(lemmas)
        start.add(self.system.initial)
        for at in range(k):
            while alive:
                found = start.ask(start.name(z3.Or([z3.Not(start.at(c.good, at)) for c in alive])))
                if found is None:
                    break
                alive = [c for c in alive if not z3.is_false(found.eval(start.at(c.good, at), model_completion=True))]
            start.extend()
        self.queries += start.queries
        return alive

    def known(self) -> Explored:
        """The explored states."""
        if self.explored is None:
            with self.clock.counting("exploring"):
                self.explored = explored(self.model, self.question, self.clock, self.observer)
        return self.explored

    # -- obstacles -----------------------------------------------------------------------------------------

    def _obstacle(self, steps: Steps, candidate: Candidate, kept: Sequence[Candidate]) -> Obstacle:
        cells = steps.refutation(candidate, kept)
        assert cells is not None, "a candidate that was dropped is refuted"
        known = self.known()
        real = next((v for v in known.result.violations if v.property == candidate.name and v.trace), None)
        if real is not None and real.trace is not None and known.level_of(cells[0]) is None:
            cells = [s.cells for s in real.trace.states][-len(cells) :]
        assert candidate.goal is not None
        if candidate.goal.key == FAULT:
            failed = failing_step(self.model.spec, State(self.model.spec.domains, cells[-1]))
            facts = {"explanation": failed.error.what, "failing": label(failed.action, failed.choices)}
        else:
            facts = {}
        trace = make_trace(self.model.spec, self.target, cells, **facts)
        return Obstacle(candidate.name, trace, known.told(cells[0]))

    # -- results -------------------------------------------------------------------------------------------

    def _result(self, verdict: Verdict, said: str, **more: Any) -> Result:
        spec = self.model.spec
        reached = goals(spec._named(marks.REACHABLE), f"{ENGINE} does not say whether it is reached")
        unjudged = {} if self.question.properties else temporal(spec) | reached
        spent = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in self.clock.spent.items())
        return Result(
            target=self.target,
            constants=spec.constants,
            engine="z3",
            verdict=verdict,
            conditions=conditions_of(spec, unjudged=unjudged),
            distinct=0,
            generated=0,
            initial=0,
            depth=0,
            seconds=self.clock.elapsed,
            remarks=self.model.remarks,
            checked=checked(spec, self.question.deadlock),
            said=said,
            effort=f"{self.queries} queries: {spent}",
            **more,
        )

    def _proved(self, k: int, used: Sequence[Candidate]) -> Result:
        names = [c.name for c in self.goals if c.goal and c.goal.key not in (FAULT, STUCK, BROKEN)]
        parts = [f"{claimed(self.model.spec, names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
        keys = {c.goal.key for c in self.goals if c.goal}
        parts += ["no deadlock"] * (STUCK in keys) + ["no action fails"] * (FAULT in keys)
        how = f"{k}-induction" + (f" with {count(len(used), 'lemma')}" if used else "")
        said = f"{', '.join(parts) or 'nothing is violated'} after any number of steps within the domains"
        return self._result(Verdict.PROVED, said, held=tuple(names), how=how)

    def _failed(self, k: int, missing: Sequence[Candidate]) -> Result:
        names = ", ".join(c.name for c in missing)
        violations = [v for v in (self.explored.result.violations if self.explored else ()) if v.trace is not None]
        wanted = tuple(v for v in violations if v.property in {c.name for c in missing})
        if wanted:
            lengths = ", ".join(f"{v.property} violated after {count(v.length or 0, 'step')}" for v in wanted)
            said = f"{lengths}: no proof by {k}-induction can exist"
            return self._result(Verdict.VIOLATED, said, violations=wanted)
        stopped = f"{names} {'is' if len(missing) == 1 else 'are'} not inductive with these lemmas and k = {k}"
        return self._result(Verdict.UNDECIDED, f"{stopped}; nothing is proved", stopped=stopped)

    def stopped(self, stop: Stopped) -> Induction:
        """The result of an attempt that a limit ended."""
        said = f"{stop.reason}: nothing is proved"
        result = self._result(Verdict.UNDECIDED, said, stopped=stop.reason, interrupted=stop.interrupted)
        return Induction(result, self.most)


def _named_apart(goals: list[Candidate]) -> list[Candidate]:
    """Give errors of a property their own names."""
    found: dict[str, Candidate] = {}
    for goal in goals:
        name = goal.name
        while name in found:
            name += "'"
        found[name] = replace(goal, name=name)
    return list(found.values())


@own_context()
def prove(
    model: Model, question: Question, most: int = 1, observer: Observer | None = None, target: str = ""
) -> Induction:
    """Prove the properties of a model for any number of steps by k-induction with k up to `most`.

    UNDECIDED where all else is proved, but the spec has temporal properties and none was named.
    """
    check_names(model, question.properties, ENGINE, goals=False)
    attempt = Proof(model, question, most, observer or Silent(), target or type(model.spec).__name__)
    try:
        found = attempt.run()
    except Stopped as stop:
        found = attempt.stopped(stop)
    except KeyboardInterrupt:
        return attempt.stopped(Stopped("interrupted", interrupted=True))
    compared = formula_states.cross_check(
        attempt.system,
        question.depth,
        question.allowance,
        [candidate.goal for candidate in attempt.goals if candidate.goal is not None],
        {candidate.name: candidate.good for candidate in attempt.lemmas},
        attempt.observer,
    )
    result = replace(found.result, cross_checked=compared)
    if result.verdict is Verdict.PROVED and not question.properties and temporal(model.spec):
        result = replace(result, verdict=Verdict.UNDECIDED)
    return replace(found, result=result)
