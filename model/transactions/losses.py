"""Logs that lose records: those of partitions, and that of the coordinator."""

from __future__ import annotations

from everystate.checker import action, narrate, require

from .faults import Faults, when
from .records import EMPTY, UNDECIDED, Entry, ProducerState


class Losses(Faults):
    """What is lost, and what a leader or a coordinator knows then."""

    @action(nothing=when("lost_logs", "sessions"))
    def lose_log(self, nothing: int) -> None:
        """T1.12: the only replica of __transaction_state is lost, with every decision that was answered."""
        tc = self.coordinator
        require(nothing == 0 and tc.epoch >= 0)
        self.spend("lost_logs")
        self.forget_id()
        tc.awaited, tc.next_pid, tc.tv2 = False, -1, self.rules.epoch_per_transaction
        narrate("the log is lost: no transactional id is known", at="new coordinator")

    @action(nothing=when("shorter_logs", "sessions"))
    def fall_behind_coordinator(self, nothing: int) -> None:
        """T1.13: a replica of __transaction_state fetches nothing more; or its disk gets nothing more of the log."""
        require(nothing == 0 and not self.coordinator_behind and self.may_spend("shorter_logs"))
        self.coordinator_behind = True
        self.old_coordinator = self.coordinator
        self.forget_markers()
        narrate("fetches nothing more", at="replica of __transaction_state")

    def forget_markers(self) -> None:
        """T1.8: which markers are written is in no log."""
        self.old_coordinator.awaited = False
        for p in self.places:
            self.old_coordinator.unmarked[p] = False

    @action(nothing=when("shorter_logs", "sessions"))
    def elect_coordinator_uncleanly(self, nothing: int) -> None:
        """T1.13: that replica leads. The coordinator lacks decisions, partitions and epochs that were answered."""
        require(nothing == 0 and self.coordinator_behind)
        self.spend("shorter_logs")
        term, known = self.coordinator.term, self.coordinator.epoch >= 0
        self.coordinator = self.old_coordinator
        self.coordinator.term = term
        if known and self.coordinator.epoch < 0:
            self.forget_id()
        self.load()
        self.coordinator_behind = False
        self.forget_old_coordinator()

    def forget_old_coordinator(self) -> None:
        """No replica of the coordinator's log is behind."""
        old = self.old_coordinator
        old.state, old.epoch, old.last_epoch, old.next_pid = EMPTY, -1, -1, -1
        old.pid, old.previous_pid, old.term, old.awaited = 0, 0, 0, False
        old.tv2 = self.rules.epoch_per_transaction
        for p in self.places:
            old.partitions[p], old.unmarked[p] = False, False

    @action(partition=when("unclean_elections", "partitions"))
    def fall_behind(self, partition: int) -> None:
        """T7.20: a replica fetches nothing more; or the leader's disk gets nothing more of what is written."""
        require(not self.behind[partition] and self.may_spend("unclean_elections"))
        self.behind[partition] = True
        self.old_log[partition] = self.log[partition]
        for pid in range(self.pids):
            self.old_known[partition][pid] = self.known[partition][pid]
            self.old_known[partition][pid].guard = -1
        narrate("fetches nothing more", at=f"replica of {partition}")

    @action(partition=when("unclean_elections", "partitions"))
    def elect_uncleanly(self, partition: int) -> None:
        """T7.20: that replica leads. It lacks records and markers, and knows of producers what its own log says."""
        require(self.behind[partition])
        self.spend("unclean_elections")
        narrate(f"leads, with {self.old_log[partition].end} records", at=f"new {self.name(partition)}")
        self.lose_requests(partition)
        self.log[partition] = self.old_log[partition]
        for pid in range(self.pids):
            self.known[partition][pid] = self.old_known[partition][pid]
        self.forget_replica(partition)

    def forget_replica(self, partition: int) -> None:
        """No replica is behind."""
        self.behind[partition] = False
        for at in self.offsets:
            self.old_log[partition].entries[at] = Entry(transaction=0, pid=0, fate=UNDECIDED)
        self.old_log[partition].end = 0
        for pid in range(self.pids):
            self.old_known[partition][pid] = ProducerState(epoch=-1, last=-1, first=-1, term=0, guard=-1)

    @action(partition=when("retentions", "partitions"))
    def restart_empty(self, partition: int) -> None:
        """D11: retention has deleted every record, and the only replica restarts: it knows no producer.

        The records stay in the model as they are, for readers that were in time.
        """
        self.spend("retentions")
        narrate("restarts, and its log has no records", at=self.name(partition))
        self.lose_requests(partition)
        for pid in range(self.pids):
            known = self.known[partition][pid]
            known.epoch, known.last, known.first, known.term = -1, -1, -1, 0
