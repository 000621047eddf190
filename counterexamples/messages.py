"""Messages and notes, the rows of a sequence diagram; and where a message ends: in the row of its receiver's note, or
in which its connection is lost.

Narration has an event when a message is sent and, later, one when it is handled. The two are matched when the note
names the same thing (`b0`) and nothing contradicts it: a message that is sent again was given up before, and a message
on a lost connection arrives only if its receiver mentions it later. Where a trace narrates the end of some messages,
the others are open: still on their way, or given up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

NOTE, MARK, LABEL, CHANGE = "note", "mark", "label", "change"


@dataclass(frozen=True)
class Message:
    """A message; `end` is the row in which it is handled or, if dropped, lost; None where the narration has none.

    `open` means that others are handled, but this one is not: it is on its way, or given up.
    """

    step: int
    source: str
    target: str
    text: str
    lost: bool = False
    end: int | None = None
    dropped: bool = False
    open: bool = False


@dataclass(frozen=True)
class Note:
    """A text on a lane, or over all lanes when `lane` is empty; kinds: note, mark, label, change."""

    step: int
    lane: str
    text: str
    kind: str = NOTE


Row = Message | Note


LATE = re.compile(r"\bclosed connection\b")
"""A note with these words refers to a message whose connection was lost, even if it was sent again since."""
TOKEN = re.compile(r"\b[a-z]\d+\b")


@dataclass
class MessageInFlight:
    """A message on its way; `cut` is the row in which its connection was lost."""

    row: int
    message: Message
    token: str
    cut: int | None = None


@dataclass
class _Follower:
    rows: list[Row]
    flying: list[MessageInFlight] = field(default_factory=list)
    given_up: list[MessageInFlight] = field(default_factory=list)
    telling: bool = False

    def run(self) -> list[Row]:
        for at, row in enumerate(list(self.rows)):
            if isinstance(row, Message):
                self._message(at, row)
            elif row.kind != MARK and row.lane:
                self._note(at, row)
        for flight in [*self.flying, *self.given_up]:
            if flight.cut is not None:
                self.rows[flight.row] = replace(flight.message, end=flight.cut, dropped=True)
        return list(map(self._opened, self.rows))

    def _opened(self, row: Row) -> Row:
        if not self.telling or not isinstance(row, Message) or row.lost or row.end is not None:
            return row
        return replace(row, open=bool(_token(row.text)))

    def _message(self, at: int, row: Message) -> None:
        pair = {row.source, row.target}
        token = _token(row.text)
        if row.lost and not token:
            for flight in self.flying:
                if {flight.message.source, flight.message.target} == pair and flight.cut is None:
                    flight.cut = at
        elif token and not row.lost:
            for flight in [f for f in self.flying if f.token == token and _same_way(f.message, row)]:
                self.flying.remove(flight)
                self.given_up.append(flight)
            self.flying.append(MessageInFlight(at, row, token))

    def _note(self, at: int, note: Note) -> None:
        tokens = TOKEN.findall(note.text)
        late = LATE.search(note.text) is not None
        known = [f for f in [*self.flying, *self.given_up] if f.cut is not None] if late else self.flying
        found = [f for f in known if f.message.target == note.lane and f.token in tokens[:1]]
        if found:
            flight = min(found, key=lambda f: (f.cut is not None, f.row))
            (self.flying if flight in self.flying else self.given_up).remove(flight)
            self.rows[flight.row] = replace(flight.message, end=at)
            self.telling = True


def follow(rows: Sequence[Row]) -> list[Row]:
    """The rows, each message with the row of its end where the narration has it."""
    return _Follower(list(rows)).run()


def _token(text: str) -> str:
    match = TOKEN.search(text)
    return match[0] if match else ""


def _same_way(left: Message, right: Message) -> bool:
    return (left.source, left.target) == (right.source, right.target)
