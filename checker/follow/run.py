"""A run of a system, followed from its first event to its last, or to where no behaviour of the spec goes on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .candidates import ExpectedEvent, Frontier, Read, Stepper, distinct, room
from .depth import dive
from .events import Event, Place
from .invariants import Invariants
from .sources import EVENT, Followed, Order, Source, advanced, upcoming

MOST = 1_000_000
"""Candidates at a time, by default at most."""
SPEAK = 1_000
"""Events between two words about progress."""

FEW = 64
"""States that may be remembered with where events lead to."""
REMEMBERED = 1 << 14
"""How many of these, and four times as many of where they lead to."""


@dataclass
class ReachableLayers:
    """States right after an event, with those that unseen steps lead to, by their number; and where events lead to from
    all of these, as far as it was asked."""

    layers: list[Any]
    size: int
    bytes: int
    after: dict[ExpectedEvent, Any] = field(default_factory=dict)


class Search:
    """Follows the logs of one run: breadth first, and depth first beyond a limit, or from the beginning.

    A log comes to the same few states again and again, so where events lead to from them is remembered.
    """

    def __init__(
        self, stepper: Stepper, order: Order | None = None, limit: int = MOST, memory: int = 0, first: bool = False
    ) -> None:
        self.stepper, self.order, self.limit, self.first = stepper, order or Order(), limit, first
        self.memory = memory or room()
        self._opened: dict[tuple[int, bytes], ReachableLayers] = {}
        self._moves = 0

    def follow(
        self,
        logs: Sequence[Iterable[Event]],
        on_progress: Callable[[int, int], None] = lambda n, c: None,
        last: int | None = None,
    ) -> Followed:
        """Read the events of all logs as far as the spec allows; `on_progress` gets the events read and candidates.

        Of the `last` events only, or (None) of all as far as there is memory, it is kept what explains them.
        """
        sources = [Source(log, self.order) for log in logs]
        invariants = Invariants(self.stepper.model)
        found, started = Followed(sources, self.order, invariants=invariants), time.perf_counter()
        self._last: Place | None = None
        self._reason = ""
        front, size, costs = Frontier({(0,) * len(sources): [self.stepper.initial()]}), 0, deque[int]()
        try:
            while True:
                if self.first:
                    dive(self.stepper, (self.limit, self.memory), found, front, on_progress)
                    break
                opened = {read: self._open(layers[0]) for read, layers in front.layers.items()}
                front.layers = {read: each.layers for read, each in opened.items()}
                number = sum(each.size for each in opened.values())
                if number > self.limit:
                    found.most = number
                    dive(self.stepper, (self.limit, self.memory), found, front, on_progress)
                    break
                found.end, found.most = front, max(found.most, number)
                invariants.look(front, self._last)
                found.sample.add(front)
                found.fronts.append(front)
                costs.append(sum(each.bytes for each in opened.values()) + EVENT)
                size += costs[-1]
                if last is not None and len(found.fronts) > last + 1:
                    found.fronts.pop(0)
                    size -= costs.popleft()
                found.dropped = found.dropped or size > self.memory
                if found.dropped:
                    found.fronts.clear()
                if found.dropped or last is not None:
                    found.forget(found.fronts[0] if found.fronts else front)
                following = self._next(opened, sources)
                if following is None:
                    found.complete = True
                    break
                if self._reason:
                    found.stopped = self._reason
                    break
                if not following.layers:
                    break
                front = following
                found.done += 1
                if found.done % SPEAK == 0:
                    on_progress(found.done, number)
        except KeyboardInterrupt:
            found.interrupted, found.stopped = True, "interrupted"
        found.seconds = time.perf_counter() - started
        return found

    def _open(self, states: Any) -> ReachableLayers:
        """Let unseen steps happen."""
        if len(states) > FEW:
            return self._opening(states)
        key = self.limit, states.tobytes()
        if key not in self._opened:
            if len(self._opened) >= REMEMBERED or self._moves >= 4 * REMEMBERED:
                self._opened.clear()
                self._moves = 0
            self._opened[key] = self._opening(states)
        return self._opened[key]

    def _opening(self, states: Any) -> ReachableLayers:
        layers = self.stepper.unseen_layers(states, self.limit)
        front = Frontier({(): layers})
        return ReachableLayers(layers, front.size, front.bytes)

    def _next(self, opened: Mapping[Read, ReachableLayers], sources: Sequence[Source]) -> Frontier | None:
        """The front after one more event of any log; None where all logs are read to their ends."""
        found: dict[Read, list[Any]] = {}
        ended = True
        for read, states in opened.items():
            for number, event in upcoming(read, sources, self.order):
                ended, self._last = False, event.place
                self._reason = f"{event.undecided}: {event.place}" if event.undecided else ""
                after = self._after(states, self.stepper.wanted(event))
                if len(after):
                    found.setdefault(advanced(read, number), []).append(after)
        if ended:
            return None
        return Frontier({read: [_joined(rows)] for read, rows in sorted(found.items())})

    def _after(self, states: ReachableLayers, wanted: ExpectedEvent) -> Any:
        if wanted not in states.after:
            rows = [after for layer in states.layers if len(after := self.stepper.after(layer, wanted))]
            self._moves += 1
            states.after[wanted] = _joined(rows) if rows else ()
        return states.after[wanted]


def _joined(rows: list[Any]) -> Any:
    return rows[0] if len(rows) == 1 else distinct(np.concatenate(rows))
