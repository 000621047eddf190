"""The broker: how a leader handles one produce request, rules B1 to B7 in the order of the code."""

from __future__ import annotations

from itertools import takewhile

from everystate.checker import action, fair, narrate, require

from . import narration
from .connection import Connections
from .generation import (
    ACKNOWLEDGED_ALL,
    REFUSE_45,
    REFUSE_45_IF_NEVER_WRITTEN,
    REFUSE_59,
    REFUSED,
    RENUMBER,
    SMALLEST_IN_SYNC,
    THE_VALUE,
)
from .records import (
    APPENDED,
    DUPLICATE,
    FENCED,
    NO_PRODUCER_ID,
    NONE,
    OUT_OF_ORDER,
    RETRIABLE,
    UNKNOWN_PRODUCER,
    Entry,
    Request,
)


class Broker(Connections):
    """KafkaApis, ReplicaManager, UnifiedLog and ProducerAppendInfo, as far as a produce request meets them."""

    @fair
    @action(broker="used_brokers", batch="sending")
    def handle(self, broker: int, batch: int) -> None:
        """Read and handle the next request of a connection; its answer waits for the high watermark (B6.1)."""
        self.next_request(broker, batch)
        if self.acks == "0":
            self.connection[broker].requests.popleft()
            if self.leader == broker:
                self.append(broker, self.stamped(batch))
            return
        if self.leader != broker:
            narrate(f"b{batch}: not the leader", at=self.node(broker))
            self.answer(broker, batch, RETRIABLE, 0, "NOT_LEADER_OR_FOLLOWER")  # B1.2
        elif self.too_few_in_sync():
            narrate(f"b{batch}: too few replicas in sync", at=self.node(broker))
            self.answer(broker, batch, RETRIABLE, 0, "NOT_ENOUGH_REPLICAS")  # B1.3
        else:
            self.produce(broker, batch)

    def next_request(self, broker: int, batch: int) -> None:
        """B7: the next request is read once the one before was answered, for acks = all at the high watermark."""
        link = self.connection[broker]
        require(link.handled < len(link.requests))
        require(link.requests[link.handled] == batch)
        if self.max_in_flight > 1 and self.acks != "0":
            self.answer_before_left(broker)

    def too_few_in_sync(self) -> bool:
        """B1.3: ISR size < min.insync.replicas, asked for acks = all only."""
        return self.acks == "all" and self.is_below_least(0)

    def is_below_least(self, leaving: int) -> bool:
        """Whether the in-sync set is too small when so many have left it."""
        return self.least_in_sync > 1 and self.members_in_sync() - leaving < self.least_in_sync

    def high_watermark_stands(self) -> bool:
        """B6.1: whether it does not rise, as too few are in sync; from 3.7 on, whatever a producer has for acks."""
        return self.server.high_watermark_stands and self.is_below_least(0)

    def produce(self, broker: int, batch: int) -> None:
        """B1.8 to B1.11."""
        request = self.stamped(batch)
        if not self.client.idempotent or request.pid == NO_PRODUCER_ID:
            self.append(broker, request)
            self.answer(broker, batch, APPENDED, self.log[self.partition_of(batch)].end - 1)
            return
        original = self.duplicate_of(broker, request)  # B1.8
        node, p = self.node(broker), self.partition_of(batch)
        if self.server.older_batch != REFUSED and original < 0 and self.is_older(broker, request):
            narrate(f"b{batch} is older than all that is remembered: taken for a duplicate", at=node)
            self.answer(broker, batch, APPENDED, self.offset_of(batch))
            return
        if original >= 0:
            offset = self.offset_told(batch, original)
            narrate(lambda: narration.duplicate(request, offset, self.log[p].entries), at=node)
            self.answer(broker, batch, APPENDED, offset, place=original)
            return
        refusal = self.refusal(broker, request)
        if refusal == APPENDED:
            narrate(lambda: narration.accepted(request, self.memory(broker, p, request.pid)), at=node)
            self.append(broker, request)  # B1.11
            self.answer(broker, batch, APPENDED, self.log[self.partition_of(batch)].end - 1)
        else:
            narrate(lambda: narration.refused(request, refusal, self.memory(broker, p, request.pid)), at=node)
            has_start = refusal == UNKNOWN_PRODUCER and self.client.unknown_producer == RENUMBER
            self.answer(broker, batch, refusal, self.log[p].start if has_start else 0)  # B6.6

    def answer(
        self, broker: int, batch: int, outcome: str, offset: int, code: str = "", place: int | None = None
    ) -> None:
        """B6: the answer goes into the connection; the client matches it by its place. `code` is for the story.

        `place` is that in the log of what a success waits for, where it is not the offset that the answer has.
        """
        state, waits_for = self.batch[batch], offset if place is None else place
        state.outcome = self.leaves_at_once(self.partition_of(batch), waits_for) if outcome == APPENDED else outcome
        state.position = offset
        state.pid, state.epoch = (state.pid, state.epoch) if self.keeps_identity else (self.no_pid, 0)
        tells = outcome == APPENDED or self.server.errors_say == THE_VALUE
        state.carried = tells and self.advertises_wide(broker, self.partition_of(batch))  # K2
        self.connection[broker].handled += 1
        narrate(lambda: self.answer_told(batch, outcome, code), source=self.node(broker), target="producer")

    def leaves_at_once(self, partition: int, offset: int) -> str:
        """B6.2, B6.7: a success, which leaves at once with acks = 1, alone in sync, or below the high watermark."""
        if self.acks == "1":
            return NONE
        if not self.refuses_later:
            return APPENDED
        log = self.log[partition]
        alone = self.follower_leaves and self.alone()
        left = alone or offset < log.start or offset < log.high_watermark
        return NONE if left and self.faults_left > 0 else APPENDED

    def answer_told(self, batch: int, outcome: str, code: str) -> str:
        """An answer in a story: a success waits for the high watermark (B6.1), for whoever is in sync."""
        if outcome != APPENDED:
            return f"{code or outcome} for b{batch}"
        waits = self.acks == "all" and not self.alone()
        until = "replicated" if self.in_sync_matters() else "all in sync have it"
        return f"ok for b{batch}, once {until}" if waits else f"ok for b{batch}"

    def advertises_wide(self, broker: int, partition: int) -> bool:
        """K2: whether an answer carries the raised value; a replica that does not lead has none to tell."""
        own = self.wide[broker] == 1 and self.leader == broker and self.topic_is_wide(partition)
        if self.server.advertised_window == SMALLEST_IN_SYNC and self.replicas > 1:
            return own and all(self.wide[b] == 1 or not self.follows(b) for b in range(self.replicas))
        return own

    def duplicate_of(self, broker: int, request: Request) -> int:
        """B2: the offset of the cached batch with the same range, -1 for none."""
        p = self.partition_of(request.batch)
        log, window = self.log[p], self.remembers(broker, p)
        found, newer, same_epoch = -1, 0, True
        for at in reversed(range(self.log_capacity)):
            entry = log.entries[at]
            known = self.is_known(broker, p, at, request.pid)
            same_range = entry.sequence == request.sequence and entry.size == request.size
            hit = known and entry.epoch == request.epoch and same_range and same_epoch and newer < window
            if hit:
                found = at
            same_epoch = same_epoch and (not known or entry.epoch == request.epoch)
            if known:
                newer += 1
        return found

    def offset_told(self, batch: int, offset: int) -> int:
        """B2: the offset in the answer to a duplicate; that of another batch is stored as `log_capacity`, which no
        record has, plus the offset itself where the client compares it with a log start (C5.2)."""
        log = self.log[self.partition_of(batch)]
        own = [at < log.end and log.entries[at].batch == batch for at in range(self.log_capacity)]
        right = any(offset == at and own[at] for at in range(self.log_capacity))
        return offset if right else self.log_capacity + (offset if self.compares_offsets else 0)

    def is_known(self, broker: int, partition: int, at: int, pid: int) -> bool:
        """Whether the log entry at `at` went into what this replica remembers of the producer."""
        log = self.log[partition]
        entry = log.entries[at]
        return at < log.end and self.replica[partition][broker].start[pid] <= at and entry.pid == pid

    def last_known(self, broker: int, partition: int, pid: int) -> tuple[bool, int, int]:
        """The ProducerStateEntry: whether it exists, its epoch and its last sequence."""
        exists, epoch, last = False, 0, 0
        for at in range(self.log_capacity):
            entry = self.log[partition].entries[at]
            known = self.is_known(broker, partition, at, pid)
            exists = known or exists
            if known:
                epoch = entry.epoch
                last = entry.sequence + entry.size - 1
        return exists, epoch, last

    def refusal(self, broker: int, request: Request) -> str:
        """B3 and B4: APPENDED for accepted, else the error."""
        p, sequence, epoch = self.partition_of(request.batch), request.sequence, request.epoch
        exists, known_epoch, last = self.last_known(broker, p, request.pid)
        if not exists:
            return self.answer_to_unknown(p, sequence)
        if epoch < known_epoch:
            return FENCED  # B3
        if epoch > known_epoch:
            return APPENDED if sequence == 0 else OUT_OF_ORDER  # B4.2, B4.3
        next_sequence = 0 if self.modulus and last + 1 == self.modulus else last + 1
        return APPENDED if sequence == next_sequence else self.out_of_order_answer(broker, request)  # B4.4

    def answer_to_unknown(self, partition: int, sequence: int) -> str:
        """B4.1: a producer that the replica does not know."""
        rule = self.server.unknown_pid
        if rule == REFUSE_45:
            return APPENDED if sequence == 0 else OUT_OF_ORDER
        if rule == REFUSE_59:
            return APPENDED if sequence == 0 else UNKNOWN_PRODUCER
        if rule == REFUSE_45_IF_NEVER_WRITTEN:
            never = self.log[partition].end == 0
            return OUT_OF_ORDER if never and sequence > 0 else APPENDED
        return APPENDED

    def is_older(self, broker: int, request: Request) -> bool:
        """Whether a batch that is not remembered is older than all that are, in the current epoch (B4.4).

        All sequences are there from where they began without a gap, not before that: a first one is taken as it is
        (B4.1). A broker would have to keep that first sequence with the state of a producer; here the log has it.
        """
        p = self.partition_of(request.batch)
        exists, epoch, last = self.last_known(broker, p, request.pid)
        older = exists and request.epoch == epoch and request.sequence + request.size - 1 <= last
        if self.server.older_batch == ACKNOWLEDGED_ALL:
            return older
        return older and self.unbroken_from(p, request) <= request.sequence

    def unbroken_from(self, partition: int, request: Request) -> int:
        """The first sequence of those that follow each other up to the last one, of a request's producer and epoch."""
        log, first, before = self.log[partition], 0, -1
        for at in range(self.log_capacity):
            entry = log.entries[at]
            mine = at < log.end and entry.pid == request.pid and entry.epoch == request.epoch
            if mine:
                if entry.sequence != before + 1:
                    first = entry.sequence
                before = entry.sequence + entry.size - 1
        return first

    def offset_of(self, batch: int) -> int:
        """Where a batch is: its answer waits for that, although it tells no offset. Where it is not, the log end."""
        log = self.log[self.partition_of(batch)]
        found = log.end - 1
        for at in range(self.log_capacity):
            if at < log.end and log.entries[at].batch == batch:
                found = at
        return found

    def out_of_order_answer(self, broker: int, request: Request) -> str:
        """B4.4: 45 for gaps and for old sequences; 1.0.0 and 1.0.1 tell old duplicates by 46."""
        if not self.server.duplicate_answer_46:
            return OUT_OF_ORDER
        p = self.partition_of(request.batch)
        window = self.remembers(broker, p)
        newer, oldest = 0, 0
        for at in reversed(range(self.log_capacity)):
            known = self.is_known(broker, p, at, request.pid) and newer < window
            if known:
                oldest = self.log[p].entries[at].sequence
                newer += 1
        last = request.sequence + request.size - 1
        return DUPLICATE if 0 < last < oldest else OUT_OF_ORDER  # ProducerAppendInfo#isDuplicate

    def remembered(self, broker: int, partition: int, pid: int) -> list[int]:
        """The offsets of the batches that a replica remembers of a producer (B5, since its epoch has changed last).

        For readers, so of plain values only.
        """
        entries, oldest = self.own_log(broker, partition), self.replica[partition][broker].start[pid]
        known = [at for at, entry in enumerate(entries) if oldest <= at and entry.pid == pid]
        newest = list(takewhile(lambda at: entries[at].epoch == entries[known[-1]].epoch, reversed(known)))
        return newest[: self.remembers(broker, partition)][::-1]

    def memory(self, broker: int, partition: int, pid: int) -> list[Entry]:
        """What a replica remembers of a producer, oldest first; see remembered."""
        entries = self.own_log(broker, partition)
        return [entries[at] for at in self.remembered(broker, partition, pid)]

    def own_log(self, broker: int, partition: int) -> list[Entry]:
        """The log of a replica, for readers; of a follower as far as it has mattered yet, see partition.py."""
        log = self.log[partition]
        if self.leader == broker:
            return list(log.entries[: log.end])
        if self.uncut(partition, broker):
            tail = self.tail[partition]
            return [*log.entries[: tail.start], *tail.entries[tail.start : tail.end]]
        return list(log.entries[: self.replica[partition][broker].replicated])

    def memory_told(self, broker: int, event: str) -> str:
        """An event after which a replica remembers something else, with what it remembers then, if that can matter."""
        if not self.may_be_asked(broker):
            return event
        places = [(p, pid) for p in range(self.partitions) for pid in range(self.pids)]
        known = {place: self.memory(broker, *place) for place in places}
        found = [narration.sequences(entries) for entries in known.values() if entries]
        return f"{event}; knows {', '.join(found) or 'no producer'}"

    def may_be_asked(self, broker: int) -> bool:
        """Whether what a replica remembers can matter: it leads, or a fault is left that may make it lead."""
        return self.leader == broker or self.faults_left > 0

    def topic_is_wide(self, partition: int) -> bool:
        """Whether the raised value is that of the topic of a partition (K1)."""
        return not self.wide_topics or any(partition == int(p) for p in self.wide_topics)

    def remembers(self, broker: int, partition: int) -> int:
        """How many batches of a producer this replica keeps (K1)."""
        if not self.wide_window:
            return self.retained
        most = self.widest or (self.wide_window if self.wide[broker] == 1 else self.retained)
        return most if self.topic_is_wide(partition) else self.retained

    def append(self, broker: int, request: Request) -> None:
        """B1.11, B5: into the log; the ProducerStateEntry follows, being a function of the log."""
        log, plain = self.log[self.partition_of(request.batch)], not self.client.idempotent
        log.entries[log.end] = Entry(
            batch=request.batch,
            pid=request.pid,
            epoch=request.epoch,
            sequence=0 if plain else request.sequence,
            size=request.size,
        )
        log.end += 1
        narrate(f"b{request.batch} goes into the log at offset {log.end - 1}", at=self.node(broker))

    @fair
    @action(broker=lambda w: w.used_brokers if w.survivors else (), batch="sending")
    def handle_survivor(self, broker: int, batch: int) -> None:
        """B7: a request of a closed connection is executed; nobody reads its answer."""
        require(len(self.surviving) > 0)
        require(self.leader == broker and self.surviving[0].batch == batch)
        old = self.surviving.popleft()
        request = Request(batch=batch, pid=old.pid, epoch=old.epoch, sequence=old.sequence, size=old.size)
        narrate(f"b{batch} of the closed connection is executed", at=self.node(broker))
        if self.would_append(broker, request):
            self.append(broker, request)
        else:
            narrate(f"b{batch}: nothing appended", at=self.node(broker))

    def would_append(self, broker: int, request: Request) -> bool:
        """B1.3, B1.8 to B1.10 without an answer."""
        if self.too_few_in_sync():
            return False
        if not self.client.idempotent or request.pid == NO_PRODUCER_ID:
            return True
        new = self.duplicate_of(broker, request) < 0
        return new and self.refusal(broker, request) == APPENDED
