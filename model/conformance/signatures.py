"""How Kafka's objects are made and called in each release: signatures by the names of their parameters.

FORMS holds, for a constructor or a method, every signature that a driven release declares, newest first. The first form
whose types the class has is used, independent of the version. So a release without changes here needs no edit, and one
with changes is reported as E710, with the expected and the actual signatures.

Where the forms differ: log context, time and compression moved or vanished between 0.11 and 4.4; each parameter below
has its releases. Values that no driver varies are here, in FIXED.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from ...checker.errors import EverystateError
from .classes import kafka, version

NEVER = 1_000_000_000
"""Milliseconds: the clock never gets there."""
TYPES = {
    "abort_on_new_batch": "boolean",  # up to 3.9
    "accumulator": "RecordAccumulator",
    "acks": "short",
    "api_version": "short",
    "batch_size": "int",
    "brokers": "List",  # up to 2.2
    "buffer": "ByteBuffer",  # up to 4.0
    "bootstrap": "BootstrapConfiguration",  # from 4.4
    "callbacks": "AppendCallbacks",  # from 3.3
    "check_cluster": "boolean",  # from 4.4
    "client": "String",
    "cluster": "Cluster",  # from 3.3
    "cluster_id": "String",  # up to 2.2
    "controller": "int",  # up to 2.2
    "codec": "CompressionType",  # up to 3.7
    "creates_topics": "boolean",  # up to 2.2
    "compression": "Compression",  # from 3.8
    "delivery_timeout": "int",
    "delivery_timeout_2_1": "long",
    "expires_topics": "boolean",  # up to 2.2
    "discover_versions": "boolean",
    "dns": "ClientDnsLookup",  # up to 2.8
    "expire": "long",
    "group": "String",
    "guarantee_order": "boolean",
    "headers": "Header[]",
    "idle": "long",
    "in_flight": "int",
    "key": "byte[]",
    "linger": "int",
    "linger_2_1": "long",  # up to 2.1
    "keep_prepared": "boolean",  # from 4.1
    "listeners": "ClusterResourceListeners",
    "log": "LogContext",
    "manager": "TransactionManager",
    "max_block": "long",
    "max_request": "int",
    "memory": "long",
    "message": "MetadataResponseData",
    "metadata": "Metadata",
    "metrics": "Metrics",
    "network": "KafkaClient",
    "now": "long",
    "on_completion": "Callback",  # up to 3.2
    "on_initialization": "boolean",  # from 4.0
    "partition": "int",
    "pool": "BufferPool",
    "producer_metadata": "ProducerMetadata",
    "readable": "Readable",  # from 4.1
    "rebootstrap": "long",  # from 4.0
    "receive_buffer": "int",
    "reconnect": "long",
    "reconnect_max": "long",
    "recovery": "MetadataRecoveryStrategy",  # from 3.8
    "refresh": "long",
    "refresh_max": "long",  # from 3.7
    "request_timeout": "int",
    "resolver": "HostResolver",
    "retries": "int",
    "retry_backoff": "long",
    "retry_backoff_max": "long",  # from 3.7
    "selectable": "Selectable",
    "send_buffer": "int",
    "sender_metrics": "SenderMetricsRegistry",
    "setup": "long",  # from 2.7
    "setup_max": "long",  # from 2.7
    "telemetry": "ClientTelemetrySender",  # from 3.7
    "throttle": "Sensor",
    "time": "Time",
    "timestamp": "long",
    "topic": "String",
    "topics": "Metadata",  # from 4.4
    "topic_partition": "TopicPartition",
    "transaction_timeout": "int",
    "transactional_id": "String",
    "topic_data": "List",  # up to 2.2
    "two_phase": "boolean",  # from 4.1; 2.6 to 2.8: whether transactions may fall back to an older protocol
    "updater": "MetadataUpdater",
    "value": "byte[]",
    "versions": "ApiVersions",
}
"""The simple name of the Java type of each parameter."""

_WIRE = "client in_flight reconnect reconnect_max send_buffer receive_buffer request_timeout"
_UP_TO_2_8 = f"updater metadata selectable {_WIRE}"
_SINCE_3_0 = f"{_UP_TO_2_8} setup setup_max time discover_versions versions throttle log resolver"
_ACCUMULATOR = "delivery_timeout metrics group time"
_SENDER = (
    "log network producer_metadata accumulator guarantee_order max_request acks retries sender_metrics time "
    "request_timeout retry_backoff manager"
)
_RECORD = "timestamp key value headers"
FORMS: dict[str, tuple[str, ...]] = {
    "MetadataResponse": ("message api_version", "message", "brokers cluster_id controller topic_data"),
    **dict.fromkeys(
        (
            "AddOffsetsToTxnRequest.parse",
            "AddPartitionsToTxnRequest.parse",
            "EndTxnRequest.parse",
            "FindCoordinatorRequest.parse",
            "InitProducerIdRequest.parse",
            "ProduceRequest.parse",
            "TxnOffsetCommitRequest.parse",
        ),
        ("readable api_version", "buffer api_version"),
    ),
    "BufferPool": ("memory batch_size metrics time group",),
    "NetworkClient": (
        f"{_SINCE_3_0} telemetry rebootstrap recovery bootstrap check_cluster",
        f"{_SINCE_3_0} telemetry rebootstrap recovery",
        f"{_SINCE_3_0} telemetry recovery",
        f"{_SINCE_3_0} telemetry",
        _SINCE_3_0,
        f"selectable updater {_WIRE} setup setup_max dns time discover_versions versions log",
        f"selectable updater {_WIRE} dns time discover_versions versions log",
        f"selectable updater {_WIRE} time discover_versions versions log",
        f"selectable updater {_WIRE} time discover_versions versions",
    ),
    "ProducerMetadata": (
        "refresh refresh_max expire idle log listeners",
        "refresh refresh_max expire idle log listeners time",
        "refresh expire idle log listeners time",
        "refresh expire log listeners time",
        "refresh expire creates_topics expires_topics listeners",
    ),
    "ProducerMetadata.add": ("topic now", "topic"),
    "RecordAccumulator": (
        f"log batch_size compression linger retry_backoff retry_backoff_max {_ACCUMULATOR} manager pool",
        f"log batch_size compression linger retry_backoff retry_backoff_max {_ACCUMULATOR} versions manager pool",
        f"log batch_size codec linger retry_backoff retry_backoff_max {_ACCUMULATOR} versions manager pool",
        f"log batch_size codec linger retry_backoff {_ACCUMULATOR} versions manager pool",
        "log batch_size codec linger_2_1 retry_backoff delivery_timeout_2_1 metrics group time versions manager pool",
        "log batch_size memory codec linger_2_1 retry_backoff metrics time versions manager",
        "batch_size memory codec linger_2_1 retry_backoff metrics time versions manager",
    ),
    "RecordAccumulator.append": (
        f"topic partition {_RECORD} callbacks max_block now cluster",
        f"topic partition {_RECORD} callbacks max_block abort_on_new_batch now cluster",
        f"topic_partition {_RECORD} on_completion max_block abort_on_new_batch now",
        f"topic_partition {_RECORD} on_completion max_block abort_on_new_batch",
        f"topic_partition {_RECORD} on_completion max_block",
    ),
    "RecordAccumulator.unmutePartition": ("topic_partition", "topic_partition now"),
    "Sender": (
        _SENDER,
        f"{_SENDER} versions",
        f"{_SENDER} versions".replace("producer_metadata", "topics"),
        f"{_SENDER} versions".replace("producer_metadata", "topics").replace("log ", "").replace("sender_", ""),
    ),
    "TransactionManager": (
        "log transactional_id transaction_timeout retry_backoff versions topics two_phase",
        "log transactional_id transaction_timeout retry_backoff versions two_phase",
        "log transactional_id transaction_timeout retry_backoff versions",
        "log transactional_id transaction_timeout retry_backoff",
        "transactional_id transaction_timeout retry_backoff",
    ),
    "TransactionManager.initializeTransactions": ("keep_prepared", ""),
    "TransactionManager.maybeUpdateTransactionV2Enabled": ("on_initialization", ""),
}
"""The signatures of constructors and methods, newest first."""

FIXED: dict[str, Callable[[], Any]] = {
    "abort_on_new_batch": lambda: False,
    "acks": lambda: -1,
    "bootstrap": lambda: kafka("BootstrapConfiguration").DISABLED,
    "callbacks": lambda: None,
    "check_cluster": lambda: False,
    "client": lambda: "producer",
    "cluster_id": lambda: "cluster",
    "controller": lambda: 0,
    "creates_topics": lambda: False,
    "discover_versions": lambda: False,
    "dns": lambda: kafka("ClientDnsLookup").USE_ALL_DNS_IPS,
    "expire": lambda: NEVER,
    "expires_topics": lambda: False,
    "group": lambda: "producer-metrics",
    "headers": lambda: None,
    "idle": lambda: NEVER,
    "keep_prepared": lambda: False,
    "key": lambda: None,
    "linger": lambda: 0,
    "linger_2_1": lambda: 0,
    "listeners": lambda: kafka("ClusterResourceListeners")(),
    "max_block": lambda: 0,
    "max_request": lambda: 1 << 20,
    "memory": lambda: 1 << 25,
    "on_completion": lambda: None,
    "on_initialization": lambda: True,
    "rebootstrap": lambda: NEVER,
    "receive_buffer": lambda: -1,
    "reconnect": lambda: 0,
    "reconnect_max": lambda: 0,
    "recovery": lambda: kafka("MetadataRecoveryStrategy").NONE,
    "refresh": lambda: 0,
    "refresh_max": lambda: 0,
    "request_timeout": lambda: NEVER,
    "resolver": lambda: kafka("DefaultHostResolver")(),
    "retry_backoff": lambda: 0,
    "retry_backoff_max": lambda: 0,
    "send_buffer": lambda: -1,
    "setup": lambda: NEVER,
    "setup_max": lambda: NEVER,
    "telemetry": lambda: None,
    "throttle": lambda: None,
    "transaction_timeout": lambda: 60_000,
    "transactional_id": lambda: None,
    "two_phase": lambda: False,
}
"""Values that are the same for every driver, made when a form needs them."""


def construct(name: str, **values: Any) -> Any:
    """A new object of a class of Kafka; values are named as in FORMS, and may be more than a release wants.

    A value that is a Python function is called when it is wanted, for classes that not every release has.
    """
    return kafka(name)(*_arguments(name, name, kafka(name).class_.getConstructors(), values))


def call(target: Any, owner: str, method: str, **values: Any) -> Any:
    """The result of a public method."""
    members = [each for each in kafka(owner).class_.getMethods() if str(each.getName()) == method]
    return getattr(target, method)(*_arguments(f"{owner}.{method}", method, members, values))


def _arguments(key: str, name: str, members: Sequence[Any], values: dict[str, Any]) -> list[Any]:
    """The arguments of the first form that is declared, each of exactly the type that it says."""
    declared = {tuple(str(kind.getSimpleName()) for kind in each.getParameterTypes()): each for each in members}
    for form in FORMS[key]:
        names = form.split()
        found = declared.get(tuple(TYPES[each] for each in names))
        if found is not None:
            return [
                _typed(_value(each, values), kind) for each, kind in zip(names, found.getParameterTypes(), strict=True)
            ]
    wanted = ", ".join(TYPES[each] for each in FORMS[key][0].split())
    there = "; ".join(f"{name}({', '.join(types)})" for types in sorted(declared)) or f"no {name}"
    raise EverystateError("E710", None, version=version(), wanted=f"{key}({wanted})", there=there)


def _value(name: str, values: dict[str, Any]) -> Any:
    found = values[name] if name in values else FIXED[name]
    return found() if isinstance(found, FunctionType) else found


def _typed(value: Any, kind: Any) -> Any:
    """A value as the type of a parameter, so that overloads and null leave no choice."""
    import jpype

    name = str(kind.getName())
    if name in PRIMITIVE:
        return getattr(jpype, PRIMITIVE[name])(value)
    return jpype.JObject(None, jpype.JClass(kind)) if value is None else value


PRIMITIVE = {"boolean": "JBoolean", "int": "JInt", "long": "JLong", "short": "JShort"}
