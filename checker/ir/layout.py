"""The bit layout of a state: which bits of which 64-bit word hold which cell.

A state is W words. A cell of interval lo..hi takes just the bits that hi - lo needs and holds value - lo, so
an all-zero field is the lowest value. No cell straddles a word. The cells of one variable stay together in
order (a variable longer than a word is cut between cells), which lets the compiled model move a whole
sequence with one shift.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.domains import Cell, Domain

WORD = 64


@dataclass(frozen=True)
class Field:
    """The position of a cell: bits shift..shift+width-1 of a word; width 0 for a cell with one value only."""

    word: int
    shift: int
    width: int
    lo: int


@dataclass(frozen=True)
class Layout:
    """The fields of all cells, in cell order."""

    fields: tuple[Field, ...]
    words: int
    bits: int

    def pack(self, cells: Sequence[int]) -> tuple[int, ...]:
        """The words of a state."""
        words = [0] * self.words
        for field, value in zip(self.fields, cells, strict=True):
            words[field.word] |= (value - field.lo) << field.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        """The cells of a state."""
        whole = [int(word) for word in words]
        return tuple([(whole[word] >> shift & mask) + lo for word, shift, mask, lo in self._masks])

    def unpack_all(self, rows: Any) -> list[tuple[int, ...]]:
        """The cells of some states, each a row of words: many at once take a fraction of the time."""
        words, shifts, masks, least = self._columns
        return list(map(tuple, ((rows[:, words] >> shifts & masks).view(np.int64) + least).tolist()))

    @functools.cached_property
    def _columns(self) -> tuple[Any, Any, Any, Any]:
        words, shifts, masks, least = zip(*self._masks, strict=True) if self.fields else ((), (), (), ())
        return np.array(words, int), np.array(shifts, np.uint64), np.array(masks, np.uint64), np.array(least, np.int64)

    @functools.cached_property
    def _masks(self) -> list[tuple[int, int, int, int]]:
        return [(f.word, f.shift, (1 << f.width) - 1, f.lo) for f in self.fields]


def plan(domains: dict[str, Domain]) -> Layout:
    """A layout with as few words as best-fit decreasing finds."""
    chunks = _chunks(domains)
    order = sorted(range(len(chunks)), key=lambda i: -sum(c.width for c in chunks[i]))
    room: list[int] = []
    placed: dict[int, tuple[int, int]] = {}
    for i in order:
        need = sum(c.width for c in chunks[i])
        fitting = [w for w, left in enumerate(room) if left >= need]
        word = min(fitting, key=lambda w: room[w]) if fitting else len(room)
        if word == len(room):
            room.append(WORD)
        placed[i] = (word, WORD - room[word])
        room[word] -= need
    fields: list[Field] = []
    for i, chunk in enumerate(chunks):
        word, shift = placed[i]
        for cell in chunk:
            fields.append(Field(word, shift, cell.width, cell.lo))
            shift += cell.width
    return Layout(tuple(fields), max(1, len(room)), sum(f.width for f in fields))


@dataclass(frozen=True)
class _Sized:
    width: int
    lo: int


def _chunks(domains: dict[str, Domain]) -> list[list[_Sized]]:
    chunks: list[list[_Sized]] = []
    for name, domain in domains.items():
        chunk: list[_Sized] = []
        used = 0
        for cell in domain.cells(name):
            width = bits(cell)
            if used + width > WORD:
                chunks.append(chunk)
                chunk, used = [], 0
            chunk.append(_Sized(width, cell.lo))
            used += width
        if chunk:
            chunks.append(chunk)
    return chunks


def bits(cell: Cell) -> int:
    """The number of bits that a cell needs."""
    return (cell.hi - cell.lo).bit_length()
