"""What the answer of an old leader says to the producer, behind that of a new one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from everystate.model import KafkaProducer
from everystate.model.generation import GENERATIONS, KIP_1269, KNOWN_LEADER
from tests.model.test_memory import after

MOVES = ("change_leader(broker=1) choosing 2, True", "learn_leader(broker=1)")
"""Broker 1 leads, with all that broker 0 had; an answer of that has left before."""
WIDE: dict[str, Any] = {"window": 2, "wide_window": 3, "max_in_flight": 3, "batches": 2, "wide_replicas": "0"}


def test_the_limit_of_an_old_leader_is_not_believed_where_the_client_knows_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """K3, and the reading that only the leader that the client knows tells it."""
    other = replace(KIP_1269, name="known-leader", limit_believes=KNOWN_LEADER)
    monkeypatch.setitem(GENERATIONS, other.name, other)
    steps = ("send(batch=0)", "handle(broker=0, batch=0)", *MOVES, "read_answer(broker=0, batch=0)")
    for generation, wide in (("kip-1269", True), ("known-leader", False)):
        state = after(KafkaProducer(generation=generation, leader_changes=1, **WIDE), *steps)
        assert (state.batch[0].status, state.partition[0].wide) == ("acked", wide)


def test_the_late_success_of_an_old_leader_does_not_take_back_the_last_acknowledged_offset() -> None:
    """C4.5, until 2.4: by this offset a producer judges what retention has deleted (C5.2)."""
    spec = KafkaProducer(generation="2.4", batches=2, leader_changes=1, deadlines=1, faults=2)
    first = ("send(batch=0)", "handle(broker=0, batch=0)", "delivery_timeout(batch=0)", "expire_batches(sweep=0)")
    second = ("send(batch=1)", "handle(broker=1, batch=1)", "read_answer(broker=1, batch=1)")
    before = after(spec, *first, *MOVES, *second)
    late = after(spec, *first, *MOVES, *second, "read_answer(broker=0, batch=0)")
    assert [state.partition[0].last_acked_offset for state in (before, late)] == [2, 2]
    assert len(late.connection[0].requests) == 0
