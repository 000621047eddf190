"""Hashing: pseudo-random numbers as functions of numbers or of packed states."""

from __future__ import annotations

from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers: Any) -> Any:
    """64-bit numbers, mixed one to one: an array in, an array out.

    A step of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, 2014).
    """
    numbers = numbers + GOLDEN
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def below(limits: Any, numbers: Any) -> Any:
    """Numbers of 64 random bits as numbers below limits, which fit into 32 bits."""
    return ((numbers >> np.uint64(32)) * limits) >> np.uint64(32)


SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)
"""Where the two halves of a digest begin: the first digits of pi."""


def digests(states: Any) -> Any:
    """The digests of packed states, a row each."""
    found = np.empty((len(states), 2), np.uint64)
    for half, seed in enumerate(SEEDS):
        value = np.full(len(states), seed, np.uint64)
        for word in range(states.shape[1]):
            value = mixed(value + states[:, word])
        found[:, half] = value
    return found
