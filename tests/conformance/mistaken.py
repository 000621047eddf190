"""A model with a mistake, for Kafka to find."""

from __future__ import annotations

from everystate.model import KafkaProducer
from everystate.model.records import APPENDED, OUT_OF_ORDER


class RefusesUnknown(KafkaProducer):
    """B4.1 as it is not: a producer that nobody knows has to begin at 0."""

    def answer_to_unknown(self, partition: int, sequence: int) -> str:
        return APPENDED if sequence == 0 else OUT_OF_ORDER
