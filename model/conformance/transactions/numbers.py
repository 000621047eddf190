"""Translates the producer ids and epochs of the model, which are small, into those that Kafka has."""

from __future__ import annotations

from dataclasses import dataclass

from .coordinator import FIRST_PID, NO_ID

HIGHEST = 32_767


@dataclass(frozen=True)
class Numbers:
    """Producer ids and epochs. The exhausted epochs of the model are those of Kafka.

    Below them, epochs of an id that begins with a history are counted from the highest, those of any other from 0. So a
    walk ends where an epoch of the second kind is about to be exhausted, which in Kafka it is not.
    """

    highest: int
    start: int

    def pid(self, pid: int) -> int:
        """A producer id, or none."""
        return NO_ID if pid < 0 else FIRST_PID + pid

    def epoch(self, pid: int, epoch: int) -> int:
        """An epoch of a producer id."""
        from_above = epoch >= self.highest - 1 or (pid == 0 and self.start >= 0)
        return HIGHEST - self.highest + epoch if from_above and epoch >= 0 else epoch

    def fits(self, pid: int, epoch: int) -> bool:
        """Whether the epoch that the coordinator has is as far from the highest as Kafka's, or both are far from it."""
        return (pid == 0 and self.start >= 0) or epoch < self.highest - 1
