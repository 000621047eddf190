"""The work of a measurement's process: a broker behind a proxy that adds the round trip, and clients that write."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cluster.admin import Admin
from ..cluster.disk import Replica
from ..cluster.ending import blaming, ending, require_wanted
from ..cluster.node import Node
from ..cluster.proxy import Proxy
from ..cluster.servers import Servers
from ..conformance.classes import java, kafka
from ..conformance.driver import NotJudged
from ..conformance.process import Line
from .clients import Client, RawClient, RealProducer
from .plan import RAW, REAL, Case, Plan

WARM = 200
"""Warm-up batches of each client before the measurement: Java compiles frequent code."""
ROLLS_LATE = {"log.index.size.max.bytes": "10485760"}
"""Kafka's own default: with the small indexes of a cluster for tests a segment ends after 513 batches."""


@dataclass(frozen=True)
class Job:
    """What is to be measured; `paths` is the class path of the broker, whose files are in a new folder of `place`."""

    plan: Plan
    paths: tuple[Path, ...]
    place: Path


@dataclass
class Outcome:
    """The seconds of each run of each case."""

    seconds: dict[Case, list[float]] = field(default_factory=dict)
    interrupted: bool = False
    not_judged: str = ""


def measure(line: Line, job: Job) -> Outcome:
    """Do a job; after an interrupt the measurements so far count."""
    outcome = Outcome()
    with (
        ending(outcome),
        Proxy() as proxy,
        Servers(job.paths, 1, ROLLS_LATE, place=job.place, advertised=proxy.shown) as servers,
        blaming(servers),
    ):
        line.tell("starting a broker")
        servers.start()
        _Measurement(line, job.plan, proxy, servers, outcome).run()
    return outcome


class _Measurement:
    def __init__(self, line: Line, plan: Plan, proxy: Proxy, servers: Servers, outcome: Outcome) -> None:
        self.line, self.plan, self.proxy, self.servers, self.outcome = line, plan, proxy, servers, outcome

    def run(self) -> None:
        with ExitStack() as opened:
            topic = self._topic()
            clients: dict[tuple[str, int], Client] = {}
            for case in self.plan.cases():
                if case.trip == 0:
                    self.line.tell(f"warming up: {case.client}, {case.in_flight} in flight")
                    clients[case.client, case.in_flight] = client = self._client(case, topic)
                    opened.callback(client.close)
                    client.run(WARM)
            for number in range(self.plan.repeats):
                for case in self.plan.cases():
                    self._alive()
                    self.line.tell(f"round {number + 1} of {self.plan.repeats}: {case_text(case)}")
                    self.proxy.trip = case.trip / 1000
                    seconds = clients[case.client, case.in_flight].run(self.plan.batches(case))
                    self.outcome.seconds.setdefault(case, []).append(seconds)
            self._count(len(clients))

    def _alive(self) -> None:
        require_wanted(self.line, self.servers)

    def _topic(self) -> Any:
        admin = Admin(self.servers.bootstrap(), self._alive)
        try:
            return admin.create(1, [0], {})
        finally:
            admin.close()

    def _client(self, case: Case, topic: Any) -> Client:
        port = self.proxy.ports[0]
        if case.client == RAW:
            return RawClient(port, case.in_flight, self.plan.remembered(case.in_flight), self.plan.size, topic)
        return RealProducer(port, case.in_flight, self.plan.size, case.client == REAL)

    def _count(self, clients: int) -> None:
        """Check that the log has every batch, including the warm-up, and no others."""
        meant = clients * (1 + WARM) + sum(
            self.plan.batches(case) * len(found) for case, found in self.outcome.seconds.items()
        )
        found = batches(self.servers.brokers[0])
        if found != meant:
            raise NotJudged(f"{meant} batches were meant to be in the log, and {found} are: not each has one record")


def case_text(case: Case) -> str:
    """A case in words."""
    return f"{case.client}, {case.in_flight} in flight, {case.trip} ms"


def batches(broker: Node) -> int:
    """How many batches are in the log of the topic."""
    found = 0
    for path in Replica(broker.data, 0).segments:
        records = kafka("FileRecords").open(java("java.io.File")(str(path)), False)
        found += sum(1 for _ in records.batches())
        records.channel().close()
    return found
