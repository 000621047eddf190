"""Refuses writes to values that the state has copied (E230).

In Python, a record that was appended to a list is the element of the list: a write to it changes the element. In a spec
the state has a copy, so such a write would be lost. It is refused at its line. So is a write to a plain list, set or
dict, and to a part of the state that was taken out, when the state has a copy of it.
"""

from __future__ import annotations

from typing import Any

from ..errors import EverystateError, user_place
from ..ir.collection import View
from ..ir.expr import Expr
from ..ir.records import JoinedRecord, NewRecord, RecordView
from ..language.record import Record


class Copied:
    """The values that the state has copied on one path."""

    def __init__(self, known: dict[str, Any]) -> None:
        self._known = known
        """By identity: the holder of the value. Its writes are undone like those of the author."""
        self.state: list[Expr] | None = None
        """The terms of the state that the action changes."""

    def add(self, value: Any) -> None:
        """The state gets a copy of a value."""
        held = value.__dict__.get("_binding", value.__dict__) if isinstance(value, Record) else value
        if isinstance(held, JoinedRecord):
            self.add(held.one)
            self.add(held.other)
            return
        held = held.fields if isinstance(held, NewRecord) else held
        self._known[str(id(held))] = held
        if isinstance(held, (RecordView, View)):
            self.moved(held)

    def moved(self, view: Any) -> None:
        """A view has another place, which may be outside the state."""
        if str(id(view)) in self._known:
            for _, place in view._place.targets():
                if place.cells is not self.state:
                    self._known[str(id(place.cells))] = place.cells

    def check(self, held: Any) -> None:
        """E230 where the state has a copy of what is about to be written."""
        if self._known and str(id(held)) in self._known:
            raise EverystateError(
                "E230",
                user_place(),
                expression="a write to a value that was stored",
                reason="the state has a copy of it, which would not change",
                remedy="write before it is stored, or read it back from the state",
            )
