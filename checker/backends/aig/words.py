"""Terms of the IR as circuits: a boolean is a literal, a number its bits, the lowest first.

A number of interval lo..hi is unsigned where lo >= 0 and in two's complement otherwise, as for z3 (see smt.arithmetic).
"""

from __future__ import annotations

from typing import Protocol

from ...ir.expr import Expr
from .circuit import FALSE, TRUE, Circuit

Bits = list[int]
PAIRS = 1 << 12
"""Pairs of operands up to which a division is a table."""


class Unsupported(Exception):
    """A term for which there is no circuit."""


class Cells(Protocol):
    """The cells of a state in a circuit."""

    def bits(self, cell: int) -> Bits: ...

    def at_most(self, cell: int, value: int) -> int: ...


def width(lo: int, hi: int) -> int:
    """The bits of a number of an interval."""
    return max(1, hi.bit_length()) if lo >= 0 else max((-lo - 1).bit_length(), max(hi, 0).bit_length()) + 1


def constant(value: int, lo: int, hi: int) -> Bits:
    """The bits of a constant of an interval."""
    return [value >> i & 1 for i in range(width(lo, hi))]


class Words:
    """Translates terms over the cells of a state, and of the one before a step; equal terms become the same bits."""

    def __init__(self, circuit: Circuit, cells: Cells, before: Cells | None = None) -> None:
        self.circuit, self.cells, self.before = circuit, cells, before
        self._memo: dict[int, Bits] = {}

    def __call__(self, term: Expr) -> int:
        """The literal of a boolean term."""
        return self.bits(term)[0]

    def bits(self, term: Expr) -> Bits:
        """The bits of a term."""
        todo = [term]
        while todo:
            at = todo[-1]
            missing = [a for a in at.args if a.id not in self._memo]
            if missing:
                todo += missing
                continue
            todo.pop()
            if at.id not in self._memo:
                self._memo[at.id] = self._build(at)
        return self._memo[term.id]

    def fit(self, term: Expr, lo: int, hi: int) -> Bits:
        """The bits of a term as those of a number of another interval."""
        bits = self.bits(term)
        return self._fit(bits, term.lo < 0 and not term.boolean, 1 if term.boolean else width(lo, hi))

    def _fit(self, bits: Bits, signed: bool, size: int) -> Bits:
        sign = bits[-1] if signed else FALSE
        return [*bits[:size], *[sign] * (size - len(bits))]

    def less(self, term: Expr, lo: int, size: int) -> Bits:
        """The bits of a number without its lowest value."""
        bits = self._fit(self.bits(term), term.lo < 0, size)
        return self.sum(bits, [-lo >> i & 1 for i in range(size)])

    def _build(self, term: Expr) -> Bits:
        circuit, args = self.circuit, term.args
        match term.op:
            case "const":
                return constant(term.value, term.lo, term.hi)
            case "var" | "before":
                cells = self.cells if term.op == "var" else self.before
                if cells is None or term.value < 0:
                    raise Unsupported(repr(term))
                return cells.bits(term.value)
            case "add" | "sub" | "mul":
                return self._combine(term.op, *(self.fit(a, term.lo, term.hi) for a in args))
            case "div" | "mod":
                return self._divide(term)
            case "lt":
                return [self._less(*args)]
            case "eq":
                return [self._equal(*args)]
            case "ite":
                return self._mux(self(args[0]), *(self.fit(a, term.lo, term.hi) for a in args[1:]))
            case "select":
                return self._select(term)
            case "count":
                return self._count(term)
            case "not":
                return [self(args[0]) ^ 1]
        return [(circuit.all if term.op == "and" else circuit.any)(map(self, args))]

    def _mux(self, condition: int, a: Bits, b: Bits) -> Bits:
        return [self.circuit.ite(condition, x, y) for x, y in zip(a, b, strict=True)]

    # -- arithmetic ----------------------------------------------------------------------------------------

    def _combine(self, op: str, a: Bits, b: Bits) -> Bits:
        if op == "add":
            return self.sum(a, b)
        if op == "sub":
            return self.sum(a, [x ^ 1 for x in b], TRUE)
        found = [FALSE] * len(a)
        for i, bit in enumerate(b):
            row = [self.circuit.and_(bit, x) for x in a[: len(a) - i]]
            found = self.sum(found, [*[FALSE] * i, *row])
        return found

    def sum(self, a: Bits, b: Bits, carry: int = FALSE) -> list[int]:
        """The sum of two numbers of one size, without its last carry."""
        circuit, found = self.circuit, list[int]()
        for x, y in zip(a, b, strict=True):
            same = circuit.equal(x, y)
            found.append(circuit.equal(same, carry))
            carry = circuit.ite(same, x, carry)
        return found

    def _divide(self, term: Expr) -> Bits:
        """A quotient or remainder, rounded down as in Python, from a table; 0 where the divisor is 0."""
        a, b = term.args
        if (a.hi - a.lo + 1) * (b.hi - b.lo + 1) > PAIRS:
            raise Unsupported(repr(term))
        found = constant(0, term.lo, term.hi)
        for x in range(a.lo, a.hi + 1):
            for y in range(b.lo, b.hi + 1):
                if y:
                    here = self.circuit.and_(self._is(a, x), self._is(b, y))
                    value = constant(x // y if term.op == "div" else x % y, term.lo, term.hi)
                    found = self._mux(here, value, found)
        return found

    def _count(self, term: Expr) -> Bits:
        size = width(term.lo, term.hi)
        left = [self._fit([self(a)], False, size) for a in term.args]
        while len(left) > 1:
            rest = left[len(left) & ~1 :]
            left = [self.sum(left[i], left[i + 1]) for i in range(0, len(left) - 1, 2)] + rest
        return left[0]

    def _select(self, term: Expr) -> Bits:
        """The option of an index, the nearest one for an index out of range, as the interpreter has it."""
        index, *options = term.args
        found = self.fit(options[-1], term.lo, term.hi)
        for i in reversed(range(len(options) - 1)):
            here = self._is(index, i) if i or index.lo >= 0 else self.at_most(index, 0)
            found = self._mux(here, self.fit(options[i], term.lo, term.hi), found)
        return found

    # -- comparisons ---------------------------------------------------------------------------------------

    def _is(self, term: Expr, value: int) -> int:
        """Whether a number has a value."""
        if not term.lo <= value <= term.hi:
            return FALSE
        if term.op in ("var", "before"):
            return self.circuit.and_(self.at_most(term, value), self.at_most(term, value - 1) ^ 1)
        wanted = constant(value, term.lo, term.hi)
        return self.circuit.all(bit ^ want ^ 1 for bit, want in zip(self.bits(term), wanted, strict=True))

    def at_most(self, term: Expr, value: int) -> int:
        """Whether a number is at most a value."""
        if value >= term.hi or value < term.lo:
            return TRUE if value >= term.hi else FALSE
        cells = self.cells if term.op == "var" else self.before
        if term.op in ("var", "before") and cells is not None and term.value >= 0:
            return cells.at_most(term.value, value)
        return self._precedes(constant(value, term.lo, term.hi), self.bits(term), term.lo < 0) ^ 1

    def _equal(self, a: Expr, b: Expr) -> int:
        for x, y in ((a, b), (b, a)):
            if y.op == "const" and not x.boolean:
                if x.op in ("var", "before"):
                    return self._is(x, y.value)
                break
        left, right = self._alike(a, b)
        return self.circuit.all(map(self.circuit.equal, left, right))

    def _less(self, a: Expr, b: Expr) -> int:
        if b.op == "const":
            return self.at_most(a, b.value - 1)
        if a.op == "const":
            return self.at_most(b, a.value) ^ 1
        left, right = self._alike(a, b)
        return self._precedes(left, right, min(a.lo, b.lo) < 0)

    def _alike(self, a: Expr, b: Expr) -> tuple[Bits, Bits]:
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        return self.fit(a, lo, hi), self.fit(b, lo, hi)

    def _precedes(self, a: Bits, b: Bits, signed: bool) -> int:
        """Whether a number is less than another one."""
        circuit, less = self.circuit, FALSE
        for x, y in zip(a[: len(a) - signed], b[: len(b) - signed], strict=True):
            less = circuit.ite(circuit.equal(x, y), less, y)
        return circuit.ite(circuit.equal(a[-1], b[-1]), less, a[-1]) if signed else less
