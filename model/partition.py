"""The partition: replication and high watermark, election and truncation.

The follower's log is a prefix of the leader's; `replicated` is a lower bound of its end, and the real value is
chosen where it first matters (or, with explicit_replication, moved by `fetch`).
"""

from __future__ import annotations

from collections.abc import Callable

from everystate.checker import action, choose, fair, narrate, require

from . import narration
from .records import APPENDED, ELECTIONS, ENTRY, NONE, RETRIABLE, Entry, Tail
from .snapshots import Snapshots


class Replication(Snapshots):
    """Partition and UnifiedLog of both replicas."""

    # -- high watermark ------------------------------------------------------------------------------------

    def answer_left(self, broker: int, batch: int) -> None:
        """B6.1, B6.2: an answer NONE of acks = all was given, so the high watermark had passed its record."""
        if self.acks == "all" and self.replicas > 1:
            state = self.batch[batch]
            waited = state.outcome == APPENDED and self.leader == broker and self.follower_in_sync == 1
            self.high_watermark_passed(self.partition_of(batch), waited, state.position)

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
        leads = self.leader == broker and self.follower_in_sync == 1
        waited = link.handled > 0 and state.outcome == APPENDED and leads
        for p in range(self.partitions):
            mine = waited and (self.partitions == 1 or before % self.partitions == p)
            self.high_watermark_passed(p, mine, state.position)

    def high_watermark_passed(self, partition: int, waited: bool, offset: int) -> None:
        """The in-sync follower has fetched the record at an offset, and the leader knows."""
        self.know_high_watermark(partition, waited, offset + 1)
        log = self.log[partition]
        behind = waited and offset < log.end and log.replicated <= offset
        self.cut(partition, behind)
        if self.explicit_replication:
            require(not behind)
        else:
            self.fetch_records(partition, behind)
            if behind:
                log.replicated = min(offset + 1, self.log_capacity)

    def know_high_watermark(self, partition: int, passed: bool, offset: int) -> None:
        """B6.2: from now on an answer to what lies below an offset leaves this leader at once, where it has passed."""
        if self.refuses_later:
            log = self.log[partition]
            higher = passed and log.high_watermark < offset
            log.high_watermark = self.asked_later(min(offset, self.log_capacity) if higher else log.high_watermark)

    @fair
    @action(partition=lambda w: range(w.partitions if w.explicit_replication and w.replicas > 1 else 0))
    def fetch(self, partition: int) -> None:
        """The follower fetches one batch (D1); if there is none it hears where the leader's log begins (D14)."""
        log = self.log[partition]
        behind = log.replicated < log.end
        require(self.follower_in_sync == 1)
        require(behind or log.follower_start < self.asked_later(log.start))
        self.cut(partition, True)
        self.fetch_records(partition, True)
        narrate(
            lambda: f"fetches offset {log.replicated}" if behind else "hears of the log start",
            at=self.node(1 - self.leader),
        )
        if behind:
            log.replicated += 1

    def follower_end(self, partition: int) -> int:
        """The follower's log end, settled now: that of its own log, if it was a leader and has not fetched yet."""
        log, end = self.log[partition], self.log[partition].replicated
        if self.uncut(partition) and choose((True, False)):
            return self.tail[partition].end
        self.cut(partition, True)
        if not self.explicit_replication:
            end = choose(range(self.warm, self.log_capacity + 1))
            require(log.replicated <= end <= log.end)
        self.settle_start(partition, end)
        log.replicated = end
        return end

    def settle_start(self, partition: int, end: int) -> None:
        """D14: where the log of a follower begins that ends at `end`; if it has nothing to fetch it may have heard."""
        if not self.starts_apart:
            return
        log = self.log[partition]
        fetched = log.replicated < end
        require(not fetched or log.start <= end)
        self.fetch_records(partition, fetched)
        if not self.explicit_replication:
            may_hear = not fetched and log.follower_start < log.start <= end
            self.hear_of_start(partition, choose((True, False)) if may_hear else False)

    def fetch_records(self, partition: int, fetched: bool) -> None:
        """D12, D14: with records a follower hears where the leader's log begins; one that ends below copies it afresh.

        It throws its own log away then (truncateFullyAndStartAt), and knows who is in what it copies.
        """
        if not self.starts_apart:
            return
        log = self.log[partition]
        afresh = fetched and log.replicated < log.start
        for broker in range(self.replicas):
            copies = afresh and self.leader != broker
            self.forget_below(broker, partition, log.start, copies)
            self.begin_afresh(broker, partition, log.start, copies)
        self.hear_of_start(partition, fetched)

    def hear_of_start(self, partition: int, heard: bool) -> None:
        """D14: the follower deletes what retention has deleted at the leader, as an answer to its fetch says."""
        log = self.log[partition]
        moved = heard and log.follower_start < log.start
        for broker in range(self.replicas):
            self.lose_beginning(broker, partition, moved and self.leader != broker)
        log.follower_start = self.asked_later(log.start if moved else log.follower_start)

    def lose_beginning(self, broker: int, partition: int, moved: bool) -> None:
        """D10: what lies below the leader's log start is deleted at a replica, where it is."""
        start = self.log[partition].start
        self.delete_segments(broker, partition, moved)
        self.drop_snapshots(broker, partition, start, moved)
        if self.server.retention_drops_state:
            self.forget_below(broker, partition, start, moved)

    def delete_everywhere(self, partition: int) -> None:
        """D10, D14: the follower's own retention, which looks at the same times, deletes its records, too, or not yet.

        What it fetches until then goes into the segment that it has, which stays as long as that is not old, too.
        """
        log = self.log[partition]
        later = any(self.leader != b and self.is_recovered_later(b) for b in range(self.replicas))
        fetched = log.replicated == log.end and not self.uncut(partition)
        if later and fetched and choose((True, False)):
            self.hear_of_start(partition, True)
            for broker in range(self.replicas):
                self.begin_afresh(broker, partition, log.end, self.leader != broker)
            narrate("retention deletes every record", at=self.node(1 - self.leader))

    @fair
    @action(broker=lambda w: range(w.replicas if w.follower_leaves and (w.always_in_sync_asked or w.budget > 1) else 0))
    def rejoin(self, broker: int) -> None:
        """The follower has caught up to the leader's log end and is in the in-sync set again."""
        require(self.leader != broker)
        require(self.follower_in_sync == 0)
        self.follower_in_sync = True
        for p in range(self.partitions):
            self.cut(p, True)
            self.fetch_records(p, self.log[p].replicated < self.log[p].end)
            self.log[p].replicated = self.log[p].end
            self.know_high_watermark(p, True, self.log[p].end)
        narrate("has caught up: in the in-sync set again", at=self.node(broker))

    def leave_in_sync_set(self) -> None:
        """B6.2: the leader is alone in sync, so the high watermark is at its log end; where that is allowed (B6.1)."""
        narrate("leaves the in-sync set", at=self.node(1 - self.leader))
        self.follower_in_sync = not self.in_sync_matters()
        for p in range(self.partitions):
            self.let_answers_leave(p)

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
        if self.follower_leaves:
            self.follower_in_sync = self.follower_in_sync == 1 or not self.in_sync_matters()

    # -- election ------------------------------------------------------------------------------------------

    def follower_ends(self) -> list[int]:
        """The follower's log ends, settled now: what does not depend on them comes behind, for it is done for each."""
        return [self.follower_end(p) for p in range(self.partitions)]

    def elect(self, broker: int, ends: list[int]) -> None:
        """D3: the other replica leads, with the log and the producer state that it has; the old one truncates (D4)."""
        old = 1 - broker
        narrate(lambda: f"leads with log end {', '.join(map(str, ends))}", at=self.node(broker))
        shared = [self.shared_end(p, end) for p, end in enumerate(ends)]
        self.settle_answers(old, shared)
        self.leader = broker
        if self.tells_epochs:
            self.leader_epoch_is_new = True
        for p, end in enumerate(shared):
            self.log[p].high_watermark = 0  # it hears of it with a fetch, so the new leader may be behind
            if self.starts_apart:
                self.log[p].start, self.log[p].follower_start = self.log[p].follower_start, self.log[p].start
            if self.keeps_tails:
                self.diverge(p, end)
            else:
                self.truncate(old, p, end)
        self.surviving.clear()

    def settle_answers(self, old: int, ends: list[int]) -> None:
        """B6.5: the answer that still waits becomes NOT_LEADER; one that had left the broker stays what it was."""
        waiting = {b: self.waits(old, b) for b in self.sending}
        kept = {b: self.batch[b].position < ends[self.partition_of(b)] for b in self.sending}
        could_have_left = any(waiting[b] and kept[b] for b in self.sending)
        left = choose((True, False)) if could_have_left else False
        for b in self.sending:
            state = self.batch[b]
            others = NONE if self.on_connection(old, b) and state.outcome == APPENDED else state.outcome
            refused = waiting[b] and not left
            self.tell_refused(old, b, refused, "NOT_LEADER_OR_FOLLOWER")
            state.outcome = RETRIABLE if refused else others
            if refused:
                state.position = 0
            state.carried = not refused and state.carried == 1

    def settle_for_shrink(self, leader: int) -> None:
        """B6.2 to B6.4: with too few in sync an answer that has not left yet becomes an error.

        It is NOT_ENOUGH_REPLICAS_AFTER_APPEND, or REQUEST_TIMED_OUT where it waits for a high watermark that stands.
        """
        if self.min_insync < 2 or self.acks != "all":
            return
        stands = self.server.high_watermark_stands
        code = "REQUEST_TIMED_OUT" if stands else "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
        waiting = {b: self.waits(leader, b) for b in self.sending}
        left = choose((True, False)) if any(waiting.values()) else False
        for b in self.sending:
            state, refused = self.batch[b], waiting[b] and not left
            self.tell_refused(leader, b, refused, code)
            self.high_watermark_passed(self.partition_of(b), waiting[b] and left, state.position)
            if refused:
                state.outcome = RETRIABLE
                state.position = 0
            state.carried = not refused and state.carried == 1

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
            log.follower_start = self.asked_later(min(log.follower_start, end))
        self.cut_segments(broker, partition, end, True)

    def blank(self, entry: Entry, gone: bool) -> None:
        """An entry that a log has no more, where that is so."""
        for name, value in zip(ENTRY, (0, self.no_pid, 0, 0, 1), strict=True):
            if gone:
                setattr(entry, name, value)

    # -- a deposed leader before it fetches ----------------------------------------------------------------

    def uncut(self, partition: int) -> bool:
        """Whether the follower was a leader, and still has what the leader's log does not have."""
        return self.tail[partition].end > 0 if self.keeps_tails else False

    def shared_end(self, partition: int, end: int) -> int:
        """Up to where the logs of both replicas are the same when a follower whose log ends at `end` is to lead."""
        return self.tail[partition].start if self.keeps_tails and self.uncut(partition) else end

    def diverge(self, partition: int, end: int) -> None:
        """The new leader's log is the one that counts; the old one keeps what it has behind `end` until it fetches."""
        tail = self.tail[partition]
        if tail.end == 0:
            tail.end = end
        tail.start = end
        self.exchange(partition, True)
        if tail.start >= tail.end:
            tail.start, tail.end = 0, 0
        self.cut(partition, self.faults_left == 0)

    def cut(self, partition: int, fetches: bool) -> None:
        """D4: with its first fetch a deposed leader cuts off what the leader's log does not have."""
        if not self.keeps_tails:
            return
        tail = self.tail[partition]
        cuts = fetches and tail.end > 0
        for broker in range(self.replicas):
            self.reload_own(broker, partition, cuts and self.leader != broker)
        self.lose_tail(partition, cuts)

    def lose_tail(self, partition: int, lost: bool) -> None:
        """The follower has nothing beyond the leader's log any more, where that is so."""
        tail = self.tail[partition]
        for at in range(self.log_capacity):
            self.blank(tail.entries[at], lost)
        if lost:
            tail.start, tail.end = 0, 0

    def reload_own(self, broker: int, partition: int, cuts: bool) -> None:
        """D4 for a replica that is not cut yet, where it is cut now."""
        tail, log = self.tail[partition], self.log[partition]
        narrate(lambda: self.truncation_told(tail) if cuts else "", at=self.node(broker))
        self.exchange(partition, cuts)
        self.reload(broker, partition, tail.start, cuts)
        self.exchange(partition, cuts)
        if self.starts_apart:
            begins = min(log.follower_start, tail.start) if cuts else log.follower_start
            log.follower_start = self.asked_later(begins)
        self.cut_segments(broker, partition, tail.start, cuts)

    def truncation_told(self, tail: Tail) -> str:
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
        own = self.leader != broker and self.uncut(partition)
        if self.keeps_tails:
            self.exchange(partition, own)
        action(broker, partition, end)
        if self.keeps_tails:
            self.exchange(partition, own)

    # -- both replicas -------------------------------------------------------------------------------------

    def end_at(self, broker: int, partition: int) -> int:
        """The log end of a replica, settled now; the caller knows which of the two leads."""
        return self.log[partition].end if self.leader == broker else self.follower_end(partition)

    def alone(self) -> bool:
        """Whether the leader is the only member of the in-sync set."""
        return True if self.replicas == 1 else self.follower_in_sync == 0

    def connected(self, broker: int) -> bool:
        """Whether anything is on the connection to a broker."""
        return len(self.connection[broker].requests) > 0 or self.connection[broker].handled > 0
