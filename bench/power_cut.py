"""A power cut with one replica, on a real broker: python bench/power_cut.py [RECORDS].

A producer with acks=all writes records, and the broker is killed. Then the segment is emptied, as it may be when the
power is lost before the system has written its pages to the disk. Needs the extras `assess` and `kafka`.
"""

from __future__ import annotations

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.conformance.jars import provide

PLACE = TopicPartition("orders", 0)


def acknowledged(address: str, records: int) -> int:
    """How many of some records are acknowledged."""
    producer = KafkaProducer(bootstrap_servers=address, acks="all")
    sent = [producer.send(PLACE.topic, b"%d" % number, partition=0) for number in range(records)]
    producer.flush()
    producer.close()
    return sum(future.succeeded() for future in sent)


def written(address: str) -> int:
    """How many records are in the log."""
    consumer = KafkaConsumer(bootstrap_servers=address)
    end: int = consumer.end_offsets([PLACE])[PLACE] - consumer.beginning_offsets([PLACE])[PLACE]
    consumer.close()
    return end


def main(records: int) -> None:
    kafka, paths = provide(pinned=BROKERS, notify=print)
    with Servers(paths, 1) as servers:
        servers.start()
        address, [broker] = servers.bootstrap(), servers.brokers
        KafkaAdminClient(bootstrap_servers=address).create_topics([NewTopic(PLACE.topic, 1, 1)])
        print(f"Kafka {kafka.version}: {acknowledged(address, records)} acknowledged, {written(address)} in the log")
        broker.kill()
        for segment in broker.data.glob("orders-0/*.log"):
            segment.write_bytes(b"")
        broker.start()
        broker.ready()
        print(f"after the power cut: {written(address)} in the log")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
