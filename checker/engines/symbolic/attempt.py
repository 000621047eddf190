"""The search for an invariant: guesses from explored states, IC3 with the inductive ones, a bounded search beside them.

Up to 200,000 states are explored first. The first answer counts. z3 confirms a proof before it is reported.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Thread
from typing import Any

import numpy as np

from ...backends.smt import Clock, Goal, Stopped, Unrolling, z3
from ...backends.smt.cnf import Cnf
from ...ir.columns import in_rows
from ...ir.expr import Expr
from ...ir.traced import Model
from ...language.concrete import none_begins
from ...results.conditions import goals
from ...results.result import Violation
from ...results.text import count
from ...results.verdict import Kind
from ..observer import Observer, Silent
from ..refined_initial_states import with_beginnings
from . import abc, certificate, chains
from .abc import Abc
from .guesses import Guesses, Reached, inductive_part
from .ic3 import Ic3
from .models import lemma_terms, without_temporal
from .orbits import Orbits
from .predicates import Clause, Predicates, rows_of
from .reachability import ENOUGH, Explored, explored
from .search import Hit, Question, Search
from .steps import Cube

SAMPLE = 20_000
"""Explored states from which invariants are guessed."""
UNBOUNDED = 1 << 30
HEAD_START = 10.0
"""Seconds after which the bounded search begins, unless the guesses have ended before: most proofs take less."""

ALONE = 2.0
"""Seconds after which ABC begins, unless the guesses have ended before."""


@dataclass(frozen=True)
class Invariant:
    """An inductive invariant without violations: clauses over predicates."""

    predicates: Predicates
    clauses: tuple[Clause, ...]
    by: str = ""
    """The program that has found it, if that is another one."""


@dataclass(frozen=True)
class Help:
    """What a proof may use: so many explored states, so many wrong guesses, and the author's lemmas.

    `patience`: seconds for a goal that no explored state reaches, and for an invariant where all states were explored;
    as many as were spent before, if these are more.
    """

    states: int = ENOUGH
    wrong: int = 500
    lemmas: bool = True
    patience: float = 5.0


class _Answered(Exception):
    """The bounded search has an answer."""


class _Found(Exception):
    """ABC has found an invariant of these clauses."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)


class GivenUp(Exception):
    """The search for an invariant has taken too long."""


class Proof:
    """The search for an invariant of a model, or of several that differ in constants."""

    reaching = True
    """Whether goals are looked for."""
    inducing = False
    """Whether k-induction is tried beside the bounded search."""

    def __init__(
        self, models: Sequence[Model], question: Question, observer: Observer, target: str, help: Help
    ) -> None:
        self.question, self.observer, self.target, self.help = question, observer, target, help
        self.clock, self.queries = question.clock, 0
        models = models if len(models) == 1 else list(map(without_temporal, models))
        most = max(1, help.states // len(models))
        with self.clock.counting("exploring"):
            self.explored = self._explore(models, most)
        self.complete = all(explored.complete for explored in self.explored)
        self.models, self.model = models, models[0]
        self.thread = Thread(target=self._bounded, daemon=True)
        self.hits: list[Hit] = []
        self.deadline: float | None = None
        self.ended = self.complete
        self.abc = Abc()
        self.chain: Sequence[Cube] = ()
        """The states of a trace by ABC that leads to a violation; it may not be a shortest one."""
        self.longer = False
        """Whether the violations are those of that trace."""

    def _explore(self, models: Sequence[Model], most: int) -> list[Explored]:
        """The states that are explored of each model."""
        return [explored(model, self.question, self.clock, self.observer, most) for model in models]

    @functools.cached_property
    def search(self) -> Search:
        """The bounded search, which has the formulas."""
        found = Search(self.models, replace(self.question, depth=UNBOUNDED), Silent(), timed=self.clock)
        enabled = {n for e in self.explored for n, seen in e.result.coverage.items() if seen.enabled}
        found.unseen = [sight for sight in found.unseen if sight.name not in enabled]
        found.targets = found.targets if self.reaching else []
        found.inducing = self.inducing
        return found

    def violations(self, m: int) -> list[Violation]:
        """The violations of a model in explored states, in the fewest steps; temporal ones where these are all."""
        names = self.question.properties
        found = [v for v in self.explored[m].result.violations if not names or v.property in names]
        found = with_beginnings(self.models[m].spec, self.target, found, names)
        lengths = [v.length for v in found if v.length is not None and v.kind not in (Kind.TEMPORAL, Kind.TRAPPED)]
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
        if not self.clock.look():
            return
        if self.clock.elapsed > HEAD_START:
            self._begin()
        if self.deadline is not None and self.clock.elapsed > self.deadline:
            raise GivenUp
        if self.ended:
            return
        if self.search.interrupted:  # z3 takes the signal for itself
            raise Stopped("interrupted", interrupted=True)
        if not self.thread.is_alive() and (self.hits or self.search.complete or self.search.proved):
            raise _Answered
        if self.clock.elapsed > self.alone:
            self._call()
        self._hear()

    def _call(self) -> None:
        """Begin ABC beside the search."""
        if len(self.models) == 1 and not self.ended:
            self.abc.begin(self.model, self.search.goals, self.clock)

    def _hear(self) -> None:
        """Use what ABC has found, if it can be confirmed."""
        claim = self.abc.heard(self.predicates)
        if claim is None:
            return
        if claim.chain:
            if chains.leads(self.cnf, claim.chain, self.clock.look):
                self.chain = claim.chain
                self.observer.phase(
                    f"ABC has a violation of {count(len(claim.chain) - 1, 'step')}, looking for a shortest"
                )
                self._begin()
            return
        clauses = inductive_part(self.cnf, claim.clauses, self.clock.look)
        if certificate.excludes(self.cnf, clauses, self.clock.look):
            raise _Found(clauses)

    def end(self) -> None:
        """End the bounded search and ABC."""
        self.abc.end()
        if "search" not in self.__dict__:
            return
        self.ended = self.clock.ended = True
        while self.thread.is_alive():
            self.search.interrupt()
            self.thread.join(0.05)
        self.clock.ended = False
        self.search.question = self.question

    # -- the proof -----------------------------------------------------------------------------------------

    def run(self) -> Invariant | list[Hit]:
        """A confirmed invariant, or the violations of shortest traces.

        Neither of them where the bounded search has shown that no trace can be longer, or k-induction has a proof.
        """
        if any(explored.result.interrupted for explored in self.explored):
            raise Stopped("interrupted", interrupted=True)
        self.clock.left()
        if self.complete:
            self._hurry()
        self.alone = self.clock.elapsed + ALONE
        with self.clock.counting("writing formulas"):
            self.predicates = self._predicates()
            self.orbits = Orbits(self.predicates)
            self.cnf = self._cnf(self.search.goals)
        clauses, by = self._answer()
        if isinstance(clauses, list):
            return clauses
        self.known = clauses
        self.observer.phase("checking the proof")
        with self.clock.counting("shortening the proof"):
            short = self._with_images(certificate.needed(self.cnf, clauses, self._look))
        self.queries += certificate.check(self.predicates, short, self.search.goals, self.clock, self._look)
        return Invariant(self.predicates, short, by)

    def _with_images(self, clauses: Sequence[Clause]) -> tuple[Clause, ...]:
        """The clauses of an invariant with their images under permutations, if these are inductive with them."""
        if not self.orbits:
            return tuple(clauses)
        whole = self.orbits.completed(clauses)
        kept = inductive_part(self.cnf, whole, self._look)
        return tuple(whole if len(kept) == len(whole) else clauses)

    def _answer(self) -> tuple[tuple[Clause, ...] | list[Hit], str]:
        """The first answer, and the name of another program that has found it."""
        try:
            clauses = self._proved(self.cnf)
        except _Answered:
            return self.hits, ""
        except _Found as found:
            return found.clauses, abc.NAME
        except (GivenUp, Stopped, KeyboardInterrupt):
            if not self.chain:
                raise
            clauses, self.longer = list(self.chain), True
        finally:
            self.end()
        if not isinstance(clauses, list):
            return clauses, ""
        clock = Clock() if self.longer else self.clock
        return chains.violations(self.search, self.predicates, clauses, clock), ""

    def _hurry(self) -> None:
        """Allow some more seconds for what is not needed for a verdict."""
        self.deadline = self.clock.elapsed + max(self.help.patience, self.clock.elapsed)

    def _cnf(self, goals: Sequence[Goal]) -> Cnf:
        return Cnf(self.search.system, self.predicates.formulas(), goals, self.clock)

    def _predicates(self) -> Predicates:
        each = SAMPLE // len(self.explored)
        seen = {m: explored.sample(each) for m, explored in enumerate(self.explored)}
        rows = rows_of(self.search.system, {m: rows if len(rows) else self._initial(m) for m, rows in seen.items()})
        lemmas = [lemma_terms(model) if self.help.lemmas else [] for model in self.search.models]
        return Predicates(self.search.system, rows, lemmas)

    def _initial(self, m: int) -> Any:
        """The cells of an initial state of a model, where none was enumerated; E118 where there is none."""
        system = self.search.system
        start = Unrolling(system, self.clock)
        start.add(z3.And(system.initial, system.valid, system.chosen(m)))
        found = start.ask()
        if found is None:
            raise none_begins(self.search.models[m].spec)
        return np.array([system.states.decode(found, m, 0)], np.int64)

    def _proved(self, cnf: Cnf, known: Sequence[Clause] = (), surely: bool = True) -> tuple[Clause, ...] | list[Cube]:
        """The clauses of an invariant, or the cubes that lead to a violation; Reached, unless `surely` requires a
        trace."""
        seen, explored = self.predicates.seen, self.predicates.explored
        self.observer.phase("guessing invariants")
        guesses = Guesses(cnf, seen, explored, known, self._look)
        guesses.around = self._around  # type: ignore[method-assign]
        if self.orbits:
            guesses.images = self.orbits.of
        try:
            inductive = guesses.run_on(self.predicates.lemmas, self.help.wrong)
        except Reached:
            if not surely:
                raise
            inductive = False
        finally:
            self.queries += guesses.queries
        if inductive:
            return (*known, *guesses.clauses)
        self._begin()
        self._call()
        clauses = inductive_part(cnf, [*known, *guesses.clauses], self._look)
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

    # -- goals that should be reachable --------------------------------------------------------------------

    def goals(self) -> tuple[list[str], list[Violation], dict[str, str]]:
        """After a proof: reached goals, unreachable goals, and why others were not checked."""
        reached, missing, unjudged = self._reached(), list[Violation](), dict[str, str]()
        for goal in self.search.targets:
            if goal.name in reached:
                continue
            self._hurry()
            try:
                found = self._reaches(goal)
            except GivenUp:
                unjudged |= goals([goal.name], "no trace reaches it so far, and no proof says that none does")
                continue
            if found:
                reached.add(goal.name)
            else:
                missing.append(Violation(goal.name, Kind.UNREACHED, None, self.model.properties[goal.index].text))
        return [goal.name for goal in self.search.targets if goal.name in reached], missing, unjudged

    def _reached(self) -> set[str]:
        """The goals that an explored state, or a trace of the bounded search, reaches."""
        pool, goals = self.model.pool, dict[str, Expr]()
        for goal in self.search.targets:
            prop = self.model.properties[goal.index]
            goals[goal.name] = pool.and_([prop.term, *(pool.not_(error) for error, _ in prop.errors)])
        values = in_rows(self.explored[0].columns(UNBOUNDED), goals.values())
        return set(self.search.reached) | {name for name, holds in goals.items() if values[holds.id].any()}

    def _reaches(self, goal: Goal) -> bool:
        with self.clock.counting("writing formulas"):
            cnf = self._cnf([goal])
        try:
            clauses = self._proved(cnf, self.known, surely=False)
        except Reached:
            return True
        if isinstance(clauses, list):
            return True
        certificate.check(self.predicates, clauses, [goal], self.clock, self._look)
        return False
