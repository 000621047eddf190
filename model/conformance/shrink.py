"""Shrinks a difference: removes faults first, then batches, then any step, as long as the difference remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .behaviour import NamedStep, faults_of
from .compare import SideBySide

TRIES = 300
"""The maximum number of traces that are driven for it."""


def sort_of(sides: SideBySide) -> str:
    """What differs."""
    assert sides.difference is not None
    return sides.difference.sort


def shrink(
    spec: Any,
    found: SideBySide,
    stopped: Callable[[], bool] = lambda: False,
    sides: Callable[[Any], SideBySide] = SideBySide,
    batches: Sequence[int] = (),
    alike: Callable[[SideBySide], object] = sort_of,
) -> SideBySide:
    """The shortest trace found with the same difference; each trace is closed.

    `sides` makes model and Kafka of the spec, `batches` are those of the spec that may be removed; two differences are
    the same if `alike` gives the same value.
    """
    return TraceShrinker(spec, found, stopped, sides, batches, alike).shrink()


class TraceShrinker:
    def __init__(
        self,
        spec: Any,
        found: SideBySide,
        stopped: Callable[[], bool],
        sides: Callable[[Any], SideBySide],
        batches: Sequence[int],
        alike: Callable[[SideBySide], object],
    ) -> None:
        self.spec, self.best, self.stopped, self.tries = spec, found, stopped, 0
        self.make, self.batches, self.alike = sides, batches, alike
        self.kind = alike(found)

    def shrink(self) -> SideBySide:
        while any(attempt() for attempt in (self._without_faults, self._without_batches, self._without_turns)):
            continue
        return self.best

    def _without_faults(self) -> bool:
        return self._without(faults_of(self.spec, self.best.turns))

    def _without_turns(self) -> bool:
        return self._without(range(len(self.best.turns)))

    def _without_batches(self) -> bool:
        """Batches are sent in their order, so those after a removed one take its place."""
        return any(self._try(list(self._renamed(batch))) for batch in reversed(self.batches))

    def _renamed(self, gone: int) -> Iterator[NamedStep]:
        for turn in self.best.turns:
            batch = dict(turn.arguments).get("batch")
            behind = batch is not None and batch > gone and (batch - gone) % self.spec.partitions == 0
            if behind and batch is not None:
                arguments = {**dict(turn.arguments), "batch": batch - self.spec.partitions}
                yield turn._replace(arguments=tuple(arguments.items()))
            elif batch != gone:
                yield turn

    def _without(self, places: Sequence[int]) -> bool:
        """Try to remove each of some places, the last first; returns whether one was removed."""
        better = False
        for at in reversed(places):
            if at < len(self.best.turns):
                better = self._try([*self.best.turns[:at], *self.best.turns[at + 1 :]]) or better
        return better

    def _try(self, turns: Sequence[NamedStep]) -> bool:
        if self.tries >= TRIES or self.stopped():
            return False
        self.tries += 1
        sides = drive(self.make(self.spec), turns)
        if sides.difference is None or len(sides.turns) >= len(self.best.turns) or self.alike(sides) != self.kind:
            return False
        self.best = sides
        return True


def drive(sides: SideBySide, turns: Sequence[NamedStep]) -> SideBySide:
    """Model and Kafka after some turns; closed."""
    try:
        sides.follow(turns)
        sides.probe()
    finally:
        sides.close()
    return sides
