"""The last in-sync replica loses its disk, on real brokers: python bench/last_replica.py [RECORDS].

Three replicas, min.insync.replicas=2, acks=all. Two brokers stop one after the other, the third one is killed and its
segment is emptied, as by a power cut. Then all come back: without eligible leader replicas (KIP-966), and with them.
At last two brokers are killed and emptied: the last known leader leads (D20), though the third one has all records.
Needs the extras `assess` and `kafka`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from kafka.admin import KafkaAdminClient, NewTopic, UpdateFeatureType
from power_cut import PLACE, acknowledged, written

from everystate.model.cluster.node import Node
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.jars import provide

ELR = "eligible.leader.replicas.version"


def leader(admin: KafkaAdminClient) -> int:
    """The broker that leads."""
    [topic] = admin.describe_topics([PLACE.topic])
    return int(topic["partitions"][0]["leader_id"])


def lose_power(broker: Node) -> None:
    """Kill a broker, and empty its segments."""
    broker.kill()
    for segment in broker.data.glob("orders-0/*.log"):
        segment.write_bytes(b"")


def run(paths: Sequence[Path], records: int, eligible: bool, cuts: int = 1) -> None:
    """Stop all brokers, the last ones by power cuts, and start all of them."""
    with Servers(paths, 3) as servers:
        servers.start()
        address = servers.bootstrap()
        admin = KafkaAdminClient(bootstrap_servers=address)
        if not eligible:
            admin.update_features({ELR: (UpdateFeatureType.SAFE_DOWNGRADE, 0)})
        configs = {"min.insync.replicas": "2"}
        admin.create_topics([NewTopic(PLACE.topic, 1, 3, topic_configs=configs)])
        wait("a broker leads", lambda: leader(admin) >= 0)
        said = f"{acknowledged(address, records)} acknowledged, {written(address)} in the log"
        last = servers.brokers[leader(admin)]
        admin.close()
        others = [broker for broker in servers.brokers if broker is not last]
        for broker in others[: 3 - cuts]:
            broker.stop()
        for broker in (*others[3 - cuts :], last):
            lose_power(broker)
        for broker in (last, *others):
            broker.start()
            broker.ready()
        admin = KafkaAdminClient(bootstrap_servers=address)
        wait("a broker leads again", lambda: leader(admin) >= 0)
        admin.close()
        name = f"{'with' if eligible else 'without'} ELR, {cuts} lost"
        print(f"{name}: {said}; afterwards {written(address)} in the log", flush=True)


def main(records: int) -> None:
    kafka, paths = provide(pinned=BROKERS, notify=print)
    print(f"Kafka {kafka.version}")
    for eligible, cuts in ((False, 1), (True, 1), (True, 2)):
        run(paths, records, eligible, cuts)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
