"""Hashing: pseudo-random numbers as functions of numbers or of packed states."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.native.interface import DIGEST_SEED, GOLDEN


def mixed(numbers: Any) -> Any:
    """64-bit numbers, mixed one to one: an array in, an array out.

    A step of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, 2014).
    """
    numbers = numbers + np.uint64(GOLDEN)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def below(limits: Any, numbers: Any) -> Any:
    """Numbers of 64 random bits as numbers below limits, which fit into 32 bits."""
    return ((numbers >> np.uint64(32)) * limits) >> np.uint64(32)


def digests(states: Any) -> Any:
    """The digests of packed states, as in machine code of walks."""
    found = np.full(len(states), DIGEST_SEED, np.uint64)
    for word in range(states.shape[1]):
        found = mixed(found + states[:, word])
    return found
