"""Depth first: one explanation of a run, where all states that fit at an event are too many.

A level has the states that the run can be in after so many events, as far as they were met. A few of the deepest level
that were not looked at yet are followed by one event; where none of them goes on, the level before gives the next ones.
No state is looked at twice at a level, so when nothing is left no behaviour explains more than the deepest level does,
and that level then has all states that breadth first would have had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .candidates import Frontier, Read, Stepper, distinct, without
from .sources import EVENT, Followed, advanced, upcoming

WIDTH = 64
"""States that are followed at a time."""
LEAST = 10_000
"""States that unseen steps may always lead to."""
KEY = 120
"""Bytes that it takes to know a state, beside its own."""


@dataclass
class Level:
    """States after so many events: all that were met, by what they know of the logs, and those to be looked at."""

    known: dict[Read, set[bytes]] = field(default_factory=dict)
    waiting: dict[Read, list[Any]] = field(default_factory=dict)
    front: Frontier = field(default_factory=Frontier)

    def add(self, read: Read, states: Any) -> int:
        """Note states; the bytes that the new ones take."""
        known = self.known.setdefault(read, set())
        keys = [row.tobytes() for row in states]
        fresh = [number for number, key in enumerate(keys) if key not in known]
        known.update(keys)
        if fresh:
            self.waiting.setdefault(read, []).append(states[fresh])
        return int(len(fresh) * (KEY + 2 * states.itemsize * states.shape[1]))

    def take(self) -> tuple[Read, Any]:
        """Some states to be looked at."""
        read, blocks = next(reversed(self.waiting.items()))
        states = blocks.pop()
        if len(states) > WIDTH:
            blocks.append(states[:-WIDTH])
        if not blocks:
            del self.waiting[read]
        return read, states[-WIDTH:]

    def opened(self, read: Read, layers: list[Any]) -> None:
        """Keep states that were looked at, with those that unseen steps lead to."""
        mine = self.front.layers.setdefault(read, [])
        for depth, rows in enumerate(layers):
            if depth < len(mine):
                mine[depth] = np.concatenate([mine[depth], rows])
            else:
                mine.append(rows)


def dive(
    stepper: Stepper, room: tuple[int, int], found: Followed, front: Frontier, on_progress: Callable[[int, int], None]
) -> None:
    """Go on from a front that was not opened yet; `found` gets what comes of it.

    `room` is how many states unseen steps may lead to, and how many bytes may be kept.
    """
    dive = _Dive(stepper, room, found, front)
    try:
        dive.run(on_progress)
    finally:
        dive.close()


class _Dive:
    def __init__(self, stepper: Stepper, room: tuple[int, int], found: Followed, front: Frontier) -> None:
        self.stepper, self.found, self.start = stepper, found, found.done
        self.limit, self.memory = room
        self.levels = [Level()]
        self.size = sum(self.levels[0].add(read, rows[0]) for read, rows in front.layers.items())
        self.last: Frontier | None = None

    def run(self, on_progress: Callable[[int, int], None]) -> None:
        found, steps = self.found, 0
        while (number := self._deepest()) is not None:
            read, states = self.levels[number].take()
            most = max(self.limit, LEAST)
            layers = self.stepper.unseen_layers(states, most)
            if sum(map(len, layers)) > most:  # it stops there, so some may be missing
                found.stopped = f"unseen steps lead to more than {most:,} states from {len(states)}"
                return
            self.size += sum(rows.nbytes for rows in layers[1:])
            self.levels[number].opened(read, layers)
            ended = True
            for following, rows in self._after(read, layers):
                ended = False
                if len(rows):
                    self._add(number + 1, following, rows)
            if ended:
                found.complete, self.last = True, Frontier({read: layers})
                return
            if self.size > self.memory:
                known = sum(len(keys) for level in self.levels for keys in level.known.values())
                found.stopped = f"{known:,} states were met depth first, and no more fit into memory"
                return
            steps += 1
            if steps % 1_000 == 0:
                on_progress(self.start + len(self.levels) - 1, len(states))

    def _deepest(self) -> int | None:
        return next((n for n in range(len(self.levels) - 1, -1, -1) if self.levels[n].waiting), None)

    def _after(self, read: Read, layers: list[Any]) -> Iterator[tuple[Read, Any]]:
        stepper = self.stepper
        for number, event in upcoming(read, self.found.sources, self.found.order):
            wanted = stepper.wanted(event)
            found = [after for states in layers if len(after := stepper.after(states, wanted))]
            yield advanced(read, number), distinct(np.concatenate(found)) if found else ()

    def _add(self, number: int, read: Read, rows: Any) -> None:
        if number == len(self.levels):
            self.levels.append(Level())
            self.size += EVENT
        self.size += self.levels[number].add(read, rows)

    def close(self) -> None:
        """Tell how far it came, and by which states."""
        found, fronts = self.found, [level.front for level in self.levels]
        depth = max((n for n, front in enumerate(fronts) if front.layers), default=0)
        deepest = self.last or Frontier({read: apart(layers) for read, layers in sorted(fronts[depth].layers.items())})
        found.done, found.end = self.start + depth, deepest
        found.most = max(found.most, *(front.size for front in fronts))
        for front in (*fronts[:depth], deepest):
            found.sample.add(front)
        if not found.dropped:
            found.fronts.extend([*fronts[:depth], deepest])


def apart(layers: list[Any]) -> list[Any]:
    """Layers of which none has a state of an earlier one, as breadth first makes them."""
    found: list[Any] = []
    for rows in layers:
        rows = distinct(rows)
        found.append(without(rows, np.concatenate(found)) if found else rows)
    return [rows for rows in found if len(rows)]
