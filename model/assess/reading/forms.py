"""The forms in which people write settings of Kafka: one table. A new form is a row, and a line in its test.

A row says what keys look like, what they set, and by whose rules: `pattern` matches the whole key with dots, where the
names of environment variables are in lower case with dots, and its group `name` is the name of the setting in any
spelling. The first row that matches a key, and whose group is a name that its part knows, takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from .entries import Document
from .names import BROKER, LIBRDKAFKA, PRODUCER, TOPIC, known, named

NAME = r"(?P<name>[^/]+)"
BRACED = r"\[?(?P<name>[^/\[\]]+)\]?"


@dataclass(frozen=True)
class Form:
    """How keys of one kind are written; `where` says in which documents, `rank` which value goes before another."""

    title: str
    pattern: str
    part: str = PRODUCER
    where: Callable[[Document], bool] = lambda document: True
    rank: int = 1
    client: str = ""
    label: str = ""
    """The group of the pattern that tells producers of one document from each other."""
    only: dict[str, str] | None = None
    """Names of this form, and those of Kafka; None where Kafka's own are used."""
    warning: str = ""
    """Why a key of this form has no effect."""

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern, re.IGNORECASE)


def any_of(*names: str) -> Callable[[Document], bool]:
    """Documents that have one of some keys."""
    return lambda document: any(_plain(entry.name) in names for entry in document.entries)


def begins(*prefixes: str) -> Callable[[Document], bool]:
    """Documents with a key that begins like this."""
    return lambda document: any(_plain(entry.name).startswith(prefixes) for entry in document.entries)


def syntax(*names: str) -> Callable[[Document], bool]:
    """Documents that are written so."""
    return lambda document: document.syntax in names


def kind(*names: str) -> Callable[[Document], bool]:
    """Manifests of one of some kinds."""
    return lambda document: document.get("kind") in names


def _of_topic(document: Document) -> bool:
    """What a tool says of a topic, not of a broker."""
    return document.syntax == "described" and not document.name.startswith(("broker", "default", "cluster"))


def _of_librdkafka(document: Document) -> bool:
    """Documents with a name that only librdkafka has, in any section."""
    own = known()[LIBRDKAFKA]
    names = (each for e in document.entries for each in (e.name, e.name.partition(".")[2], *e.path[-1:]))
    return any(name in own for name in names)


def _snake(document: Document) -> bool:
    """Names with underscores, as in Python."""
    keys = [entry.name for entry in document.entries]
    snake = [key for key in keys if re.fullmatch(r"[a-z]+(_[a-z]+)+", key) and named(key, PRODUCER)]
    return bool(snake) and not any("." in key and named(key, PRODUCER) == key for key in keys)


def _sarama(document: Document) -> bool:
    """Names of sarama, or of a program of Go that uses it."""
    return any(re.search(r"(?i)(required[_-]?acks|idempotent_writes|maxopenrequests)$", e.name) and
               e.name.upper() != e.name and e.name != "request.required.acks" for e in document.entries)  # fmt: skip


def _environment(document: Document) -> bool:
    """Documents that may have environment variables: files of them, YAML, and the containers of a task of ECS."""
    listed = any("environment" in entry.path for entry in document.entries)
    return document.syntax in ("env", "yaml") or (document.syntax == "json" and listed)


def _kafkajs(document: Document) -> bool:
    """Data with a name that only KafkaJS has."""
    own = {"maxInFlightRequests", "idempotent"}
    return document.syntax == "json" and any(own & set(entry.path[-1:]) for entry in document.entries)


def _of_java(document: Document) -> bool:
    """Data with the name of a class of Java, which librdkafka refuses."""
    own = {"key.serializer", "value.serializer", "partitioner.class", "interceptor.classes"}
    return document.syntax != "source" and any(entry.path[-1:] and entry.path[-1] in own for entry in document.entries)


def _librdkafka(document: Document) -> bool:
    """Data or a program with plain keys, of no other client."""
    written = document.syntax in ("json", "source", "toml") and document.library in ("", LIBRDKAFKA)
    return written and not _of_java(document)


def _plain(name: str) -> str:
    last = name.rpartition(".")[2]
    return variable(last) if last.isupper() else name


def variable(name: str) -> str:
    """The key that an environment variable stands for: dots for underscores, as the images of Kafka read them."""
    text = name.lower().replace("___", "-").replace("__", "%").replace("_", ".")
    return text.replace("%", "_")


WORKER = any_of(
    "offset.storage.topic",
    "config.storage.topic",
    "status.storage.topic",
    "offset.storage.file.filename",
    "connect.offset.storage.topic",
    "connect.config.storage.topic",
    "plugin.path",
    "key.converter",
)
CONNECTOR = any_of("connector.class", "config.connector.class", "spec.class")
STREAMS = any_of("application.id", "processing.guarantee", "num.stream.threads", "default.key.serde")
MIRROR = any_of("clusters")
SINK = begins("debezium.sink.", "debezium.source.")
SARAMA_NAMES = {"requiredacks": "acks", "producer.requiredacks": "acks", "producer.idempotent": "enable.idempotence",
                "producer.retry.max": "retries", "maxopenrequests": "max.in.flight.requests.per.connection",
                "producer.transaction.id": "transactional.id", "required_acks": "acks", "required-acks": "acks",
                "requiredAcks": "acks", "idempotent_writes": "enable.idempotence", "max_retry": "retries",
                "retry.max": "retries", "idempotent": "enable.idempotence", "max_retries": "retries"}  # fmt: skip
FRANZ_NAMES = {"requiredacks": "acks", "disableidempotentwrite": "enable.idempotence",
               "idempotent_write": "enable.idempotence", "transactionalid": "transactional.id",
               "recordretries": "retries",
               "maxproducerequestsinflightperbroker": "max.in.flight.requests.per.connection"}  # fmt: skip

OF_STREAMS = "it is for the internal topics of Kafka Streams only"
CONNECT, STREAM, QUARKUS, BINDER = "Kafka Connect", "Kafka Streams", "SmallRye", "Spring Cloud Stream"
MIRRORS, STRIMZI_CONNECT = "MirrorMaker", "Strimzi KafkaConnect"
SARAMA, FRANZ, KAFKA_PYTHON, FLINK = "sarama", "franz-go", "kafka-python", "Flink"
KAFKAJS, KAFKA_GO = "KafkaJS", "kafka-go"
KAFKAJS_NAMES = {"acks": "acks", "idempotent": "enable.idempotence", "transactionalid": "transactional.id",
                 "maxinflightrequests": "max.in.flight.requests.per.connection", "retries": "retries",
                 "clientid": "client.id"}  # fmt: skip
KAFKA_GO_NAMES = {"requiredacks": "acks", "maxattempts": "retries"}
PREFIXED = ("a prefix kafka.producer", "a prefix producer", "a prefix kafka")
CHANNEL = r"(?:%(?P<profile>[\w-]+)\.)?mp\.messaging\.outgoing\.\"?(?P<label>[^.\"]+)\"?\."
RESOURCE = r"resource\.(?:\d+\.)?\w*topic\w*\.(?P<label>[^.]+)\.(?:\d+\.)?"
LISTED = r"(?:.*[._])?topics\.(?P<label>[^.]+)\."

FORMS = (
    # -- frameworks of Java ------------------------------------------------------------------------------------
    Form("Spring Boot", rf"spring\.kafka\.producer\.properties\.?{BRACED}", rank=3),
    Form("Spring Boot", r"spring\.kafka\.producer\.(?P<name>transaction-?id-?prefix|transaction\.id\.prefix)", rank=3,
         only={"transactionidprefix": "transactional.id"}),
    Form("Spring Boot", rf"spring\.kafka\.producer\.{NAME}", rank=2),
    Form("Spring Boot", rf"spring\.kafka\.properties\.?{BRACED}", rank=1),
    Form("Spring Boot", rf"spring\.kafka\.streams\.properties\.(?:producer\.)?{BRACED}"),
    Form("Spring Boot", r"spring\.kafka\.streams\.(?P<name>replication-?factor)", TOPIC, warning=OF_STREAMS),
    Form(BINDER, rf"spring\.cloud\.stream\.kafka\.bindings\.(?P<label>[^.]+)\.producer\.configuration\.{BRACED}",
         rank=4, label="label"),
    Form(BINDER, rf"spring\.cloud\.stream\.(?:kafka\.)?binders?\.(?:.*\.)?producer-?properties\.?{BRACED}", rank=3),
    Form(BINDER, r"spring\.cloud\.stream\.kafka\.binder\.(?P<name>required-?acks)", rank=2,
         only={"requiredacks": "acks"}),
    Form(BINDER, r"spring\.cloud\.stream\.kafka\.binder\.transaction\.(?P<name>transaction-?id-?prefix)", rank=3,
         only={"transactionidprefix": "transactional.id"}),
    Form(BINDER, rf"spring\.cloud\.stream\.kafka\.binder\.(?:transaction\.producer\.)?configuration\.{BRACED}"),
    Form(BINDER, r"spring\.cloud\.stream\.kafka\.binder\.(?P<name>replication-?factor|min-?partition-?count)", TOPIC),
    Form(QUARKUS, CHANNEL + NAME, rank=3, label="label"),
    Form(QUARKUS, rf"(?:%[\w-]+\.)?mp\.messaging\.connector\.smallrye-kafka\.{NAME}", rank=2),
    Form("Kafka Streams in Quarkus", rf"(?:%[\w-]+\.)?kafka-streams\.(?:producer\.)?{NAME}", rank=3),
    Form("Micronaut", rf"kafka\.producers\.\"?(?P<label>[^.\"]+)\"?\.{NAME}", rank=3, label="label"),
    Form(QUARKUS, rf"(?:%(?P<profile>[\w-]+)\.)?kafka\.{NAME}", where=begins("mp.messaging.outgoing.")),
    Form("Helidon or SmallRye", rf"mp\.messaging\.connector\.[^.]+\.{NAME}"),
    Form("Alpakka or Pekko", rf"(?:akka|pekko)\.kafka\.producer\.kafka-clients\.{NAME}"),
    # -- programs around Kafka ---------------------------------------------------------------------------------
    Form(CONNECT, r"(?:.*\.)?producer\.override\.(?P<name>.+)", where=CONNECTOR, rank=3),
    Form(CONNECT, r"(?:connect\.)?producer\.override\.(?P<name>.+)", where=WORKER,
         warning="producer.override is a prefix of connectors, which a worker ignores; its own prefix is producer"),
    Form(CONNECT, rf"(?:connect\.)?producer\.{NAME}", where=WORKER, rank=2),
    Form(STRIMZI_CONNECT, rf"spec\.(?:clusters\.\d+\.|target\.)?config\.producer\.{NAME}",
         where=kind("KafkaConnect", "KafkaMirrorMaker2")),
    Form(STRIMZI_CONNECT, rf"spec\.mirrors\.\d+\.\w+Connector\.config\.producer\.override\.{NAME}",
         where=kind("KafkaMirrorMaker2"), rank=3),
    Form(STRIMZI_CONNECT, r"spec\.mirrors\.\d+\.sourceConnector\.config\.(?P<name>replication\.factor)", TOPIC,
         where=kind("KafkaMirrorMaker2")),
    Form(CONNECT, rf"producer\.{NAME}", where=CONNECTOR,
         warning="a connector's prefix is producer.override; Connect ignores producer here"),
    Form(MIRRORS, rf"(?P<label>[\w-]+(?:->[\w-]+)?)\.producer\.(?:override\.)?{NAME}", where=MIRROR, rank=2,
         label="label"),
    Form(MIRRORS, rf"producer\.{NAME}", where=MIRROR),
    Form(MIRRORS, r"(?:[\w-]+->[\w-]+\.)?(?P<name>replication\.factor)", TOPIC, where=MIRROR),
    Form("Debezium Server", rf"debezium\.sink\.kafka\.producer\.{NAME}", where=SINK),
    Form("ksqlDB", rf"(?:ksql\.)?(?:ksql\.streams|streams|ksql)\.producer\.{NAME}", rank=2),
    Form("ksqlDB", rf"(?:ksql\.)?ksql\.streams\.{NAME}"),
    Form("ksqlDB", r"(?:ksql\.)?ksql\.(?:streams|internal\.topic)\.(?:topic\.)?"
                   r"(?P<name>replication\.factor|min\.insync\.replicas)", TOPIC, warning=OF_STREAMS),
    Form(STREAM, rf"(?:main\.)?producer\.{NAME}", where=STREAMS, rank=2),
    Form(STREAM, rf"{NAME}", where=STREAMS),
    Form(STREAM, r"(?P<name>replication\.factor)", TOPIC, where=STREAMS,
         warning=OF_STREAMS),
    Form(FLINK, rf"(?:.*\.)?properties\.{NAME}", where=syntax("sql")),
    Form(FLINK, r"(?P<name>sink\.transactional-id-prefix)", where=syntax("sql", "source"),
         only={"sinktransactionalidprefix": "transactional.id"}),
    Form(FLINK, rf"(?:kafka\.)?(?:sink|source|producer)\.properties\.{NAME}"),
    Form("REST proxy", rf"kafka\.rest\.producer\.{NAME}"),
    Form("Logstash", rf"output\.kafka\.{NAME}"),
    Form("librdkafka for .NET", r"(?:.*\.)?(?P<name>(?-i:[A-Z][a-z]\w+))", client=LIBRDKAFKA,
         where=lambda d: d.syntax in ("json", "source") and d.library in ("", LIBRDKAFKA)),
    # -- producers of Java, by a prefix that says so -----------------------------------------------------------
    Form("a prefix kafka.producer", rf"(?:.+\.)?kafka\.producer\.(?:properties\.|config\.|props\.)?{NAME}", rank=2),
    Form("a prefix producer", rf"producer\.{NAME}", rank=2),
    # -- topics and brokers ------------------------------------------------------------------------------------
    Form("Strimzi KafkaTopic", rf"spec\.config\.{NAME}", TOPIC, where=kind("KafkaTopic"), rank=2),
    Form("KafkaTopic", rf"spec\.configs?\.{NAME}", TOPIC, where=kind("KafkaTopic")),
    Form("KafkaTopic", r"spec\.(?P<name>replicas|replicationFactor)", TOPIC, where=kind("KafkaTopic"),
         only={"replicas": "replication.factor", "replicationfactor": "replication.factor"}),
    Form("a topic of Crossplane", rf"spec\.forProvider\.config\.{NAME}", TOPIC, where=kind("Topic"), rank=2),
    Form("a topic of Crossplane", r"spec\.forProvider\.(?P<name>replicationFactor)", TOPIC, where=kind("Topic")),
    Form("Strimzi Kafka", rf"spec\.kafka\.config\.{NAME}", BROKER, where=kind("Kafka"), rank=2),
    Form("Confluent for Kubernetes", rf"spec\.configOverrides\.server\.{NAME}", BROKER, where=kind("Kafka")),
    Form("Terraform", RESOURCE + r"(?P<name>replication_factor)", TOPIC, where=syntax("hcl"), label="label"),
    Form("Terraform", rf"{RESOURCE}config\.(?:\d+\.)?{NAME}", TOPIC, where=syntax("hcl"), label="label"),
    Form("Kafka's tools", NAME, TOPIC, where=lambda d: d.syntax == "command" or _of_topic(d)),
    Form(CONNECT, rf"(?:config\.|spec\.config\.)?topic\.creation\.[^.]+\.{NAME}", TOPIC, where=CONNECTOR),
    Form("Helm", r"(?:.*\.)?provisioning\.(?P<name>replicationFactor)", TOPIC,
         only={"replicationfactor": "replication.factor"}),
    Form("Helm", rf"(?:.*\.)?(?:configurationOverrides|overrideConfiguration|kafka\.config|kafka\.settings)\.{NAME}",
         BROKER, rank=2),
    Form("Helm", r"(?:.*\.)?(?P<name>defaultReplicationFactor|minInsyncReplicas|uncleanLeaderElectionEnable|"
                 r"autoCreateTopicsEnable|logRetentionHours|offsetsTopicReplicationFactor)", BROKER),
    Form("a list of topics", LISTED + r"(?P<name>replication(?:[._-]?factor)?|replicas)", TOPIC, label="label",
         only=dict.fromkeys(("replicationfactor", "replication", "replicas"), "replication.factor")),
    Form("a list of topics", rf"{LISTED}(?:configs?(?:uration)?|options|settings)\.{NAME}", TOPIC, label="label"),
    Form("Ansible", rf"kafka_broker(?:_custom)?_properties\.{NAME}", BROKER),
    Form("a container of a broker", rf"kafka\.cfg\.{NAME}", BROKER, where=_environment, rank=2),
    Form("a container of a broker", rf"kafka\.{NAME}", BROKER, where=_environment, rank=1),
    # -- clients by names of their own -------------------------------------------------------------------------
    Form(KAFKA_PYTHON, NAME, where=lambda d: d.library == KAFKA_PYTHON or _snake(d), client=KAFKA_PYTHON),
    Form(FRANZ, r"(?:.*\.)?(?P<name>[\w]+)", where=lambda d: d.library == FRANZ, client=FRANZ, only=FRANZ_NAMES),
    Form(KAFKAJS, r"(?:.*\.)?(?P<name>\w+)", where=lambda d: d.library == KAFKAJS or _kafkajs(d), client=KAFKAJS,
         only=KAFKAJS_NAMES),
    Form(KAFKA_GO, r"(?:.*\.)?(?P<name>\w+)", where=lambda d: d.library == KAFKA_GO, client=KAFKA_GO,
         only=KAFKA_GO_NAMES),
    Form(SARAMA, rf"(?:.*\.)?(?P<name>{'|'.join(map(re.escape, SARAMA_NAMES))})", client=SARAMA, only=SARAMA_NAMES,
         where=lambda d: d.library == SARAMA or _sarama(d)),
    Form("a prefix kafka", rf"kafka\.{NAME}", where=lambda d: d.syntax not in ("json", "toml") or _of_java(d)),
    Form("librdkafka", rf"kafka\.{NAME}", where=lambda d: d.syntax in ("json", "toml") and not _of_java(d),
         client=LIBRDKAFKA),
    Form("librdkafka", rf"(?:.*\.)?(?:global|topic|default_topic_conf)\.{NAME}", where=_of_librdkafka,
         client=LIBRDKAFKA),
    Form("librdkafka", rf"(?:.*\.)?(?:librdkafka_options|rdkafka)\.{NAME}", client=LIBRDKAFKA, rank=2),
    Form("librdkafka", r"sinks\.(?P<label>[^.]+)\.(?P<name>message_timeout_ms)", client=LIBRDKAFKA),
    Form("librdkafka", NAME, where=_librdkafka, client=LIBRDKAFKA),
    Form("properties", NAME),
)  # fmt: skip
"""Which keys are taken, in the order in which rows are tried."""

OF_CONNECT = {"enable.idempotence": "false", "acks": "all", "max.in.flight.requests.per.connection": "1",
              "delivery.timeout.ms": "2147483647"}  # fmt: skip
DEFAULTS: dict[str, dict[str, str]] = {
    **dict.fromkeys((CONNECT, MIRRORS, STRIMZI_CONNECT), OF_CONNECT),
    STREAM: {"linger.ms": "100"},
    QUARKUS: {"acks": "1"},
    BINDER: {"acks": "1"},
}
"""What a framework sets by itself: Connect and Streams by their classes of 3.9.2 and 4.3.1, SmallRye by that of 4.25.0,
Spring Cloud Stream by its documentation."""
ONCE_FROM_SOURCES = {"enable.idempotence": "true", "transactional.id": "connect-cluster-a-0"}
"""What a worker with exactly.once.source.support=enabled sets for source connectors (Worker of 3.9.2)."""
EXACTLY_ONCE = {"enable.idempotence": "true", "delivery.timeout.ms": "2147483647", "transaction.timeout.ms": "10000"}
"""What Kafka Streams sets with exactly_once_v2, besides a transactional.id (StreamsConfig of 4.3.1)."""
