"""A small cluster of Kafka's own classes: one real producer, and a real log for each replica of each partition.

The rest of a cluster is simulated here: connections, leaders, in-sync replicas, and the answers that never reach a log
(B1.1 to B1.3, B6). Nothing here reads the model.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..records import ACKED, FAILED, MISREPORTED, UNKNOWN
from .classes import has_log
from .clock import Clock
from .codec import Answer, Frame, produce_answer
from .driver import OPEN, OTHERS, Move, Setup
from .numbers import FIRST_PID, FOREIGN_PID
from .played_log import PlayedLog
from .real_client import CREATED_EVERY, NEVER, RealClient, Settings
from .scala_log import log_kind
from .watermark import HighWatermark, require

NOT_LEADER, TOO_FEW = "NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS"
TOO_FEW_AFTER, TIMED_OUT = "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT"


Written = list[tuple[int, tuple[int, ...]]]
"""The offsets of the batches of a log with their records."""
Ends = Sequence[Sequence[int]]
"""How far each broker has fetched, by partition."""


@dataclass(frozen=True)
class DivergentTail:
    """From which place on a follower's log differs from the leader's, what it has there, and which broker it is."""

    place: int
    written: Written
    broker: int


class Cluster:
    """The state of the cluster: `answers` are those of each connection that the client has not read, oldest first.

    `written` is the content of the leader's log, `beyond` the divergent part of a deposed leader's until it fetches, by
    partition. `away` are the followers that are out of sync.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.folder = Path(tempfile.mkdtemp(prefix="everystate-"))
        self.clock = Clock(self.beginning())
        self.answers: dict[int, list[Answer]] = {n: [] for n in range(setup.replicas)}
        self.surviving: list[tuple[int, Frame]] = []
        self.leader, self.leader_epoch = 0, 0
        self.away: set[int] = set()
        self.foreign, self.sessions = 0, 0
        self.results: dict[int, str] = {}
        self.written: list[Written] = [[] for _ in range(setup.partitions)]
        self.beyond: dict[int, DivergentTail] = {}
        self.acknowledged: dict[int, tuple[int, bool]] = {}
        self.move: Move | None = None
        self.logs: list[list[Any]] = [[self._log(n, p) for p in range(setup.partitions)] for n in range(setup.replicas)]
        self.watermark = HighWatermark(setup.partitions, self.fetched)
        self.client = self._producer(0)
        self._warm_up()
        self.append(range(setup.batches))

    def beginning(self) -> int:
        """The time on the clock."""
        return CREATED_EVERY

    def _log(self, node: int, partition: int) -> Any:
        """A replica: Kafka's own log, or a log simulated by the model where the release has only the client."""
        if has_log():
            return log_kind()(self.folder / str(node), partition, self.clock)
        return PlayedLog(partition, lambda: self.move)

    def _producer(self, session: int) -> RealClient:
        client = self._client(settings_of(self.setup), FIRST_PID + session)
        client.learn_leader(self.leader)
        return client

    def _client(self, settings: Settings, pid: int) -> RealClient:
        """A producer that has its id."""
        return RealClient(settings, self.clock, pid)

    def _warm_up(self) -> None:
        if self.setup.first_sequence:
            self.client.wrap_soon(self.setup.first_sequence)
        for partition in range(self.setup.partitions):
            for _ in range(self.setup.warm):
                self.client.append(OTHERS, partition)
                self.client.drain(partition)
                self.handle(self.leader)
                self.replicate([[len(written)] * self.setup.replicas for written in self.written])
                self.read(self.leader)

    def append(self, records: range | tuple[int, ...]) -> None:
        """The application sends records; they go out when the producer drains them."""
        for record in records:
            joins = self.setup.splits and record == 1
            self.client.append(record, record % self.setup.partitions, joins)

    def close(self) -> None:
        """Close the logs and delete their files."""
        for logs in self.logs:
            for log in logs:
                log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- brokers -------------------------------------------------------------------------------------------

    def followers(self) -> list[int]:
        """The brokers that do not lead."""
        return [broker for broker in range(self.setup.replicas) if broker != self.leader]

    @property
    def in_sync(self) -> bool:
        """Whether every replica is in sync."""
        return not self.away

    @property
    def alone(self) -> bool:
        """Whether the leader is the only one in sync."""
        return len(self.away) == self.setup.replicas - 1

    def replicate(self, ends: Ends, starts: tuple[tuple[int, ...], ...] = ()) -> None:
        """Each follower fetches up to a place of the leader's log, for each partition.

        Where it has all of that already, the fetch may report where the leader's log begins (D14).
        """
        for partition in [p for p in self.beyond if self.move is not None and not self.move.uncut[p]]:
            self.cut(partition)
        for partition, places in enumerate(ends):
            for broker in self.followers():
                leader, follower = self.logs[self.leader][partition], self.logs[broker][partition]
                follower.fetch(leader, self.offset(partition, places[broker]), self.leader_epoch)
                if starts and self.owned_by(broker, partition) is None:
                    follower.hear(self.offset(partition, starts[partition][broker]))

    def owned_by(self, broker: int, partition: int) -> DivergentTail | None:
        """What a broker has that the leader does not have."""
        found = self.beyond.get(partition)
        return found if found is not None and found.broker == broker else None

    def fetched(self, partition: int) -> int:
        """Up to which offset the followers in sync have the leader's log; all of it, where none is in sync."""
        waited_for = [broker for broker in self.followers() if broker not in self.away] or self.followers()
        return min(self._fetched(broker, partition) for broker in waited_for)

    def _fetched(self, broker: int, partition: int) -> int:
        own = self.owned_by(broker, partition)
        return self.offset(partition, own.place) if own is not None else int(self.logs[broker][partition].end)

    def cut(self, partition: int) -> None:
        """A deposed leader fetches, so it truncates what the leader does not have (D4)."""
        own = self.beyond.pop(partition)
        self.logs[own.broker][partition].truncate(self.offset(partition, own.place))

    def handle(self, broker: int) -> None:
        """The next request of a connection, in the order of the broker's checks (B1.2, B1.3, then the log)."""
        self.let_go(broker)
        frame = self.next_frame(broker)
        if broker != self.leader:
            self.answers[broker].append(Answer(NOT_LEADER))
        elif self.too_few():
            self.answers[broker].append(Answer(TOO_FEW))
        else:
            self.answers[broker].append(self.produce(frame))

    def too_few(self) -> bool:
        """Whether fewer are in sync than min.insync.replicas."""
        return self.setup.replicas - len(self.away) < min(self.setup.min_insync, self.setup.replicas)

    def next_frame(self, broker: int) -> Frame:
        """The oldest request that is not answered."""
        return self.client.frames[broker][len(self.answers[broker])]

    def produce(self, frame: Frame) -> Answer:
        """A batch meets the leader's log."""
        batch = frame.batch
        assert batch is not None
        log = self.logs[self.leader][batch.partition]
        end = log.end
        answer = replace(log.append(batch.records, self.leader_epoch), start=int(log.start))
        if log.end > end:
            self.written[batch.partition].append((end, batch.ids))
        return self.placed(frame, answer)

    def placed(self, frame: Frame, answer: Answer) -> Answer:
        """An answer with the place that it names now; retention may delete it before the answer is read."""
        assert frame.batch is not None
        return replace(answer, place=self.place(frame.batch.partition, answer.offset, frame.batch.ids[0]))

    def answer(self, broker: int, code: str) -> None:
        """An answer that does not depend on the log."""
        self.let_go(broker)
        self.answers[broker].append(Answer(code))

    def find_too_large(self, broker: int) -> None:
        """The leader's limit is below the size of the batch (B1.4)."""
        self.let_go(broker)
        batch = self.next_frame(broker).batch
        assert batch is not None
        log = self.logs[broker][batch.partition]
        self.answers[broker].append(log.append_too_large(batch.records, self.leader_epoch))

    def answer_late(self, broker: int) -> None:
        """The last answer becomes a timeout of replication (B6.4)."""
        batch, answer = self.client.frames[broker][len(self.answers[broker]) - 1].batch, self.answers[broker][-1]
        if batch is not None:
            require(not self.alone, "one in sync alone needs nobody to acknowledge a record (B6.2)")
            self.watermark.may_wait(batch.partition, answer.offset + len(batch.ids))
        self.answers[broker][-1] = Answer(TIMED_OUT)

    def append_foreign(self, partition: int) -> None:
        """Another producer writes a batch."""
        log = self.logs[self.leader][partition]
        self.written[partition].append((log.end, (OTHERS,)))
        log.append_foreign(FOREIGN_PID + self.foreign, self.leader_epoch)
        self.foreign += 1

    def handle_survivor(self) -> None:
        """A request of a closed connection is executed, or refused like any other; its answer is dropped."""
        frame = self.surviving.pop(0)[1]
        if not self.too_few():
            self.produce(frame)

    def elect(self, broker: int, move: Move) -> None:
        """A replica in sync leads (D3)."""
        require(broker not in self.away, "who is elected is in sync (D3)")
        self._elect(broker, move)

    def _elect(self, broker: int, move: Move) -> None:
        """A replica leads; the others truncate their logs to it, too (D3, D4); B6.5 for pending requests."""
        old = self.leader
        self.refuse(old, move.refused, NOT_LEADER)
        self.let_go(old)
        for partition, log in enumerate(self.logs[broker]):
            place = self.shared(partition, sum(1 for first, _ in self.written[partition] if first < log.end))
            shared = self.offset(partition, place)
            self.watermark.elected(partition, shared, broker not in self.away)
            self.diverge(partition, place)
            for other in self.followers():
                if other != broker:
                    self.logs[other][partition].truncate(shared)
            if not move.uncut:
                self.logs[old][partition].truncate(shared)
                self.beyond.pop(partition, None)
        self.leader, self.leader_epoch = broker, self.leader_epoch + 1
        self.surviving.clear()

    def shared(self, partition: int, end: int) -> int:
        """Up to which place the new leader has the log of the old one, given the number of its own batches."""
        return self.beyond[partition].place if partition in self.beyond else end

    def diverge(self, partition: int, place: int) -> None:
        """From a place on the new leader's log is valid; the old one keeps its own part until it fetches."""
        own, written = self.beyond.pop(partition, None), self.written[partition]
        self.written[partition] = [*written[:place], *(own.written if own else ())]
        if written[place:]:
            self.beyond[partition] = DivergentTail(place, written[place:], self.leader)

    def refuse(self, broker: int, batches: tuple[int, ...], code: str) -> None:
        """An answer that waits for the high watermark becomes an error: the last one, as the others were sent (B7)."""
        for place, answer in enumerate(self.answers[broker]):
            batch = self.client.frames[broker][place].batch
            if batch is not None and batch.ids[0] in batches:
                waits = answer.offset >= 0 and place == len(self.answers[broker]) - 1
                require(waits, f"no answer to b{batch.ids[0]} waits for the high watermark (B6.5)")
                self.watermark.may_wait(batch.partition, answer.offset + len(batch.ids))
                self.answers[broker][place] = Answer(code)

    def let_go(self, broker: int, number: int | None = None) -> None:
        """The oldest answers of a leader, or all, are sent: their records are below the high watermark (B6.1)."""
        if broker == self.leader and self.setup.replicas > 1:
            for frame, answer in zip(self.client.frames[broker], self.answers[broker][:number], strict=False):
                if frame.batch is None or answer.offset < 0:
                    continue
                if answer.place < 0:  # of another batch: the model does not know which
                    continue
                partition, end = frame.batch.partition, answer.offset + len(frame.batch.ids)
                if end <= self.logs[broker][partition].end:  # a simulated log names no place for another batch
                    self.watermark.passed(partition, end, not self.alone)

    def crash_leader(self, broker: int, move: Move) -> None:
        """The leader crashes and comes back as a follower, out of the in-sync set."""
        old = self.leader
        self._restart(old, False)
        self.elect(broker, move)
        self.away.add(old)

    def elect_uncleanly(self, broker: int, move: Move) -> None:
        """The leader is gone; a replica that is not in sync leads (D15)."""
        self.lose(self.leader)
        self._elect(broker, move)
        self.away = set(self.followers())

    def shrink(self, broker: int, move: Move) -> None:
        """A follower leaves the in-sync set; B6.3 and B6.4 for pending requests."""
        self.refuse(self.leader, move.refused, TIMED_OUT if has_log() else TOO_FEW_AFTER)
        if self.becomes_too_few():
            self.let_go(self.leader)
        self.away.add(broker)

    def becomes_too_few(self) -> bool:
        """Whether fewer are in sync than min.insync.replicas when one leaves."""
        return self.setup.replicas - len(self.away) - 1 < min(self.setup.min_insync, self.setup.replicas)

    def rejoin(self, broker: int) -> None:
        """A follower has caught up; to a leader that was alone this reports the high watermark."""
        alone = self.alone
        self.away.remove(broker)
        for partition, log in enumerate(self.logs[self.leader] if alone else ()):
            self.watermark.passed(partition, log.end, True)

    def roll(self, broker: int, partition: int) -> None:
        """A replica begins a new segment."""
        self.logs[broker][partition].roll()

    def expire(self, broker: int, partition: int) -> None:
        """A replica forgets its producers."""
        self.logs[broker][partition].expire()

    def delete_records(self, partition: int) -> None:
        """Retention at the leader deletes records, and a replica whose log ends there begins there."""
        end = self.logs[self.leader][partition].end
        if self.setup.replicas > 1:
            stands = self.setup.high_watermark_stands and self.too_few() and has_log()
            self.watermark.passed(partition, end, not self.alone or stands)
        starts = self.move.starts[partition] if self.move is not None and self.move.starts else ()
        for broker, logs in enumerate(self.logs):
            if self.owned_by(broker, partition) is not None:
                continue
            if not starts or self.offset(partition, starts[broker]) == end:
                logs[partition].delete()

    def restart(self, broker: int, clean: bool, move: Move) -> None:
        """A broker stops and comes back: a follower leaves the in-sync set, and a leader stays one if it is alone."""
        if broker != self.leader and broker not in self.away:
            self.shrink(broker, move)
        require(broker != self.leader or self.alone, "a leader that stops is followed by who is in sync")
        self._restart(broker, clean)

    def _restart(self, broker: int, clean: bool) -> None:
        """The logs of a broker are closed and opened again; its connections go."""
        for log in self.logs[broker]:
            log.restart(clean)
        self._forget_connections(broker)

    def _forget_connections(self, broker: int) -> None:
        """The connections of a broker are lost, with the requests that outlived one before."""
        self.lose(broker)
        self.surviving = [(node, frame) for node, frame in self.surviving if node != broker]

    def lose_power(self, broker: int, partition: int, end: int) -> None:
        """The only one in sync comes back without the end of a log, given as a place in it; others cut theirs (D17)."""
        offset = self.offset(partition, end)
        self.logs[broker][partition].lose_end(offset)
        for other in self.followers():
            self.logs[other][partition].truncate(offset)
        self.watermark.elected(partition, offset, False)
        self.written[partition] = self.written[partition][:end]
        for number, log in enumerate(self.logs[broker]):
            if number != partition:
                log.restart(False)
        self._forget_connections(broker)

    # -- connections ---------------------------------------------------------------------------------------

    def read(self, broker: int) -> None:
        """The client reads the oldest answer of a connection."""
        self.let_go(broker, 1)
        frame, answer = self.client.frames[broker][0], self.answers[broker].pop(0)
        assert frame.batch is not None
        has_offset = answer.offset >= 0  # DUPLICATE_SEQUENCE_NUMBER, which 1.0 takes for a success, carries no offset
        for number, record in enumerate(frame.batch.ids):
            self.acknowledged[record] = (
                answer.offset + number if has_offset else -1,
                answer.place >= 0 or not has_offset,
            )
        self.client.read(broker, self.bytes_of(frame, answer))

    def bytes_of(self, frame: Frame, answer: Answer) -> bytes:
        """An answer as it is on the wire."""
        return produce_answer(frame, answer)

    def lose(self, broker: int, survivors: int = 0) -> None:
        """A connection is lost with its answers; some of its unread requests will still be executed (B7)."""
        unread = self.client.frames[broker][len(self.answers[broker]) :]
        self.surviving += [(broker, frame) for frame in unread[:survivors]]
        self.answers[broker].clear()
        self.client.lose(broker)

    def restart_producer(self) -> None:
        """A new producer; the application sends all records without a result again."""
        queued = tuple(record for record in range(self.setup.batches) if self.result(record) == OPEN)
        self.results |= {record: self.result(record) for record in range(self.setup.batches) if record not in queued}
        self.clock.now = max(self.clock.now, self.client.late or 0)
        self.sessions += 1
        self.client = self._producer(self.sessions)
        for answers in self.answers.values():
            answers.clear()
        self.append(queued)

    def give_producer_id(self) -> None:
        """The answer to InitProducerId: a fresh producer id."""
        self.sessions += 1
        self.client.give_producer_id(FIRST_PID + self.sessions)

    def result(self, record: int) -> str:
        """What the application knows of a record; an offset is compared by the place that its answer named."""
        if record in self.results:
            return self.results[record]
        found = self.client.result(record)
        if found is None:
            return OPEN
        if found.error:
            return UNKNOWN if found.unknown else FAILED
        offset, own = self.acknowledged[record]
        if found.offset != offset:
            return f"acked with offset {found.offset}, which no broker told"
        return ACKED if own else MISREPORTED

    # -- places --------------------------------------------------------------------------------------------

    def offset(self, partition: int, place: int) -> int:
        """The offset of the batch at a place of a log."""
        written = self.written[partition]
        if place < len(written):
            return written[place][0]
        return written[-1][0] + len(written[-1][1]) if written else 0

    def places(self, broker: int, partition: int, offsets: list[int]) -> tuple[int, ...]:
        """Offsets as places in the log of a broker."""
        written, own = self.written[partition], self.owned_by(broker, partition)
        if own is not None:
            written = [*written[: own.place], *own.written]
        return tuple(sum(1 for first, _ in written if first < offset) for offset in offsets)

    def place(self, partition: int, offset: int, record: int) -> int:
        """The place in the leader's log of a batch at an offset; -1 where another one is there."""
        for place, (first, ids) in enumerate(self.written[partition]):
            if first == offset and ids[0] == record:
                return place
        return -1


def settings_of(setup: Setup) -> Settings:
    """How the producer of an environment is configured."""
    retries = setup.retries if setup.retries >= 0 else NEVER
    return Settings(setup.partitions, setup.replicas, setup.max_in_flight, retries, setup.splits, setup.first_epoch)
