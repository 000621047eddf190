"""The model of transactions: one transactional id, its coordinator, its producers, and the leaders of its partitions."""

from __future__ import annotations

from .properties import Properties


class KafkaTransactions(Properties):
    """Apache Kafka's transactions, from KIP-98 to KIP-890 part 2."""
