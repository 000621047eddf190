"""The real producer, without its thread: Sender, TransactionManager, RecordAccumulator and NetworkClient, step by step.

Everything is real except the socket (see channel.py), the clock, and the metadata, which the driver supplies. One pass
of the loop is one call of Sender.runOnce; one answer is one NetworkClient.poll, which is how runOnce ends. The gate is
open only for the intended drain.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ..records import NO_SEQUENCE
from .blocking import end_wait, interrupted, run_once, waits_in_a_pass
from .channel import Channel
from .classes import field, has, has_class, java, kafka, method
from .clock import Clock
from .codec import TOPIC, Frame, producer_id_answer, read_batch, read_frame, topic_id, value
from .metadata import learn
from .sequences import sequences_of
from .signatures import call, construct

DELIVERY_TIMEOUT = 100_000_000
CREATED_EVERY = 1_000_000
NEVER = 1_000_000_000
"""Milliseconds. Batches are created far apart and time out later, so the clock decides whose deadline has passed."""
COORDINATOR = 9
"""A node that leads nothing: InitProducerId goes there, so it is never queued behind produce requests."""
HALF = 900
"""Bytes of a record of the batch that splits: two of them are more than SPLIT_AT, compressed they are less."""
SPLIT_AT = 1200
PADDED = 40
"""Bytes of any other record: more than the slack in the estimated size of a batch, so that no second one fits."""


@dataclass(frozen=True)
class Settings:
    """The configuration of a producer."""

    partitions: int
    brokers: int
    max_in_flight: int
    retries: int
    splits: bool
    first_epoch: int


@dataclass(frozen=True)
class InFlight:
    """A batch that has a sequence and is not finished."""

    batch: int
    sequence: int
    attempts: int
    reopened: bool


@dataclass(frozen=True)
class Entry:
    """What the TransactionManager knows of a partition."""

    pair: tuple[int, int]
    next_sequence: int
    last_acked: int | None
    unresolved: int
    rewrite: bool
    in_flight: list[InFlight]


@dataclass(frozen=True)
class Result:
    """A future that is done: an offset, or the name of an exception and whether the outcome is unknown."""

    error: str
    offset: int
    unknown: bool = False


class RealClient:
    """One producer: `frames` are its requests on each connection, oldest first.

    `late` is the moment at which a delivery timeout passes: answers are read then, while the pass of the loop that has
    begun still has its own, earlier time.
    """

    def __init__(self, settings: Settings, clock: Clock, pid: int) -> None:
        self.settings, self.clock = settings, clock
        self.first_pair = (pid, settings.first_epoch)
        self._begin()
        self._build()
        for node in self.frames:
            self.connect(node)
        self.start_pass()
        self.give_producer_id(pid)

    def _begin(self) -> None:
        """The initial state: nothing is sent, and nothing known."""
        self.frames: dict[int, list[Frame]] = {node: [] for node in (*range(self.settings.brokers), COORDINATOR)}
        self.channel = Channel(lambda node, data: self.frames[node].append(self.read_frame(data)))
        self.born = self.clock.now
        self.late: int | None = None
        self._coming: int | None = None
        self.leader, self.leader_epoch = -1, self.first_leader_epoch
        self.futures: dict[int, Any] = {}
        self.created: dict[int, int] = {}
        self._used: set[int] = set()
        self._names: dict[int, int] = {}
        self.batches: dict[int, Any] = {}
        self._done: dict[int, Result] = {}

    # -- overridden by other transports --------------------------------------------------------------------

    first_leader_epoch = 0
    """The offset of the leader epochs that the client gets."""

    transactional_id: str | None = None

    def topic_id(self) -> Any:
        """The id of the one topic."""
        return topic_id()

    def read_frame(self, data: bytes) -> Frame:
        """A request that the client has written."""
        return read_frame(data)

    def configured(self) -> dict[str, Any]:
        """Further configuration besides the settings, by the names of signatures.py."""
        return {}

    # -- construction --------------------------------------------------------------------------------------

    def _build(self) -> None:
        splits, only_one = self.settings.splits, self.settings.max_in_flight == 1
        self.partitions = [kafka("TopicPartition")(TOPIC, p) for p in range(self.settings.partitions)]
        self.nodes = {n: kafka("Node")(n, "localhost", 9092) for n in self.frames}
        metrics = kafka("Metrics")()
        self.versions = kafka("ApiVersions")()
        given = {
            "batch_size": SPLIT_AT if splits else 1,
            "codec": lambda: kafka("CompressionType").GZIP if splits else kafka("CompressionType").NONE,
            "compression": lambda: kafka("Compression").gzip().build() if splits else kafka("Compression").NONE,
            "delivery_timeout": DELIVERY_TIMEOUT,
            "delivery_timeout_2_1": DELIVERY_TIMEOUT,
            "guarantee_order": only_one,
            "in_flight": self.settings.max_in_flight,
            "log": lambda: kafka("LogContext")(),
            "metadata": None,
            "metrics": metrics,
            "retries": self.settings.retries,
            "selectable": self.channel.java,
            "sender_metrics": lambda: kafka("SenderMetricsRegistry")(metrics),
            "time": self.clock.java,
            "transactional_id": self.transactional_id,
            "updater": kafka("ManualMetadataUpdater")(java("java.util.ArrayList")(list(self.nodes.values()))),
            "versions": self.versions,
            **self.configured(),
        }
        self.metadata = given["topics"] = given["producer_metadata"] = construct("ProducerMetadata", **given)
        call(self.metadata, "ProducerMetadata", "add", topic=TOPIC, now=self.clock.now)
        self.network = given["network"] = construct("NetworkClient", **given)
        self.manager = given["manager"] = construct("TransactionManager", **given)
        self.sequences = sequences_of(self.manager)
        given["pool"] = construct("BufferPool", **{**given, "metrics": kafka("Metrics")()})
        self.accumulator = given["accumulator"] = construct("RecordAccumulator", **given)
        self.sender = construct("Sender", **given)

    # -- actions -------------------------------------------------------------------------------------------

    def connect(self, node: int) -> None:
        """Open the connection to a node; NetworkClient needs two polls for it."""
        with self.clock.at(self._moment()):
            self.network.ready(self.nodes[node], self.clock.now)
        self.poll()
        self.poll()

    def append(self, record: int, partition: int, joins: bool = False) -> None:
        """What KafkaProducer.send does last: the record goes into the accumulator; `joins`: into the last batch."""
        size = PADDED
        if self.settings.splits:
            size = HALF if joins or record == 0 else SPLIT_AT
            kind = kafka("CompressionType").GZIP
            kafka("CompressionRatioEstimator").setEstimation(TOPIC, kind, 0.1 if size == HALF else 10.0)
        created = self.created[record] = self.born + CREATED_EVERY * (len(self.created) + 1)
        with self.clock.at(created):
            result = call(
                self.accumulator,
                "RecordAccumulator",
                "append",
                topic=TOPIC,
                partition=self.partitions[partition].partition(),
                topic_partition=self.partitions[partition],
                timestamp=created,
                value=value(record, size),
                now=created,
                cluster=self.metadata.fetch(),
            )
        self.futures[record] = result.future
        if not joins:
            self.batches[record] = self._queue(partition).peekLast()
            self._name(self.batches[record], record)

    def learn_leader(self, node: int) -> None:
        """New metadata: a node leads every partition."""
        self.leader = node
        self.learn_leaders([node] * self.settings.partitions)

    def learn_leaders(self, leaders: list[int]) -> None:
        """New metadata: the leader of each partition."""
        self.leader_epoch += 1
        brokers = [self.nodes[n] for n in range(self.settings.brokers)]
        by_partition = dict(zip(self.partitions, leaders, strict=True))
        learn(self.metadata, by_partition, brokers, self.topic_id(), self.leader_epoch, self.clock.now)

    def drain(self, partition: int) -> None:
        """One pass in which the head of one partition may go to the leader that the client knows."""
        others = [tp for p, tp in enumerate(self.partitions) if p != partition and not self._is_muted(tp)]
        for tp in others:
            self.accumulator.mutePartition(tp)
        self._used.add(partition)
        self._pass({self.leader})
        for tp in others:
            call(self.accumulator, "RecordAccumulator", "unmutePartition", topic_partition=tp, now=self.clock.now)

    def start_pass(self) -> None:
        """One pass in which nothing is drained: resolve, bump, ask for a producer id, sweep."""
        self._pass(set() if waits_in_a_pass() else {COORDINATOR})

    def expire(self) -> None:
        """The pass whose sweep sees that a delivery timeout has passed."""
        with self.clock.at(self._moment()):
            self.start_pass()

    def _pass(self, gate: set[int]) -> None:
        self.clock.forward(1)
        self.channel.gate = gate
        if not waits_in_a_pass():
            run_once(self.sender, self.clock.now)
        else:
            self.channel.waits_for_news = self.clock.sleeps = self._wait
            interrupted(lambda: run_once(self.sender, self.clock.now))
            self.channel.waits_for_news = self.clock.sleeps = None
        self.channel.gate = set()

    def _wait(self) -> None:
        """Up to 2.4, inside of a pass: the answer to InitProducerId comes if it is there, else the pass ends."""
        if self._coming is not None and self.frames[COORDINATOR]:
            frame = self.frames[COORDINATOR].pop(0)
            self.channel.deliver(COORDINATOR, producer_id_answer(frame, self._coming, self.settings.first_epoch))
        elif self.asks_for_producer_id():
            end_wait()

    def pass_deadline(self, record: int) -> None:
        """The delivery timeout of a record passes, from the next answer on."""
        self.late = self.created[record] + DELIVERY_TIMEOUT

    def read(self, node: int, answer: bytes) -> None:
        """One answer arrives."""
        self.frames[node].pop(0)
        self.channel.deliver(node, answer)
        self.poll()

    def lose(self, node: int) -> None:
        """A connection is lost, and made again."""
        self.frames[node].clear()
        self.channel.lose(node)
        self.poll()
        self.connect(node)

    def give_producer_id(self, pid: int) -> None:
        """The answer to the InitProducerId that the client has sent."""
        if waits_in_a_pass():
            self._coming = pid
            self._pass({COORDINATOR})
            self._coming = None
            return
        assert [frame.api for frame in self.frames[COORDINATOR]] == ["InitProducerId"]
        answer = producer_id_answer(self.frames[COORDINATOR][0], pid, self.settings.first_epoch)
        self.read(COORDINATOR, answer)

    def poll(self) -> None:
        """The end of a pass: reads answers and losses that have arrived."""
        with self.clock.at(self._moment()):
            self.network.poll(0, self.clock.now)
            answered = [tp for tp in self.partitions if not self._is_muted(tp)]
        for tp in answered:
            if self._is_muted(tp):  # 2.5 keeps until when, and the next pass is not before the answer
                call(self.accumulator, "RecordAccumulator", "unmutePartition", topic_partition=tp, now=self.clock.now)

    def _moment(self) -> int:
        return self.clock.now if self.late is None else self.late

    def wrap_soon(self, sequence: int) -> None:
        """Let every partition continue at a sequence near the end of the numbers."""
        for tp in self.partitions:
            self.sequences.begin_at(tp, sequence)

    # -- observations --------------------------------------------------------------------------------------

    def pair(self) -> tuple[int, int]:
        """Producer id and epoch in use."""
        return _pair(field("TransactionManager", "producerIdAndEpoch").get(self.manager))

    def entry(self, partition: int) -> Entry:
        """What is known of a partition; before its first drain it has the first pair."""
        tp, known = self.partitions[partition], self.sequences
        if partition not in self._used:
            own = has("TxnPartitionEntry", "producerIdAndEpoch") if has_class("TxnPartitionEntry") else False
            return Entry(self.first_pair if own else self.pair(), 0, known.last_acked(tp), -1, False, [])
        batches = known.in_flight(tp)
        batches = self._unfinished(partition) if batches is None else batches
        return Entry(
            self._pair_of(tp, batches),
            known.next(tp),
            known.last_acked(tp),
            known.unresolved(tp),
            known.bumps(tp),
            [self._batch(batch) for batch in batches],
        )

    def _unfinished(self, partition: int) -> list[Any]:
        """The batches of a partition that were sent and are not finished, in 0.11."""
        sent = {frame.batch.ids[0] for frames in self.frames.values() for frame in frames if frame.batch}
        queue = self._queue(partition)
        again = {self._name_of(batch) for batch in queue or () if batch.inRetry()}
        found = [self.batches[record] for record in sorted(sent | again) if record in self.batches]
        return [
            batch
            for batch in found
            if self.partitions[partition].equals(field("ProducerBatch", "topicPartition").get(batch))
        ]

    def _pair_of(self, partition: Any, batches: list[Any]) -> tuple[int, int]:
        """Up to 2.7.0 no field holds it: the batches in flight have it, else the manager."""
        own = self.sequences.pair(partition)
        if own is not None:
            return _pair(own)
        return (int(batches[0].producerId()), int(batches[0].producerEpoch())) if batches else self.pair()

    def _batch(self, batch: Any) -> InFlight:
        attempts = int(field("ProducerBatch", "attempts").get(batch).get())
        if not has("ProducerBatch", "sequenceHasBeenReset"):  # 0.11
            return InFlight(self._name_of(batch), read_batch(batch.records(), 0).sequence, attempts, False)
        return InFlight(self._name_of(batch), int(batch.baseSequence()), attempts, bool(batch.sequenceHasBeenReset()))

    def must_loop(self) -> bool:
        """Whether the next pass resolves or bumps before it drains (C8, C9)."""
        if self.sequences.must_bump():
            return True
        entries = [self.entry(p) for p in range(self.settings.partitions)]
        return any(entry.unresolved != NO_SEQUENCE and not entry.in_flight for entry in entries)

    def asks_for_producer_id(self) -> bool:
        """Whether an InitProducerId is not answered yet."""
        if waits_in_a_pass():
            return not self._asks("hasProducerId")
        return bool(self.frames[COORDINATOR])

    def _queue(self, partition: int) -> Any:
        """What waits to be drained of a partition; None before its first record."""
        return method("RecordAccumulator", "getDeque", 1).invoke(self.accumulator, self.partitions[partition])

    def _is_muted(self, partition: Any) -> bool:
        """Whether a partition waits for an answer; 2.5 keeps until when, later releases only which."""
        muted = field("RecordAccumulator", "muted").get(self.accumulator)
        if not hasattr(muted, "containsKey"):
            return bool(muted.contains(partition))
        until = muted.get(partition)
        return until is not None and self.clock.now < int(until)

    def would_send(self, partition: int) -> int | None:
        """The batch that the next drain takes of a partition, computed by Kafka's code (C2) without draining."""
        tp = self.partitions[partition]
        queue = self._queue(partition)
        head = None if queue is None else queue.peekFirst()
        if head is None or self._is_muted(tp):
            return None
        self.channel.gate = {self.leader}
        room = self.network.isReady(self.nodes[self.leader], self.clock.now)
        self.channel.gate = set()
        if not room:
            return None
        return None if self._holds_back(head, tp) else self._name_of(head)

    def _holds_back(self, head: Any, partition: Any) -> bool:
        """Whether a batch stays in its queue (C2); up to 2.0 the test is in the middle of a method, so it is here."""
        if has("RecordAccumulator", "shouldStopDrainBatchesForPartition"):
            stops = method("RecordAccumulator", "shouldStopDrainBatchesForPartition", 2)
            return bool(stops.invoke(self.accumulator, head, partition))
        if not self._asks("hasProducerId"):
            return True
        if has("TransactionManager", "sequenceNumbers"):  # 0.11
            return False
        if not head.hasSequence():
            return bool(self._asks("hasUnresolvedSequence", partition))
        first = int(self._asks("firstInFlightSequence", partition))
        return first not in (NO_SEQUENCE, int(head.baseSequence()))

    def _asks(self, name: str, *arguments: Any) -> Any:
        return method("TransactionManager", name, len(arguments)).invoke(self.manager, *arguments)

    def would_expire(self) -> tuple[int, ...]:
        """The batches that the sweep of the next pass finds, without sweeping (C7.1).

        The next pass has no sweep where it resolves or bumps first, which is a step here, or waits for a producer id.
        """
        if self.late is None or self.must_loop() or self.asks_for_producer_id():
            return ()
        out = field("Sender", "inFlightBatches").get(self.sender)
        lists = [found for tp in self.partitions for found in (out.get(tp),) if found is not None]
        lists += [found for p in range(len(self.partitions)) for found in (self._queue(p),) if found is not None]
        return tuple(sorted(self._name_of(batch) for found in lists for batch in takewhile(self._is_overdue, found)))

    def _is_overdue(self, batch: Any) -> bool:
        import jpype

        asked = method("ProducerBatch", "hasReachedDeliveryTimeout", 2)
        return bool(asked.invoke(batch, jpype.JLong(DELIVERY_TIMEOUT), jpype.JLong(self._moment())))

    def result(self, record: int) -> Result | None:
        """What the future of a record holds; None while it is open."""
        if record not in self._done:
            future = self.futures.get(record)
            if future is None or not future.isDone():
                return None
            self._done[record] = _result(future)
        return self._done[record]

    # -- names ---------------------------------------------------------------------------------------------

    def _name(self, batch: Any, record: int) -> None:
        self._names[int(java("java.lang.System").identityHashCode(batch))] = record

    def _name_of(self, batch: Any) -> int:
        """The number of a batch: that of its first record. An unknown batch is the result of a split."""
        key = int(java("java.lang.System").identityHashCode(batch))
        if key not in self._names:
            self._names[key] = read_batch(batch.records(), 0).ids[0]
        return self._names[key]


def _pair(found: Any) -> tuple[int, int]:
    return int(found.producerId), int(found.epoch)


def _result(future: Any) -> Result:
    import jpype

    try:
        return Result("", int(future.get().offset()))
    except jpype.JException as error:
        cause = error.getCause()
        return Result(str(cause.getClass().getSimpleName()), -1, isinstance(cause, kafka("RetriableException")))
