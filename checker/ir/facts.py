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
    """Booleans and bounds that hold on one path; `given` returns them with one more.

    An answer about a term is computed and cached at the last fact that says something of a part of the term, for all
    paths that continue from there.
    """

    __slots__ = (
        *("_above", "_below", "_bounds", "_changed", "_decisions", "_excluded", "_fact", "_memo", "_reads", "_truth"),
    )

    def __init__(self, above: Facts | None = None, fact: tuple[Expr, bool] | None = None, reads: int = -1) -> None:
        self._above, self._fact, self._reads = above, fact, reads
        self._truth: dict[int, bool] | None = {} if above is None else None
        """None until the fact is processed: most sides of an `and` need no facts."""
        self._bounds: dict[int, tuple[int, int]] = {}
        self._excluded: dict[int, frozenset[int]] = {}
        self._changed: list[Expr] = []
        """The terms that have a value or an interval by this fact, once it is processed."""
        self._memo: dict[int, tuple[int, int]] = {}
        self._decisions: dict[int, bool | None] = {}
        self._below: dict[tuple[Expr, bool], Facts] = {}

    def given(self, term: Expr, value: bool) -> Facts:
        """These facts, and that a boolean term has a value."""
        fact = (term, value)
        found = self._below.get(fact)
        if found is None:
            found = self._below[fact] = Facts(self, fact, term.reads)
        return found

    def _known(self) -> dict[int, bool]:
        """The truth values, once the fact and those before it are processed."""
        todo, here = list[Facts](), self
        while here._truth is None:
            assert here._above is not None
            todo.append(here)
            here = here._above
        for node in reversed(todo):
            assert node._fact is not None and here._truth is not None
            node._truth, node._bounds, node._excluded = dict(here._truth), dict(here._bounds), dict(here._excluded)
            node._learn(*node._fact)
            node._forget()
            here = node
        assert self._truth is not None
        return self._truth

    def _concerns(self, term: Expr) -> bool:
        """Whether the fact may say something of a part of a term: parts have smaller numbers, and read no more."""
        if self._truth is None:
            self._known()
        number, others = term.id, ~term.reads
        for part in self._changed:
            if part.id <= number and not part.reads & others:
                return True
        return self._above is None

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
            self._truth[term.id] = value  # type: ignore[index]
            self._changed.append(term)
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
            self._changed.append(a)
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
        self._changed.append(term)
        self._forget()
        if term.op == "add" and term.args[1].op == "const":
            self._tighten(term.args[0], lo - term.args[1].value, hi - term.args[1].value)

    def bounds(self, term: Expr) -> tuple[int, int]:
        """An interval that contains the term on this path."""
        if term.op == "const":
            return term.lo, term.hi
        here, reads = self, term.reads or -1
        while not (here._reads & reads and here._concerns(term)):
            here = here._above  # type: ignore[assignment]
        return here._memo.get(term.id) or here._bounded(term)

    def _bounded(self, term: Expr) -> tuple[int, int]:
        self._known()
        found: tuple[int, int] | None = None
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
            known = self._known().get(term.id)
            return (lo, hi) if known is None else (int(known), int(known))
        if term.op == "add":
            (alo, ahi), (blo, bhi) = self.bounds(term.args[0]), self.bounds(term.args[1])
            return max(lo, alo + blo), min(hi, ahi + bhi)
        if term.op == "sub":
            (alo, ahi), (blo, bhi) = self.bounds(term.args[0]), self.bounds(term.args[1])
            return max(lo, alo - bhi), min(hi, ahi - blo)
        if term.op in ("mul", "div", "mod"):
            return self._product(term)
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

    def _product(self, term: Expr) -> tuple[int, int]:
        """The bounds of a product, or of a quotient or remainder by a positive number."""
        (alo, ahi), (blo, bhi) = self.bounds(term.args[0]), self.bounds(term.args[1])
        lo, hi = term.lo, term.hi
        if term.op == "mul" or (term.op == "div" and blo > 0):
            corners = [x * y if term.op == "mul" else x // y for x in (alo, ahi) for y in (blo, bhi)]
            lo, hi = max(lo, min(corners)), min(hi, max(corners))
        elif term.op == "mod" and 0 < blo == bhi and alo // blo == ahi // blo:
            lo, hi = alo % blo, ahi % blo
        return lo, hi

    def decided(self, term: Expr) -> bool | None:
        """The value of a boolean term if the facts determine it."""
        op = term.op
        if op == "const":
            return bool(term.value)
        if op == "not":
            known = self.decided(term.args[0])
            return None if known is None else not known
        here, reads = self, term.reads or -1
        while not (here._reads & reads and here._concerns(term)):
            here = here._above  # type: ignore[assignment]
        found = here._decisions.get(term.id, _NEVER)
        if found is _NEVER:
            found = here.decided_alone(term)
            if found is None and op in ("and", "or", "ite"):
                found = here._joined(term)
            here._decisions[term.id] = found
        return found  # type: ignore[return-value]

    def decided_alone(self, term: Expr) -> bool | None:
        """The same without the parts of a junction, for callers that have checked these."""
        known = (self._truth if self._truth is not None else self._known()).get(term.id)
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
