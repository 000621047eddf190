"""A wrong judgement of fair cycles is met: states that are cross-checked do not agree with its certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from everystate.checker.engines.explicit import python
from everystate.checker.engines.temporal import fairness, liveness, liveness_cross_check
from everystate.checker.engines.temporal.assumptions import assumed
from everystate.checker.engines.temporal.graph import build, of_edges
from everystate.checker.errors import EverystateError
from everystate.specs.classics.allocator import Allocator
from tests.engines.fair_judge import Explicit
from tests.engines.fair_systems import disagreements, native, system
from tests.selection import quick

Plant = Callable[[pytest.MonkeyPatch], None]


def instead(patch: pytest.MonkeyPatch, change: Callable[[fairness.Search, fairness.Round], fairness.Round]) -> None:
    """Each search for components finds something else."""
    real = fairness.Search.components
    patch.setattr(fairness.Search, "components", lambda self, *given: change(self, real(self, *given)))


def each_alone(search: fairness.Search, left: Any, here: Any) -> fairness.Round:
    """A round in which nodes are components, and neglect what is enabled there."""
    given, enabled = search.given, search.graph.enabled.copy()
    if given["goal"]:
        enabled[-1] |= np.where(given["wanted"], np.uint64(0), np.uint64(given["goal"]))
    neglected = np.full((len(enabled), here.max() + 1), ~np.uint64(0))
    for mask, able, kinds in zip(neglected, enabled, given["weak"] | given["strong"], strict=True):
        mask[here[left]] = (able & kinds)[left]
    nodes = np.flatnonzero(left)[np.argsort(here[left], kind="stable")]
    ends = np.cumsum(np.bincount(here[left], minlength=neglected.shape[1]))
    return fairness.Round(len(left), nodes, ends, neglected, bool((~neglected.any(axis=0)).any()))


def no_components(patch: pytest.MonkeyPatch) -> None:
    """No two states reach each other."""
    instead(patch, lambda search, found: each_alone(search, found.left, np.arange(len(found.here), dtype=np.uint32)))


def one_is_split_off(patch: pytest.MonkeyPatch) -> None:
    """The first state of each component is a component of its own."""

    def split(search: fairness.Search, found: fairness.Round) -> fairness.Round:
        here, count = found.here.copy(), found.neglected.shape[1]
        _, first = np.unique(np.where(found.left, here, count), return_index=True)
        first = first[found.left[first]]
        here[first] = count + np.arange(len(first))
        alone = each_alone(search, found.left, here)
        alone.neglected[:, :count] = found.neglected
        return replace(alone, fair=bool((~alone.neglected.any(axis=0)).any()))

    instead(patch, split)


def nothing_is_taken(patch: pytest.MonkeyPatch) -> None:
    """What is fair is never seen to be taken."""
    real = fairness.Search.__init__

    def init(self: fairness.Search, graph: Any, fair: Any) -> None:
        real(self, graph, replace(fair, members=np.zeros_like(fair.members)))

    patch.setattr(fairness.Search, "__init__", init)


def all_is_enabled(patch: pytest.MonkeyPatch) -> None:
    """What is fair is enabled everywhere."""
    real = build

    def everywhere(*given: Any, **named: Any) -> Any:
        graph, numbers = real(*given, **named)
        return replace(graph, enabled=~np.zeros_like(graph.enabled)), numbers

    patch.setattr(liveness, "build", everywhere)


def each_by_itself(patch: pytest.MonkeyPatch) -> None:
    """Of a disjunction only the first instance counts."""
    patch.setattr(
        liveness,
        "assumptions",
        lambda spec: assumed(
            [replace(one, instances=one.instances[:1]) for one in spec._fairness()], len(spec.instances)
        ),
    )


def nobody_is_reached(patch: pytest.MonkeyPatch) -> None:
    """Only the states are judged in which waiting begins."""
    real = fairness.Search.begin

    def only(self: fairness.Search, sought: fairness.Sought) -> None:
        real(self, replace(sought, nodes=sought.nodes & sought.starts))

    patch.setattr(fairness.Search, "begin", only)


def nobody_waits(patch: pytest.MonkeyPatch) -> None:
    """What is waited for is always there."""
    real = liveness.Plain.of_states
    patch.setattr(
        liveness.Plain, "of_states", lambda self, prop: (real(self, prop)[0], np.ones(len(self.states), bool))
    )


def all_steps_are_good(patch: pytest.MonkeyPatch) -> None:
    """Every step satisfies what is asked of steps."""
    patch.setattr(liveness.Plain, "of_steps", lambda self, prop: np.ones(len(self.graph.target), bool))


def steps_are_lost(patch: pytest.MonkeyPatch) -> None:
    """Every second step is lost from the graph."""
    real = build

    def lossy(*given: Any, **named: Any) -> Any:
        graph, numbers = real(*given, **named)
        edges = graph.source[::2], graph.target[::2], graph.action[::2]
        return of_edges(graph.states, graph.level, edges, graph.enabled, graph.steps), numbers

    patch.setattr(liveness, "build", lossy)


PLANTS = [
    *(no_components, one_is_split_off, nothing_is_taken, all_is_enabled, each_by_itself, nobody_is_reached),
    *(nobody_waits, all_steps_are_good, steps_are_lost),
]


@pytest.mark.parametrize("plant", quick(PLANTS[:1], PLANTS), ids=lambda plant: plant.__name__)
def test_no_planted_mistake_proves_what_does_not_hold(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = [(spec, Explicit(spec)) for spec in map(system, range(200, 212))]
    failing = [{p.name for p in spec.properties if p.kind != "constraint" and g.fails(p)} for spec, g in systems]
    plant(monkeypatch)
    met = 0
    for (spec, _), fails in zip(systems, failing, strict=True):
        try:
            found = python.check(spec)
        except EverystateError as error:
            assert error.code == "E217" and "that it holds on every fair behaviour is not so" in error.what
            met += 1
        except (AssertionError, ValueError, IndexError):
            continue  # a lasso that is none: there is no verdict either
        else:
            assert not fails.intersection(found.held)
    assert met > 0


def test_without_the_cross_check_the_same_mistakes_are_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness_cross_check.LivenessCrossCheck, "__call__", lambda *given: None)
    no_components(monkeypatch)
    wrong = [said for seed in range(200, 206) for said in disagreements(seed, python.check, Counter())]
    assert any(said.endswith("fails, and the checker says otherwise") for said in wrong)


def test_machine_code_is_cross_checked_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    all_is_enabled(monkeypatch)
    no_components(monkeypatch)
    with pytest.raises(EverystateError, match=r"returns\(client=0\) .* holds on every fair behaviour is not so"):
        native(Allocator())
