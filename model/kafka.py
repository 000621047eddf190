"""The Kafka model: one producer, its connections, and the replicas of its partitions."""

from __future__ import annotations

from .properties import Properties


class KafkaProducer(Properties):
    """Apache Kafka's idempotent producer, from KIP-98 to KIP-1269."""
