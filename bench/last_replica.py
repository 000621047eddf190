"""The last in-sync replica loses its disk, on real brokers: python bench/last_replica.py [RECORDS].

Three replicas, min.insync.replicas=2, acks=all. Two brokers stop one after the other, the third one is killed and its
segment is emptied, as by a power cut. Then all come back: without eligible leader replicas (KIP-966), and with them.
Needs the extras `assess` and `kafka`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from kafka.admin import KafkaAdminClient, NewTopic, UpdateFeatureType
from power_cut import PLACE, acknowledged, written

from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.jars import provide

ELR = "eligible.leader.replicas.version"


def leader(admin: KafkaAdminClient) -> int:
    """The broker that leads."""
    [topic] = admin.describe_topics([PLACE.topic])
    return int(topic["partitions"][0]["leader_id"])


def run(paths: Sequence[Path], records: int, eligible: bool) -> None:
    """Stop two brokers, lose what the last one has, and start all of them."""
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
        for broker in others:
            broker.stop()
        last.kill()
        for segment in last.data.glob("orders-0/*.log"):
            segment.write_bytes(b"")
        for broker in (last, *others):
            broker.start()
            broker.ready()
        admin = KafkaAdminClient(bootstrap_servers=address)
        wait("a broker leads again", lambda: leader(admin) >= 0)
        admin.close()
        print(f"{'with' if eligible else 'without'} ELR: {said}; afterwards {written(address)} in the log", flush=True)


def main(records: int) -> None:
    kafka, paths = provide(pinned=BROKERS, notify=print)
    print(f"Kafka {kafka.version}")
    for eligible in (False, True):
        run(paths, records, eligible)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
