"""The cells of a state as latches, each of which is a predicate over one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...ir.expr import Expr
from .circuit import FALSE, TRUE, Circuit
from .words import Bits, Words, constant, width

FEW = 17
"""Values of a number that has a latch for each bound, as in the predicates of proofs."""
TRUTH, BOUND, BIT = "truth", "bound", "bit"


@dataclass(frozen=True)
class Latch:
    """A predicate over a cell: it is true, it is at most `value`, or bit `value` of what it exceeds its least value by
    is set."""

    cell: int
    kind: str
    value: int = 0


class Place:
    """The latches of one cell; none where it has one value only."""

    def __init__(self, cell: int, lo: int, hi: int, boolean: bool) -> None:
        self.cell, self.lo, self.hi, self.boolean = cell, lo, hi, boolean
        self.bounded = not boolean and hi - lo < FEW
        if boolean:
            self.latches = [Latch(cell, TRUTH)] if lo < hi else []
        elif self.bounded:
            self.latches = [Latch(cell, BOUND, value) for value in range(lo, hi)]
        else:
            self.latches = [Latch(cell, BIT, bit) for bit in range((hi - lo).bit_length())]

    def of_value(self, value: int) -> list[int]:
        """What the latches hold for a value, as constant literals."""
        if self.boolean:
            return [int(bool(value))] * len(self.latches)
        if self.bounded:
            return [int(value <= latch.value) for latch in self.latches]
        return [value - self.lo >> latch.value & 1 for latch in self.latches]

    def of_term(self, words: Words, term: Expr) -> list[int]:
        """What the latches hold for the value of a term."""
        if term.op == "const":
            return self.of_value(term.value)
        if self.boolean:
            return [words(term)] * len(self.latches)
        if self.bounded:
            return [words.at_most(term, latch.value) for latch in self.latches]
        return words.less(term, self.lo, len(self.latches))


class State:
    """The cells of a state whose latches hold some literals."""

    def __init__(self, circuit: Circuit, places: Sequence[Place], held: Sequence[Sequence[int]]) -> None:
        self.circuit, self.places, self.held = circuit, places, held
        self._bits: dict[int, Bits] = {}

    def at_most(self, cell: int, value: int) -> int:
        """Whether a number is at most a value, which is one of its own but not the largest."""
        place, held = self.places[cell], self.held[cell]
        if place.bounded:
            return held[value - place.lo]
        found = TRUE
        for bit, most in zip(held, constant(value - place.lo, 0, place.hi - place.lo), strict=True):
            found = self.circuit.or_(bit ^ 1, found) if most else self.circuit.and_(bit ^ 1, found)
        return found

    def bits(self, cell: int) -> Bits:
        """The bits of a number, or the literal of a boolean."""
        if cell not in self._bits:
            self._bits[cell] = self._read(self.places[cell], self.held[cell])
        return self._bits[cell]

    def _read(self, place: Place, held: Sequence[int]) -> Bits:
        if place.boolean:
            return list(held) or [int(bool(place.lo))]
        size = width(place.lo, place.hi)
        if not place.bounded:
            more = [*held, *[FALSE] * (size - len(held))][:size]
            return Words(self.circuit, self).sum(more, constant(place.lo, place.lo, place.hi))
        below, values = [FALSE, *held, TRUE], range(place.lo, place.hi + 1)
        exact = [self.circuit.and_(below[i + 1], below[i] ^ 1) for i in range(len(values))]
        return [
            self.circuit.any(here for here, value in zip(exact, values, strict=True) if value >> i & 1)
            for i in range(size)
        ]
