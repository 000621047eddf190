"""Deliberate mistakes in the model, for Kafka to find: each is the model with one method as a slip would make it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everystate.checker import action, fair, require
from everystate.model import KafkaProducer
from everystate.model.records import APPENDED, FAILED, NO_SEQUENCE, OUT_OF_ORDER, SENT, UNKNOWN

# -- the client ------------------------------------------------------------------------------------------------


class UnmutesAtOnce(KafkaProducer):
    """C2.1 as it is not: with one in flight the next batch goes out before the answer."""

    def not_muted(self, partition: int) -> None:
        pass


class MixesPairs(KafkaProducer):
    """C2.3 as it is not: a batch gets a new pair while batches of the old one are in flight."""

    def stamp(self, batch: int) -> None:
        entry = self.partition[self.partition_of(batch)]
        if (entry.pid, entry.epoch) != (self.pid, self.epoch):
            entry.next_sequence, entry.last_acked = 0, NO_SEQUENCE
            entry.pid, entry.epoch = self.pid, self.epoch
        super().stamp(batch)


class RetriesInAnyOrder(KafkaProducer):
    """C2.5 as it is not: a retry goes out before the batches in front of it."""

    def is_first_in_flight(self, batch: int) -> bool:
        return True


class ForgetsLateSuccess(KafkaProducer):
    """C4.5 as it is not: the late success of a finished batch does not move lastAcked."""

    def note_acked(self, batch: int, offset: int) -> None:
        if self.batch[batch].status == SENT:
            super().note_acked(batch, offset)


class BumpsAtAny45(KafkaProducer):
    """C5.3 as it is not: any out of order answer bumps the epoch."""

    def next_in_line(self, batch: int) -> bool:
        return True


class IgnoresReopened(KafkaProducer):
    """C5.4 as it is not: that a batch was renumbered on the wire is not asked."""

    def next_in_line(self, batch: int) -> bool:
        entry, state = self.partition[self.partition_of(batch)], self.batch[batch]
        follows = state.sequence - entry.last_acked == 1
        return follows if entry.unresolved == NO_SEQUENCE else state.sequence == entry.unresolved


class FailsWithoutBump(KafkaProducer):
    """C6.4 as it is not: a failed batch leaves its gap without a bump."""

    def fail(self, batch: int, status: str, adjust: bool) -> None:
        super().fail(batch, status, False)


class SweepsAllAtOnce(KafkaProducer):
    """C7.1 as it is not: the sweep does not stop at a batch whose time has not passed."""

    def held_back(self, turns: Any) -> list[bool]:
        return [False for _ in self.sending]


class SweepsTheWholeQueue(KafkaProducer):
    """C7.1 as it is not: around the wrap the sweep of a queue does not stop at a batch whose time has not passed."""

    def is_queued_behind(self, batch: int) -> bool:
        return False


class HalvesTimeOutApart(KafkaProducer):
    """C11 as it is not: the halves of a batch that was split have delivery timeouts of their own."""

    def created(self, batch: int) -> int:
        return batch


class MarksNothing(KafkaProducer):
    """C7.2 as it is not: a batch that expires in retry marks no sequence as unresolved."""

    @fair
    @action(sweep=lambda w: range(1 if w.deadlines else 0))
    def expire_batches(self, sweep: int) -> None:
        marked = [int(self.partition[p].unresolved) for p in range(self.partitions)]
        super().expire_batches(sweep)
        for p in range(self.partitions):
            self.partition[p].unresolved = marked[p]


class ResolvesWithoutBump(KafkaProducer):
    """C8 as it is not: an unresolved sequence is dropped, and the gap behind it is not seen."""

    def resolve(self, partition: int) -> bool:
        super().resolve(partition)
        return False


class BumpsEverybody(KafkaProducer):
    """C9.4 as it is not: a bump renumbers every partition, not only those that asked for it."""

    def bump(self) -> None:
        if any(self.must_bump(p) for p in range(self.partitions)):
            for p in range(self.partitions):
                self.partition[p].rewrite = True
        super().bump()


class BumpsWhenRetriesAreUsedUp(KafkaProducer):
    """C4.4 as it is not: a batch whose retries are used up by retriable errors requests a bump."""

    def fail(self, batch: int, status: str, adjust: bool) -> None:
        super().fail(batch, status, True if status == UNKNOWN else adjust)


class BumpsAtAnyDefiniteError(KafkaProducer):
    """C5.8 as it is not: a definite error requests a bump, also when the retries are used up."""

    def definite(self, batch: int, outcome: str) -> None:
        self.fail(batch, FAILED, adjust=True)


class SparesTheWire(KafkaProducer):
    """C9.3 as it is not: a bump renumbers what waits in the queue, and not what is on the wire."""

    def restamp(self, partition: int, wanted: bool = True) -> None:
        sent = [b for b in self.batches_of(partition) if self.batch[b].status == SENT]
        old = {b: (int(self.batch[b].sequence), bool(self.batch[b].reopened)) for b in sent}
        super().restamp(partition, wanted)
        for b, (sequence, reopened) in old.items():
            self.batch[b].sequence, self.batch[b].reopened = sequence, reopened


class GoesOnCounting(KafkaProducer):
    """C9.4 as it is not: a partition that follows to a new epoch goes on with its old numbers."""

    def stamp(self, batch: int) -> None:
        entry = self.partition[self.partition_of(batch)]
        stale = (entry.pid, entry.epoch) != (self.pid, self.epoch)
        following = int(entry.next_sequence)
        super().stamp(batch)
        if stale:
            self.batch[batch].sequence = following
            entry.next_sequence = self.following(following, self.size(batch))


class BumpsFromZero(KafkaProducer):
    """C10 as it is not: a batch that a bump renumbers counts its retries anew."""

    def restamp(self, partition: int, wanted: bool = True) -> None:
        super().restamp(partition, wanted)
        for b in self.batches_of(partition) if wanted else ():
            self.batch[b].attempts = 0


class BumpsKeepTheMark(KafkaProducer):
    """C9.3 as it is not: a bump leaves the unresolved sequence of its partition."""

    def restamp(self, partition: int, wanted: bool = True) -> None:
        mark = int(self.partition[partition].unresolved)
        super().restamp(partition, wanted)
        self.partition[partition].unresolved = mark


class SweepsOnce(KafkaProducer):
    """C7.1 as it is not: what a sweep has held back does not expire later."""

    def sweep_what_is_free(self) -> None:
        pass


class SweepsNothing(KafkaProducer):
    """C7 as it is not: no pass sweeps."""

    @fair
    @action(sweep=lambda w: range(0))
    def expire_batches(self, sweep: int) -> None:
        super().expire_batches(sweep)


class ReadsNoLateAnswer(KafkaProducer):
    """C4.5 as it is not: the answer to a batch that is finished is never read."""

    @fair
    @action(broker="used_brokers", batch="sending")
    def read_answer(self, broker: int, batch: int) -> None:
        require(self.batch[batch].status == SENT)
        super().read_answer(broker, batch)


class AsksForNoProducerId(KafkaProducer):
    """C1.4 as it is not: when the epoch is exhausted there is no other producer id."""

    @fair
    @action(session=lambda w: range(0))
    def init_producer_id(self, session: int) -> None:
        super().init_producer_id(session)


# -- the broker ------------------------------------------------------------------------------------------------


class KnowsTheNewestOnly(KafkaProducer):
    """B2 as it is not: a duplicate is looked for in the newest remembered batch only."""

    def duplicate_of(self, broker: int, request: Any) -> int:
        found = super().duplicate_of(broker, request)
        newest = self.remembered(broker, self.partition_of(request.batch), request.pid)[-1:]
        return found if found in newest else -1


class DuplicatesComeFirst(KafkaProducer):
    """B1.3 as it is not: a duplicate is acknowledged although too few replicas are in sync."""

    def answer(
        self, broker: int, batch: int, outcome: str, offset: int, code: str = "", place: int | None = None
    ) -> None:
        original = self.duplicate_of(broker, self.stamped(batch)) if code == "NOT_ENOUGH_REPLICAS" else -1
        if self.too_few_in_sync() and original >= 0:
            outcome, offset = APPENDED, original
        super().answer(broker, batch, outcome, offset, code, place)


class AcceptsOldEpochs(KafkaProducer):
    """B3 as it is not: a lower epoch is accepted."""

    def refusal(self, broker: int, request: Any) -> str:
        exists, epoch, _ = self.last_known(broker, self.partition_of(request.batch), request.pid)
        return APPENDED if exists and request.epoch < epoch else super().refusal(broker, request)


class RefusesUnknown(KafkaProducer):
    """B4.1 as it is not: a producer that nobody knows has to begin at 0."""

    def answer_to_unknown(self, partition: int, sequence: int) -> str:
        return APPENDED if sequence == 0 else OUT_OF_ORDER


class BeginsAnywhere(KafkaProducer):
    """B4.3 as it is not: a new epoch may begin at any sequence."""

    def refusal(self, broker: int, request: Any) -> str:
        exists, epoch, _ = self.last_known(broker, self.partition_of(request.batch), request.pid)
        return APPENDED if exists and request.epoch > epoch else super().refusal(broker, request)


class AcceptsGaps(KafkaProducer):
    """B4.4 as it is not: any sequence may follow."""

    def out_of_order_answer(self, broker: int, request: Any) -> str:
        return APPENDED


class RemembersFour(KafkaProducer):
    """B5 as it is not: one batch less is remembered."""

    def remembers(self, broker: int, partition: int) -> int:
        return 4


class RemembersSix(KafkaProducer):
    """B5 as it is not: one batch more is remembered."""

    def remembers(self, broker: int, partition: int) -> int:
        return 6


class IsSilentWhenDeposed(KafkaProducer):
    """B1.2 as it is not: a broker that does not lead any more never answers."""

    @fair
    @action(broker="used_brokers", batch="sending")
    def handle(self, broker: int, batch: int) -> None:
        require(self.leader == broker)
        super().handle(broker, batch)


class AnswersBeforeReplication(KafkaProducer):
    """B6.1 as it is not: a success leaves before the follower has the record."""

    def high_watermark_passed(self, partition: int, waited: bool, offset: int) -> None:
        pass


class RefusesTheOldest(KafkaProducer):
    """B6.5 as it is not: at an election the oldest answer becomes an error, though it has left."""

    def waits(self, broker: int, batch: int) -> bool:
        link = self.connection[broker]
        oldest = link.handled > 0 and link.requests[0] == batch
        return oldest and self.batch[batch].outcome == APPENDED


# -- the log ---------------------------------------------------------------------------------------------------


class TruncationKeeps(KafkaProducer):
    """D4 as it is not: a replica whose log is cut still knows what is left of what it knew."""

    def reload(self, broker: int, partition: int, end: int, cut: bool) -> None:
        known = [int(start) for start in self.replica[partition][broker].start]
        super().reload(broker, partition, end, cut)
        for pid in range(self.pids):
            self.know(broker, partition, pid, min(known[pid], end))


class IsCutAtOnce(KafkaProducer):
    """D4 as it is not: a deposed leader is cut when it is deposed, and not when it fetches."""

    def diverge(self, old: int, partition: int, end: int) -> None:
        super().diverge(old, partition, end)
        self.cut(old, partition, True)


class KeepsOneSnapshot(KafkaProducer):
    """D4 as it is not: of the snapshots of a replica only the newest is kept."""

    def keep_snapshots(self, broker: int, partition: int, kept: Any, begun: Any) -> None:
        super().keep_snapshots(broker, partition, kept, begun)
        newest = self.newest_snapshot(broker, partition, self.log_capacity)
        for at in range(newest):
            self.replica[partition][broker].snapshots[at] = False


class RestartsKeepEverySnapshot(KafkaProducer):
    """D6 as it is not: a snapshot without a segment outlives a restart behind it."""

    def reopen(self, broker: int, partition: int, end: int) -> None:
        had = [bool(marked) for marked in self.replica[partition][broker].snapshots]
        super().reopen(broker, partition, end)
        for at, marked in enumerate(had):
            if marked and at < end and self.is_read_later(broker):
                self.replica[partition][broker].snapshots[at] = True


class SnapshotsHoldAll(KafkaProducer):
    """D5 as it is not: a snapshot holds all remembered batches."""

    def row(self, broker: int, partition: int, pid: int, end: int, oldest: int) -> int:
        return min(oldest, end)


class CrashesKeepAll(KafkaProducer):
    """D6 as it is not: after a crash all that the log tells is remembered."""

    def recover(self, broker: int, partition: int, end: int) -> None:
        for pid in range(self.pids):
            oldest = max(self.replica[partition][broker].start[pid], self.log[partition].start)
            self.know(broker, partition, pid, min(oldest, end))
        self.reopen(broker, partition, end)


class LoadsTheExpired(KafkaProducer):
    """D8 as it is not: the row of an expired producer is loaded from a snapshot."""

    def row(self, broker: int, partition: int, pid: int, end: int, oldest: int) -> int:
        replica = self.replica[partition][broker]
        lost, replica.lost = int(replica.lost), 0
        found = super().row(broker, partition, pid, end, oldest)
        replica.lost = lost
        return found


class ExpiresNobody(KafkaProducer):
    """D9 as it is not: the producer state of a replica does not expire."""

    def forget(self, broker: int, partition: int, end: int) -> None:
        pass


class RetentionForgets(KafkaProducer):
    """D10 as it was until 2.3: retention drops the producers whose batches it deletes."""

    def spend(self, kind: str) -> None:
        super().spend(kind)
        if kind == "retentions":
            for p in range(self.partitions):
                for broker in range(self.replicas):
                    self.forget(broker, p, self.log[p].end)


class RetentionKeepsSnapshots(KafkaProducer):
    """D10 as it is not: the snapshots of deleted segments stay."""

    def drop_snapshots(self, broker: int, partition: int, start: int, moved: bool) -> None:
        pass


class ExpiresAtTheLeaderOnly(KafkaProducer):
    """D9 as it is not: the producers of a follower do not expire."""

    def forget(self, broker: int, partition: int, end: int) -> None:
        if self.leader == broker:
            super().forget(broker, partition, end)


class RejoinsBehind(KafkaProducer):
    """D3 as it is not: a follower is in the in-sync set before it has caught up."""

    @fair
    @action(broker=lambda w: range(w.replicas if w.follower_leaves and w.budget > 1 else 0))
    def rejoin(self, broker: int) -> None:
        ends = [int(replicas[broker].replicated) for replicas in self.replica]
        super().rejoin(broker)
        for replicas, end in zip(self.replica, ends, strict=True):
            replicas[broker].replicated = end


# -- where they show -------------------------------------------------------------------------------------------


class BesideAKnownDifference(KafkaProducer):
    """Two slips beside KAFKA-13794: a refused batch 1 has made no attempt, and a late success of batch 0 bumps."""

    def retriable(self, batch: int) -> None:
        super().retriable(batch)
        if batch == 1:
            self.batch[batch].attempts = 0

    def note_acked(self, batch: int, offset: int) -> None:
        super().note_acked(batch, offset)
        if batch == 0 and self.batch[batch].status != SENT and self.refusals > 2:
            self.request_bump(0, True)


@dataclass(frozen=True)
class Mistake:
    """A mistaken model: its rule, the environment and the walk that finds it, at which step, and what differs."""

    cls: type[KafkaProducer]
    rule: str
    environment: str
    walk: int
    step: str
    differs: str

    @property
    def name(self) -> str:
        """What is wrong, in words."""
        return (self.cls.__doc__ or "").partition(": ")[2].rstrip(".")


NEXT, BUMP, PAIR = "what the producer does next", "bump requested for partition", "producer id and epoch"
WIRE, FLIGHT, MEMORY = "connection to broker", "in flight of partition", "remembered by broker"
UNRESOLVED, SNAPSHOTS = "unresolved sequence of partition", "snapshots of broker"
TO_READ, BROKEN, SWEEPS = (
    "the producer has an answer of broker",
    "BrokenRule",
    "what the sweep of the next pass expires",
)
MISTAKES = [
    Mistake(UnmutesAtOnce, "C2.1", "one-in-flight", 3, "learn_leader", NEXT),
    Mistake(MixesPairs, "C2.3", "two-partitions", 11, "send_again", NEXT),
    Mistake(RetriesInAnyOrder, "C2.5", "requests", 0, "disconnect", NEXT),
    Mistake(ForgetsLateSuccess, "C4.5", "warm", 1, "read_answer", "last acknowledged sequence of partition"),
    Mistake(BumpsAtAny45, "C5.3", "requests", 1, "read_answer", BUMP),
    Mistake(IgnoresReopened, "C5.4", "requests", 7, "read_answer", BUMP),
    Mistake(FailsWithoutBump, "C6.4", "requests", 0, "read_answer", BUMP),
    Mistake(SweepsAllAtOnce, "C7.1", "deadlines", 27, "send_again", SWEEPS),
    Mistake(SweepsTheWholeQueue, "C7.1", "wrap", 40, "delivery_timeout", SWEEPS),
    Mistake(HalvesTimeOutApart, "C11", "splits", 114, "read_answer", SWEEPS),
    Mistake(MarksNothing, "C7.2", "warm", 1, "expire_batches", UNRESOLVED),
    Mistake(ResolvesWithoutBump, "C8", "warm", 1, "start_loop", PAIR),
    Mistake(BumpsEverybody, "C9.4", "two-partitions", 1, "start_loop", PAIR),
    Mistake(SparesTheWire, "C9.3", "requests", 5, "start_loop", FLIGHT),
    Mistake(GoesOnCounting, "C9.4", "two-partitions", 1, "send", WIRE),
    Mistake(BumpsFromZero, "C10", "retries", 8, "start_loop", FLIGHT),
    Mistake(BumpsWhenRetriesAreUsedUp, "C4.4", "retries", 6, "read_answer", BUMP),
    Mistake(BumpsAtAnyDefiniteError, "C5.8", "retries", 99, "read_answer", BUMP),
    Mistake(BumpsKeepTheMark, "C9.3", "elections", 9, "start_loop", UNRESOLVED),
    Mistake(SweepsOnce, "C7.1", "deadlines", 29, "read_answer", SWEEPS),
    Mistake(SweepsNothing, "C7", "warm", 1, "delivery_timeout", SWEEPS),
    Mistake(ReadsNoLateAnswer, "C4.5", "warm", 52, "handle", TO_READ),
    Mistake(AsksForNoProducerId, "C1.4", "epochs-run-out", 2, "start_loop", "the producer waits for a producer id"),
    Mistake(KnowsTheNewestOnly, "B2", "requests", 1, "handle", WIRE),
    Mistake(AcceptsOldEpochs, "B3", "survivors", 25, "handle_survivor", "log of partition"),
    Mistake(RefusesUnknown, "B4.1", "warm", 3, "handle", WIRE),
    Mistake(BeginsAnywhere, "B4.3", "cold", 1, "handle", WIRE),
    Mistake(AcceptsGaps, "B4.4", "requests", 1, "handle", WIRE),
    Mistake(RemembersFour, "B5", "requests", 0, "handle", MEMORY),
    Mistake(RemembersSix, "B5", "requests", 0, "handle", MEMORY),
    Mistake(DuplicatesComeFirst, "B1.3", "min-insync-2", 8, "handle", WIRE),
    Mistake(IsSilentWhenDeposed, "B1.2", "elections", 12, "change_leader", "broker 0 has a request to handle"),
    Mistake(AnswersBeforeReplication, "B6.1", "requests", 0, "read_answer", BROKEN),
    Mistake(RefusesTheOldest, "B6.5", "elections", 5, "change_leader", BROKEN),
    Mistake(TruncationKeeps, "D4", "elections", 14, "crash_leader", MEMORY),
    Mistake(IsCutAtOnce, "D4", "out-of-sync", 9, "change_leader", MEMORY),
    Mistake(KeepsOneSnapshot, "D4", "storage", 48, "restart_cleanly", SNAPSHOTS),
    Mistake(RestartsKeepEverySnapshot, "D6", "storage", 38, "restart_after_crash", SNAPSHOTS),
    Mistake(SnapshotsHoldAll, "D5", "storage", 0, "restart_after_crash", MEMORY),
    Mistake(CrashesKeepAll, "D6", "storage", 0, "restart_after_crash", MEMORY),
    Mistake(LoadsTheExpired, "D8", "storage", 219, "restart_after_crash", MEMORY),
    Mistake(ExpiresNobody, "D9", "storage", 0, "expire_producers", MEMORY),
    Mistake(RetentionKeepsSnapshots, "D10", "warm", 3, "delete_records", SNAPSHOTS),
    Mistake(ExpiresAtTheLeaderOnly, "D9", "storage", 1, "expire_producers", MEMORY),
    Mistake(RejoinsBehind, "D3", "out-of-sync", 6, "rejoin", BROKEN),
    Mistake(RetentionForgets, "D10", "warm", 1, "delete_records", MEMORY),
]
