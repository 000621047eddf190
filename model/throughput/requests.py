"""Requests of an idempotent producer as bytes, made by Kafka's own protocol classes."""

from __future__ import annotations

import time
from typing import Any

from ..conformance.classes import java, kafka, taken
from ..conformance.codec import TOPIC, Frame

NAME = "everystate"
TIMEOUT = 60_000


def producer_id_request() -> Frame:
    """The question for a producer id without transactions."""
    data = kafka("InitProducerIdRequestData")().setTransactionalId(None).setTransactionTimeoutMs(TIMEOUT)
    return _frame("INIT_PRODUCER_ID", data, 0)


def produce_request(topic: Any, pid: int, sequence: int, value: bytes) -> Frame:
    """A batch of one record for the first partition of a topic, in epoch 0, acks=all."""
    import jpype

    now = jpype.JLong(time.time() * 1000)  # a producer whose records are old is forgotten soon (D9)
    record = kafka("SimpleRecord")(now, jpype.JArray(jpype.JByte)(value))
    numbers = jpype.JLong(pid), jpype.JShort(0), jpype.JInt(sequence)
    records = kafka("MemoryRecords").withIdempotentRecords(kafka("Compression").NONE, *numbers, record)
    partition = kafka("ProduceRequestData$PartitionProduceData")().setIndex(0).setRecords(records)
    data = kafka("ProduceRequestData")().setAcks(jpype.JShort(-1)).setTimeoutMs(TIMEOUT)
    named = kafka("ProduceRequestData$TopicProduceData")().setName(TOPIC).setTopicId(topic)
    data.topicData().add(named.setPartitionData(java("java.util.Arrays").asList([partition])))
    return _frame("PRODUCE", data, sequence)


def _frame(api: str, data: Any, number: int) -> Frame:
    import jpype

    key = kafka("ApiKeys").valueOf(api)
    version = key.latestVersion(False)
    header = kafka("RequestHeader")(key, version, NAME, jpype.JInt(number))
    buffer = kafka("RequestUtils").serialize(header.data(), header.headerVersion(), data, version)
    return Frame(header, str(key.name), None, taken(buffer))
