"""Scenarios of the Kafka model, as data: what is expected of each generation, with exact shortest lengths."""

from __future__ import annotations

from ..scenario import Scenario
from . import current, early, kip_1269, non_idempotent, state, windows

SCENARIOS: list[Scenario] = [
    *non_idempotent.SCENARIOS,
    *early.SCENARIOS,
    *current.SCENARIOS,
    *windows.SCENARIOS,
    *state.SCENARIOS,
    *kip_1269.SCENARIOS,
]

__all__ = ["SCENARIOS"]
