"""The model's small numbers as Kafka's: producer ids, epochs, sequences. Only this module knows both."""

from __future__ import annotations

from typing import Any

FIRST_PID, FOREIGN_PID = 1_000, 5_000
LAST_EPOCH, SEQUENCES = 32_767, 1 << 31
NOBODY = (-1, -1)


class Numbers:
    """The conversion of the numbers of one spec.

    With `epoch_exhausts` the highest epoch of the model is 32767. With a modulus the warm start ends just before 2^31,
    so a sequence from the warm start on is before the wrap, and a smaller one after it or in a later epoch.
    """

    def __init__(self, spec: Any) -> None:
        self.first_epoch = LAST_EPOCH - spec.epochs if spec.epoch_exhausts else 0
        self.first_sequence = SEQUENCES - spec.modulus if spec.modulus else 0
        self.warm = spec.warm

    def pid(self, pid: int) -> int:
        """A producer id."""
        return -1 if pid < 0 else FIRST_PID + pid

    def pair(self, pid: int, epoch: int) -> tuple[int, int]:
        """Producer id and epoch."""
        return NOBODY if pid < 0 else (FIRST_PID + pid, self.first_epoch + epoch)

    def sequence(self, sequence: int, warm: int | None = None) -> int:
        """A sequence; values below `warm` are after the wrap."""
        before = sequence >= (self.warm if warm is None else warm)
        found = sequence + self.first_sequence if before and sequence >= 0 else sequence
        return found if found < SEQUENCES else -SEQUENCES  # as an int of Java has it
