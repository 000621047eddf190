"""Terms of the IR as z3 expressions over given cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import z3

from ...ir.expr import Expr
from .arithmetic import Arithmetic, Number


class Terms:
    """Translates terms; equal terms become the same expression.

    `cells` are the numbers (or booleans) of the state and `before` those of the state before a step.
    """

    def __init__(self, arithmetic: Arithmetic, cells: Sequence[Number], before: Sequence[Number] = ()) -> None:
        self.arithmetic, self.cells, self.before = arithmetic, cells, before
        self._memo: dict[int, Any] = {}

    def __call__(self, term: Expr) -> Any:
        """The expression of a term; boolean for a boolean term."""
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

    def _number(self, term: Expr) -> Number:
        return self._memo[term.id], (term.lo, term.hi)

    def _build(self, term: Expr) -> Any:
        of = (term.lo, term.hi)
        match term.op:
            case "const":
                return z3.BoolVal(bool(term.value)) if term.boolean else self.arithmetic.constant(term.value, of)
            case "var" | "before":
                number = (self.cells if term.op == "var" else self.before)[term.value]
                return number[0] if term.boolean else self.arithmetic.fit(number, of)
            case "add" | "sub" | "mul":
                return self.arithmetic.combine(term.op, self._number(term.args[0]), self._number(term.args[1]), of)
            case "div" | "mod":
                return self.arithmetic.divide(term.op, self._number(term.args[0]), self._number(term.args[1]), of)
            case "lt":
                return self.arithmetic.less(self._number(term.args[0]), self._number(term.args[1]))
            case "ite":
                return z3.If(self._memo[term.args[0].id], self._as(term.args[1], term), self._as(term.args[2], term))
            case "select":
                return self._select(term)
            case "count":
                return self._count(term)
        return self._truth(term)

    def _truth(self, term: Expr) -> Any:
        parts = [self._memo[a.id] for a in term.args]
        if term.op == "eq":
            booleans = term.args[0].boolean
            return parts[0] == parts[1] if booleans else self.arithmetic.equal(*map(self._number, term.args))
        if term.op == "not":
            return z3.Not(parts[0])
        return z3.And(parts) if term.op == "and" else z3.Or(parts)

    def _as(self, part: Expr, whole: Expr) -> Any:
        """A part as a value of the interval of the whole."""
        if whole.boolean:
            return self._memo[part.id]
        return self.arithmetic.fit(self._number(part), (whole.lo, whole.hi))

    def _select(self, term: Expr) -> Any:
        """The option of an index, the nearest one for an index out of range, as the interpreter has it."""
        index, *options = term.args
        found = self._as(options[-1], term)
        for i in reversed(range(len(options) - 1)):
            found = z3.If(self._at_most(index, i), self._as(options[i], term), found)
        return found

    def _at_most(self, index: Expr, i: int) -> Any:
        """index == i, where index < i was excluded before; index <= 0 for the first."""
        if i == 0 and index.lo < 0:
            return self.arithmetic.less(self._number(index), (self.arithmetic.constant(1, (1, 1)), (1, 1)))
        return self.arithmetic.equal(self._number(index), (self.arithmetic.constant(i, (i, i)), (i, i)))

    def _count(self, term: Expr) -> Any:
        of = (term.lo, term.hi)
        one, zero = self.arithmetic.constant(1, of), self.arithmetic.constant(0, of)
        return reduce(lambda a, b: a + b, [z3.If(self._memo[a.id], one, zero) for a in term.args])
