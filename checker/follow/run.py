"""A run of a system, followed from its first event to its last, or to where no behaviour of the spec goes on."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import EverystateError
from .candidates import Front, Read, Stepper, distinct, room
from .depth import dive
from .events import Event

MOST = 1_000_000
"""Candidates at a time, by default at most."""
EVENT = 2_000
"""Bytes that an event takes until it is forgotten."""
SPEAK = 1_000
"""Events between two words about progress."""


@dataclass(frozen=True)
class Order:
    """How far the logs of one run are ordered against each other.

    Within a log, always. With a clock, an event comes after all that are earlier by more than `skew`; two events
    without a time, or closer than that, may have happened in either order.
    """

    clock: bool = False
    skew: float = 0.0


@dataclass
class Followed:
    """How far a run was followed.

    `fronts` are those before each event, and the last one; empty when they were too much to keep. `end` is the last
    front that holds a state. `stopped` says why the search ended early, if it did.
    """

    sources: Sequence[Source]
    order: Order
    done: int = 0
    complete: bool = False
    fronts: list[Front] = field(default_factory=list)
    end: Front = field(default_factory=Front)
    most: int = 0
    stopped: str = ""
    dropped: bool = False
    seconds: float = 0.0
    interrupted: bool = False


class Search:
    """Follows the logs of one run: breadth first, and depth first beyond a limit, or from the beginning."""

    def __init__(
        self, stepper: Stepper, order: Order | None = None, limit: int = MOST, memory: int = 0, first: bool = False
    ) -> None:
        self.stepper, self.order, self.limit, self.first = stepper, order or Order(), limit, first
        self.memory = memory or room()
        self.per_event = EVENT

    def follow(self, logs: Sequence[Iterable[Event]], tell: Callable[[int, int], None] = lambda n, c: None) -> Followed:
        """Read the events of all logs as far as the spec can go along; `tell` hears of events read and candidates."""
        sources = [Source(log, self.order) for log in logs]
        found, started = Followed(sources, self.order), time.perf_counter()
        front, size = Front({(0,) * len(sources): [self.stepper.initial()]}), 0
        try:
            while True:
                if self.first:
                    dive(self, found, front, tell)
                    break
                self._open(front)
                if front.size > self.limit:
                    found.most = front.size
                    dive(self, found, front, tell)
                    break
                found.end, found.most = front, max(found.most, front.size)
                size += front.bytes + self.per_event
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


class Source:
    """The events of a log, read as far as somebody asked, and forgotten where nobody asks any more."""

    def __init__(self, events: Iterable[Event], order: Order | None = None) -> None:
        self._rest: Iterator[Event] = iter(self._one_run(events, order or Order()))
        self._events: deque[Event] = deque()
        self._first = 0

    def _one_run(self, events: Iterable[Event], order: Order) -> Iterator[Event]:
        """The events; E446 where they are of several runs, or where a clock that orders them goes back."""
        latest, run = -math.inf, ""
        for event in events:
            if event.run and run not in ("", event.run):
                what = f"it is of run {event.run}, and those before it are of run {run}"
                raise EverystateError("E446", None, place=event.place, what=what)
            if order.clock and event.time is not None:
                if event.time < latest - order.skew:
                    what = f"its clock goes back by {latest - event.time:g}, and --clock says at most {order.skew:g}"
                    raise EverystateError("E446", None, place=event.place, what=what)
                latest = max(latest, event.time)
            run = event.run or run
            yield event

    def at(self, position: int) -> Event | None:
        """The event at a position, None beyond the last one."""
        while self._first + len(self._events) <= position:
            event = next(self._rest, None)
            if event is None:
                return None
            self._events.append(event)
        return self._events[position - self._first]

    def forget(self, position: int) -> None:
        """No event before a position is needed again."""
        while self._first < position and self._events:
            self._events.popleft()
            self._first += 1


def upcoming(read: Read, sources: Sequence[Source], order: Order) -> list[tuple[int, Event]]:
    """(log, event) for each event that may be the next one."""
    found = [(n, event) for n, source in enumerate(sources) if (event := source.at(read[n])) is not None]
    if not order.clock:
        return found
    times = [event.time for _, event in found if event.time is not None]
    first = min(times, default=0.0)
    return [(n, e) for n, e in found if e.time is None or e.time <= first + order.skew]


def advanced(read: Read, number: int, by: int = 1) -> Read:
    """One more event of a log."""
    return (*read[:number], read[number] + by, *read[number + 1 :])


def _joined(rows: list[Any]) -> Any:
    return rows[0] if len(rows) == 1 else np.concatenate(rows)
