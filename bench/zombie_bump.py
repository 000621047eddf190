"""A zombie's epoch bump fences the new producer, on a real broker (finding 9 of transactions).

    python bench/zombie_bump.py [VERSION]

Starts one broker on loopback, sends it the requests of two producers with one transactional id, and says what each is
answered. Exit code 0 if the new producer is fenced by the old one's InitProducerId, 1 if it is not.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.conformance.jars import provide

ID, TOPIC = "zombie", "records"
FIND_COORDINATOR, INIT_PRODUCER_ID, ADD_PARTITIONS, END_TXN, METADATA = 10, 22, 24, 26, 3
NONE, INVALID_PRODUCER_EPOCH, CONCURRENT_TRANSACTIONS, PRODUCER_FENCED = 0, 47, 51, 90
PASSING = (3, 14, 15, 16)
"""UNKNOWN_TOPIC_OR_PARTITION, and the coordinator's: loading, not available, not the one."""
CONFIG = {
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "auto.create.topics.enable": "true",
}


def text(value: str) -> bytes:
    """A STRING of Kafka's protocol."""
    return struct.pack(">h", len(value)) + value.encode()


class Client:
    """Requests by hand, on one connection."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port))

    def call(self, api: int, version: int, body: bytes, flexible: bool = False) -> bytes:
        """The body of the answer."""
        head = struct.pack(">hhi", api, version, 1) + text("bench") + b"\0" * flexible
        self.connection.sendall(struct.pack(">i", len(head + body)) + head + body)
        [length] = struct.unpack(">i", self._read(4))
        return self._read(length)[4 + flexible :]

    def _read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            more = self.connection.recv(length - len(data))
            if not more:
                raise ConnectionError("the broker has closed the connection")
            data += more
        return data

    def init_producer_id(self, pid: int = -1, epoch: int = -1) -> tuple[int, int, int]:
        """An error, a producer id and an epoch."""
        body = bytes([len(ID) + 1]) + ID.encode() + struct.pack(">iqh", 60_000, pid, epoch) + b"\0"
        _, error, pid, epoch = struct.unpack(">ihqh", self.call(INIT_PRODUCER_ID, 4, body, flexible=True)[:16])
        return error, pid, epoch

    def add_partition(self, pid: int, epoch: int) -> int:
        """The error for the partition."""
        body = text(ID) + struct.pack(">qhi", pid, epoch, 1) + text(TOPIC) + struct.pack(">ii", 1, 0)
        return int.from_bytes(self.call(ADD_PARTITIONS, 0, body)[-2:], "big", signed=True)

    def commit(self, pid: int, epoch: int) -> int:
        """The error of EndTxn."""
        answer = self.call(END_TXN, 0, text(ID) + struct.pack(">qhb", pid, epoch, 1))
        return int(struct.unpack(">ih", answer)[1])

    def find_coordinator(self) -> int:
        """The error of FindCoordinator, which makes the transaction log."""
        return int(struct.unpack(">ih", self.call(FIND_COORDINATOR, 1, text(ID) + b"\1")[:6])[1])


def patiently(ask: Callable[[], Any], passing: tuple[int, ...] = PASSING) -> Any:
    """An answer, as soon as it is none of the errors that pass."""
    while True:
        answer = ask()
        error = answer[0] if isinstance(answer, tuple) else answer
        if error not in passing:
            return answer
        time.sleep(0.1)


def play(client: Client) -> bool:
    """Whether the new producer is fenced."""
    client.call(METADATA, 1, struct.pack(">i", 1) + text(TOPIC))
    patiently(client.find_coordinator)
    _, *old = patiently(client.init_producer_id)
    _, *new = patiently(client.init_producer_id)
    print(f"old producer: id {old[0]}, epoch {old[1]}; new producer: id {new[0]}, epoch {new[1]}")
    print(
        "new, AddPartitionsToTxn:", patiently(lambda: client.add_partition(*new), (*PASSING, CONCURRENT_TRANSACTIONS))
    )
    bumped = client.init_producer_id(*old)[0]
    print("old, InitProducerId with its pair:", bumped)
    again = patiently(lambda: client.init_producer_id(*old)[0], (*PASSING, CONCURRENT_TRANSACTIONS))
    added, committed = client.add_partition(*new), client.commit(*new)
    print("new, AddPartitionsToTxn:", added)
    print("new, EndTxn(commit):", committed)
    print("old, InitProducerId once more:", again)
    return (bumped, added, again) == (CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_EPOCH, PRODUCER_FENCED)


def main(version: str = "") -> int:
    """Run it on a broker of a release, by default the newest one."""
    paths = provide(version, pinned=BROKERS)[1] if version else provide(pinned=BROKERS)[1]
    with Servers(paths, given=CONFIG) as servers:
        servers.start()
        return 0 if play(Client(servers.brokers[0].ports.client)) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
