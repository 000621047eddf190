"""Scenarios of the Kafka model, as data: what is expected of each generation, with exact shortest lengths."""

from __future__ import annotations

from ...checker.language.scenario import Scenario
from . import current, early, kip_1269, kip_1269_choices, non_idempotent, state, windows

_FOUND: list[Scenario] = [
    *non_idempotent.SCENARIOS,
    *early.SCENARIOS,
    *current.SCENARIOS,
    *windows.SCENARIOS,
    *state.SCENARIOS,
    *kip_1269.SCENARIOS,
    *kip_1269_choices.SCENARIOS,
]
_VERSIONS = list(dict.fromkeys(scenario.name.partition("/")[0] for scenario in _FOUND))
SCENARIOS = sorted(_FOUND, key=lambda scenario: _VERSIONS.index(scenario.name.partition("/")[0]))
"""The scenarios of one protocol version follow each other."""

__all__ = ["SCENARIOS"]
