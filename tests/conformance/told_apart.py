"""Behaviours that walks hardly meet, each with the mistake in the model that it tells apart."""

from __future__ import annotations

from typing import Any

from everystate.checker import If, action, none_of
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import Turn
from everystate.model.records import APPENDED, NO_SEQUENCE

SEND_0, SEND_1 = (Turn("send", (("batch", batch),)) for batch in (0, 1))
AGAIN, PASSES = Turn("send_again", (("batch", 0),)), Turn("delivery_timeout", (("batch", 0),))
SWEEP = Turn("expire_batches", (("sweep", 0),))


class KnowsOldEpochs(KafkaProducer):
    """B2 as it is not: a duplicate is looked for in the batches of older epochs, too."""

    def duplicate_of(self, broker: int, request: Any) -> int:
        p, found = self.partition_of(request.batch), -1
        for at in range(self.log_capacity):
            entry = self.log[p].entries[at]
            same = (entry.sequence == request.sequence) & (entry.size == request.size) & (entry.epoch == request.epoch)
            found = If(self.is_known(broker, p, at, request.pid) & same, at, found)
        return found


OLD_EPOCH = {"warm": 0, "replicas": 2, "leader_changes": 2, "disconnects": 1, "deadlines": 1, "faults": 4, "epochs": 2}
RETRY_OF_AN_OLD_EPOCH = (
    SEND_0,
    Turn("handle", (("broker", 0), ("batch", 0))),
    Turn("disconnect", (("broker", 0),)),
    AGAIN,
    Turn("change_leader", (("broker", 1),), (1,)),
    Turn("learn_leader", (("broker", 1),)),
    PASSES,
    SWEEP,
    Turn("start_loop", (("loop", 0),)),
    SEND_1,
    Turn("handle", (("broker", 1), ("batch", 1))),
    Turn("change_leader", (("broker", 0),), (2, True)),
    Turn("handle", (("broker", 0), ("batch", 0))),
)
"""b0 is in the log, expires in retry, and its request is handled when b1 has begun the next epoch."""


class KeepsTheMarkOfTheSession(KafkaProducer):
    """C13 as it is not: a new session of the producer has the unresolved sequence of the old one."""

    @action(session=lambda w: range(1 if w.producer_restarts else 0))
    def restart_producer(self, session: int) -> None:
        marked = [int(self.partition[p].unresolved) for p in range(self.partitions)]
        super().restart_producer(session)
        for p in range(self.partitions):
            self.partition[p].unresolved = marked[p]


NEW_SESSION = {"warm": 0, "replicas": 1, "refusals": 1, "deadlines": 1, "producer_restarts": 1, "pids": 2, "faults": 3}
RESTART_WITH_A_MARK = (
    SEND_0,
    Turn("refuse", (("broker", 0), ("batch", 0))),
    Turn("read_answer", (("broker", 0), ("batch", 0))),
    AGAIN,
    SEND_1,
    PASSES,
    SWEEP,
    Turn("restart_producer", (("session", 0),)),
)
"""b0 has expired in retry, b1 is on the wire, and the producer starts again."""


class SparesWhatWasRenumbered(KafkaProducer):
    """C5.5 as it is not: at the unresolved sequence a batch that was renumbered on the wire requests no bump."""

    def next_in_line(self, batch: int) -> bool:
        entry, reopened = self.partition[self.partition_of(batch)], self.batch[batch].reopened == 1
        return super().next_in_line(batch) & none_of((entry.unresolved != NO_SEQUENCE) & reopened)


RENUMBERED = {
    "warm": 2,
    "batches": 3,
    "max_in_flight": 3,
    "replicas": 1,
    "refusals": 1,
    "invalid_records": 1,
    "deadlines": 1,
    "faults": 3,
    "epochs": 3,
}
AT_THE_MARK = (
    SEND_0,
    SEND_1,
    Turn("send", (("batch", 2),)),
    Turn("refuse", (("broker", 0), ("batch", 0))),
    Turn("reject", (("broker", 0), ("batch", 1))),
    Turn("handle", (("broker", 0), ("batch", 2))),
    Turn("read_answer", (("broker", 0), ("batch", 0))),
    Turn("read_answer", (("broker", 0), ("batch", 1))),
    Turn("start_loop", (("loop", 0),)),
    PASSES,
    SWEEP,
    Turn("read_answer", (("broker", 0), ("batch", 2))),
)
"""b1 fails, so b0 and b2 are renumbered, b2 on the wire; b0 expires in retry, and b2 was out of order."""


class HalvesStayReopened(KafkaProducer):
    """C11 as it is not: the first half of a batch that was renumbered on the wire counts as renumbered there, too."""

    def split(self, batch: int) -> None:
        reopened = bool(self.batch[batch].reopened)
        super().split(batch)
        self.batch[batch].reopened = reopened


TWO_RECORDS = {
    "warm": 0,
    "batches": 3,
    "max_in_flight": 2,
    "replicas": 1,
    "refusals": 1,
    "invalid_records": 1,
    "too_large": 1,
    "faults": 3,
    "epochs": 2,
}
SPLIT_ON_THE_WIRE = (
    SEND_0,
    Turn("send", (("batch", 2),)),
    Turn("refuse", (("broker", 0), ("batch", 0))),
    Turn("read_answer", (("broker", 0), ("batch", 0))),
    AGAIN,
    Turn("reject", (("broker", 0), ("batch", 2))),
    Turn("read_answer", (("broker", 0), ("batch", 2))),
    Turn("start_loop", (("loop", 0),)),
    Turn("find_too_large", (("broker", 0), ("batch", 0))),
    Turn("read_answer", (("broker", 0), ("batch", 0))),
)
"""b0 is on the wire for the second time when b2 fails, so it is renumbered there; its answer: it is too large."""


class AcceptsAnythingBehindTheWrap(KafkaProducer):
    """B4.4 as it is not: behind the last sequence before the wrap any sequence may follow."""

    def refusal(self, broker: int, request: Any) -> str:
        exists, epoch, last = self.last_known(broker, self.partition_of(request.batch), request.pid)
        turns = exists & (request.epoch == epoch) & (last + 1 == self.modulus)
        return If(turns, APPENDED, super().refusal(broker, request))


AT_THE_WRAP = {"warm": 12, "modulus": 13, "batches": 3, "max_in_flight": 3, "replicas": 1, "refusals": 1, "faults": 1}
GAP_BEHIND_THE_WRAP = (
    SEND_0,
    SEND_1,
    Turn("send", (("batch", 2),)),
    Turn("handle", (("broker", 0), ("batch", 0))),
    Turn("refuse", (("broker", 0), ("batch", 1))),
    Turn("handle", (("broker", 0), ("batch", 2))),
)
"""b0 has the last sequence before the wrap, b1 with sequence 0 is refused, and b2 with sequence 1 comes."""


class LoadsWhatHasExpired(KafkaProducer):
    """D8 as it was here: before the last fault but one, a clean restart loads the row of a producer that expired."""

    def restart_cleanly_at(self, broker: int, partition: int, end: int) -> None:
        replica = self.replica[partition][broker]
        replica.lost = If(self.faults_left == 2, 0, replica.lost)
        super().restart_cleanly_at(broker, partition, end)


EXPIRED = {"batches": 2, "replicas": 2, "leader_changes": 2, "clean_restarts": 1, "expiries": 1, "faults": 4}
RESTART_BEHIND_AN_EXPIRY = (
    SEND_0,
    Turn("handle", (("broker", 0), ("batch", 0))),
    Turn("read_answer", (("broker", 0), ("batch", 0))),
    Turn("expire_producers", (("broker", 0), ("partition", 0))),
    SEND_1,
    Turn("handle", (("broker", 0), ("batch", 1))),
    Turn("change_leader", (("broker", 1),), (2,)),
    Turn("restart_cleanly", (("broker", 0),), (2,)),
)
"""Broker 0 has expired the producer, learns of it again by b1 and by the replay when b1 is cut off, and restarts."""
