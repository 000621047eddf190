"""Does a member of a consumer group that has lost its partition still commit? Finding 12, on a real broker.

    python bench/group_zombie.py [--kafka BROKER] [--clients VERSION ...] [SITUATION ...]

Two of Kafka's own consumers and producers read a record, write a result, and commit both in a transaction. Member 0
polls records and works on them; then its partition goes to member 1, which reads, works and commits; then member 0
commits with groupMetadata(). A reader of committed results tells how often there is one of a record. What is steered is
the order of calls, and, where a session ends, which heartbeats reach the broker (a proxy ends their connection).
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applications import Results, command, committed, consumer, producer, properties

from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import Frame, Proxy, Verdict, everything
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import crowding, wait
from everystate.model.conformance.process import Line

HEARTBEAT, CONSUMER_GROUP_HEARTBEAT = 12, 68
GROUP, SOURCE, RESULTS = "workers", "records", "results"
SESSION, QUIET = 6_000, 5.0
"""Milliseconds until a silent member is out; seconds in which member 0 would have joined again."""
PATIENT = {"transaction.timeout.ms": "600000", "max.block.ms": "300000"}
"""Member 0 works until member 1 has committed, or has waited long enough."""
CONFIG = {
    "group.consumer.heartbeat.interval.ms": "500",
    "group.consumer.min.heartbeat.interval.ms": "500",
    "group.consumer.min.session.timeout.ms": str(SESSION),
    "group.consumer.session.timeout.ms": str(SESSION),
    "group.min.session.timeout.ms": str(SESSION),
}


@dataclass(frozen=True)
class Situation:
    """How member 0 loses a partition, and what its application does to be fenced."""

    session_ends: bool
    protocol: str = "consumer"
    listener: bool = False  # a rebalance listener, which does nothing
    at_poll: bool = False  # groupMetadata() is asked right after the poll that gave the records
    defaults: bool = False  # no setting of broker and clients is another than by default

    @property
    def session(self) -> int:
        """Milliseconds until a silent member is out."""
        return 45_000 if self.defaults else SESSION


SITUATIONS = {
    "session-ends": Situation(True),
    "session-ends-classic": Situation(True, protocol="classic"),
    "session-ends-defaults": Situation(True, defaults=True),
    "session-ends-listener": Situation(True, listener=True),
    "session-ends-metadata-of-the-poll": Situation(True, at_poll=True),
    "joins": Situation(False),
    "joins-classic": Situation(False, protocol="classic"),
    "joins-listener": Situation(False, listener=True),
    "joins-metadata-of-the-poll": Situation(False, at_poll=True),
}


class Member:
    """A consumer and its producer, both Kafka's own."""

    def __init__(self, number: int, port: int, situation: Situation) -> None:
        import jpype

        self.name, self.situation, self.of = f"member-{number}", situation, jpype.JClass
        self.listener = jpype.JProxy(
            "org.apache.kafka.clients.consumer.ConsumerRebalanceListener",
            dict=dict.fromkeys(
                ("onPartitionsRevoked", "onPartitionsAssigned", "onPartitionsLost"), lambda partitions: None
            ),
        )
        server = {"bootstrap.servers": f"{HOST}:{port}", "client.id": self.name}
        classic = {"session.timeout.ms": str(SESSION), "heartbeat.interval.ms": "500"}
        self.consumer = consumer(
            {
                **server,
                "group.id": GROUP,
                "group.protocol": situation.protocol,
                **(classic if situation.protocol == "classic" else {}),
            }
        )
        patient = {} if situation.defaults else PATIENT
        self.producer = producer({**server, **patient, "transactional.id": self.name})
        self.records: dict[int, str] = {}
        self.polled: Any = None

    def join(self) -> None:
        """Subscribe, and initialize the producer."""
        topics = self.of("java.util.List").of(SOURCE)
        if self.situation.listener:
            self.consumer.subscribe(topics, self.listener)
        else:
            self.consumer.subscribe(topics)
        self.producer.initTransactions()

    def poll(self) -> int:
        """How many records there are to work on."""
        for record in self.consumer.poll(self.of("java.time.Duration").ofMillis(100)):
            self.records[int(record.partition())] = str(record.value())
        self.polled = self.consumer.groupMetadata()
        return len(self.records)

    def generation(self) -> int:
        """The epoch of the member, or its generation, as the application is told."""
        return int(self.consumer.groupMetadata().generationId())

    def work(self) -> None:
        """Begin a transaction, and write a result of each record."""
        self.producer.beginTransaction()
        for value in self.records.values():
            self.producer.send(self.of("org.apache.kafka.clients.producer.ProducerRecord")(RESULTS, value)).get()

    def commit(self) -> str:
        """Commit results and offsets; what the application is told."""
        import jpype

        offsets = self.of("java.util.HashMap")()
        for partition in self.records:
            place = self.of("org.apache.kafka.common.TopicPartition")(SOURCE, partition)
            offsets.put(place, self.of("org.apache.kafka.clients.consumer.OffsetAndMetadata")(1))
        given = self.polled if self.situation.at_poll else self.consumer.groupMetadata()
        try:
            self.producer.sendOffsetsToTransaction(offsets, given)
            self.producer.commitTransaction()
        except jpype.JException as error:
            self.producer.abortTransaction()
            return f"is refused: {error.getClass().getSimpleName()}"
        return "is accepted"

    def close(self) -> None:
        """Leave."""
        self.producer.close(self.of("java.time.Duration").ZERO)
        self.consumer.close()


class Trial:
    """One run; `tell` hears what happens."""

    def __init__(self, line: Line, servers: Servers, proxy: Proxy, situation: Situation) -> None:
        self.tell, self.proxy, self.situation = line.tell, proxy, situation
        self.port, self.partitions = proxy.ports[0], 1 if situation.session_ends else 2
        servers.start()
        self._prepare()

    def _prepare(self) -> None:
        """The topics, and a record in each partition."""
        import jpype

        server = {"bootstrap.servers": f"{HOST}:{self.port}"}
        admin = jpype.JClass("org.apache.kafka.clients.admin.Admin").create(properties(server))
        topic, short = jpype.JClass("org.apache.kafka.clients.admin.NewTopic"), jpype.JShort(1)
        topics = [topic(SOURCE, self.partitions, short), topic(RESULTS, 1, short)]
        admin.createTopics(jpype.JClass("java.util.Arrays").asList(topics)).all().get()
        admin.close()
        writer, record = producer(server), jpype.JClass("org.apache.kafka.clients.producer.ProducerRecord")
        for partition in range(self.partitions):
            place = jpype.JClass("java.lang.Integer")(partition)
            writer.send(record(SOURCE, place, None, f"record {partition}")).get()
        writer.close()

    def run(self) -> Results:
        """How often there is a committed result of each record."""
        first, second = (Member(number, self.port, self.situation) for number in range(2))
        first.join()
        wait("member 0 has every record", lambda: first.poll() == self.partitions)
        first.work()
        began, since = first.generation(), time.monotonic()
        self.tell(f"member 0 works on {', '.join(sorted(first.records.values()))}; its generation is {began}")
        if self.situation.session_ends:
            self.proxy.judge_with(self._silence)
            self.proxy.cut()
        second.join()
        if self._has_work(second):
            second.work()
            self.tell(f"member 1 works on {', '.join(second.records.values())}; its commit {second.commit()}")
        else:
            self.tell("member 1 gets nothing while member 0 works")
        self.proxy.judge_with(everything)
        self._until(lambda: first.generation() != began, QUIET)
        told = f"member 0 has generation {first.generation()}; {time.monotonic() - since:.0f} s after it began its"
        self.tell(f"{told} commit {first.commit()}")
        found = self._results()
        for member in (first, second):
            member.close()
        return found

    def _silence(self, frame: Frame) -> Verdict:
        """No heartbeat of member 0 reaches the broker."""
        heartbeat = not frame.is_answer and frame.api in (HEARTBEAT, CONSUMER_GROUP_HEARTBEAT)
        return Verdict.CLOSE if heartbeat and b"member-0" in frame.data[:64] else Verdict.PASS

    def _has_work(self, member: Member) -> bool:
        """Whether a member gets records, if need be after a session has ended."""
        sessions = 4 if self.situation.session_ends else 2
        return self._until(lambda: member.poll() > 0, sessions * self.situation.session / 1000)

    @staticmethod
    def _until(condition: Any, patience: float) -> bool:
        end = time.monotonic() + patience * crowding()
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def _results(self) -> Results:
        return dict(sorted(committed(RESULTS, {"bootstrap.servers": f"{HOST}:{self.port}"}).items()))


def trial(line: Line, paths: list[Path], name: str) -> Results:
    """In the process that has the clients' classes."""
    situation = SITUATIONS[name]
    given = {} if situation.defaults else CONFIG
    with Proxy() as proxy, Servers(paths, given=given, advertised=proxy.shown) as servers:
        return Trial(line, servers, proxy, situation).run()


def told(found: Results) -> str:
    """The results in a line."""
    return "  committed results: " + ", ".join(f"{value}: {count}" for value, count in found.items())


def main() -> int:
    results = list(command(__doc__, SITUATIONS, trial, told))
    return 12 if any(max(found.values()) > 1 for found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
