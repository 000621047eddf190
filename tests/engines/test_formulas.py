"""Formulas of linear temporal logic: the same verdicts as by all lassos, and how they are written."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everystate import check
from everystate.checker import (
    Bool,
    Int,
    Spec,
    action,
    always,
    eventually,
    fair,
    implies,
    require,
    temporal,
    until,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.temporal import product
from everystate.checker.engines.temporal.assumptions import Assumptions, assumed
from everystate.checker.engines.temporal.automaton import automaton_of, negated
from everystate.checker.engines.temporal.graph import Graph, of_edges
from everystate.checker.engines.temporal.product import Refutation
from everystate.checker.engines.temporal.step_assumptions import Column
from everystate.checker.errors import EverystateError
from everystate.checker.explore.truth import truths as truths_in
from everystate.checker.frontend import model
from everystate.checker.language.fairness import Disjunction
from everystate.checker.results.itf import dump, parse
from everystate.checker.results.result import Result
from everystate.checker.results.text import render
from everystate.checker.results.verdict import ExitCode, Kind, Verdict
from tests.selection import quick

from . import ltl_judge as judge

ENGINES: dict[str, Callable[[Spec], Result]] = {
    "native": lambda spec: exhaustive.check(model.build(spec)),
    "python": python.check,
}


# -- against all lassos --------------------------------------------------------------------------------------------


def graph_of(system: judge.System) -> Graph:
    """The reachable part of a system needs no numbers of its own: unreachable states are those of later levels."""
    size = len(system.states)
    source, action_, target = (np.array([edge[k] for edge in system.edges], np.int64) for k in range(3))
    level = np.full(size, 2, np.int32)
    level[list(system.initial)] = 1
    enabled = np.zeros((1, size), np.uint64)
    for number, (_, members) in enumerate(system.fair):
        enabled[0, sorted({a for a, by, _ in system.edges if by in members})] |= np.uint64(1 << number)
    states = np.arange(size, dtype=np.uint64).reshape(-1, 1)
    return of_edges(states, level, (source, target, action_), enabled, (len(source), 0))


def assumptions(system: judge.System) -> Assumptions:
    actions = 1 + max((by for _, by, _ in system.edges), default=0)
    most = max([actions, *(1 + max(members) for _, members in system.fair)])
    return assumed([Disjunction(strength, tuple(sorted(members))) for strength, members in system.fair], most)


def differences(seeds: range) -> tuple[list[int], int]:
    """For which seeds the engine and the judge differ, and how often a formula fails."""
    wrong, broken = [], 0
    for seed in seeds:
        dice = random.Random(seed)
        system = judge.system(dice)
        form = judge.formula(dice, dice.randint(1, 4))
        values = [Column(column) for column in np.array(system.states, bool).T]
        found = Refutation(graph_of(system), assumptions(system), form, values).found
        if found is None:
            fails = (w for w in judge.lassos(system) if not judge.holds(system, w, form) and judge.is_fair(system, w))
            wrong += [seed] if next(fails, None) is not None else []
            continue
        broken += 1
        lasso, behaviour = found.lasso, found.states
        back = len(lasso.way) - 1
        if not any(
            judge.is_fair(system, w) and not judge.holds(system, w, form) for w in along(system, behaviour, back, lasso)
        ):
            wrong.append(seed)
    return wrong, broken


def along(system: judge.System, behaviour: list[int], back: int, lasso: Any) -> list[judge.Lasso]:
    """The lassos with these states: the engine does not name the actions; none where a step is none of the system."""
    if behaviour[0] not in system.initial:
        return []
    steps = list(zip(behaviour, [*behaviour[1:], behaviour[back]], strict=True))
    found: list[tuple[int, ...]] = [()]
    for at, (a, b) in enumerate(steps):
        last = at == len(steps) - 1
        able = (
            [-1]
            if last and not lasso.cycle
            else [by for source, by, target in system.edges if (source, target) == (a, b)]
        )
        found = [(*before, by) for before in found for by in able]
    return [judge.Lasso(tuple(behaviour), actions, back) for actions in found]


@pytest.mark.parametrize("systems", quick([600], [600, 2000]))
def test_random_systems_and_formulas_are_judged_as_by_all_lassos(systems: int) -> None:
    wrong, broken = differences(range(systems))
    assert wrong == []
    assert 0.3 < broken / systems < 0.8


def test_the_automaton_of_a_formula_is_small() -> None:
    sizes = {
        ("always", 0): 3,
        ("eventually", 0): 1,
        ("always", ("eventually", 0)): 2,
        ("always", ("implies", 0, ("eventually", 1))): 3,
        ("implies", ("always", ("eventually", 0)), ("always", ("eventually", 1))): 4,
    }
    assert {form: len(automaton_of(negated(form)).locations) for form in sizes} == sizes


# -- in specs --------------------------------------------------------------------------------------------------------


class Server(Spec):
    """A server that goes up and down, and answers while it is up."""

    def variables(self) -> None:
        self.up = Bool(init=True)
        self.asked = Bool()
        self.answered = Bool()

    @action
    def ask(self) -> None:
        require(not self.asked)
        self.asked = True
        self.answered = False

    @fair
    @action
    def answer(self) -> None:
        require(self.asked and self.up)
        self.asked = False
        self.answered = True

    @action
    def flip(self) -> None:
        self.up = not self.up

    @temporal
    def answers_where_it_stays_up(self) -> Any:
        """a server that is up for ever answers"""
        return implies(eventually(always(self.up)), always(implies(self.asked, eventually(self.answered))))

    @temporal
    def answers_where_it_is_up_often(self) -> Any:
        """a server that is up again and again answers"""
        return implies(always(eventually(self.up)), always(implies(self.asked, eventually(self.answered))))

    @temporal
    def asks_until_it_is_answered(self) -> Any:
        return always(implies(self.asked, until(self.asked, self.answered) | always(self.asked)))

    @temporal(least=range(2))
    def settles(self, least: int) -> Any:
        return ~eventually(always(self.asked and least == 1)) & always(eventually(True))


@pytest.mark.parametrize("engine", ENGINES)
def test_formulas_of_a_spec_are_judged(engine: str) -> None:
    found = ENGINES[engine](Server())
    assert found.held == ("answers_where_it_stays_up", "asks_until_it_is_answered", "settles(least=0)")
    assert [(v.property, v.kind, v.length, v.text) for v in found.violations] == [
        (
            "answers_where_it_is_up_often",
            Kind.TEMPORAL,
            3,
            "a server that is up again and again answers",
        ),
        (
            "settles(least=1)",
            Kind.TEMPORAL,
            3,
            "~eventually(always(self.asked and least == 1)) & always(eventually(True))",
        ),
    ]
    assert found.exit_code is ExitCode.LIVENESS and found.warnings == ()
    trace = found.violations[0].trace
    assert trace is not None and (trace.loop, trace.closing) == (1, "flip()")
    assert render(trace).endswith(
        "answers_where_it_is_up_often is false of this behaviour, which is fair:\n  formula = "
        "implies(always(eventually(self.up)), always(implies(self.asked,\n      eventually(self.answered))))\n"
    )
    assert parse(dump(trace), "t.itf.json").trace(Server()) == trace


def lost(real: Any, which: Any) -> Any:
    def product(graph: Graph, automaton: Any, conditions: Any, fair: Assumptions) -> Any:
        both, nodes = real(graph, automaton, conditions, fair)
        kept = which(both, fair.members.shape[1] - 1)
        edges = both.source[kept], both.target[kept], both.action[kept]
        return of_edges(both.states, both.level, edges, both.enabled, both.steps), nodes

    return product


@pytest.mark.parametrize(
    "which",
    [
        lambda graph, pause: graph.action == pause,
        lambda graph, pause: graph.action != pause,
        lambda graph, pause: np.arange(len(graph.target)) % 2 == 0,
    ],
)
def test_a_product_that_lacks_steps_proves_nothing(which: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its steps no cycle is found, and states that are asked in plain Python object."""
    monkeypatch.setattr(product, "product", lost(product.product, which))
    for engine in ENGINES.values():
        with pytest.raises(EverystateError, match="that it holds on every fair behaviour is not so"):
            engine(Server())


def test_other_engines_say_that_they_do_not_judge_a_formula() -> None:
    found = walk(Server(), 5, 5, 0)
    assert found.verdict is Verdict.SAMPLED and len(found.conditions.unjudged) == 5


def test_one_state_cannot_tell_whether_a_formula_holds() -> None:
    spec = Server()
    told = truths_in(spec, spec.initial_states()[0], None)
    assert [(truth.value, truth.broken) for truth in told] == [(None, False)] * 5


def test_a_kept_result_tells_the_same(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    first, again = (check(Server, cache=True).result for _ in range(2))
    assert first.violations == again.violations and first.held == again.held


class Counter(Spec):
    def variables(self) -> None:
        self.x = Int(0, 2)

    @action
    def up(self) -> None:
        self.x = (self.x + 1) % 3


def broken(name: str, engine: str) -> str:
    with pytest.raises(EverystateError) as found:
        ENGINES[engine](MISTAKES[name]())
    return found.value.what


class NoFormula(Counter):
    @temporal
    def low(self) -> Any:
        return self.x < 2


class OfNumbers(Counter):
    @temporal
    def low(self) -> Any:
        return always(self.x)


class Changing(Counter):
    @temporal
    def low(self) -> Any:
        return always(self.x < 2) if self.x == 0 else eventually(self.x < 2)


class AsTruth(Counter):
    @temporal
    def low(self) -> Any:
        return always(self.x < 2) and eventually(self.x == 1)


MISTAKES = {kind.__name__: kind for kind in (NoFormula, OfNumbers, Changing, AsTruth)}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NoFormula", "low must return a formula over conditions, but returned a boolean alone"),
        ("OfNumbers", "low must return a formula over conditions, but returned a number"),
        ("Changing", "the formula of low has different operators in different states"),
        ("AsTruth", "a temporal formula is used as a condition or a value"),
    ],
)
def test_what_is_no_formula_is_refused(name: str, said: str, engine: str) -> None:
    assert broken(name, engine) == said
