"""The leader of a partition: UnifiedLog, ProducerAppendInfo, ProducerStateEntry, VerificationStateEntry."""

from __future__ import annotations

from everystate.checker import action, fair, narrate, require

from .coordinator import Coordinator
from .generation import ABOVE, ABOVE_OR_REPEATED, ADDED, AT_LEAST
from .records import (
    ABORTED,
    CLEARED,
    COMMITTED,
    CONCURRENT,
    COORDINATOR_FENCED,
    FENCED,
    GUARDED,
    INVALID_STATE,
    NONE,
    NOWHERE,
    OLD_EPOCH,
    OUT_OF_ORDER,
    PREPARE_COMMIT,
    RETRIABLE,
    UNDECIDED,
    UNREAD,
    Entry,
    Request,
)


class Leader(Coordinator):
    """What the leaders do with produce requests and markers."""

    def name(self, partition: int) -> str:
        """A leader in a story."""
        return f"leader of {partition}"

    def is_open(self, partition: int, pid: int, epoch: int) -> bool:
        """T7.9: UnifiedLog.hasOngoingTransaction."""
        known = self.known[partition][pid]
        return known.first >= 0 and (known.epoch == epoch or not self.rules.open_by_epoch)

    # -- produce requests ----------------------------------------------------------------------------------

    @fair
    @action(partition="partitions", slot=lambda w: w.slots)
    def receive(self, partition: int, slot: int) -> None:
        """A produce request is read; one that needs the coordinator's word takes the guard (T7.9, T7.13)."""
        request = self.request[partition][slot]
        require(request.stage == UNREAD)
        if not self.rules.verifies:
            self.answer(partition, slot, self.append(partition, slot))
            return
        known = self.known[partition][request.pid]
        if self.rules.epoch_before_guard and request.epoch < known.epoch:
            self.answer(partition, slot, OLD_EPOCH)
        elif self.is_open(partition, request.pid, request.epoch):
            self.answer(partition, slot, self.append(partition, slot))
        else:
            self.take_guard(partition, slot)
            request.stage = GUARDED
            narrate(
                f"asks for the transaction of epoch {request.epoch}", source=self.name(partition), target="coordinator"
            )

    def take_guard(self, partition: int, slot: int) -> None:
        """T7.9: the VerificationStateEntry has the highest epoch that was seen."""
        request = self.request[partition][slot]
        known = self.known[partition][request.pid]
        known.guard = max(known.guard, request.epoch)
        request.guard = True

    @fair
    @action(partition=lambda w: w.places if w.rules.verifies else (), slot=lambda w: w.slots)
    def hear(self, partition: int, slot: int) -> None:
        """The coordinator answers the leader (T3.1, T3.5, T7.12, T7.13)."""
        request = self.request[partition][slot]
        require(request.stage == GUARDED)
        answer = self.let_in(request.pid, request.epoch, partition)
        narrate(answer, source="coordinator", target=self.name(partition))
        if answer == NONE:
            request.stage = CLEARED
            return
        if answer == CONCURRENT:
            require(self.rules.outside != ADDED)  # TV2 asks again
        self.answer(partition, slot, self.to_client(answer))

    def to_client(self, answer: str) -> str:
        """T7.12: what the client hears when the coordinator refuses."""
        if answer == CONCURRENT:
            return RETRIABLE
        return OLD_EPOCH if answer == FENCED else answer

    @fair
    @action(partition=lambda w: w.places if w.rules.verifies else (), slot=lambda w: w.slots)
    def proceed(self, partition: int, slot: int) -> None:
        """The request that the coordinator let in is appended, if its guard is still there (T7.11)."""
        require(self.request[partition][slot].stage == CLEARED)
        self.answer(partition, slot, self.append(partition, slot))

    def may_append(self, partition: int, slot: int) -> bool:
        """Whether a request comes to the log now: the coordinator has let it in, or need not be asked."""
        request = self.request[partition][slot]
        asks = self.rules.verifies and not self.is_open(partition, request.pid, request.epoch)
        return request.stage == CLEARED or (request.stage == UNREAD and not asks)

    def append(self, partition: int, slot: int) -> str:
        """UnifiedLog.append of a data batch: duplicate, verification, epoch, sequence, in this order."""
        request = self.request[partition][slot]
        known = self.known[partition][request.pid]
        if self.is_duplicate(partition, request):
            return NONE
        if self.rules.verifies and not self.is_open(partition, request.pid, request.epoch):
            if self.rules.epoch_at_append and request.epoch < known.epoch:
                return OLD_EPOCH
            if not request.guard:
                narrate("the guard is gone: nothing appended", at=self.name(partition))
                return INVALID_STATE
        if request.epoch < known.epoch:
            return OLD_EPOCH
        if self.is_out_of_order(partition, request):
            return OUT_OF_ORDER
        self.write(partition, slot)
        return NONE

    def is_duplicate(self, partition: int, request: Request) -> bool:
        """B2: the batch is remembered; every one before the last is, for a producer of the model."""
        known = self.known[partition][request.pid]
        return known.epoch == request.epoch and request.sequence <= known.last

    def is_out_of_order(self, partition: int, request: Request) -> bool:
        """T7.16, B4.1 to B4.4: ProducerAppendInfo.checkSequence; T7.17 is met by strays only."""
        known = self.known[partition][request.pid]
        judged = known.epoch >= 0 or self.rules.begins_at_zero
        return judged and request.sequence != (known.last if known.epoch == request.epoch else -1) + 1

    def write(self, partition: int, slot: int) -> None:
        """T7.1, T7.10: the record is in the log, in the open transaction of its producer id or in a new one."""
        request, log = self.request[partition][slot], self.log[partition]
        known = self.known[partition][request.pid]
        known.epoch, known.last = request.epoch, request.sequence
        if known.first < 0:
            known.first = log.end
        log.entries[log.end] = Entry(transaction=request.transaction, pid=request.pid, fate=UNDECIDED)
        log.end += 1
        self.drop_guard(partition, request.pid)
        narrate(f"t{request.transaction} (epoch {request.epoch}) at offset {log.end - 1}", at=self.name(partition))

    def drop_guard(self, partition: int, pid: int) -> None:
        """The VerificationStateEntry of a producer id goes; whoever took its guard has none any more."""
        if not self.rules.verifies:
            return
        self.known[partition][pid].guard = -1
        for slot in self.slots:
            request = self.request[partition][slot]
            request.guard = request.pid != pid and request.guard == 1

    def empty(self, partition: int, slot: int) -> None:
        """The request is answered, or its place is needed."""
        request = self.request[partition][slot]
        request.stage, request.guard = NOWHERE, False
        request.pid, request.epoch, request.sequence, request.transaction = 0, 0, 0, 0

    def answer(self, partition: int, slot: int, answer: str) -> None:
        """The request is answered; who answers a closed connection speaks to nobody."""
        raise NotImplementedError

    # -- markers -------------------------------------------------------------------------------------------

    @fair
    @action(partition="partitions")
    def write_marker(self, partition: int) -> None:
        """T6.1 to T6.3: a marker is sent, written and answered; one that is refused is not repeated."""
        tc = self.coordinator
        require(self.preparing())
        require(tc.unmarked[partition])
        answer = self.mark_of_coordinator(partition)
        narrate(answer, source=self.name(partition), target="coordinator")
        tc.unmarked[partition] = False
        tc.awaited = tc.awaited == 1 and answer == NONE

    def mark_of_coordinator(self, partition: int) -> str:
        """The answer to the marker of the transaction that is ending."""
        tc = self.coordinator
        return self.mark(partition, tc.pid, tc.epoch, bool(tc.state == PREPARE_COMMIT), tc.term, bool(tc.tv2 == 1))

    def mark(self, partition: int, pid: int, epoch: int, commit: bool, term: int, tv2: bool) -> str:
        """T7.3 to T7.7: the transaction that is open is decided, whichever it is."""
        known = self.known[partition][pid]
        if not self.marker_fits(partition, pid, epoch, tv2):
            narrate(f"a marker of epoch {epoch} is refused", at=self.name(partition))
            return OLD_EPOCH
        if known.term > term:
            return COORDINATOR_FENCED
        self.decide(partition, pid, commit)
        narrate(f"a marker of epoch {epoch}: {COMMITTED if commit else ABORTED}", at=self.name(partition))
        survives = self.rules.guard_survives and known.guard == epoch
        if known.epoch != epoch:
            known.last = -1
        known.epoch, known.term, known.first = epoch, term, -1
        if not survives:
            self.drop_guard(partition, pid)
        return NONE

    def marker_fits(self, partition: int, pid: int, epoch: int, tv2: bool) -> bool:
        """T7.3, T7.4, T5.9: the epoch of a marker against that of the last batch or marker."""
        known = self.known[partition][pid]
        if self.rules.marker_epoch == AT_LEAST or not tv2:
            return epoch >= known.epoch
        if self.rules.marker_epoch == ABOVE:
            return epoch > known.epoch
        assert self.rules.marker_epoch == ABOVE_OR_REPEATED
        repeated = epoch == known.epoch and known.first < 0
        if self.rules.fences_the_highest:
            repeated = repeated or (epoch == known.epoch and epoch == self.epochs)
        return epoch > known.epoch or repeated

    def decide(self, partition: int, pid: int, commit: bool) -> None:
        """Every record of the producer id from the first offset of the open transaction on is committed or aborted."""
        log, first = self.log[partition], self.known[partition][pid].first
        decided = COMMITTED if commit else ABORTED
        for at in self.offsets:
            entry = log.entries[at]
            if 0 <= first <= at < log.end and entry.pid == pid:
                entry.fate = decided
