"""Facts: what the branches taken so far say about the terms of a path.

A branch that the facts already decide is never asked again: the same condition, an excluded interval, a
value known to be equal. Everything here is cheap interval reasoning; it may fail to decide, never decide
wrongly.
"""

from __future__ import annotations

from typing import Protocol

from .expr import Expr, Pool


class Facts:
    """Truths and bounds that hold on one path."""

    def __init__(self, other: Facts | None = None) -> None:
        self._truth: dict[int, bool] = dict(other._truth) if other else {}
        self._bounds: dict[int, tuple[int, int]] = dict(other._bounds) if other else {}
        self._excluded: dict[int, frozenset[int]] = dict(other._excluded) if other else {}
        self._memo: dict[int, tuple[int, int]] = {}

    def assume(self, term: Expr, value: bool) -> None:
        """Learn that a boolean term has a value."""
        self._memo.clear()
        self._learn(term, value)

    def _learn(self, term: Expr, value: bool) -> None:
        if term.op == "not":
            self._learn(term.args[0], not value)
            return
        self._truth[term.id] = value
        if (term.op == "and" and value) or (term.op == "or" and not value):
            for part in term.args:
                self._learn(part, value)
        elif term.op in ("and", "or"):
            open_parts = [p for p in term.args if self.decided(p) is None]
            settled = any(self.decided(p) is value for p in term.args)
            if len(open_parts) == 1 and not settled:
                self._learn(open_parts[0], value)
        elif term.op == "eq":
            self._learn_equal(term.args[0], term.args[1], value)
        elif term.op == "lt":
            a, b = term.args if value else term.args[::-1]
            gap = 1 if value else 0
            self._tighten(a, a.lo, self.bounds(b)[1] - gap)
            self._tighten(b, self.bounds(a)[0] + gap, b.hi)

    def _learn_equal(self, a: Expr, b: Expr, value: bool) -> None:
        if value:
            (alo, ahi), (blo, bhi) = self.bounds(a), self.bounds(b)
            self._tighten(a, blo, bhi)
            self._tighten(b, alo, ahi)
        elif b.op == "const":
            out = self._excluded.get(a.id, frozenset()) | {b.value}
            self._excluded[a.id] = out
            self._tighten(a, a.lo, a.hi)

    def _tighten(self, term: Expr, lo: int, hi: int) -> None:
        known = self.bounds(term)
        lo, hi = max(lo, known[0]), min(hi, known[1])
        out = self._excluded.get(term.id, frozenset())
        while lo in out and lo < hi:
            lo += 1
        while hi in out and lo < hi:
            hi -= 1
        if (lo, hi) == known or lo > hi:
            return
        self._bounds[term.id] = (lo, hi)
        self._memo.clear()
        if term.op == "add" and term.args[1].op == "const":
            self._tighten(term.args[0], lo - term.args[1].value, hi - term.args[1].value)

    def bounds(self, term: Expr) -> tuple[int, int]:
        """An interval that contains the term on this path."""
        if term.op == "const":
            return term.lo, term.hi
        found = self._memo.get(term.id)
        if found is None:
            lo, hi = self._compute(term)
            known = self._bounds.get(term.id)
            if known is not None:
                lo, hi = max(lo, known[0]), min(hi, known[1])
            found = self._memo[term.id] = (lo, hi) if lo <= hi else (term.lo, term.hi)
        return found

    def _compute(self, term: Expr) -> tuple[int, int]:
        lo, hi = term.lo, term.hi
        if term.boolean:
            known = self._truth.get(term.id)
            return (lo, hi) if known is None else (int(known), int(known))
        if term.op == "add":
            (alo, ahi), (blo, bhi) = self.bounds(term.args[0]), self.bounds(term.args[1])
            return max(lo, alo + blo), min(hi, ahi + bhi)
        if term.op == "sub":
            (alo, ahi), (blo, bhi) = self.bounds(term.args[0]), self.bounds(term.args[1])
            return max(lo, alo - bhi), min(hi, ahi - blo)
        if term.op == "ite":
            cond = self.decided(term.args[0])
            if cond is not None:
                return self.bounds(term.args[1] if cond else term.args[2])
            (alo, ahi), (blo, bhi) = self.bounds(term.args[1]), self.bounds(term.args[2])
            return max(lo, min(alo, blo)), min(hi, max(ahi, bhi))
        if term.op == "select":
            first, last = self.bounds(term.args[0])
            parts = [self.bounds(t) for t in term.args[1:][max(first, 0) : last + 1]]
            if parts:
                return max(lo, min(p[0] for p in parts)), min(hi, max(p[1] for p in parts))
        return lo, hi

    def decided(self, term: Expr) -> bool | None:
        """The value of a boolean term if this path determines it."""
        op = term.op
        if op == "const":
            return bool(term.value)
        known = self._truth.get(term.id)
        if known is not None:
            return known
        if op in ("eq", "lt"):
            return self._compared(term)
        if op == "not":
            inner = self.decided(term.args[0])
            return None if inner is None else not inner
        if op in ("and", "or"):
            return self._joined(term, op == "or")
        if op == "ite":
            cond = self.decided(term.args[0])
            return None if cond is None else self.decided(term.args[1] if cond else term.args[2])
        return None

    def told(self, term: Expr) -> bool | None:
        """The same without looking at the parts of a junction, for who has asked of these."""
        known = self._truth.get(term.id)
        return self._compared(term) if known is None and term.op in ("eq", "lt") else known

    def _joined(self, term: Expr, absorbing: bool) -> bool | None:
        value: bool | None = not absorbing
        for part in term.args:
            known = self.decided(part)
            if known is absorbing:
                return absorbing
            if known is None:
                value = None
        return value

    def _compared(self, term: Expr) -> bool | None:
        a, b = term.args
        if a.boolean:
            left, right = self.decided(a), self.decided(b)
            return None if left is None or right is None else left == right
        (alo, ahi), (blo, bhi) = self.bounds(a), self.bounds(b)
        if term.op == "lt":
            return True if ahi < blo else False if alo >= bhi else None
        if ahi < blo or bhi < alo:
            return False
        if alo == ahi == blo == bhi:
            return True
        if blo == bhi and blo in self._excluded.get(a.id, ()):
            return False
        if alo == ahi and alo in self._excluded.get(b.id, ()):
            return False
        return None


class Path(Protocol):
    """What is being executed on symbols: its terms, what is known of them, and how deep its functions nest."""

    pool: Pool
    facts: Facts
    depth: int
