"""A wrong judgement of fair cycles is met: states that are cross-checked do not agree with its certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from everystate.checker.engines.explicit import python
from everystate.checker.engines.temporal import fairness, lassos, liveness, liveness_cross_check
from everystate.checker.errors import EverystateError
from everystate.specs.classics.allocator import Allocator
from tests.engines.fair_judge import Explicit
from tests.engines.fair_systems import disagreements, native, system
from tests.selection import quick

Plant = Callable[[pytest.MonkeyPatch], None]


def no_components(patch: pytest.MonkeyPatch) -> None:
    """No two states reach each other."""
    patch.setattr(fairness, "components", lambda source, target, size, *_: np.full(size, -1))


def one_is_split_off(patch: pytest.MonkeyPatch) -> None:
    """The first state of each component is a component of its own."""
    real = fairness.components

    def split(source: Any, target: Any, size: int, *_: Any) -> Any:
        labels = real(source, target, size)
        found, first = np.unique(labels, return_index=True)
        labels[first[found >= 0]] = -1
        return labels

    patch.setattr(fairness, "components", split)


def nothing_is_taken(patch: pytest.MonkeyPatch) -> None:
    """What is fair is never seen to be taken."""
    patch.setattr(fairness, "taken", lambda one, action: np.zeros(len(action), bool))


def all_is_enabled(patch: pytest.MonkeyPatch) -> None:
    """What is fair is enabled everywhere."""
    real = liveness.assumed
    patch.setattr(
        liveness,
        "assumed",
        lambda *given: [replace(one, enabled=np.ones(len(one.enabled), bool)) for one in real(*given)],
    )


def each_by_itself(patch: pytest.MonkeyPatch) -> None:
    """Of a disjunction only the first instance counts."""
    real = liveness.assumed
    patch.setattr(
        liveness,
        "assumed",
        lambda found, able: real([replace(one, instances=one.instances[:1]) for one in found], able),
    )


def nobody_is_reached(patch: pytest.MonkeyPatch) -> None:
    """Only the states are judged in which waiting begins."""
    patch.setattr(lassos, "reached", lambda source, target, starts: starts.copy())


def nobody_waits(patch: pytest.MonkeyPatch) -> None:
    """What is waited for is always there."""
    real = liveness.Plain.of_states
    patch.setattr(
        liveness.Plain, "of_states", lambda self, prop: (real(self, prop)[0], np.ones(len(self.states), bool))
    )


def all_steps_are_good(patch: pytest.MonkeyPatch) -> None:
    """Every step satisfies what is asked of steps."""
    patch.setattr(liveness.Plain, "of_steps", lambda self, prop: np.ones(len(self.graph.source), bool))


def steps_are_lost(patch: pytest.MonkeyPatch) -> None:
    """Every second step is lost from the graph."""
    real = liveness.build

    def lossy(*given: Any) -> Any:
        graph = real(*given)
        parts = {name: getattr(graph, name)[::2] for name in ("source", "target", "action")}
        return replace(graph, **parts)

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
