"""Every scenario of the Kafka model gives exactly its expected verdicts, shortest lengths and state counts."""

from __future__ import annotations

import pytest

from everystate.checker.language.scenario import Scenario
from everystate.model import GENERATIONS
from everystate.specs.kafka import SCENARIOS
from tests.baseline import as_expected, never_taken, states
from tests.selection import quick

from .vacuity import NEVER_ENABLED

SMALL = [scenario for scenario in SCENARIOS if states(scenario.name) <= 10_000]


@pytest.mark.parametrize("scenario", quick(SMALL[::3], SCENARIOS), ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    result = as_expected(scenario)
    assert never_taken(result) == NEVER_ENABLED.get(scenario.name, set())
    if not scenario.expected:
        assert not [w for w in result.warnings if "constraint" in w]


def test_names_are_unique() -> None:
    names = [s.name for s in SCENARIOS]
    assert len(set(names)) == len(names)


def test_every_scenario_explains_itself() -> None:
    assert [s.name for s in SCENARIOS if not (s.title and s.text)] == []


def test_every_generation_has_a_scenario() -> None:
    used = {s.constants.get("generation", "current") for s in SCENARIOS}
    assert set(GENERATIONS) - used == set()
