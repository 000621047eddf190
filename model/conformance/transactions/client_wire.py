"""Decodes the client's requests to the coordinator, and encodes the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..classes import has, java, kafka, wrapped
from ..codec import TOPIC, Frame, error_of, old_serialized, serialized
from ..signatures import call

FIND_COORDINATOR, INIT_PRODUCER_ID = "FindCoordinator", "InitProducerId"
ADD_PARTITIONS, END_TXN = "AddPartitionsToTxn", "EndTxn"
ADD_OFFSETS, COMMIT_OFFSETS = "AddOffsetsToTxn", "TxnOffsetCommit"


@dataclass(frozen=True)
class CoordinatorRequest:
    """A request to the coordinator: producer id and epoch, the partitions that are to join, whether it commits.

    `offsets` are those to be committed for the partitions of a group.
    """

    api: str
    pair: tuple[int, int] = (-1, -1)
    partitions: tuple[int, ...] = ()
    commit: bool = False
    offsets: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        more = [f"id {self.pair[0]} epoch {self.pair[1]}"] if self.pair[0] >= 0 else ["no id"]
        more += [f"partitions {', '.join(map(str, self.partitions))}"] if self.partitions else []
        more += ["commit" if self.commit else "abort"] if self.api == END_TXN else []
        more += [f"offset {offset} of partition {partition}" for partition, offset in self.offsets]
        return f"{self.api}({', '.join(more)})"


def read_request(frame: Frame) -> CoordinatorRequest:
    """The content of a request to the coordinator."""
    request = _request(frame)
    if frame.api == FIND_COORDINATOR:
        return CoordinatorRequest(frame.api)
    if frame.api == ADD_PARTITIONS:
        return _read_partitions(request)
    data = _data(request) if hasattr(request, "data") else request
    commit = frame.api == END_TXN and bool(data.committed())
    offsets = _read_offsets(data) if frame.api == COMMIT_OFFSETS else ()
    return CoordinatorRequest(
        frame.api, (int(data.producerId()), int(data.producerEpoch())), commit=commit, offsets=offsets
    )


def _read_offsets(data: Any) -> tuple[tuple[int, int], ...]:
    found = [each for topic in data.topics() for each in topic.partitions()]
    return tuple(sorted((int(each.partitionIndex()), int(each.committedOffset())) for each in found))


def _read_partitions(request: Any) -> CoordinatorRequest:
    """AddPartitionsToTxn: a message since 2.6, with fields of its own for clients since 3.6."""
    if not hasattr(request, "data"):
        found, of = [tp.partition() for tp in request.partitions()], request
        return CoordinatorRequest(
            ADD_PARTITIONS, (int(of.producerId()), int(of.producerEpoch())), tuple(sorted(map(int, found)))
        )
    of = _data(request)
    if hasattr(of, "producerId"):
        topics, pair = of.topics(), (of.producerId(), of.producerEpoch())
    else:
        topics, pair = of.v3AndBelowTopics(), (of.v3AndBelowProducerId(), of.v3AndBelowProducerEpoch())
    found = sorted(int(partition) for topic in topics for partition in topic.partitions())
    return CoordinatorRequest(ADD_PARTITIONS, (int(pair[0]), int(pair[1])), tuple(found))


def _request(frame: Frame) -> Any:
    buffer = wrapped(frame.data)
    kafka("RequestHeader").parse(buffer)
    name = f"{frame.api}Request"
    return call(
        kafka(name),
        name,
        "parse",
        buffer=buffer,
        readable=lambda: kafka("ByteBufferAccessor")(buffer),
        api_version=frame.header.apiVersion(),
    )


def _data(holder: Any) -> Any:
    """The message in a request; in older releases a field."""
    found = holder.data
    return found() if callable(found) else found


def coordinator_answer(frame: Frame, node: int) -> bytes:
    """The answer to FindCoordinator: a node."""
    data = kafka("FindCoordinatorResponseData")()
    if hasattr(data, "coordinators") and int(frame.header.apiVersion()) >= BATCHED:
        found = kafka("FindCoordinatorResponseData$Coordinator")().setNodeId(node).setHost("localhost").setPort(9092)
        key = _data(_request(frame)).coordinatorKeys()
        data.setCoordinators(java("java.util.Arrays").asList([found.setKey(key.get(0))]))
    else:
        data.setNodeId(node).setHost("localhost").setPort(9092)
    return _bytes(frame, data, lambda: kafka("FindCoordinatorResponse")(data))


BATCHED = 4
"""The version of FindCoordinator from which on it has several keys."""


def answer_to(frame: Frame, code: str, pair: tuple[int, int] | None = None) -> bytes:
    """The answer of a coordinator: an error by name, or NONE with the pair that it gives, if any."""
    if frame.api == ADD_PARTITIONS:
        return _partitions_answer(frame, code)
    if frame.api == COMMIT_OFFSETS:
        return _offsets_answer(frame, code)
    if frame.api == ADD_OFFSETS and not has("AddOffsetsToTxnResponse", "data"):
        return old_serialized(frame, kafka("AddOffsetsToTxnResponse")(0, error_of(code)))
    data = kafka(f"{frame.api}ResponseData")().setErrorCode(error_of(code).code())
    if pair is not None and hasattr(data, "setProducerId"):
        import jpype

        data.setProducerId(pair[0]).setProducerEpoch(jpype.JShort(pair[1]))
    return _bytes(frame, data, lambda: kafka(f"{frame.api}Response")(data))


def _partitions_answer(frame: Frame, code: str) -> bytes:
    errors = java("java.util.HashMap")()
    for partition in read_request(frame).partitions:
        errors.put(kafka("TopicPartition")(TOPIC, partition), error_of(code))
    response = kafka("AddPartitionsToTxnResponse")
    if has("AddPartitionsToTxnResponse", "resultForTransaction"):
        data = kafka("AddPartitionsToTxnResponseData")()
        data.setResultsByTopicV3AndBelow(response.resultForTransaction("", errors).topicResults())
        return serialized(frame, data)
    found = response(0, errors)
    return (
        serialized(frame, found.data())
        if hasattr(found, "data") and callable(found.data)
        else old_serialized(frame, found)
    )


def _offsets_answer(frame: Frame, code: str) -> bytes:
    data = kafka("TxnOffsetCommitResponseData")()
    for topic in _data(_request(frame)).topics():
        told = kafka("TxnOffsetCommitResponseData$TxnOffsetCommitResponseTopic")().setName(topic.name())
        if hasattr(told, "setTopicId"):
            told.setTopicId(topic.topicId())
        for partition in topic.partitions():
            each = kafka("TxnOffsetCommitResponseData$TxnOffsetCommitResponsePartition")()
            told.partitions().add(
                each.setPartitionIndex(partition.partitionIndex()).setErrorCode(error_of(code).code())
            )
        data.topics().add(told)
    return _bytes(frame, data, lambda: kafka("TxnOffsetCommitResponse")(data))


def _bytes(frame: Frame, data: Any, response: Callable[[], Any]) -> bytes:
    return serialized(frame, data) if has("ProduceRequest", "data") else old_serialized(frame, response())
