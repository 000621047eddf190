"""Steps that a cluster cannot be made to take, and the reasons."""

from __future__ import annotations

from ..conformance.behaviour import Behaviour
from ..kafka import KafkaProducer


def unable(spec: KafkaProducer) -> dict[str, str]:
    """By action of the model why a cluster cannot be made to take it."""
    found = {"roll": "a broker begins a segment when it appends the next record, never before"}
    if spec.partitions > 1:
        found["answer_late"] = "the follower of several partitions is not held back"
        found["delete_records"] = "retention is that of a topic, so it deletes of each partition"
        found["expire_producers"] = "when producers expire is the config of a broker, so those of each partition do"
    return found


def impossible(spec: KafkaProducer, behaviour: Behaviour) -> str:
    """The first step of a trace that a cluster cannot be made to take, with the reason; empty for none."""
    why = unable(spec)
    for number, turn in enumerate(behaviour.turns, 1):
        if turn.action in why:
            return f"no cluster can be told to take step {number}, {turn}: {why[turn.action]}"
    return ""
