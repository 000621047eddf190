"""Behaviours that walks hardly meet: Kafka does what the model does, and a mistake is found at the last step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.model.conformance.behaviour import Behaviour
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.report import Report
from everystate.specs.kafka.common import TARGET
from everystate.specs.kafka.rare import BY_NAME, Rare
from tests.conformance.jobs import cut_below_its_start
from tests.conformance.passes import BEHIND_A_BUMP, BEHIND_A_DRAIN, LOST, READ, passes
from tests.conformance.told_apart import HIGH_WATERMARK, TOLD_APART

pytestmark = pytest.mark.thorough

PLACE = Path(__file__).with_name("told_apart.py")


def told(place: str, rare: Rare) -> Job:
    """One behaviour beside a model, which may be mistaken."""
    return Job("", (Plan("", place, rare.constants, (Behaviour("told apart", rare.turns),)),), load, shrinks=False)


@pytest.mark.kafka
def test_mistakes_that_no_walk_has_met_are_found(kafka: Callable[..., Any]) -> None:
    """B2: a remembered range counts in the newest epoch only. C13: a new session knows nothing of the old one.

    C5.5: at the unresolved sequence nobody asks whether a batch was renumbered. C11: a half of a batch that was split
    begins anew. B4.4: behind the wrap only sequence 0 follows. D8: a row that has expired is not loaded. B6.2: an
    answer to what lies below the high watermark has left, and becomes no error. B6.1: it stands
    while too few are in sync.
    """
    jobs = [
        told(place, BY_NAME[name])
        for mistake, name, _ in TOLD_APART
        for place in (TARGET, f"{PLACE}:{mistake.__name__}")
    ]
    gone = [Rare("", "B6.2", constants, steps) for _, constants, steps in HIGH_WATERMARK]
    late = [told(f"{PLACE}:{mistake.__name__}", rare) for (mistake, *_), rare in zip(HIGH_WATERMARK, gone, strict=True)]
    reports: list[Report] = kafka(work_all, jobs + late)
    broken = [report.found[0] for report in reports[len(jobs) :]]
    assert [(len(each.turns), each.difference.sort) for each in broken] == [(len(r.turns), "BrokenRule") for r in gone]
    reports = reports[: len(jobs)]
    assert [report.shown for report in reports[::2]] == [[": told apart, with Kafka"]] * len(TOLD_APART)
    assert [report.obstacles for report in reports] == [{}] * len(reports)
    found = [report.found[0] for report in reports[1::2]]
    assert [(len(each.turns), each.difference.sort) for each in found] == [
        (len(BY_NAME[name].turns), differs) for _, name, differs in TOLD_APART
    ]


UNKNOWN, OPEN = "failed, outcome unknown", "open"


@pytest.mark.kafka
def test_a_pass_sweeps_before_it_polls(kafka: Callable[..., Any]) -> None:
    """C1.7: behind the bump b1 is in the log, and yet expires before its answer is read, or lost."""
    found = kafka(passes, [(behaviour, ends) for behaviour in (BEHIND_A_BUMP, BEHIND_A_DRAIN) for ends in (READ, LOST)])
    bump: tuple[Any, ...] = ([UNKNOWN, OPEN, OPEN], [UNKNOWN, UNKNOWN, OPEN], {})
    drain: tuple[Any, ...] = ([OPEN, OPEN, OPEN], [UNKNOWN, OPEN, OPEN], {})
    assert found == [bump, bump, drain, drain]


@pytest.mark.kafka
def test_a_log_that_is_cut_below_its_start_begins_where_it_ends(kafka: Callable[..., Any]) -> None:
    """D4, UnifiedLog#truncateTo; tests/model/test_memory.py has the model. Who was elected so is not driven."""
    assert kafka(cut_below_its_start) == [(3, 3), (1, 1)]
