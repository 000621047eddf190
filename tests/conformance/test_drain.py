"""The model of the drain beside Kafka's own classes: walks agree, traces are reproduced, and every mistake is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.ir import model
from everystate.model.conformance.behaviour import Behaviour, of_violations
from everystate.model.conformance.bridges import bridges_of
from everystate.model.conformance.drain.drivable import fitting, generation_of, obstacles
from everystate.model.conformance.drain.rules import ARGUED, RULES
from everystate.model.conformance.jars import choose
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.walks import Course
from everystate.model.drain import Drain, Turns
from everystate.specs.drain.worlds import WORLDS
from tests.conformance.drain_mistakes import LATE_SUCCESS, MISTAKES
from tests.conformance.test_mistakes import wrong

MODEL = "everystate.model.drain:Drain"
PLACE = Path(__file__).with_name("drain_mistakes.py")
SHEET = (Path(__file__).parents[2] / "docs" / "rules-drain.md").read_text("utf-8")
COURSE = Course(steps=50, seed=1, faults=0.3)


def walks(place: str, world: str, number: int) -> Job:
    """A walk through a world."""
    plan = Plan(f"drain-worlds/{world}", place, WORLDS[world], walks=range(number, number + 1))
    return Job("", (plan,), load, COURSE, shrinks=False, most=1)


def late_success(place: str) -> Job:
    """No walk meets it."""
    plan = Plan("late", place, WORLDS["two-nodes"], (Behaviour("late success", LATE_SUCCESS),))
    return Job("", (plan,), load, shrinks=False)


def counterexamples(target: str) -> Plan:
    """The counterexamples of a scenario."""
    spec = load(target, {})
    behaviours, why = of_violations(spec, exhaustive.check(model.build(spec), target=target).violations)
    assert not why
    return Plan(target, target, spec.constants, tuple(behaviours))


@pytest.mark.kafka
def test_walks_agree_and_find_every_mistake_and_a_partition_waits_for_a_hung_node(kafka: Callable[..., Any]) -> None:
    mistaken = [walks(f"{PLACE}:{m.cls.__name__}", m.world, m.walk) for m in MISTAKES]
    right = [walks(MODEL, world, number) for world, number in sorted({(m.world, m.walk) for m in MISTAKES})]
    traces = Job("", (counterexamples("drain-3.3/hung-leader"),), load)
    late = [late_success(MODEL), late_success(f"{PLACE}:AcknowledgesBackwards")]
    *found, agreed, backwards, reproduced = kafka(work_all, [*mistaken, *right, *late, traces])

    told = {m.name: wrong(m, report) for m, report in zip(MISTAKES, found, strict=False)}
    assert {name: why for name, why in told.items() if why} == {}
    assert [each for report in found[len(MISTAKES) :] for each in report.found] == []
    assert [report.exit_code for report in found[len(MISTAKES) :]] == [0] * len(right)
    assert (agreed.steps, agreed.exit_code) == (9, 0)
    assert backwards.found[0].difference.values == {"last acknowledged sequence of partition 0": (0, 1)}
    assert reproduced.shown == ["drain-3.3/hung-leader: nobody_waits_for_another(partition=1), with Kafka"]
    assert (reproduced.steps, reproduced.exit_code) == (10, 0)


@pytest.mark.parametrize(
    ("version", "own"), [("2.7.0", ""), ("2.7.2", "3.2"), ("3.2.3", "3.2"), ("3.5.2", "3.5"), ("4.4.0", "3.3")]
)
def test_the_generation_of_a_release(version: str, own: str) -> None:
    kafka = choose(version)
    assert generation_of(kafka) == own
    spec, put = fitting(lambda given: Drain(**given), {}, kafka)
    assert (put, spec.constants["generation"]) == ("" if own in ("", "3.3") else own, own or "3.3")
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


def test_the_sheet_says_of_every_rule_whether_it_is_driven() -> None:
    rules = re.findall(r"^\| (P\d\.\d) \|.*\|$", SHEET, re.MULTILINE)
    driven = re.findall(r"^\| (P\d\.\d) \|(?: [\d,]+ \|)+$", SHEET, re.MULTILINE)
    assert set(RULES) | set(ARGUED) == set(rules)
    assert driven == list(RULES)
    assert [rule for rule in ARGUED if f"{rule}:" not in SHEET] == []


def test_the_sheet_tells_every_mistake() -> None:
    rows = re.findall(r"^.*\| walk \d+ \|$", SHEET, re.MULTILINE)
    assert rows == [f"| {m.name} | {m.rule} | {m.world} | walk {m.walk} |" for m in MISTAKES]
