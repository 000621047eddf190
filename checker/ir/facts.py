"""Facts: what the branches taken so far imply about the terms of a path.

A branch that the facts decide does not split the path again: the same condition, an excluded interval, a value known to
be equal. All of this is cheap interval reasoning; it may fail to decide, but never decides wrongly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .expr import Expr, Pool

_NEVER = object()


class Facts:
    """Booleans and bounds that hold on one path."""

    def __init__(self, other: Facts | None = None) -> None:
        self._truth: dict[int, bool] = dict(other._truth) if other else {}
        self._bounds: dict[int, tuple[int, int]] = dict(other._bounds) if other else {}
        self._excluded: dict[int, frozenset[int]] = dict(other._excluded) if other else {}
        self._pending: list[tuple[Expr, bool]] = list(other._pending) if other else []
        """Assumed, but not yet processed: most sides of an `and` need no facts."""
        self._memo: dict[int, tuple[int, int]] = {}
        self._decisions: dict[int, bool | None] = {}
        """Answers cached since the last new fact."""

    def assume(self, term: Expr, value: bool) -> None:
        """Add the fact that a boolean term has a value."""
        self._pending.append((term, value))

    def _catch_up(self) -> None:
        todo, self._pending = self._pending, []
        for term, value in todo:
            self._forget()
            self._learn(term, value)

    def _forget(self) -> None:
        self._memo.clear()
        self._decisions.clear()

    def _learn(self, term: Expr, value: bool) -> None:
        todo = [(term, value)]
        while todo:
            term, value = todo.pop()
            if term.op == "not":
                todo.append((term.args[0], not value))
                continue
            self._truth[term.id] = value
            self._decisions.clear()
            if (term.op == "and" and value) or (term.op == "or" and not value):
                todo += ((part, value) for part in reversed(term.args))
            elif term.op in ("and", "or"):
                last = self._last_open(term.args, value)
                if last is not None:
                    todo.append((last, value))
            elif term.op == "eq":
                self._learn_equal(term.args[0], term.args[1], value)
            elif term.op == "lt":
                a, b = term.args if value else term.args[::-1]
                gap = 1 if value else 0
                self._tighten(a, a.lo, self.bounds(b)[1] - gap)
                self._tighten(b, self.bounds(a)[0] + gap, b.hi)

    def _last_open(self, parts: Sequence[Expr], value: bool) -> Expr | None:
        """The only undecided part, where no other one has this value."""
        found: Expr | None = None
        for part in parts:
            known = self.decided(part)
            if known is value or (known is None and found is not None):
                return None
            found = part if known is None else found
        return found

    def _learn_equal(self, a: Expr, b: Expr, value: bool) -> None:
        if value:
            (alo, ahi), (blo, bhi) = self.bounds(a), self.bounds(b)
            self._tighten(a, blo, bhi)
            self._tighten(b, alo, ahi)
        elif b.op == "const":
            out = self._excluded.get(a.id, frozenset()) | {b.value}
            self._excluded[a.id] = out
            self._decisions.clear()
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
        self._forget()
        if term.op == "add" and term.args[1].op == "const":
            self._tighten(term.args[0], lo - term.args[1].value, hi - term.args[1].value)

    def bounds(self, term: Expr) -> tuple[int, int]:
        """An interval that contains the term on this path."""
        if self._pending:
            self._catch_up()
        if term.op == "const":
            return term.lo, term.hi
        found = self._memo.get(term.id)
        if found is not None:
            return found
        chain = [term]
        while chain[-1].op == "ite" and chain[-1].args[2].id not in self._memo:
            chain.append(chain[-1].args[2])
        for part in reversed(chain):
            lo, hi = self._compute(part)
            known = self._bounds.get(part.id)
            if known is not None:
                lo, hi = max(lo, known[0]), min(hi, known[1])
            found = self._memo[part.id] = (lo, hi) if lo <= hi else (part.lo, part.hi)
        assert found is not None
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
        """The value of a boolean term if the facts determine it."""
        if self._pending:
            self._catch_up()
        if term.op == "const":
            return bool(term.value)
        known = self._decisions.get(term.id, _NEVER)
        if known is _NEVER:
            known = self.decided_alone(term)
            if known is None and term.op in ("and", "or", "not", "ite"):
                known = self._joined(term)
            self._decisions[term.id] = known
        return known  # type: ignore[return-value]

    def decided_alone(self, term: Expr) -> bool | None:
        """The same without the parts of a junction, for callers that have checked these."""
        if self._pending:
            self._catch_up()
        known = self._truth.get(term.id)
        return self._compared(term) if known is None and term.op in ("eq", "lt") else known

    def _joined(self, term: Expr) -> bool | None:
        """The value by the parts; the last one is handled in a loop, since a chain can be as long as a property."""
        above: list[tuple[str, bool]] = []  # junctions whose last part is next, and whether another is open
        value: bool | None = None
        while True:
            *parts, last = term.args
            if term.op == "ite":
                condition = self.decided(parts[0])
                if condition is None:
                    break
                term = parts[1] if condition else last
            else:
                absorbing, open_ = term.op == "or", False
                for part in parts:
                    value = self.decided(part)
                    if value is absorbing:
                        break
                    open_ = open_ or value is None
                else:
                    value = None
                if value is not None:
                    break
                above.append((term.op, open_))
                term = last
            value = bool(term.value) if term.op == "const" else self.decided_alone(term)
            if value is not None or term.op not in ("and", "or", "not", "ite"):
                break
        for op, open_ in reversed(above):
            if op == "not":
                value = None if value is None else not value
            elif open_ and value is not (op == "or"):
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
    """The state of a symbolic execution: its terms, its facts, and how deep its functions nest."""

    pool: Pool
    facts: Facts
    depth: int

    def note(self, container: Any, key: Any) -> None:
        """A write follows, which may have to be undone."""

    def moved(self, view: Any) -> None:
        """A view of a value has another place."""
