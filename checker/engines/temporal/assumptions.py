"""Fairness assumptions as bit masks: one pass over a graph deals with 64 of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language import marks
from ...language.fairness import Disjunction

BITS = 64


@dataclass(frozen=True)
class Assumptions:
    """What a spec assumes not to be neglected: `fair` in order.

    Masks have several words where there are many assumptions: word k has the bits of number BITS * k and the following.
    `members` has for each word the masks of all action instances: to which assumptions each belongs. `weak` and
    `strong` are the assumptions of either kind. There is room for one more.
    """

    fair: tuple[Disjunction, ...]
    members: Any
    weak: Any
    strong: Any

    def wanting(self) -> tuple[Any, int]:
        """(weak, goal) with one more assumption, of weak fairness: it is fulfilled where something is wanted.

        `goal` is its bit in the last word.
        """
        bit, weak = 1 << len(self.fair) % BITS, self.weak.copy()
        weak[-1] |= np.uint64(bit)
        return weak, bit


def has(masks: Any, number: int) -> Any:
    """Whether an assumption is in each of some masks, as an array of booleans."""
    return (masks[number // BITS] >> np.uint64(number % BITS)) & np.uint64(1) == 1


def assumed(fair: Sequence[Disjunction], actions: int) -> Assumptions:
    """What is assumed, for so many action instances."""
    words = len(fair) // BITS + 1
    members, weak, strong = (np.zeros((words, count), np.uint64) for count in (actions, 1, 1))
    for number, one in enumerate(fair):
        word, bit = number // BITS, np.uint64(1 << number % BITS)
        members[word, list(one.instances)] |= bit
        (weak if one.strength == marks.WEAK else strong)[word] |= bit
    return Assumptions(tuple(fair), members, weak[:, 0].copy(), strong[:, 0].copy())
