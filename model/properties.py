"""What users may rely on: the records in the log and the results of their futures, never sequence numbers."""

from __future__ import annotations

from collections.abc import Callable

from everystate.checker import constraint, invariant, narrate, reachable

from .faults import Faults
from .records import ABSENT, ACKED, FAILED, MISREPORTED, OUT_OF_ORDER, QUEUED, RETRYING, SENT


def is_a_goal(name: str) -> Callable[[Faults], bool]:
    """Whether the scenario asks for an event, as a function of the spec."""
    return lambda spec: name in [goal.strip() for goal in spec.goals.split(",")]


class Properties(Faults):
    """The promises, and the goals that show that something happened."""

    @invariant
    def NoDuplicate(self) -> bool:
        """no record is in the log twice"""
        return all(self.copies(record) <= 1 for record in self.sending)

    @invariant
    def NoGap(self) -> bool:
        """no record is acknowledged while an earlier one is neither in the log nor reported failed"""
        return not any(
            self.broken(
                self.result(earlier, QUEUED, RETRYING, SENT)
                and not self.written(earlier)
                and self.acknowledged(record),
                f"b{record} is acknowledged, but b{earlier} before it is not in the log, and not reported failed",
            )
            for earlier in self.sending
            for record in self.sending
            if earlier < record and self.partition_of(earlier) == self.partition_of(record)
        )

    @invariant
    def InOrder(self) -> bool:
        """records appear first in the order in which they were sent"""
        return not any(
            self.broken(not self.in_order(p), f"the records of partition {p} are not in the order of sending")
            for p in range(self.partitions)
        )

    @invariant
    def AckedIsPersisted(self) -> bool:
        """an acknowledged record is in the log"""
        return not any(
            self.broken(
                self.acknowledged(record) and not self.written(record), f"b{record} is acknowledged, but not in the log"
            )
            for record in self.sending
        )

    @invariant
    def TruthfulOffset(self) -> bool:
        """the offset that a record was acknowledged with is the record's"""
        return not any(
            self.broken(
                self.result(record, MISREPORTED), f"b{record} was acknowledged with the offset of another record"
            )
            for record in self.sending
        )

    @invariant
    def NoFalseFailure(self) -> bool:
        """a record that was reported failed by a definite error is not in the log"""
        return not any(
            self.broken(
                self.result(record, FAILED) and self.written(record),
                f"b{record} was reported failed, but is in the log",
            )
            for record in self.sending
        )

    @invariant
    def SequencesContiguous(self) -> bool:
        """in the log, the sequences of a producer epoch follow each other without gap or repetition"""
        if not self.client.idempotent:
            return True
        return not any(
            self.broken(
                not self.contiguous(p, pid), f"the sequences of producer id {pid} in the log have a gap or a repetition"
            )
            for p in range(self.partitions)
            for pid in range(self.pids)
        )

    @constraint
    def LogFits(self) -> bool:
        """the log has room for another batch; else the bound `spare` was reached"""
        return all(self.log[p].end < self.log_capacity for p in range(self.partitions))

    # -- goals ---------------------------------------------------------------------------------------------

    @reachable
    def all_acknowledged(self) -> bool:
        """every record is acknowledged"""
        return all(self.acknowledged(b) for b in self.sending)

    @reachable
    def budget_spent(self) -> bool:
        """all faults happen in one behaviour"""
        return self.faults_left == 0

    @reachable(when=is_a_goal("bump"))
    def goal_bump(self) -> bool:
        """the producer bumps its epoch (C9.1)"""
        return self.epoch > 0

    @reachable(when=is_a_goal("unresolved"))
    def goal_unresolved(self) -> bool:
        """an expired batch is unresolved (C7.2)"""
        return any(e.unresolved >= 0 for e in self.partition)

    @reachable(when=is_a_goal("renumbered on the wire"))
    def goal_renumbered_on_the_wire(self) -> bool:
        """a batch is renumbered while its request is on the wire (C9.3)"""
        return any(self.batch[b].status == SENT and self.batch[b].reopened == 1 for b in self.sending)

    @reachable(when=is_a_goal("out of order"))
    def goal_out_of_order(self) -> bool:
        """a broker answers OUT_OF_ORDER_SEQUENCE_NUMBER (B4.4)"""
        return any(self.batch[b].outcome == OUT_OF_ORDER for b in self.sending)

    @reachable(when=is_a_goal("reset"))
    def goal_reset(self) -> bool:
        """the producer drops its producer id and gets a new one"""
        return self.pids_used > 0 and self.pid > 0

    # -- words ---------------------------------------------------------------------------------------------

    def broken(self, wrong: bool, told: str) -> bool:
        """The condition that breaks a promise; where it holds, a counterexample says so."""
        narrate(lambda: told if wrong else "")
        return wrong

    def has_record(self, partition: int, at: int, record: int) -> bool:
        """Whether the log entry at `at` has a record; the second one of an unsplit batch 0 is record 1."""
        log = self.log[partition]
        entry, here = log.entries[at], at < log.end
        if self.too_large and record == 1:
            return here and (entry.batch == 1 or (entry.batch == 0 and entry.size == 2))
        return here and entry.batch == record

    def copies(self, record: int) -> int:
        """How often a record is in the log, deleted records included."""
        p = self.partition_of(record)
        return sum(self.has_record(p, at, record) for at in range(self.log_capacity))

    def written(self, record: int) -> bool:
        """Whether a record is in the log, or was until retention deleted it."""
        p = self.partition_of(record)
        return any(self.has_record(p, at, record) for at in range(self.log_capacity))

    def result(self, record: int, *statuses: str) -> bool:
        """Whether the future of a record is in one of some states."""
        if self.too_large and record == 1:
            whole = self.batch[1].status == ABSENT
            return self.result(0, *statuses) if whole else self.batch[1].status in statuses
        return self.batch[record].status in statuses

    def acknowledged(self, record: int) -> bool:
        """Whether the future of a record completed successfully."""
        return self.result(record, ACKED, MISREPORTED)

    def in_order(self, partition: int) -> bool:
        """Whether first copies are in order: no record appears first behind a later one."""
        fine, records = True, self.batches_of(partition)
        seen = dict.fromkeys(records, False)
        for at in range(self.log_capacity):
            here = {b: self.has_record(partition, at, b) for b in records}
            for b in records:
                later = any(seen[c] for c in records if c > b)
                fine = fine and not (here[b] and not seen[b] and later)
            seen = {b: seen[b] or here[b] for b in records}
        return fine

    def contiguous(self, partition: int, pid: int) -> bool:
        """Whether each entry of a producer continues the one before of the same epoch."""
        log, last, epoch, fine = self.log[partition], -1, -1, True
        for at in range(self.log_capacity):
            entry = log.entries[at]
            mine = at < log.end and entry.pid == pid
            if self.foreign_appends:
                mine = mine and not (entry.batch == self.foreign and at >= self.warm)
            following = 0 if self.modulus and last + 1 == self.modulus else last + 1
            same = entry.epoch == epoch and last >= 0
            fine = fine and (not (mine and same) or entry.sequence == following)
            if mine:
                last, epoch = entry.sequence + entry.size - 1, entry.epoch
        return fine
