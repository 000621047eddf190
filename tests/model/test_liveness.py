"""Delivery: where every record has a result in the end, and where only its delivery timeout ends its retries."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.results.result import Result
from everystate.model.liveness import Delivering
from everystate.specs.kafka import SCENARIOS
from tests.selection import quick

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
PROMISE = "every_record_has_a_result"

REFUSED_FOR_EVER = {
    "current/cold-start-refused": 9,
    "4.5/cold-start-on-a-used-log": 10,
    "current/delivery-timeout-unresolved": 8,
    "current/expiry-and-refusal": 10,
    "current/old-and-new-leader-scaled": 13,
    "current/split-of-a-retry": 15,
    "current/sequence-wrap": 7,
    "kip-1269/old-and-new-leader": 14,
    "kip-1269/leader-change-equal": 17,
    "kip-1269/leader-crash-equal": 19,
    "kip-1269/leader-change-wider": 19,
    "kip-1269-min/leader-change-narrower": 16,
    "kip-1269-keep/leader-change-narrower": 19,
    "kip-1269-safe/all-together": 16,
}
"""Steps of the shortest way into the circle, and once round it."""

STOPPED = {"kip-1269-held/lost-connections": 3}
"""Steps to where a record has no result and nothing can happen any more."""


def check(name: str) -> Result:
    return delivery(**BY_NAME[name].constants)


def delivery(**constants: Any) -> Result:
    return exhaustive.check(model.build(Delivering(**constants)))


@pytest.mark.parametrize(
    "name",
    [
        "current/lost-request-or-response",
        "current/error-before-append",
        pytest.param("current/clean-leader-change", marks=pytest.mark.thorough),
        pytest.param("current/delivery-timeout", marks=pytest.mark.thorough),
        pytest.param("window/5-in-flight-5-remembered", marks=pytest.mark.thorough),
        "kip-98/one-in-flight",
    ],
)
def test_every_record_has_a_result_in_the_end(name: str) -> None:
    assert PROMISE in check(name).held


@pytest.mark.parametrize("name", quick(list(REFUSED_FOR_EVER)[:3], REFUSED_FOR_EVER))
def test_a_batch_that_is_never_next_in_line_is_refused_until_its_delivery_timeout(name: str) -> None:
    found = check(name).violation(PROMISE)
    assert found.trace is not None and found.trace.loop is not None
    assert (found.length, found.trace.length - found.trace.loop) == (REFUSED_FOR_EVER[name], 2)
    circle: list[dict[str, Any]] = [event for step in found.trace.steps[-2:] for event in step.narration]
    assert [step.action for step in found.trace.steps[-2:]] == ["send_again", "handle"]
    assert "OUT_OF_ORDER_SEQUENCE_NUMBER" in str(circle[-1]["text"])
    assert found.trace.closing.startswith("read_answer(")


def test_a_limit_that_holds_back_retries_stops_all_that_wait_for_them() -> None:
    """KIP-1269 with K4 read for retries: nothing goes round in a circle, nothing happens any more."""
    ((name, steps),) = STOPPED.items()
    found = check(name).violation(PROMISE)
    assert found.trace is not None and (found.length, found.trace.closing) == (steps, "")
    assert [step.action for step in found.trace.steps] == ["send", "send", "disconnect"]


def test_brokers_that_tell_a_duplicate_by_its_age_leave_no_circle() -> None:
    assert PROMISE in check("kip-1269-older/clients-of-today").held


@pytest.mark.thorough
def test_one_change_of_the_leader_blocks_a_partition_when_as_many_are_acknowledged_as_are_remembered() -> None:
    assert delivery(batches=6, max_in_flight=5, leader_changes=1).violation(PROMISE).length == 23
    assert PROMISE in delivery(batches=5, max_in_flight=5, leader_changes=1).held
    assert delivery(batches=3, window=2, leader_changes=1).violation(PROMISE).length == 14
    assert PROMISE in delivery(batches=2, window=2, leader_changes=1).held


def test_until_2_4_who_is_out_of_order_behind_an_unresolved_sequence_fails() -> None:
    """C5.6: it is not sent again without an end; seen on 2.3.1 and 2.4.1"""
    faults = {"disconnects": 2, "deadlines": 1, "faults": 3}
    spec = Delivering(generation="2.4", replicas=1, max_in_flight=3, spare=4, epochs=4, pids=3, **faults)
    result = exhaustive.check(model.build(spec))
    assert result.distinct == 3_869
    assert {v.property: v.length for v in result.violations} == {"AckedIsPersisted": 8, "TruthfulOffset": 8}
