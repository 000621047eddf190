"""Every scenario of the Kafka model gives exactly its expected verdicts, shortest lengths and state counts.

The slow ones run with EVERYSTATE_SLOW=1.
"""

from __future__ import annotations

import os

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.model import GENERATIONS, KafkaProducer
from everystate.specs.kafka import SCENARIOS
from tests.baseline import row, states
from tests.selection import quick

from .vacuity import NEVER_ENABLED

SMALL = [scenario for scenario in SCENARIOS if states(scenario.name) <= 10_000]
SLOW = os.environ.get("EVERYSTATE_SLOW") == "1"


@pytest.mark.parametrize("scenario", quick(SMALL[::3], SCENARIOS), ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    if scenario.slow and not SLOW:
        pytest.skip("slow: set EVERYSTATE_SLOW=1")
    result = check(build(KafkaProducer(**scenario.constants)), Limits(workers=2, max_memory=6 << 30))
    assert {v.property: v.length for v in result.violations} == scenario.expected
    assert not result.stopped
    known = row(scenario.name)
    assert [result.distinct, result.generated, result.depth] == [known[n] for n in ("distinct", "generated", "depth")]
    never = {name for name, seen in result.coverage.items() if not seen.taken}
    assert never == NEVER_ENABLED.get(scenario.name, set())
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
