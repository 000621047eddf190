"""Finds the variables that still grow when a limit ends a search: usually one was meant to be bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...ir.layout import Layout
from ...language.domains import Cell, Domain

Cells = tuple[int, ...]
SHOWN = 3
SAMPLE = 2_000
"""States that are sampled from the first half of the levels, and as many from the last one."""


def growing(domains: dict[str, Domain], early: Iterable[Cells], late: Iterable[Cells]) -> str:
    """`count 0..1,012, queue.length 0..14`: for each variable the cell that has grown most since the early states.

    For a sequence that is its length, if that grew. A variable that has taken all values of its domain is left out.
    """
    cells = [cell for name, domain in domains.items() for cell in domain.cells(name)]
    before, now = _ranges(early), _ranges(late)
    found: list[tuple[int, str]] = []
    at = 0
    for domain in domains.values():
        own = range(at, at + domain.size)
        at += domain.size
        grown = [(_width(before, now, i), i) for i in own if before and now and _open(cells[i], now[i])]
        grown = [pair for pair in grown if pair[0] > 0]
        lengths = [pair for pair in grown if cells[pair[1]].path.endswith(".length")]
        if grown:
            by, place = max(lengths or grown, key=lambda pair: (pair[0], -pair[1]))
            found.append((by, _shown(cells[place], before[place], now[place])))
    found.sort(key=lambda pair: -pair[0])
    return ", ".join(text for _, text in found[:SHOWN])


def extremes(layout: Layout, blocks: Iterable[Any]) -> list[Cells]:
    """The least and the largest value of every cell, over a sample of states at even distances in each block."""
    found = []
    for block in blocks:
        some = block[:: max(1, len(block) // SAMPLE)]
        if len(some):
            mask = [np.uint64((1 << f.width) - 1) for f in layout.fields]
            columns = [(some[:, f.word] >> np.uint64(f.shift)) & m for f, m in zip(layout.fields, mask, strict=True)]
            for take in (np.min, np.max):
                found.append(tuple(int(take(c)) + f.lo for c, f in zip(columns, layout.fields, strict=True)))
    return found


def _ranges(states: Iterable[Cells]) -> list[tuple[int, int]]:
    return [(min(column), max(column)) for column in zip(*states, strict=True)]


def _open(cell: Cell, reached: tuple[int, int]) -> bool:
    return reached != (cell.lo, cell.hi)


def _width(before: Sequence[tuple[int, int]], now: Sequence[tuple[int, int]], i: int) -> int:
    """By how much the values of a cell reach beyond those of the early states."""
    return max(0, now[i][1] - before[i][1]) + max(0, before[i][0] - now[i][0])


def _shown(cell: Cell, before: tuple[int, int], now: tuple[int, int]) -> str:
    return f"{cell.path} {min(before[0], now[0]):,}..{max(before[1], now[1]):,}"
