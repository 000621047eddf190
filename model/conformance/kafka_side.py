"""Kafka as a driver: a small cluster of its own classes, stepped and read by the two tables."""

from __future__ import annotations

from collections.abc import Callable

from .classes import has_log
from .cluster import Cluster
from .driver import Move, Observation, Setup
from .mapping import ACTIONS, OBSERVABLES, OF_THE_CLIENT, next_told
from .still_side import StillSide


class KafkaSide(StillSide):
    """Kafka in one state."""

    def __init__(self, setup: Setup, cluster: Callable[[Setup], Cluster] = Cluster) -> None:
        super().__init__()
        self.setup = setup
        self.cluster = cluster(setup)
        self.seen = OBSERVABLES if has_log() else OF_THE_CLIENT

    def step(self, move: Move) -> None:
        """Execute a move; the follower has fetched as much as the model has decided for it."""
        self.cluster.move = move
        self.cluster.replicate(move.replicated, move.starts)
        ACTIONS[move.action](self.cluster, move)

    def observe(self) -> Observation:
        """Every observable."""
        return {name: value for each in self.seen for name, value in each.kafka(self.cluster)}

    def is_late(self) -> bool:
        """Whether a delivery timeout has passed and the next pass would not resolve or bump first."""
        client = self.cluster.client
        return client.late is not None and not client.must_loop()

    def sweep(self) -> tuple[int, ...]:
        """The records that a sweep expires now."""
        client, records = self.cluster.client, range(self.setup.batches)
        open_ = [record for record in records if client.result(record) is None]
        client.expire()
        return tuple(record for record in open_ if client.result(record) is not None)

    def go_on(self) -> str | None:
        """Let the producer make its next pass with the gate open for one partition; None where it has to resolve."""
        client = self.cluster.client
        if client.must_loop():
            return None
        ready = [p for p in range(self.setup.partitions) if client.would_send(p) is not None]
        if len(ready) > 1:
            return None
        before = len(client.frames[client.leader])
        client.drain(ready[0] if ready else 0)
        sent = [frame.batch.ids[0] for frame in client.frames[client.leader][before:] if frame.batch]
        return next_told(False, sent)

    def close(self) -> None:
        """Release the files."""
        self.cluster.close()
