"""The model against Kafka's own classes: counterexamples are reproduced, walks agree, and what is wrong is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker.cli.parallel import load
from everystate.checker.engines import exhaustive
from everystate.checker.ir import model
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.report import Report
from everystate.model.conformance.walks import Course
from everystate.model.conformance.work import Job, Plan, work
from everystate.specs.kafka.worlds import WORLDS

pytestmark = pytest.mark.kafka
MODEL = "everystate.model.kafka:KafkaProducer"


def driven(kafka: Callable[..., Any], *plans: Plan, **course: Any) -> Report:
    report: Report = kafka(work, Job("", plans, load, Course(**course)))
    return report


def counterexamples(target: str) -> Plan:
    """The counterexamples of a scenario."""
    spec = load(target, {})
    found = exhaustive.check(model.build(spec), target=target).violations
    behaviours = tuple(of_trace(spec, v.property, v.trace) for v in found if v.trace is not None)
    return Plan(target, target, spec.constants, behaviours)


def test_a_clean_restart_duplicates_on_kafka_as_in_the_model(kafka: Callable[..., Any]) -> None:
    report = driven(kafka, counterexamples("current/clean-restart"))
    assert report.found == []
    assert report.shown == ["current/clean-restart: NoDuplicate"]
    assert (report.steps, report.exit_code) == (11, 0)
    rules = {"B1.8", "B1.11", "B4.2", "B4.4", "C2.6", "C4.2", "C5.4", "C9.1", "C9.3", "D5"}
    assert rules - set(report.rules) == {"B1.8"}  # the second batch is not sent again in this behaviour


def test_walks_agree_after_every_step(kafka: Callable[..., Any]) -> None:
    names = ("requests", "two-partitions", "wrap")
    plans = [Plan(f"worlds/{name}", MODEL, WORLDS[name], walks=range(8)) for name in names]
    report = driven(kafka, *plans, steps=40)
    assert report.found == []
    assert report.behaviours == {"walk": 24}
    assert report.exit_code == 0
