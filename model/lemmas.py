"""Lemmas for inductive proofs that lost connections are harmless; looked at by `prove --inductive` only.

They describe the states in which connections of an idempotent producer to one leader were lost and nothing else
went wrong, while no more batches are in flight than a replica remembers. They are no truths about Kafka: any
other fault, another leader, or one batch more in flight breaks them, and a proof then does without what fails.

They say where each batch is. The i-th batch of a partition has sequence warm + i from its first drain on, and
goes to the offset of that number, so all that varies is how far the log, the connection and the answers have got.
Each is a condition on single batches and pairs of them: counts would say the same, but solvers are slow at them.
"""

from __future__ import annotations

import itertools

from everystate.checker import If, all_of, any_of, implies, lemma, none_of

from .generation import ON_SUCCESS
from .properties import Properties
from .records import ACKED, APPENDED, NONE, QUEUED, RETRYING, SENT, UNREAD, Log, TxnPartitionEntry


class Lemmas(Properties):
    """Where the batches of each partition are: acknowledged, on the wire, waiting for a retry, or queued."""

    @lemma
    def nothing_is_refused(self) -> bool:
        """no answer is an error, so no batch fails or is renumbered (C6, C9), and the producer id and epoch stay"""
        states = [self.batch[b] for b in self.sending]
        fine = all_of(any_of(s.status == word for word in (QUEUED, RETRYING, SENT, ACKED)) for s in states)
        answers = all_of(any_of(s.outcome == word for word in (UNREAD, APPENDED, NONE)) for s in states)
        first = all_of((s.epoch == 0) & none_of((s.reopened == 1) | (s.forgotten == 1)) for s in states)
        entries = all_of((e.pid == 0) & (e.epoch == 0) & none_of(e.rewrite == 1) for e in self.partition)
        return all_of(fine, answers, first, entries, self.pid == 0, self.epoch == 0)

    @lemma
    def batches_go_in_order(self) -> bool:
        """in a partition come acknowledged batches, then those on the wire, then retries, then the others (C2.5)"""
        pairs = [pair for p in range(self.partitions) for pair in itertools.pairwise(self.batches_of(p))]
        return all_of(self.goes_before(a, b) for a, b in pairs)

    @lemma
    def in_flight_is_bounded(self) -> bool:
        """a batch is acknowledged before the one that is max_in_flight behind it is sent: that waits (C2, C3)"""
        far = self.partitions * self.max_in_flight
        return all_of(
            self.is_in(a, ACKED) | self.is_in(a + far, QUEUED) for a in self.sending if a + far < self.batches
        )

    @lemma
    def the_producer_counts(self) -> bool:
        """the next sequence is behind all that was sent, the last acknowledged one before all in flight (C2.6, C4.5)"""
        return all_of(
            all_of(
                self.is_to_come(b) == (self.number(b) >= self.entry_of(b).next_sequence),
                self.is_in(b, ACKED) == (self.number(b) <= self.entry_of(b).last_acked),
                self.warm - 1 <= self.entry_of(b).last_acked,
                self.warm <= self.entry_of(b).next_sequence,
            )
            for b in self.sending
        )

    @lemma
    def batches_keep_their_sequence(self) -> bool:
        """a batch in flight has the sequence of its place in the partition, on the wire too (C2.6, C10)"""
        return all_of(
            all_of(
                implies(self.in_flight(b), self.batch[b].sequence == self.number(b)),
                implies(self.bears_its_pid(b), self.batch[b].pid == 0),
                self.batch[b].position == If(self.is_in(b, SENT), self.number(b), 0),
            )
            for b in self.sending
        )

    @lemma
    def the_connection_carries_what_is_sent(self) -> bool:
        """the connection carries each batch on the wire once (C3)"""
        places = itertools.combinations(range(self.max_in_flight), 2)
        once = all_of(none_of(self.carries(i, b) & self.carries(j, b) for b in self.sending) for i, j in places)
        return once & all_of(self.on_connection(0, b) == self.is_in(b, SENT) for b in self.sending)

    @lemma
    def the_connection_keeps_the_order(self) -> bool:
        """the connection carries the batches of a partition in their order (C3)"""
        pairs = [pair for p in range(self.partitions) for pair in itertools.combinations(self.batches_of(p), 2)]
        places = list(itertools.combinations(range(self.max_in_flight), 2))
        return none_of(self.carries(i, b) & self.carries(j, a) for a, b in pairs for i, j in places)

    @lemma
    def answers_come_in_order(self) -> bool:
        """the oldest requests of the connection are answered, and nothing else is (B6, B7)"""
        link = self.connection[0]
        wired = all_of(implies(self.is_answered(b), self.is_in(b, SENT)) for b in self.sending)
        oldest = all_of(
            implies(self.carries(i, b), self.is_answered(b) == (i < link.handled))
            for i in range(self.max_in_flight)
            for b in self.sending
        )
        return all_of(wired, oldest, link.handled <= link.requests.length)

    @lemma
    def the_log_is_in_order(self) -> bool:
        """the log holds the batches of the partition in order, each once and with its sequence (B1.11, B4.4)"""
        return all_of(self.is_entry(p, at) for p in range(self.partitions) for at in range(self.log_capacity))

    @lemma
    def the_log_has_what_was_answered(self) -> bool:
        """the log has every batch that was answered or acknowledged, and none that was never sent (B2, B6)"""
        return all_of(
            all_of(
                implies(self.is_in(b, ACKED) | self.is_answered(b), self.number(b) < self.log_of(b).end),
                implies(self.is_in(b, QUEUED), self.log_of(b).end <= self.number(b)),
                self.warm <= self.log_of(b).end,
            )
            for b in self.sending
        )

    # -- words ---------------------------------------------------------------------------------------------

    def goes_before(self, a: int, b: int) -> bool:
        """Whether a batch is no further behind on its way than the one after it."""
        before = self.batch[a].status
        return all_of(
            implies(self.is_in(b, ACKED), before == ACKED),
            implies(self.is_in(b, SENT), (before == ACKED) | (before == SENT)),
            implies(self.is_in(b, RETRYING), before != QUEUED),
        )

    def is_to_come(self, batch: int) -> bool:
        """Whether the next sequence has not passed a batch: it does when drained, in 0.11 when acknowledged."""
        if self.client.sequence_advances == ON_SUCCESS:
            return none_of(self.is_in(batch, ACKED))
        return self.is_in(batch, QUEUED)

    def bears_its_pid(self, batch: int) -> bool:
        """Whether a batch has a producer id: on its way to the broker, and until 2.4 as long as it is in flight."""
        if self.keeps_identity:
            return self.in_flight(batch)
        return self.is_in(batch, SENT) & none_of(self.is_answered(batch))

    def number(self, batch: int) -> int:
        """The sequence of a batch, and its offset."""
        return self.warm + batch // self.partitions

    def entry_of(self, batch: int) -> TxnPartitionEntry:
        """What the producer knows of the partition of a batch."""
        return self.partition[self.partition_of(batch)]

    def log_of(self, batch: int) -> Log:
        """The log that a batch goes to."""
        return self.log[self.partition_of(batch)]

    def is_in(self, batch: int, status: str) -> bool:
        """Whether a batch has a status."""
        return self.batch[batch].status == status

    def is_answered(self, batch: int) -> bool:
        """Whether the answer of a batch is on its way."""
        return none_of(self.batch[batch].outcome == UNREAD)

    def carries(self, place: int, batch: int) -> bool:
        """Whether a batch is at a place of the connection."""
        requests = self.connection[0].requests
        return If(requests.length > place, lambda: requests[place] == batch, False)

    def is_entry(self, partition: int, at: int) -> bool:
        """Whether the log has at an offset the batch that belongs there, or ends before."""
        log, batches = self.log[partition], self.batches_of(partition)
        entry, place = log.entries[at], at - self.warm
        if place >= len(batches):
            return log.end <= at
        batch = self.foreign if place < 0 else batches[place]
        right = (entry.batch == batch) & (entry.sequence == at) & (entry.epoch == 0) & (entry.size == 1)
        return implies(at < log.end, right & (entry.pid == 0))
