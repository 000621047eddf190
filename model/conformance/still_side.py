"""Kafka's side where nothing moves by itself: every deadline that passes and every loop is a step of the model."""

from __future__ import annotations

from collections import Counter
from typing import Any


class StillSide:
    """What is asked of Kafka beside its steps, and is nothing here."""

    seen: tuple[Any, ...] = ()
    """What is compared, where the model has more than that."""

    def __init__(self) -> None:
        self.noted: Counter[str] = Counter()
        """Rules that the driver itself has shown, beside those that are told from steps."""

    def again(self, look: int) -> bool:
        """Nothing moves by itself, so a difference is not looked at once more."""
        return False

    def is_late(self) -> bool:
        """No deadline lies ahead: one that passes is a step."""
        return False

    def sweep(self) -> tuple[int, ...]:
        """So nothing expires besides."""
        return ()

    def go_on(self) -> str | None:
        """What would come next is on its way already."""
        return None

    def close(self) -> None:
        """Nothing is kept."""
