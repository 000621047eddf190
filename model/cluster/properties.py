"""The configuration of a server: makes a cluster small and quick to start, and otherwise as released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .node import Ports

HOST = "127.0.0.1"
CLIENT, BROKER, CONTROLLER = "CLIENT", "BROKER", "CONTROLLER"
SMALL = {
    "background.threads": "2",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.cleaner.threads": "1",
    "log.index.size.max.bytes": "4096",
    "num.io.threads": "2",
    "num.network.threads": "1",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
}
"""Fewer threads, buffers and partitions of Kafka's own topics; nothing that a producer would notice."""
STEADY = {
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "broker.heartbeat.interval.ms": "200",
    "broker.session.timeout.ms": "3000",
    "connections.max.idle.ms": "86400000",
    "controlled.shutdown.enable": "true",
    "log.initial.task.delay.ms": "100",
    "log.retention.check.interval.ms": "100",
    "log.segment.delete.delay.ms": "0",
    "producer.id.expiration.check.interval.ms": "100",
    "replica.fetch.max.bytes": "1",
    "replica.lag.time.max.ms": "3600000",
}
"""Nothing happens by itself, and requested actions happen soon. A follower fetches one batch at a time (D1)."""


def text(
    node: int,
    roles: Sequence[str],
    ports: Ports,
    controller: int,
    data: Path,
    given: Mapping[str, str],
    advertised: Ports,
) -> str:
    """server.properties; others reach this server at the ports `advertised`, which may be those of a proxy."""
    entries = {
        **SMALL,
        **STEADY,
        "process.roles": ",".join(roles),
        "node.id": str(node),
        "controller.quorum.bootstrap.servers": f"{HOST}:{controller}",
        "controller.listener.names": CONTROLLER,
        "listeners": _listeners(roles, ports),
        "advertised.listeners": _listeners(roles, advertised),
        "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in (CLIENT, BROKER, CONTROLLER)),
        "log.dirs": str(data),
        **given,
    }
    if "broker" in roles:
        entries["inter.broker.listener.name"] = BROKER
    return "".join(f"{name}={entries[name]}\n" for name in sorted(entries))


def _listeners(roles: Sequence[str], ports: Ports) -> str:
    found = {CLIENT: ports.client, BROKER: ports.broker} if "broker" in roles else {}
    if "controller" in roles:
        found[CONTROLLER] = ports.controller
    return ",".join(f"{name}://{HOST}:{port}" for name, port in found.items())
