"""The parts of compressed states: their tables, and the position of each part's number in a root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.interface import PART, PART_SIZE, CompressedLayout
from ..memory import Region, Workspace
from . import groups

FIRST_BITS = 10
FULL = 0.8
MOST_BITS = 30
BLOCK = 1 << 14
"""States that are compressed, or whose roots are rewritten, at a time."""


class OutOfRoom(Exception):
    """The memory limit is reached."""


@dataclass(frozen=True)
class Roots:
    """The positions of part numbers in the words of a root: which word, which shift, and how many bits."""

    places: tuple[int, ...]
    shifts: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def words(self) -> int:
        """Words of a root."""
        return max(self.places) + 1

    def packed(self, numbers: Any) -> Any:
        """Roots, a row each, of rows of numbers."""
        found = np.zeros((len(numbers), self.words), np.uint64)
        for g, (place, shift) in enumerate(zip(self.places, self.shifts, strict=True)):
            found[:, place] |= numbers[:, g].astype(np.uint64) << np.uint64(shift)
        return found

    def numbers(self, roots: Any) -> Any:
        """The numbers, a row each, in rows of roots."""
        found = np.empty((len(roots), len(self.places)), np.uint32)
        for g, (place, shift, width) in enumerate(zip(self.places, self.shifts, self.widths, strict=True)):
            found[:, g] = (roots[:, place] >> np.uint64(shift)) & np.uint64((1 << width) - 1)
        return found


def side_by_side(number: int) -> Roots:
    """The layout for numbers of 32 bits, two in each word: these always fit."""
    every = range(number)
    return Roots(tuple(g // 2 for g in every), tuple(32 * (g % 2) for g in every), (32,) * number)


def spread(places: Sequence[int], needed: Sequence[int]) -> Roots | None:
    """A layout in which numbers have at least so many bits; spare bits are distributed. None if they do not fit."""
    shifts, widths = [0] * len(places), [0] * len(places)
    for word in range(max(places) + 1):
        mine = [g for g, place in enumerate(places) if place == word]
        spare, at = groups.WORD - sum(needed[g] for g in mine), 0
        if spare < 0:
            return None
        for g in mine:
            shifts[g], widths[g] = at, min(32, needed[g] + spare // len(mine))
            at += widths[g]
    return Roots(tuple(places), tuple(shifts), tuple(widths))


class PartTables:
    """The tables of all parts, for workers that need `slack` numbers before they check for space."""

    def __init__(self, compression: CompressedLayout, budget: int) -> None:
        self.compression, self.roots = compression, side_by_side(len(compression.groups))
        self._heads = Workspace(8 * PART_SIZE * len(compression.groups)).array(
            (len(compression.groups), PART_SIZE), np.uint64
        )
        self._most = [min(budget // (8 * len(g)) + 1, 1 << MOST_BITS) for g in compression.groups]
        self._entries = [Region(8 * len(g) * most) for g, most in zip(compression.groups, self._most, strict=True)]
        self._tables = [Region(4 << FIRST_BITS) for _ in compression.groups]
        for g in range(len(compression.groups)):
            self._put(g, "entries", self._entries[g].address)
            self._put(g, "table", self._tables[g].address)
            self._put(g, "bits", FIRST_BITS)
        self._look()

    @property
    def address(self) -> int:
        """The address of the description of the tables, for compiled code."""
        return int(self._heads.ctypes.data)

    @property
    def counts(self) -> list[int]:
        """The used numbers of each part."""
        return [self._get(g, "claimed") for g in range(len(self._tables))]

    @property
    def bytes(self) -> int:
        """Memory in use for all parts."""
        rows = sum(8 * len(g) * count for g, count in zip(self.compression.groups, self.counts, strict=True))
        return rows + sum(table.size for table in self._tables)

    def short(self, slack: int) -> bool:
        """Whether a table or the width of a number is too small for so many more."""
        return any(count + slack > self._get(g, "limit") for g, count in enumerate(self.counts))

    def needed(self, slack: int) -> list[int]:
        """The bits that numbers need for so many more values."""
        return [(count + slack).bit_length() for count in self.counts]

    def fitted(self, slack: int) -> CompressedLayout:
        """The same groups, with as many words of a root as their numbers need now, and some spare bits."""
        needed = zip(self.needed(slack), self.counts, strict=True)
        return CompressedLayout(
            self.compression.groups, groups.places([max(bits, groups.expected(count)) for bits, count in needed])
        )

    def grow(self, compiled: Compiled, slack: int) -> None:
        """Make space for so many more values in the tables, while no worker runs."""
        for g, count in enumerate(self.counts):
            if count + slack > self._most[g]:
                raise OutOfRoom
            while count + slack > self._room(g):
                self._double(compiled, g)
        self._look()

    def lie(self, roots: Roots) -> None:
        """Set the layout of the roots."""
        self.roots = roots
        self._look()

    def numbers(self, compiled: Compiled, states: Any) -> Any:
        """The numbers of the parts of some states, a row each; new values get new numbers."""
        states, found = np.ascontiguousarray(states), np.empty((len(states), len(self._tables)), np.uint32)
        if self.short(len(states)):
            self.grow(compiled, len(states))
        compiled.parted(self.address, states.ctypes.data, len(states), 0, found.ctypes.data)
        return found

    def _room(self, g: int) -> int:
        return min(int(FULL * (1 << self._get(g, "bits"))), self._most[g])

    def _double(self, compiled: Compiled, g: int) -> None:
        old, bits = self._tables[g], self._get(g, "bits") + 1
        self._tables[g] = Region(4 << bits)
        self._put(g, "table", self._tables[g].address)
        self._put(g, "bits", bits)
        compiled.refill(g, self._heads[g].ctypes.data, old.address, 1 << (bits - 1))

    def _look(self) -> None:
        for g, (shift, width) in enumerate(zip(self.roots.shifts, self.roots.widths, strict=True)):
            self._put(g, "shift", shift)
            self._put(g, "mask", (1 << width) - 1)
            self._put(g, "limit", min(self._room(g), 1 << width))

    def _get(self, g: int, name: str) -> int:
        return int(self._heads[g, PART[name]])

    def _put(self, g: int, name: str, value: int) -> None:
        self._heads[g, PART[name]] = value
