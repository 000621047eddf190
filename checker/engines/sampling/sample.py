"""What some random walks saw, as plain data that can be sent and merged.

Merging is commutative and associative, so the result does not depend on how walks are distributed, nor on the order of
arrival.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...language.spec import Spec
from .sketch import Sketch


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


@dataclass
class WalkSummary:
    """What some walks saw: plain data, which can travel and be merged.

    `outside` counts the walks that a constraint ended, `stuck` those that ended in a state without successors, `pruned`
    the successors outside a constraint. `enabled` and `taken` count for each action the states in which it was enabled
    and its steps. `found` has the violations by the key of their watch (see violations), `reached` the watches of goals
    and of left sides of `implies` that held.
    `visited` is a sample of the distinct states.
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
    visited: Sketch = field(default_factory=Sketch)

    def merge(self, other: WalkSummary) -> None:
        """Add what other walks saw; the order of merging does not matter."""
        self.walks += other.walks
        self.outside += other.outside
        self.stuck += other.stuck
        self.pruned += other.pruned
        self.generated += other.generated
        self.longest = max(self.longest, other.longest)
        self.reached |= other.reached
        self.visited.merge(other.visited)
        self.enabled_in(other.enabled.items())
        for name, times in other.taken.items():
            self.taken[name] = self.taken.get(name, 0) + times
        for key, sighting in other.found.items():
            known = self.found.get(key)
            self.found[key] = sighting if known is None else known.merged(sighting)

    def enabled_in(self, states: Iterable[tuple[str, int]]) -> None:
        """Record that each action was enabled in so many more states."""
        for name, number in states:
            if number:
                self.enabled[name] = self.enabled.get(name, 0) + number
