"""Sample: what some random walks saw, as plain data that can travel and be merged.

Merging is commutative and associative, so the result does not depend on how walks are spread, nor on the order in
which they come back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..results.verdict import Kind


@dataclass(frozen=True)
class Course:
    """What every walk of a batch has in common."""

    steps: int
    seed: int
    deadlock: bool = True


@dataclass(frozen=True)
class Sighting:
    """A violation as walks meet it: where it was met first (walk, number among the sightings of this walk), how
    often, and the walk with the shortest way to it."""

    first: tuple[int, int]
    times: int
    steps: int
    walk: int

    def merged(self, other: Sighting) -> Sighting:
        """Both together; of equally short ways that of the least walk."""
        steps, walk = min((self.steps, self.walk), (other.steps, other.walk))
        return Sighting(min(self.first, other.first), self.times + other.times, steps, walk)


Fault = tuple[str, Kind]


@dataclass
class Sample:
    """What some walks saw: plain data, which can travel and be merged.

    `visited` holds a digest of 128 bits for each state: the count of distinct states is exact unless two digests
    collide, which among 10^12 states has a chance of about 10^-15.
    """

    walks: int = 0
    generated: int = 0
    longest: int = 0
    taken: dict[str, int] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    found: dict[Fault, Sighting] = field(default_factory=dict)
    visited: set[bytes] = field(default_factory=set)

    def merge(self, other: Sample) -> None:
        """Add what other walks saw; the order of merging changes nothing."""
        self.walks += other.walks
        self.generated += other.generated
        self.longest = max(self.longest, other.longest)
        self.reached |= other.reached
        self.visited |= other.visited
        for name, times in other.taken.items():
            self.taken[name] = self.taken.get(name, 0) + times
        for fault, sighting in other.found.items():
            self._sight(fault, sighting)

    def _sight(self, fault: Fault, sighting: Sighting) -> None:
        known = self.found.get(fault)
        self.found[fault] = sighting if known is None else known.merged(sighting)

    def note(self, fault: Fault, walk: int, steps: int, order: int) -> None:
        """A violation was met, after so many steps of a walk."""
        self._sight(fault, Sighting((walk, order), 1, steps, walk))
