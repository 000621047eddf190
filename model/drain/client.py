"""The client: what a pass of the Sender drains and repairs, and what answers do to each partition of a request."""

from __future__ import annotations

from typing import Any

from everystate.checker import action, fair, narrate, require

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
        return self.entry[partition].unresolved >= 0 and self.in_flight(partition) == 0

    def must_settle(self) -> bool:
        """Whether the next pass resolves or bumps before it drains."""
        return self.bump_required or any(self.is_unresolved(p) for p in self.parts)

    @fair
    @action
    def settle(self) -> None:
        """P6.1, C8, C9: one epoch for all; only partitions with a mark are renumbered."""
        require(self.must_settle())
        for p in self.parts:
            entry = self.entry[p]
            if self.is_unresolved(p):
                entry.unresolved = -1
                if entry.next - entry.acked != 1:
                    entry.rewrite = True
        if any(entry.rewrite for entry in self.entry):
            self.bump()

    def bump(self) -> None:
        """C9.1, C9.3, C9.4."""
        self.epoch += 1
        narrate(lambda: f"epoch {self.epoch}", at="producer")
        for p in self.parts:
            entry, mine = self.entry[p], self.entry[p].rewrite
            for b in self.of(p):
                batch = self.batch[p][b]
                moved = mine and self.at(p, b, AGAIN, SENT)
                if moved:
                    batch.sequence = sum(self.at(p, a, AGAIN, SENT) for a in range(b))
                    batch.epoch = self.epoch
                batch.reopened = batch.reopened or moved
            if mine:
                entry.next, entry.acked = self.in_flight(p), -1
                entry.epoch, entry.unresolved = self.epoch, -1
            entry.rewrite = False
        self.bump_required = False

    @fair
    @action(node="nodes")
    def drain(self, node: int) -> None:
        """P1, P3: one request to a node that is ready and has room on its connection."""
        require(not self.must_settle())
        require(len(self.wire[node]) < self.max_in_flight)
        require(self.is_ready(node))
        taken = self.run_loop(node)
        items = [self.take(p, taken[p]) for p in self.parts]
        if any(taken):
            self.wire[node].append(Request(answered=False, items=items))

    def take(self, partition: int, taken: Any) -> Item:
        """C2.6: the head of a partition is stamped, unless it is already, and goes into the request."""
        entry, mine = self.entry[partition], self.of(partition)
        heads = [taken and self.is_head(partition, b) for b in mine]
        fresh = any(heads[b] and self.at(partition, b, QUEUED) for b in mine)
        restarts = fresh and entry.epoch != self.epoch
        sequence = 0 if restarts else entry.next
        if restarts:
            entry.acked = -1
        if fresh:
            entry.epoch, entry.next = self.epoch, sequence + 1
        number: Any = 0
        for b in mine:
            batch = self.batch[partition][b]
            if heads[b]:
                if fresh:
                    batch.sequence, batch.epoch = sequence, self.epoch
                batch.reopened = False
                if self.deadlines:
                    batch.turn = self.how_many_out(partition)
                batch.place = SENT
                number = b
        stamped = self.batch[partition][number]
        return Item(
            batch=number,
            epoch=stamped.epoch if taken else 0,
            sequence=stamped.sequence if taken else 0,
            result=UNREAD if taken else ABSENT,
        )

    # -- answers -------------------------------------------------------------------------------------------

    @fair
    @action(node="nodes")
    def read(self, node: int) -> None:
        """P5.2, C4: the results of a request, partition by partition."""
        require(len(self.wire[node]) > 0)
        require(self.wire[node][0].answered)
        require(not self.waits_for_follower(node))
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
            entry.acked = max(entry.acked, batch.sequence)
            if batch.place == SENT:
                batch.place = ACKED
            return
        if batch.place == EXPIRED:
            self.request_bump(partition, self.rules.late_error_bumps)
            return
        if result in (INVALID, OLD_EPOCH):
            batch.place = FAILED
            self.request_bump(partition, True)
            return
        if result == OUT_OF_ORDER:
            following = entry.unresolved if entry.unresolved >= 0 else entry.acked + 1
            excused = entry.unresolved < 0 and batch.reopened
            self.request_bump(partition, batch.sequence == following and not excused)
        batch.place, batch.retried, batch.backoff = AGAIN, True, True

    def request_bump(self, partition: int, wanted: bool) -> None:
        """A partition wants to be renumbered; the next pass does it."""
        self.entry[partition].rewrite = self.entry[partition].rewrite or wanted
        self.bump_required = self.bump_required or wanted

    @fair
    @action(partition="partitions")
    def back_off_no_more(self, partition: int) -> None:
        """P1.4: retry.backoff.ms passes for the head of a partition."""
        require(self.is_backing_off(partition))
        for b in self.of(partition):
            batch = self.batch[partition][b]
            batch.backoff = batch.backoff and not self.is_head(partition, b)

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
                there = any(r.items[p].result != ABSENT and r.items[p].batch == b for r in self.wire[node])
                lost = there and self.at(p, b, SENT)
                self.request_bump(p, self.rules.late_error_bumps and there and self.at(p, b, EXPIRED))
                if lost:
                    self.batch[p][b].place = AGAIN
                self.batch[p][b].retried = self.batch[p][b].retried or lost
                self.batch[p][b].backoff = self.batch[p][b].backoff or lost
            self.close_ranks(p)
        self.wire[node].clear()

    @action(node=lambda w: w.healthy if w.losses else ())
    def lose(self, node: int) -> None:
        """C3: a connection is lost."""
        require(len(self.wire[node]) > 0)
        self.spend("losses")
        self.drop(node)

    @fair
    @action(node=lambda w: (w.stuck,) if w.stuck >= 0 and w.patience else ())
    def time_out(self, node: int) -> None:
        """P4.2: request.timeout.ms passes for a node that does not answer."""
        require(len(self.wire[node]) > 0)
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
        require(not self.must_settle())
        self.spend("deadlines")
        entry, batches = self.entry[partition], self.batch[partition]
        first = [self.is_first(partition, b, QUEUED, AGAIN, SENT) and batches[b].turn == 0 for b in self.of(partition)]
        require(any(first))
        for b in self.of(partition):
            batch = self.batch[partition][b]
            mark = batch.sequence + 1 if first[b] and batch.retried else -1
            entry.unresolved = max(entry.unresolved, mark)
            if first[b]:
                batch.place = EXPIRED
            batch.backoff = batch.backoff and not first[b]
        self.close_ranks(partition)

    def how_many_out(self, partition: int) -> Any:
        """How many batches of a partition are out, and not finished."""
        return sum(self.at(partition, b, SENT) for b in self.of(partition))

    def close_ranks(self, partition: int) -> None:
        """Those that are still out keep their order; only a sweep asks for it."""
        if not self.deadlines:
            return
        batches, mine = self.batch[partition], self.of(partition)
        out = [self.at(partition, b, SENT) for b in mine]
        before = [sum(out[a] and batches[a].turn < batches[b].turn for a in mine) for b in mine]
        for b in mine:
            batches[b].turn = before[b] if out[b] else 0
