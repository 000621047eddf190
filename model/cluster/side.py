"""Real brokers as a driver: their observables, and when a difference counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from ..conformance.cluster import Cluster
from ..conformance.driver import UNTOLD, Move, NotJudged, Setup
from ..conformance.kafka_side import KafkaSide
from ..conformance.mapping import OBSERVABLES, Observable, kafka_files, kafka_memory
from ..conformance.view import View
from ..fault_table import actions
from .brokers import Brokers
from .gate import Gate
from .leadership import Leadership, leadership
from .servers import Servers

LOOKS, BETWEEN = 6, 0.5
"""How often a difference is observed again, and the seconds in between: a cluster takes time."""
MOVING = (*actions("restarts"), *actions("elects"), *actions("shrinks"), "rejoin")
"""Steps in which leadership or the in-sync set changes because the driver wants it."""


def model_in_sync(view: View) -> Iterator[tuple[str, Any]]:
    """The in-sync replicas in the model."""
    brokers = tuple(n for n in range(view.spec.replicas) if n == view.leader or view.in_sync[n])
    for p in range(view.spec.partitions):
        yield f"in-sync set of partition {p}", brokers if view.spec.in_sync_matters() else UNTOLD


def kafka_in_sync(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    """The in-sync replicas, as the leader reports them."""
    assert isinstance(kafka, Brokers)
    for p, found in enumerate(leadership(kafka.port_of_leader())):
        yield f"in-sync set of partition {p}", found.in_sync


SEEN = (
    *(each for each in OBSERVABLES if each.kafka not in (kafka_memory, kafka_files)),
    Observable(model_in_sync, kafka_in_sync),
)
"""The observables of a cluster: all except a broker's memory beyond the newest batch, and its snapshots."""


class BrokersSide(KafkaSide):
    """The same as a driver."""

    def __init__(self, setup: Setup, servers: Servers, gate: Gate, alive: Callable[[], None]) -> None:
        super().__init__(setup, lambda given: Brokers(given, servers, gate, alive))
        self.seen, self.moving = SEEN, True
        self.before = self.after = self._led()

    @property
    def brokers(self) -> Brokers:
        """The cluster with its type here."""
        assert isinstance(self.cluster, Brokers)
        return self.cluster

    def _leadership(self) -> list[Leadership]:
        return leadership(self.brokers.port_of_leader())

    def _led(self) -> list[Leadership]:
        """The leader, once every running broker knows it, and it is the intended one."""
        self.brokers.admin.until(f"all know that broker {self.brokers.leader} leads", self._agreed)
        return self._leadership()

    def _agreed(self) -> bool:
        try:
            told = [leadership(port) for port in self.brokers.ports_awake()]
        except NotJudged:  # one that starts
            return False
        leaders = {each.leader for partitions in told for each in partitions}
        return leaders == {self.brokers.leader} and all(each == told[0] for each in told)

    def step(self, move: Move) -> None:
        self.moving = move.action in MOVING
        super().step(move)
        if not (move.in_sync_matters or self.brokers.in_sync):
            self.moving = True
            self.brokers.wake_all()
        self.before, self.after = self.after, self._led() if self.moving else self._leadership()
        self._require_still(self.after)

    def observe(self) -> dict[str, Any]:
        self.brokers.settle()
        return super().observe()

    def is_late(self) -> bool:
        """A pass of the producer that is no step would be one too many here."""
        return False

    def again(self, look: int) -> bool:
        """A cluster takes time, so only a difference that remains counts."""
        self._require_still(self._leadership())
        time.sleep(BETWEEN)
        return look < LOOKS

    def _require_still(self, now: list[Leadership]) -> None:
        """A cluster that moved by itself deviates from the model, even where nothing differs yet."""
        known = self.after if self.moving else self.before
        if now != known:
            raise NotJudged(
                f"nobody had told the cluster to change who leads or is in sync: {_told(known)} became {_told(now)}"
            )


def _told(found: list[Leadership]) -> str:
    return ", ".join(f"broker {each.leader} in epoch {each.epoch} with {list(each.in_sync)} in sync" for each in found)
