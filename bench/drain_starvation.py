"""A partition that must wait stops every other partition of its node: finding 1 of the drain, on real brokers.

    python bench/drain_starvation.py [--kafka BROKER] [--clients VERSION ...]

KafkaProducer runs by itself against two brokers. Partition 0 is led by broker 0, partitions 1 and 2 by broker 1. A
proxy holds back all produce requests to broker 0, as if it hung, while partition 0 moves to broker 1. Then partitions
1 and 2 get a record each, and the command prints how long each waits for its acknowledgement. Only metadata.max.age.ms
differs from the defaults: by default the producer learns of the move after up to five minutes, or by an error.
Exit code 12 where a record waits for more than five seconds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from applications import Results, command, producer, properties

from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import PRODUCE, Frame, Proxy, Verdict
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.process import Line

TOPIC, OLD, NEW = "records", 0, 1
PLACES = {0: (OLD, NEW), 1: (NEW, OLD), 2: (NEW, OLD)}
"""The replicas of each partition; the first one leads."""
BACKOFF_ENDS = 1.0
"""Seconds after which a refused batch may be sent again, whatever the release."""
LONG = 5_000


def hung(frame: Frame) -> Verdict:
    """The old leader gets no produce request."""
    return Verdict.HOLD if frame.node == OLD and frame.api == PRODUCE else Verdict.PASS


class Trial:
    """Two brokers and a producer; `tell` hears what happens."""

    def __init__(self, line: Line, servers: Servers, proxy: Proxy) -> None:
        import jpype

        self.tell, self.proxy, self.of = line.tell, proxy, jpype.JClass
        servers.start()
        server = {"bootstrap.servers": ",".join(f"{HOST}:{port}" for port in proxy.ports.values())}
        self.list, self.number = self.of("java.util.Arrays").asList, self.of("java.lang.Integer")
        self.admin = self.of("org.apache.kafka.clients.admin.Admin").create(properties(server))
        places = self.of("java.util.HashMap")()
        for partition, nodes in PLACES.items():
            places.put(self.number(partition), self.replicas(nodes))
        topic = self.of("org.apache.kafka.clients.admin.NewTopic")(TOPIC, places)
        self.admin.createTopics(self.list([topic])).all().get()
        self.producer = producer({**server, "metadata.max.age.ms": "500", "acks": "all", "enable.idempotence": "true"})
        for partition in PLACES:
            self.send(partition, "known").get()

    def replicas(self, nodes: tuple[int, ...]) -> Any:
        """Numbers of brokers, as Java has them."""
        return self.list([self.number(node) for node in nodes])

    def send(self, partition: int, value: str) -> Any:
        """One record."""
        record = self.of("org.apache.kafka.clients.producer.ProducerRecord")
        return self.producer.send(record(TOPIC, self.number(partition), None, value))

    def move(self) -> None:
        """The other broker leads partition 0, and the producer knows it."""
        place = self.of("org.apache.kafka.common.TopicPartition")(TOPIC, 0)
        wanted = self.of("org.apache.kafka.clients.admin.NewPartitionReassignment")(self.replicas((NEW, OLD)))
        reassignments = self.of("java.util.HashMap")()
        reassignments.put(place, self.of("java.util.Optional").of(wanted))
        self.admin.alterPartitionReassignments(reassignments).all().get()
        preferred = self.of("org.apache.kafka.common.ElectionType").PREFERRED
        self.admin.electLeaders(preferred, self.of("java.util.Collections").singleton(place)).all().get()
        wait("the producer knows the new leader", lambda: self.leader_known() == NEW)

    def leader_known(self) -> int:
        """Whom the producer takes for the leader of partition 0."""
        return next(int(p.leader().id()) for p in self.producer.partitionsFor(TOPIC) if int(p.partition()) == 0)

    def run(self) -> Results:
        """How many milliseconds the record of each partition waits."""
        self.proxy.judge_with(hung)
        first = self.send(0, "hangs")
        wait("a request to the old leader hangs", lambda: self.proxy.held == 1)
        began = time.monotonic()
        self.move()
        second = self.send(0, "must wait")
        time.sleep(BACKOFF_ENDS)
        self.tell(f"partition 0 has moved; a request to its old leader has hung for {time.monotonic() - began:.1f} s")
        sent = time.monotonic()
        futures = {partition: self.send(partition, "late") for partition in (1, 2)}
        waited = {}
        while len(waited) < len(futures):
            for partition, future in futures.items():
                if partition not in waited and future.isDone():
                    waited[partition] = round((time.monotonic() - sent) * 1000)
            time.sleep(0.005)
        self.proxy.judge_with(lambda frame: Verdict.PASS)
        first.get(), second.get()
        self.producer.close()
        self.admin.close()
        return {f"partition {partition}": waited[partition] for partition in futures}


def trial(line: Line, paths: list[Path], name: str) -> Results:
    """In the process that has the client's classes."""
    with Proxy() as proxy, Servers(paths, brokers=2, advertised=proxy.shown) as servers:
        return Trial(line, servers, proxy).run()


def told(found: Results) -> str:
    """The waits in a line."""
    return "  waits: " + ", ".join(f"{name} {milliseconds:,} ms" for name, milliseconds in found.items())


def main() -> int:
    results = list(command(__doc__, {"hung-leader": None}, trial, told))
    return 12 if any(max(found.values()) > LONG for found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
