"""Temporal properties by counting rounds and by lassos have the verdict of the explicit search and of a judge."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("pysat", reason="python-sat is not installed")

from everystate.checker import Array, Bool, Constant, Int, Spec, action, fair, invariant, leads_to, require
from everystate.checker.backends.smt import own_context
from everystate.checker.engines.observer import Silent
from everystate.checker.engines.symbolic import liveness
from everystate.checker.engines.symbolic.attempt import Help
from everystate.checker.engines.symbolic.decide import decide
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict
from tests.engines.fair_judge import Explicit
from tests.engines.fair_systems import system


class Server(Spec):
    """Clients wait for a server, beside 28,000,000,000,000 values that are of no importance for that."""

    always = Constant(True)
    may_terminate = True

    def variables(self) -> None:
        self.waiting = Array(2, Bool())
        self.noise = Array(4, Int(0, 2_300))

    @action(i=range(2))
    def ask(self, i: int) -> None:
        self.waiting[i] = True

    @fair
    @action(i=range(2))
    def serve(self, i: int) -> None:
        require(self.waiting[i] and (self.always or not self.waiting[1 - i]))
        self.waiting[i] = False

    @action(j=range(4))
    def disturb(self, j: int) -> None:
        require(self.noise[j] < 2_300)
        self.noise[j] += 1

    @invariant
    def noise_is_small(self) -> bool:
        return self.noise[0] <= 2_300

    @leads_to(i=range(2))
    def served(self, i: int) -> tuple[bool, bool]:
        return self.waiting[i], not self.waiting[i]


def test_a_temporal_property_is_proved_past_any_number_of_states() -> None:
    found = decide(model.build(Server()), Question(0, seconds=600, cross_check=5), help=Help(states=100)).result
    assert (found.verdict, found.held) == (Verdict.PROVED, ("noise_is_small", "served(i=0)", "served(i=1)"))
    assert "served(i=0): at most" in found.how


def test_a_temporal_property_fails_on_a_lasso() -> None:
    """Both wait, and neither is served."""
    traced = model.build(Server(always=False))
    found = decide(traced, Question(0, seconds=600, cross_check=5), help=Help(states=100)).result
    assert [v.property for v in found.violations] == ["served(i=0)", "served(i=1)"]
    assert all(v.trace is not None and v.trace.loop is not None for v in found.violations)


@own_context()
def differences(seed: int) -> tuple[int, list[str]]:
    """How many properties of a random system were decided, and those that the judge sees otherwise."""
    spec, graph = system(seed), Explicit(system(seed))
    broken, held, waiting = liveness.judge(model.build(spec), Question(0, seconds=600), "random", Silent())
    failing, found = {v.property: v.trace for v in broken}, list[str]()
    for prop in spec.properties:
        if prop.name in failing and not (graph.fails(prop) and graph.confirms(prop, failing[prop.name])):
            found.append(f"seed {seed}: {prop.name} has no such lasso")
        if prop.name in held and graph.fails(prop):
            found.append(f"seed {seed}: {prop.name} fails")
        if prop.name in waiting and not prop.steps and "no fair behaviour" not in waiting[prop.name]:
            found.append(f"seed {seed}: {prop.name} {waiting[prop.name]}")
    return len(broken) + len(held), found


FEW = 4
"""Fairness assumptions of a random system that is compared: with 30, formulas take seconds to write."""


def compared(first: int, number: int) -> int:
    """How many properties of so many random systems were decided, none of them wrongly."""
    seeds = (seed for seed in itertools.count(first) if len(system(seed)._fairness()) <= FEW)
    done = 0
    for seed in itertools.islice(seeds, number):
        decided, found = differences(seed)
        assert not found
        done += decided
    return done


def test_random_systems_have_the_verdict_of_the_judge() -> None:
    assert compared(0, 2) > 3


def test_random_systems_are_proved_by_ic3_where_few_states_are_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "STATES", 1)
    assert compared(10, 2) > 3


@pytest.mark.thorough
@pytest.mark.parametrize("states", [1, liveness.STATES])
def test_two_hundred_and_fifty_random_systems(states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "STATES", states)
    assert compared(states, 250) > 500
