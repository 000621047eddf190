"""What delayed requests do to transactions: their findings 1, 2, 3, 10, 20 and 27, on a real broker.

    python bench/delayed_requests.py [--kafka BROKER] [--clients VERSION ...] [SITUATION ...]

KafkaProducer aborts a transaction, and begins the next one. It writes record a to partition 0. Then a request of the
first transaction reaches the broker once more, as it does where its connection was lost and it was sent again on
another one: EndTxn(abort) of the producer (`end`), the abort marker of the coordinator (`marker`, made by hand), or
InitProducerId of the producer (`init`). The producer writes record b to partition 1, and commits. A reader of committed
records tells which of both there are.

In `record` and `record-verified` the delayed request is that of record c, which expires in the first transaction; it
reaches the broker behind the abort, and record a of the next transaction is committed. The broker of `record` verifies
nothing (transaction.partition.verification.enable=false). In `record-of-a-commit` record c expires behind the call of
commitTransaction, and reaches the broker in front of record a. In `refused-record-of-a-commit` it does not expire, but
is refused when it is sent again, since the topic takes smaller records only for a while. Exit code 12 where a or b is
missing, or c is committed.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from applications import Results, command, consumer, producer, properties

from everystate.model.cluster.asking import asked
from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import Frame, Proxy, Verdict
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import PATIENCE, wait
from everystate.model.conformance.process import Line

PRODUCE, INIT_PRODUCER_ID, END_TXN = 0, 22, 26
TOPIC = "results"
SIZE = struct.Struct(">i")


class Requests:
    """A judge that keeps the first request of each kind, and lets everything pass but what is `lost` or `held`."""

    def __init__(self) -> None:
        self.first: dict[int, Frame] = {}
        self.lost = self.held = -1

    def __call__(self, frame: Frame) -> Verdict:
        if not frame.is_answer:
            self.first.setdefault(frame.api, frame)
        if frame.is_answer or frame.api not in (self.lost, self.held):
            return Verdict.PASS
        if frame.api == self.lost:
            return Verdict.DROP
        return Verdict.PASS if frame.data == self.first[frame.api].data else Verdict.HOLD


class Trial:
    """A broker and a producer; `tell` hears what happens."""

    def __init__(self, line: Line, servers: Servers, proxy: Proxy) -> None:
        import jpype

        self.tell, self.of, self.port, self.requests = line.tell, jpype.JClass, 0, Requests()
        self.proxy = proxy
        servers.start()
        self.port = proxy.ports[0]
        proxy.judge_with(self.requests)
        self.server = {"bootstrap.servers": f"{HOST}:{self.port}"}
        self.admin = self.of("org.apache.kafka.clients.admin.Admin").create(properties(self.server))
        topic = self.of("org.apache.kafka.clients.admin.NewTopic")(TOPIC, 2, jpype.JShort(1))
        self.admin.createTopics(self.list([topic])).all().get()

    def list(self, items: list[Any]) -> Any:
        """As Java has them."""
        return self.of("java.util.Arrays").asList(items)

    def run(self, delayed: Callable[[], Callable[[], None]]) -> Results:
        """How often each record is committed; `delayed` notes a request of the first transaction, and repeats it."""
        import jpype

        made = producer({**self.server, "transactional.id": "copier"})
        made.initTransactions()
        made.beginTransaction()
        made.send(self.record(0, "of the first transaction")).get()
        made.abortTransaction()
        once_more = delayed()
        made.beginTransaction()
        made.send(self.record(0, "a")).get()
        once_more()
        try:
            made.send(self.record(1, "b")).get()
            made.commitTransaction()
            self.tell("commitTransaction of records a and b succeeds")
        except jpype.JException as error:
            self.tell(f"the application is told {(error.getCause() or error).getClass().getSimpleName()}")
        made.close()
        self.admin.close()
        return self.committed("a", "b")

    def late_record(self, of_a_commit: bool) -> Results:
        """How often each record is committed, where that of an aborted transaction is late."""
        import jpype

        impatient = {"delivery.timeout.ms": "3000", "request.timeout.ms": "3000", "linger.ms": "0"}
        self.requests.lost = PRODUCE
        made = producer({**self.server, **impatient, "transactional.id": "copier"})
        made.initTransactions()
        made.beginTransaction()
        expired = made.send(self.record(0, "c"))
        if of_a_commit:
            try:
                made.commitTransaction()
            except jpype.JException as error:
                self.tell(f"commitTransaction throws {error.getClass().getSimpleName()}")
        wait("record c expires", lambda: bool(expired.isDone()))
        self.requests.lost = -1
        made.abortTransaction()
        if of_a_commit:
            return self.in_front(made)
        self.again(PRODUCE, "request with record c")
        self.tell(
            f"the log ends at {self.end_of('read_uncommitted')}, and is stable to {self.end_of('read_committed')}"
        )
        made.beginTransaction()
        made.send(self.record(0, "a")).get()
        made.commitTransaction()
        made.close()
        self.admin.close()
        return self.committed("a", "c")

    def refused_record(self) -> Results:
        """How often each record is committed, where that of an aborted transaction was refused when sent again."""
        import jpype

        self.requests.lost = PRODUCE
        made = producer({**self.server, "request.timeout.ms": "3000", "linger.ms": "0", "transactional.id": "copier"})
        made.initTransactions()
        made.beginTransaction()
        refused = made.send(self.record(0, "c"))
        wait("the request with record c is on its way", lambda: PRODUCE in self.requests.first)
        self.largest(10)
        self.requests.lost = -1
        try:
            made.commitTransaction()
        except jpype.JException as error:
            self.tell(f"commitTransaction throws {error.getClass().getSimpleName()}")
        wait("record c is refused", lambda: bool(refused.isDone()))
        self.largest(1_000_000)  # else the abort marker is too large as well
        made.abortTransaction()
        return self.in_front(made)

    def largest(self, size: int) -> None:
        """The topic takes no larger records."""
        kinds = "org.apache.kafka.common.config.ConfigResource"
        topic = self.of(kinds)(self.of(f"{kinds}$Type").TOPIC, TOPIC)
        entry = self.of("org.apache.kafka.clients.admin.ConfigEntry")("max.message.bytes", str(size))
        change = self.of("org.apache.kafka.clients.admin.AlterConfigOp")
        changes = self.of("java.util.HashMap")()
        changes.put(topic, self.list([change(entry, self.of(f"{change.__name__}$OpType").SET)]))
        self.admin.incrementalAlterConfigs(changes).all().get()

        def is_known() -> bool:
            found = self.admin.describeConfigs(self.list([topic])).all().get().get(topic)
            return str(found.get("max.message.bytes").value()) == str(size)

        wait("the broker has the new setting", is_known)

    def in_front(self, made: Any) -> Results:
        """The late record reaches the broker when its partition has joined the next transaction."""
        self.requests.held = PRODUCE
        made.beginTransaction()
        sent = made.send(self.record(0, "a"))
        wait("the request with record a is held back", lambda: self.proxy.held == 1)
        self.again(PRODUCE, "request with record c")
        self.requests.held = -1
        self.proxy.again()
        sent.get()
        made.commitTransaction()
        made.close()
        self.admin.close()
        return self.committed("a", "c")

    def end_of(self, isolation: str) -> int:
        """The offset behind what a reader gets of partition 0."""
        place = self.of("org.apache.kafka.common.TopicPartition")(TOPIC, 0)
        reader = consumer({**self.server, "isolation.level": isolation})
        found = int(reader.endOffsets(self.list([place])).get(place))
        reader.close()
        return found

    def end(self) -> Callable[[], None]:
        """EndTxn(abort) of the producer: the same bytes on another connection."""
        return lambda: self.again(END_TXN, "EndTxn(abort) of the first transaction")

    def init(self) -> Callable[[], None]:
        """InitProducerId of the producer, likewise."""
        return lambda: self.again(INIT_PRODUCER_ID, "InitProducerId of the producer")

    def again(self, api: int, name: str) -> None:
        """A request that was delayed: the same bytes on another connection."""
        data = self.requests.first[api].data
        with socket.create_connection((HOST, self.port)) as connection:
            connection.sendall(SIZE.pack(len(data)) + data)
            connection.recv(SIZE.size)
        self.tell(f"the {name} reaches the broker late")

    def marker(self) -> Callable[[], None]:
        """The abort marker in partition 0, with the epoch that the leader has from it."""
        import jpype

        place = self.of("org.apache.kafka.common.TopicPartition")(TOPIC, 0)
        known: list[Any] = []

        def is_written() -> bool:
            told = self.admin.describeProducers(self.list([place])).partitionResult(place).get()
            known[:] = [each for each in told.activeProducers() if not each.currentTransactionStartOffset().isPresent()]
            return bool(known)

        wait("the marker is written", is_written)
        message = "org.apache.kafka.common.message.WriteTxnMarkersRequestData"
        topics = self.of(f"{message}$WritableTxnMarkerTopic")().setName(TOPIC)
        topics.setPartitionIndexes(self.list([self.of("java.lang.Integer")(0)]))
        marker = self.of(f"{message}$WritableTxnMarker")().setProducerId(known[0].producerId())
        marker.setProducerEpoch(jpype.JShort(known[0].producerEpoch())).setCoordinatorEpoch(0)
        marker.setTransactionResult(False).setTopics(self.list([topics]))
        with_epochs = int(known[0].producerEpoch()) > 0
        if with_epochs:
            marker.setTransactionVersion(jpype.JByte(2))
        request = self.of(message)().setMarkers(self.list([marker]))

        def once_more() -> None:
            answer, version = asked(self.port, "WRITE_TXN_MARKERS", 2 if with_epochs else 1, request)
            told = self.of("org.apache.kafka.common.message.WriteTxnMarkersResponseData")(answer, version)
            code = told.markers().get(0).topics().get(0).partitions().get(0).errorCode()
            error = self.of("org.apache.kafka.common.protocol.Errors").forCode(code)
            self.tell(f"the abort marker of the first transaction reaches the broker late: {error}")

        return once_more

    def record(self, partition: int, value: str) -> Any:
        """A record of a partition."""
        number = self.of("java.lang.Integer")(partition)
        return self.of("org.apache.kafka.clients.producer.ProducerRecord")(TOPIC, number, None, value)

    def committed(self, *records: str) -> Results:
        """How often a reader of committed records finds each."""
        reader, found = consumer(self.server), dict.fromkeys(records, 0)
        places = [self.of("org.apache.kafka.common.TopicPartition")(TOPIC, p) for p in (0, 1)]
        reader.assign(self.list(places))
        ends = reader.endOffsets(self.list(places))

        def is_read() -> bool:
            for record in reader.poll(self.of("java.time.Duration").ofMillis(100)):
                found[str(record.value())] += 1
            return all(reader.position(place) >= int(ends.get(place)) for place in places)

        wait("both partitions are read to the end", is_read, patience=PATIENCE)
        reader.close()
        return found


REPEATED = {"end": Trial.end, "marker": Trial.marker, "init": Trial.init}
LATE = {
    "record": {"transaction.partition.verification.enable": "false"},
    "record-verified": dict[str, str](),
    "record-of-a-commit": dict[str, str](),
}
REFUSED = "refused-record-of-a-commit"
"""Which request is repeated, and the configuration of the broker where a record is late."""


def trial(line: Line, paths: list[Path], name: str) -> Results:
    """In the process that has the client's classes."""
    with Proxy() as proxy, Servers(paths, given=LATE.get(name, {}), advertised=proxy.shown) as servers:
        made = Trial(line, servers, proxy)
        if name == REFUSED:
            return made.refused_record()
        return made.late_record("commit" in name) if name in LATE else made.run(lambda: REPEATED[name](made))


def told(found: Results) -> str:
    """The records in a line."""
    return "  committed: " + ", ".join(f"record {value}: {count}" for value, count in found.items())


def main() -> int:
    results = list(command(__doc__, dict.fromkeys((*REPEATED, *LATE, REFUSED)), trial, told))
    return 12 if any(count != (value != "c") for found in results for value, count in found.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
