"""Every scenario of eligible leader replicas gives exactly its expected verdicts, shortest lengths and state counts."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.model.eligible import ELECTING, EligibleReplicas
from everystate.specs.replication.eligible import SCENARIOS
from tests.baseline import as_expected


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    as_expected(scenario)


def test_every_controller_has_a_scenario() -> None:
    assert {s.constants["generation"] for s in SCENARIOS} == set(ELECTING)


@pytest.mark.parametrize(
    ("least", "cuts", "states", "broken"),
    [
        (1, 1, 2_909, {"AckedIsKept": 7}),
        (2, 1, 3_857, {}),
        (2, 2, 18_100, {"AckedIsKept": 9}),
        (3, 2, 11_399, {}),
        (3, 3, 32_521, {"AckedIsKept": 11}),
    ],
)
def test_power_cuts_up_to_the_least_number_in_sync(least: int, cuts: int, states: int, broken: dict[str, int]) -> None:
    """Fewer power cuts than min.insync.replicas lose nothing, with slow followers, too."""
    result = check(build(EligibleReplicas(min_insync=least, power_cuts=cuts, stops=1, shrinks=1)))
    assert (result.distinct, {v.property: v.length for v in result.violations}) == (states, broken)
