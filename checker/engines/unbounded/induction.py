"""Inductive invariants for any number of elements: z3 refutes formulas over unbounded sorts.

Each element is one of an uninterpreted sort with a total order, so a refuted formula has no model of any size. What z3
does not refute counts as not proved, whether it finds a model or gives up: nothing depends on a decidable fragment. The
fragment says where z3 answers: where no functions lead in a circle from a sort to itself, it decides.

More than half of the elements satisfy two conditions: then one element satisfies both, and a condition that follows
from another one is satisfied by more elements. These two laws are all that is assumed of majorities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...backends.smt import Clock, z3
from .protocol import Condition, Protocol, ReadAction
from .values import Majority, exists, for_all

SECONDS, SHORT = 20.0, 2.0
"""The time for one formula, and for one about a guess."""


@dataclass(frozen=True)
class Candidate:
    """A condition that may be a part of an invariant."""

    name: str
    holds: Condition
    required: bool = False
    """Whether it is a property, without which nothing is proved."""
    special: str = ""
    """The name of a candidate that implies it."""
    variables: frozenset[str] | None = None
    """The variables that it is about; None where these are not known."""


class NotInductive(Exception):
    """What is not proved; the text says what."""


class Queries:
    """Queries to one solver: which candidates, with some formulas, have no model together with another formula."""

    def __init__(self, now: dict[str, Any], formulas: Sequence[Any]) -> None:
        self.literals = dict(zip(now, z3.BoolVector("holds", len(now)), strict=True))
        self.names = {str(literal): name for name, literal in self.literals.items()}
        self.solver = z3.Solver()
        self.solver.add(*formulas)
        for name, formula in now.items():
            self.solver.add(z3.Implies(self.literals[name], formula))

    def refutes(self, formula: Any, assumed: Sequence[str], seconds: float, clock: Clock) -> set[str] | None:
        """The assumed candidates with which a formula has no model; None where that is not proved."""
        self.solver.set("timeout", min(int(1000 * seconds), clock.left()))
        self.solver.push()
        self.solver.add(formula)
        with clock.watching(self.solver):
            found = self.solver.check(*(self.literals[name] for name in assumed))
        core = self.solver.unsat_core() if found == z3.unsat else ()
        self.solver.pop()
        clock.left()
        return {self.names[str(literal)] for literal in core} if found == z3.unsat else None


@dataclass(frozen=True)
class Step:
    """An action, what each candidate says after it, negated, and queries about it."""

    action: ReadAction
    after: dict[str, Any]
    queries: Queries


class Induction:
    """The largest inductive part of some candidates (Houdini: those that fail are dropped, until none does)."""

    def __init__(self, protocol: Protocol, candidates: Sequence[Candidate], clock: Clock) -> None:
        self.protocol, self.clock, self.queries = protocol, clock, 0
        self.candidates = {c.name: c for c in candidates}
        self.alive = list(self.candidates)
        known = protocol.world.majorities
        first = len(known)
        self.now = {c.name: self._read(c, protocol.now) for c in candidates}
        in_state = known[first:]
        in_actions = [majority for action in protocol.actions for majority in action.majorities]
        self.start = Queries({}, [*protocol.initial, *laws(protocol, in_state)])
        self.still = Queries(self.now, laws(protocol, [*in_state, *in_actions]))
        self.steps = []
        for action in protocol.actions:
            first = len(known)
            changed = [c for c in candidates if c.variables is None or c.variables & action.written]
            after = {c.name: z3.Not(self._read(c, action.after)) for c in changed}
            used = [*in_state, *action.majorities, *known[first:]]
            self.steps.append(Step(action, after, Queries(self.now, [action.guard, *laws(protocol, used)])))

    def _read(self, candidate: Candidate, state: dict[str, Any]) -> Any:
        self.clock.look()
        return candidate.holds(state)

    def run(self, errors: bool, deadlock: bool) -> list[Candidate]:
        """The conditions that a proof needs; NotInductive where a property, an error or a deadlock is open."""
        self._initially()
        while self._round():
            pass
        self._simplify()
        needed = {name for name in self.alive if self.candidates[name].required}
        for goal, said in self._goals(errors, deadlock):
            core = self._refuted(self.still, goal, self.alive)
            if core is None:
                raise NotInductive(f"{said} is not excluded")
            needed |= core
        return self._closed(needed)

    def _initially(self) -> None:
        for name in list(self.alive):
            if self._refuted(self.start, z3.Not(self.now[name]), ()) is None:
                if self.candidates[name].required:
                    raise NotInductive(f"{name} is not proved of the initial states")
                self.alive.remove(name)

    def _round(self) -> bool:
        """Drop the candidates that a step may violate; returns whether there are any."""
        dropped = list[str]()
        for step in self.steps:
            for name in [name for name in self.alive if name in step.after]:
                required = self.candidates[name].required
                seconds = SECONDS if required else SHORT
                if self._refuted(step.queries, step.after[name], self.alive, seconds) is None:
                    if required:
                        raise NotInductive(f"{name} is not inductive: {step.action.name} may violate it")
                    dropped.append(name)
                    self.alive.remove(name)
        return bool(dropped)

    def _simplify(self) -> None:
        """Leave out what follows from the other candidates in each state."""
        kept, every = [], set(self.alive)
        for name in self.alive:
            candidate = self.candidates[name]
            if candidate.required or candidate.special not in every:
                kept.append(name)
        for name in [name for name in kept if not self.candidates[name].required]:
            others = [other for other in kept if other != name]
            if self._refuted(self.still, z3.Not(self.now[name]), others, SHORT) is not None:
                kept = others
        self.alive = kept

    def _goals(self, errors: bool, deadlock: bool) -> list[tuple[Any, str]]:
        """What no state of the invariant may satisfy, with words for it."""
        found = [(action.fault, f"an error in {action.name}") for action in self.protocol.actions if errors]
        if deadlock:
            still = [for_all([t for _, t in a.parameters], z3.Not(a.guard)) for a in self.protocol.actions]
            found.append((z3.And(still), "a deadlock"))
        return found

    def _closed(self, needed: set[str]) -> list[Candidate]:
        """The candidates that the needed ones need in turn."""
        todo = list(needed)
        while todo:
            name = todo.pop()
            for step in [step for step in self.steps if name in step.after]:
                core = self._refuted(step.queries, step.after[name], self.alive)
                if core is None:
                    raise NotInductive(f"{name} was not confirmed")
                todo += core - needed
                needed |= core
        return [self.candidates[name] for name in self.alive if name in needed]

    def _refuted(
        self, queries: Queries, formula: Any, assumed: Sequence[str], seconds: float = SECONDS
    ) -> set[str] | None:
        self.queries += 1
        return queries.refutes(formula, assumed, seconds, self.clock)


# -- what holds in all states ------------------------------------------------------------------------------------


def laws(protocol: Protocol, majorities: Sequence[Majority]) -> list[Any]:
    """Domains, the orders of the sorts, and what is assumed of some majorities."""
    world = protocol.world
    found = list(world.variables.axioms)
    for sort in world.sorts.values():
        found += sort.axioms if sort.ordered else []
    different = list({majority.name: majority for majority in majorities}.values())
    for one in different:
        found += [law for two in different if two.sort is one.sort for law in _of_two(one, two)]
    return found


def _of_two(one: Majority, two: Majority) -> list[Any]:
    """Two majorities have a common element; one that contains a majority is one."""
    mine = [z3.FreshConst(term.sort(), "p") for term in one.parameters]
    others = [z3.FreshConst(term.sort(), "q") for term in two.parameters]
    counted = one.sort.fresh("e")
    first, second = (_put(m, terms, counted) for m, terms in ((one, mine), (two, others)))
    a, b = (m.relation(*terms) if terms else m.relation for m, terms in ((one, mine), (two, others)))
    both = z3.Implies(z3.And(a, b), exists([counted], z3.And(first, second)))
    more = z3.Implies(z3.And(a, for_all([counted], z3.Implies(first, second))), b)
    return [for_all([*mine, *others], both), *([for_all([*mine, *others], more)] if one is not two or mine else [])]


def _put(majority: Majority, terms: Sequence[Any], counted: Any) -> Any:
    pairs = [*zip(majority.parameters, terms, strict=True), (majority.counted, counted)]
    return z3.substitute(majority.condition, *pairs)
