"""What only the delivery timeout ends goes round on Kafka's own classes, too, wherever they can be driven."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.drivable import obstacles
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.report import Report
from everystate.model.conformance.versions import PINNED
from everystate.specs.kafka import SCENARIOS
from tests.model.test_liveness import PROMISE, REFUSED_FOR_EVER

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "conformance.md"
TARGET = "everystate.model.liveness:Delivering"
NEWEST = list(PINNED)[-1]
CONSTANTS = {scenario.name: scenario.constants for scenario in SCENARIOS}
DRIVEN = {
    "current/cold-start-refused": 12,
    "current/delivery-timeout-unresolved": 11,
    "current/expiry-and-refusal": 13,
    "current/split-of-a-retry": 18,
    "current/sequence-wrap": 10,
}
"""Steps into the circle and twice round it."""
UNSCALED = {"current/sequence-wrap": {"window": 5, "warm": 11, "modulus": 13}}
"""The same with the window of Kafka's own classes."""


def plan(name: str) -> Plan:
    """The circle of a scenario."""
    spec = load(TARGET, {**CONSTANTS[name], **UNSCALED.get(name, {})})
    [found] = [v for v in exhaustive.check(model.build(spec), target=TARGET).violations if v.property == PROMISE]
    return Plan(name, TARGET, spec.constants, (of_trace(spec, PROMISE, found.trace),))


@pytest.mark.thorough
@pytest.mark.kafka
def test_circles_go_round_on_kafka(release: Callable[..., Any]) -> None:
    jobs = [Job(NEWEST, (plan(name),), load) for name in DRIVEN]
    reports: list[Report] = release(NEWEST)(work_all, jobs)
    assert [report.found for report in reports] == [[] for _ in DRIVEN]
    assert [report.shown for report in reports] == [[f"{name}: {PROMISE}, twice round, with Kafka"] for name in DRIVEN]
    assert [report.steps for report in reports] == list(DRIVEN.values())
    assert {report.rules["B4.4"] >= 2 for report in reports} == {True}  # 45 each time round


def test_the_guide_names_every_circle_that_can_be_driven() -> None:
    text = GUIDE.read_text("utf-8").partition("## What only the delivery timeout ends")[2].partition("\n## ")[0]
    for name in REFUSED_FOR_EVER:
        why = list(obstacles(load(TARGET, {**CONSTANTS[name], **UNSCALED.get(name, {})}), PINNED[NEWEST]))
        reproduced = name in DRIVEN or name == "current/old-and-new-leader-scaled"
        assert (f"`{name}`" in text) == reproduced, name
        assert reproduced or why[0].startswith("its generation is "), name
