"""Integers for z3: as bit-vectors that are just as wide as their interval, or as mathematical integers.

A number of interval lo..hi is unsigned where lo >= 0 and in two's complement otherwise. Sums, differences and
products are exact modulo 2^width, so their operands may be cut to the width of the result; comparisons and
divisions widen both sides first.
"""

from __future__ import annotations

from typing import Any, Protocol

import z3

Interval = tuple[int, int]
Number = tuple[Any, Interval]
"""A z3 expression and the interval of its value."""


class Arithmetic(Protocol):
    """How numbers become z3 expressions."""

    name: str

    def variable(self, name: str, of: Interval) -> Any: ...

    def constant(self, value: int, of: Interval) -> Any: ...

    def fit(self, number: Number, of: Interval) -> Any: ...

    def combine(self, op: str, a: Number, b: Number, of: Interval) -> Any: ...

    def divide(self, op: str, a: Number, b: Number, of: Interval) -> Any: ...

    def equal(self, a: Number, b: Number) -> Any: ...

    def less(self, a: Number, b: Number) -> Any: ...


def union(a: Interval, b: Interval) -> Interval:
    """The least interval that contains both."""
    return min(a[0], b[0]), max(a[1], b[1])


def width(of: Interval) -> int:
    """The bits of a number of this interval."""
    lo, hi = of
    return max(1, hi.bit_length()) if lo >= 0 else max((-lo - 1).bit_length(), max(hi, 0).bit_length()) + 1


class BitVectors:
    """Numbers as bit-vectors of the width of their interval."""

    name = "bit-vectors"

    def variable(self, name: str, of: Interval) -> Any:
        """A variable; its interval must be asserted apart."""
        return z3.BitVec(name, width(of))

    def constant(self, value: int, of: Interval) -> Any:
        """A constant as a bit vector that is wide enough for the interval."""
        return z3.BitVecVal(value, width(of))

    def fit(self, number: Number, of: Interval) -> Any:
        """The same value as a number of another interval that contains it."""
        term, (lo, _) = number
        have, want = term.size(), width(of)
        if have == want:
            return term
        if have > want:
            return z3.Extract(want - 1, 0, term)
        return z3.SignExt(want - have, term) if lo < 0 else z3.ZeroExt(want - have, term)

    def combine(self, op: str, a: Number, b: Number, of: Interval) -> Any:
        """A sum, difference or product."""
        left, right = self.fit(a, of), self.fit(b, of)
        return left + right if op == "add" else left - right if op == "sub" else left * right

    def divide(self, op: str, a: Number, b: Number, of: Interval) -> Any:
        """A quotient or remainder, rounded down as in Python; 0 where the divisor is 0."""
        wide = union(union(a[1], b[1]), of)
        left, right = self.fit(a, wide), self.fit(b, wide)
        if wide[0] >= 0:
            found = z3.UDiv(left, right) if op == "div" else z3.URem(left, right)
        elif op == "mod":
            found = left % right
        else:
            wide = (2 * wide[0] - 1, 2 * wide[1] + 1)
            left, right = self.fit(a, wide), self.fit(b, wide)
            rest = z3.SRem(left, right)
            uneven = z3.And(rest != 0, (rest < 0) != (right < 0))
            found = z3.If(uneven, left / right - 1, left / right)
        return self.fit((z3.If(right == 0, z3.BitVecVal(0, found.size()), found), wide), of)

    def equal(self, a: Number, b: Number) -> Any:
        """a == b."""
        both = union(a[1], b[1])
        return self.fit(a, both) == self.fit(b, both)

    def less(self, a: Number, b: Number) -> Any:
        """a < b."""
        both = union(a[1], b[1])
        left, right = self.fit(a, both), self.fit(b, both)
        return z3.ULT(left, right) if both[0] >= 0 else left < right


class Integers:
    """Numbers as mathematical integers."""

    name = "integers"

    def variable(self, name: str, of: Interval) -> Any:
        """A variable; its interval must be asserted apart."""
        return z3.Int(name)

    def constant(self, value: int, of: Interval) -> Any:
        """A constant."""
        return z3.IntVal(value)

    def fit(self, number: Number, of: Interval) -> Any:
        """The same value."""
        return number[0]

    def combine(self, op: str, a: Number, b: Number, of: Interval) -> Any:
        """A sum, difference or product."""
        left, right = a[0], b[0]
        return left + right if op == "add" else left - right if op == "sub" else left * right

    def divide(self, op: str, a: Number, b: Number, of: Interval) -> Any:
        """A quotient or remainder, rounded down as in Python; 0 where the divisor is 0."""
        left, right = a[0], b[0]
        quotient = z3.If(right > 0, left / right, (-left) / (-right))
        found = quotient if op == "div" else left - right * quotient
        return z3.If(right == 0, z3.IntVal(0), found)

    def equal(self, a: Number, b: Number) -> Any:
        """a == b."""
        return a[0] == b[0]

    def less(self, a: Number, b: Number) -> Any:
        """a < b."""
        return a[0] < b[0]


BITS: Arithmetic = BitVectors()
INTEGERS: Arithmetic = Integers()
