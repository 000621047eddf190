"""Conditions of steps in @temporal and @temporal_assumption: the same verdicts as by all sets of steps of a cycle."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from everystate.checker import (
    AnyOf,
    Bool,
    Int,
    Spec,
    action,
    always,
    choose,
    eventually,
    eventually_always,
    fair,
    implies,
    infinitely_often,
    leads_to,
    require,
    strongly_fair,
    temporal,
    temporal_assumption,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.symbolic import monitor
from everystate.checker.frontend import model
from everystate.checker.language import marks
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Verdict

ENGINES: dict[str, Callable[[Spec], Result]] = {
    "native": lambda spec: exhaustive.check(model.build(spec)),
    "python": python.check,
}
Step = tuple[int, int]
Again = tuple[str, int]
"""Again and again ("again") or from some time on ("always"): a condition of steps, by its number."""


class Drawn:
    """A random graph of up to four states, conditions of its steps, fairness, assumptions and a property."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.size = dice.randint(2, 4)
        pairs = [(a, b) for a in range(self.size) for b in range(self.size) if a != b]
        self.moves = {k: dice.sample(pairs, min(len(pairs), dice.randint(1, 3))) for k in "ab"}
        self.every = [*pairs, *((s, s) for s in range(self.size))]
        self.starts = dice.sample(range(self.size), dice.randint(1, 2))
        self.fair = {k: dice.choice(["", "", "weak", "strong"]) for k in "ab"}
        self.steps = [[p for p in self.every if p[0] != p[1] and dice.random() < 0.4] for _ in range(3)]
        here = [s for s in range(self.size) if dice.random() < 0.5]
        self.steps.append([p for p in self.every if p[0] in here])
        self.steps.append([p for p in self.every if p[0] == p[1] or dice.random() < 0.6])
        self.assumed = [self.formula(dice) for _ in range(dice.choice([0, 1, 1, 2]))]
        self.property = self.formula(dice)

    def formula(self, dice: random.Random) -> list[Again]:
        """A disjunction: fairness of steps, or something else."""
        kind = dice.choice(["weak", "strong", "justice", "stable", "any"])
        taken = ("again", dice.randrange(3))
        if kind in ("weak", "strong"):
            return [("not always" if kind == "weak" else "not again", 3), taken]
        if kind == "justice":
            return [taken]
        if kind == "stable":
            return [("always", 4)]
        return [(dice.choice(["again", "always", "not again", "not always"]), dice.randrange(5)) for _ in range(2)]

    # -- by definition

    def holds(self, formula: list[Again], steps: set[Step]) -> bool:
        """Whether a formula holds on a behaviour that takes just these steps again and again."""
        return any(
            not self._again(kind[4:], k, steps) if kind.startswith("not ") else self._again(kind, k, steps)
            for kind, k in formula
        )

    def _again(self, kind: str, k: int, steps: set[Step]) -> bool:
        return any(s in self.steps[k] for s in steps) if kind == "again" else steps <= set(self.steps[k])

    def is_fair(self, steps: set[Step]) -> bool:
        """Whether no action is neglected."""
        for name, strength in self.fair.items():
            states = {a for a, _ in steps}
            able = [any(a == s for a, _ in self.moves[name]) for s in states]
            if strength and (all(able) if strength == "weak" else any(able)) and not steps & set(self.moves[name]):
                return False
        return True

    def expected(self) -> Verdict:
        """The verdict by all sets of steps that a behaviour can take again and again."""
        edges = {step for moves in self.moves.values() for step in moves}
        graph = nx.DiGraph(list(edges))
        graph.add_nodes_from(range(self.size))
        reached = set().union(*(nx.descendants(graph, s) | {s} for s in self.starts))
        around = [s for s in edges if s[0] in reached] + [(s, s) for s in reached]
        able = [set(c) for n in range(1, len(around) + 1) for c in itertools.combinations(around, n)]
        able = [c for c in able if nx.is_strongly_connected(nx.DiGraph(list(c)))]
        able = [c for c in able if self.is_fair(c) and all(self.holds(a, c) for a in self.assumed)]
        if not able:
            return Verdict.UNDECIDED
        return Verdict.PROVED if all(self.holds(self.property, c) for c in able) else Verdict.VIOLATED

    # -- as a spec

    def written(self, formula: list[Again], before: Any, after: Any) -> Any:
        """A formula, as an author writes it."""

        def on(k: int) -> Any:
            return any(before == a and after == b for a, b in self.steps[k])

        def part(kind: str, k: int) -> Any:
            return always(eventually(on(k))) if kind == "again" else eventually(always(on(k)))

        if len(formula) == 1:
            return part(*formula[0])
        (one, k), (two, n) = formula
        if one.startswith("not "):
            right = ~part(two[4:], n) if two.startswith("not ") else part(two, n)
            return implies(part(one[4:], k), right)
        return part(one, k) | (~part(two[4:], n) if two.startswith("not ") else part(two, n))

    def spec(self) -> Spec:
        """The graph as a spec."""
        drawn = self
        fairness: dict[str, Callable[[Any], Any]] = {"": lambda m: m, "weak": fair, "strong": strongly_fair}

        class System(Spec):
            may_terminate = True

            def variables(self) -> None:
                self.at = Int(0, drawn.size - 1, init=AnyOf(*drawn.starts))

            @fairness[drawn.fair["a"]]
            @action
            def a(self) -> None:
                self.at = choose([t for s, t in drawn.moves["a"] if s == self.at])

            @fairness[drawn.fair["b"]]
            @action
            def b(self) -> None:
                self.at = choose([t for s, t in drawn.moves["b"] if s == self.at])

            @temporal_assumption(k=range(len(drawn.assumed)))
            def given(self, before: Any, k: int) -> Any:
                return drawn.written(drawn.assumed[k], before.at, self.at)

            @temporal
            def wanted(self, before: Any) -> Any:
                return drawn.written(drawn.property, before.at, self.at)

        return System()


@pytest.mark.parametrize("engine", ENGINES)
def test_random_systems_are_judged_as_by_all_sets_of_steps(engine: str) -> None:
    seeds = range(30) if engine == "native" else range(50)
    found = [(seed, Drawn(seed)) for seed in seeds]
    verdicts = [(seed, drawn.expected(), ENGINES[engine](drawn.spec()).verdict) for seed, drawn in found]
    assert [v for v in verdicts if v[1] != v[2]] == []
    assert all(sum(v[1] == verdict for v in verdicts) > 5 for verdict in (Verdict.PROVED, Verdict.VIOLATED))


class Server(Spec):
    """It answers requests of two kinds; only answers are fair, and only those to urgent requests."""

    may_terminate = True

    def variables(self) -> None:
        self.asked, self.urgent = Bool(), Bool()

    @action(urgent=(False, True))
    def ask(self, urgent: bool) -> None:
        require(not self.asked)
        self.asked, self.urgent = True, urgent

    @action
    def answer(self) -> None:
        require(self.asked)
        self.asked, self.urgent = False, False

    @temporal_assumption
    def urgent_answers(self, before: Any) -> Any:
        return implies(eventually(always(before.urgent)), always(eventually(before.urgent and not self.urgent)))

    @leads_to
    def all_are_answered(self) -> Any:
        return self.asked, not self.asked

    @leads_to
    def urgent_ones_are_answered(self) -> Any:
        return self.urgent, not self.asked

    @eventually_always
    def urgent_ones_stop(self) -> Any:
        return not self.urgent


class Quiet(Server):
    """From some time on there are no requests. This is no fairness of steps: the automaton of each property has it."""

    @temporal_assumption
    def asking_ends(self, before: Any) -> Any:
        return eventually(always(before.asked or not self.asked))

    @infinitely_often
    def urgent_again(self) -> Any:
        return self.urgent

    @eventually
    def asks(self, before: Any) -> Any:
        return self.asked and not before.asked


@pytest.mark.parametrize("engine", ENGINES)
def test_fairness_of_some_steps_of_an_action(engine: str) -> None:
    found = ENGINES[engine](Server())
    assert {v.property for v in found.violations} == {"all_are_answered", "urgent_ones_stop"}
    assert [len(v.trace.states) for v in found.violations if v.trace is not None] == [2, 2]
    names = [p.name for p in Server().properties if p.kind == "temporal assumption"]
    assert names and found.conditions.phrases()[0] == f"assuming {', '.join(names)}"


@pytest.mark.parametrize("engine", ENGINES)
def test_an_assumption_that_is_no_fairness(engine: str) -> None:
    found = ENGINES[engine](Quiet())
    assert {v.property for v in found.violations} == {"all_are_answered", "urgent_again", "asks"}


class Impossible(Quiet):
    """It must ask for ever, and must not."""

    @temporal_assumption
    def asks_again(self, before: Any) -> Any:
        return always(eventually(self.asked and not before.asked))


@pytest.mark.parametrize("engine", ENGINES)
def test_assumptions_that_no_behaviour_satisfies_decide_nothing(engine: str) -> None:
    found = ENGINES[engine](Impossible())
    assert found.verdict == Verdict.UNDECIDED
    assert set(found.conditions.unjudged.values()) == {"is undecided: no behaviour satisfies the assumptions"}


def test_a_bounded_search_judges_nothing_under_assumptions_about_behaviours() -> None:
    built = model.build(Server())
    reasons = {monitor.unsupported(built, prop) for prop in built.of_kind(*marks.TEMPORAL)}
    assert reasons == {"urgent_answers restricts the behaviours"}


def test_a_search_that_executes_everything_twice_compares_formulas() -> None:
    found = python.check(Quiet(), careful=True)
    assert {v.property for v in found.violations} == {"all_are_answered", "urgent_again", "asks"}
