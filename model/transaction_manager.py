"""The sequence state of the producer: what starts a loop (C8, C9), and the delivery timeout (C7)."""

from __future__ import annotations

from everystate.checker import action, fair, narrate, require

from .generation import RENUMBER
from .records import DRAINED, FRESH, NO_PRODUCER_ID, NO_SEQUENCE, QUEUED, RETRYING, SENT, UNKNOWN, UNREAD
from .variables import Variables

Turns = list[list[int]]
"""For each broker that is used, the turn of every batch on the connection to it; see TransactionManager.turns."""


class TransactionManager(Variables):
    """TransactionManager and TxnPartitionEntry of an idempotent, non-transactional producer."""

    def in_flight(self, batch: int) -> bool:
        """Whether a batch is in I(p), inflightBatchesBySequence: it has a sequence and is not finished."""
        state = self.batch[batch]
        known = state.status == SENT or state.status == RETRYING
        return known and not (self.keeps_identity and self.client.idempotent and state.forgotten == 1)

    def none_in_flight(self, partition: int) -> bool:
        """Whether I(p) is empty."""
        return not any(self.in_flight(b) for b in self.batches_of(partition))

    def finish(self, batch: int, status: str) -> None:
        """The future completes; what no longer matters of the batch is cleared."""
        state = self.batch[batch]
        state.status = status
        state.sequence = 0
        state.attempts = 0
        state.reopened = False
        state.forgotten = False
        state.pid, state.epoch = (self.no_pid, 0)

    def leave_the_wire(self, batch: int) -> None:
        """Clear what is only meant for the request; until 2.4 a batch keeps the producer id of its first drain."""
        state = self.batch[batch]
        state.outcome, state.position, state.carried = UNREAD, 0, False
        if not self.keeps_identity:
            state.pid, state.epoch = self.no_pid, 0

    # -- C8, C9: the start of a loop -----------------------------------------------------------------------

    def must_bump(self, partition: int) -> bool:
        """Whether the partition is in partitionsToRewriteSequences."""
        return self.partition[partition].rewrite == 1

    def must_resolve(self, partition: int) -> bool:
        """C8: unresolved, and I(p) is empty."""
        if not self.deadlines:
            return False
        return self.partition[partition].unresolved != NO_SEQUENCE and self.none_in_flight(partition)

    def request_bump(self, partition: int, wanted: bool) -> None:
        """requestIdempotentEpochBumpForPartition: takes effect at the next loop start (C1)."""
        if self.client.bumps:
            entry = self.partition[partition]
            entry.rewrite = entry.rewrite == 1 or wanted
        elif wanted:
            self.reset_producer_id()

    @fair
    @action(loop=lambda w: range(1 if w.client.idempotent and w.faults else 0))
    def start_loop(self, loop: int) -> None:
        """C1.1 and C1.3: maybeResolveSequences (C8), then bumpIdempotentEpochAndResetIdIfNeeded (C9)."""
        require(any(self.must_bump(p) or self.must_resolve(p) for p in range(self.partitions)))
        for p in range(self.partitions):
            gap = self.resolve(p)
            self.request_bump_or_reset(p, gap)
        if self.client.bumps:
            self.bump()
        self.note_pass()

    def resolve(self, partition: int) -> bool:
        """C8: the mark goes; whether a gap was left."""
        if not self.deadlines:
            return False
        entry, resolving = self.partition[partition], self.must_resolve(partition)
        gap = resolving and entry.next_sequence - entry.last_acked != 1
        if resolving:
            entry.unresolved = NO_SEQUENCE
        return gap

    def request_bump_or_reset(self, partition: int, gap: bool) -> None:
        """C8, second row; until 2.4 the producer id is reset instead."""
        if self.client.bumps:
            self.request_bump(partition, gap)
        elif self.deadlines and gap:
            narrate("an expired batch left a gap: the producer id is reset", at="producer")
            self.reset_producer_id()

    def bump(self) -> None:
        """C9: purely local; every partition in the rewrite set is renumbered."""
        if not any(self.must_bump(p) for p in range(self.partitions)):
            return
        if self.epoch_exhausts and self.epoch == self.epochs:  # C9.2
            self.pid, self.epoch = NO_PRODUCER_ID, 0
            narrate("the epoch is exhausted: the producer id is dropped", at="producer")
        else:
            self.epoch += 1  # C9.1; at most the constant `epochs`
            narrate(f"bumps to epoch {self.epoch}", at="producer")
        for p in range(self.partitions):
            entry, wanted = self.partition[p], self.must_bump(p)
            if wanted:
                entry.pid, entry.epoch = self.pid, self.epoch
            self.restamp(p, wanted)
            entry.rewrite = False
        self.forget_finished()

    def forget_finished(self) -> None:
        """2.5 to 2.7.0: a batch that has expired on the wire keeps the id and the epoch that it had."""
        if self.compares_pairs and self.deadlines:
            for b in self.sending:
                state = self.batch[b]
                wired = any(b in self.connection[n].requests for n in self.used_brokers)
                state.forgotten = (wired and state.status != SENT) or state.forgotten == 1

    def failure_counts(self, batch: int) -> bool:
        """C6: until 2.7.0 the failure of a batch that has not the producer's id and epoch is ignored."""
        return not (self.compares_pairs and self.is_of_old_pair(batch))

    def is_of_old_pair(self, batch: int) -> bool:
        """2.5 to 2.7.0, matchesProducerIdAndEpoch: whether a batch has not the id and epoch that the producer has."""
        state, entry = self.batch[batch], self.partition[self.partition_of(batch)]
        old = entry.pid != self.pid or entry.epoch != self.epoch
        return (old if state.status == SENT else state.forgotten == 1) if self.deadlines else old

    def restamp(self, partition: int, wanted: bool = True) -> None:
        """C9.3: all of I(p), in the queue or on the wire, gets consecutive sequences from 0, where that is wanted.

        No fork: a bump for any subset of the partitions is one path.
        """
        entry, batches = self.partition[partition], self.batches_of(partition)
        old = {b: (self.in_flight(b) and wanted, self.batch[b].sequence) for b in batches}
        for b in batches:
            live, mine = old[b]
            if self.modulus:
                before = sum(self.size(a) for a in batches if a != b and old[a][0] and old[a][1] < mine)
            else:
                before = sum(self.size(a) for a in batches if a < b and old[a][0])
            state = self.batch[b]
            state.sequence = min(before, self.written_at_most - 1) if live else mine
            state.reopened = live or state.reopened == 1
        following = min(sum(self.size(b) for b in batches if old[b][0]), self.written_at_most)
        if wanted:
            entry.next_sequence = following
            entry.last_acked = NO_SEQUENCE
            if self.client.unknown_producer == RENUMBER:
                entry.last_acked_offset = -1
            else:
                entry.unresolved = NO_SEQUENCE

    def reset_producer_id(self) -> None:
        """Until 2.4 (resetProducerId): the pair goes, all sequence state goes, unfinished batches are forgotten."""
        if not self.client.idempotent:
            return
        self.pid, self.epoch = NO_PRODUCER_ID, 0
        for p in range(self.partitions):
            entry = self.partition[p]
            entry.pid, entry.epoch, entry.next_sequence = NO_PRODUCER_ID, 0, 0
            entry.last_acked, entry.unresolved, entry.last_acked_offset = NO_SEQUENCE, NO_SEQUENCE, -1
        for b in self.sending:
            state = self.batch[b]
            wired = any(b in self.connection[n].requests for n in self.used_brokers) if self.shifts_when_lost else False
            state.forgotten = state.forgotten == 1 or self.in_flight(b) or wired

    @fair
    @action(session=lambda w: range(1, w.own_pids + 1 if w.no_pid < 0 else 1))
    def init_producer_id(self, session: int) -> None:
        """C1.4, C1.5: InitProducerId gives a fresh producer id and epoch 0."""
        require(self.pid == NO_PRODUCER_ID)
        require(self.pids_used + 1 == session)
        self.pids_used = session  # one more than before; below the constant `pids`
        self.pid, self.epoch = session, 0
        self.forget_finished()
        narrate(f"has producer id {session}", at="producer")

    # -- C7: delivery timeout ------------------------------------------------------------------------------

    def created(self, batch: int) -> int:
        """The place of createdMs in the order of creation; the halves of a batch that was split have its own (C11)."""
        return 0 if self.too_large and batch == 1 else batch

    def overdue_batch(self, batch: int) -> bool:
        """Whether createdMs + delivery.timeout has passed."""
        return self.deadline > self.created(batch) if self.deadlines else False

    def note_pass(self) -> None:
        """Once a loop pass has begun (C1.1 to C1.6), its sweep comes before its poll, with answers and losses (C1.7).

        A pass that waits for a producer id ends before its sweep (C1.5).
        """
        if self.deadlines:
            sweeps = self.has_producer_id()
            if self.overdue > 0:
                self.overdue = DRAINED if sweeps else FRESH

    def has_producer_id(self) -> bool:
        """Whether there is a producer id; else InitProducerId is on its way, and no pass gets beyond it (C1.5)."""
        return self.pid != NO_PRODUCER_ID if self.no_pid < 0 else True

    def poll_may_come(self) -> None:
        """See note_pass."""
        if self.deadlines:
            require(self.overdue != DRAINED)

    @fair
    @action(sweep=lambda w: range(1 if w.deadlines else 0))
    def expire_batches(self, sweep: int) -> None:
        """C7: batches whose delivery timeout has passed fail, queued or on the wire."""
        require(self.overdue > 0)
        require(self.has_producer_id())
        require(not any(self.must_bump(p) or self.must_resolve(p) for p in range(self.partitions)))
        self.overdue = 0
        held_back = self.held_back(self.turns())
        behind = [self.is_queued_behind(b) for b in self.sending]
        lost_track = self.expired_retry_resets()
        for b in self.sending:
            state, entry = self.batch[b], self.partition[self.partition_of(b)]
            wired = state.status == SENT
            pending = state.status == QUEUED or (state.status == RETRYING and not behind[b])
            swept = pending or (self.client.delivery_timeout and wired and not held_back[b])
            late = swept and self.overdue_batch(b)
            if self.client.idempotent and self.client.expired_retry_unresolved:
                marked = self.later_mark(entry.unresolved, state.sequence + self.size(b))
                if late and state.attempts > 0:
                    entry.unresolved = marked  # C7.2, C7.3
            if self.compares_pairs:
                state.forgotten = self.is_of_old_pair(b) if late and wired else state.forgotten == 1
            if late:
                state.status = UNKNOWN  # C7.1
            gone = late and not (wired and self.client.told_again)
            if gone:
                state.attempts = 0
            state.reopened = not late and state.reopened == 1
            if late and not wired:
                state.sequence = 0
                if self.keeps_identity:
                    state.pid, state.epoch = self.no_pid, 0
            if self.keeps_identity:
                state.forgotten = not gone and state.forgotten == 1
        narrate("batches expire: TimeoutException", at="producer")
        if lost_track:
            narrate("one of them was in retry: the producer id is reset", at="producer")
            self.reset_producer_id()

    def later_mark(self, old: int, new: int) -> int:
        """C7.2: the later of two unresolved sequences; 2^31, which `modulus` stands for, is the smallest int (C12)."""
        if not self.modulus:
            return max(old, min(new, self.written_at_most))
        larger = new if old == self.modulus or old < new else old
        return larger if old == NO_SEQUENCE or new < self.modulus else old

    def held_back(self, turns: Turns) -> list[bool]:
        """C7.1: what is on the wire is swept in the order of draining, up to the first batch whose time has not passed.

        So an overdue batch that was sent again stays while a younger one is on the wire that was drained before it.
        """
        firsts = [self.first_young(p, turns) for p in range(self.partitions)]
        return [self.is_behind_young(b, turns, firsts[self.partition_of(b)]) for b in self.sending]

    def first_young(self, partition: int, turns: Turns) -> list[int]:
        """For each connection the turn of the first batch whose time has not passed; a later turn if there is none."""
        batches, none = self.batches_of(partition), self.max_in_flight + 1
        young = {b: self.batch[b].status == SENT and not self.overdue_batch(b) for b in batches}
        return [min([turn[b] if young[b] and turn[b] > 0 else none for b in batches], default=none) for turn in turns]

    def is_behind_young(self, batch: int, turns: Turns, firsts: list[int]) -> bool:
        """Whether an overdue batch is on the wire behind one whose time has not passed."""
        behind = any(firsts[c] < turns[c][batch] for c in self.used_brokers)
        if self.order_matters:
            apart = any(firsts[c] <= self.max_in_flight and turns[c][batch] == 0 for c in self.used_brokers)
            sent = any(turn[batch] > 0 for turn in turns)
            behind = behind or (apart and sent and self.drained_behind[batch] == 1)
        return behind

    def is_queued_behind(self, batch: int) -> bool:
        """C7.1: the sweep of a queue stops at the first young batch, too, and around the wrap that is not the last.

        Retries wait in the order of plain numbers (C10, C12), so those from behind the wrap are in front.
        """
        if not self.modulus:
            return False
        mine = self.batch[batch].sequence
        return any(
            self.batch[b].status == RETRYING and not self.overdue_batch(b) and self.batch[b].sequence < mine
            for b in self.younger(batch)
        )

    def younger(self, batch: int) -> list[int]:
        """The later batches of the partition."""
        return [b for b in self.batches_of(self.partition_of(batch)) if b > batch]

    def turns(self) -> Turns:
        """For each connection the turn of every batch on it: 1 for the oldest request, 0 where it is not there."""
        return [self.turns_on(broker) for broker in self.used_brokers]

    def apart(self, one: int, other: int, turns: Turns) -> bool:
        """Whether two batches are on the wire to different brokers."""
        alone = any(turn[one] > 0 and turn[other] == 0 for turn in turns)
        return alone and any(turn[other] > 0 for turn in turns)

    def note_order(self, batch: int) -> None:
        """Between two connections nothing tells which batch was drained first, so it is noted while that can matter."""
        if self.order_matters:
            matters = self.faults_left > 0 or self.overdue_batch(batch)
            self.drained_behind[batch] = matters and self.is_behind(batch, self.turns())

    def is_behind(self, batch: int, turns: Turns) -> bool:
        """Whether a younger batch of the partition is on the wire to another broker."""
        return any(self.batch[b].status == SENT and self.apart(b, batch, turns) for b in self.younger(batch))

    def sweep_what_is_free(self) -> None:
        """A batch that was held back expires in the next pass: nothing younger is before it any more."""
        if not self.deadlines or not self.client.delivery_timeout:
            return
        turns = self.turns()
        for b in self.sending if self.order_matters else ():
            self.drained_behind[b] = self.drained_behind[b] == 1 and self.is_behind(b, turns)
        held_back = self.held_back(turns)
        free = any(self.batch[b].status == SENT and self.overdue_batch(b) and not held_back[b] for b in self.sending)
        if self.overdue == 0 and free:
            self.overdue = FRESH

    def sweep_the_queue(self) -> None:
        """Around the wrap a drain may be of the young batch that kept an old one from the sweep of the same pass."""
        if self.modulus and self.deadlines:
            free = any(
                self.batch[b].status == RETRYING and self.overdue_batch(b) and not self.is_queued_behind(b)
                for b in self.sending
            )
            if self.overdue == 0 and free:
                self.overdue = DRAINED

    def expired_retry_resets(self) -> bool:
        """0.11: a batch that expires in retry resets the producer id at once."""
        if not self.client.idempotent or self.client.expired_retry_unresolved:
            return False
        waiting = [self.batch[b].status == RETRYING and self.batch[b].attempts > 0 for b in self.sending]
        return any(waiting[b] and self.overdue_batch(b) for b in self.sending)
