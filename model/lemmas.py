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

from everystate.checker import implies, lemma

from .generation import ON_SUCCESS
from .properties import Properties
from .records import ACKED, APPENDED, NONE, QUEUED, RETRYING, SENT, UNREAD, Log, TxnPartitionEntry


class Lemmas(Properties):
    """Where the batches of each partition are: acknowledged, on the wire, waiting for a retry, or queued."""

    @lemma
    def nothing_is_refused(self) -> bool:
        """no answer is an error, so no batch fails or is renumbered (C6, C9), and the producer id and epoch stay"""
        states = [self.batch[b] for b in self.sending]
        fine = all(s.status in (QUEUED, RETRYING, SENT, ACKED) for s in states)
        answers = all(s.outcome in (UNREAD, APPENDED, NONE) for s in states)
        first = all(s.epoch == 0 and not (s.reopened == 1 or s.forgotten == 1) for s in states)
        entries = all(e.pid == 0 and e.epoch == 0 and e.rewrite != 1 for e in self.partition)
        return fine and answers and first and entries and self.pid == 0 and self.epoch == 0

    @lemma
    def batches_go_in_order(self) -> bool:
        """in a partition come acknowledged batches, then those on the wire, then retries, then the others (C2.5)"""
        pairs = [pair for p in range(self.partitions) for pair in itertools.pairwise(self.batches_of(p))]
        return all(self.goes_before(a, b) for a, b in pairs)

    @lemma
    def in_flight_is_bounded(self) -> bool:
        """a batch is acknowledged before the one that is max_in_flight behind it is sent: that waits (C2, C3)"""
        far = self.partitions * self.max_in_flight
        return all(self.is_in(a, ACKED) or self.is_in(a + far, QUEUED) for a in self.sending if a + far < self.batches)

    @lemma
    def the_producer_counts(self) -> bool:
        """the next sequence is behind all that was sent, the last acknowledged one before all in flight (C2.6, C4.5)"""
        return all(
            self.is_to_come(b) == (self.number(b) >= self.entry_of(b).next_sequence)
            and self.is_in(b, ACKED) == (self.number(b) <= self.entry_of(b).last_acked)
            and self.warm - 1 <= self.entry_of(b).last_acked
            and self.warm <= self.entry_of(b).next_sequence
            for b in self.sending
        )

    @lemma
    def batches_keep_their_sequence(self) -> bool:
        """a batch in flight has the sequence of its place in the partition, on the wire too (C2.6, C10)"""
        return all(
            implies(self.in_flight(b), self.batch[b].sequence == self.number(b))
            and implies(self.bears_its_pid(b), self.batch[b].pid == 0)
            and self.batch[b].position == (self.number(b) if self.is_in(b, SENT) else 0)
            for b in self.sending
        )

    @lemma
    def the_connection_carries_what_is_sent(self) -> bool:
        """the connection carries each batch on the wire once (C3)"""
        places = itertools.combinations(range(self.max_in_flight), 2)
        once = all(not any(self.carries(i, b) and self.carries(j, b) for b in self.sending) for i, j in places)
        return once and all(self.on_connection(0, b) == self.is_in(b, SENT) for b in self.sending)

    @lemma
    def the_connection_keeps_the_order(self) -> bool:
        """the connection carries the batches of a partition in their order (C3)"""
        pairs = [pair for p in range(self.partitions) for pair in itertools.combinations(self.batches_of(p), 2)]
        places = list(itertools.combinations(range(self.max_in_flight), 2))
        return not any(self.carries(i, b) and self.carries(j, a) for a, b in pairs for i, j in places)

    @lemma
    def answers_come_in_order(self) -> bool:
        """the oldest requests of the connection are answered, and nothing else is (B6, B7)"""
        link = self.connection[0]
        wired = all(implies(self.is_answered(b), self.is_in(b, SENT)) for b in self.sending)
        oldest = all(
            implies(self.carries(i, b), self.is_answered(b) == (i < link.handled))
            for i in range(self.max_in_flight)
            for b in self.sending
        )
        return wired and oldest and link.handled <= len(link.requests)

    @lemma
    def the_log_is_in_order(self) -> bool:
        """the log holds the batches of the partition in order, each once and with its sequence (B1.11, B4.4)"""
        return all(self.is_entry(p, at) for p in range(self.partitions) for at in range(self.log_capacity))

    @lemma
    def the_log_has_what_was_answered(self) -> bool:
        """the log has every batch that was answered or acknowledged, and none that was never sent (B2, B6)"""
        return all(
            implies(self.is_in(b, ACKED) or self.is_answered(b), self.number(b) < self.log_of(b).end)
            and implies(self.is_in(b, QUEUED), self.log_of(b).end <= self.number(b))
            and self.warm <= self.log_of(b).end
            for b in self.sending
        )

    # -- words ---------------------------------------------------------------------------------------------

    def goes_before(self, a: int, b: int) -> bool:
        """Whether a batch is no further behind on its way than the one after it."""
        before = self.batch[a].status
        return (
            implies(self.is_in(b, ACKED), before == ACKED)
            and implies(self.is_in(b, SENT), before in (ACKED, SENT))
            and implies(self.is_in(b, RETRYING), before != QUEUED)
        )

    def is_to_come(self, batch: int) -> bool:
        """Whether the next sequence has not passed a batch: it does when drained, in 0.11 when acknowledged."""
        if self.client.sequence_advances == ON_SUCCESS:
            return not self.is_in(batch, ACKED)
        return self.is_in(batch, QUEUED)

    def bears_its_pid(self, batch: int) -> bool:
        """Whether a batch has a producer id: on its way to the broker, and until 2.4 as long as it is in flight."""
        if self.keeps_identity:
            return self.in_flight(batch)
        return self.is_in(batch, SENT) and not self.is_answered(batch)

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
        return self.batch[batch].outcome != UNREAD

    def carries(self, place: int, batch: int) -> bool:
        """Whether a batch is at a place of the connection."""
        requests = self.connection[0].requests
        return len(requests) > place and requests[place] == batch

    def is_entry(self, partition: int, at: int) -> bool:
        """Whether the log has at an offset the batch that belongs there, or ends before."""
        log, batches = self.log[partition], self.batches_of(partition)
        entry, place = log.entries[at], at - self.warm
        if place >= len(batches):
            return log.end <= at
        batch = self.foreign if place < 0 else batches[place]
        right = entry.batch == batch and entry.sequence == at and entry.epoch == 0 and entry.size == 1
        return implies(at < log.end, right and entry.pid == 0)
