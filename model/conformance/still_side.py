"""Kafka's side where nothing moves by itself: every deadline and every loop is a step of the model."""

from __future__ import annotations

from collections import Counter
from typing import Any


class StillSide:
    """The queries of a Kafka side besides its steps, which do nothing here."""

    seen: tuple[Any, ...] = ()
    """The observables to compare, where the model has more."""

    def __init__(self) -> None:
        self.noted: Counter[str] = Counter()
        """Rules that the driver itself has shown, besides those derived from steps."""

    def again(self, look: int) -> bool:
        """Nothing moves by itself, so a difference is not observed again."""
        return False

    def is_late(self) -> bool:
        """Always false: a deadline that passes is a step of its own."""
        return False

    def sweep(self) -> tuple[int, ...]:
        """So nothing expires besides."""
        return ()

    def go_on(self) -> str | None:
        """What would come next is on its way already."""
        return None

    def close(self) -> None:
        """Nothing is kept."""
