"""Expressions: immutable, hash-consed integer and boolean terms that carry their value interval.

Every value of a state is an integer cell, so the IR has two sorts only: integers and booleans. Building goes
through a `Pool`, whose constructors fold constants, decide comparisons by intervals and normalise, so that
equal terms are the same object. Terms are total: a `select` whose index is out of range and a division by
zero have an unspecified value; the tracer guards both with checked errors wherever a spec can see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

Op = Literal[
    "const",
    "var",
    "before",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "eq",
    "lt",
    "not",
    "and",
    "or",
    "ite",
    "select",
    "count",
]


Row = tuple[Op, tuple[int, ...], int, int, int, bool]
"""A term: its operator, the numbers of its parts, value, interval, and whether it is a boolean."""


class Expr:
    """One term: operator, arguments, interval lo..hi. `value` is a constant's value or a cell's index.

    `reads` has a bit for each variable of the pool that occurs in the term.
    """

    __slots__ = ("args", "boolean", "hi", "id", "lo", "op", "reads", "value")

    def __init__(self, op: Op, args: tuple[Expr, ...], value: int, lo: int, hi: int, boolean: bool, id: int) -> None:
        self.op, self.args, self.value, self.lo, self.hi, self.boolean, self.id = op, args, value, lo, hi, boolean, id
        self.reads = 0
        for part in args:
            self.reads |= part.reads

    def __repr__(self) -> str:
        if self.op == "const":
            return str(bool(self.value) if self.boolean else self.value)
        if self.op in ("var", "before"):
            return f"{self.op[0]}{self.value}"
        return f"({self.op} {' '.join(map(repr, self.args))})"


class Pool:
    """Builds and owns the terms of one traced spec.

    The paths of an action mostly need the same terms: of thirty, one is new. So results are cached by their arguments
    where computing them is expensive. They do not depend on when they are requested.
    """

    def __init__(self) -> None:
        self._terms: dict[tuple[object, ...], Expr] = {}
        self._variables = 0
        self.bounds_decided = False
        """Whether a comparison was decided by the intervals of its sides alone, since this was set to False."""
        self._numbers: dict[int, Expr] = {}
        self._choices: dict[tuple[int, int, int, bool], int] = {}
        self._negations: dict[Expr, Expr] = {}
        self._equalities: dict[tuple[Expr, Expr], Expr] = {}
        self._orders: dict[tuple[Expr, Expr], Expr] = {}
        self._selections: dict[tuple[Expr, Expr, Expr], Expr] = {}
        self._conjunctions: dict[tuple[Expr, ...], Expr] = {}
        self._disjunctions: dict[tuple[Expr, ...], Expr] = {}
        self._counts: dict[tuple[Expr, ...], Expr] = {}
        self.true = self._term("const", (), 1, 1, 1, True)
        self.false = self._term("const", (), 0, 0, 0, True)

    @classmethod
    def of(cls, rows: Iterable[Row], choices: dict[tuple[int, int, int, bool], int]) -> Pool:
        """A pool with some terms, each a row with the numbers of its parts, which come before it."""
        pool, found = cls(), list[Expr]()
        for op, parts, value, lo, hi, boolean in rows:
            found.append(pool._term(op, tuple([found[part] for part in parts]), value, lo, hi, boolean))
        pool._choices = choices
        return pool

    @property
    def terms(self) -> list[Expr]:
        """All terms, parts before wholes."""
        return list(self._terms.values())

    @property
    def choices(self) -> dict[tuple[int, int, int, bool], int]:
        """The cells of merged choices."""
        return self._choices

    def _term(self, op: Op, args: tuple[Expr, ...], value: int, lo: int, hi: int, boolean: bool = False) -> Expr:
        key = (op, value, boolean, args)
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = Expr(op, args, value, lo, hi, boolean, len(self._terms))
            if op in ("var", "before"):
                found.reads = 1 << self._variables
                self._variables += 1
        return found

    # -- leaves --------------------------------------------------------------------------------------------

    def const(self, value: int) -> Expr:
        """An integer."""
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = self._term("const", (), value, value, value)
        return found

    def truth(self, value: bool) -> Expr:
        """A boolean."""
        return self.true if value else self.false

    def var(self, cell: int, lo: int, hi: int, boolean: bool, before: bool = False) -> Expr:
        """The content of a cell of the state (or of the state before a step)."""
        if lo == hi:
            return self.truth(bool(lo)) if boolean else self.const(lo)
        return self._term("before" if before else "var", (), cell, lo, hi, boolean)

    def chosen(self, number: int, lo: int, hi: int, boolean: bool) -> Expr:
        """The value of the merged choice with a number, of an interval: like a cell that no state has."""
        key = (number, lo, hi, boolean)
        return self.var(self._choices.setdefault(key, -1 - len(self._choices)), lo, hi, boolean)

    # -- integers ------------------------------------------------------------------------------------------

    def add(self, a: Expr, b: Expr) -> Expr:
        """a + b; a constant ends up on the right."""
        if a.op == "const":
            a, b = b, a
        if b.op == "const":
            if a.op == "const":
                return self.const(a.value + b.value)
            if b.value == 0:
                return a
            if a.op == "add" and a.args[1].op == "const":
                return self.add(a.args[0], self.const(a.args[1].value + b.value))
        elif a.id > b.id:
            a, b = b, a
        return self._term("add", (a, b), 0, a.lo + b.lo, a.hi + b.hi)

    def sub(self, a: Expr, b: Expr) -> Expr:
        """a - b."""
        if b.op == "const":
            return self.add(a, self.const(-b.value))
        if a is b:
            return self.const(0)
        return self._term("sub", (a, b), 0, a.lo - b.hi, a.hi - b.lo)

    def mul(self, a: Expr, b: Expr) -> Expr:
        """a * b."""
        if a.op == "const":
            a, b = b, a
        if b.op == "const":
            if a.op == "const":
                return self.const(a.value * b.value)
            if b.value == 0:
                return b
            if b.value == 1:
                return a
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return self._term("mul", (a, b), 0, min(corners), max(corners))

    def div(self, a: Expr, b: Expr) -> Expr:
        """a // b, rounded down as in Python."""
        if b.op == "const" and b.value == 1:
            return a
        if a.op == b.op == "const" and b.value:
            return self.const(a.value // b.value)
        divisors = [d for d in {b.lo, b.hi, -1, 1} if b.lo <= d <= b.hi and d]
        corners = [x // d for x in (a.lo, a.hi) for d in divisors] or [0]
        return self._term("div", (a, b), 0, min(corners), max(corners))

    def mod(self, a: Expr, b: Expr) -> Expr:
        """a % b, with the sign of b as in Python."""
        if a.op == b.op == "const" and b.value:
            return self.const(a.value % b.value)
        if b.lo > 0 and a.lo >= 0 and a.hi < b.lo:
            return a
        lo, hi = min(b.lo + 1, 0), max(b.hi - 1, 0)
        if b.lo > 0 and a.lo >= 0:
            hi = min(hi, a.hi)
        return self._term("mod", (a, b), 0, lo, hi)

    def select(self, index: Expr, options: Sequence[Expr]) -> Expr:
        """options[index]; the index is known to lie in 0..len(options)-1 wherever the value matters."""
        lo, hi = max(index.lo, 0), min(index.hi, len(options) - 1)
        if lo > hi:
            return options[0]
        if (lo, hi) != (0, len(options) - 1):
            return self.select(self.add(index, self.const(-lo)), options[lo : hi + 1])
        if all(o is options[0] for o in options):
            return options[0]
        if index.op == "const":
            return options[index.value]
        if len(options) == 2:
            return self.ite(self.eq(index, self.const(1)), options[1], options[0])
        low, high = min(o.lo for o in options), max(o.hi for o in options)
        return self._term("select", (index, *options), 0, low, high, options[0].boolean)

    # -- booleans ------------------------------------------------------------------------------------------

    def eq(self, a: Expr, b: Expr) -> Expr:
        """a == b, on integers or on booleans."""
        found = self._equalities.get((a, b))
        if found is None:
            found = self._equalities[a, b] = self._eq(a, b)
        if found.op == "const" and a is not b:
            self.bounds_decided = True
        return found

    def _eq(self, a: Expr, b: Expr) -> Expr:
        if a is b:
            return self.true
        if a.hi < b.lo or b.hi < a.lo:
            return self.false
        if a.op == "const":
            a, b = b, a
        if b.op == "const":
            if a.op == "const":
                return self.truth(a.value == b.value)
            if a.boolean:
                return a if b.value else self.not_(a)
            if a.op == "add" and a.args[1].op == "const":
                return self.eq(a.args[0], self.const(b.value - a.args[1].value))
            if a.op == "ite" and (a.args[1].op == "const" or a.args[2].op == "const"):
                return self.ite(a.args[0], self.eq(a.args[1], b), self.eq(a.args[2], b))
        elif a.id > b.id:
            a, b = b, a
        return self._term("eq", (a, b), 0, 0, 1, True)

    def lt(self, a: Expr, b: Expr) -> Expr:
        """a < b on integers."""
        found = self._orders.get((a, b))
        if found is None:
            found = self._orders[a, b] = self._lt(a, b)
        if found.op == "const" and a is not b:
            self.bounds_decided = True
        return found

    def _lt(self, a: Expr, b: Expr) -> Expr:
        if a.hi < b.lo:
            return self.true
        if a.lo >= b.hi or a is b:
            return self.false
        if b.op == "const" and a.op == "add" and a.args[1].op == "const":
            return self.lt(a.args[0], self.const(b.value - a.args[1].value))
        if a.op == "const" and b.op == "add" and b.args[1].op == "const":
            return self.lt(self.const(a.value - b.args[1].value), b.args[0])
        if b.op == "const" and a.lo == b.value - 1:
            return self.eq(a, self.const(a.lo))
        if a.op == "const" and b.hi == a.value + 1:
            return self.eq(b, self.const(b.hi))
        return self._term("lt", (a, b), 0, 0, 1, True)

    def le(self, a: Expr, b: Expr) -> Expr:
        """a <= b on integers."""
        return self.not_(self.lt(b, a))

    def not_(self, a: Expr) -> Expr:
        """not a."""
        if a.op == "const":
            return self.truth(not a.value)
        if a.op == "not":
            return a.args[0]
        found = self._negations.get(a)
        if found is None:
            found = self._negations[a] = self._term("not", (a,), 0, 0, 1, True)
        return found

    def and_(self, terms: Iterable[Expr]) -> Expr:
        """Whether all terms hold."""
        return self._remembered("and", self._conjunctions, terms, self.true, self.false)

    def or_(self, terms: Iterable[Expr]) -> Expr:
        """Whether some term holds."""
        return self._remembered("or", self._disjunctions, terms, self.false, self.true)

    def _remembered(
        self,
        op: Literal["and", "or"],
        known: dict[tuple[Expr, ...], Expr],
        terms: Iterable[Expr],
        neutral: Expr,
        absorbing: Expr,
    ) -> Expr:
        """A cached junction of terms: equal terms always give the same one."""
        terms = tuple(terms)
        found = known.get(terms)
        if found is None:
            found = known[terms] = self._junction(op, terms, neutral, absorbing)
        return found

    def _junction(self, op: Literal["and", "or"], terms: Iterable[Expr], neutral: Expr, absorbing: Expr) -> Expr:
        found: dict[Expr, None] = {}
        for term in terms:
            if term is neutral:
                continue
            if term is absorbing:
                return absorbing
            for part in term.args if term.op == op else (term,):
                if (part.args[0] if part.op == "not" else self._negations.get(part)) in found:
                    return absorbing
                found[part] = None
        parts = tuple(found)
        return neutral if not parts else parts[0] if len(parts) == 1 else self._term(op, parts, 0, 0, 1, True)

    # -- both ----------------------------------------------------------------------------------------------

    def ite(self, cond: Expr, a: Expr, b: Expr) -> Expr:
        """a where cond holds, else b."""
        if cond.op == "const":
            return a if cond.value else b
        if a is b:
            return a
        found = self._selections.get((cond, a, b))
        if found is None:
            found = self._selections[cond, a, b] = self._ite(cond, a, b)
        return found

    def _ite(self, cond: Expr, a: Expr, b: Expr) -> Expr:
        if cond.op == "not":
            return self.ite(cond.args[0], b, a)
        if a.boolean:
            if a.op == "const":
                return self.or_((cond, b)) if a.value else self.and_((self.not_(cond), b))
            if b.op == "const":
                return self.or_((self.not_(cond), a)) if b.value else self.and_((cond, a))
        if cond.op == "eq" and cond.args[1].op == "const":
            a = self._equal(a, *cond.args)
        if a.op == "ite" and a.args[0] is cond:
            a = a.args[1]
        if b.op == "ite" and b.args[0] is cond:
            b = b.args[2]
        if a is b:
            return a
        return self._term("ite", (cond, a, b), 0, min(a.lo, b.lo), max(a.hi, b.hi), a.boolean)

    def _equal(self, term: Expr, known: Expr, value: Expr) -> Expr:
        """The condition that another term has the value of this one: that term is it, or it plus a number."""
        if term is known:
            return value
        return self.add(value, term.args[1]) if term.op == "add" and term.args[0] is known else term

    def number(self, truth: Expr) -> Expr:
        """A boolean as 0 or 1."""
        return self.ite(truth, self.const(1), self.const(0)) if truth.boolean else truth

    def count(self, terms: Iterable[Expr]) -> Expr:
        """How many of some booleans hold."""
        parts = tuple(terms)
        found = self._counts.get(parts)
        if found is None:
            found = self._counts[parts] = self._count(parts)
        return found

    def _count(self, parts: tuple[Expr, ...]) -> Expr:
        open_parts = tuple(p for p in parts if p.op != "const")
        certain = self.const(sum(p.value for p in parts if p.op == "const"))
        if len(open_parts) < 2:
            return self.add(self.number(open_parts[0]), certain) if open_parts else certain
        return self.add(self._term("count", open_parts, 0, 0, len(open_parts)), certain)


def subterms(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Some terms and all that they are made of, each once, wholes before parts."""
    seen, todo = set[int](), list(roots)
    while todo:
        term = todo.pop()
        if term.id not in seen:
            seen.add(term.id)
            yield term
            todo += term.args


def cells_of(roots: Iterable[Expr], op: Op = "var") -> frozenset[int]:
    """The cells that terms read."""
    return frozenset(part.value for part in subterms(roots) if part.op == op)
