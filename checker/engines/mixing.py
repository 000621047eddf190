"""Mixing: numbers that look random, as functions of numbers."""

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
