"""Scenarios of the model of transactions, as data: what is expected of each generation, with exact shortest lengths."""

from __future__ import annotations

from ...checker.language.scenario import Scenario
from . import ending, epochs, groups, late, producers, several, together, two_phase

SCENARIOS: list[Scenario] = [
    *late.SCENARIOS,
    *epochs.SCENARIOS,
    *producers.SCENARIOS,
    *ending.SCENARIOS,
    *groups.SCENARIOS,
    *several.SCENARIOS,
    *together.SCENARIOS,
    *two_phase.SCENARIOS,
]

__all__ = ["SCENARIOS"]
