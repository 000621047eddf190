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
from tests.conformance.told_apart import (
    AT_THE_MARK,
    AT_THE_WRAP,
    EXPIRED,
    GAP_BEHIND_THE_WRAP,
    NEW_SESSION,
    OLD_EPOCH,
    RENUMBERED,
    RESTART_BEHIND_AN_EXPIRY,
    RESTART_WITH_A_MARK,
    RETRY_OF_AN_OLD_EPOCH,
    SPLIT_ON_THE_WIRE,
    TWO_RECORDS,
)

PLACE = Path(__file__).with_name("told_apart.py")


@pytest.mark.kafka
def test_mistakes_that_no_walk_has_met_are_found(kafka: Callable[..., Any]) -> None:
    """B2: a remembered range counts in the newest epoch only. C13: a new session knows nothing of the old one.

    C5.5: at the unresolved sequence nobody asks whether a batch was renumbered. C11: a half of a batch that was split
    begins anew. B4.4: behind the wrap only sequence 0 follows. D8: a row that has expired is not loaded.
    """
    cases = [
        ("KnowsOldEpochs", OLD_EPOCH, RETRY_OF_AN_OLD_EPOCH, "connection to broker 0"),
        ("KeepsTheMarkOfTheSession", NEW_SESSION, RESTART_WITH_A_MARK, "unresolved sequence of partition 0"),
        ("SparesWhatWasRenumbered", RENUMBERED, AT_THE_MARK, "bump requested for partition 0"),
        ("HalvesStayReopened", TWO_RECORDS, SPLIT_ON_THE_WIRE, "in flight of partition 0"),
        ("AcceptsAnythingBehindTheWrap", AT_THE_WRAP, GAP_BEHIND_THE_WRAP, "connection to broker 0"),
        ("LoadsWhatHasExpired", EXPIRED, RESTART_BEHIND_AN_EXPIRY, "remembered by broker 0 of partition 0"),
    ]
    jobs = [
        Job("", (Plan("", place, constants, (Behaviour("told apart", turns),)),), load, shrinks=False)
        for mistake, constants, turns, _ in cases
        for place in (TARGET, f"{PLACE}:{mistake}")
    ]
    reports: list[Report] = kafka(work_all, jobs)
    assert [report.shown for report in reports[::2]] == [[": told apart, with Kafka"]] * len(cases)
    assert [report.obstacles for report in reports] == [{}] * len(reports)
    found = [report.found[0] for report in reports[1::2]]
    assert [(len(each.turns), each.difference.sort) for each in found] == [
        (len(turns), differs) for _, _, turns, differs in cases
    ]
