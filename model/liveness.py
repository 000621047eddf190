"""Delivery: that every record has a result in the end, as long as nobody stops for ever."""

from __future__ import annotations

from everystate.checker import eventually

from .kafka import KafkaProducer
from .records import ACKED, FAILED, MISREPORTED, UNKNOWN


class Delivering(KafkaProducer):
    """Apache Kafka's idempotent producer, and what the future of each record gets in the end.

    All that is no fault is fair: the producer sends, brokers handle requests and replicate, answers are read. So a
    record without a result is one on which the protocol itself does not get on: it stops, or goes round in a circle.
    Judging takes the whole graph of steps, more memory than the search itself; hence a class of its own.
    """

    @eventually
    def every_record_has_a_result(self) -> bool:
        """every record is acknowledged or reported as failed in the end"""
        return all(self.result(b, ACKED, MISREPORTED, FAILED, UNKNOWN) for b in self.sending)
