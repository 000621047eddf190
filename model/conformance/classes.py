"""Kafka's Java classes by their simple names, in any package of a version, and access to their private parts.

Classes come from the class path, so they are in the unnamed module and reflection may open them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ...checker.errors import EverystateError

JAVA_CHANNELS = "java.nio.channels."
COMMON, CLIENTS = "org.apache.kafka.common.", "org.apache.kafka.clients."
PRODUCER, LOG = CLIENTS + "producer.internals.", "org.apache.kafka.storage.internals.log."
SCALA_LOG = "kafka.log."
COORDINATOR = ("org.apache.kafka.coordinator.transaction.", "kafka.coordinator.transaction.")
SERVER, GENERATED = "org.apache.kafka.server.common.", COORDINATOR[0] + "generated."
PLACES: dict[str, tuple[str, ...]] = {
    "AddOffsetsToTxnRequest": (COMMON + "requests.",),
    "AddOffsetsToTxnResponse": (COMMON + "requests.",),
    "AddOffsetsToTxnResponseData": (COMMON + "message.",),
    "AddPartitionsToTxnConfig": COORDINATOR,
    "AddPartitionsToTxnManager": ("org.apache.kafka.server.transaction.",),
    "AddPartitionsToTxnRequest": (COMMON + "requests.",),
    "AddPartitionsToTxnResponse": (COMMON + "requests.",),
    "AddPartitionsToTxnResponseData": (COMMON + "message.",),
    "Admin": (CLIENTS + "admin.",),
    "ApiKeys": (COMMON + "protocol.",),
    "ApiVersions": (CLIENTS,),
    "ApiVersion": ("kafka.api.",),
    "ApiVersionsResponseData": (COMMON + "message.",),
    "AppendOrigin": (LOG, SCALA_LOG),
    "BootstrapConfiguration": (CLIENTS,),
    "BrokerTopicStats": ("org.apache.kafka.storage.log.metrics.", "kafka.server."),
    "BufferPool": (PRODUCER,),
    "ByteBufferAccessor": (COMMON + "protocol.",),
    "Cluster": (COMMON,),
    "ChannelState": (COMMON + "network.",),
    "ClientDnsLookup": (CLIENTS,),
    "ClientResponse": (CLIENTS,),
    "ClusterResourceListeners": (COMMON + "internals.",),
    "Compression": (COMMON + "compress.",),
    "CompressionRatioEstimator": (COMMON + "record.internal.", COMMON + "record."),
    "CompressionType": (COMMON + "record.internal.", COMMON + "record."),
    "ConsumerGroupMetadata": (CLIENTS + "consumer.",),
    "ControlRecordType": (COMMON + "record.internal.", COMMON + "record."),
    "DefaultHostResolver": (CLIENTS,),
    "DescribeProducersRequestData": (COMMON + "message.",),
    "DescribeProducersResponseData": (COMMON + "message.",),
    "EndTransactionMarker": (COMMON + "record.internal.", COMMON + "record."),
    "EndTxnRequest": (COMMON + "requests.",),
    "EndTxnResponse": (COMMON + "requests.",),
    "EndTxnResponseData": (COMMON + "message.",),
    "Errors": (COMMON + "protocol.",),
    "FetchDataInfo": (LOG, "kafka.server."),
    "FetchIsolation": ("org.apache.kafka.server.storage.log.", LOG, "kafka.server."),
    "FetchLogEnd": ("kafka.server.",),
    "FetchRequestData": (COMMON + "message.",),
    "FetchResponseData": (COMMON + "message.",),
    "FileRecords": (COMMON + "record.internal.", COMMON + "record."),
    "FinalizedFeatures": (SERVER, SERVER + "Features"),
    "FindCoordinatorRequest": (COMMON + "requests.",),
    "FindCoordinatorResponse": (COMMON + "requests.",),
    "FindCoordinatorResponseData": (COMMON + "message.",),
    "InitProducerIdRequest": (COMMON + "requests.",),
    "InitProducerIdRequestData": (COMMON + "message.",),
    "InitProducerIdResponse": (COMMON + "requests.",),
    "InitProducerIdResponseData": (COMMON + "message.",),
    "IsolationLevel": (COMMON + "requests.",),
    "KafkaConfig": ("kafka.server.",),
    "KafkaConsumer": (CLIENTS + "consumer.",),
    "KafkaRequestHandler": ("kafka.server.",),
    "KafkaProducer": (CLIENTS + "producer.",),
    "LeaderOffsetIncremented": (SCALA_LOG,),
    "LeaderAndIsr": ("org.apache.kafka.metadata.",),
    "ListenerName": (COMMON + "network.",),
    "LogConfig": (LOG, "kafka.log."),
    "LogContext": (COMMON + "utils.", COMMON + "utils.internals."),
    "LogDirFailureChannel": (LOG, "kafka.server."),
    "LogOffsetMetadata": (LOG, "kafka.server."),
    "LogStartOffsetIncrementReason": (LOG, SCALA_LOG),
    "ManualMetadataUpdater": (CLIENTS,),
    "MemoryRecords": (COMMON + "record.internal.", COMMON + "record."),
    "LogOffsetsListener": (LOG,),
    "Metadata": (CLIENTS,),
    "MessageUtil": (COMMON + "protocol.",),
    "MetadataCache": ("org.apache.kafka.metadata.", "kafka.server."),
    "MetadataRecoveryStrategy": (CLIENTS,),
    "MetadataRequestData": (COMMON + "message.",),
    "MetadataResponse": (COMMON + "requests.",),
    "MetadataResponseData": (COMMON + "message.",),
    "MetadataVersion": (SERVER,),
    "Metrics": (COMMON + "metrics.",),
    "NetworkClient": (CLIENTS,),
    "NetworkReceive": (COMMON + "network.",),
    "NetworkSend": (COMMON + "network.",),
    "Node": (COMMON,),
    "NodeApiVersions": (CLIENTS,),
    "OffsetAndMetadata": (CLIENTS + "consumer.",),
    "Partition": ("kafka.cluster.",),
    "ProduceRequest": (COMMON + "requests.",),
    "ProduceRequestData": (COMMON + "message.",),
    "ProduceResponse": (COMMON + "requests.",),
    "ProduceResponseData": (COMMON + "message.",),
    "ProducerBatch": (PRODUCER,),
    "ProducerIdAndEpoch": (COMMON + "utils.internals.", COMMON + "utils."),
    "ProducerIdManager": (*COORDINATOR, COORDINATOR[1] + "ProducerIdGenerator"),
    "PartitionInfo": (COMMON,),
    "ProducerMetadata": (PRODUCER, CLIENTS + "Metadata"),
    "ProducerStateManager": (LOG, SCALA_LOG),
    "ProducerStateManagerConfig": (LOG, SCALA_LOG),
    "RecordAccumulator": (PRODUCER,),
    "ReplicaManager": ("kafka.server.",),
    "RequestHeader": (COMMON + "requests.",),
    "RequestLocal": (SERVER, "kafka.server."),
    "RequestUtils": (COMMON + "requests.",),
    "ResponseHeader": (COMMON + "requests.",),
    "RetriableException": (COMMON + "errors.",),
    "Scheduler": ("org.apache.kafka.server.util.", "kafka.utils."),
    "SegmentDeletion": (SCALA_LOG,),
    "Selectable": (COMMON + "network.",),
    "Sender": (PRODUCER,),
    "SenderMetricsRegistry": (PRODUCER,),
    "SimpleRecord": (COMMON + "record.internal.", COMMON + "record."),
    "Time": (COMMON + "utils.",),
    "TopicIdPartition": (COMMON,),
    "TopicPartition": (COMMON,),
    "TransactionConfig": COORDINATOR,
    "TransactionCoordinator": COORDINATOR,
    "TransactionLogKey": (GENERATED, "kafka.internals.generated."),
    "TransactionLogValue": (GENERATED, "kafka.internals.generated."),
    "TransactionManager": (PRODUCER,),
    "TransactionMarkerChannelManager": COORDINATOR,
    "TransactionResult": (COMMON + "requests.",),
    "TransactionStateManager": COORDINATOR,
    "TransactionVersion": (SERVER,),
    "TransactionalRequestResult": (PRODUCER,),
    "TransferableChannel": (COMMON + "network.", JAVA_CHANNELS + "GatheringByteChannel"),
    "TxnOffsetCommitRequest": (COMMON + "requests.",),
    "TxnOffsetCommitResponse": (COMMON + "requests.",),
    "TxnOffsetCommitResponseData": (COMMON + "message.",),
    "TxnPartitionEntry": (PRODUCER, PRODUCER + "TransactionManager$TopicPartitionEntry"),
    "TxnPartitionMap": (PRODUCER, PRODUCER + "TransactionManager$TopicPartitionBookkeeper"),
    "UnifiedLog": ("kafka.log.", LOG, "kafka.log.Log"),  # 4.0 has a class of either name, 3.0 has the oldest
    "Uuid": (COMMON,),
    "VerificationGuard": (LOG,),
    "WriteTxnMarkersResponse": (COMMON + "requests.",),
}
"""The packages that a class is in, newest first; where an older release has it by another name, that name."""
RENAMED = {
    "clientSideEpochBumpRequired": "epochBumpRequired",  # before 4.0
    "getOrCreate": "getOrCreatePartition",  # before 3.3
    "topicPartitions": "topicPartitionBookkeeping",  # before 2.5
    "txnPartitionMap": "topicPartitionBookkeeper",  # before 3.3
}
"""The older names of fields and methods."""


def kafka(name: str) -> Any:
    """A class of Kafka; E710 where this version has none of that name."""
    found = _found(name)
    if found is None:
        raise EverystateError("E710", None, version=version(), wanted=f"class {name}", there="none of that name")
    return found


def has_class(name: str) -> bool:
    """Whether this version has a class."""
    return _found(name) is not None


@cache
def _found(name: str) -> Any:
    import jpype

    for place in PLACES[name.partition("$")[0]]:
        try:
            return jpype.JClass(place + name if place.endswith(".") else place)
        except TypeError:
            continue
    return None


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
    """A private field; E710 where this version has none of that name."""
    found = _opened(owner, name, kafka(owner).class_.getDeclaredFields())
    return found[0]


@cache
def method(owner: str, name: str, parameters: int) -> Any:
    """A method that is not public, by its name and the number of its parameters."""
    found = _opened(owner, name, kafka(owner).class_.getDeclaredMethods())
    return next(each for each in found if len(each.getParameterTypes()) == parameters)


def _opened(owner: str, name: str, members: Any) -> list[Any]:
    names = (name, RENAMED.get(name))
    found = [member for member in members if str(member.getName()) in names]
    if not found:
        there = ", ".join(sorted({str(member.getName()) for member in members if "$" not in str(member.getName())}))
        raise EverystateError("E710", None, version=version(), wanted=f"{owner}.{name}", there=there)
    for member in found:
        member.setAccessible(True)
    return found


def has(owner: str, member: str) -> bool:
    """Whether a class has a method or a field of its own by that name."""
    declared = kafka(owner).class_
    return any(
        str(each.getName()) == member for each in (*declared.getDeclaredMethods(), *declared.getDeclaredFields())
    )


def has_log() -> bool:
    """Whether the log layer is there, too."""
    return has_class("UnifiedLog")


def has_java_log() -> bool:
    """Whether the log layer is there in Java, as from 4.1 on; before, it is Scala."""
    return has_log() and str(kafka("UnifiedLog").class_.getName()).startswith(LOG)


def has_verifying_log() -> bool:
    """Whether the log is in Scala and verifies transactions with the coordinator, as from 3.6 to 4.0."""
    return not has_java_log() and has_log() and has("UnifiedLog", "maybeStartTransactionVerification")


def version() -> str:
    """The release on the class path."""
    found = re.search(r"kafka-clients-([^/\\]+?)\.jar", str(java("java.lang.System").getProperty("java.class.path")))
    return found[1] if found else "?"


def wrapped(data: bytes) -> Any:
    """Bytes as a ByteBuffer."""
    import jpype

    return java("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)(data))


def taken(buffer: Any) -> bytes:
    """The bytes that remain in a ByteBuffer, taken out of it."""
    import jpype

    found = jpype.JByte[int(buffer.remaining())]
    buffer.get(found)
    return memoryview(found).tobytes()
