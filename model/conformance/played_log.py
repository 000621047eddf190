"""A simulated log of a replica for releases without one in Java (before 4.1): the model decides the fate of a batch.

So a client of such a release is compared with the model, using the model's brokers. Offsets are assigned here; all
other observables of a log, its content and its memory of producers, are the model's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..records import APPENDED, NONE, RETRIABLE
from .codec import NO_ERROR, Answer
from .driver import Move

ANY_RETRIABLE = "REQUEST_TIMED_OUT"
ELSEWHERE = 1_000_000
"""An offset without a batch of the trace."""


class PlayedLog:
    """A replica; `move` is the step that is being taken, None during the warm start."""

    def __init__(self, partition: int, move: Callable[[], Move | None]) -> None:
        self.partition, self.move = partition, move
        self.offsets: list[int] = []
        self.start = self.end = 0

    def append(self, records: Any, leader_epoch: int) -> Answer:
        """What the model's leader does with the batch of a produce request."""
        move = self.move()
        if move is None or move.ends[self.partition] > len(self.offsets):
            return Answer(NO_ERROR, self._grow(sum(1 for _ in records.records())))
        outcome, place = move.answered
        if outcome in (APPENDED, NONE):
            return Answer(NO_ERROR, self.offsets[place] if place < len(self.offsets) else ELSEWHERE)
        return Answer(ANY_RETRIABLE if outcome == RETRIABLE else outcome)

    append_too_large = append

    def append_foreign(self, pid: int, leader_epoch: int) -> None:
        """Another producer writes a batch."""
        self._grow(1)

    def _grow(self, records: int) -> int:
        self.offsets.append(self.end)
        self.end += records
        return self.offsets[-1]

    def fetch(self, leader: PlayedLog, end: int, leader_epoch: int) -> None:
        """Copy the leader's log up to an offset."""
        if end > self.end:
            self.offsets, self.end = [offset for offset in leader.offsets if offset < end], end

    def truncate(self, end: int) -> None:
        """A new leader's log ends before ours."""
        self.offsets, self.end = [offset for offset in self.offsets if offset < end], min(self.end, end)

    def restart(self, clean: bool) -> None:
        """The model's broker restarts; nothing of it is stored here."""

    def lose_end(self, end: int) -> None:
        """The same with less than there was."""
        self.truncate(end)

    def nothing(self) -> None:
        """Segments and the memory of producers are simulated by the model."""

    def hear(self, start: int) -> None:
        """Nor is where a log begins."""

    roll = expire = delete = close = nothing
