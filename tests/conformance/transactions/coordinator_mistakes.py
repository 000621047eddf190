"""Deliberate mistakes in the model's coordinator and leaders: each is found by a walk beside Kafka's own classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import action, fair, narrate
from everystate.model.conformance.transactions.coordinator_moves import (
    COMPLETING,
    END,
    JOIN,
    WHILE_WRITING,
)
from everystate.model.conformance.transactions.stray_requests import StrayRequests
from everystate.model.transactions.generation import AT_LEAST, OLD_ID, TWICE
from everystate.model.transactions.properties import Properties
from everystate.model.transactions.records import (
    CONCURRENT,
    FENCED,
    INVALID_STATE,
    NONE,
    OLD_EPOCH,
    ONGOING,
    OUT_OF_ORDER,
    Request,
)


class KeepsGuards(StrayRequests):
    def lose_requests(self, partition: int) -> None:
        guards = [self.known[partition][pid].guard for pid in range(self.pids)]
        super().lose_requests(partition)
        for pid in range(self.pids):
            self.known[partition][pid].guard = guards[pid]


class KnowsWhatItLacks(StrayRequests):
    def elect_uncleanly(self, partition: int) -> None:
        opened = [self.known[partition][pid].first for pid in range(self.pids)]
        super().elect_uncleanly(partition)
        for pid in range(self.pids):
            self.known[partition][pid].first = opened[pid]


class JoinsWithAnyEpoch(StrayRequests):
    def refused(self, pid: int, epoch: int) -> str:
        return super().refused(pid, self.coordinator.epoch)


class EndKeepsItsEpoch(StrayRequests):
    def prepare_next(self, commit: bool, fence: bool = False) -> str:
        self.prepare(commit, tv2=True)
        return NONE


class FenceBumpsTwice(StrayRequests):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, fence_bumps=TWICE)


class ExhaustedFenceKeepsItsId(StrayRequests):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, exhausted_fence=OLD_ID)


class RetriedBumpIsFenced(StrayRequests):
    def renew(self, pid: int, epoch: int) -> str:
        tc = self.coordinator
        if not self.preparing() and tc.pid == pid and tc.epoch != epoch and tc.state != "Ongoing":
            return FENCED
        return super().renew(pid, epoch)


class LoadingKeepsTheLastEpoch(StrayRequests):
    def fail_over(self, nothing: int) -> None:
        last = self.coordinator.last_epoch
        super().fail_over(nothing)
        self.coordinator.last_epoch = last


class RefusedMarkersCount(StrayRequests):
    def write_marker(self, partition: int) -> None:
        super().write_marker(partition)
        self.coordinator.awaited = True


class EqualMarkersAreWritten(StrayRequests):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, marker_epoch=AT_LEAST)


class MarkerTakesEveryGuard(StrayRequests):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, guard_survives=False)


class LowerEpochIsAppended(StrayRequests):
    def append(self, partition: int, slot: int) -> str:
        answer = super().append(partition, slot)
        if answer == OLD_EPOCH:
            narrate("the epoch is not looked at", at=self.name(partition))
            return NONE
        return answer


class ZombiesMarkersAreWritten(StrayRequests):
    def mark(self, partition: int, pid: int, epoch: int, commit: bool, term: int, tv2: bool) -> str:
        return super().mark(partition, pid, epoch, commit, self.failovers, tv2)


class CompletesTooEarly(StrayRequests):
    @fair
    @action
    def complete(self) -> None:
        for p in self.places:
            self.coordinator.unmarked[p] = False
        super().complete()


class KeepsItsPartitions(StrayRequests):
    @fair
    @action
    def complete(self) -> None:
        kept = [self.coordinator.partitions[p] for p in self.places]
        super().complete()
        for p in self.places:
            self.coordinator.partitions[p] = kept[p]


class NextIdBeginsAtOne(StrayRequests):
    @fair
    @action
    def complete(self) -> None:
        rotates = self.coordinator.next_pid >= 0
        super().complete()
        if rotates:
            self.coordinator.epoch = 1


class VerifiesAnyPartition(StrayRequests):
    def verify(self, pid: int, epoch: int, partition: int) -> str:
        return self.refused(pid, epoch)


class LoadsWhatIsUnmarked(StrayRequests):
    def fail_over(self, nothing: int) -> None:
        kept = [self.coordinator.unmarked[p] for p in self.places]
        super().fail_over(nothing)
        for p in self.places:
            self.coordinator.unmarked[p] = kept[p]


class DuplicateIsRefused(StrayRequests):
    def append(self, partition: int, slot: int) -> str:
        request = self.request[partition][slot]
        known = self.known[partition][request.pid]
        if known.epoch == request.epoch and request.sequence <= known.last:
            return OUT_OF_ORDER
        return super().append(partition, slot)


class MarkerKeepsTheSequence(StrayRequests):
    def mark(self, partition: int, pid: int, epoch: int, commit: bool, term: int, tv2: bool) -> str:
        last = self.known[partition][pid].last
        answer = super().mark(partition, pid, epoch, commit, term, tv2)
        self.known[partition][pid].last = last
        return answer


class StableOffsetOfOneProducer(StrayRequests):
    def stable(self, partition: int) -> int:
        first = self.known[partition][0].first
        return self.log[partition].end if first < 0 else first


class TimeOutCommits(StrayRequests):
    def time_out(self, nothing: int) -> None:
        super().time_out(nothing)
        self.coordinator.state = "PrepareCommit"


class AbortOfNothingIsRefused(StrayRequests):
    def end_of_epoch(self, pid: int, epoch: int, commit: bool) -> str:
        if self.coordinator.state == "Empty" and not commit and self.refused(pid, epoch) == NONE:
            return INVALID_STATE
        return super().end_of_epoch(pid, epoch, commit)


class StartKeepsTheState(StrayRequests):
    def start_over(self, last_epoch: int) -> None:
        state = self.coordinator.state
        super().start_over(last_epoch)
        self.coordinator.state = state


class JoinForgetsTheOthers(StrayRequests):
    def join(self, pid: int, epoch: int, partition: int) -> str:
        answer = super().join(pid, epoch, partition)
        if answer == NONE:
            for p in self.places:
                self.coordinator.partitions[p] = p == partition
        return answer


class LetsInWhatWasRefused(StrayRequests):
    def let_in(self, pid: int, epoch: int, partition: int) -> str:
        answer = super().let_in(pid, epoch, partition)
        return NONE if answer == FENCED else answer


class ForgetsTheLowestSequence(StrayRequests):
    def is_out_of_order(self, partition: int, request: Request) -> bool:
        return Properties.is_out_of_order(self, partition, request)


class TellsWhatItHears(StrayRequests):
    def to_client(self, answer: str) -> str:
        return answer


class JoinsWhileWriting(StrayRequests):
    def while_writing(self, kind: str, pid: int, epoch: int, partition: int, fences: bool) -> str:
        answer = super().while_writing(kind, pid, epoch, partition, fences)
        return NONE if kind == JOIN and self.coordinator.state == ONGOING else answer


class VerifiesNothingWhileWriting(StrayRequests):
    def while_writing(self, kind: str, pid: int, epoch: int, partition: int, fences: bool) -> str:
        answer = super().while_writing(kind, pid, epoch, partition, fences)
        return CONCURRENT if answer == NONE else answer


class LooksAtIdsWhileWriting(StrayRequests):
    """As until 3.9."""

    def while_writing(self, kind: str, pid: int, epoch: int, partition: int, fences: bool) -> str:
        refused = self.refused(pid, epoch)
        own = super().while_writing(kind, pid, epoch, partition, fences)
        return refused if kind in (JOIN, END) and refused != NONE else own


class FenceIsInMemoryAtOnce(StrayRequests):
    """As until 4.0.0."""

    def bump_of_a_fence(self, fences: bool) -> None:
        if fences:
            self.coordinator.epoch += 1


class FenceIsTheClients(StrayRequests):
    """As if fences followed the version of the client, and not that of the cluster."""

    def prepare(self, commit: bool, tv2: bool) -> None:
        super().prepare(commit, tv2=False)


class EndIsTheClusters(StrayRequests):
    """As if an EndTxn without TV2 were that of a cluster with it."""

    def prepare(self, commit: bool, tv2: bool) -> None:
        super().prepare(commit, tv2=True)


class EndsWhileWriting(StrayRequests):
    """As with TV2."""

    def while_writing(self, kind: str, pid: int, epoch: int, partition: int, fences: bool) -> str:
        return CONCURRENT if kind == END else super().while_writing(kind, pid, epoch, partition, fences)


class LoadingForgetsTheIds(StrayRequests):
    """As until 4.2."""

    def fail_over(self, nothing: int) -> None:
        super().fail_over(nothing)
        self.coordinator.previous_pid = self.coordinator.pid


@dataclass(frozen=True)
class Mistake:
    """A mistake: its rule, the environment and walk that find it, and by which difference; of the newest version."""

    cls: type[StrayRequests]
    rule: str
    environment: str
    walk: int
    differs: str
    generation: str = ""


MISTAKES = [
    Mistake(JoinsWithAnyEpoch, "T3.1", "new", 0, "answer to the verification"),
    Mistake(EndKeepsItsEpoch, "T4.6", "new", 0, "producer id and epoch"),
    Mistake(FenceBumpsTwice, "T5.4", "new", 0, "producer id and epoch"),
    Mistake(ExhaustedFenceKeepsItsId, "T5.6", "near-the-highest-epoch", 0, "next producer id"),
    Mistake(RetriedBumpIsFenced, "T2.3", "new", 8, "state"),
    Mistake(LoadingKeepsTheLastEpoch, "T1.11", "new", 0, "last epoch"),
    Mistake(RefusedMarkersCount, "T6.3", "new", 1, "it waits for markers"),
    Mistake(EqualMarkersAreWritten, "T7.4", "new", 4, "producer 1000 at the leader of 0"),
    Mistake(MarkerTakesEveryGuard, "T7.14", "new", 0, "producer 1000 at the leader of 0"),
    Mistake(LowerEpochIsAppended, "T7.2", "new", 5, "answer to the batch"),
    Mistake(ZombiesMarkersAreWritten, "T7.5", "new", 0, "producer 1000 at the leader of 0"),
    Mistake(CompletesTooEarly, "T6.4", "new", 0, COMPLETING),
    Mistake(KeepsItsPartitions, "T6.4", "new", 0, "partitions"),
    Mistake(NextIdBeginsAtOne, "T5.6", "near-the-highest-epoch", 0, "producer id and epoch"),
    Mistake(VerifiesAnyPartition, "T3.5", "new", 3, WHILE_WRITING),
    Mistake(LoadsWhatIsUnmarked, "T1.8", "new", 0, "partitions"),
    Mistake(DuplicateIsRefused, "T7.1", "new", 1, "answer to the batch"),
    Mistake(MarkerKeepsTheSequence, "T7.7", "new", 0, "producer 1000 at the leader of 0"),
    Mistake(StableOffsetOfOneProducer, "T8.1", "near-the-highest-epoch", 3, "stable records of 0"),
    Mistake(TimeOutCommits, "T5.2", "new", 3, "state"),
    Mistake(AbortOfNothingIsRefused, "T4.5", "new", 4, "state"),
    Mistake(StartKeepsTheState, "T2.2", "new", 0, "state"),
    Mistake(JoinForgetsTheOthers, "T3.1", "new", 0, "partitions"),
    Mistake(LetsInWhatWasRefused, "T7.12", "new", 1, "answer to the client before an append"),
    Mistake(ForgetsTheLowestSequence, "T7.17", "markers-left-behind", 19, "producer 1000 at the leader of 0"),
    Mistake(TellsWhatItHears, "T7.12", "new", 1, "answer to the client before an append"),
    Mistake(JoinsWhileWriting, "T1.4", "new", 0, WHILE_WRITING),
    Mistake(VerifiesNothingWhileWriting, "T1.4", "new", 0, WHILE_WRITING),
    Mistake(LooksAtIdsWhileWriting, "T3.4", "new", 0, WHILE_WRITING),
    Mistake(KeepsGuards, "T7.19", "leader-changes", 1, "producer 1000 at the leader of 0"),
    Mistake(KnowsWhatItLacks, "T7.20", "unclean-elections", 2, "producer 1000 at the leader of 1"),
    Mistake(FenceIsInMemoryAtOnce, "T5.10", "new", 0, WHILE_WRITING),
]

OLD_CLIENTS, WITHOUT_TV2 = "4.3-old-clients", "4.3-without-tv2"
OF_OLDER_CLIENTS = [
    Mistake(FenceIsTheClients, "T6.1", "new", 1, "markers on their way", OLD_CLIENTS),
    Mistake(EndIsTheClusters, "T6.1", "new", 1, "markers on their way", OLD_CLIENTS),
    Mistake(ExhaustedFenceKeepsItsId, "T5.6", "at-the-highest-epoch", 1, "next producer id", OLD_CLIENTS),
    Mistake(LoadingKeepsTheLastEpoch, "T1.11", "new", 2, "last epoch", OLD_CLIENTS),
    Mistake(EndsWhileWriting, "T3.4", "new", 0, WHILE_WRITING, WITHOUT_TV2),
    Mistake(LoadingForgetsTheIds, "T1.11", "at-the-highest-epoch", 5, "previous producer id", WITHOUT_TV2),
]
