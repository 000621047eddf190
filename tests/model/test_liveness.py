"""Delivery: where every record has a result in the end, and where only its delivery timeout ends its retries."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.engines import exhaustive
from everystate.checker.ir import model
from everystate.checker.results.result import Result
from everystate.model.liveness import Delivering
from everystate.specs.kafka import SCENARIOS

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
}
"""Steps of the shortest way into the circle, and once round it."""


def check(name: str) -> Result:
    return exhaustive.check(model.build(Delivering(**BY_NAME[name].constants)))


@pytest.mark.parametrize(
    "name",
    [
        "current/lost-request-or-response",
        "current/error-before-append",
        "current/clean-leader-change",
        "current/delivery-timeout",
        "window/5-in-flight-5-remembered",
        "kip-98/one-in-flight",
    ],
)
def test_every_record_has_a_result_in_the_end(name: str) -> None:
    assert PROMISE in check(name).held


@pytest.mark.parametrize("name", REFUSED_FOR_EVER)
def test_a_batch_that_is_never_next_in_line_is_refused_until_its_delivery_timeout(name: str) -> None:
    found = check(name).violation(PROMISE)
    assert found.trace is not None and found.trace.loop is not None
    assert (found.length, found.trace.length - found.trace.loop) == (REFUSED_FOR_EVER[name], 2)
    circle: list[dict[str, Any]] = [event for step in found.trace.steps[-2:] for event in step.narration]
    assert [step.action for step in found.trace.steps[-2:]] == ["send_again", "handle"]
    assert "OUT_OF_ORDER_SEQUENCE_NUMBER" in str(circle[-1]["text"])
    assert found.trace.closing.startswith("read_answer(")
