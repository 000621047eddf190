"""k-induction beside the bounded search: what it proves, and that it agrees with the exploration of all states."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import Constant, Int, Spec, action, choose, initial, invariant, step_invariant
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.observer import Silent
from everystate.checker.engines.symbolic import abc, attempt, decide
from everystate.checker.engines.symbolic.attempt import Help
from everystate.checker.engines.symbolic.guesses import Guesses
from everystate.checker.engines.symbolic.ic3 import Ic3
from everystate.checker.engines.symbolic.search import Question, Search
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.checker.results.verdict import Kind, Verdict
from tests.agreement.readers import MAX_PATHS, load
from tests.agreement.test_random_specs import sources

SPECS = 25


class Pipelines(Spec):
    """Two pipelines of three stages that compute the same in another order; what is in them is arbitrary at first."""

    size = Constant(8, "values")
    shift = Constant(1, "what the last stage adds")

    def variables(self) -> None:
        value = Int(0, self.size - 1)
        self.first, self.second, self.third = value, value, value
        self.begin, self.middle, self.end = value, value, value

    @initial
    def empty(self) -> None:
        self.first, self.second, self.third = 5, 15 % self.size, 0
        self.begin, self.middle, self.end = 0, 0, 0

    @action
    def step(self) -> None:
        x, n = choose(range(self.size)), self.size
        self.first, self.second, self.third = (x + 5) % n, self.first * 3 % n, (self.second + self.shift) % n
        self.begin, self.middle, self.end = x, self.begin * 3 % n, (self.middle + 16) % n

    @invariant
    def same(self) -> bool:
        return self.third == self.end


class Stages(Pipelines):
    """The same, said of steps."""

    @step_invariant
    def stays_same(self, before: Pipelines) -> bool:
        return before.third != before.end or self.third == self.end


def searched(spec: Spec, depth: int) -> tuple[Search, list[int]]:
    search = Search([model.build(spec)], Question(depth), Silent(), inducing=True)
    return search, [hit.length for hit in search.first()]


@pytest.mark.parametrize("spec", [Pipelines(), Stages()], ids=["states", "steps"])
def test_what_leaves_the_pipelines_after_three_steps(spec: Spec) -> None:
    search, hits = searched(spec, 9)
    assert search.proved and not hits and search.induction is not None and search.induction.k == 3
    assert search.length == 2


def test_a_violation_is_no_proof() -> None:
    search, hits = searched(Pipelines(shift=2), 9)
    assert hits and not search.proved


class Endless(Ic3):
    """IC3 that finds nothing."""

    def run(self) -> None:
        while True:
            self.look()


def test_it_decides_where_clauses_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "Ic3", Endless)
    monkeypatch.setattr(Guesses, "run_on", lambda *_: False)
    monkeypatch.setattr(abc, "PROGRAMS", ())
    found = decide.decide(model.build(Pipelines(size=12)), Question(0, cross_check=3), help=Help(states=1))
    result = found.result
    assert (result.verdict, result.how, found.invariant) == (Verdict.PROVED, "3-induction", None)
    assert result.details == {"induction": {"k": 3}} and result.held == ("same",)


def test_it_agrees_with_the_exploration_of_random_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    counted = {"specs": 0, "proved": 0, "violated": 0}

    @settings(
        max_examples=SPECS,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(sources(False))
    def check(source: str) -> None:
        try:
            spec = load(source, tmp_path)
            search, hits = searched(spec, 6)
        except EverystateError:
            return
        counted["specs"] += 1
        if search.proved:
            counted["proved"] += 1
            violations = exhaustive.check(model.build(spec)).violations
            assert all(violation.kind is Kind.UNREACHED for violation in violations), source
        counted["violated"] += bool(hits)

    check()
    assert counted["specs"] > 0.8 * SPECS and counted["violated"], counted
