"""Queries and commands for the cluster, through Kafka's own Admin client, consumer and producer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..conformance.classes import java, kafka
from ..conformance.codec import TOPIC
from ..conformance.driver import NotJudged
from .leadership import Leadership, leadership
from .producers import producers
from .properties import HOST
from .waiting import wait

SECONDS = 5
"""The timeout of one call; then it is repeated, until the deadline: repeating is harmless for all of them."""
QUICKLY = {"reconnect.backoff.ms": "20", "reconnect.backoff.max.ms": "100", "retry.backoff.ms": "20"}
SERIAL = "org.apache.kafka.common.serialization.ByteArray"
NONE, UNSAID = -1, -2


class Admin:
    """The topic of a replay, from the outside; `alive` raises when further waiting is useless.

    `port` is that of a broker that knows the leaders, by default the first one.
    """

    def __init__(self, bootstrap: str, alive: Callable[[], None], port: Callable[[], int] | None = None) -> None:
        self.bootstrap, self.alive = bootstrap, alive
        self.port = port or (lambda: int(bootstrap.partition(",")[0].rpartition(":")[2]))
        self.client = kafka("Admin").create(_map({"bootstrap.servers": bootstrap, **QUICKLY}))

    def close(self) -> None:
        """Release its threads."""
        self.client.close(java("java.time.Duration").ofSeconds(0))

    def _get(self, what: str, ask: Callable[[], Any]) -> Any:
        """The result of a call, repeated after a transient error; other errors are NotJudged."""
        import jpype

        def answer() -> list[Any]:
            try:
                return [ask().get(jpype.JLong(SECONDS), java("java.util.concurrent.TimeUnit").SECONDS)]
            except jpype.JException as error:
                cause = error.getCause() or error
                if isinstance(cause, (kafka("RetriableException"), java("java.util.concurrent.TimeoutException"))):
                    return []
                raise NotJudged(f"{what}: {cause.toString()}") from None

        return self.until(what, answer)[0]

    def until(self, what: str, condition: Callable[[], Any]) -> Any:
        """Wait for a condition."""
        return wait(what, condition, self.alive)

    # -- the topic -----------------------------------------------------------------------------------------

    def create(self, partitions: int, replicas: list[int], config: Mapping[str, str]) -> Any:
        """Make the topic with these replicas, the first one the leader; its id."""
        lists = java("java.util.Arrays")
        assignment = java("java.util.HashMap")()
        for partition in range(partitions):
            assignment.put(_int(partition), lists.asList([_int(node) for node in replicas]))
        topic = _class("admin.NewTopic")(TOPIC, assignment).configs(_map(config))
        made = self.client.createTopics(lists.asList([topic]))
        self._get("the topic is made", lambda: made.all())
        for partition in range(partitions):
            self.until_leads(replicas[0], partition)
        return made.topicId(TOPIC).get()

    def _partition(self, partition: int) -> Any:
        names = java("java.util.Collections").singletonList(TOPIC)
        found = self._get("the topic is described", lambda: self.client.describeTopics(names).allTopicNames())
        return found.get(TOPIC).partitions().get(partition)

    def leader(self, partition: int = 0) -> int:
        """The leader of a partition; UNSAID where the broker gives none."""
        return _asked(self.port(), partition).leader

    def in_sync(self, partition: int, port: int) -> set[int]:
        """The in-sync replicas, as the broker of a port sees them: one that continues after a pause has older data."""
        return set(_asked(port, partition).in_sync)

    def earliest(self, partition: int = 0) -> int:
        """The log start offset."""
        return self._offset(partition, _class("admin.OffsetSpec").earliest())

    def end(self, partition: int = 0) -> int:
        """The offset that the next record gets, as far as the log is replicated."""
        return self._offset(partition, _class("admin.OffsetSpec").latest())

    def until_readable(self, partition: int, end: int) -> None:
        """Wait until consumers may read up to an offset, which is where the log ends for its broker, too."""
        self.until(f"the log of partition {partition} ends at {end}", lambda: self.end(partition) == end)

    def _offset(self, partition: int, wanted: Any) -> int:
        asked = java("java.util.HashMap")()
        asked.put(kafka("TopicPartition")(TOPIC, partition), wanted)
        found = self._get("offsets are listed", lambda: self.client.listOffsets(asked).all())
        return int(found.get(kafka("TopicPartition")(TOPIC, partition)).offset())

    def producers(self, broker: int, partition: int = 0) -> dict[int, tuple[int, int]]:
        """The producers that a replica knows, by id: epoch and newest sequence."""
        port = int(self.bootstrap.split(",")[broker].rpartition(":")[2])

        def answer() -> list[dict[int, tuple[int, int]]]:
            found = producers(port, partition)
            return [] if found is None else [found]

        return self.until("producers are described", answer)[0]

    # -- commands ------------------------------------------------------------------------------------------

    def set_topic(self, name: str, value: str | None) -> None:
        """Change a config of the topic, None: back to the default."""
        self._set("TOPIC", TOPIC, name, value)

    def set_broker(self, broker: int, name: str, value: str | None) -> None:
        """Change a config of a broker while it runs."""
        self._set("BROKER", str(broker), name, value)

    def _set(self, kind: str, of: str, name: str, value: str | None) -> None:
        resource = _class("config.ConfigResource", common=True)
        entry = _class("admin.ConfigEntry")(name, value or "")
        operation = _class("admin.AlterConfigOp$OpType")
        change = _class("admin.AlterConfigOp")(entry, operation.DELETE if value is None else operation.SET)
        where = resource(resource.Type.valueOf(kind), of)
        changes = java("java.util.HashMap")()
        changes.put(where, java("java.util.Collections").singletonList(change))
        self._get(f"{name} is set", lambda: self.client.incrementalAlterConfigs(changes).all())

    def elect(self, broker: int, others: list[int], partition: int = 0) -> None:
        """Let a broker lead: it becomes the preferred replica, and the preferred replica is elected."""
        collections, lists = java("java.util.Collections"), java("java.util.Arrays")
        where = kafka("TopicPartition")(TOPIC, partition)
        order = lists.asList([_int(broker), *map(_int, others)])
        wanted = java("java.util.Optional").of(_class("admin.NewPartitionReassignment")(order))
        change = collections.singletonMap(where, wanted)
        self._get("replicas are put in order", lambda: self.client.alterPartitionReassignments(change).all())
        kind = _class("ElectionType", common=True).PREFERRED
        self.until("the order of the replicas is known", lambda: self._order(partition)[0] == broker)
        chosen = collections.singleton(where)
        self._get("a leader is elected", lambda: self.client.electLeaders(kind, chosen).partitions())
        self.until_leads(broker, partition)

    def elect_uncleanly(self, broker: int, partition: int = 0) -> None:
        """Let a broker lead that is not in sync, while there is no leader and the others are paused.

        A client that does not know the paused brokers sends them no requests.
        """
        client = kafka("Admin").create(_map({"bootstrap.servers": f"{HOST}:{self.port()}", **QUICKLY}))
        where = java("java.util.Collections").singleton(kafka("TopicPartition")(TOPIC, partition))
        kind = _class("ElectionType", common=True).UNCLEAN

        def elected() -> bool:
            self._get("a leader is elected uncleanly", lambda: client.electLeaders(kind, where).partitions())
            return self.leader(partition) == broker

        try:
            self.until(f"broker {broker} is elected uncleanly", elected)
        finally:
            client.close(java("java.time.Duration").ofSeconds(0))

    def until_leads(self, broker: int, partition: int) -> None:
        """Wait until a broker leads."""
        self.until(f"broker {broker} leads partition {partition}", lambda: self.leader(partition) == broker)

    def _order(self, partition: int) -> list[int]:
        return [int(node.id()) for node in self._partition(partition).replicas()]

    # -- records -------------------------------------------------------------------------------------------

    def consume(self, partition: int, end: int) -> list[tuple[int, bytes]]:
        """All records of a partition up to an offset, as a consumer gets them: offsets with values."""
        config = {"bootstrap.servers": self.bootstrap, **QUICKLY, "auto.offset.reset": "earliest"}
        kinds = {f"{part}.deserializer": f"{SERIAL}Deserializer" for part in ("key", "value")}
        consumer = kafka("KafkaConsumer")(_map({**config, **kinds}))
        where = java("java.util.Collections").singletonList(kafka("TopicPartition")(TOPIC, partition))
        found: list[tuple[int, bytes]] = []

        def more() -> bool:
            for record in consumer.poll(java("java.time.Duration").ofMillis(100)):
                if (str(record.topic()), int(record.partition())) != (TOPIC, partition):
                    raise AssertionError(f"the consumer was given a record of {record.topic()}-{record.partition()}")
                found.append((int(record.offset()), bytes(record.value())))
            return int(consumer.position(where.get(0))) >= end

        try:
            consumer.assign(where)
            consumer.seekToBeginning(where)
            self.until("a consumer reads everything", more)
        finally:
            consumer.close(java("java.time.Duration").ofSeconds(0))
        return found

    def produce_foreign(self, partition: int, value: bytes, written: Callable[[], bool]) -> None:
        """Another producer writes a record; does not wait for its answer, for which the follower may be held back."""
        import jpype

        config = {"bootstrap.servers": self.bootstrap, **QUICKLY, "enable.idempotence": "true", "acks": "all"}
        kinds = {f"{part}.serializer": f"{SERIAL}Serializer" for part in ("key", "value")}
        producer = kafka("KafkaProducer")(_map({**config, **kinds}))
        where = java("java.lang.Integer").valueOf(partition)
        record = _class("producer.ProducerRecord")(TOPIC, where, None, jpype.JArray(jpype.JByte)(value))
        try:
            producer.send(record)
            self.until("another producer writes", written)
        finally:
            producer.close(java("java.time.Duration").ofSeconds(0))


def _class(name: str, common: bool = False) -> Any:
    return java(f"org.apache.kafka.{'common' if common else 'clients'}.{name}")


def _int(number: int) -> Any:
    return java("java.lang.Integer").valueOf(number)


def _map(entries: Mapping[str, str]) -> Any:
    found = java("java.util.HashMap")()
    for name, value in entries.items():
        found.put(name, value)
    return found


def _asked(port: int, partition: int) -> Leadership:
    try:
        return leadership(port)[partition]
    except (NotJudged, IndexError):  # it starts, or does not know the topic yet
        return Leadership(UNSAID, UNSAID, ())
