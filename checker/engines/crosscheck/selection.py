"""Picks the states of a level that are cross-checked: those with the least hashes, independent of the search order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
ODD = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7, 0xAEF17502108EF2D9)
SPARE = 64
"""Additional states that a first pass may find."""


def quotas(sizes: Sequence[int], number: int) -> list[int]:
    """The number of states from each level for a sample of a given size: as even as possible, twice as many from the
    last.

    A sample with fewer states than levels takes one from the last level, one from the middle one, and so on.
    """
    if number <= len(sizes):
        chosen = set(islice(_spread(len(sizes)), number))
        return [int(level in chosen) for level in range(len(sizes))]
    weights = [1] * (len(sizes) - 1) + [2]
    found, left = [0] * len(sizes), min(number, sum(sizes))
    while left:
        open_levels = [i for i, size in enumerate(sizes) if found[i] < size]
        share = max(1, left // sum(weights[i] for i in open_levels))
        for i in reversed(open_levels):
            taken = min(share * weights[i], sizes[i] - found[i], left)
            found[i] += taken
            left -= taken
    return found


def _spread(number: int) -> Iterator[int]:
    """Numbers below one, far from each other at first: the last one, the middle one, those between them."""
    yield number - 1
    for bit in range(number.bit_length(), -1, -1):
        yield from range(number - 1 - (1 << bit), -1, -(2 << bit))


def least_hashes(blocks: Callable[[], Iterable[Any]], total: int, first: int, last: int) -> Any:
    """The states, of `total`, whose hashes have ranks first..last-1, a row each.

    One pass keeps those below a bound that slightly more than `last` are expected to meet. If they are too few, a
    second pass keeps all.
    """
    if first >= last:
        return []
    share = (2 * last + SPARE) / max(1, total)
    found = _below(blocks(), share)
    if len(found) < last:
        found = _below(blocks(), 1.0)
    order = np.lexsort([*found.T[::-1], hashes(found)])
    return found[order[first:last]]


def _below(blocks: Iterable[Any], share: float) -> Any:
    bound = np.uint64(min(share, 1.0) * ((1 << 64) - 2048))
    kept = [block[hashes(block) <= bound] if share < 1 else np.array(block) for block in blocks]
    return np.concatenate(kept)


def hashes(states: Any) -> Any:
    """A hash of each state, with significant high bits: a multiplication for each word."""
    found = np.zeros(len(states), np.uint64)
    for word in range(states.shape[1]):
        found ^= states[:, word] * np.uint64(ODD[word % len(ODD)])
    return found * np.uint64(ODD[0])


def by_turns(groups: Iterable[Iterable[T]]) -> Iterator[T]:
    """One of each group, then the next of each."""
    open_groups = [iter(group) for group in groups]
    while open_groups:
        for group in list(open_groups):
            try:
                yield next(group)
            except StopIteration:
                open_groups.remove(group)


class WantedStates:
    """States to be found among many, by their keys: rows of a number of words, as bytes."""

    def __init__(self, keys: Collection[bytes], words: int) -> None:
        self._keys = frozenset(keys)
        rows = np.frombuffer(b"".join(self._keys), np.uint64).reshape(-1, words)
        self._some = np.zeros(1 << 16, bool)
        self._some[hashes(rows) >> np.uint64(48)] = True

    def among(self, rows: Any) -> Iterator[tuple[int, bytes]]:
        """Those of them that some rows hold, each with the number of its row."""
        places = np.flatnonzero(self._some[hashes(rows) >> np.uint64(48)])
        near = np.ascontiguousarray(rows[places])
        width = near.shape[1] * 8
        text = near.tobytes()
        cut = (text[at : at + width] for at in range(0, len(text), width))
        return ((row, key) for row, key in zip(places.tolist(), cut, strict=True) if key in self._keys)


def single(rows: Any) -> Iterator[Any]:
    """Each state of some as an array of one row."""
    return (np.ascontiguousarray(rows[i : i + 1]) for i in range(len(rows)))
