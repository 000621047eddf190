"""Records the writes of one side of a condition, so that they can be undone, and both sides be merged.

All writes of lifted code go through a journal: cells of the state and of copies, places of views, names of frames,
attributes of objects, and plain containers that the same call has created.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.places import PLACE

MISSING = object()
"""The value of a missing name or key."""


class WHOLE:
    """The key for a plain container as a whole."""


Key = Any
Entry = tuple[Any, Key, Any]


class Journal:
    """The writes of a call, with the values before each."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self.active = False
        self.touched: Callable[[Any], None] | None = None
        """Called before a write."""

    def __len__(self) -> int:
        return len(self._entries)

    def note(self, container: Any, key: Key) -> None:
        """Something is about to be written."""
        if self.touched is not None:
            self.touched(container)
        self.note_own(container, key)

    def note_own(self, container: Any, key: Key) -> None:
        """Something of the front end itself is about to be written."""
        if self.active:
            self._entries.append((container, key, read(container, key)))

    def back(self, to: int) -> dict[tuple[int, Any], tuple[Any, Key, Any, Any]]:
        """Undo later writes; returns for each place the value before and the last one."""
        found: dict[tuple[int, Any], tuple[Any, Key, Any, Any]] = {}
        if len(self._entries) == to:
            return found
        for container, key, old in self._entries[to:]:
            place = (id(container), key)
            if place not in found:
                found[place] = (container, key, old, read(container, key))
        for container, key, old in reversed(self._entries[to:]):
            write(container, key, old)
        del self._entries[to:]
        return found

    def forget(self) -> None:
        """Nothing can be undone any more."""
        self._entries.clear()


def read(container: Any, key: Key) -> Any:
    """The value at a place; for a whole container its content."""
    if key is WHOLE:
        return container.copy()
    if key is PLACE:
        return container._place
    if type(container) is list:
        return container[key]
    return container.get(key, MISSING)


def write(container: Any, key: Key, value: Any) -> None:
    """Put something at a place."""
    if key is WHOLE:
        if type(container) is list:
            container[:] = value
        else:
            container.clear()
            (container.extend if hasattr(container, "extend") else container.update)(value)
    elif key is PLACE:
        container._place = value
    elif type(container) is list:
        container[key] = value
    elif value is MISSING:
        container.pop(key, None)
    else:
        dict.__setitem__(container, key, value)
