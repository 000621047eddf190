"""A sample of the distinct states that walks visited: how many there are, and what further walks would find.

The digests of states are random numbers, so the states with the least digests are a random sample of all distinct ones.
The sample holds every visited state as long as these are at most MOST, and is exact then. Of more states it holds the
MOST with the least digests. Their number then follows from how close these are to each other (Z. Bar-Yossef and others:
Counting distinct elements in a data stream, 2002), with a relative standard error of 1 / sqrt(MOST - 2).

For each state the sample counts the visits and says whether several walks came there. Walks are drawn independently of
each other. So the share of visits in states that no other walk has visited, among all visits, is what a further walk
would have of new states. This is the estimate of Good and Turing (I. J. Good: The population frequencies of species and
the estimation of population parameters, 1953), taken walk by walk, since the states of one walk depend on each other.

The digest of a state has 64 bits. That two of 10^5 states share one has a chance of 10^-9.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends.native.interface import EVERY_WALK

MOST = 1 << 15
"""States of a sample, at most."""
ALL = (1 << 64) - 1
"""The largest digest."""


class Sketch:
    """Digests in order, how often each state was visited, and by which walk (EVERY_WALK for several)."""

    def __init__(self) -> None:
        self.digests, self.visits, self.walks = (np.zeros(0, np.uint64) for _ in range(3))
        self.highest = ALL

    def add(self, digests: Any, visits: Any, walks: Any) -> None:
        """Add visited states with digests up to `highest`; a state may come several times."""
        digests, visits, walks = (
            np.concatenate(pair) for pair in ((self.digests, digests), (self.visits, visits), (self.walks, walks))
        )
        order = np.argsort(digests, kind="stable")
        digests, visits, walks = digests[order], visits[order], walks[order]
        first = np.flatnonzero(np.diff(digests, prepend=digests[:1] ^ np.uint64(1)))
        if len(first):
            self.digests, self.visits = digests[first], np.add.reduceat(visits, first)
            least, most = np.minimum.reduceat(walks, first), np.maximum.reduceat(walks, first)
            self.walks = np.where(least == most, least, np.uint64(EVERY_WALK))
        if len(self.digests) > MOST:
            self.highest = int(self.digests[MOST - 1])
            self.digests, self.visits, self.walks = self._below(self.highest)

    def merge(self, other: Sketch) -> None:
        """Add the sample of other walks; the order does not matter."""
        self.highest = min(self.highest, other.highest)
        self.digests, self.visits, self.walks = self._below(self.highest)
        self.add(*other._below(self.highest))

    def _below(self, highest: int) -> tuple[Any, Any, Any]:
        """The columns up to a digest."""
        kept = int(np.searchsorted(self.digests, np.uint64(highest), "right"))
        return self.digests[:kept], self.visits[:kept], self.walks[:kept]

    @property
    def exact(self) -> bool:
        """Whether every visited state is in the sample."""
        return self.highest == ALL

    @property
    def part(self) -> float:
        """The part of the distinct states that is in the sample."""
        return 1.0 if self.exact else len(self.digests) / len(self)

    @property
    def error(self) -> float:
        """The relative standard error of the number of states."""
        return 0.0 if self.exact else (MOST - 2) ** -0.5

    def __len__(self) -> int:
        if self.exact:
            return len(self.digests)
        return round((MOST - 1) * (1 << 64) / (self.highest + 1))

    def new(self, visits: int) -> float:
        """The share of new states that a further walk would have, given the visits of all states so far."""
        alone = int(self.visits[self.walks != np.uint64(EVERY_WALK)].sum())
        return min(1.0, alone / self.part / visits) if visits else 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sketch) and all(
            np.array_equal(a, b)
            for a, b in zip(
                (self.digests, self.visits, self.walks), (other.digests, other.visits, other.walks), strict=True
            )
        )

    __hash__ = None  # type: ignore[assignment]
