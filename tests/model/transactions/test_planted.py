"""Promises that no scenario breaks, and rules that a scenario is about, can be broken: each by one planted mistake."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model.transactions import Group, KafkaTransactions
from everystate.model.transactions.records import BUMPING, READY
from everystate.specs.transactions.common import NEAR_THE_HIGHEST
from everystate.specs.transactions.producers import LOST_AT_A_FAIL_OVER


class MarkerOfEverything(KafkaTransactions):
    """A marker decides all records of its producer id, not only those of the open transaction."""

    def decide(self, partition: int, pid: int, commit: bool) -> None:
        log = self.log[partition]
        for at in range(self.transactions):
            entry = log.entries[at]
            if at < log.end and entry.pid == pid:
                entry.fate = "committed" if commit else "aborted"


class TransactionFromTheStart(KafkaTransactions):
    """Every record opens its transaction at the start of the log."""

    def write(self, partition: int, slot: int) -> None:
        pid = self.request[partition][slot].pid
        super().write(partition, slot)
        self.known[partition][pid].first = 0


class ForgetfulLoading(KafkaTransactions):
    """A coordinator that loads its log aborts what was decided to be committed."""

    def fail_over(self, nothing: int) -> None:
        super().fail_over(nothing)
        tc = self.coordinator
        if tc.state == "PrepareCommit":
            tc.state = "PrepareAbort"


class DeafToTerms(KafkaTransactions):
    """T7.5: leaders do not compare the epochs of coordinators."""

    def mark(self, partition: int, pid: int, epoch: int, commit: bool, term: int, tv2: bool) -> str:
        return super().mark(partition, pid, epoch, commit, self.coordinator.term, tv2)


class MarkersOfThePast(KafkaTransactions):
    """T7.4: leaders take a marker of a lower epoch."""

    def marker_fits(self, partition: int, pid: int, epoch: int, tv2: bool) -> bool:
        return super().marker_fits(partition, pid, epoch, tv2) or epoch < self.known[partition][pid].epoch


class ReaderOfEverything(KafkaTransactions):
    """T8.3: a reader returns aborted records, too."""

    def visible(self, partition: int, at: int) -> bool:
        return at < self.stable(partition)


class RetriedBumpIsFenced(KafkaTransactions):
    """T2.3: InitProducerId with the last epoch is not known as a retry."""

    def renew(self, pid: int, epoch: int) -> str:
        self.coordinator.last_epoch = -1
        return super().renew(pid, epoch)


class ForgetfulIds(KafkaTransactions):
    """T1.11: the last epoch is in the log, the previous id is not."""

    def fail_over(self, nothing: int) -> None:
        super().fail_over(nothing)
        self.coordinator.previous_pid = self.coordinator.pid


class BumpOfAFencedProducer(KafkaTransactions):
    """T9.6: a producer that is fenced when it bumps its epoch goes on, with the pair of its successor."""

    def die(self, session: int) -> None:
        me, tc = self.producer[session], self.coordinator
        if me.status == BUMPING:
            self.take_pair(session, tc.pid, tc.epoch)
            me.status = READY
        else:
            super().die(session)


@pytest.mark.parametrize(
    ("spec", "broken", "steps"),
    [
        (MarkerOfEverything(generation="4.3", partitions=1, aborts=1), "ReadForEver", 18),
        (TransactionFromTheStart(generation="4.3", partitions=1, faults=0), "StableOffsetNeverBack", 15),
        (ForgetfulLoading(generation="4.3", partitions=1, transactions=1, failovers=1), "NoCommittedLost", 10),
        (
            DeafToTerms(generation="classic", partitions=1, failovers=1, left_behind=True),
            "NoUncommittedRead",
            15,
        ),
        (
            MarkersOfThePast(generation="4.3", partitions=1, sessions=2, takeovers=1, late_markers=1, faults=2),
            "NoCommittedLost",
            19,
        ),
        (ReaderOfEverything(generation="classic", partitions=1, sessions=2, takeovers=1), "NoItemLeftOut", 11),
        (
            BumpOfAFencedProducer(
                generation="part-1", partitions=1, transactions=3, sessions=2, takeovers=1, deadlines=1, faults=2
            ),
            "NoCommittedLost",
            24,
        ),
        (
            RetriedBumpIsFenced(generation="part-1", partitions=1, deadlines=1, lost_answers=1, faults=2),
            "NoNeedlessEnd",
            11,
        ),
        (
            ForgetfulIds(generation="kafka-20357", **LOST_AT_A_FAIL_OVER, **NEAR_THE_HIGHEST),
            "NoNeedlessEnd",
            12,
        ),
    ],
    ids=["ReadForEver", "StableOffsetNeverBack", "NoCommittedLost", "T7.5", "T7.4", "T8.3", "T9.6", "T2.3", "T1.11"],
)
def test_a_mistake_breaks_the_promise(spec: KafkaTransactions, broken: str, steps: int) -> None:
    assert check(build(spec)).violation(broken).length == steps


def test_a_partition_that_comes_back_is_read_from_its_offset() -> None:
    """T10.11: an heir that had the partition before fetches; who is out, or at work, is no heir.

    With one move only, as in the scenarios, no heir had it. Other counts tell each of four mistakes.
    """
    run = check(build(Group(generation="4.0", evictions=1, rebalances=2)))
    assert (run.distinct, run.generated) == (1030, 2243)
    assert [(found.property, found.length) for found in run.violations] == [("NoDuplicate", 13)]
