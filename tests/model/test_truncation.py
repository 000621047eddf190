"""Every scenario of leader epochs gives exactly its expected verdicts, shortest lengths and state counts."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.model.truncation import TRUNCATIONS, LeaderEpochs
from everystate.specs.replication.truncation import SCENARIOS
from tests.baseline import as_expected


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    as_expected(scenario)
    assert scenario.title and scenario.text


def test_every_way_to_cut_a_log_has_a_scenario() -> None:
    assert {s.constants["generation"] for s in SCENARIOS} == set(TRUNCATIONS)


@pytest.mark.parametrize(
    ("generation", "states", "broken"),
    [
        ("kip-279", 493, {"LogsAgree": 8, "CommittedIsKept": 8, "FollowersCatchUp": 9}),
        ("kafka-7415", 536, {"FollowersCatchUp": 5}),
        ("kafka-13141", 415, {}),
    ],
)
def test_logs_that_begin_empty(generation: str, states: int, broken: dict[str, int]) -> None:
    """KAFKA-7415 also answers for epochs below the first one that the leader knows"""
    result = check(build(LeaderEpochs(generation=generation, elections=3, warm=0, records=2)))
    assert (result.distinct, {v.property: v.length for v in result.violations}) == (states, broken)
