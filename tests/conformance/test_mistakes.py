"""The harness can fail: walks find every deliberate mistake in the model, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.model.conformance.jobs import Job, Plan
from everystate.model.conformance.report import Report
from everystate.model.conformance.story import text
from everystate.model.conformance.walks import Course
from everystate.specs.kafka.worlds import WORLDS
from tests.conformance.conftest import VERSION
from tests.conformance.jobs import work_each
from tests.conformance.mistakes import MISTAKES, Mistake

MODEL = "everystate.model.kafka:KafkaProducer"
PLACE = Path(__file__).with_name("mistakes.py")
COURSE = Course(steps=50, seed=1, faults=0.3)
GUIDE = Path(__file__).parents[2] / "docs" / "conformance.md"


def walks(place: str, world: str, number: int) -> Job:
    """The first walks through a world, up to a difference."""
    plan = Plan(f"worlds/{world}", place, WORLDS[world], walks=range(number))
    return Job("", (plan,), load, COURSE, shrinks=False, most=1)


def wrong(mistake: Mistake, report: Report) -> str:
    """What is not as stated where a mistake was looked for; empty where it was found as it should be."""
    if not report.found:
        return f"not found in {mistake.within} walks"
    found = report.found[0]
    if found.turns[-1].partition("(")[0] != mistake.step or not found.difference.sort.startswith(mistake.differs):
        return f"found at {found.turns[-1]} by {found.difference.sort}"
    told = text(found, VERSION)
    step, differs = f"{len(found.turns)}. {found.turns[-1]}", f"  ! {mistake.differs}"
    return "" if step in told and differs in told else f"told without its step: {told}"


@pytest.mark.kafka
def test_walks_find_every_mistake_and_none_without_it(kafka: Callable[..., Any]) -> None:
    reports = kafka(work_each, [walks(f"{PLACE}:{m.cls.__name__}", m.world, m.within) for m in MISTAKES])
    told = {m.name: wrong(m, report) for m, report in zip(MISTAKES, reports, strict=True)}
    assert {name: why for name, why in told.items() if why} == {}
    assert {report.exit_code for report in reports} == {12}

    taken: dict[str, int] = {}  # by world, the most walks that a mistake took
    for mistake, report in zip(MISTAKES, reports, strict=True):
        taken[mistake.world] = max(taken.get(mistake.world, 0), report.behaviours["walk"])
    right = kafka(work_each, [walks(MODEL, world, number) for world, number in taken.items()])
    assert [found for report in right for found in report.found] == []
    assert [report.behaviours["walk"] for report in right] == list(taken.values())
    assert {report.exit_code for report in right} == {0}


def test_the_guide_tells_every_mistake() -> None:
    rows = [line for line in GUIDE.read_text("utf-8").splitlines() if line.endswith("walks |")]
    assert rows == [f"| {m.name} | {m.rule} | {m.world} | {m.within} walks |" for m in MISTAKES]
