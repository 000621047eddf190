"""Connections: one FIFO to each broker (C3), what is lost with it, and what is still executed (B7)."""

from __future__ import annotations

from everystate.checker import choose, narrate, require

from .generation import CONNECTION_OR_LEADER
from .producer import Producer
from .records import FAILED, RETRYING, SENT, UNKNOWN, UNREAD, Request


class Connections(Producer):
    """NetworkClient and InFlightRequests."""

    def lose_connection(self, broker: int) -> None:
        """C3: all of W(n) fails with NETWORK_EXCEPTION, oldest first; no later answer of it can arrive.

        The producer notices in a poll, behind the sweep of the pass that has begun (C1.6, C1.7); as no broker sees a
        sweep, a loss before that is the same as one behind it.
        """
        if broker not in self.used_brokers:
            return
        self.poll_may_come()
        self.tell_lost(broker)
        if self.acks == "0":
            self.connection[broker].requests.clear()
            return
        if not self.client.idempotent:
            self.order_of_the_deque(broker)
        for batch in self.sending if self.shifts_when_lost else ():
            self._shift_for(broker, batch)
        adjusted = [(p, self._fails_with_adjustment(broker, p)) for p in range(self.partitions)]
        for batch in self.sending:
            self._lose(broker, batch)
        for p, adjust in adjusted:
            self.request_bump(p, adjust)
        if self.client.limit_restarts == CONNECTION_OR_LEADER:
            self.forget_limits()  # K3: the limit is 5 at the start of a connection
        link = self.connection[broker]
        link.requests.clear()
        link.handled = 0
        self.sweep_what_is_free()

    def tell_lost(self, broker: int) -> None:
        """A story's line for a connection that is lost; of an idle one there is nothing to tell."""
        node, requests = self.node(broker), self.connection[broker].requests
        narrate(lambda: "connection lost" if len(requests) > 0 else "", source="producer", target=node, lost=True)

    def on_connection(self, broker: int, batch: int) -> bool:
        """Whether the batch is in W(broker)."""
        return batch in self.connection[broker].requests

    def _lose(self, broker: int, batch: int) -> None:
        """C4.2 or C4.4 for one batch, merged: every batch of the connection does the same."""
        state, here = self.batch[batch], self.on_connection(broker, batch)
        gone = here and state.status == SENT
        stale = (state.forgotten == 1) if self.keeps_identity else False
        again = gone and self.may_retry(batch) and not stale
        refused = gone and not again
        cleared = refused or (here and not gone)
        failure = (FAILED if self.may_retry(batch) else UNKNOWN) if self.keeps_identity else UNKNOWN
        most = 1 if self.retries < 0 else self.retries
        if most:
            attempts = (state.attempts + 1 if state.attempts < most else most) if again else state.attempts
            state.attempts = 0 if cleared else attempts
        state.status = RETRYING if again else failure if refused else state.status
        state.reopened = not refused and state.reopened == 1
        if cleared:
            state.sequence = 0
        if here:
            state.position = 0
            state.outcome = UNREAD
        state.carried = not here and state.carried == 1
        dropped = cleared if self.keeps_identity else here
        if dropped:
            state.pid = self.no_pid
            state.epoch = 0
        if self.keeps_identity:
            state.forgotten = not refused and state.forgotten == 1
        elif self.compares_pairs:
            state.forgotten = not here and state.forgotten == 1

    def _shift_for(self, broker: int, batch: int) -> None:
        """2.1 to 2.4: what is refused its retry, or has expired on the wire, shifts the later sequences down (C6)."""
        here = self.on_connection(broker, batch)
        refused = self.batch[batch].status != SENT or not self.may_retry(batch)
        self.shift_down(batch, here and refused and self.attempts_left(batch))

    def _fails_with_adjustment(self, broker: int, partition: int) -> bool:
        """C6.4: whether a batch is refused its retry because its delivery timeout has passed."""
        if not self.deadlines or not self.client.bumps:
            return False
        sent = {b: self.on_connection(broker, b) and self.batch[b].status == SENT for b in self.batches_of(partition)}
        adjusts = {b: self.attempts_left(b) and self.failure_counts(b) for b in sent}
        refused = any(sent[b] and not self.may_retry(b) and adjusts[b] for b in sent)
        if not self.client.told_again:
            return refused
        finished = {b: self.on_connection(broker, b) and self.batch[b].status != SENT for b in sent}
        return refused or any(finished[b] and adjusts[b] for b in finished)

    def order_of_the_deque(self, broker: int) -> None:
        """Without idempotence a retry goes to the front of the deque: the last to fail is the first to go out.

        `sequence` has no other use there and holds the place of a batch in the queue of retries.
        """
        link, turns = self.connection[broker], self.turns_on(broker)
        for b in self.sending:
            state, here = self.batch[b], self.on_connection(broker, b)
            waiting = not here and state.status == RETRYING
            behind = len(link.requests) - turns[b] if here else state.sequence
            moved = state.sequence + len(link.requests) if waiting else behind
            state.sequence = max(min(moved, self.batches - 1), 0)

    def turns_on(self, broker: int) -> list[int]:
        """The place of every batch on the connection, from 1 on; 0 where it is not there."""
        requests, turns = self.connection[broker].requests, [0 for _ in self.sending]
        for i in range(self.max_in_flight):
            there = requests[i] if len(requests) > i else -1
            turns = [i + 1 if there == b else turn for b, turn in enumerate(turns)]
        return turns

    def stamped(self, batch: int) -> Request:
        """The request of a batch that is on the wire, as it was when it was sent."""
        state = self.batch[batch]
        size = self.size(batch) if isinstance(batch, int) else self.size(0) if batch == 0 else 1
        return Request(batch=batch, pid=state.pid, epoch=state.epoch, sequence=state.position, size=size)

    def let_survive(self, broker: int) -> None:
        """A prefix of the unread requests will still be executed."""
        link = self.connection[broker]
        number = choose(range(self.survivors + 1))
        if number == 0:
            return
        require(self.leader == broker and len(self.surviving) == 0)
        require(len(link.requests) - link.handled >= number)
        for i in range(number):
            self.surviving.append(self.stamped(link.requests[link.handled + i]))
        oldest = "the oldest unread request" if number == 1 else f"the oldest {number} unread requests"
        narrate(f"will still execute {oldest}", at=self.node(broker))
