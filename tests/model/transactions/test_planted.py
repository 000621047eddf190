"""Promises that no scenario breaks can be broken: each by one mistake, planted in the model."""

from __future__ import annotations

import pytest

from everystate.checker import If
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.ir.model import build
from everystate.model.transactions import KafkaTransactions


class MarkerOfEverything(KafkaTransactions):
    """A marker decides all records of its producer id, not only those of the open transaction."""

    def decide(self, partition: int, pid: int, commit: bool) -> None:
        log = self.log[partition]
        for at in range(self.transactions):
            entry = log.entries[at]
            entry.fate = If((at < log.end) & (entry.pid == pid), "committed" if commit else "aborted", entry.fate)


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
        tc.state = If(tc.state == "PrepareCommit", "PrepareAbort", tc.state)


@pytest.mark.parametrize(
    ("spec", "broken", "steps"),
    [
        (MarkerOfEverything(generation="4.3", partitions=1, aborts=1), "ReadForEver", 18),
        (TransactionFromTheStart(generation="4.3", partitions=1, faults=0), "StableOffsetNeverBack", 15),
        (ForgetfulLoading(generation="4.3", partitions=1, transactions=1, failovers=1), "NoCommittedLost", 10),
    ],
    ids=["ReadForEver", "StableOffsetNeverBack", "NoCommittedLost"],
)
def test_a_mistake_breaks_the_promise(spec: KafkaTransactions, broken: str, steps: int) -> None:
    assert check(build(spec)).violation(broken).length == steps
