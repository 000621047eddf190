"""The harness can fail: walks find every deliberate mistake in the model, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.model.conformance.difference_text import text
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.report import Report
from everystate.model.conformance.walks import WalkShape
from everystate.specs.kafka.environments import ENVIRONMENTS
from tests.conformance import drain_mistakes
from tests.conformance.conftest import VERSION
from tests.conformance.mistakes import MISTAKES, Mistake

pytestmark = pytest.mark.thorough

MODEL = "everystate.model.kafka:KafkaProducer"
PLACE = Path(__file__).with_name("mistakes.py")
COURSE = WalkShape(steps=50, seed=1, faults=0.3)


def walks(place: str, environment: str, numbers: Iterable[int]) -> Job:
    """Some walks through an environment."""
    plans = tuple(
        Plan(f"environments/{environment}", place, ENVIRONMENTS[environment], walks=range(n, n + 1)) for n in numbers
    )
    return Job("", plans, load, COURSE, shrinks=False, most=1)


def wrong(mistake: Mistake | drain_mistakes.Mistake, report: Report) -> str:
    """What is not as stated where a mistake was looked for; empty where it was found as it should be."""
    if not report.found:
        return f"not found in walk {mistake.walk}"
    found = report.found[0]
    if found.turns[-1].partition("(")[0] != mistake.step or not found.difference.sort.startswith(mistake.differs):
        return f"found at {found.turns[-1]} by {found.difference.sort}"
    told = text(found, VERSION)
    step, differs = f"{len(found.turns)}. {found.turns[-1]}", mistake.differs
    return "" if step in told and differs in told else f"told without its step: {told}"


@pytest.mark.kafka
def test_walks_find_every_mistake_and_none_without_it(kafka: Callable[..., Any]) -> None:
    taken: dict[str, set[int]] = {}
    for mistake in MISTAKES:
        taken.setdefault(mistake.environment, set()).add(mistake.walk)
    mistaken = [walks(f"{PLACE}:{m.cls.__name__}", m.environment, [m.walk]) for m in MISTAKES]
    reports = kafka(work_all, [*mistaken, *(walks(MODEL, environment, sorted(n)) for environment, n in taken.items())])

    told = {m.name: wrong(m, report) for m, report in zip(MISTAKES, reports, strict=False)}
    assert {name: why for name, why in told.items() if why} == {}
    assert {report.exit_code for report in reports[: len(MISTAKES)]} == {12}
    right = reports[len(MISTAKES) :]
    assert [found for report in right for found in report.found] == []
    assert [report.behaviours["walk"] for report in right] == [len(numbers) for numbers in taken.values()]
    assert {report.exit_code for report in right} == {0}
