"""What `prove` does without options: decide whether a spec is correct, for any number of steps.

Where the exploration visits every state, its verdict counts, also on temporal properties and goals; an invariant is
then looked for some seconds more. Elsewhere the search for an invariant decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...backends.smt import BROKEN, FAULT, STUCK, Stopped, own_context, z3
from ...ir.traced import Model
from ...language import marks
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, Violation, checked, claimed, fails
from ...results.text import count
from ...results.verdict import Verdict
from ..crosscheck import formula_states
from ..observer import Observer, Silent
from ..violations import once_each
from . import abc, liveness, report
from .attempt import GivenUp, Help, Invariant, Proof
from .bounded import check_names
from .expectations import excluded
from .inductive import ENGINE
from .k_induction import Induction
from .search import Hit, Question


@dataclass(frozen=True)
class Decision:
    """The outcome, with the invariant if it is a proof."""

    result: Result
    invariant: Invariant | None = None


class Attempt(Proof):
    """One attempt at a model, or at several that differ in constants, and the results of it."""

    inducing = True
    induction: Induction | None = None
    """What is the proof where no invariant is."""

    def decision(self) -> Decision:
        """Decide about one model."""
        if violations := self.violations(0):
            return Decision(self.violated(violations))
        if self.complete:
            return self._of_all_states()
        answer = self.run()
        if isinstance(answer, list) and not self.search.proved:
            return Decision(self._answered(answer))
        found, self.induction = (None, self.search.induction) if isinstance(answer, list) else (answer, None)
        reached, missing, unjudged = self.goals() if found else self._goals_reached()
        if missing:
            return Decision(self.violated(missing))
        broken, lively, waiting = ([], {}, {}) if self.question.properties else self._lively()
        if broken:
            said = ", ".join(map(fails, broken))
            return Decision(self.result(Verdict.VIOLATED, said, violations=tuple(once_each(list(enumerate(broken))))))
        result = self._proof_result(found, reached, waiting, unjudged, list(lively))
        return Decision(replace(result, how="; ".join([self.how(found), *lively.values()])), found)

    def _goals_reached(self) -> tuple[list[str], list[Violation], dict[str, str]]:
        """The goals that were reached, without a proof that others are not; see Proof.goals."""
        names, reached = [goal.name for goal in self.search.targets], self._reached()
        missing = [name for name in names if name not in reached]
        waiting = goals(missing, f"{ENGINE} does not say whether it is reached")
        return [name for name in names if name in reached], [], waiting

    def _lively(self) -> tuple[list[Violation], dict[str, str], dict[str, str]]:
        """What is known of the temporal properties, see liveness.judge."""
        seconds = None if self.clock.seconds is None else max(0.001, self.clock.left() / 1000)
        with self.clock.counting("liveness"):
            return liveness.judge(self.model, replace(self.question, seconds=seconds), self.target, self.observer)

    def _of_all_states(self) -> Decision:
        """The verdict of an exploration of all states, with an invariant if there is one soon enough."""
        found, explored = self.invariant(), self.explored[0].result
        of = {name for name in explored.held if not self.question.properties or name in self.question.properties}
        kinds = {p.name: p.kind for p in self.model.properties}
        reached = [name for name in explored.held if name in of and kinds.get(name) == marks.REACHABLE]
        lively = [name for name in explored.held if name in of and kinds.get(name) in marks.TEMPORAL]
        unjudged = {} if self.question.properties else dict(explored.conditions.unjudged)
        return Decision(self._proof_result(found, reached, unjudged, {}, lively), found)

    def invariant(self) -> Invariant | None:
        """An invariant, though all states were explored; None where none was found in some seconds."""
        try:
            found = self.run()
        except (GivenUp, Stopped, KeyboardInterrupt):
            self.clock.ended = False
            return None
        assert isinstance(found, Invariant), "no explored state violates anything"
        return found

    def _proof_result(
        self,
        found: Invariant | None,
        reached: Sequence[str],
        waiting: dict[str, str],
        unjudged: dict[str, str],
        lively: Sequence[str] = (),
    ) -> Result:
        """The result of a proof of what is no goal; `lively` temporal properties hold, `waiting` ones are open."""
        said = self.claimed(more=lively)
        said += f"; {', '.join(reached)} {'is' if len(reached) == 1 else 'are'} reachable" if reached else ""
        verdict = Verdict.UNDECIDED if waiting else Verdict.PROVED
        by = {"found_by": found.by} if found and found.by else {}
        details = {"proof": {"clauses": len(found.clauses), "queries": self.queries, **by}} if found else {}
        details |= {"induction": {"k": self.induction.k}} if self.induction else {}
        more = {"held": (*self.names, *lively, *reached), "vacuous": self.vacuous(found)}
        return self.result(verdict, said, waiting | unjudged, how=self.how(found), details=details, **more)

    def how(self, found: Invariant | None) -> str:
        """The argument of a proof."""
        by = f"found by {found.by}, " if found and found.by else ""
        parts = [f"an invariant of {count(len(found.clauses), 'clause')}, {by}confirmed by z3"] if found else []
        parts += [f"{self.induction.k}-induction"] if self.induction else []
        if self.complete:
            number = sum(explored.result.distinct for explored in self.explored)
            parts.append(f"all {number:,} reachable states explored" if number > 1 else "the only state explored")
        return ", ".join(parts)

    def vacuous(self, proof: Invariant | None) -> tuple[str, ...]:
        """Warnings about what no reachable state shows."""
        if len(self.explored) == 1 and self.explored[0].complete:
            return self.explored[0].result.vacuous
        if proof is None:
            return self.search.vacuous() if self.induction else ()
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

    def claimed(self, of: str = "", more: Sequence[str] = ()) -> str:
        """What is proved."""
        names, keys = [*self.names, *more], {goal.key for goal in self.search.goals}
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
            remarks=self.model.remarks,
            checked=checked(spec, self.question.deadlock, self.complete),
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
        """The result, after the formulas were compared with plain Python; the exploration has compared its states."""
        explored = sum(explored.result.cross_checked for explored in self.explored)
        if "search" not in self.__dict__:
            return replace(result, cross_checked=explored)
        goals = [*self.search.goals, *self.search.targets]
        compared = formula_states.cross_check(
            self.search.system, self.question.depth, self.question.allowance, goals, observer=self.observer
        )
        return replace(result, cross_checked=compared + (explored if self.complete else 0))

    def _answered(self, hits: Sequence[Hit]) -> Result:
        """The result for violations with traces, or for a bounded search that is complete."""
        reported = [((h.length, h.cells), report.violation_of(self.model, self.target, h)) for h in hits]
        found = once_each(reported)
        if self.search.complete and not found:
            found += report.unreached(self.model, self.search)
        if not self.longer:
            return report.conclude(self.model, self.target, self.search, found)
        steps = count(max(0, self.search.excluded), "step")
        remark = f"found by {abc.NAME}; a shorter one of more than {steps} may exist"
        found = [replace(violation, remark=remark) for violation in found]
        return self.result(Verdict.VIOLATED, f"{', '.join(map(fails, found))}; {remark}", violations=tuple(found))

    def stopped(self, stop: Stopped) -> Result:
        """The result of an attempt that a limit ended."""
        if "search" not in self.__dict__:
            unjudged = temporal(self.model.spec)
            said = f"{stop.reason}: nothing is known"
            more = {"stopped": stop.reason, "interrupted": stop.interrupted}
            return self.result(Verdict.UNDECIDED, said, unjudged, **more)
        depth = max(0, self.search.excluded)
        said = f"{stop.reason}: nothing is violated in behaviours of up to {count(depth, 'step')}"
        said = said if self.search.depths else f"{stop.reason}: nothing is known"
        reason = "it is not known whether it is reached"
        unjudged = goals([t.name for t in self.search.targets], reason) | temporal(self.model.spec)
        return self.result(Verdict.UNDECIDED, said, unjudged, stopped=stop.reason, interrupted=stop.interrupted)


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
