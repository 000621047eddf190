"""Decodes requests on the client's connections, and encodes their answers.

Kafka's own protocol classes read and write the bytes; this module implements nothing of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .classes import has, has_class, java, kafka, taken, wrapped
from .signatures import call

TOPIC = "topic"
NO_ERROR = "NONE"
OLDER = {
    "INVALID_RECORD": "INVALID_TIMESTAMP",
    "NOT_LEADER_OR_FOLLOWER": "NOT_LEADER_FOR_PARTITION",
    "PRODUCER_FENCED": "INVALID_PRODUCER_EPOCH",
    "TRANSACTION_ABORTABLE": "INVALID_TXN_STATE",
}


@dataclass(frozen=True)
class Produced:
    """The batch of a produce request, as the client stamped it; `records` is Kafka's MemoryRecords."""

    partition: int
    ids: tuple[int, ...]
    pid: int
    epoch: int
    sequence: int
    records: Any


@dataclass
class Frame:
    """A request on a connection; `batch` is None where it does not produce, `data` are its bytes.

    `rest` are the batches of its other partitions.
    """

    header: Any
    api: str
    batch: Produced | None
    data: bytes
    rest: tuple[Produced, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a broker says of one batch: an error code by name, the offset of a success, and where the log begins.

    `place` is that of the batch in the log when it is answered; -1 where another batch is at that offset.
    """

    code: str
    offset: int = -1
    start: int = 0
    place: int = -1


def read_frame(data: bytes) -> Frame:
    """A request from its bytes."""
    buffer = wrapped(data)
    header = kafka("RequestHeader").parse(buffer)
    api = _api_of(header)
    if api != "Produce":
        return Frame(header, api, None, data)
    request = call(
        kafka("ProduceRequest"),
        "ProduceRequest",
        "parse",
        buffer=buffer,
        readable=lambda: kafka("ByteBufferAccessor")(buffer),
        api_version=header.apiVersion(),
    )
    first, *rest = (read_batch(records, partition) for partition, records in _records(request))
    return Frame(header, api, first, data, tuple(rest))


def _api_of(header: Any) -> str:
    """The name of a request; 0.11 has its number."""
    found = header.apiKey()
    return str((kafka("ApiKeys").forId(found) if isinstance(found, int) else found).name)


def _records(request: Any) -> Iterator[tuple[int, Any]]:
    """The partitions of a produce request with their records."""
    if has("ProduceRequest", "data"):
        yield from (
            (part.index(), part.records()) for topic in request.data().topicData() for part in topic.partitionData()
        )
    else:
        for entry in request.partitionRecordsOrFail().entrySet():
            yield entry.getKey().partition(), entry.getValue()


def read_batch(records: Any, partition: int) -> Produced:
    """The one batch of some records."""
    batch = next(iter(records.batches()))
    ids = tuple(read_value(record.value()) for record in batch)
    return Produced(
        int(partition), ids, int(batch.producerId()), int(batch.producerEpoch()), int(batch.baseSequence()), records
    )


def value(record: int, size: int = 0) -> bytes:
    """The value of a record: its number, filled up to a size."""
    return str(record).encode().ljust(size)


def read_value(buffer: Any) -> int:
    """The number of a record."""
    return int(taken(buffer))


def produce_answer(frame: Frame, answer: Answer) -> bytes:
    """The bytes of an answer to a produce request for one partition."""
    assert frame.batch is not None and not frame.rest, "a request with one batch"
    return produce_answers(frame, {frame.batch.partition: answer})


def produce_answers(frame: Frame, answers: Mapping[int, Answer]) -> bytes:
    """The bytes of an answer to a produce request: a result for each of its partitions."""
    import jpype

    if not has_messages():
        return _old_produce_answers(frame, answers)
    data, reply = kafka("ProduceResponseData")(), []
    for index, answer in answers.items():
        partition = kafka("ProduceResponseData$PartitionProduceResponse")()
        partition.setIndex(index).setBaseOffset(answer.offset).setErrorCode(error_of(answer.code).code())
        partition.setLogStartOffset(answer.start)
        reply.append(jpype.JObject(partition))
    topic = kafka("ProduceResponseData$TopicProduceResponse")().setName(TOPIC)
    if hasattr(topic, "setTopicId"):
        topic.setTopicId(topic_id())
    topic.setPartitionResponses(java("java.util.Arrays").asList(reply))
    data.responses().add(topic)
    return serialized(frame, data)


def producer_id_answer(frame: Frame, pid: int, epoch: int) -> bytes:
    """The bytes of an answer to InitProducerId."""
    import jpype

    if not has("InitProducerIdResponse", "data"):  # up to 2.2
        response = kafka("InitProducerIdResponse")(0, error_of(NO_ERROR), jpype.JLong(pid), jpype.JShort(epoch))
        return old_serialized(frame, response)
    data = kafka("InitProducerIdResponseData")().setProducerId(pid).setProducerEpoch(jpype.JShort(epoch))
    return serialized(frame, data) if has_messages() else old_serialized(frame, kafka("InitProducerIdResponse")(data))


def has_messages() -> bool:
    """Whether answers are serialized from generated messages; up to 2.7 they are from a Struct."""
    return has("ProduceRequest", "data")


def tells_log_start() -> bool:
    """Whether an answer has where the log begins, as from 1.0 on."""
    return has("ProduceResponse$PartitionResponse", "logStartOffset")


def _old_produce_answers(frame: Frame, answers: Mapping[int, Answer]) -> bytes:
    reply = java("java.util.HashMap")()
    for index, answer in answers.items():
        given = (error_of(answer.code), answer.offset, -1, answer.start)
        found = kafka("ProduceResponse$PartitionResponse")(*given[: 4 if tells_log_start() else 3])
        reply.put(kafka("TopicPartition")(TOPIC, index), found)
    return old_serialized(frame, kafka("ProduceResponse")(reply))


def old_serialized(frame: Frame, response: Any) -> bytes:
    """The bytes of an answer, up to 2.7."""
    buffer = response.serialize(frame.header.apiVersion(), frame.header.toResponseHeader())
    return memoryview(buffer.array()).tobytes()[: int(buffer.limit())]


def topic_id() -> Any:
    """The id of the one topic; topics have none before 2.8."""
    return kafka("Uuid")(7, 7) if has_class("Uuid") else None


def serialized(frame: Frame, data: Any) -> bytes:
    """The bytes of an answer that is a generated message."""
    header, version = frame.header.toResponseHeader(), frame.header.apiVersion()
    buffer = kafka("RequestUtils").serialize(header.data(), header.headerVersion(), data, version)
    return memoryview(buffer.array()).tobytes()[: int(buffer.limit())]


def error_of(code: str) -> Any:
    """An error by the name that it has from 3.8 on."""
    return kafka("Errors").valueOf(code if code in known_errors() else OLDER[code])


@cache
def known_errors() -> frozenset[str]:
    """The names of all errors."""
    return frozenset(str(each.name()) for each in kafka("Errors").values())


def is_retriable(code: str) -> bool:
    """Whether the producer may send a batch again after this error (C5.7)."""
    return isinstance(error_of(code).exception(), kafka("RetriableException"))
