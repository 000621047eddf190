"""Scenarios of the Kafka model, as data: what is expected of each generation, with exact shortest lengths."""

from __future__ import annotations

from ..scenario import Scenario
from . import current, early, kip_1269, kip_1269_choices, non_idempotent, state, windows

SCENARIOS: list[Scenario] = [
    *non_idempotent.SCENARIOS,
    *early.SCENARIOS,
    *current.SCENARIOS,
    *windows.SCENARIOS,
    *state.SCENARIOS,
    *kip_1269.SCENARIOS,
    *kip_1269_choices.SCENARIOS,
]

__all__ = ["SCENARIOS"]
