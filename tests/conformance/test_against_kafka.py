"""The model against Kafka's own classes: counterexamples are reproduced, walks agree, and what is wrong is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.ir import model
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.cover import cover
from everystate.model.conformance.jobs import Job, Plan, work
from everystate.model.conformance.page import page
from everystate.model.conformance.report import Report, as_json
from everystate.model.conformance.story import text
from everystate.model.conformance.walks import Course
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
    assert report.shown == ["current/clean-restart: NoDuplicate, with Kafka"]
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


def test_a_behaviour_that_goes_on_for_ever_goes_round_on_kafka_too(kafka: Callable[..., Any]) -> None:
    target = "everystate.model.liveness:Delivering"
    spec = load(target, {"warm": 0, "refusals": 1, "batches": 2})
    found = exhaustive.check(model.build(spec), target=target).violations
    plan = Plan(target, target, spec.constants, tuple(of_trace(spec, v.property, v.trace) for v in found if v.trace))
    report = driven(kafka, plan)
    assert report.shown == [
        f"{target}: {name}, with Kafka" for name in ("NoGap", "every_record_has_a_result, twice round")
    ]
    assert report.rules["C5.3"] == 2


def test_a_mistake_in_the_model_is_found_shrunk_and_told(kafka: Callable[..., Any]) -> None:
    place = f"{Path(__file__).with_name('mistakes.py')}:RefusesUnknown"
    constants = {"batches": 4, "max_in_flight": 3, "expiries": 1, "disconnects": 1, "faults": 2}
    report = driven(kafka, Plan("mistakes", place, constants, walks=range(12)), faults=0.3, seed=2)
    assert report.exit_code == 12
    found = report.found[0]
    expected = {"send(batch=0)", "expire_producers(broker=0, partition=0)", "handle(broker=0, batch=0)"}
    assert (set(found.turns), len(found.turns)) == (expected, 3)
    assert found.length > 3
    told = text(found, "4.3.1")
    assert "  ! log of partition 0:\n      another (id 1000 epoch 0 seq 0)                         another" in told
    assert page([report]).count('<tr class="differs">') == len(found.difference.values)
    assert as_json(report)["found"][0]["turns"] == found.turns


@pytest.mark.parametrize(
    ("target", "behaviours", "steps"), [("current/cold-start-refused", 16, 178), ("current/no-fault", 15, 213)]
)
def test_every_step_of_a_small_graph(kafka: Callable[..., Any], target: str, behaviours: int, steps: int) -> None:
    spec = load(target, {})
    assert isinstance(spec, KafkaProducer)
    report = driven(kafka, Plan(target, target, spec.constants, tuple(cover(spec, 100))))
    assert (report.found, report.behaviours, report.steps) == ([], {"behaviour": behaviours}, steps)


def test_a_behaviour_that_cannot_be_taken_as_it_is_was_not_reproduced(kafka: Callable[..., Any]) -> None:
    plan = counterexamples("current/clean-restart")
    [whole] = plan.behaviours
    skipping = replace(whole, turns=(*whole.turns[:2], *whole.turns[3:]))
    report = driven(kafka, replace(plan, behaviours=(skipping,)))
    cannot = f"NoDuplicate, with Kafka: step 3, {whole.turns[3]}, cannot be taken"
    assert (report.shown, report.obstacles, report.exit_code) == ([], {plan.target: [cannot]}, 3)
