"""The coordinator: TransactionCoordinator and TransactionMetadata. One request is one step, with its write and answer.

Between the write and the answer nothing else can be answered (T1.4), and the producer waits, so nothing is hidden by
that but a write that fails (T1.6, T5.10).
"""

from __future__ import annotations

from everystate.checker import action, fair, narrate, require

from .generation import ADDED, NEXT_ID, TWICE
from .records import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    CONCURRENT,
    EMPTY,
    FAILED,
    FENCED,
    INVALID_STATE,
    MAPPING,
    NONE,
    NOT_IN_IT,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
)
from .variables import Variables

NAME = "coordinator"


class Coordinator(Variables):
    """What the coordinator does with a request, and by itself."""

    def is_unknown(self, pid: int) -> bool:
        """T3.1, T4.1: whether a producer id is not the transactional id's, which may be forgotten (T2.9, T1.12)."""
        other = self.coordinator.pid != pid
        return other or (self.forgets > 0 and self.coordinator.epoch < 0)

    def preparing(self) -> bool:
        """Whether markers are being written; the transition to Complete is pending then (T1.10)."""
        tc = self.coordinator
        return tc.state == PREPARE_COMMIT or tc.state == PREPARE_ABORT

    def exhausted(self) -> bool:
        """TransactionMetadata.isProducerEpochExhausted: the epoch is the last but one, or the last."""
        return self.coordinator.epoch >= self.epochs - 1

    # -- T2: InitProducerId --------------------------------------------------------------------------------

    def start_over(self, last_epoch: int) -> None:
        """T2.2, T2.3, T2.6: the next epoch, or a fresh producer id where there is none; the state is Empty."""
        tc = self.coordinator
        if self.exhausted():
            self.rotate()
        else:
            tc.epoch += 1
            tc.previous_pid = tc.pid
        tc.last_epoch = last_epoch
        tc.state = EMPTY
        self.forget_partitions()

    def start_anew(self) -> str:
        """T2.1, T2.2, T2.4 to T2.6: InitProducerId without a pair."""
        if self.preparing():
            return CONCURRENT
        if self.coordinator.state == ONGOING:
            self.fence()
            return CONCURRENT
        self.start_over(last_epoch=-1)
        return NONE

    def renew(self, pid: int, epoch: int) -> str:
        """T2.3 to T2.9: InitProducerId with the pair that a producer has; NONE gives it the coordinator's pair."""
        tc = self.coordinator
        if self.preparing():
            return CONCURRENT
        if tc.epoch < 0:
            self.start_over(last_epoch=-1)
            return NONE
        if tc.pid != pid and (tc.previous_pid != pid or epoch < self.epochs - 1):
            return FENCED
        if tc.state == ONGOING:
            self.fence()
            return CONCURRENT
        if tc.epoch == epoch:
            self.start_over(last_epoch=epoch)
            return NONE
        if self.exhausted():
            return FAILED
        if tc.last_epoch != epoch:
            return FENCED
        tc.state, tc.previous_pid = EMPTY, tc.pid
        self.forget_partitions()
        return NONE

    def rotate(self) -> None:
        """T2.6: a fresh producer id with epoch 0."""
        tc = self.coordinator
        require(self.pids_used + 1 < self.pids)
        self.pids_used += 1
        tc.previous_pid = tc.pid
        tc.pid, tc.epoch = self.pids_used, 0

    def forget_id(self) -> None:
        """T2.9, T1.12: nothing is known of the transactional id; the next InitProducerId gets a fresh one."""
        tc = self.coordinator
        require(self.pids_used + 1 < self.pids)
        self.pids_used += 1
        tc.state, tc.epoch, tc.last_epoch = EMPTY, -1, -1
        tc.pid, tc.previous_pid = self.pids_used, self.pids_used
        self.forget_partitions()

    def note_previous(self) -> None:
        """T1.2: the id before is noted when a partition joins, and at an end, from 4.1 on."""
        if self.rules.always_notes_id:
            self.coordinator.previous_pid = self.coordinator.pid

    def forget_partitions(self) -> None:
        """The next transaction begins without partitions."""
        tc = self.coordinator
        for p in self.places:
            tc.partitions[p], tc.unmarked[p] = False, False

    # -- T3: partitions ------------------------------------------------------------------------------------

    def join(self, pid: int, epoch: int, partition: int) -> str:
        """T3.1 to T3.4: AddPartitionsToTxn of a client, or of a leader on its behalf (T7.13)."""
        tc = self.coordinator
        if self.rules.pending_first and self.preparing():
            return CONCURRENT
        refused = self.refused(pid, epoch)
        if refused != NONE:
            return refused
        self.note_previous()
        tc.state = ONGOING
        tc.partitions[partition] = True
        return NONE

    def verify(self, pid: int, epoch: int, partition: int) -> str:
        """T3.5, T3.6: whether the partition is in the transaction of a producer id and epoch."""
        refused = self.refused(pid, epoch)
        if refused != NONE:
            return refused
        return NONE if self.coordinator.partitions[partition] else NOT_IN_IT

    def refused(self, pid: int, epoch: int) -> str:
        """Why a transaction takes no question about its partitions, the reasons in their order; NONE if it does."""
        if self.is_unknown(pid):
            return MAPPING
        if self.coordinator.epoch != epoch:
            return FENCED
        return CONCURRENT if self.preparing() else NONE

    def let_in(self, pid: int, epoch: int, partition: int) -> str:
        """What a leader asks before the first batch: it adds the partition (TV2), or verifies it (part 1)."""
        ask = self.join if self.rules.outside == ADDED else self.verify
        return ask(pid, epoch, partition)

    # -- T4: EndTxn ----------------------------------------------------------------------------------------

    def end(self, pid: int, epoch: int, commit: bool) -> str:
        """The answer to EndTxn."""
        if self.rules.epoch_per_transaction:
            return self.end_of_epoch(pid, epoch, commit)
        tc = self.coordinator
        if self.is_unknown(pid):
            return MAPPING
        if tc.epoch != epoch:
            return FENCED
        if tc.state == ONGOING:
            self.prepare(commit, tv2=False)
            return NONE
        return self.end_again(commit)

    def end_of_epoch(self, pid: int, epoch: int, commit: bool) -> str:
        """T4.5: with TV2 the epoch tells a retry from the next request."""
        tc = self.coordinator
        if self.rules.pending_first and self.preparing():
            return CONCURRENT
        overflown = tc.previous_pid == pid and epoch == self.epochs - 1 and tc.epoch == 0 and tc.pid != pid
        if self.is_unknown(pid) and not overflown:
            return MAPPING
        if self.preparing():
            return CONCURRENT
        again = overflown or tc.epoch == epoch + 1
        if tc.state == ONGOING or tc.state == EMPTY:
            if tc.epoch != epoch:
                return FENCED
            if tc.state == EMPTY and commit:
                return INVALID_STATE
            return self.prepare_next(commit)
        if again:
            return self.end_again(commit)
        if tc.epoch != epoch:
            return FENCED
        return INVALID_STATE if commit else self.prepare_next(commit)

    def end_again(self, commit: bool) -> str:
        """T4.3, T1.10: a request for an end that was reached, or is on its way."""
        if self.preparing():
            return CONCURRENT
        reached = COMPLETE_COMMIT if commit else COMPLETE_ABORT
        return NONE if self.coordinator.state == reached else INVALID_STATE

    def prepare(self, commit: bool, tv2: bool) -> None:
        """T4.2: the decision is in the log; markers follow, to all partitions, and say whether it is one of TV2."""
        tc = self.coordinator
        tc.state = PREPARE_COMMIT if commit else PREPARE_ABORT
        self.note_previous()
        tc.awaited, tc.tv2 = True, tv2
        for p in self.places:
            tc.unmarked[p] = tc.partitions[p]
        narrate(f"the transaction of epoch {tc.epoch} is {tc.state}", at=NAME)

    def prepare_next(self, commit: bool, fence: bool = False) -> str:
        """T4.6, T5.5, T5.6, T5.9: TV2 adds 1 to the epoch, and takes a next producer id along where it is exhausted."""
        tc = self.coordinator
        if self.exhausted() and (self.rules.exhausted_fence == NEXT_ID or not fence):
            require(self.pids_used + 1 < self.pids)
            self.pids_used += 1
            tc.next_pid = self.pids_used
        if tc.epoch == self.epochs and (commit or not self.rules.fences_the_highest):
            narrate("the epoch is the highest: an exception, and nothing is written", at=NAME)
            tc.next_pid = -1
            return FAILED
        tc.last_epoch = tc.epoch
        tc.epoch = min(tc.epoch + 1, self.epochs)
        self.prepare(commit, tv2=True)
        return NONE

    # -- T5: fencing ---------------------------------------------------------------------------------------

    def fence(self) -> None:
        """T5.1 to T5.9: the ongoing transaction is aborted with an epoch that no client was given."""
        tc = self.coordinator
        require(tc.epoch < self.epochs or self.rules.fences_the_highest)
        if not self.rules.tv2_fences:
            tc.epoch = min(tc.epoch + 1, self.epochs)
            tc.last_epoch = -1
            self.prepare(commit=False, tv2=False)
            return
        if self.rules.fence_bumps == TWICE:
            tc.epoch += 1
            tc.last_epoch = -1
        self.prepare_next(commit=False, fence=True)

    # -- T6: markers ---------------------------------------------------------------------------------------

    @fair
    @action
    def complete(self) -> None:
        """T6.4: every marker is written, so CompleteCommit or CompleteAbort is, too."""
        tc = self.coordinator
        require(self.preparing())
        require(tc.awaited)
        require(not any(tc.unmarked))
        tc.state = COMPLETE_COMMIT if tc.state == PREPARE_COMMIT else COMPLETE_ABORT
        tc.awaited, tc.tv2 = False, self.rules.epoch_per_transaction
        if self.rules.epoch_per_transaction:
            tc.previous_pid = tc.pid
        if tc.next_pid >= 0:
            tc.pid, tc.epoch, tc.next_pid = tc.next_pid, 0, -1
        self.forget_partitions()
        narrate(f"{tc.state}, producer id {tc.pid}, epoch {tc.epoch}", at=NAME)
