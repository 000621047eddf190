"""The forms of settings: what is taken of each, by whose rules, and what is a problem. A new form is a line here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everystate.model.assess import ConfigException, Files, settle
from everystate.model.assess.reading import Read, Unreadable, read
from everystate.model.assess.reading.names import known
from everystate.model.assess.subjects import Versions, settled, subjects
from everystate.model.assess.values import version
from tests.docs.page import ROOT

FLIGHT = "max.in.flight.requests.per.connection"
EXAMPLES = ROOT.parent / "shared" / "examples" / "assess"
S, S1, L, Z, N, T = "idempotent", "idempotent, one in flight", "acks=1", "acks=0", "not idempotent", "transactional"


def kind(read_: Read, **options: Any) -> str:
    """What the producer is with the settings in force."""
    [files] = subjects([read_], Versions(**options), Files())
    found = settled(files)
    if found.problems:
        return "undecided"
    if found.transactional:
        return T
    if found["acks"] != "all":
        return {"1": L, "0": Z}[found["acks"]]
    return (S1 if found[FLIGHT] == 1 else S) if found.idempotent else N


FORMS = [
    ("a.properties", "acks=all\nretries=0", "properties", N),
    ("a.properties", "kafka.acks=all\nkafka.max.in.flight.requests.per.connection=1", "a prefix kafka", S1),
    ("a.properties", "producer.acks=0", "a prefix producer", Z),
    ("a.properties", "app.kafka.producer.acks=1", "a prefix kafka.producer", L),
    ("application.properties", "spring.kafka.producer.acks=1\nspring.kafka.producer.retries=0", "Spring Boot", L),
    ("application.properties", "spring.kafka.producer.properties[enable.idempotence]=false", "Spring Boot", N),
    ("application.yml", "spring:\n  kafka:\n    properties:\n      acks: 1", "Spring Boot", L),
    ("application.yml", "spring:\n  kafka:\n    producer:\n      transactionIdPrefix: tx-", "Spring Boot", T),
    ("application.yml", "spring.kafka.producer:\n  acks: ${ACKS:1}", "Spring Boot", L),
    ("application.yml", "spring.cloud.stream.kafka.binder:\n  producer-properties:\n    linger.ms: 5",
     "Spring Cloud Stream", L),
    (".env", "SPRING_KAFKA_PRODUCER_PROPERTIES_ENABLE_IDEMPOTENCE=false", "Spring Boot", N),
    ("application.properties", "mp.messaging.outgoing.o.connector=smallrye-kafka", "SmallRye", L),
    ("application.yml", "kafka:\n  producers:\n    default:\n      acks: all\n      retries: 0", "Micronaut", N),
    ("worker.properties", "group.id=c\noffset.storage.topic=o\nproducer.enable.idempotence=true", "Kafka Connect", S1),
    ("worker.properties", "bootstrap.servers=a\ngroup.id=c\noffset.storage.topic=o\nproducer.override.acks=1",
     "Kafka Connect", N),
    ("worker.env", "CONNECT_GROUP_ID=c\nCONNECT_OFFSET_STORAGE_TOPIC=o\nCONNECT_PRODUCER_ACKS=1", "Kafka Connect", L),
    ("connector.json", '{"name": "a", "config": {"connector.class": "A", "producer.override.acks": "0"}}',
     "Kafka Connect", Z),
    ("c.yaml", "kind: KafkaConnector\nspec:\n  class: A\n  config:\n    producer.override.acks: 1", "Kafka Connect", L),
    ("c.yaml", "kind: KafkaConnect\nspec:\n  config:\n    producer.acks: 1", "Strimzi KafkaConnect", L),
    ("streams.properties", "application.id=a\nprocessing.guarantee=exactly_once_v2", "Kafka Streams", T),
    ("streams.properties", "application.id=a\nproducer.acks=1", "Kafka Streams", L),
    ("mm2.properties", "clusters = a, b\na->b.enabled = true\nb.producer.acks = 1", "MirrorMaker", L),
    ("application.properties", "debezium.sink.type=kafka\ndebezium.sink.kafka.producer.acks=1", "Debezium Server", L),
    ("ksql-server.properties", "ksql.service.id=a\nksql.streams.producer.acks=1", "ksqlDB", L),
    ("t.sql", "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'properties.acks' = '1')", "Flink", L),
    ("a.py", "p = confluent_kafka.Producer({'bootstrap.servers': 'a', 'enable.idempotence': True})", "librdkafka", S),
    ("a.go", 'p, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": "a", "acks": "1"})', "librdkafka", L),
    ("a.rs", 'let p = ClientConfig::new().set("message.timeout.ms", "5000").set("acks", "all");', "librdkafka", N),
    ("a.cs", "var c = new ProducerConfig { BootstrapServers = \"a\", Acks = Acks.Leader };", "librdkafka for .NET", L),
    ("appsettings.json", '{"Kafka": {"Producer": {"Acks": "All", "EnableIdempotence": true}}}',
     "librdkafka for .NET", S),
    ("conf.json", '{"metadata.broker.list": "a", "request.required.acks": 0}', "librdkafka", Z),
    ("A.java", 'props.put(ProducerConfig.ACKS_CONFIG, "1");', "properties", L),
    ("a.py", "from kafka import KafkaProducer\np = KafkaProducer(acks='all', retries=3)", "kafka-python", N),
    ("a.go", 'import "github.com/IBM/sarama"\nc.Producer.RequiredAcks = sarama.WaitForAll', "sarama", N),
    ("a.go", 'import "github.com/IBM/sarama"\nc.Net.MaxOpenRequests = 1', "sarama", L),
    ("mm2.properties", "clusters = a, b\nb.producer.enable.idempotence = true", "MirrorMaker", S1),
    ("c.yml", "environment:\n  KSQL_KSQL_STREAMS_PROCESSING_GUARANTEE: exactly_once_v2", "Kafka Streams", T),
    ("a.sql", "WITH ('connector' = 'kafka', 'sink.transactional-id-prefix' = 'a')", "Flink", T),
    ("a.json", '{"global": {"linger.ms": 5}, "topic": {"request.required.acks": "1"}}', "librdkafka", L),
    ("a.ini", "[kafka]\nenable_idempotence=True\nacks=all", "kafka-python", S),
    ("telegraf.toml", "[[outputs.kafka]]\nrequired_acks = 1", "sarama", L),
    ("c.yml", "producer:\n  requiredAcks: WaitForLocal", "sarama", L),
    ("a.go", "import \"github.com/twmb/franz-go/pkg/kgo\"\nkgo.RequiredAcks(kgo.LeaderAck())", "franz-go", L),
    ("app.log", "12:00 INFO ProducerConfig values:\n\tacks = 1\n\tenable.idempotence = false\n12:01 INFO x",
     "properties", L),
    ("d.yml", "services:\n  a:\n    environment:\n      - KAFKA_PRODUCER_ACKS=1", "a prefix kafka.producer", L),
    ("application.properties", "spring.kafka.producer.acks=all\n#---\n", "Spring Boot", S),
    ("a.conf", "akka.kafka.producer.kafka-clients.acks = 1", "Alpakka or Pekko", L),
    ("worker.properties", "group.id=c\noffset.storage.topic=o\nexactly.once.source.support=enabled",
     "Kafka Connect", T),
    ("m.yaml", 'kind: KafkaMirrorMaker2\nspec:\n  mirrors:\n  - sourceConnector:\n      config:\n'
     '        producer.override.acks: "1"', "Strimzi KafkaConnect", L),
    ("A.java", 'import org.apache.flink.A;\ns.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)\n'
     's.setProperty("transaction.timeout.ms", "60000")', "Flink", T),
    ("a.kt", 'mapOf(ProducerConfig.ACKS_CONFIG to "1")', "properties", L),
    ("a.ts", "import { Kafka } from 'kafkajs'\nk.producer({ idempotent: true, acks: 1 })", "KafkaJS", L),
    ("a.go", "import \"github.com/segmentio/kafka-go\"\nw := &kafka.Writer{\n RequiredAcks: kafka.RequireOne,\n}",
     "kafka-go", L),
    ("a.conf", "bootstrap.servers=a\nsasl.username=b", "properties", N),
    ("a.json", '{"clientId": "x", "acks": 1, "idempotent": false, "maxInFlightRequests": 5}', "KafkaJS", L),
    ("a.json", '{"bootstrap.servers": "a", "key.serializer": "A", "acks": "all"}', "properties", S),
    ("fluent-bit.conf", "[OUTPUT]\n  rdkafka.request.required.acks 1", "librdkafka", L),
    ("vector.toml", "[sinks.o.librdkafka_options]\nacks = '0'", "librdkafka", Z),
    ("Dockerfile", "FROM a\nENV SPRING_KAFKA_PRODUCER_ACKS=1\n", "Spring Boot", L),
    ("m.yaml", "kind: ConfigMap\ndata:\n  application.yml: |\n    spring.kafka.producer:\n      acks: 1",
     "Spring Boot", L),
    ("m.yaml", "kind: Deployment\nspec:\n  env:\n    - name: SPRING_KAFKA_PRODUCER_ACKS\n      value: '1'",
     "Spring Boot", L),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "form", "expected"), FORMS, ids=[f"{n}-{f}" for n, _, f, _ in FORMS])
def test_the_producer_of_each_form(name: str, text: str, form: str, expected: str) -> None:
    found = read(text, name)
    assert (found.producers[0].form, kind(found, fallback=version("4.1"))) == (form, expected)


def topics(*pairs: tuple[str, str]) -> dict[str, str]:
    return dict(pairs)


RF, MIN = "replication.factor", "min.insync.replicas"
OTHERS = [
    ("t.yaml", "kind: KafkaTopic\nspec:\n  replicas: 1\n  config:\n    retention.ms: 1",
     {RF: "1", "retention.ms": "1"}),
    ("m.tf",
     'resource "kafka_topic" "a" {\n  replication_factor = 2\n  config = {\n "cleanup.policy" = "compact"\n }\n}',
     {RF: "2", "cleanup.policy": "compact"}),
    ("d.txt", "Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=1,retention.ms=5",
     {RF: "3", MIN: "1", "retention.ms": "5"}),
    ("d.txt", "Dynamic configs for topic a are:\n  min.insync.replicas=1 sensitive=false synonyms={X:min=1}",
     {MIN: "1"}),
    ("create.sh", "kafka-topics.sh --create --topic a \\\n  --replication-factor 1 --config min.insync.replicas=1",
     {RF: "1", MIN: "1"}),
    ("m.yaml", "kind: Topic\nspec:\n  forProvider:\n    replicationFactor: 1", {RF: "1"}),
    ("m.tf", 'variable "n" { default = 2 }\nresource "kafka_topic" "a" { replication_factor = var.n }', {RF: "2"}),
    ("run.sh", "docker run \\\n -e KAFKA_MIN_INSYNC_REPLICAS=1 apache/kafka:4.1.0", {MIN: "1"}),
    ("v.yaml", "provisioning:\n  topics:\n    - name: a\n      replicationFactor: 1", {RF: "1"}),
    ("v.yaml", "kafka:\n  defaultReplicationFactor: 1", {"default.replication.factor": "1"}),
    ("m.tf", 'resource "aws_msk_configuration" "a" {\n  server_properties = <<P\nmin.insync.replicas = 1\n'
     "log.dir = a\nP\n}", {MIN: "1", "log.dir": "a"}),
    ("d.txt", "Configs for broker 1 are:\n  min.insync.replicas=1 sensitive=false synonyms={}", {MIN: "1"}),
    ("server.properties", "broker.id=1\nmin.insync.replicas=1\ndefault.replication.factor=1",
     {"broker.id": "1", MIN: "1", "default.replication.factor": "1"}),
    (".env", "KAFKA_CFG_DEFAULT_REPLICATION_FACTOR=3", {"default.replication.factor": "3"}),
    ("task.json", '[{"name": "a", "environment": [{"name": "KAFKA_MIN_INSYNC_REPLICAS", "value": "2"}]}]', {MIN: "2"}),
    ("c.yml",
     "services:\n  b:\n    image: confluentinc/cp-kafka:7.6.0\n    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 2",
     {MIN: "2"}),
    ("k.yaml", "kind: Kafka\nspec:\n  kafka:\n    version: 3.9.0\n    config:\n      min.insync.replicas: 2 # two",
     {MIN: "2"}),
    ("v.yaml", "kafka:\n  configurationOverrides:\n    min.insync.replicas: 1", {MIN: "1"}),
    ("v.yaml", "extraConfig: |\n  default.replication.factor=1\n  min.insync.replicas=1",
     {"default.replication.factor": "1", MIN: "1"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), OTHERS, ids=[name for name, _, _ in OTHERS])
def test_topics_and_brokers_of_each_form(name: str, text: str, expected: dict[str, str]) -> None:
    found = read(text, name)
    assert found.problems == [] and found.producers == []
    [part] = [*found.topics, *found.brokers]
    assert part.texts() == expected


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("a.properties", "", 1, "the file has no setting"),
        ("a.properties", "# x\nname=a", 2, "no key of the file is one of a producer, topic or broker"),
        (
            "a.properties",
            "bootstrap.servers=a\ngroup.id=b",
            2,
            "group.id is a setting of a consumer, and no key of",
        ),
        ("a.properties", "acks=all\napp.stream.acks=1", 2, "app.stream.acks=1 may be a setting, but its prefix"),
        ("a.properties", "acks=all\nwriter.kafka.retries=0", 2, "writer.kafka.retries=0 may be a setting"),
        ("a.yml", "spring.kafka.producer:\n  acks: ${ACKS}", 2, "the value is not in the file"),
        ("v.yaml", "spring.kafka.producer:\n  acks: {{ .Values.acks }}", 2, "the value is not in the file"),
    ],
)
def test_what_was_not_read_is_a_problem(name: str, text: str, line: int, said: str) -> None:
    [problem] = read(text, name).problems
    assert (problem.line, said in problem.text) == (line, True), problem


@pytest.mark.parametrize(
    ("name", "text"), [("a.yml", "a: [1"), ("a.json", "{"), ("a.toml", "a = "), ("a.tf", "a {"), ("a.env", "a=\\u00g1")]
)
def test_broken_files_are_no_settings(name: str, text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, name)


def test_what_has_no_effect_is_named() -> None:
    found = read("acks=all\nenable.idempotance=false", "a.properties")
    assert [each.text for each in found.warnings] == [
        "enable.idempotance is no setting (did you mean enable.idempotence?)"
    ]
    found = read("group.id=c\nconfig.storage.topic=o\nproducer.override.acks=1", "a.properties")
    assert "which a worker ignores" in found.warnings[0].text


def test_a_prefix_of_ones_own() -> None:
    assert kind(read("app.stream.acks=1", "a.properties", prefix="app.stream")) == L


def test_profiles_and_channels_are_producers_of_their_own() -> None:
    text = "spring.kafka.producer.acks: all\n---\nspring.config.activate.on-profile: dev\n"
    text += "spring.kafka.producer.acks: 1"
    found = read(text, "application.yml")
    assert [(each.label, each.texts()["acks"]) for each in found.producers] == [("", "all"), ("profile dev", "1")]
    two = "mp.messaging.outgoing.o.connector=smallrye-kafka\n%prod.mp.messaging.outgoing.o.acks=all"
    found = read(two, "application.properties")
    assert [
        (each.label, settle(files)["acks"])
        for each, files in zip(found.producers, subjects([found], Versions(), Files()), strict=True)
    ] == [("o %prod", "all"), ("o", "1")]
    two = "mp.messaging.outgoing.o.connector=smallrye-kafka\n%prod.kafka.acks=all"
    assert [each.label for each in read(two, "application.properties").producers] == ["o", "o %prod"]
    two = "mp.messaging.outgoing.a.connector=smallrye-kafka\nmp.messaging.outgoing.b.acks=all"
    assert [each.label for each in read(two, "application.properties").producers] == ["b", "a"]


def test_what_only_librdkafka_allows_asks_for_the_client() -> None:
    found = read("enable.idempotence=true\ndelivery.timeout.ms=3000", "a.conf")
    assert kind(found) == "undecided"
    assert kind(found, librdkafka=True) == S
    with pytest.raises(ConfigException):
        kind(found, client=version("4.1"))


@pytest.mark.parametrize(
    ("text", "name", "acks", "said"),
    [
        ("from kafka import KafkaProducer\np = KafkaProducer()", "a.py", "1", "3.0.12 has acks=all"),
        ("import { Kafka } from 'kafkajs'\nk.producer()", "a.ts", "all", "KafkaJS 2.2.4"),
        ('import "github.com/twmb/franz-go/pkg/kgo"', "a.go", "all", "franz-go 1.22.3"),
        ('import "github.com/segmentio/kafka-go"', "a.go", "0", "NewWriter has acks=all"),
    ],
)
def test_defaults_of_other_clients_name_their_release(text: str, name: str, acks: str, said: str) -> None:
    [files] = subjects([read(text, name)], Versions(), Files())
    found = settled(files)
    assert found["acks"] == acks and any(said in note for note in found.notes)


def test_flink_asks_for_more_than_brokers_allow() -> None:
    found = read("WITH ('connector' = 'kafka', 'sink.delivery-guarantee' = 'exactly-once')", "a.sql")
    with pytest.raises(ConfigException, match=r"transaction.max.timeout.ms"):
        kind(found)


def test_all_topics_of_a_cluster() -> None:
    line = "Topic: {}\tPartitionCount: 1\tReplicationFactor: {}\tConfigs: \n"
    found = read(line.format("a", 1) + line.format("b", 3), "d.txt")
    each = [(files.label, settle(files)[RF]) for files in subjects([found], Versions(), Files())]
    assert each == [("a", 1), ("b", 3)]


def test_what_several_tools_say_of_a_topic_is_put_together() -> None:
    described = read("Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n", "d.txt")
    configs = read("Dynamic configs for topic a are:\n  min.insync.replicas=2 sensitive=false", "c.txt")
    [files] = subjects([described, configs], Versions(), Files())
    assert files.topic == {RF: "3", MIN: "2"}


def test_topics_of_a_file_are_apart() -> None:
    block = 'resource "kafka_topic" "{}" {{\n  replication_factor = {}\n}}\n'
    manifest = "kind: KafkaTopic\nmetadata: {{name: {}}}\nspec: {{replicas: {}}}\n---\n"
    for name, text in (
        ("m.tf", block.format("a", 1) + block.format("b", 3)),
        ("m.yaml", manifest.format("a", 1) + manifest.format("b", 3)),
        ("t.yaml", "topics:\n- {name: a, replicationFactor: 1}\n- {name: b, replicationFactor: 3}"),
    ):
        assert [(each.label, each.texts()[RF]) for each in read(text, name).topics] == [("a", "1"), ("b", "3")]


def test_a_log_has_the_release_of_the_client() -> None:
    found = read("ProducerConfig values:\n\tacks = all\n\nINFO Kafka version: 3.7.1 (AppInfoParser)", "app.log")
    [files] = subjects([found], Versions(), Files())
    assert files.client == version("3.7.1")


EXPECTED = {
    "02": N, "04": L, "05": S, "07": T, "08": L, "11": S, "12": S, "14": L, "16": "undecided", "28": N, "29": S1,
    "30": T, "34": L, "36": L, "40": S, "61": S,
}  # fmt: skip


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not here")
def test_the_examples() -> None:
    """28: by the classes of 3.9.2 and 4.3.1 Connect turns idempotence off, unless a worker or connector turns it on"""
    found = {}
    for path in sorted(EXAMPLES.iterdir()):
        if path.name[:2] in EXPECTED:
            found[path.name[:2]] = kind(read(path.read_text("utf-8"), path.name), fallback=version("4.1"))
        elif path.suffix != ".md":
            assert not read(path.read_text("utf-8"), path.name).problems
    assert found == EXPECTED


def test_names_are_those_of_the_classes(tmp_path: Path) -> None:
    """the names that settings.py knows are names of Kafka"""
    from everystate.model.assess.settings import BROKER, PRODUCER, TOPIC

    assert set(PRODUCER) <= known()["producer"]
    assert set(TOPIC) <= known()["topic"]
    assert set(BROKER) | {own for _, owns, _ in TOPIC.values() for own in owns} <= known()["broker"]
