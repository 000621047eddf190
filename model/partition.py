"""The partition: replication and high watermark, election and truncation.

A follower's log is a prefix of the leader's; `replicated` is a lower bound of its end, and the real value is
chosen where it first matters (or, with explicit_replication, moved by `fetch`). Who leads is one of `in_sync`.
"""

from __future__ import annotations

from collections.abc import Callable

from everystate.checker import action, choose, fair, narrate, require

from . import narration
from .fault_table import ELECTIONS
from .records import APPENDED, ENTRY, NONE, RETRIABLE, DivergentTail, Entry
from .snapshots import Snapshots


class Replication(Snapshots):
    """Partition and UnifiedLog of each replica."""

    # -- high watermark ------------------------------------------------------------------------------------

    def answer_left(self, broker: int, batch: int) -> None:
        """B6.1, B6.2: an answer NONE of acks = all was given, so the high watermark had passed its record."""
        if self.acks == "all" and self.replicas > 1:
            state = self.batch[batch]
            waited = self.is_waited_for(batch) and self.leader == broker and not self.alone()
            self.high_watermark_passed(self.partition_of(batch), waited, state.position)

    def is_waited_for(self, batch: int) -> bool:
        """Whether the answer to a batch waits for its place in the log; the offset of another batch is not known."""
        return self.batch[batch].outcome == APPENDED and self.batch[batch].position < self.log_capacity

    def let_answers_leave(self, partition: int) -> None:
        """B6.2: the high watermark is at the log end, so no answer waits any more, and no election refuses one."""
        for b in self.batches_of(partition) if self.refuses_later else ():
            state = self.batch[b]
            if state.outcome == APPENDED and self.faults_left > 0:
                state.outcome = NONE

    def answer_before_left(self, broker: int) -> None:
        """B7: the request before the next one was answered already."""
        if self.acks != "all" or self.replicas < 2:
            return
        link = self.connection[broker]
        before = link.requests[link.handled - 1] if link.handled > 0 else 0
        state = self.batch[before]
        leads = self.leader == broker and not self.alone()
        waited = link.handled > 0 and self.is_waited_for(before) and leads
        for p in range(self.partitions):
            mine = waited and (self.partitions == 1 or before % self.partitions == p)
            self.high_watermark_passed(p, mine, state.position)

    def high_watermark_passed(self, partition: int, waited: bool, offset: int) -> None:
        """Every follower in sync has fetched the record at an offset, and the leader knows."""
        self.know_high_watermark(partition, waited, offset + 1)
        for broker in range(self.replicas):
            self.has_fetched(broker, partition, waited and self.follows(broker), offset)

    def has_fetched(self, broker: int, partition: int, fetched: bool, offset: int) -> None:
        """A follower has fetched the record at an offset, where that is so."""
        log, replica = self.log[partition], self.replica[partition][broker]
        behind = fetched and offset < log.end and replica.replicated <= offset
        self.cut(broker, partition, behind)
        if self.explicit_replication:
            require(not behind)
        else:
            self.fetch_records(broker, partition, behind, offset + 1)
            if behind:
                replica.replicated = min(offset + 1, self.log_capacity)

    def know_high_watermark(self, partition: int, passed: bool, offset: int) -> None:
        """B6.2: from now on an answer to what lies below an offset leaves this leader at once, where it has passed."""
        if self.refuses_later:
            log = self.log[partition]
            higher = passed and log.high_watermark < offset
            log.high_watermark = self.asked_later(min(offset, self.log_capacity) if higher else log.high_watermark)

    @fair
    @action(partition=lambda w: range(w.partitions if w.explicit_replication and w.replicas > 1 else 0))
    def fetch(self, partition: int) -> None:
        """A follower fetches one batch (D1); if there is none it hears where the leader's log begins (D14)."""
        broker = choose(range(self.replicas)) if self.replicas > 2 else 1 - int(self.leader)
        log, replica = self.log[partition], self.replica[partition][broker]
        behind = replica.replicated < log.end
        require(self.follows(broker))
        require(behind or replica.log_start < self.asked_later(log.start))
        self.cut(broker, partition, True)
        self.fetch_records(broker, partition, True, replica.replicated + 1)
        narrate(
            lambda: f"fetches offset {replica.replicated}" if behind else "hears of the log start",
            at=self.node(broker),
        )
        if behind:
            replica.replicated += 1

    def follower_end(self, broker: int, partition: int) -> int:
        """A follower's log end, settled now: that of its own log, if it was a leader and has not fetched yet."""
        log, replica = self.log[partition], self.replica[partition][broker]
        end = replica.replicated
        if self.uncut(partition, broker) and choose((True, False)):
            return self.tail[partition].end
        self.cut(broker, partition, True)
        if not self.explicit_replication:
            end = choose(range(self.warm, self.log_capacity + 1))
            require(replica.replicated <= end <= log.end)
        self.settle_start(broker, partition, end)
        replica.replicated = end
        return end

    def settle_start(self, broker: int, partition: int, end: int) -> None:
        """D14: where the log of a follower begins that ends at `end`; if it has nothing to fetch it may have heard."""
        if not self.starts_apart:
            return
        log, replica = self.log[partition], self.replica[partition][broker]
        fetched = replica.replicated < end
        require(not fetched or log.start <= end)
        self.fetch_records(broker, partition, fetched, end)
        if not self.explicit_replication:
            may_hear = not fetched and replica.log_start < log.start <= end
            self.hear_of_start(broker, partition, choose((True, False)) if may_hear else False, end)

    def fetch_records(self, broker: int, partition: int, fetched: bool, end: int) -> None:
        """D12, D14: with records a follower hears where the leader's log begins; one that ends below copies it afresh.

        It throws its own log away then (truncateFullyAndStartAt), and knows who is in what it copies.
        """
        if not self.starts_apart:
            return
        log, replica = self.log[partition], self.replica[partition][broker]
        afresh = fetched and replica.replicated < log.start
        self.forget_below(broker, partition, log.start, afresh)
        self.begin_afresh(broker, partition, log.start, afresh)
        self.hear_of_start(broker, partition, fetched, end)

    def hear_of_start(self, broker: int, partition: int, heard: bool, end: int) -> None:
        """D14: a follower deletes what retention has deleted at the leader, as an answer to its fetch says.

        Before that it appends the records of the answer, up to `end`.
        """
        log, replica = self.log[partition], self.replica[partition][broker]
        moved = heard and replica.log_start < log.start
        self.lose_beginning(broker, partition, moved, end)
        replica.log_start = self.asked_later(log.start if moved else replica.log_start)

    def lose_beginning(self, broker: int, partition: int, moved: bool, end: int) -> None:
        """D10: what lies below the leader's log start is deleted at a replica that ends at `end`, where it is."""
        start = self.log[partition].start
        self.delete_segments(broker, partition, moved)
        self.drop_snapshots(broker, partition, start, moved)
        if self.server.retention_drops_state:
            self.forget_deleted(broker, partition, moved, end)

    def delete_everywhere(self, partition: int) -> None:
        """D10, D14: the follower's own retention, which looks at the same times, deletes its records, too, or not yet.

        What it fetches until then goes into the segment that it has, which stays as long as that is not old, too.
        """
        log = self.log[partition]
        for broker in range(self.replicas):
            later = self.leader != broker and self.is_recovered_later(broker)
            fetched = self.replica[partition][broker].replicated == log.end and not self.uncut(partition, broker)
            if later and fetched and choose((True, False)):
                self.hear_of_start(broker, partition, True, log.end)
                self.begin_afresh(broker, partition, log.end, True)
                narrate("retention deletes every record", at=self.node(broker))

    @fair
    @action(broker=lambda w: range(w.replicas if w.follower_leaves and (w.always_in_sync_asked or w.budget > 1) else 0))
    def rejoin(self, broker: int) -> None:
        """A follower has caught up and is in the in-sync set again."""
        require(self.leader != broker)
        require(self.in_sync[broker] == 0)
        alone, ends = self.alone(), [self.end_to_rejoin_with(p) for p in range(self.partitions)]
        self.in_sync[broker] = True
        for p, end in enumerate(ends):
            replica = self.replica[p][broker]
            self.cut(broker, p, True)
            self.fetch_records(broker, p, replica.replicated < end, end)
            replica.replicated = max(replica.replicated, end)
            self.know_high_watermark(p, alone, end)
        self.note_eligible(broker, False)
        narrate("has caught up: in the in-sync set again", at=self.node(broker))

    def end_to_rejoin_with(self, partition: int) -> int:
        """How much a follower has at least that comes into the in-sync set (Partition#isFollowerInSync).

        It has all below the high watermark, which is at the log end of a leader that is alone, and all that the
        leader began with.
        """
        end = self.log[partition].end
        if self.replicas > 2:
            for broker in range(self.replicas):
                replicated = self.replica[partition][broker].replicated
                end = min(end, replicated) if self.follows(broker) else end
            end = max(end, self.epoch_start[partition]) if self.keeps_epoch_starts else end
        return end

    def leave_in_sync_set(self, broker: int, crashed: bool) -> None:
        """A follower leaves the in-sync set.

        B6.2: of a leader that is alone then the high watermark is at the log end; where that is allowed (B6.1).
        """
        narrate("leaves the in-sync set", at=self.node(broker))
        self.in_sync[broker] = False
        stands = self.alone() or self.is_below_least(0)
        self.note_eligible(broker, not crashed)
        self.in_sync[broker] = not self.in_sync_matters()
        if stands:
            for p in range(self.partitions):
                self.let_answers_leave(p)

    def note_eligible(self, broker: int, eligible: bool) -> None:
        """KIP-966: who is in the in-sync set no more stays electable while that is too small, unless it has crashed."""
        if self.elr:
            for b in range(self.replicas):
                stays = eligible if b == broker else self.eligible[b] == 1
                self.eligible[b] = stays and self.is_below_least(0)

    def in_sync_matters(self) -> bool:
        """Whether anything asks who is in sync: too few (B1.3), what a window is told by (K2), or another fault."""
        return True if self.always_in_sync_asked or not self.follower_leaves else self.faults_left > 0

    def spend(self, kind: str) -> None:
        """One fault; where nothing asks any more who is in sync, all are, and no answer is refused later."""
        super().spend(kind)
        for p in range(self.partitions if self.keeps_tails and kind not in ELECTIONS else 0):
            self.lose_tail(p, self.faults_left == 0)
        for p in range(self.partitions if self.refuses_later else 0):
            self.log[p].high_watermark = self.asked_later(self.log[p].high_watermark)
        for b in range(self.replicas if self.follower_leaves else 0):
            self.in_sync[b] = self.in_sync[b] == 1 or not self.in_sync_matters()
        for p in range(self.partitions if self.keeps_epoch_starts else 0):
            self.epoch_start[p] = self.epoch_start[p] if self.in_sync_matters() else 0

    # -- election ------------------------------------------------------------------------------------------

    def follower_ends(self, broker: int) -> list[int]:
        """A follower's log ends, settled now: what does not depend on them comes behind, for it is done for each."""
        return [self.follower_end(broker, p) for p in range(self.partitions)]

    def elect(self, broker: int, old: int, ends: list[int], in_sync: list[bool]) -> None:
        """D3: another replica leads, with the log and the producer state that it has; the others truncate (D4).

        `in_sync` says which of the followers were in sync before.
        """
        narrate(lambda: f"leads with log end {', '.join(map(str, ends))}", at=self.node(broker))
        others = [b for b in range(self.replicas) if b not in (broker, old)]
        for other in others:
            for p in range(self.partitions):
                self.cut(other, p, True)
        shared = [self.shared_end(broker, p, end) for p, end in enumerate(ends)]
        left = self.settle_answers(old, shared)
        for other in others:
            for p, end in enumerate(shared):
                passed, offset = left[p]
                self.has_fetched(other, p, passed and in_sync[other], offset)
                self.cut_shorter(other, p, end)
        self.leader = broker
        if self.tells_epochs:
            self.leader_epoch_is_new = True
        for p, end in enumerate(shared):
            self.log[p].high_watermark = 0  # it hears of it with a fetch, so the new leader may be behind
            log, new, deposed = self.log[p], self.replica[p][broker], self.replica[p][old]
            if self.starts_apart:
                log.start, deposed.log_start, new.log_start = new.log_start, log.start, 0
            if self.keeps_tails:
                self.diverge(old, p, end)
            else:
                self.truncate(old, p, end)
            new.replicated, deposed.replicated = 0, end
            if self.keeps_epoch_starts:
                self.epoch_start[p] = log.end if self.in_sync_matters() else 0
        self.surviving.clear()

    def cut_shorter(self, broker: int, partition: int, end: int) -> None:
        """D4: a follower that neither led nor leads has no more than the new leader; what it had beyond that is cut.

        Whether it had more is chosen where what it remembers may change by that.
        """
        log, replica = self.log[partition], self.replica[partition][broker]
        surely = end < replica.replicated
        open_ = self._memory_moves() and not self.explicit_replication and not surely and end < log.end
        had_more = choose((True, False)) if open_ else surely
        self.reload(broker, partition, end, had_more)
        replica.replicated = end if had_more else replica.replicated
        if self.starts_apart:
            replica.log_start = self.asked_later(min(replica.log_start, end) if had_more else replica.log_start)
        self.cut_segments(broker, partition, end, had_more)

    def settle_answers(self, old: int, ends: list[int]) -> list[tuple[bool, int]]:
        """B6.5: the answer that still waits becomes NOT_LEADER; one that had left the broker stays what it was.

        Whether one had left, and the offset of its record, for each partition.
        """
        waiting = {b: self.waits(old, b) for b in self.sending}
        kept = {b: self.batch[b].position < ends[self.partition_of(b)] for b in self.sending}
        could_have_left = any(waiting[b] and kept[b] for b in self.sending)
        left = choose((True, False)) if could_have_left else False
        found = self.left_answers({b: waiting[b] and left for b in self.sending})
        for b in self.sending:
            state = self.batch[b]
            others = NONE if self.on_connection(old, b) and state.outcome == APPENDED else state.outcome
            refused = waiting[b] and not left
            self.tell_refused(old, b, refused, "NOT_LEADER_OR_FOLLOWER")
            state.outcome = RETRIABLE if refused else others
            if refused:
                state.position = 0
            state.carried = not refused and state.carried == 1
        return found

    def settle_for_shrink(self) -> None:
        """B6.2 to B6.4: with too few in sync an answer that has not left yet becomes an error.

        It is NOT_ENOUGH_REPLICAS_AFTER_APPEND, or REQUEST_TIMED_OUT where it waits for a high watermark that stands.
        """
        if self.least_in_sync < 2 or self.acks != "all":
            return
        leader, few = int(self.leader), self.is_below_least(1)
        stands = self.server.high_watermark_stands
        code = "REQUEST_TIMED_OUT" if stands else "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
        waiting = {b: few and self.waits(leader, b) for b in self.sending}
        left = choose((True, False)) if any(waiting.values()) else False
        for p, (passed, offset) in enumerate(self.left_answers({b: waiting[b] and left for b in self.sending})):
            self.high_watermark_passed(p, passed, offset)
        for b in self.sending:
            state, refused = self.batch[b], waiting[b] and not left
            self.tell_refused(leader, b, refused, code)
            if refused:
                state.outcome = RETRIABLE
                state.position = 0
            state.carried = not refused and state.carried == 1

    def left_answers(self, left: dict[int, bool]) -> list[tuple[bool, int]]:
        """For each partition whether an answer had left, of one batch at most, and the offset of its record."""
        found = []
        for p in range(self.partitions):
            offset = 0
            for b in self.batches_of(p):
                offset = self.batch[b].position if left[b] else offset
            found.append((any(left[b] for b in self.batches_of(p)), offset))
        return found

    def tell_refused(self, broker: int, batch: int, refused: bool, code: str) -> None:
        """A story's line for an answer that became an error while it waited for the high watermark."""
        narrate(lambda: f"{code} for b{batch}" if refused else "", source=self.node(broker), target="producer")

    def waits(self, broker: int, batch: int) -> bool:
        """Whether the answer to a batch, the last handled of its connection, may still wait for the high watermark."""
        link = self.connection[broker]
        last = link.handled > 0 and link.requests[link.handled - 1] == batch
        return last and self.batch[batch].outcome == APPENDED

    def truncate(self, broker: int, partition: int, end: int) -> None:
        """D4: the log is cut; a replica that lost entries reloads its producer state."""
        log = self.log[partition]
        cut = end < log.end
        narrate(lambda: narration.truncated(log.entries[end : log.end], end, self.foreign), at=self.node(broker))
        self.reload(broker, partition, end, cut)
        for at in range(self.log_capacity):
            self.blank(log.entries[at], at < log.end and end <= at)
        log.end = end
        if self.starts_apart:
            replica = self.replica[partition][broker]
            replica.log_start = self.asked_later(min(replica.log_start, end))
        self.cut_segments(broker, partition, end, True)

    def blank(self, entry: Entry, gone: bool) -> None:
        """An entry that a log has no more, where that is so."""
        for name, value in zip(ENTRY, (0, self.no_pid, 0, 0, 1), strict=True):
            if gone:
                setattr(entry, name, value)

    # -- a deposed leader before it fetches ----------------------------------------------------------------

    def uncut(self, partition: int, broker: int) -> bool:
        """Whether a follower was a leader, and still has what the leader's log does not have."""
        if not self.keeps_tails:
            return False
        tail = self.tail[partition]
        return tail.end > 0 and (self.replicas < 3 or tail.owner == broker)

    def shared_end(self, broker: int, partition: int, end: int) -> int:
        """Up to where the log of a follower that ends at `end` is the same as the leader's."""
        return self.tail[partition].start if self.keeps_tails and self.uncut(partition, broker) else end

    def diverge(self, old: int, partition: int, end: int) -> None:
        """The new leader's log is the one that counts; the old one keeps what it has behind `end` until it fetches."""
        tail = self.tail[partition]
        if tail.end == 0:
            tail.end = end
        tail.start = end
        self.exchange(partition, True)
        if self.replicas > 2:
            tail.owner = old
        if tail.start >= tail.end:
            tail.start, tail.end, tail.owner = 0, 0, 0
        self.cut(old, partition, self.faults_left == 0)

    def cut(self, broker: int, partition: int, fetches: bool) -> None:
        """D4: with its first fetch a deposed leader cuts off what the leader's log does not have."""
        if not self.keeps_tails:
            return
        cuts = fetches and self.uncut(partition, broker)
        self.reload_own(broker, partition, cuts)
        self.lose_tail(partition, cuts)

    def lose_tail(self, partition: int, lost: bool) -> None:
        """The follower has nothing beyond the leader's log any more, where that is so."""
        tail = self.tail[partition]
        for at in range(self.log_capacity):
            self.blank(tail.entries[at], lost)
        if lost:
            tail.start, tail.end, tail.owner = 0, 0, 0

    def reload_own(self, broker: int, partition: int, cuts: bool) -> None:
        """D4 for a replica that is not cut yet, where it is cut now."""
        tail, replica = self.tail[partition], self.replica[partition][broker]
        narrate(lambda: self.truncation_told(tail) if cuts else "", at=self.node(broker))
        self.exchange(partition, cuts)
        self.reload(broker, partition, tail.start, cuts)
        self.exchange(partition, cuts)
        if self.starts_apart:
            begins = min(replica.log_start, tail.start) if cuts else replica.log_start
            replica.log_start = self.asked_later(begins)
        self.cut_segments(broker, partition, tail.start, cuts)

    def truncation_told(self, tail: DivergentTail) -> str:
        """A story's words for what is cut."""
        return narration.truncated(tail.entries[tail.start : tail.end], tail.start, self.foreign)

    def exchange(self, partition: int, exchanged: bool) -> None:
        """What is asked of the log is asked of that of the follower which is not cut yet, until the next exchange."""
        log, tail = self.log[partition], self.tail[partition]
        for at in range(self.log_capacity):
            entry, own = log.entries[at], tail.entries[at]
            if exchanged and tail.start <= at:
                for name in ENTRY:
                    here, there = getattr(entry, name), getattr(own, name)
                    setattr(entry, name, there)
                    setattr(own, name, here)
        if exchanged:
            log.end, tail.end = tail.end, log.end

    def in_own_log(self, action: Callable[[int, int, int], None], broker: int, partition: int, end: int) -> None:
        """Something that happens to a replica whose log ends at `end`, which may be one of its own."""
        own = self.leader != broker and self.uncut(partition, broker)
        if self.keeps_tails:
            self.exchange(partition, own)
        action(broker, partition, end)
        if self.keeps_tails:
            self.exchange(partition, own)

    # -- all replicas --------------------------------------------------------------------------------------

    def end_at(self, broker: int, partition: int) -> int:
        """The log end of a replica, settled now; the caller knows which of them leads."""
        return self.log[partition].end if self.leader == broker else self.follower_end(broker, partition)

    def connected(self, broker: int) -> bool:
        """Whether anything is on the connection to a broker."""
        return len(self.connection[broker].requests) > 0 or self.connection[broker].handled > 0
