"""A shard: the part of the state space that one worker owns, and the worker's buffers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.native import Compiled
from ..backends.native.functions import NO_ACTION
from ..backends.native.store import DONE, GROW, SEND, SLOT
from ..errors import EverystateError
from .memory import Region, shown

__all__ = ["DONE", "GROW", "NO_ACTION", "SEND", "OutOfRoom", "Shard"]

FIRST_BITS = 14
FULL = 0.8
"""Share of used slots at which the table doubles: probes stay short, slots cost 5 to 10 bytes a state."""
MAX_BITS = 30


class OutOfRoom(Exception):
    """The memory limit of this shard is reached."""


class Shard:
    """States with their table, in memory of at most `limit` bytes.

    Invariant between calls: `table` finds exactly the states 0..count-1, and `count` plus the successors of
    one batch stays below `limit`.
    """

    def __init__(self, compiled: Compiled, limit: int, me: int, owners: int) -> None:
        program = compiled.program
        self.compiled, self.program, self.limit, self.me, self.owners = compiled, program, limit, me, owners
        self.words, self.key_words = program.words, program.key_words
        self.viewed = bool(program.model.view)
        record = 8 * self.words + (8 * self.key_words if self.viewed else 0)
        self.record = record
        most = min(limit // record + 1, 1 << MAX_BITS)
        self.arena, self.via_region = Region(most * 8 * self.words), Region(most * 2)
        self.states = self.arena.array(np.uint64).reshape(-1)[: most * self.words].reshape(most, self.words)
        self.via = self.via_region.array(np.uint16)
        self.keys = Region(most * 8 * self.key_words) if self.viewed else self.arena
        self.counters = np.zeros(program.counters.size, np.uint64)
        self.context = np.zeros(len(SLOT), np.uint64)
        self._buffers()
        self.bits = FIRST_BITS
        room = compiled.batch * program.most_successors
        while room > FULL * (1 << self.bits) / 2:
            self.bits += 1
        least = (4 << self.bits) + (room + 1) * (self.record + 2)
        if limit < least:
            raise EverystateError("E504", None, size=shown(limit), need=shown(least))
        self.table = Region(self._most_table())
        self.set("table", self.table.address)
        self._size_table()

    def _buffers(self) -> None:
        rows = self.compiled.batch * self.program.most_successors
        self._out = np.empty((rows, self.words), np.uint64)
        self._actions, self._sources = np.empty(rows, np.uint16), np.empty(rows, np.uint32)
        capacity = rows + 8192 if self.owners > 1 else 0
        self.boxes = [np.empty((capacity, self.words), np.uint64) for _ in range(self.owners)]
        self.box_actions = [np.empty(capacity, np.uint16) for _ in range(self.owners)]
        self.box_counts = np.zeros(self.owners, np.uint64)
        self._box_table = np.array([b.ctypes.data for b in self.boxes], np.uint64)
        self._box_action_table = np.array([b.ctypes.data for b in self.box_actions], np.uint64)
        addresses = {
            "states": self.arena.address,
            "keys": self.keys.address,
            "via": self.via_region.address,
            "out": self._out.ctypes.data,
            "actions": self._actions.ctypes.data,
            "sources": self._sources.ctypes.data,
            "counters": self.counters.ctypes.data,
            "owners": self.owners,
            "me": self.me,
            "boxes": self._box_table.ctypes.data,
            "box_actions": self._box_action_table.ctypes.data,
            "box_counts": self.box_counts.ctypes.data,
            "box_limit": max(0, capacity - rows),
        }
        for name, value in addresses.items():
            self.set(name, value)

    def _size_table(self) -> None:
        self.set("bits", self.bits)
        self.set("limit", min(int(FULL * (1 << self.bits)), self._rows_beside(self.bits)))

    def _most_table(self) -> int:
        """Bytes of the largest table that the memory limit can ask for."""
        bits = self.bits
        while bits < MAX_BITS and self._rows_beside(bits + 1) > FULL * (1 << bits):
            bits += 1
        return 4 << bits

    def _rows_beside(self, bits: int) -> int:
        """States that fit into the memory limit beside a table of 2^bits slots."""
        return min((self.limit - (4 << bits)) // (self.record + 2), len(self.states) - 1)

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
    def count(self) -> int:
        """States stored."""
        return self.get("count")

    @property
    def bytes(self) -> int:
        """Memory in use for states: arena, keys, table and the level's bookkeeping."""
        level = self.count - self.get("level_start")
        return self.count * self.record + (4 << self.bits) + 2 * level

    # -- work ----------------------------------------------------------------------------------------------

    def grow(self) -> None:
        """Double the table; OutOfRoom when the memory limit forbids it."""
        room = self.compiled.batch * self.program.most_successors
        bigger = self.bits + 1
        if bigger > MAX_BITS or self.count + room > self._rows_beside(bigger):
            raise OutOfRoom
        displaced = np.empty(int(self.compiled.displaced(self.pointer)) + 1, np.uint64)
        self.compiled.grow(self.pointer, displaced.ctypes.data)
        self.bits = bigger
        self._size_table()

    def explore(self) -> int:
        """Expand cursor..end; DONE, or SEND when a box is full."""
        while True:
            status = int(self.compiled.explore(self.pointer))
            if status != GROW:
                return status
            self.grow()

    def receive(self, states: Any, actions: Any) -> None:
        """Store successors that other workers found."""
        at = 0
        while at < len(states):
            rest, via = states[at:], actions[at:]
            done = int(self.compiled.receive(self.pointer, rest.ctypes.data, via.ctypes.data, len(rest)))
            at += done
            if at < len(states):
                self.grow()

    def take_box(self, owner: int) -> tuple[Any, Any] | None:
        """What waits for another worker, copied out; None when there is nothing."""
        count = int(self.box_counts[owner])
        if count == 0:
            return None
        self.box_counts[owner] = 0
        return self.boxes[owner][:count].copy(), self.box_actions[owner][:count].copy()

    def first_actions(self) -> Any:
        """For each action, how many states of the level being built it reached first."""
        new = self.count - self.get("level_start")
        names = len(self.program.action_names)
        found = self.via[:new]
        return np.bincount(found[found < names], minlength=names)
