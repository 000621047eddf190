"""A trace as a log for ShiViz, with exact vector clocks.

Each line of narration is an event of its actor. A message is an event of the sender; the event in which its
receiver handles it takes over the sender's clock. A message whose handling is not narrated arrives at once,
as an event of the receiver. What is lost, or on its way at the end, is an event of the sender only. The parser
expression of ShiViz is its default: (?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .diagram import Diagram
from .messages import CHANGE, Message

Clock = dict[str, int]
ALONE = "spec"
"""The host of events that belong to no actor."""


@dataclass(frozen=True)
class Event:
    """One event: its host, the vector clock after it, and a line of text."""

    host: str
    clock: Clock
    text: str


@dataclass
class _Clocks:
    known: dict[str, Clock] = field(default_factory=dict)

    def tick(self, host: str, *heard: Clock) -> Clock:
        mine = self.known.setdefault(host, {})
        for other in heard:
            for name, time in other.items():
                mine[name] = max(time, mine.get(name, 0))
        mine[host] = mine.get(host, 0) + 1
        return dict(sorted(mine.items()))


def events(diagram: Diagram) -> list[Event]:
    """The events of a diagram in the order of the trace."""
    clocks, found = _Clocks(), []
    arriving: dict[int, list[Clock]] = {}
    for at, row in enumerate(diagram.rows):
        text = f"{row.step}. {row.text}"
        if not isinstance(row, Message):
            if row.kind != CHANGE:
                host = _host(row.lane or ALONE)
                found.append(Event(host, clocks.tick(host, *arriving.get(at, [])), text))
            continue
        source, target = _host(row.source), _host(row.target)
        lost = row.lost or row.dropped
        sent = clocks.tick(source)
        found.append(Event(source, sent, f"{text} (to {row.target}{', lost' if lost else ''})"))
        if lost or row.open:
            continue
        if row.end is None:
            found.append(Event(target, clocks.tick(target, sent), f"{text} (from {row.source})"))
        else:
            arriving.setdefault(row.end, []).append(sent)
    return found


def shiviz(diagram: Diagram) -> str:
    """The log: for each event its host and clock, then its text."""
    return "".join(f"{e.host} {json.dumps(e.clock)}\n{' '.join(e.text.split())}\n" for e in events(diagram))


def _host(name: str) -> str:
    return "_".join(name.split())
