"""Lemmas for inductive proofs of the safety of lost connections; looked at by `prove --inductive` only.

They describe the states in which connections of an idempotent producer to one leader were lost and nothing else
went wrong, with at most as many batches in flight as a replica remembers. They are no truths about Kafka: any
other fault, another leader, or one batch more in flight breaks them, and the prover then drops what fails.

They say where each batch is. The i-th batch of a partition has sequence warm + i from its first drain on, and
goes to the offset of that number, so all that varies is how far the log, the connection and the answers have got.
"""

from __future__ import annotations

import itertools

from everystate.checker import If, all_of, any_of, count, implies, lemma, none_of

from .properties import Properties
from .records import ACKED, APPENDED, NONE, QUEUED, RETRYING, SENT, UNREAD


class Lemmas(Properties):
    """Where the batches of each partition are: acknowledged, on the wire, waiting for a retry, or queued."""

    @lemma
    def nothing_is_refused(self) -> bool:
        """no answer is an error, so no batch fails or is renumbered (C6, C9) and everything is of epoch 0"""
        states = [self.batch[b] for b in self.sending]
        fine = all_of(any_of(s.status == word for word in (QUEUED, RETRYING, SENT, ACKED)) for s in states)
        answers = all_of(any_of(s.outcome == word for word in (UNREAD, APPENDED, NONE)) for s in states)
        first = all_of((s.epoch == 0) & none_of(s.reopened == 1) for s in states)
        entries = all_of((e.epoch == 0) & none_of(e.rewrite == 1) for e in self.partition)
        return all_of(fine, answers, first, entries, self.epoch == 0)

    @lemma
    def batches_go_in_order(self) -> bool:
        """in a partition come acknowledged batches, then those on the wire, then retries, then the others (C2.5)"""
        return all_of(self.goes_before(a, b) for p in range(self.partitions) for a, b in self.neighbours(p))

    @lemma
    def in_flight_is_bounded(self) -> bool:
        """no partition has more batches in flight than its connection takes: new ones wait for retries (C2, C3)"""
        return all_of(self.flying(p) <= self.max_in_flight for p in range(self.partitions))

    @lemma
    def the_producer_counts(self) -> bool:
        """the next sequence is behind all that is in flight, the last acknowledged one before it (C2.6, C4.5)"""
        return all_of(
            (entry.next_sequence == self.warm + self.acked(p) + self.flying(p))
            & (entry.last_acked == self.warm + self.acked(p) - 1)
            for p, entry in enumerate(self.partition)
        )

    @lemma
    def batches_keep_their_sequence(self) -> bool:
        """a batch in flight has the sequence of its place in the partition, on the wire too (C2.6, C10)"""
        return all_of(
            all_of(
                implies(self.in_flight(b), self.batch[b].sequence == self.number(b)),
                self.batch[b].position == If(self.sent(b), self.number(b), 0),
            )
            for b in self.sending
        )

    @lemma
    def the_connection_carries_what_is_sent(self) -> bool:
        """the connection carries each batch on the wire once, those of a partition in order (C3)"""
        link = self.connection[0]
        carried = all_of(self.on_connection(0, b) == self.sent(b) for b in self.sending)
        once = count(self.sent(b) for b in self.sending) == link.requests.length
        ordered = all_of(
            implies(self.sent(a) & self.sent(b), self.place_of(0, a) < self.place_of(0, b))
            for p in range(self.partitions)
            for a, b in self.neighbours(p)
        )
        return all_of(carried, once, ordered)

    @lemma
    def answers_come_in_order(self) -> bool:
        """the oldest requests of the connection are answered, each with a success (B6, B7)"""
        link = self.connection[0]
        answered = all_of(
            none_of(self.batch[b].outcome == UNREAD)
            == all_of(self.sent(b), self.place_of(0, b) < link.handled)
            for b in self.sending
        )
        return all_of(answered, link.handled <= link.requests.length)

    @lemma
    def the_log_is_in_order(self) -> bool:
        """the log holds the batches of the partition in order, each once and with its sequence (B1.11, B4.4)"""
        return all_of(self.is_entry(p, at) for p in range(self.partitions) for at in range(self.log_capacity))

    @lemma
    def answered_batches_are_in_the_log(self) -> bool:
        """the log has every answered batch and nothing that was never sent, so retries are remembered (B2, B5)"""
        return all_of(
            (self.warm + self.acked(p) + self.answered(p) <= self.log[p].end)
            & (self.log[p].end <= self.warm + self.acked(p) + self.flying(p))
            for p in range(self.partitions)
        )

    # -- words ---------------------------------------------------------------------------------------------

    def neighbours(self, partition: int) -> list[tuple[int, int]]:
        """Each batch of a partition with the one after it."""
        return list(itertools.pairwise(self.batches_of(partition)))

    def goes_before(self, a: int, b: int) -> bool:
        """Whether a batch is no further behind on its way than the one after it."""
        before, after = self.batch[a].status, self.batch[b].status
        return all_of(
            implies(after == ACKED, before == ACKED),
            implies(after == SENT, (before == ACKED) | (before == SENT)),
            implies(after == RETRYING, before != QUEUED),
        )

    def number(self, batch: int) -> int:
        """The sequence of a batch, and its offset."""
        return self.warm + batch // self.partitions

    def sent(self, batch: int) -> bool:
        """Whether a batch is on the wire."""
        return self.batch[batch].status == SENT

    def acked(self, partition: int) -> int:
        """How many batches of a partition are acknowledged."""
        return count(self.batch[b].status == ACKED for b in self.batches_of(partition))

    def flying(self, partition: int) -> int:
        """How many batches of a partition are in flight: on the wire, or waiting for their retry."""
        return count(self.in_flight(b) for b in self.batches_of(partition))

    def answered(self, partition: int) -> int:
        """How many answers of a partition are on their way."""
        return count(none_of(self.batch[b].outcome == UNREAD) for b in self.batches_of(partition))

    def is_entry(self, partition: int, at: int) -> bool:
        """Whether the log has at an offset the batch that belongs there, or ends before."""
        log, batches = self.log[partition], self.batches_of(partition)
        entry, place = log.entries[at], at - self.warm
        if place >= len(batches):
            return log.end <= at
        batch = self.foreign if place < 0 else batches[place]
        right = (entry.batch == batch) & (entry.sequence == at) & (entry.epoch == 0) & (entry.size == 1)
        return implies(at < log.end, right & (entry.pid == 0))
