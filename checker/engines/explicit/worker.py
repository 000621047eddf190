"""A worker: the view of one thread on the store, with its own buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backends.native.interface import DONE, GROW, NO_ACTION, SLOT
from ..memory import LINE, Workspace
from ..path_notes import PathNotes
from .store import Store

__all__ = ["DONE", "GROW", "NO_ACTION", "Worker"]

ENDLESS = (1 << 64) - 1
MOST = 1024
"""Levels that machine code builds by itself, at most, before other threads get their turn."""


class Worker:
    """Expands states of a store and stores their successors there."""

    def __init__(self, store: Store) -> None:
        self.store, self.compiled, program = store, store.compiled, store.program
        rows, words, counters = store.room, program.words, program.counters
        space = Workspace(8 * (len(SLOT) + counters.room) + (8 * words + 6) * rows + 5 * LINE)
        self.context, whole = space.array((len(SLOT),), np.uint64), space.array((counters.room,), np.uint64)
        self.counters, self.notes = whole[: counters.size], PathNotes(whole, counters)
        self._out = space.array((rows, words), np.uint64)
        self._actions, self._sources = space.array((rows,), np.uint16), space.array((rows,), np.uint32)
        addresses = {
            "states": store.arena.address,
            "keys": store.keys.address,
            "via": store.via_region.address,
            "table": store.table.address,
            "claimed": store.claimed.ctypes.data,
            "out": self._out.ctypes.data,
            "actions": self._actions.ctypes.data,
            "sources": self._sources.ctypes.data,
            "counters": self.counters.ctypes.data,
        }
        for name, value in addresses.items():
            self.set(name, value)
        self.look()

    # -- the context ---------------------------------------------------------------------------------------

    def get(self, name: str) -> int:
        """A slot of the context."""
        return int(self.context[SLOT[name]])

    def set(self, name: str, value: int) -> None:
        """Assign a slot of the context."""
        self.context[SLOT[name]] = value

    @property
    def pointer(self) -> int:
        """The address of the context."""
        return int(self.context.ctypes.data)

    @property
    def stored(self) -> int:
        """States that this worker stored."""
        return self.get("stored")

    def look(self) -> None:
        """Take in the size of the table."""
        self.set("bits", self.store.bits)
        self.set("limit", self.store.limit)

    def compress(self) -> None:
        """Work on compressed states from now on."""
        store, part_tables = self.store, self.store.part_tables
        assert part_tables is not None
        batch, words, roots = store.compiled.batch, store.words, part_tables.roots.words
        self._decompressed = Workspace(8 * words * batch + 8 * roots * store.room + 2 * LINE)
        parents = self._decompressed.array((batch, words), np.uint64)
        made = self._decompressed.array((store.room, roots), np.uint64)
        self.set("parts", part_tables.address)
        self.set("parents", parents.ctypes.data)
        self.set("roots", made.ctypes.data)
        self.compiled = store.compiled
        self.look()

    # -- work ----------------------------------------------------------------------------------------------

    def begin(self, crowd: int) -> None:
        """Get ready for a level that `crowd` workers build together."""
        start = self.store.level_start
        self.set("level_start", start)
        self.set("crowd", int(crowd > 1))
        self.set("slack", self.store.slack(crowd))
        self.set("next", start)
        self.set("page_end", start if crowd > 1 else ENDLESS)

    @property
    def hole(self) -> tuple[int, int]:
        """The indexes that this worker claimed in the level and has not used."""
        return self.get("next"), self.get("page_end")

    def explore(self, start: int, end: int) -> int:
        """Expand the states start..end-1: DONE, or GROW when the table must grow before `resume`."""
        self.set("cursor", start)
        self.set("end", end)
        return self.resume()

    def resume(self) -> int:
        """Continue what `explore` began."""
        return int(self.compiled.explore(self.pointer))

    def explore_levels(self, start: int, end: int, news: Any) -> Iterator[tuple[list[int], bool]]:
        """Expand the states start..end-1 of a level and those of the next ones, alone; returns one past the last state
        of each level, and whether the table must grow before the next part. It ends after a level that is empty or
        wide, or in which one of the counters `news` has counted something, or after MOST levels."""
        ends, left = np.zeros(MOST, np.uint64), MOST
        self.set("cursor", start)
        self.set("end", end)
        full = 1
        while full:
            given = (ends.ctypes.data, left, news.ctypes.data, len(news))
            built, full = divmod(int(self.compiled.explore_levels(self.pointer, *given)), 2)
            left -= built
            yield ends[:built].tolist(), bool(full)

    def receive(self, states: Any, actions: Any) -> int:
        """Store states, while no other worker does: how many of them, all or as many as fit before the table grows."""
        return int(self.compiled.receive(self.pointer, states.ctypes.data, actions.ctypes.data, len(states)))
