"""Deliberate mistakes in the model's coordinator and leaders: each is found by a walk beside Kafka's own classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import narrate
from everystate.model.conformance.transactions.strays import Strays
from everystate.model.transactions.generation import AT_LEAST, OLD_ID, TWICE
from everystate.model.transactions.records import FENCED, NONE, OLD_EPOCH


class JoinsWithAnyEpoch(Strays):
    def refused(self, pid: int, epoch: int) -> str:
        return super().refused(pid, self.coordinator.epoch)


class EndKeepsItsEpoch(Strays):
    def prepare_next(self, commit: bool, fence: bool = False) -> str:
        self.prepare(commit)
        return NONE


class FenceBumpsTwice(Strays):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, fence_bumps=TWICE)


class ExhaustedFenceKeepsItsId(Strays):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, exhausted_fence=OLD_ID)


class RetriedBumpIsFenced(Strays):
    def renew(self, pid: int, epoch: int) -> str:
        tc = self.coordinator
        if not self.preparing() and tc.pid == pid and tc.epoch != epoch and tc.state != "Ongoing":
            return FENCED
        return super().renew(pid, epoch)


class LoadingKeepsTheLastEpoch(Strays):
    def fail_over(self, nothing: int) -> None:
        last = self.coordinator.last_epoch
        super().fail_over(nothing)
        self.coordinator.last_epoch = last


class RefusedMarkersCount(Strays):
    def write_marker(self, partition: int) -> None:
        super().write_marker(partition)
        self.coordinator.awaited = True


class EqualMarkersAreWritten(Strays):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, marker_epoch=AT_LEAST)


class MarkerTakesEveryGuard(Strays):
    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, guard_survives=False)


class LowerEpochIsAppended(Strays):
    def append(self, partition: int, slot: int) -> str:
        answer = super().append(partition, slot)
        if answer == OLD_EPOCH:
            narrate("the epoch is not looked at", at=self.name(partition))
            return NONE
        return answer


class ZombiesMarkersAreWritten(Strays):
    def mark(self, partition: int, pid: int, epoch: int, commit: bool, term: int) -> str:
        return super().mark(partition, pid, epoch, commit, self.failovers)


@dataclass(frozen=True)
class Mistake:
    """A mistake: its rule, where the epochs begin, and the walk that finds it, by which difference."""

    cls: type[Strays]
    rule: str
    start: int
    walk: int
    differs: str


MISTAKES = [
    Mistake(JoinsWithAnyEpoch, "T3.1", -1, 0, "answer to AddPartitionsToTxn"),
    Mistake(EndKeepsItsEpoch, "T4.6", -1, 1, "pair of the answer to EndTxn"),
    Mistake(FenceBumpsTwice, "T5.4", -1, 2, "producer id and epoch"),
    Mistake(ExhaustedFenceKeepsItsId, "T5.6", 3, 0, "next producer id"),
    Mistake(RetriedBumpIsFenced, "T2.3", -1, 0, "answer to InitProducerId"),
    Mistake(LoadingKeepsTheLastEpoch, "T1.11", -1, 0, "last epoch"),
    Mistake(RefusedMarkersCount, "T6.3", -1, 2, "whether it waits for markers"),
    Mistake(EqualMarkersAreWritten, "T7.4", -1, 19, "answer to the marker"),
    Mistake(MarkerTakesEveryGuard, "T7.14", -1, 17, "producer 0 at the leader of 1"),
    Mistake(LowerEpochIsAppended, "T7.2", -1, 2, "answer to the batch"),
    Mistake(ZombiesMarkersAreWritten, "T7.5", -1, 0, "producer 0 at the leader of 1"),
]
