"""What Kafka's own classes cannot be driven to, and why."""

from __future__ import annotations

from collections.abc import Iterator

from ...checker.language.spec import Spec
from ..kafka import KafkaProducer

OWN_WINDOW = 5
"""ProducerStateEntry.NUM_BATCHES_TO_RETAIN: a constant that javac has copied into the code that uses it."""
DRIVEN = "current"


def obstacles(spec: Spec) -> Iterator[str]:
    """The reasons why a spec cannot be held against Kafka; none where it can."""
    if not isinstance(spec, KafkaProducer):
        yield f"{type(spec).__name__} is not the Kafka model"
        return
    for name in sorted({spec.client.name, spec.server.name} - {DRIVEN}):
        yield f"its generation is {name}, and this release is of the generation {DRIVEN}"
    if spec.retained != OWN_WINDOW:
        yield f"a replica of Kafka remembers {OWN_WINDOW} batches, not {spec.retained}, and that cannot be changed"
    if spec.wide_window or spec.window_changes:
        yield "no release has producer.state.batches.to.retain"
    if spec.acks != "all":
        yield f"a producer with acks={spec.acks} is not idempotent"
    if spec.retentions and (spec.isr_shrinks or spec.unclean_elections):
        yield "a follower out of the in-sync set would have to copy a log afresh whose beginning is deleted (D12)"
    if spec.modulus and spec.modulus - spec.warm > spec.batches:
        yield "no batch comes near the wrap"
    if spec.modulus and spec.pids > 1:
        yield "only one session of a producer begins near the wrap"
