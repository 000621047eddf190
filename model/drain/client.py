"""The client: what a pass of the Sender drains and repairs, and what answers do to each partition of a request."""

from __future__ import annotations

from typing import Any

from everystate.checker import If, action, all_of, any_of, count, fair, maximum, narrate, none_of, require

from .broker import Broker
from .records import (
    ABSENT,
    ACKED,
    AGAIN,
    EXPIRED,
    FAILED,
    INVALID,
    NONE,
    OLD_EPOCH,
    OUT_OF_ORDER,
    QUEUED,
    SENT,
    UNREAD,
    Item,
    Request,
)


class Client(Broker):
    """Sender, RecordAccumulator and TransactionManager."""

    # -- a pass: resolve and bump, then drain (C1) ---------------------------------------------------------

    def is_unresolved(self, partition: int) -> bool:
        """C8: a partition with a mark and with nothing in flight."""
        return all_of(self.entry[partition].unresolved >= 0, self.in_flight(partition) == 0)

    def must_settle(self) -> bool:
        """Whether the next pass resolves or bumps before it drains."""
        return any_of(self.bump_required, any_of(self.is_unresolved(p) for p in self.parts))

    @fair
    @action
    def settle(self) -> None:
        """P6.1, C8, C9: one epoch for all; only partitions with a mark are renumbered."""
        require(self.must_settle())
        for p in self.parts:
            entry = self.entry[p]
            gap = all_of(self.is_unresolved(p), entry.next - entry.acked != 1)
            entry.unresolved = If(self.is_unresolved(p), -1, entry.unresolved)
            entry.rewrite = any_of(entry.rewrite, gap)
        if any_of(entry.rewrite for entry in self.entry):
            self.bump()

    def bump(self) -> None:
        """C9.1, C9.3, C9.4."""
        self.epoch += 1
        narrate(lambda: f"epoch {self.epoch}", at="producer")
        for p in self.parts:
            entry, mine = self.entry[p], self.entry[p].rewrite
            for b in self.of(p):
                batch = self.batch[p][b]
                moved = all_of(mine, self.at(p, b, AGAIN, SENT))
                batch.sequence = If(moved, count(self.at(p, a, AGAIN, SENT) for a in range(b)), batch.sequence)
                batch.epoch = If(moved, self.epoch, batch.epoch)
                batch.reopened = any_of(batch.reopened, moved)
            entry.next, entry.acked = If(mine, self.in_flight(p), entry.next), If(mine, -1, entry.acked)
            entry.epoch, entry.unresolved = If(mine, self.epoch, entry.epoch), If(mine, -1, entry.unresolved)
            entry.rewrite = False
        self.bump_required = False

    @fair
    @action(node="nodes")
    def drain(self, node: int) -> None:
        """P1, P3: one request to a node that is ready and has room on its connection."""
        require(none_of(self.must_settle()))
        require(self.wire[node].length < self.max_in_flight)
        require(self.is_ready(node))
        taken = self.run_loop(node)
        items = [self.take(p, taken[p]) for p in self.parts]
        if any_of(taken):
            self.wire[node].append(Request(answered=False, items=items))

    def take(self, partition: int, taken: Any) -> Item:
        """C2.6: the head of a partition is stamped, unless it is already, and goes into the request."""
        entry, mine = self.entry[partition], self.of(partition)
        heads = [all_of(taken, self.is_head(partition, b)) for b in mine]
        fresh = any_of(all_of(heads[b], self.at(partition, b, QUEUED)) for b in mine)
        restarts = all_of(fresh, entry.epoch != self.epoch)
        entry.epoch = If(fresh, self.epoch, entry.epoch)
        entry.acked = If(restarts, -1, entry.acked)
        sequence = If(restarts, 0, entry.next)
        entry.next = If(fresh, sequence + 1, entry.next)
        number: Any = 0
        for b in mine:
            batch = self.batch[partition][b]
            batch.sequence = If(all_of(heads[b], fresh), sequence, batch.sequence)
            batch.epoch = If(all_of(heads[b], fresh), self.epoch, batch.epoch)
            batch.reopened = all_of(batch.reopened, none_of(heads[b]))
            batch.turn = If(heads[b], self.how_many_out(partition), batch.turn) if self.deadlines else 0
            batch.place = If(heads[b], SENT, batch.place)
            number = If(heads[b], b, number)
        stamped = self.batch[partition][number]
        return Item(
            batch=number,
            epoch=If(taken, stamped.epoch, 0),
            sequence=If(taken, stamped.sequence, 0),
            result=If(taken, UNREAD, ABSENT),
        )

    # -- answers -------------------------------------------------------------------------------------------

    @fair
    @action(node="nodes")
    def read(self, node: int) -> None:
        """P5.2, C4: the results of a request, partition by partition."""
        require(any_of(self.wire[node].length > 0))
        require(self.wire[node][0].answered)
        require(none_of(self.waits_for_follower(node)))
        self.take_answer(node)

    @action(node=lambda w: range(w.nodes) if w.behind >= 0 else ())
    def read_at_last(self, node: int) -> None:
        """P5.3: the follower has caught up, which it need not."""
        require(self.waits_for_follower(node))
        self.take_answer(node)

    def take_answer(self, node: int) -> None:
        """The answer to the oldest request of a connection."""
        request = self.wire[node].popleft()
        for p in self.parts:
            item = request.items[p]
            if item.result != ABSENT:
                self.complete(p, self.batch[p][item.batch], item.result)
            self.close_ranks(p)

    def complete(self, partition: int, batch: Any, result: str) -> None:
        """C4.2, C4.4, C4.5, C5.3 to C5.7, C6.4, P5.4."""
        entry = self.entry[partition]
        if result == NONE:
            entry.acked = maximum(entry.acked, batch.sequence)
            batch.place = If(batch.place == SENT, ACKED, batch.place)
            return
        if batch.place == EXPIRED:
            self.request_bump(partition, self.rules.late_error_bumps)
            return
        if any_of(result == INVALID, result == OLD_EPOCH):
            batch.place = FAILED
            self.request_bump(partition, True)
            return
        if result == OUT_OF_ORDER:
            following = If(entry.unresolved >= 0, entry.unresolved, entry.acked + 1)
            excused = all_of(entry.unresolved < 0, batch.reopened)
            self.request_bump(partition, all_of(batch.sequence == following, none_of(excused)))
        batch.place, batch.retried, batch.backoff = AGAIN, True, True

    def request_bump(self, partition: int, wanted: bool) -> None:
        """A partition wants to be renumbered; the next pass does it."""
        self.entry[partition].rewrite = any_of(self.entry[partition].rewrite, wanted)
        self.bump_required = any_of(self.bump_required, wanted)

    @fair
    @action(partition="partitions")
    def back_off_no_more(self, partition: int) -> None:
        """P1.4: retry.backoff.ms passes for the head of a partition."""
        require(self.is_backing_off(partition))
        for b in self.of(partition):
            batch = self.batch[partition][b]
            batch.backoff = all_of(batch.backoff, none_of(self.is_head(partition, b)))

    @fair
    @action(partition=lambda w: w.faulty if w.moves else ())
    def learn_leader(self, partition: int) -> None:
        """New metadata for a partition."""
        require(self.entry[partition].known_leader != self.leader[partition].node)
        self.entry[partition].known_leader = self.leader[partition].node

    # -- what goes wrong -----------------------------------------------------------------------------------

    def drop(self, node: int) -> None:
        """P4.2, C3: everything on a connection is to be sent again, or was given up already."""
        for p in self.parts:
            for b in self.of(p):
                there = any_of(
                    self.wire[node], lambda r, p=p, b=b: all_of(r.items[p].result != ABSENT, r.items[p].batch == b)
                )
                lost = all_of(there, self.at(p, b, SENT))
                self.request_bump(p, all_of(self.rules.late_error_bumps, there, self.at(p, b, EXPIRED)))
                self.batch[p][b].place = If(lost, AGAIN, self.batch[p][b].place)
                self.batch[p][b].retried = any_of(self.batch[p][b].retried, lost)
                self.batch[p][b].backoff = any_of(self.batch[p][b].backoff, lost)
            self.close_ranks(p)
        self.wire[node].clear()

    @action(node=lambda w: w.healthy if w.losses else ())
    def lose(self, node: int) -> None:
        """C3: a connection is lost."""
        require(self.wire[node].length > 0)
        self.spend("losses")
        self.drop(node)

    @fair
    @action(node=lambda w: (w.stuck,) if w.stuck >= 0 and w.patience else ())
    def time_out(self, node: int) -> None:
        """P4.2: request.timeout.ms passes for a node that does not answer."""
        require(self.wire[node].length > 0)
        self.drop(node)

    @action(partition=lambda w: w.faulty if w.moves else (), node="nodes")
    def move(self, partition: int, node: int) -> None:
        """Another node leads a partition; it has all that was acknowledged, and nothing is told to the client."""
        require(self.leader[partition].node != node)
        self.spend("moves")
        self.leader[partition].node = node

    @action(partition=lambda w: w.faulty if w.deadlines else ())
    def expire(self, partition: int) -> None:
        """C7, C7.1: delivery.timeout.ms has passed for the oldest batch of a partition, and the sweep comes to it.

        A pass sweeps after it has resolved and bumped, and goes through what is out in the order of draining.
        """
        require(none_of(self.must_settle()))
        self.spend("deadlines")
        entry, batches = self.entry[partition], self.batch[partition]
        first = [
            all_of(self.is_first(partition, b, QUEUED, AGAIN, SENT), batches[b].turn == 0) for b in self.of(partition)
        ]
        require(any_of(first))
        for b in self.of(partition):
            batch = self.batch[partition][b]
            mark = If(all_of(first[b], batch.retried), batch.sequence + 1, -1)
            entry.unresolved = maximum(entry.unresolved, mark)
            batch.place = If(first[b], EXPIRED, batch.place)
            batch.backoff = all_of(batch.backoff, none_of(first[b]))
        self.close_ranks(partition)

    def how_many_out(self, partition: int) -> Any:
        """How many batches of a partition are out, and not finished."""
        return count(self.at(partition, b, SENT) for b in self.of(partition))

    def close_ranks(self, partition: int) -> None:
        """Those that are still out keep their order; only a sweep asks for it."""
        if not self.deadlines:
            return
        batches, mine = self.batch[partition], self.of(partition)
        out = [self.at(partition, b, SENT) for b in mine]
        before = [count(all_of(out[a], batches[a].turn < batches[b].turn) for a in mine) for b in mine]
        for b in mine:
            batches[b].turn = If(out[b], before[b], 0)
