"""The model of transactions: one transactional id, its coordinator and producers, the leaders of its partitions."""

from __future__ import annotations

from everystate.checker import implies, invariant

from .properties import Properties
from .records import (
    ABORTABLE,
    ABORTING,
    COMMITTING,
    FATAL,
    NEW,
    ONGOING,
    OPEN,
    RENEWING,
    STUCK,
)

INSIDE = (OPEN, ABORTABLE, COMMITTING, ABORTING, RENEWING, STUCK, FATAL)
"""Who is in a transaction, or has died in one."""


class KafkaTransactions(Properties):
    """Apache Kafka's transactions, from KIP-98 to KIP-890 part 2."""

    # -- what users may wish for, beyond the promises

    @invariant
    def NoNeedlessEnd(self) -> bool:
        """a producer has a fatal error only if a further one has started"""
        return not any(
            self.told_of(
                self.is_at_its_end(s) and not any(self.has_started(r) for r in range(s + 1, self.sessions)),
                f"producer {s} is at its end, although none has replaced it",
            )
            for s in range(self.sessions)
        )

    @invariant
    def NoNeedlessAbort(self) -> bool:
        """where nothing goes wrong no producer must abort its transaction"""
        return implies(self.faults_left == self.budget, not any(me.status == ABORTABLE for me in self.producer))

    @invariant
    def FencedByEpoch(self) -> bool:
        """a record of an epoch that is over is refused as that, with INVALID_PRODUCER_EPOCH"""
        return self.misled == 0

    def is_at_its_end(self, session: int) -> bool:
        """Whether a producer can do nothing more."""
        status = self.producer[session].status
        return status in (FATAL, STUCK)

    def has_started(self, session: int) -> bool:
        """Whether a producer was started."""
        return self.producer[session].status != NEW


class Owned(KafkaTransactions):
    """The same, and whose transaction it is that the coordinator has: a class of its own, since few scenarios ask."""

    @invariant
    def NoTransactionOfNobody(self) -> bool:
        """a transaction is ongoing at the coordinator only while a producer is in one, or has died in one"""
        inside = any(me.status in INSIDE for me in self.producer)
        return implies(self.coordinator.state == ONGOING, inside)
