"""The high watermark of each partition, derived from the answers that have left their broker (B6.1, B7).

Kafka's own is in classes that are not driven. The model must not decide alone how far the follower is, so the simulated
cluster reports impossible values.
"""

from __future__ import annotations

from collections.abc import Callable


class BrokenRule(Exception):
    """The model requires something that no cluster does."""


def require(holds: bool, rule: str) -> None:
    """BrokenRule, with a rule in words, where it does not hold."""
    if not holds:
        raise BrokenRule(rule)


class HighWatermark:
    """`offsets` is a lower bound for each partition; `fetched` is up to where in-sync followers have the leader's log.

    `settled` is how far that of the present leader certainly is: an answer to what is below leaves at once (B6.2).
    """

    def __init__(self, partitions: int, fetched: Callable[[int], int]) -> None:
        self.offsets, self.settled = [0] * partitions, [0] * partitions
        self.fetched = fetched

    def passed(self, partition: int, offset: int, in_sync: bool) -> None:
        """All in-sync replicas have acknowledged what is below an offset."""
        self.offsets[partition] = max(self.offsets[partition], offset)
        self.settled[partition] = max(self.settled[partition], offset)
        if in_sync:
            condition = f"an answer leaves when the follower has offset {offset - 1} of partition {partition} (B6.1)"
            require(self.fetched(partition) >= offset, condition)

    def may_wait(self, partition: int, end: int) -> None:
        """An answer up to this offset has not left yet: it becomes an error."""
        condition = (
            f"an answer to what lies below offset {self.settled[partition]} of partition {partition} has left (B6.2)"
        )
        require(end > self.settled[partition], condition)

    def elected(self, partition: int, end: int, clean: bool) -> None:
        """Another replica leads, with this log end: from the in-sync set, or what it lacks is lost.

        It gets the high watermark with its fetches, so its own may be behind.
        """
        if clean:
            condition = f"the new leader has all below offset {self.offsets[partition]} of partition {partition} (D3)"
            require(end >= self.offsets[partition], condition)
        self.offsets[partition] = min(self.offsets[partition], end)
        self.settled[partition] = 0
