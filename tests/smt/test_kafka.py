"""Inductive proofs of the Kafka model: lost connections are harmless as long as the window holds what is in flight."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker.engines.symbolic import inductive
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.language import marks
from everystate.checker.results.verdict import Verdict
from everystate.model import KafkaProducer
from everystate.specs.kafka import SCENARIOS

from .visited import visited

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
PROMISES = {
    "NoDuplicate",
    "NoGap",
    "InOrder",
    "AckedIsPersisted",
    "TruthfulOffset",
    "NoFalseFailure",
    "SequencesContiguous",
}
LEMMAS = [
    "nothing_is_refused",
    "batches_go_in_order",
    "in_flight_is_bounded",
    "the_producer_counts",
    "batches_keep_their_sequence",
    "the_connection_carries_what_is_sent",
    "the_connection_keeps_the_order",
    "answers_come_in_order",
    "the_log_is_in_order",
    "the_log_has_what_was_answered",
]


def kafka(name: str, **constants: Any) -> KafkaProducer:
    return KafkaProducer(**{**BY_NAME[name].constants, **constants})


def prove(spec: KafkaProducer, *names: str) -> inductive.Induction:
    return inductive.prove(model.build(spec), Question(0, names, seconds=120))


@pytest.mark.parametrize(
    "constants",
    [
        {},
        {"acks": "1", "warm": 0},
        pytest.param({"partitions": 2, "batches": 6, "disconnects": 500, "faults": 500}, marks=pytest.mark.thorough),
        pytest.param({"generation": "2.4"}, marks=pytest.mark.thorough),
    ],
)
def test_lost_connections_are_harmless_after_any_number_of_steps(constants: dict[str, Any]) -> None:
    found = prove(kafka("window/2-in-flight-2-remembered", **constants))
    assert found.result.verdict is Verdict.PROVED
    assert set(found.result.held) == PROMISES and "no action fails" in found.result.statement
    assert ", within LogFits, 1-induction with 10 lemmas); all_acknowledged, " in found.result.statement
    assert found.result.statement.endswith(" are not judged")
    assert [c.name for c in found.used] == LEMMAS and not found.dropped


def test_the_lemmas_hold_in_every_reachable_state() -> None:
    spec = kafka("window/2-in-flight-2-remembered", batches=3)
    for state in visited(spec):
        assert all(spec.property_holds(name, state) for name in spec._named(marks.LEMMA))


def test_one_more_in_flight_than_remembered_has_a_reachable_counterexample() -> None:
    found = prove(kafka("window/2-in-flight-1-remembered"), "NoDuplicate")
    assert found.result.verdict is Verdict.VIOLATED
    assert [(v.property, v.length) for v in found.result.violations] == [("NoDuplicate", 11)]
    assert [(o.property, o.trace.length, o.first) for o in found.obstacles] == [
        ("NoDuplicate", 1, "reachable, after 10 steps")
    ]
    assert "nothing_is_refused" in {c.name for c in found.dropped}


def test_lemmas_cost_a_search_nothing() -> None:
    traced = model.build(kafka("window/1-in-flight-1-remembered"))
    assert not {p.name for p in traced.properties} & set(LEMMAS)
