"""Two-phase commit with a database: the verdicts of its scenarios, and larger ones of KIP-939 as a whole."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model.transactions.two_phase import PHASES, DualWrite
from everystate.specs.transactions.two_phase import SCENARIOS


def test_every_version_has_a_scenario() -> None:
    assert {scenario.constants["generation"] for scenario in SCENARIOS} == set(PHASES)


@pytest.mark.parametrize(
    ("generation", "states", "broken"),
    [("kip-939", 5_319, {}), ("kip-939-one-bump", 7_631, {"BothDecideTheSame": 10})],
)
def test_three_transactions(generation: str, states: int, broken: dict[str, int]) -> None:
    result = check(build(DualWrite(generation=generation, transactions=3, crashes=2, delays=2)))
    assert (result.distinct, {v.property: v.length for v in result.violations}) == (states, broken)
