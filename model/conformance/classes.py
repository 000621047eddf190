"""Kafka's Java classes by their simple names, wherever a version keeps them, and the private parts that are read.

Classes come from the class path, so they are in the unnamed module and reflection may open them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...checker.errors import EverystateError

COMMON, CLIENTS = "org.apache.kafka.common.", "org.apache.kafka.clients."
PRODUCER, LOG = CLIENTS + "producer.internals.", "org.apache.kafka.storage.internals.log."
PLACES: dict[str, tuple[str, ...]] = {
    "ApiKeys": (COMMON + "protocol.",),
    "ApiVersions": (CLIENTS,),
    "BrokerTopicStats": ("org.apache.kafka.storage.log.metrics.",),
    "BufferPool": (PRODUCER,),
    "ByteBufferAccessor": (COMMON + "protocol.",),
    "ChannelState": (COMMON + "network.",),
    "ClusterResourceListeners": (COMMON + "internals.",),
    "Compression": (COMMON + "compress.",),
    "CompressionRatioEstimator": (COMMON + "record.internal.", COMMON + "record."),
    "CompressionType": (COMMON + "record.internal.", COMMON + "record."),
    "DefaultHostResolver": (CLIENTS,),
    "Errors": (COMMON + "protocol.",),
    "FetchIsolation": ("org.apache.kafka.server.storage.log.",),
    "InitProducerIdResponseData": (COMMON + "message.",),
    "LogConfig": (LOG,),
    "LogContext": (COMMON + "utils.", COMMON + "utils.internals."),
    "LogDirFailureChannel": (LOG,),
    "LogStartOffsetIncrementReason": (LOG,),
    "ManualMetadataUpdater": (CLIENTS,),
    "MemoryRecords": (COMMON + "record.internal.", COMMON + "record."),
    "MetadataRecoveryStrategy": (CLIENTS,),
    "MetadataResponse": (COMMON + "requests.",),
    "MetadataResponseData": (COMMON + "message.",),
    "Metrics": (COMMON + "metrics.",),
    "NetworkClient": (CLIENTS,),
    "NetworkReceive": (COMMON + "network.",),
    "Node": (COMMON,),
    "ProduceRequest": (COMMON + "requests.",),
    "ProduceResponseData": (COMMON + "message.",),
    "ProducerBatch": (PRODUCER,),
    "ProducerMetadata": (PRODUCER,),
    "ProducerStateManagerConfig": (LOG,),
    "RecordAccumulator": (PRODUCER,),
    "RequestHeader": (COMMON + "requests.",),
    "RequestUtils": (COMMON + "requests.",),
    "RetriableException": (COMMON + "errors.",),
    "Scheduler": ("org.apache.kafka.server.util.",),
    "Selectable": (COMMON + "network.",),
    "Sender": (PRODUCER,),
    "SenderMetricsRegistry": (PRODUCER,),
    "SimpleRecord": (COMMON + "record.internal.", COMMON + "record."),
    "Time": (COMMON + "utils.",),
    "TopicPartition": (COMMON,),
    "TransactionManager": (PRODUCER,),
    "TransferableChannel": (COMMON + "network.",),
    "TxnPartitionEntry": (PRODUCER,),
    "TxnPartitionMap": (PRODUCER,),
    "UnifiedLog": (LOG,),
    "Uuid": (COMMON,),
}


@cache
def kafka(name: str) -> Any:
    """A class of Kafka; E720 where this version has none of that name."""
    import jpype

    for place in PLACES[name.partition("$")[0]]:
        try:
            return jpype.JClass(place + name)
        except TypeError:
            continue
    raise EverystateError("E720", None, what=f"the class {name}")


@cache
def place(name: str) -> str:
    """The full name of an interface, for a proxy."""
    return str(kafka(name).class_.getName())


@cache
def java(name: str) -> Any:
    """A class of the Java library."""
    import jpype

    return jpype.JClass(name)


@cache
def field(owner: str, name: str) -> Any:
    """A private field; E720 where this version has none of that name."""
    found = _opened(owner, name, kafka(owner).class_.getDeclaredFields())
    return found[0]


@cache
def method(owner: str, name: str, parameters: int) -> Any:
    """A method that is not public, by its name and the number of its parameters."""
    found = _opened(owner, name, kafka(owner).class_.getDeclaredMethods())
    return next(each for each in found if len(each.getParameterTypes()) == parameters)


def _opened(owner: str, name: str, members: Any) -> list[Any]:
    found = [member for member in members if str(member.getName()) == name]
    if not found:
        raise EverystateError("E720", None, what=f"{owner}.{name}")
    for member in found:
        member.setAccessible(True)
    return found


def wrapped(data: bytes) -> Any:
    """Bytes as a ByteBuffer."""
    import jpype

    return java("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)(data))


def taken(buffer: Any) -> bytes:
    """The bytes that remain in a ByteBuffer, taken out of it."""
    import jpype

    found = jpype.JByte[int(buffer.remaining())]
    buffer.get(found)
    return bytes(found)
