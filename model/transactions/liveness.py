"""That no transaction hangs for ever, as long as nobody stops for ever."""

from __future__ import annotations

from everystate.checker import action, fair, leads_to, narrate, require

from .properties import Properties
from .records import ONGOING


class Ending(Properties):
    """Apache Kafka's transactions, and that each one ends, at the coordinator and in every partition.

    All that is no fault is fair, and so is the timeout of a transaction, which is none here: producers may die, the
    coordinator may not. What is delayed on a closed connection need not arrive, although requests that were read are
    answered. Judging takes the whole graph of steps; hence a class of its own.
    """

    @fair
    @action
    def time_out_at_last(self) -> None:
        """T5.2: however long it takes."""
        require(self.coordinator.state == ONGOING)
        narrate("the transaction has timed out", at="coordinator")
        self.fence()

    @leads_to(partition="partitions")
    def every_record_is_decided(self, partition: int) -> tuple[bool, bool]:
        """the last stable offset reaches the end of the log in the end"""
        stable = self.stable(partition) == self.log[partition].end
        return not stable, stable

    @leads_to
    def every_transaction_ends(self) -> tuple[bool, bool]:
        """a transaction that the coordinator has begun is complete in the end"""
        busy = self.coordinator.state == ONGOING or self.preparing()
        return busy, not busy
