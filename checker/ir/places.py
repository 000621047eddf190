"""Places: where a symbolic value lives, so that it can be read and assigned part by part.

A place addresses a run of cells. `Direct` is a fixed position in a list of terms (the state, or a detached
copy). `Indexed` is an element at a symbolic position: reading selects, assigning makes every element that
the index may mean conditional. Views of composite values are places plus a domain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import EverystateError, user_place
from .expr import Expr

if TYPE_CHECKING:
    from .tracer import Tracer


class Place:
    """A run of cells that starts at 0."""

    tracer: Tracer

    def get(self, at: int) -> Expr:
        """The term in a cell."""
        raise NotImplementedError

    def set(self, at: int, term: Expr) -> None:
        """Assign a cell."""
        raise NotImplementedError

    def sub(self, offset: int) -> Place:
        """The part that starts at an offset."""
        return Offset(self, offset)


class Direct(Place):
    """Cells of a list of terms, from a fixed position on."""

    def __init__(self, tracer: Tracer, cells: list[Expr], base: int = 0, depth: int | None = None) -> None:
        self.tracer, self.cells, self.base = tracer, cells, base
        self.depth = tracer.depth if depth is None else depth

    def get(self, at: int) -> Expr:
        return self.cells[self.base + at]

    def set(self, at: int, term: Expr) -> None:
        if self.depth != self.tracer.depth:
            raise EverystateError("E210", user_place())
        self.cells[self.base + at] = term

    def sub(self, offset: int) -> Place:
        return Direct(self.tracer, self.cells, self.base + offset, self.depth)


class Offset(Place):
    """A part of another place."""

    def __init__(self, whole: Place, offset: int) -> None:
        self.tracer, self.whole, self.offset = whole.tracer, whole, offset

    def get(self, at: int) -> Expr:
        return self.whole.get(self.offset + at)

    def set(self, at: int, term: Expr) -> None:
        self.whole.set(self.offset + at, term)


class Indexed(Place):
    """The element at a symbolic position of a run of elements."""

    def __init__(self, first: Place, index: Expr, stride: int, count: int) -> None:
        self.tracer, self.first, self.index, self.stride = first.tracer, first, index, stride
        lo, hi = self.tracer.facts.bounds(index)
        self.positions = range(max(lo, 0), min(hi, count - 1) + 1) or range(0, 1)

    def get(self, at: int) -> Expr:
        pool = self.tracer.pool
        options = [self.first.get(i * self.stride + at) for i in self.positions]
        return pool.select(pool.add(self.index, pool.const(-self.positions[0])), options)

    def set(self, at: int, term: Expr) -> None:
        pool = self.tracer.pool
        for i in self.positions:
            cell = i * self.stride + at
            here = pool.eq(self.index, pool.const(i)) if len(self.positions) > 1 else pool.true
            self.first.set(cell, pool.ite(here, term, self.first.get(cell)))


class Watched(Place):
    """An element of a sequence that must not be used after the sequence has shifted."""

    def __init__(self, element: Place, fresh: Callable[[], bool]) -> None:
        self.tracer, self.element, self.fresh = element.tracer, element, fresh

    def _check(self) -> Place:
        if not self.fresh():
            raise EverystateError(
                "E215",
                user_place(),
                expression="an element of a sequence, held while the sequence shifted,",
                reason="it is a reference, and what it refers to has moved",
                remedy="read the element again, or take it out with popleft() or pop() first",
            )
        return self.element

    def get(self, at: int) -> Expr:
        return self._check().get(at)

    def set(self, at: int, term: Expr) -> None:
        self._check().set(at, term)


def read_all(place: Place, size: int) -> list[Expr]:
    """The terms of a whole value."""
    return [place.get(i) for i in range(size)]


def write_all(place: Place, terms: Sequence[Expr]) -> None:
    """Assign a whole value."""
    for i, term in enumerate(terms):
        place.set(i, term)
