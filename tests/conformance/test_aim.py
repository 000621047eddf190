"""Walks that aim: what a step would show is foreseen exactly, and rare rules are met."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.model.conformance.aim import Aim
from everystate.model.conformance.bridges import bridge_of
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.mapping import OBSERVABLES
from everystate.model.conformance.walks import WalkShape
from everystate.specs.drain.environments import ENVIRONMENTS as OF_DRAINS
from everystate.specs.kafka.environments import ENVIRONMENTS
from everystate.specs.transactions.environments import ENVIRONMENTS as OF_TRANSACTIONS

MODEL = "everystate.model.kafka:KafkaProducer"
TRANSACTIONS = "everystate.model.transactions:KafkaTransactions"
CASES = [
    (MODEL, ENVIRONMENTS["storage"], "producers"),
    ("everystate.model.drain:Drain", next(iter(OF_DRAINS.values())), "producers"),
    (TRANSACTIONS, OF_TRANSACTIONS["new"], "producers"),
    (TRANSACTIONS, OF_TRANSACTIONS["new"], "coordinator"),
]


@pytest.mark.parametrize(("place", "constants", "name"), CASES)
def test_what_is_foreseen_is_what_is_observed(place: str, constants: dict[str, Any], name: str) -> None:
    """And it is only looked at: the walk is the same as without it."""
    spec = load(place, constants)
    bridge = bridge_of(spec, name)
    spec = bridge.walked(spec)
    dice, model = random.Random(1), bridge.model(spec)
    seen: Any = OBSERVABLES if place == MODEL else ()
    for _ in range(12):
        steps = [step for i in spec.instances for step in model.steps(i) if model.fits(step)]
        step = dice.choice(steps)
        move, foreseen = model.foresee(step, seen)
        assert model.take(step) == move
        observed = model.observe(seen)
        differs = {key for key, value in foreseen.items() if observed[key] != value}
        assert {key for key in differs if not key.startswith(OF_WHAT_COMES_NEXT)} == set()


OF_WHAT_COMES_NEXT = ("what the producer does next", "what the sweep", "the producer ", "broker ", "who executes")
"""These take most of the time, and show no rule after a step, so they are not foreseen."""


def test_the_rarest_rule_is_chosen_until_each_was_met_often_enough() -> None:
    aim = Aim(lambda setup, move, before, after: move.split(), least=2)
    aim.met.update(["often"] * 2)
    model = SimpleNamespace(foresee=lambda step, seen: (step, {}))
    sides = SimpleNamespace(seen=[SimpleNamespace(kafka={})], setup=None, kafka=SimpleNamespace(seen=()), model=model)
    steps: list[Any] = ["often", "often rare", ""]
    assert aim.choose(sides, steps) == steps[1]
    aim.met.update(["rare"] * 2)
    assert aim.choose(sides, steps) is None
    assert (aim.in_vain, aim.choose(sides, [])) == (1, None)


@pytest.mark.thorough
@pytest.mark.kafka
def test_rare_rules_are_met_and_mistakes_in_them_found(kafka: Callable[..., Any]) -> None:
    """In the environments that can show them; 13 walks each are `conform environments --walks 247`."""
    place = Path(__file__).with_name("mistakes.py")
    planted = [(MODEL, "splits"), *((f"{place}:{name}", environment) for name, environment in PLANTED)]
    jobs = [
        Job("", (Plan("", place, ENVIRONMENTS[name], walks=range(13)),), load, WalkShape(aim=10), shrinks=False, most=1)
        for place, name in planted
    ]
    right, *wrong = kafka(work_all, jobs)
    assert (right.found, right.rules["C11"] >= 3, "C11" in right.unmet) == ([], True, False)
    assert [bool(report.found) for report in wrong] == [True] * len(PLANTED)


PLANTED = [
    ("HalvesTimeOutApart", "splits"),
    ("MixesPairs", "two-partitions"),
    ("IgnoresReopened", "requests"),
    ("LoadsTheExpired", "storage"),
]
"""Mistakes in C11, C2.3, C5.4 and D8 that six walks at random do not find, each with an environment."""
