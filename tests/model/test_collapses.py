"""The collapses of the model change no verdict: replication step by step against the lazy follower."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.model import KafkaProducer
from everystate.specs.kafka import SCENARIOS

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.mark.parametrize(
    "name",
    [
        "non-idempotent/acks-1-leader-change",
        pytest.param("non-idempotent/acks-all-leader-change", marks=pytest.mark.thorough),
        pytest.param("current/two-clean-leader-changes", marks=pytest.mark.thorough),
        "current/old-and-new-leader-scaled",
        "current/leader-crash",
        pytest.param("current/unclean-election", marks=pytest.mark.thorough),
        "current/clean-restart-of-the-follower",
        pytest.param("kip-1269/leader-change-narrower", marks=pytest.mark.thorough),
    ],
)
def test_explicit_replication_gives_the_same_verdicts(name: str) -> None:
    scenario = BY_NAME[name]
    spec = KafkaProducer(**{**scenario.constants, "explicit_replication": True})
    result = check(build(spec), Limits(workers=2))
    assert {v.property for v in result.violations} == set(scenario.expected)
