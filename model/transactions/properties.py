"""What users may rely on, and the goals that show that something happened."""

from __future__ import annotations

from typing import Self

from everystate.checker import implies, invariant, narrate, reachable, step_invariant

from .losses import Losses
from .records import ABORTED, COMMIT, COMMITTED, COMPLETE_ABORT, COMPLETE_COMMIT, EMPTY, UNDECIDED


class Properties(Losses):
    """The promises."""

    conformance = "everystate.model.conformance.harness:KAFKA"

    def has(self, partition: int, at: int, transaction: int, fate: str) -> bool:
        """Whether an offset holds the record of a transaction, with a fate."""
        entry = self.log[partition].entries[at]
        return at < self.log[partition].end and entry.transaction == transaction and entry.fate == fate

    def got(self, transaction: int, partition: int, fate: str) -> bool:
        """Whether the record of a transaction in a partition has a fate."""
        return any(self.has(partition, at, transaction, fate) for at in self.offsets)

    def told_of(self, wrong: bool, text: str) -> bool:
        """The condition that breaks a promise; where it holds, a counterexample says so."""
        narrate(lambda: text if wrong else "")
        return wrong

    @invariant
    def Atomic(self) -> bool:
        """no transaction is committed in one partition and aborted in another"""
        return not any(
            self.told_of(
                self.got(t, p, COMMITTED) and self.got(t, q, ABORTED),
                f"t{t} is committed in partition {p} and aborted in partition {q}",
            )
            for t in range(self.transactions)
            for p in self.places
            for q in self.places
            if p != q
        )

    @invariant
    def NoUncommittedRead(self) -> bool:
        """a read_committed reader returns only records of transactions whose commit was asked for"""
        return not any(
            self.told_of(
                self.got(t, p, COMMITTED) and self.asked[t] != COMMIT,
                f"a read_committed reader returns t{t} of partition {p}, which nobody wanted to commit",
            )
            for t in range(self.transactions)
            for p in self.places
        )

    @invariant
    def NoAbortedRead(self) -> bool:
        """a transaction of which the application was told that it is aborted is not read"""
        return not any(
            self.told[t] == ABORTED and self.got(t, p, COMMITTED) for t in range(self.transactions) for p in self.places
        )

    @invariant
    def NoCommittedLost(self) -> bool:
        """a transaction of which the application was told that it is committed has its records, none of them aborted"""
        return not any(
            self.told_of(
                self.told[t] == COMMITTED and not self.is_there(t, p),
                f"t{t} was told to be committed, but its record in partition {p} is aborted or nowhere",
            )
            for t in range(self.transactions)
            for p in self.places
        )

    def is_there(self, transaction: int, partition: int) -> bool:
        """Whether the record of a transaction is committed, or a marker may still decide it."""
        return any(
            self.has(partition, at, transaction, COMMITTED)
            or (self.has(partition, at, transaction, UNDECIDED) and self.is_open_at(partition, at))
            for at in self.offsets
        )

    def is_open_at(self, partition: int, at: int) -> bool:
        """Whether a marker may still decide the record at an offset; records that were deleted do not count."""
        pid = self.log[partition].entries[at].pid
        return self.retentions > 0 or 0 <= self.known[partition][pid].first <= at

    @invariant
    def NoDuplicate(self) -> bool:
        """no item is read twice, however often its transaction was tried"""
        return not any(
            self.told_of(
                sum(
                    any(self.has(p, at, t, COMMITTED) and self.item_of[t] == item for t in range(self.transactions))
                    for at in self.offsets
                )
                > 1,
                f"item {item} is committed twice in partition {p}",
            )
            for item in range(self.transactions)
            for p in self.places
        )

    @invariant
    def NoItemLeftOut(self) -> bool:
        """a producer goes on behind an item only when that is committed, or its commit was asked for"""
        return not any(
            self.told_of(
                self.producer[s].knows_item == 1 and item < self.producer[s].item and not any(self.tried(item)),
                f"producer {s} goes on behind item {item}, which is not committed",
            )
            for s in range(self.sessions)
            for item in range(self.transactions)
        )

    def tried(self, item: int) -> list[bool]:
        """For each transaction, whether it is one that commits an item."""
        return [
            self.item_of[t] == item and (self.asked[t] == COMMIT or self.got(t, 0, COMMITTED))
            for t in range(self.transactions)
        ]

    @invariant
    def NoHangingTransaction(self) -> bool:
        """a transaction that is open at a leader is one that the coordinator will end there"""
        return not any(
            self.told_of(
                self.known[p][pid].first >= 0 and not self.will_end(p, pid),
                f"partition {p} has an open transaction that the coordinator does not know",
            )
            for p in self.places
            for pid in range(self.pids)
        )

    def will_end(self, partition: int, pid: int) -> bool:
        """Whether the coordinator has the partition in its transaction, and the marker is still to come."""
        tc = self.coordinator
        done = tc.state in (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT)
        marked = self.preparing() and not tc.unmarked[partition]
        return tc.pid == pid and tc.partitions[partition] and not (done or marked)

    @step_invariant
    def StableOffsetNeverBack(self, before: Self) -> bool:
        """the last stable offset never goes back"""
        return all(self.stable(p) >= before.stable(p) for p in self.places)

    @step_invariant
    def ReadForEver(self, before: Self) -> bool:
        """what a read_committed reader may have returned stays as it is: committed records, and skipped ones"""
        return all(
            implies(at < before.stable(p), self.log[p].entries[at].fate == before.log[p].entries[at].fate)
            for p in self.places
            for at in self.offsets
        )

    # -- goals ---------------------------------------------------------------------------------------------

    @reachable
    def all_committed(self) -> bool:
        """every transaction that may be begun is committed, and read in all partitions"""
        read = all(self.items_visible(p) == self.transactions for p in self.places)
        return read if self.goal else True

    @reachable
    def budget_spent(self) -> bool:
        """as many faults happen as the scenario allows"""
        return self.faults_left == 0
