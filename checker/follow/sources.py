"""The logs of a run: their events as far as they are read, how far they are ordered, and how far they were followed."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..errors import EverystateError
from .candidates import Frontier, Read
from .events import Event
from .invariants import Invariants

EVENT = 2_000
"""Bytes that an event takes until it is forgotten."""


@dataclass(frozen=True)
class Order:
    """How far the logs of one run are ordered against each other.

    Within a log, always. With a clock, an event comes after all that are earlier by more than `skew`; two events
    without a time, or closer than that, may have happened in either order.
    """

    clock: bool = False
    skew: float = 0.0


class FrontierSample:
    """States of so many fronts of a run, each as likely as the others: one of each way to have read, and each layer."""

    def __init__(self, most: int = 1_000) -> None:
        self.most, self.seen, self.dice = most, 0, Random(0)
        self.rows: list[list[Any]] = []

    def add(self, front: Frontier) -> None:
        """One more front."""
        self.seen += 1
        at = self.seen - 1 if self.seen <= self.most else int(self.dice.random() * self.seen)
        if at < self.most:
            self.rows[at : at + 1] = [[rows[:1] for layers in front.layers.values() for rows in layers]]


@dataclass
class Followed:
    """How far a run was followed.

    `fronts` are those before each event, and the last one, or the last ones of these; empty when they were too much to
    keep. `end` is the last front that holds a state, `sample` has states of all of them. `stopped` says why the search
    ended early, if it did.
    """

    sources: Sequence[Source]
    order: Order
    done: int = 0
    complete: bool = False
    fronts: list[Frontier] = field(default_factory=list)
    end: Frontier = field(default_factory=Frontier)
    most: int = 0
    stopped: str = ""
    dropped: bool = False
    seconds: float = 0.0
    interrupted: bool = False
    invariants: Invariants | None = None
    sample: FrontierSample = field(default_factory=FrontierSample)

    def forget(self, front: Frontier) -> None:
        """No event before a front is asked for again."""
        for number, source in enumerate(self.sources):
            source.forget(min(read[number] for read in front.layers))


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

    def any_before(self, position: int, time: float, skew: float) -> bool:
        """Whether an event from a position on is earlier than a time by more than the clocks differ.

        An event without a time does not tell, and a clock may go back by as much as it differs: those that follow tell.
        """
        while (event := self.at(position)) is not None:
            if event.time is not None and event.time < time - skew:
                return True
            if event.time is not None and event.time > time:  # and what comes after it goes back by no more than this
                return False
            position += 1
        return False

    def forget(self, position: int) -> None:
        """No event before a position is needed again."""
        while self._first < position and self._events:
            self._events.popleft()
            self._first += 1


def upcoming(read: Read, sources: Sequence[Source], order: Order) -> list[tuple[int, Event]]:
    """(log, event) for each event that may be the next one."""
    found = [(n, event) for n, source in enumerate(sources) if (event := source.at(read[n])) is not None]
    if not order.clock or len(found) < 2:
        return found

    def first(number: int, time: float) -> bool:
        others = [n for n, _ in found if n != number]
        return not any(sources[other].any_before(read[other], time, order.skew) for other in others)

    return [(n, event) for n, event in found if event.time is None or first(n, event.time)]


def advanced(read: Read, number: int, by: int = 1) -> Read:
    """One more event of a log."""
    return (*read[:number], read[number] + by, *read[number + 1 :])
