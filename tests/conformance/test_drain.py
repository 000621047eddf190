"""The model of the drain beside Kafka's own classes: walks agree, traces are reproduced, and every mistake is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.model.conformance.behaviour import Behaviour, of_violations
from everystate.model.conformance.bridges import bridges_of
from everystate.model.conformance.drain.drivable import fitting, generation_of, obstacles
from everystate.model.conformance.drain.rules import ARGUED, RULES
from everystate.model.conformance.golden import parting, read
from everystate.model.conformance.jars import choose
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.versions import PINNED
from everystate.model.conformance.walks import WalkShape
from everystate.model.drain import Drain, Turns
from everystate.model.rules import find
from everystate.specs.drain.environments import ENVIRONMENTS
from everystate.specs.drain.rare import RARE
from tests.conformance.drain_mistakes import MISTAKES
from tests.conformance.test_mistakes import wrong

MODEL = "everystate.model.drain:Drain"
PLACE = Path(__file__).with_name("drain_mistakes.py")
COURSE = WalkShape(steps=50, seed=1, faults=0.3)
RECORDED = list(read(Path(__file__).with_name("drain_golden.jsonl.gz")))
ANEW = "record anew: python bench/kafka_golden.py"
LATE_SUCCESS = next(each for each in RARE if each.rule == "C4.5")
LATE = Job(
    "",
    (
        Plan(
            "late",
            f"{PLACE}:AcknowledgesBackwards",
            LATE_SUCCESS.constants,
            (Behaviour("late success", LATE_SUCCESS.turns),),
        ),
    ),
    load,
    shrinks=False,
)
"""No walk meets it."""


def walks(place: str, environment: str, number: int) -> Job:
    """A walk through an environment."""
    plan = Plan(f"drain-environments/{environment}", place, ENVIRONMENTS[environment], walks=range(number, number + 1))
    return Job("", (plan,), load, COURSE, shrinks=False, most=1)


def counterexamples(target: str) -> Plan:
    """The counterexamples of a scenario."""
    spec = load(target, {})
    behaviours, why = of_violations(spec, exhaustive.check(model.build(spec), target=target).violations)
    assert not why
    return Plan(target, target, spec.constants, tuple(behaviours))


@pytest.mark.kafka
@pytest.mark.thorough
def test_walks_agree_and_find_every_mistake_and_a_partition_waits_for_a_hung_node(kafka: Callable[..., Any]) -> None:
    mistaken = [walks(f"{PLACE}:{m.cls.__name__}", m.environment, m.walk) for m in MISTAKES]
    right = [
        walks(MODEL, environment, number) for environment, number in sorted({(m.environment, m.walk) for m in MISTAKES})
    ]
    traces = Job("", (counterexamples("drain-3.3/hung-leader"),), load)
    *found, backwards, reproduced = kafka(work_all, [*mistaken, *right, LATE, traces])

    told = {m.name: wrong(m, report) for m, report in zip(MISTAKES, found, strict=False)}
    assert {name: why for name, why in told.items() if why} == {}
    assert [each for report in found[len(MISTAKES) :] for each in report.found] == []
    assert [report.exit_code for report in found[len(MISTAKES) :]] == [0] * len(right)
    assert backwards.found[0].difference.values == {"last acknowledged sequence of partition 0": (0, 1)}
    assert reproduced.shown == ["drain-3.3/hung-leader: nobody_waits_for_another(partition=1), with Kafka"]
    assert (reproduced.steps, reproduced.exit_code) == (10, 0)


def test_the_model_does_what_kafka_did_when_it_was_recorded() -> None:
    walked = [
        (f"drain-environments/{name}", f"walk {number}", w) for name, w in ENVIRONMENTS.items() for number in range(2)
    ]
    rare = [(f"drain-rare/{each.name}", each.rule, each.constants) for each in RARE]
    newest = list(PINNED)[-1]
    wanted = [(newest, *each) for each in walked + rare]
    assert [(t.kafka, t.target, t.name, t.constants) for t in RECORDED] == wanted, ANEW
    turns = [tuple(step.turn for step in each.steps) for each in RECORDED[len(walked) :]]
    assert turns == [each.turns for each in RARE], ANEW
    found = [parting(load(each.place, each.constants), each) for each in RECORDED]
    assert [str(each) for each in found if each is not None] == []


@pytest.mark.parametrize(
    ("version", "own"), [("2.7.0", ""), ("2.7.2", "3.2"), ("3.2.3", "3.2"), ("3.5.2", "3.5"), ("4.4.0", "3.3")]
)
def test_the_generation_of_a_release(version: str, own: str) -> None:
    kafka = choose(version)
    assert generation_of(kafka) == own
    spec, put = fitting(lambda given: Drain(**given), {}, kafka)
    assert (put, spec.constants["generation"]) == ("" if own in ("", "3.3") else own, own or "3.3")
    assert isinstance(spec, Drain)
    early = ["partitions of a release before 2.7.1 have no epochs of their own"]
    assert list(obstacles(spec, kafka, {})) == ([] if own else early)


def test_what_is_not_driven() -> None:
    kafka = choose("4.4.0")
    assert bridges_of(Turns()) == ()
    older = "its generation of the drain is 3.2, and this release is of 3.3; -c generation=3.3 drives it so"
    assert list(obstacles(Drain(generation="3.2"), kafka, {})) == [older]
    proposed = "its generation of the drain is skipping, and this release is of 3.3"
    assert list(obstacles(Drain(generation="skipping"), kafka, {})) == [proposed]
    assert list(obstacles(Drain(behind=0), kafka, {})) == ["followers are not driven (P5.3)"]


def test_every_rule_is_counted_or_argued() -> None:
    assert set(RULES) | set(ARGUED) == {rule.id for rule in find("P")}
