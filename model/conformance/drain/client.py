"""The real producer with several partitions: a pass of its loop drains what the gate and its own loop allow.

Backoffs and delivery timeouts pass for one batch at a time: the time that Kafka compares with the clock is moved back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..classes import field, has, kafka, method
from ..clock import Clock
from ..codec import Answer, Frame, Produced, produce_answers
from ..real_client import DELIVERY_TIMEOUT, Entry, RealClient, Settings
from ..real_log import idempotent_records

BACKOFF = 1_000_000
"""Milliseconds: more than a trace takes, less than the initial clock."""
ALIKE = 100
"""A record is the number of its partition times this, plus its number there."""
FIRST_EPOCH = 1
"""The epoch that is 0 in the model: the logs know the producer by the epoch before."""


@dataclass(frozen=True)
class Setup:
    """The initial state of a trace of the drain."""

    leaders: tuple[int, ...]
    nodes: int
    batches: tuple[int, ...]
    room: int
    max_in_flight: int
    shared_index: bool


class DrainClient(RealClient):
    """One producer, whose batches are all in their queues from the start."""

    def __init__(self, setup: Setup, clock: Clock, pid: int) -> None:
        self.setup = setup
        partitions = len(setup.leaders)
        super().__init__(
            Settings(partitions, setup.nodes, setup.max_in_flight, 1 << 30, False, FIRST_EPOCH), clock, pid
        )
        self._put_in_order()
        self.learn(setup.leaders)
        for partition, batches in enumerate(setup.batches):
            for number in range(batches):
                self.append(partition * ALIKE + number, partition)
        self._make_room()

    def configured(self) -> dict[str, Any]:
        """A backoff that does not pass by itself."""
        return {"retry_backoff": BACKOFF, "retry_backoff_max": BACKOFF}

    def _put_in_order(self) -> None:
        """Number the partitions of the model in Kafka's order of the partitions of a node (P1.1)."""
        self.learn_leaders([0] * len(self.partitions))
        self.partitions = list(self.metadata.fetch().partitionsForNode(0))
        self.partitions = [kafka("TopicPartition")(each.topic(), each.partition()) for each in self.partitions]
        self.numbers = {int(tp.partition()): p for p, tp in enumerate(self.partitions)}

    def _make_room(self) -> None:
        """Set max.request.size so that as many batches fit as the setup says: all have one size (P1.6)."""
        import jpype

        size = int(self._queue(0).peekFirst().estimatedSizeInBytes())
        limit = jpype.JInt(self.setup.room * size + size // 2)
        field("Sender", "maxRequestSize").setInt(self.sender, limit)

    # -- actions -------------------------------------------------------------------------------------------

    def learn(self, leaders: Sequence[int]) -> None:
        """New metadata: the leader of each partition; with one leader epoch, so KIP-951 ends no backoff."""
        self.leader_epoch = self.first_leader_epoch
        self.learn_leaders(list(leaders))
        for node in range(self.setup.nodes):
            listed = [self.numbers[int(each.partition())] for each in self.metadata.fetch().partitionsForNode(node)]
            assert listed == sorted(listed), "a node has its partitions in the order of the model"

    def pass_to(self, nodes: set[int]) -> None:
        """One pass in which requests may go to some nodes."""
        self._pass(nodes)

    def answer(self, node: int, results: dict[int, str]) -> None:
        """The oldest request of a connection is answered, with a result for each of its partitions."""
        numbers = {int(self.partitions[p].partition()): result for p, result in results.items()}
        told = {number: Answer(result, 1 if result == "NONE" else -1) for number, result in numbers.items()}
        self.read(node, produce_answers(self.frames[node][0], told))

    def end_backoff(self, partition: int) -> None:
        """The backoff of the head of a partition is over."""
        import jpype

        field("ProducerBatch", "lastAttemptMs").setLong(self._queue(partition).peekFirst(), jpype.JLong(0))

    def expire_first(self, partition: int) -> None:
        """The delivery timeout of the first batch that has no result passes; the pass that sweeps then."""
        import jpype

        first = self._first_open(partition)
        [batch] = [each for found in self._unfinished(partition) for each in found if self._name_of(each) == first]
        field("ProducerBatch", "createdMs").setLong(batch, jpype.JLong(self.clock.now - DELIVERY_TIMEOUT))
        self.start_pass()

    def _first_open(self, partition: int) -> int | None:
        """The first record of a partition that has no result."""
        records = [partition * ALIKE + number for number in range(self.setup.batches[partition])]
        return next((record for record in records if self.result(record) is None), None)

    def _unfinished(self, partition: int) -> list[list[Any]]:
        """The batches that are queued or out (Sender.inFlightBatches), in the order of a sweep (C7.1)."""
        out = field("Sender", "inFlightBatches").get(self.sender).get(self.partitions[partition])
        return [list(self._queue(partition)), list(out or [])]

    def earlier_batch(self) -> Any:
        """A batch of the epoch before, as it would be in a log."""
        return idempotent_records(self.first_pair[0], FIRST_EPOCH - 1, self.clock.now)

    # -- observations --------------------------------------------------------------------------------------

    def requests(self, node: int) -> list[tuple[tuple[int, int, int, int], ...]]:
        """The requests on a connection as they were stamped: partition, batch, epoch and sequence of each batch."""
        return [tuple(sorted(self._stamp(each) for each in batches_of(frame))) for frame in self.frames[node]]

    def _stamp(self, batch: Produced) -> tuple[int, int, int, int]:
        [record] = batch.ids
        assert self.numbers[batch.partition] == record // ALIKE
        return (*divmod(record, ALIKE), batch.epoch - FIRST_EPOCH, batch.sequence)

    def is_ready(self, node: int) -> bool:
        """P3.1: RecordAccumulator.ready, with the cluster metadata that it gets (a snapshot from 3.7 on)."""
        found = self.metadata
        known = found.fetchMetadataSnapshot() if hasattr(found, "fetchMetadataSnapshot") else found.fetch()
        return node in [int(each.id()) for each in self.accumulator.ready(known, self.clock.now).readyNodes]

    def has_room(self, node: int) -> bool:
        """P3.2: NetworkClient.isReady."""
        self.channel.gate = {node}
        room = bool(self.network.isReady(self.nodes[node], self.clock.now))
        self.channel.gate = set()
        return room

    def indexes(self) -> tuple[int, ...]:
        """P2.1: the drain index of each node, or the one of all."""
        if has("RecordAccumulator", "drainIndex"):
            return (int(field("RecordAccumulator", "drainIndex").getInt(self.accumulator)),)
        stored = field("RecordAccumulator", "nodesDrainIndex").get(self.accumulator)
        return tuple(int(stored.get(str(node)) or 0) for node in range(self.setup.nodes))

    def queued(self, partition: int) -> tuple[int, ...]:
        """The batches in the queue of a partition."""
        return tuple(self._name_of(each) % ALIKE for each in self._queue(partition))

    def must_wait(self, partition: int) -> bool:
        """P1.7: whether the drain would hold back the head of a partition."""
        head, tp = self._queue(partition).peekFirst(), self.partitions[partition]
        asked = method("RecordAccumulator", "shouldStopDrainBatchesForPartition", 2)
        return head is not None and bool(asked.invoke(self.accumulator, head, tp))

    def may_expire(self, partition: int) -> bool:
        """Whether a sweep reaches the first batch without a result; it stops at one that is not due yet."""
        if self.must_loop():
            return False
        heads = [self._name_of(found[0]) for found in self._unfinished(partition) if found]
        return self._first_open(partition) in heads

    def is_muted(self, partition: int) -> bool:
        """P4.1"""
        return self._is_muted(self.partitions[partition])

    def is_backing_off(self, partition: int) -> bool:
        """P1.4: of a head whose retry waits for its time."""
        head = self._queue(partition).peekFirst()
        if head is None or not head.inRetry():
            return False
        return self.clock.now - int(field("ProducerBatch", "lastAttemptMs").getLong(head)) < BACKOFF

    def entry(self, partition: int) -> Entry:
        """TxnPartitionEntry; the first drain of a partition gives it a pair."""
        pair = self.sequences.pair(self.partitions[partition])
        if pair is not None and int(pair.epoch) >= 0:
            self._used.add(partition)
        return super().entry(partition)

    def sequenced(self, partition: int) -> tuple[tuple[int, int, int, bool, bool], ...]:
        """I(p): batch, epoch, sequence, whether it was sent again, and whether it was renumbered since."""
        return tuple(
            (
                self._name_of(each) % ALIKE,
                int(each.producerEpoch()) - FIRST_EPOCH,
                int(each.baseSequence()),
                bool(each.inRetry()),
                bool(each.sequenceHasBeenReset()),
            )
            for each in self.sequences.in_flight(self.partitions[partition]) or ()
        )

    def leader_of(self, partition: int) -> int:
        """The leader that the metadata names."""
        return int(self.metadata.fetch().leaderFor(self.partitions[partition]).id())


def batches_of(frame: Frame) -> list[Produced]:
    """The batches of a produce request."""
    return [frame.batch, *frame.rest] if frame.batch is not None else []
