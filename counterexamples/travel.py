"""Where a message ends: the row in which its receiver speaks of it, or in which its connection is lost.

Narration tells when a message is sent and, later, what its receiver makes of it. The two belong together when
the note names the same thing (`b0`) and nothing speaks against it: a message that is sent again was given up
before, and what is on a connection when that is lost arrives only if its receiver speaks of it later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .diagram import MARK, Message, Note, Row, at_row

TOKEN = re.compile(r"\b[a-z]\d+\b")


@dataclass
class _Flight:
    """A message on its way; `cut` is the row in which its connection was lost."""

    row: int
    message: Message
    token: str
    cut: int | None = None


@dataclass
class _Follower:
    rows: list[Row]
    flying: list[_Flight] = field(default_factory=list)

    def run(self) -> list[Row]:
        for at, row in enumerate(list(self.rows)):
            if isinstance(row, Message):
                self._message(at, row)
            elif row.kind != MARK and row.lane:
                self._note(at, row)
        for flight in list(self.flying):
            self._give_up(flight)
        return self.rows

    def _message(self, at: int, row: Message) -> None:
        pair = {row.source, row.target}
        token = _token(row.text)
        if row.lost and not token:
            for flight in self.flying:
                if {flight.message.source, flight.message.target} == pair and flight.cut is None:
                    flight.cut = at
        elif token and not row.lost:
            for flight in [f for f in self.flying if f.token == token and _same_way(f.message, row)]:
                self._give_up(flight)
            self.flying.append(_Flight(at, row, token))

    def _note(self, at: int, note: Note) -> None:
        tokens = TOKEN.findall(note.text)
        found = [f for f in self.flying if f.message.target == note.lane and f.token in tokens[:1]]
        if found:
            flight = min(found, key=lambda f: (f.cut is not None, f.row))
            self.flying.remove(flight)
            self.rows[flight.row] = at_row(flight.message, at)

    def _give_up(self, flight: _Flight) -> None:
        self.flying.remove(flight)
        if flight.cut is not None:
            self.rows[flight.row] = at_row(flight.message, flight.cut, dropped=True)


def follow(rows: Sequence[Row]) -> list[Row]:
    """The rows, each message with the row in which it ends as far as the narration tells."""
    return _Follower(list(rows)).run()


def _token(text: str) -> str:
    match = TOKEN.search(text)
    return match[0] if match else ""


def _same_way(left: Message, right: Message) -> bool:
    return (left.source, left.target) == (right.source, right.target)
