"""What some random walks saw, as plain data that can be sent and merged.

Merging is commutative and associative, so the result does not depend on how walks are distributed, nor on the order of
arrival.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...language.spec import Spec

PENDING = 1 << 20
"""The minimum number of unsorted digests."""


@dataclass(frozen=True)
class WalkSettings:
    """What every walk of a batch has in common."""

    steps: int
    seed: int
    deadlock: bool = True

    def looks_for_deadlock(self, spec: Spec) -> bool:
        """Whether a state without successors is an error."""
        return self.deadlock and not spec._ends


@dataclass(frozen=True)
class Sighting:
    """A violation as walks met it: the first occurrence (walk, steps), how often, and the shortest path to it (steps,
    walk)."""

    first: tuple[int, int]
    times: int
    shortest: tuple[int, int]

    def merged(self, other: Sighting) -> Sighting:
        """Both merged; of equally short paths that of the least walk."""
        return Sighting(min(self.first, other.first), self.times + other.times, min(self.shortest, other.shortest))


class Digests:
    """A set of digests of 128 bits, each for one state, the same in every process."""

    def __init__(self, rows: Any = ()) -> None:
        self._settled: Any = np.zeros((0, 2), np.uint64)
        self._pending: list[Any] = []
        self._waiting = 0
        if len(rows):
            self.add(rows)

    def add(self, rows: Any) -> None:
        """Add digests: an array of two columns."""
        self._pending.append(rows)
        self._waiting += len(rows)
        if self._waiting > max(PENDING, len(self._settled)):
            self._settle()

    @property
    def rows(self) -> Any:
        """Each digest once, sorted."""
        if self._pending:
            self._settle()
        return self._settled

    def _settle(self) -> None:
        rows = np.concatenate([self._settled, *self._pending])
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        self._settled, self._pending, self._waiting = rows[fresh], [], 0

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and np.array_equal(self.rows, other.rows)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class WalkSummary:
    """What some walks saw: plain data, which can travel and be merged.

    `outside` counts the walks that a constraint ended, `stuck` those that ended in a state without successors, `pruned`
    the successors outside a constraint. `enabled` and `taken` count for each action the states in which it was enabled
    and its steps. `found` has the violations by the key of their watch (see violations), `reached` the watches of goals
    and of left sides of `implies` that held.
    The number of digests in `visited` is that of distinct states unless two states share one, which among 10^12
    states has a chance of about 10^-15.
    """

    walks: int = 0
    outside: int = 0
    stuck: int = 0
    pruned: int = 0
    generated: int = 0
    longest: int = 0
    enabled: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)
    found: dict[int, Sighting] = field(default_factory=dict)
    visited: Digests = field(default_factory=Digests)

    def merge(self, other: WalkSummary) -> None:
        """Add what other walks saw; the order of merging does not matter."""
        self.walks += other.walks
        self.outside += other.outside
        self.stuck += other.stuck
        self.pruned += other.pruned
        self.generated += other.generated
        self.longest = max(self.longest, other.longest)
        self.reached |= other.reached
        self.visited.add(other.visited.rows)
        self.enabled_in(other.enabled.items())
        for name, times in other.taken.items():
            self.taken[name] = self.taken.get(name, 0) + times
        for key, sighting in other.found.items():
            self._sight(key, sighting)

    def _sight(self, key: int, sighting: Sighting) -> None:
        known = self.found.get(key)
        self.found[key] = sighting if known is None else known.merged(sighting)

    def enabled_in(self, states: Iterable[tuple[str, int]]) -> None:
        """Record that each action was enabled in so many more states."""
        for name, number in states:
            if number:
                self.enabled[name] = self.enabled.get(name, 0) + number

    def note(self, key: int, walks: Any, steps: int) -> None:
        """Record that some walks met a violation, all after so many steps."""
        if len(walks):
            least = int(walks.min())
            self._sight(key, Sighting((least, steps), len(walks), (steps, least)))
