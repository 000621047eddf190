"""Offsets of an aborted transaction are committed with the next one: finding 21, on real brokers.

    python bench/left_out.py [--kafka BROKER] [--clients VERSION ...] [SITUATION ...]

Applications with Kafka's own consumers and producers read records of two partitions, write a result of each, and commit
results and offsets in transactions. In the first one a result is refused while TxnOffsetCommit has no answer, whose
connection is lost then, and the application aborts. A reader of committed results tells how often there is one of each
record. What is steered is the order of calls, and when these two answers come (a proxy holds them back). Exit code 12
where a record has not one result.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from applications import Results, command, committed, consumer, producer, properties

from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import PRODUCE, Frame, Proxy, Verdict
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import PATIENCE, wait
from everystate.model.conformance.process import Line

TXN_OFFSET_COMMIT = 28
GROUP, SOURCE, RESULTS = "workers", "records", "results"
PARTITIONS, RECORDS, WORKED_ON = range(2), 5, 3
COORDINATOR, LEADER = 0, 1
"""The broker that coordinates group and transactions, and the one that has the results: two connections."""
PATIENT = {"max.block.ms": "15000", "transaction.timeout.ms": "30000"}
"""Until a call of a producer gives up, and until the coordinator aborts what nobody ends."""
LARGE = "x" * 2000
"""Beyond the max.message.bytes of the results."""


class Answers:
    """A judge: holds back what the leader of the results answers, until that is told, and the first answer to
    TxnOffsetCommit, until its connection is lost."""

    def __init__(self) -> None:
        self.held: Frame | None = None
        self.leader_answers = self.is_lost = False

    def __call__(self, frame: Frame) -> Verdict:
        if not frame.is_answer:
            return Verdict.PASS
        if frame.api == PRODUCE and not self.leader_answers:
            return Verdict.HOLD
        if frame.api == TXN_OFFSET_COMMIT and self.held is None:
            self.held = frame
        if frame is not self.held:
            return Verdict.PASS
        return Verdict.CLOSE if self.is_lost else Verdict.HOLD


class Application:
    """A member of the group: a consumer and a producer, both Kafka's own."""

    def __init__(self, number: int, server: Mapping[str, str]) -> None:
        import jpype

        self.of, self.records = jpype.JClass, {p: dict[int, str]() for p in PARTITIONS}
        self.consumer = consumer({**server, "client.id": f"member-{number}", "group.id": GROUP})
        self.producer = producer({**server, **PATIENT, "transactional.id": f"member-{number}"})
        self.consumer.subscribe(self.of("java.util.Arrays").asList([SOURCE]))
        self.producer.initTransactions()

    def poll(self) -> int:
        """How many records it has got so far."""
        for record in self.consumer.poll(self.of("java.time.Duration").ofMillis(50)):
            self.records[int(record.partition())][int(record.offset())] = str(record.value())
        return sum(map(len, self.records.values()))

    def assigned(self) -> list[int]:
        """The partitions that it has."""
        return sorted(int(each.partition()) for each in self.consumer.assignment())

    def has_all(self) -> bool:
        """Whether nothing is left for it; it waits for the offsets of transactions that are open."""
        place = self.of("org.apache.kafka.common.TopicPartition")
        return all(int(self.consumer.position(place(SOURCE, p))) == RECORDS for p in PARTITIONS)

    def send(self, value: str) -> Any:
        """A result."""
        return self.producer.send(self.of("org.apache.kafka.clients.producer.ProducerRecord")(RESULTS, value))

    def work(self, partitions: Iterable[int], most: int) -> None:
        """Begin a transaction, and write a result of the first records of each partition."""
        self.producer.beginTransaction()
        for p in partitions:
            for value in list(self.records[p].values())[:most]:
                self.send(value).get()

    def send_offsets(self, offsets: Mapping[int, int]) -> None:
        """sendOffsetsToTransaction."""
        given = self.of("java.util.HashMap")()
        for partition, offset in offsets.items():
            place = self.of("org.apache.kafka.common.TopicPartition")(SOURCE, partition)
            given.put(place, self.of("org.apache.kafka.clients.consumer.OffsetAndMetadata")(offset))
        self.producer.sendOffsetsToTransaction(given, self.consumer.groupMetadata())

    def commit(self, partitions: Iterable[int]) -> str:
        """Work on all that it has of some partitions, and commit; what the application is told."""
        import jpype

        found = [p for p in partitions if self.records[p]]
        self.work(found, RECORDS)
        try:
            self.send_offsets({p: max(self.records[p]) + 1 for p in found})
            self.producer.commitTransaction()
        except jpype.JException as error:
            return f"{error.getClass().getSimpleName()}; abortTransaction: {self.abort()}"
        return "commits"

    def abort(self) -> str:
        """abortTransaction; what the application is told."""
        import jpype

        try:
            self.producer.abortTransaction()
        except jpype.JException as error:
            return str(error.getClass().getSimpleName())
        return "ok"

    def close(self) -> None:
        """Leave."""
        self.producer.close(self.of("java.time.Duration").ZERO)
        self.consumer.close()


class Trial:
    """Two brokers with records in both partitions; `tell` hears what happens."""

    def __init__(self, tell: Callable[[object], None], servers: Servers, proxy: Proxy) -> None:
        import jpype

        self.tell, self.proxy, self.of = tell, proxy, jpype.JClass
        self.server = {"bootstrap.servers": ",".join(f"{HOST}:{port}" for port in proxy.ports.values())}
        servers.start()
        self.admin = self.of("org.apache.kafka.clients.admin.Admin").create(properties(self.server))
        for name in ("__consumer_offsets", "__transaction_state"):
            self._create(name, (COORDINATOR,), {"cleanup.policy": "compact"})
        self._create(SOURCE, (COORDINATOR, LEADER), {})
        self._create(RESULTS, (LEADER,), {"max.message.bytes": "1000"})
        self._write({p: [f"record {p}.{i}" for i in range(RECORDS)] for p in PARTITIONS})
        self.first = self._application(0)
        wait("member 0 has every record", lambda: self.first.poll() == RECORDS * len(PARTITIONS))

    def _create(self, name: str, leaders: Sequence[int], given: Mapping[str, str]) -> None:
        """A topic whose partitions have these leaders."""
        number, places = self.of("java.lang.Integer"), self.of("java.util.HashMap")()
        for partition, leader in enumerate(leaders):
            places.put(number(partition), self.of("java.util.Arrays").asList([number(leader)]))
        topic = self.of("org.apache.kafka.clients.admin.NewTopic")(name, places).configs(dict(given))
        self.admin.createTopics(self.of("java.util.Arrays").asList([topic])).all().get()

    def _write(self, values: Mapping[int, list[str]]) -> None:
        """Records that belong to no transaction."""
        writer, record = producer(self.server), self.of("org.apache.kafka.clients.producer.ProducerRecord")
        for partition, texts in values.items():
            for text in texts:
                writer.send(record(SOURCE, self.of("java.lang.Integer")(partition), None, text)).get()
        writer.close()

    def _application(self, number: int) -> Application:
        return Application(number, self.server)

    def abort(self, offsets: Mapping[int, int]) -> None:
        """Member 0 works on some records; a result is refused while the offsets are not answered; it aborts."""
        import jpype

        answers, told = Answers(), list[str]()
        self.first.work(offsets, WORKED_ON)
        self.proxy.judge_with(answers)
        refused = self.first.send(LARGE)
        wait("the answer to a result is held back", lambda: self.proxy.held == 1)

        def send_offsets() -> None:
            try:
                self.first.send_offsets(offsets)
                told.append("is answered")
            except jpype.JException as error:
                told.append(f"throws {error.getClass().getSimpleName()}")

        caller = threading.Thread(target=send_offsets)
        caller.start()
        wait("the answer to TxnOffsetCommit is held back", lambda: answers.held is not None)
        answers.leader_answers = True
        self.proxy.again()
        try:
            refused.get()
        except jpype.JException as error:
            self.tell(f"a result is refused: {(error.getCause() or error).getClass().getSimpleName()}")
        answers.is_lost = True
        self.proxy.again()
        caller.join()
        self.tell(
            f"member 0: sendOffsetsToTransaction of {named(offsets)} {told[0]}; abortTransaction: {self.first.abort()}"
        )
        self.see()

    def see(self) -> None:
        """Tell the offsets that the group has committed."""
        found = self.admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get()
        offsets = {int(each.getKey().partition()): int(each.getValue().offset()) for each in found.entrySet()}
        self.tell(f"committed: {named(offsets)}")

    def end(self, *members: Application) -> Results:
        """All leave; a successor works on what is left. How often there is a committed result of each record."""
        for member in members:
            member.close()
        last = self._application(2)
        wait("the successor has the partitions", lambda: last.poll() >= 0 and last.assigned() == list(PARTITIONS))
        wait("the successor has read to the end", lambda: last.poll() >= 0 and last.has_all(), patience=2 * PATIENCE)
        got = [value for p in PARTITIONS for value in last.records[p].values()]
        self.tell(f"a successor gets {', '.join(got) or 'nothing'}")
        if got:
            last.commit(PARTITIONS)
        last.close()
        return self._results()

    def _results(self) -> Results:
        found = committed(RESULTS, self.server)
        return {value: found[value] for value in (f"record {p}.{i}" for p in PARTITIONS for i in range(RECORDS))}

    # -- situations ----------------------------------------------------------------------------------------

    def left_out(self) -> Results:
        """The next transaction is of the other partition."""
        self.abort({0: WORKED_ON})
        self.tell(f"member 0 works on partition 1, and sends its offset alone: {self.first.commit((1,))}")
        self.see()
        return self.end(self.first)

    def put_back(self) -> Results:
        """The partition belongs to another member when the next transaction commits."""
        self.abort(dict.fromkeys(PARTITIONS, WORKED_ON))
        second = self._application(1)

        def shared() -> bool:
            self.first.poll()
            second.poll()
            return len(self.first.assigned()) == len(second.assigned()) == 1

        wait("each member has a partition", shared)
        [mine], [other] = self.first.assigned(), second.assigned()
        wait("member 1 has the records of its partition", lambda: second.poll() == RECORDS)
        self.tell(f"member 1 has partition {other} now, and works on it: {second.commit((other,))}")
        self.see()
        self.first.poll()
        self.tell(f"member 0 works on partition {mine}, and sends its offset alone: {self.first.commit((mine,))}")
        self.see()
        return self.end(self.first, second)


SITUATIONS = {"left-out": Trial.left_out, "put-back": Trial.put_back}


def named(offsets: Mapping[int, int]) -> str:
    """Offsets of partitions, as they are told."""
    return ", ".join(f"offset {offset} of partition {p}" for p, offset in sorted(offsets.items())) or "nothing"


def trial(line: Line, paths: list[Path], name: str) -> Results:
    """In the process that has the clients' classes."""
    with Proxy() as proxy, Servers(paths, brokers=2, advertised=proxy.shown) as servers:
        return SITUATIONS[name](Trial(line.tell, servers, proxy))


def told(found: Results) -> str:
    """The records with as many results each, in a line."""

    def of(count: int) -> str:
        return ", ".join(value.removeprefix("record ") for value, each in found.items() if each == count)

    return "\n".join(f"  committed results, {count} each: {of(count)}" for count in sorted(set(found.values())))


def main() -> int:
    results = list(command(__doc__, SITUATIONS, trial, told))
    return 12 if any(set(found.values()) != {1} for found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
