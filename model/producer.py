"""The producer: Sender and RecordAccumulator, rules C2 to C6, C10 and K3 to K5.

One batch is drained, one answer is read, one loop start (resolve, bump) or one expiry sweep is a step.
"""

from __future__ import annotations

from everystate.checker import action, fair, narrate, require

from .generation import (
    A_PARTITION,
    AT_COMPLETION,
    DISTANCE,
    FAIL,
    FIRST_IN_FLIGHT,
    KNOWN_LEADER,
    NEVER,
    NO_NEWS,
    ON_SUCCESS,
    ON_THE_WIRE,
    RENUMBER,
    RETRIES_TOO,
    SENT_ANYWHERE,
    SHIFT,
)
from .records import (
    ACKED,
    APPENDED,
    DUPLICATE,
    FAILED,
    MISREPORTED,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NONE,
    OUT_OF_ORDER,
    QUEUED,
    RETRIABLE,
    RETRYING,
    SENT,
    TOO_LARGE,
    UNKNOWN,
    UNKNOWN_PRODUCER,
)
from .transaction_manager import TransactionManager


class Producer(TransactionManager):
    """Sender.runOnce, one step at a time."""

    # -- C2: drain -----------------------------------------------------------------------------------------

    @fair
    @action(batch="sending")
    def send(self, batch: int) -> None:
        """Drain a new batch: it gets the next sequence of its partition (RecordAccumulator.drainBatchesForOneNode)."""
        p = self.partition_of(batch)
        entry = self.partition[p]
        require(self.batch[batch].status == QUEUED)
        require(not any(self.batch[b].status == QUEUED for b in self.batches_of(p) if b < batch))
        require(not any(self.batch[b].status == RETRYING for b in self.batches_of(p)))
        self.loop_started()
        self.not_muted(p)
        require(entry.unresolved == NO_SEQUENCE or self.deadlines == 0)  # C2.4
        self.within_discovered_window(p)
        self.stamp(batch)
        self.put_on_the_wire(batch)

    @fair
    @action(batch=lambda w: w.sending if w.faults else ())
    def send_again(self, batch: int) -> None:
        """Drain a batch that was re-enqueued, under the sequence that it has (C2.5, C2.6)."""
        p = self.partition_of(batch)
        require(self.batch[batch].status == RETRYING)
        self.loop_started()
        self.not_muted(p)
        require(self.is_first_in_flight(batch))  # C2.5
        if self.client.limit_holds == RETRIES_TOO:
            self.within_discovered_window(p)
        if self.client.bumps:
            self.batch[batch].pid = self.partition[p].pid
            self.batch[batch].epoch = self.partition[p].epoch
        self.put_on_the_wire(batch)
        self.note_order(batch)
        self.sweep_the_queue()

    def loop_started(self) -> None:
        """C1: resolving and bumping come before the next drain; C2.2: no producer id, nothing is sent."""
        if self.client.idempotent:
            require(not any(self.must_bump(p) or self.must_resolve(p) for p in range(self.partitions)))
            require(self.pid != NO_PRODUCER_ID)

    def not_muted(self, partition: int) -> None:
        """C2.1: guaranteeMessageOrder mutes a partition until the answer is there, only with one in flight.

        That a batch expires on the wire does not unmute its partition.
        """
        if self.max_in_flight == 1:
            places = [(broker, b) for broker in self.used_brokers for b in self.batches_of(partition)]
            require(not any(self.on_connection(broker, b) for broker, b in places))

    def within_discovered_window(self, partition: int) -> None:
        """K4: in-flight(p) < limit(p); what in-flight means, and what it holds back, are choices of the generation."""
        if self.client.window_discovered:
            limit = self.wide_window if self.partition[partition].wide == 1 else self.retained
            require(sum(self.counts(b) for b in self.batches_of(partition)) < limit)

    def counts(self, batch: int) -> bool:
        """K4: whether a batch counts against the discovered limit."""
        counted = self.client.limit_counts
        if counted in (ON_THE_WIRE, SENT_ANYWHERE):
            links = [(n, batch in self.connection[n].requests) for n in self.used_brokers]
            return any((self.client_leader == n or counted == SENT_ANYWHERE) and there for n, there in links)
        if counted == DISTANCE:
            older = [b for b in self.batches_of(self.partition_of(batch)) if b <= batch]
            return self.batch[batch].status != QUEUED and any(self.in_flight(b) for b in older)
        return self.in_flight(batch)

    def is_first_in_flight(self, batch: int) -> bool:
        """C2.5: h.baseSeq is that of first(I(p)); sequences are compared as plain ints (C10, C12)."""
        others = [b for b in self.batches_of(self.partition_of(batch)) if b != batch]
        mine = self.batch[batch].sequence
        if not self.client.idempotent:  # the front of the deque
            return not any(self.batch[b].status == RETRYING and self.batch[b].sequence < mine for b in others)
        first = not any(self.in_flight(b) and self.batch[b].sequence < mine for b in others)
        return first and self.is_head_of_its_queue(batch) if self.keeps_identity else first

    def is_head_of_its_queue(self, batch: int) -> bool:
        """Until 2.4: retries of a producer id that was reset are not in flight, and wait in the order of sequences."""
        others = [b for b in self.batches_of(self.partition_of(batch)) if b != batch]
        mine, live = self.batch[batch].sequence, [self.in_flight(b) for b in others]
        waits = any(self.batch[b].status == RETRYING and self.batch[b].sequence < mine for b in others)
        equal = any(self.in_flight(b) and self.batch[b].sequence == mine for b in others)
        return not waits and (self.in_flight(batch) or equal or not any(live))

    def stamp(self, batch: int) -> None:
        """C2.6: a batch without a sequence gets the partition's pair and next sequence."""
        if not self.client.idempotent:
            return
        p = self.partition_of(batch)
        entry, state = self.partition[p], self.batch[batch]
        stale = entry.pid != self.pid or entry.epoch != self.epoch
        idle = self.none_in_flight(p)
        require(idle or not stale)  # C2.3
        if self.client.other_partitions != AT_COMPLETION and stale:
            entry.next_sequence = 0  # C9.4
            entry.last_acked = NO_SEQUENCE
        entry.pid, entry.epoch = self.pid, self.epoch
        state.pid, state.epoch = self.pid, self.epoch
        state.sequence = entry.next_sequence
        if self.client.sequence_advances != ON_SUCCESS:
            entry.next_sequence = self.following(entry.next_sequence, self.size(batch))

    def following(self, sequence: int, size: int) -> int:
        """The sequence after a batch, wrapped (C12: nextSeq wraps)."""
        if self.modulus:
            return 0 if sequence + 1 == self.modulus else min(sequence + 1, self.modulus - 1)
        return min(sequence + size, self.written_at_most)

    def put_on_the_wire(self, batch: int) -> None:
        """C3: the request goes to the leader that the client knows, if its connection has room."""
        broker = int(self.client_leader)
        link, state = self.connection[broker], self.batch[batch]
        require(len(link.requests) < self.max_in_flight)
        link.requests.append(batch)
        state.status = ACKED if self.acks == "0" else SENT
        state.reopened = False
        state.position = state.sequence if self.client.idempotent else 0
        self.note_pass()
        narrate(lambda: f"produce b{batch}{self.label(batch)}", source="producer", target=self.node(broker))

    def label(self, batch: int) -> str:
        """The identity of a request, as a story tells it."""
        state = self.batch[batch]
        if not self.client.idempotent:
            return ""
        pid = f"pid {state.pid}, " if self.pids > 1 or self.epoch_exhausts else ""
        return f" ({pid}epoch {state.epoch}, seq {state.position})".replace("pid -1", "no pid")

    @fair
    @action(broker=lambda w: range(w.replicas if w.moves_leader else 0))
    def learn_leader(self, broker: int) -> None:
        """New metadata names another leader."""
        require(self.leader == broker)
        require(self.client_leader != broker or (self.tells_epochs and self.leader_epoch_is_new == 1))
        self.client_leader = broker
        if self.tells_epochs:
            self.leader_epoch_is_new = False
        if self.client.limit_restarts != NEVER:
            self.forget_limits()  # K5
        narrate(f"learns that {self.node(broker)} leads", at="producer")

    # -- K3, K5: the discovered limit ----------------------------------------------------------------------

    def forget_limits(self) -> None:
        """The limit of every partition is the default again."""
        if self.client.window_discovered:
            for p in range(self.partitions):
                self.partition[p].wide = False

    def learn_limit(self, broker: int, batch: int, outcome: str) -> None:
        """K3: what an answer says of the limit, the field being absent where the value is the default (K2)."""
        if not self.client.window_discovered:
            return
        success, carried = outcome in (APPENDED, NONE), self.batch[batch].carried == 1
        believed = success if self.client.errors_say == NO_NEWS else True
        if self.client.absent_field == NO_NEWS:
            believed = believed and carried
        if self.client.limit_believes == KNOWN_LEADER:
            believed = believed and self.client_leader == broker
        p = self.partition_of(batch)
        for q in [p] if self.client.limit_is_of == A_PARTITION else range(self.partitions):
            self.partition[q].wide = carried if believed else self.partition[q].wide == 1

    # -- C4: answers ---------------------------------------------------------------------------------------

    @fair
    @action(broker="used_brokers", batch="sending")
    def read_answer(self, broker: int, batch: int) -> None:
        """Read the oldest answer of a connection (Sender.completeBatch)."""
        link, state = self.connection[broker], self.batch[batch]
        require(link.handled > 0)
        require(len(link.requests) > 0)
        require(link.requests[0] == batch)
        self.poll_may_come()
        self.answer_left(broker, batch)
        outcome, offset = state.outcome, state.position
        self.learn_limit(broker, batch, outcome)
        link.requests.popleft()
        link.handled -= 1
        self.leave_the_wire(batch)
        self.complete(batch, outcome, offset)
        self.sweep_what_is_free()

    def complete(self, batch: int, outcome: str, offset: int) -> None:
        """C4: the first row that applies."""
        if outcome in (APPENDED, NONE):
            self.completed(batch, offset)
        elif self.batch[batch].status != SENT:
            self.fail_again(batch, outcome)
        elif outcome == RETRIABLE:
            self.retriable(batch)
        elif self.too_large and outcome == TOO_LARGE and self.size(batch) == 2:
            self.split(batch)  # C4.1
        elif outcome == OUT_OF_ORDER:
            self.out_of_order(batch)
        elif self.server.unknown_pid == "59" and outcome == UNKNOWN_PRODUCER:
            self.unknown_producer(batch, offset)
        elif self.server.duplicate_answer_46 and outcome == DUPLICATE:
            self.completed(batch, -1)  # C4.3
        else:
            self.definite(batch, f"{outcome}")

    def fail_again(self, batch: int, outcome: str) -> None:
        """A late error of a finished batch has no effect, but from 2.1 to 3.5 it counts as its failure (C6)."""
        state = self.batch[batch]
        if self.shifts_when_lost:
            narrate(f"{outcome} for b{batch}, which is finished already: taken for a failure again", at="producer")
            if state.forgotten != 1 and outcome in (OUT_OF_ORDER, UNKNOWN_PRODUCER):
                self.reset_producer_id()
            else:
                self.shift_down(batch, self.attempts_left(batch))
            state.attempts, state.forgotten = 0, False
        elif self.client.told_again:
            narrate(f"{outcome} for b{batch}, which is finished already: bump requested", at="producer")
            wanted = outcome == OUT_OF_ORDER or self.attempts_left(batch)
            self.request_bump(self.partition_of(batch), wanted and self.failure_counts(batch))
            state.attempts, state.forgotten = 0, False
        else:
            narrate(f"{outcome} for b{batch}, which is finished already: ignored", at="producer")
        state.sequence = 0

    def completed(self, batch: int, offset: int) -> None:
        """C4.5: TransactionManager.handleCompletedBatch; a finished batch still moves lastAcked."""
        p = self.partition_of(batch)
        state = self.batch[batch]
        old = self.is_of_old_pair(batch) if self.compares_pairs else False
        if self.client.idempotent:
            self.note_acked(batch, offset)
        if state.status == SENT:
            known = offset < 0 or offset < self.log_capacity or not self.client.idempotent
            self.finish(batch, ACKED if known else MISREPORTED)
            narrate(lambda: f"b{batch} is acknowledged{self.where(offset)}", at="producer")
        else:
            state.sequence, state.attempts, state.forgotten = 0, 0, False
            narrate(f"late success of b{batch}", at="producer")
        if self.client.other_partitions == AT_COMPLETION:
            self.restart_after_last(p, old)

    def where(self, offset: int) -> str:
        """The offset of a success in a story; DUPLICATE_SEQUENCE_NUMBER carries none."""
        if offset < 0:
            return ""
        return f" at offset {offset}" if offset < self.log_capacity else " with the offset of another batch"

    def note_acked(self, batch: int, offset: int) -> None:
        """C4.5: lastAcked and lastAckedOffset grow, compared as plain ints (C12)."""
        p = self.partition_of(batch)
        entry, state = self.partition[p], self.batch[batch]
        current = state.forgotten != 1 if self.keeps_identity else True
        last = min(state.sequence + self.size(batch) - 1, self.last_sequence)
        if current:
            entry.last_acked = max(entry.last_acked, last)
        if self.client.unknown_producer == RENUMBER and (current or self.client.old_ids_count):
            another = offset >= self.log_capacity and self.compares_offsets
            entry.last_acked_offset = max(entry.last_acked_offset, offset - self.log_capacity if another else offset)
        if self.client.sequence_advances == ON_SUCCESS:
            after = self.following(state.sequence, 1)
            if current and state.status == SENT:
                entry.next_sequence = after

    def restart_after_last(self, partition: int, old: bool) -> None:
        """2.5 to 2.7.0 (KAFKA-12152): a partition restarts when a batch of an old epoch succeeds and none is in flight.

        Also when that is the late success of a batch that has expired, whatever was sent in the new epoch meanwhile.
        """
        entry = self.partition[partition]
        if old and self.none_in_flight(partition):
            entry.next_sequence, entry.last_acked = 0, NO_SEQUENCE

    def may_retry(self, batch: int) -> bool:
        """C5, precondition: delivery timeout not reached and attempts < retries."""
        late = self.client.delivery_timeout and self.overdue_batch(batch)
        return self.attempts_left(batch) and not late

    def attempts_left(self, batch: int) -> bool:
        """attempts < retries"""
        return True if self.retries < 0 else self.batch[batch].attempts < self.retries

    def retriable(self, batch: int) -> None:
        """C5.7: retry; C4.4: fail with the error when that is refused."""
        if not self.may_retry(batch):
            adjust = self.attempts_left(batch)
            narrate(f"b{batch} is not retried: fails, outcome unknown", at="producer")
            self.fail(batch, UNKNOWN, adjust)
        elif self.is_stale(batch):
            self.fail_stale(batch, adjust=False)
        else:
            self.reenqueue(batch)
            narrate(f"b{batch} will be sent again", at="producer")

    def is_stale(self, batch: int) -> bool:
        """Until 2.4: whether the producer id was reset while the batch was unfinished; it is not retried then."""
        return self.batch[batch].forgotten == 1 if self.keeps_identity else False

    def fail_stale(self, batch: int, adjust: bool) -> None:
        """Until 2.4: OutOfOrderSequenceException, as the producer id has changed; until 2.2 C6.4 follows."""
        narrate(f"b{batch} is of an old producer id: fails", at="producer")
        self.fail(batch, FAILED, adjust)

    def out_of_order(self, batch: int) -> None:
        """C5.3 to C5.6: OUT_OF_ORDER_SEQUENCE_NUMBER."""
        if self.is_stale(batch):
            self.fail_stale(batch, self.attempts_left(batch))
            return
        if not self.may_retry(batch) or self.client.out_of_order == FAIL:
            narrate(f"b{batch} fails: OutOfOrderSequenceException", at="producer")
            counts = self.failure_counts(batch)
            self.fail(batch, FAILED, adjust=False)
            self.request_bump(self.partition_of(batch), counts)  # C6.2
            return
        next_in_line = self.next_in_line(batch)
        if self.client.bumps:
            self.request_bump(self.partition_of(batch), next_in_line)
            self.reenqueue(batch)
            narrate(f"b{batch} was out of order: " + ("bump requested" if next_in_line else "retried"), at="producer")
        elif next_in_line:
            narrate(f"b{batch}, next in line, was out of order: fails, the producer id is reset", at="producer")
            self.fail(batch, FAILED, adjust=False)
            self.reset_producer_id()
        else:
            self.retriable(batch)

    def next_in_line(self, batch: int) -> bool:
        """Whether nothing before this batch can fill the gap: C5.4 and C5.5 against C5.3 and C5.6."""
        entry, state = self.partition[self.partition_of(batch)], self.batch[batch]
        follows = state.sequence - entry.last_acked == 1 and state.reopened != 1
        if self.client.next_in_line == FIRST_IN_FLIGHT:
            follows = follows and self.is_first_in_flight(batch)
        if not self.deadlines:
            return follows
        at_it = state.sequence == entry.unresolved if self.client.bumps else True
        return follows if entry.unresolved == NO_SEQUENCE else at_it

    def unknown_producer(self, batch: int, start: int) -> None:
        """C5.1, C5.2: UNKNOWN_PRODUCER_ID; the answer always carries where the log began."""
        p = self.partition_of(batch)
        entry, reopened = self.partition[p], self.batch[batch].reopened == 1
        if self.is_stale(batch):
            self.fail_stale(batch, self.attempts_left(batch))
        elif not self.client.bumps and not self.may_retry(batch):
            self.fail_and_reset(batch)
        elif reopened:  # C5.1
            self.retriable(batch)
        elif self.client.bumps:  # C5.2
            self.request_bump(p, True)
            self.reenqueue(batch)
            narrate(f"the broker does not know the producer: bump requested, b{batch} retried", at="producer")
        elif entry.last_acked_offset < start:
            self.reenqueue(batch)
            self.restamp(p)
            narrate(f"b{batch} and later ones are numbered from 0: retention removed those before", at="producer")
        else:
            self.fail_and_reset(batch)

    def fail_and_reset(self, batch: int) -> None:
        """C5.2 until 2.4: the records before may be lost."""
        narrate(f"b{batch} fails: OutOfOrderSequenceException, the producer id is reset", at="producer")
        self.fail(batch, FAILED, adjust=False)
        self.reset_producer_id()

    def definite(self, batch: int, outcome: str) -> None:
        """C5.8, C4.4: no retry."""
        narrate(f"b{batch} fails: {outcome}", at="producer")
        self.fail(batch, FAILED, adjust=self.attempts_left(batch))

    def split(self, batch: int) -> None:
        """C11: two batches of one record take its place, with the same pair and the same sequences, cut in two."""
        first, second = self.batch[batch], self.batch[batch + 1]
        first.status, second.status = RETRYING, RETRYING
        second.sequence = min(first.sequence + 1, self.last_sequence)
        if self.keeps_identity:
            second.pid, second.epoch = first.pid, first.epoch
        for half in (first, second):
            half.attempts, half.reopened = 0, False
        narrate(f"b{batch} is too large: splits into b{batch} and b{batch + 1}", at="producer")

    def reenqueue(self, batch: int) -> None:
        """C10: attempts += 1, inRetry, back into the queue in the order of sequences."""
        state = self.batch[batch]
        if not self.client.idempotent:
            self.to_the_front(batch)
        state.status = RETRYING
        state.attempts = min(state.attempts + 1, 1 if self.retries < 0 else self.retries)

    def to_the_front(self, batch: int) -> None:
        """Without idempotence a retry goes to the front of the deque (RecordAccumulator.reenqueue)."""
        for b in self.batches_of(self.partition_of(batch)):
            state = self.batch[b]
            if state.status == RETRYING:
                state.sequence = min(state.sequence + 1, self.batches - 1)
        self.batch[batch].sequence = 0

    def fail(self, batch: int, status: str, adjust: bool) -> None:
        """C6: TransactionManager.handleFailedBatch."""
        p = self.partition_of(batch)
        if self.client.failed_batch == SHIFT and self.client.idempotent:
            self.shift_down(batch, adjust)
        counts = self.failure_counts(batch)
        self.finish(batch, status)
        if self.client.bumps:
            self.request_bump(p, adjust and counts)  # C6.4, C6.5

    def shift_down(self, batch: int, adjust: bool) -> None:
        """1.0 to 2.4, adjustSequencesDueToFailedBatch: later in-flight batches and nextSeq move down."""
        p = self.partition_of(batch)
        entry, mine, size = self.partition[p], self.batch[batch].sequence, self.size(batch)
        numbered = self.client.old_ids_count and entry.next_sequence >= size  # the new id has sent a batch
        moves = adjust and (self.batch[batch].forgotten != 1 or numbered)
        for b in self.batches_of(p):
            state = self.batch[b]
            later = moves and b != batch and self.in_flight(b) and mine <= state.sequence
            if later:
                state.sequence = max(state.sequence - size, 0)
            state.reopened = later or state.reopened == 1
        if moves:
            entry.next_sequence = max(entry.next_sequence - size, 0)
