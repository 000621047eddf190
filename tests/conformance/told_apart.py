"""Mistakes in the model that no walk has met, each with the rare behaviour that tells it (specs/kafka/rare.py)."""

from __future__ import annotations

from typing import Any

from everystate.checker import action
from everystate.model import KafkaProducer
from everystate.model.records import APPENDED, NO_SEQUENCE
from everystate.specs.kafka.rare_steps import environment


class KnowsOldEpochs(KafkaProducer):
    """B2 as it is not: a duplicate is looked for in the batches of older epochs, too."""

    def duplicate_of(self, broker: int, request: Any) -> int:
        p, found = self.partition_of(request.batch), -1
        for at in range(self.log_capacity):
            entry = self.log[p].entries[at]
            same = entry.sequence == request.sequence and entry.size == request.size and entry.epoch == request.epoch
            if self.is_known(broker, p, at, request.pid) and same:
                found = at
        return found


class KeepsTheMarkOfTheSession(KafkaProducer):
    """C13 as it is not: a new session of the producer has the unresolved sequence of the old one."""

    @action(session=lambda w: range(1 if w.producer_restarts else 0))
    def restart_producer(self, session: int) -> None:
        marked = [int(self.partition[p].unresolved) for p in range(self.partitions)]
        super().restart_producer(session)
        for p in range(self.partitions):
            self.partition[p].unresolved = marked[p]


class SparesWhatWasRenumbered(KafkaProducer):
    """C5.5 as it is not: at the unresolved sequence a batch that was renumbered on the wire requests no bump."""

    def next_in_line(self, batch: int) -> bool:
        entry, reopened = self.partition[self.partition_of(batch)], self.batch[batch].reopened == 1
        return super().next_in_line(batch) and not (entry.unresolved != NO_SEQUENCE and reopened)


class HalvesStayReopened(KafkaProducer):
    """C11 as it is not: the first half of a batch that was renumbered on the wire counts as renumbered there, too."""

    def split(self, batch: int) -> None:
        reopened = bool(self.batch[batch].reopened)
        super().split(batch)
        self.batch[batch].reopened = reopened


class AcceptsAnythingBehindTheWrap(KafkaProducer):
    """B4.4 as it is not: behind the last sequence before the wrap any sequence may follow."""

    def refusal(self, broker: int, request: Any) -> str:
        exists, epoch, last = self.last_known(broker, self.partition_of(request.batch), request.pid)
        turns = exists and request.epoch == epoch and last + 1 == self.modulus
        return APPENDED if turns else super().refusal(broker, request)


class LoadsWhatHasExpired(KafkaProducer):
    """D8 as it was here: before the last fault but one, a clean restart loads the row of a producer that expired."""

    def restart_cleanly_at(self, broker: int, partition: int, end: int) -> None:
        replica = self.replica[partition][broker]
        if self.faults_left == 2:
            replica.lost = 0
        super().restart_cleanly_at(broker, partition, end)


class RefusesWhatIsDeleted(KafkaProducer):
    """B6.2 as it is not: an election refuses the answer to a record that retention has deleted."""

    def let_answers_leave(self, partition: int) -> None:
        pass


class WaitsForNobody(KafkaProducer):
    """B6.2 as it is not: a leader that is alone in sync waits with its answers, also to what is deleted."""

    def leaves_at_once(self, partition: int, offset: int) -> str:
        return APPENDED


class RisesForTooFew(KafkaProducer):
    """B6.1 as it was until 3.6: the high watermark rises while too few are in sync."""

    def high_watermark_stands(self) -> bool:
        return False


TOLD_APART = (
    (KnowsOldEpochs, "a batch of an older epoch is no duplicate, though it is in the log", "connection to broker 0"),
    (KeepsTheMarkOfTheSession, "a new session has no unresolved sequence", "unresolved sequence of partition 0"),
    (
        SparesWhatWasRenumbered,
        "at the unresolved sequence nobody asks whether a batch was renumbered on the wire",
        "bump requested for partition 0",
    ),
    (
        HalvesStayReopened,
        "a half of a batch that was renumbered on the wire and then split begins anew",
        "in flight of partition 0",
    ),
    (
        AcceptsAnythingBehindTheWrap,
        "behind the last sequence before the wrap only 0 follows",
        "connection to broker 0",
    ),
    (
        LoadsWhatHasExpired,
        "the row of a producer that has expired is not loaded",
        "remembered by broker 0 of partition 0",
    ),
)
"""The mistake, the behaviour whose last step tells it, and by what."""

HIGH_WATERMARK = (
    (
        RefusesWhatIsDeleted,
        environment(replicas=2, retentions=1, leader_changes=1),
        "send 0; handle 0 0; delete 0; change 1: 1 0 0",
    ),
    (
        WaitsForNobody,
        environment(replicas=2, isr_shrinks=1, leader_changes=1),
        "shrink 1; send 0; handle 0 0; rejoin 1; change 1: 1 0",
    ),
    (
        WaitsForNobody,
        environment(replicas=2, isr_shrinks=1, late_errors=1),
        "shrink 1; send 0; handle 0 0; late 0 0",
    ),
    (
        WaitsForNobody,
        environment(replicas=2, retentions=1, disconnects=1, late_errors=1),
        "send 0; handle 0 0; delete 0; lose 0; again 0; handle 0 0; late 0 0",
    ),
    (
        RisesForTooFew,
        environment(replicas=2, min_insync=2, isr_shrinks=1, retentions=1),
        "send 0; handle 0 0; shrink 1: 0; delete 0",
    ),
)
"""The mistake, a environment, and steps of which no cluster takes the last one: of the high watermark."""
