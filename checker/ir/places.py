"""Places: where a symbolic value lives, so that it can be read and assigned part by part.

A place addresses a run of cells. `FixedCells` is a fixed position in a list of terms (the state, or a detached
copy). `IndexedElement` is an element at a symbolic position: reading selects, assigning makes every element that
the index may mean conditional. `Split` is one of two places. Views of composite values are places plus a domain.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import EverystateError, user_place
from .expr import Expr
from .facts import Path


class PLACE:
    """The key under which the place of a view is noted before it changes."""


class Place:
    """A run of cells that starts at 0."""

    __slots__ = ("path",)
    path: Path

    def get(self, at: int) -> Expr:
        """The term in a cell."""
        raise NotImplementedError

    def set(self, at: int, term: Expr) -> None:
        """Assign a cell."""
        raise NotImplementedError

    def sub(self, offset: int) -> Place:
        """The part that starts at an offset."""
        return Offset(self, offset)

    def targets(self) -> list[Target]:
        """Every fixed position that the place may mean, each with the condition under which it does."""
        raise NotImplementedError


class FixedCells(Place):
    """Cells of a list of terms, from a fixed position on."""

    __slots__ = ("base", "cells", "depth")

    def __init__(self, path: Path, cells: list[Expr], base: int = 0, depth: int | None = None) -> None:
        self.path, self.cells, self.base = path, cells, base
        self.depth = path.depth if depth is None else depth

    def get(self, at: int) -> Expr:
        return self.cells[self.base + at]

    def set(self, at: int, term: Expr) -> None:
        if self.depth != self.path.depth:
            raise EverystateError("E210", user_place())
        self.path.note(self.cells, self.base + at)
        self.cells[self.base + at] = term

    def sub(self, offset: int) -> Place:
        return FixedCells(self.path, self.cells, self.base + offset, self.depth)

    def targets(self) -> list[Target]:
        return [(self.path.pool.true, self)]


Target = tuple[Expr, FixedCells]


class Offset(Place):
    """A part of another place."""

    __slots__ = ("offset", "whole")

    def __init__(self, whole: Place, offset: int) -> None:
        self.path, self.whole, self.offset = whole.path, whole, offset

    def get(self, at: int) -> Expr:
        return self.whole.get(self.offset + at)

    def set(self, at: int, term: Expr) -> None:
        self.whole.set(self.offset + at, term)

    def targets(self) -> list[Target]:
        return [(c, FixedCells(d.path, d.cells, d.base + self.offset, d.depth)) for c, d in self.whole.targets()]


class IndexedElement(Place):
    """The element at a symbolic position of a run of elements."""

    __slots__ = ("first", "index", "positions", "stride")

    def __init__(self, first: Place, index: Expr, stride: int, count: int) -> None:
        self.path, self.first, self.index, self.stride = first.path, first, index, stride
        lo, hi = self.path.facts.bounds(index)
        self.positions = range(max(lo, 0), min(hi, count - 1) + 1) or range(1)

    def get(self, at: int) -> Expr:
        pool = self.path.pool
        options = [self.first.get(i * self.stride + at) for i in self.positions]
        return pool.select(pool.add(self.index, pool.const(-self.positions[0])), options)

    def set(self, at: int, term: Expr) -> None:
        pool = self.path.pool
        for i in self.positions:
            cell = i * self.stride + at
            self.first.set(cell, pool.ite(self._here(i), term, self.first.get(cell)))

    def _here(self, i: int) -> Expr:
        pool = self.path.pool
        return pool.eq(self.index, pool.const(i)) if len(self.positions) > 1 else pool.true

    def targets(self) -> list[Target]:
        pool, found = self.path.pool, []
        for i in self.positions:
            for condition, d in self.first.targets():
                whole = pool.and_((self._here(i), condition))
                if whole is not pool.false:
                    found.append((whole, FixedCells(d.path, d.cells, d.base + i * self.stride, d.depth)))
        return found


class Split(Place):
    """One place where a condition holds, another one where it does not."""

    __slots__ = ("condition", "one", "other")

    def __init__(self, condition: Expr, one: Place, other: Place) -> None:
        self.path, self.condition, self.one, self.other = one.path, condition, one, other

    def get(self, at: int) -> Expr:
        return self.path.pool.ite(self.condition, self.one.get(at), self.other.get(at))

    def set(self, at: int, term: Expr) -> None:
        pool = self.path.pool
        self.one.set(at, pool.ite(self.condition, term, self.one.get(at)))
        self.other.set(at, pool.ite(self.condition, self.other.get(at), term))

    def targets(self) -> list[Target]:
        pool = self.path.pool
        one = [(pool.and_((self.condition, c)), direct) for c, direct in self.one.targets()]
        other = [(pool.and_((pool.not_(self.condition), c)), direct) for c, direct in self.other.targets()]
        return [(c, direct) for c, direct in (*one, *other) if c is not pool.false]


def split(condition: Expr, one: Place, other: Place) -> Place:
    """One place where a condition holds, else another; simplified where the condition is known."""
    if condition.op == "const":
        return one if condition.value else other
    return Split(condition, one, other)


def read_all(place: Place, size: int) -> list[Expr]:
    """The terms of a whole value."""
    if type(place) is FixedCells:
        return place.cells[place.base : place.base + size]
    return [place.get(i) for i in range(size)]


def write_all(place: Place, terms: Sequence[Expr]) -> None:
    """Assign a whole value."""
    for i, term in enumerate(terms):
        place.set(i, term)
