"""The Kafka model: one producer, its connections, and the replicas of its partitions."""

from __future__ import annotations

from .lemmas import Lemmas
from .tables import Tables


class KafkaProducer(Tables, Lemmas):
    """Apache Kafka's idempotent producer, from KIP-98 to KIP-1269."""

    conformance = "everystate.model.conformance.harness:KAFKA"
