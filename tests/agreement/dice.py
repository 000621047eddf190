"""Where a random spec takes its decisions from: hypothesis (which shrinks) or a seeded generator (which is fast)."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Dice:
    """Random decisions; 0, the first option and `no` are the simplest."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def pick(self, options: Sequence[T]) -> T:
        """One of some options."""
        return options[self.integer(0, len(options) - 1)] if len(options) > 1 else options[0]

    def chance(self, percent: int) -> bool:
        """Whether something that happens so often happens now."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, weights: dict[T, int]) -> T:
        """One of the keys, each as often as its weight says."""
        at = self.integer(0, sum(weights.values()) - 1)
        for option, weight in weights.items():
            at -= weight
            if at < 0:
                return option
        raise AssertionError("no weights")

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Between `least` and `most` distinct options, in order."""
        number = self.integer(least, min(most, len(options)))
        left = list(options)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(number)]


@functools.cache
def _integers(lo: int, hi: int) -> Any:
    return st.integers(lo, hi)


def drawn(draw: Callable[[Any], int]) -> Dice:
    """Decisions that hypothesis draws."""
    return Dice(lambda lo, hi: draw(_integers(lo, hi)))


def seeded(seed: int) -> Dice:
    """Decisions of a seeded generator."""
    return Dice(random.Random(seed).randint)
