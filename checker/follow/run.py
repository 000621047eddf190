"""A run of a system, followed from its first event to its last, or to where no behaviour of the spec goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .candidates import Front, Read, Stepper, distinct, room
from .depth import dive
from .events import Event
from .sources import EVENT, Followed, Order, Source, advanced, upcoming

MOST = 1_000_000
"""Candidates at a time, by default at most."""
SPEAK = 1_000
"""Events between two words about progress."""


class Search:
    """Follows the logs of one run: breadth first, and depth first beyond a limit, or from the beginning."""

    def __init__(
        self, stepper: Stepper, order: Order | None = None, limit: int = MOST, memory: int = 0, first: bool = False
    ) -> None:
        self.stepper, self.order, self.limit, self.first = stepper, order or Order(), limit, first
        self.memory = memory or room()

    def follow(self, logs: Sequence[Iterable[Event]], tell: Callable[[int, int], None] = lambda n, c: None) -> Followed:
        """Read the events of all logs as far as the spec can go along; `tell` hears of events read and candidates."""
        sources = [Source(log, self.order) for log in logs]
        found, started = Followed(sources, self.order), time.perf_counter()
        front, size = Front({(0,) * len(sources): [self.stepper.initial()]}), 0
        try:
            while True:
                if self.first:
                    dive(self.stepper, (self.limit, self.memory), found, front, tell)
                    break
                self._open(front)
                if front.size > self.limit:
                    found.most = front.size
                    dive(self.stepper, (self.limit, self.memory), found, front, tell)
                    break
                found.end, found.most = front, max(found.most, front.size)
                size += front.bytes + EVENT
                found.dropped = found.dropped or size > self.memory
                if found.dropped:
                    found.fronts.clear()
                    for number, source in enumerate(sources):
                        source.forget(min(read[number] for read in front.layers))
                else:
                    found.fronts.append(front)
                following = self._next(front, sources)
                if following is None:
                    found.complete = True
                    break
                if not following.layers:
                    break
                front = following
                found.done += 1
                if found.done % SPEAK == 0:
                    tell(found.done, front.size)
        except KeyboardInterrupt:
            found.interrupted, found.stopped = True, "interrupted"
        found.seconds = time.perf_counter() - started
        return found

    def _open(self, front: Front) -> None:
        """Let unseen steps happen."""
        for read, layers in front.layers.items():
            front.layers[read] = self.stepper.unseen_layers(layers[0], self.limit)

    def _next(self, front: Front, sources: Sequence[Source]) -> Front | None:
        """The front after one more event of any log; None where all logs are read to their ends."""
        found: dict[Read, list[Any]] = {}
        ended = True
        for read, layers in front.layers.items():
            for number, event in upcoming(read, sources, self.order):
                ended = False
                wanted = self.stepper.wanted(event)
                rows = [after for states in layers if len(after := self.stepper.after(states, wanted))]
                if rows:
                    found.setdefault(advanced(read, number), []).extend(rows)
        if ended:
            return None
        return Front({read: [distinct(_joined(rows))] for read, rows in sorted(found.items())})


def _joined(rows: list[Any]) -> Any:
    return rows[0] if len(rows) == 1 else np.concatenate(rows)
