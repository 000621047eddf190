"""Brokers that have lost what they knew of a transaction: findings 26 and 28 of transactions, on real brokers.

    python bench/unclean_transactions.py [--kafka BROKER] [--clients VERSION ...] [SITUATION ...]

A transaction is aborted while one replica is away. The other replica is lost, and the first one is elected uncleanly;
or the only replica loses the end of its log with its power. Then the same producer commits another transaction, and a
reader of committed records tells what it gets. The exit code is 12 where it gets the aborted record.

In `forgotten-fence` another producer with the transactional.id has aborted the transaction, retention deletes all
records, and the broker restarts. Then the first producer writes one more record, and the other one commits a record.
The broker verifies nothing, as until 3.5, and clients are without TV2 (`--clients 3.9.2`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from applications import Results, command, committed, producer, properties

from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.process import Line

TOPIC, TRANSACTIONAL = "orders", "writer"
OF_COORDINATOR = {"transaction.state.log.replication.factor": "3"}
"""Its log is on every broker, where there are three."""


@dataclass(frozen=True)
class Situation:
    """How many brokers there are, which of them have the topic, and its settings."""

    brokers: int
    replicas: tuple[int, ...]
    settings: dict[str, str]


SITUATIONS = {
    "unclean-election": Situation(3, (0, 1), {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}),
    "power-cut": Situation(1, (0,), {}),
    "forgotten-fence": Situation(1, (0,), {}),
}
UNVERIFIED = {"transaction.partition.verification.enable": "false"}


class Trial:
    """One run; `tell` hears what happens."""

    def __init__(self, line: Line, servers: Servers, situation: Situation) -> None:
        import jpype

        self.tell, self.servers, self.situation, self.of = line.tell, servers, situation, jpype.JClass
        servers.start()
        self.server = {"bootstrap.servers": servers.bootstrap()}
        self.admin = self.of("org.apache.kafka.clients.admin.Admin").create(properties(self.server))
        self._create()

    def _create(self) -> None:
        numbers = [self.of("java.lang.Integer")(number) for number in self.situation.replicas]
        listed = self.of("java.util.Arrays").asList
        places = self.of("java.util.HashMap")()
        places.put(self.of("java.lang.Integer")(0), listed(numbers))
        topic = self.of("org.apache.kafka.clients.admin.NewTopic")(TOPIC, places)
        configs = self.of("java.util.HashMap")()
        for name, value in self.situation.settings.items():
            configs.put(name, value)
        self.admin.createTopics(listed([topic.configs(configs)])).all().get()
        wait("a broker leads", lambda: self._leader() == 0)

    def _leader(self) -> int:
        described = self.admin.describeTopics(self.of("java.util.List").of(TOPIC)).allTopicNames().get().get(TOPIC)
        leader = described.partitions().get(0).leader()
        return -1 if leader is None else int(leader.id())

    def run(self) -> Results:
        """How often each record is read."""
        writer = self._writer()
        writer.initTransactions()
        self._write(writer, "aborted")
        self._lose(lambda: writer.abortTransaction())
        self.tell(f"broker {self._leader()} leads without the abort marker")
        self._write(writer, "committed")
        writer.commitTransaction()
        found = dict(sorted(committed(TOPIC, self.server).items()))
        writer.close()
        self.admin.close()
        return found

    def forgotten(self) -> Results:
        """How often each record is read, where the broker has forgotten that a producer was fenced."""
        first, second = (self._writer() for _ in range(2))
        first.initTransactions()
        self._write(first, "aborted")
        second.initTransactions()
        self._delete_records()
        broker = self.servers.brokers[0]
        broker.stop()
        broker.start()
        broker.ready()
        wait("the broker leads again", lambda: self._leader() == 0)
        self._send(first, "aborted")
        self.tell("the fenced producer has written a record")
        self._write(second, "committed")
        second.commitTransaction()
        found = dict(sorted(committed(TOPIC, self.server).items()))
        for writer in (first, second):
            writer.close(self.of("java.time.Duration").ZERO)
        self.admin.close()
        return found

    def _delete_records(self) -> None:
        """As retention does: up to the last stable offset, behind the abort marker."""
        place = self.of("org.apache.kafka.common.TopicPartition")(TOPIC, 0)
        until = self.of("org.apache.kafka.clients.admin.RecordsToDelete").beforeOffset(2)
        wanted = self.of("java.util.HashMap")()
        wanted.put(place, until)
        deleted = self.admin.deleteRecords(wanted).lowWatermarks().get(place).get()
        wait("the records are deleted", lambda: int(deleted.lowWatermark()) == 2)

    def _writer(self) -> Any:
        return producer({**self.server, "transactional.id": TRANSACTIONAL, "max.block.ms": "120000"})

    def _write(self, writer: Any, value: str) -> None:
        writer.beginTransaction()
        self._send(writer, value)

    def _send(self, writer: Any, value: str) -> None:
        writer.send(self.of("org.apache.kafka.clients.producer.ProducerRecord")(TOPIC, value)).get()

    def _lose(self, abort: Callable[[], None]) -> None:
        """The transaction is aborted, and its marker is lost."""
        first, *others = self.servers.brokers
        if others:
            others[0].stop()
            wait("one replica is in sync", lambda: self._in_sync() == 1)
            self._abort(abort)
            first.kill()
            others[0].start()
            others[0].ready()
            wait("the other replica leads", lambda: self._leader() == 1)
            return
        [segment] = first.data.glob(f"{TOPIC}-0/*.log")
        before = segment.stat().st_size
        self._abort(abort)
        first.kill()
        with segment.open("r+b") as file:
            file.truncate(before)
        first.start()
        first.ready()
        wait("the broker leads again", lambda: self._leader() == 0)

    def _in_sync(self) -> int:
        described = self.admin.describeTopics(self.of("java.util.List").of(TOPIC)).allTopicNames().get().get(TOPIC)
        return int(described.partitions().get(0).isr().size())

    def _abort(self, abort: Callable[[], None]) -> None:
        """The coordinator has the transaction as complete afterwards: every marker is written."""
        abort()
        of_one = self.of("java.util.List").of(TRANSACTIONAL)
        wait("the abort is complete", lambda: str(self._transaction(of_one).state()) == "CompleteAbort")

    def _transaction(self, of_one: Any) -> Any:
        return self.admin.describeTransactions(of_one).all().get().get(TRANSACTIONAL)


def trial(line: Line, paths: list[Path], name: str) -> Results:
    """In the process that has the clients' classes."""
    situation = SITUATIONS[name]
    forgets = name == "forgotten-fence"
    given = UNVERIFIED if forgets else OF_COORDINATOR if situation.brokers > 1 else {}
    with Servers(paths, situation.brokers, given=given) as servers:
        made = Trial(line, servers, situation)
        return made.forgotten() if forgets else made.run()


def told(found: Results) -> str:
    """The results in a line."""
    return "  read_committed: " + ", ".join(f"{value} {count}" for value, count in found.items())


def main() -> int:
    results = list(command(__doc__, SITUATIONS, trial, told))
    return 12 if any("aborted" in found for found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
