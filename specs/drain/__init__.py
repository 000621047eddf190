"""Scenarios of the drain for several partitions, as data, with exact shortest lengths."""

from __future__ import annotations

from ...checker.language.scenario import Scenario
from . import partitions, stuck, turns

SCENARIOS: list[Scenario] = [*turns.SCENARIOS, *partitions.SCENARIOS, *stuck.SCENARIOS]

__all__ = ["SCENARIOS"]
