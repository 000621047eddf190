"""Operators in lifted code: those of Python, of an author's class, or of symbols."""

from __future__ import annotations

import operator
from typing import Any

from ..ir.collection import View
from ..ir.elements import Elements
from ..ir.expr import Expr
from ..ir.sets import DetachedSet, SetView
from ..ir.symbols import Boolean, Member, Number, Symbol
from .conditional_elements import Text
from .set_operations import SetOperations, is_conditional_set, is_set

SET_OPERATORS = ("or_", "and_", "sub", "xor")
BY_VALUE = ("truediv", "pow", "lshift", "rshift", "and_", "or_", "xor")
"""Operators that terms do not have: their result is looked up by the values of the operands."""
FEW = 64
"""The number of combinations up to which a result is looked up in a table; beyond it the path splits."""


class Arithmetic(SetOperations):
    """The operators of one tracer."""

    def binary(self, name: str, a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return getattr(operator, name)(a, b)
        if _is_text(a) and (name in ("mod", "mul") or (name == "add" and _is_text(b))) and self.depends((a, b)):
            return Text(self, lambda: getattr(operator, name)(self.plain(a), self.plain(b)))
        if name in SET_OPERATORS and is_set(a) and is_set(b) and self.depends((a, b)):
            return self.combined(name, a, b)
        a, b = self.operand(a), self.operand(b)
        plain = name.rstrip("_")
        own = self.special(a, f"__{plain}__")
        if own is not None:
            found = self.call(own, a, b)
            if found is not NotImplemented:
                return found
        reflected = self.special(b, f"__r{plain}__")
        if reflected is not None and not isinstance(a, (Symbol, View)):
            return self.call(reflected, b, a)
        if name in BY_VALUE and (isinstance(a, Number) or isinstance(b, Number)):
            return self._by_value(name, a, b)
        if (isinstance(a, Number) and isinstance(b, (float, complex))) or (
            isinstance(b, Number) and isinstance(a, (float, complex))
        ):
            return getattr(operator, name)(self.plain(a), self.plain(b))
        if name == "mul" and (isinstance(a, Number) or isinstance(b, Number)):
            a, b = (self.plain(v) if isinstance(other, (str, list, tuple)) else v for v, other in ((a, b), (b, a)))
        if name == "add" and isinstance(a, Elements) and isinstance(b, list):
            a, b = list(self.iterate(a)), list(self.iterate(b))
        elif name == "add" and isinstance(b, Elements) and type(a) is list:
            b = list(self.iterate(b))
        made = getattr(operator, name)(a, b)
        return self.own(made) if type(made) in (list, set, dict) else made

    def _by_value(self, name: str, a: Any, b: Any) -> Any:
        """An operator on numbers that terms do not have."""
        sides = (a, b)
        if all(isinstance(side, (Boolean, bool)) for side in sides) and name in ("and_", "or_", "xor"):
            return getattr(operator, name)(a, b)
        if not all(
            type(side) in (int, bool) or (isinstance(side, Number) and not isinstance(side, Member)) for side in sides
        ):
            return getattr(operator, name)(self.plain(a), self.plain(b))
        if name == "pow" and type(b) is int and 1 <= b <= 8:
            return self.binary("mul", a if b == 2 else self._by_value("pow", a, b - 1), a) if b > 1 else +a
        if type(b) is int and 0 <= b < 32 and name in ("lshift", "rshift"):
            return self.binary("mul" if name == "lshift" else "floordiv", a, 2**b)
        bounds = [self.tracer.facts.bounds(self.tracer.number(side)) for side in sides]
        (lo, hi), (first, last) = bounds
        if (hi - lo + 1) * (last - first + 1) <= FEW:
            found = self._looked_up(name, sides, [(x, y) for x in range(lo, hi + 1) for y in range(first, last + 1)])
            if found is not None:
                return self.one_of(found)
        return getattr(operator, name)(self.plain(a), self.plain(b))

    def _looked_up(
        self, name: str, sides: tuple[Any, Any], values: list[tuple[int, int]]
    ) -> list[tuple[Expr, Any]] | None:
        """For each pair of values the result; None where one is no integer."""
        pool, terms, found = self.pool, [self.tracer.number(side) for side in sides], list[tuple[Expr, Any]]()
        for pair in values:
            try:
                result = getattr(operator, name)(*pair)
            except (ArithmeticError, ValueError):
                return None
            if type(result) is not int:
                return None
            found.append((pool.and_([pool.eq(t, pool.const(v)) for t, v in zip(terms, pair, strict=True)]), result))
        return found

    def unary(self, name: str, a: Any) -> Any:
        a = self.operand(a)
        own = self.special(a, f"__{name}__")
        if own is not None:
            return self.call(own, a)
        if name == "invert" and isinstance(a, Number):
            return self.binary("sub", -1, a)
        return getattr(operator, name)(a)

    def augment(self, name: str, a: Any, b: Any) -> Any:
        a = self.operand(a)
        own = self.special(a, f"__{name}__")
        if own is not None:
            return self.call(own, a, b)
        if type(a) in (list, set, dict):
            self.writes(a)
            if type(a) is list and name == "iadd":
                a.extend(self.iterate(b))
                return a
            b = self.plain(b)
        elif isinstance(a, Elements) and name == "imul":
            self.setitem(a, slice(None), list(self.iterate(a)) * self.plain(b))
            return a
        elif not isinstance(a, View):
            plain = name.removeprefix("i")
            return self.binary({"and": "and_", "or": "or_"}.get(plain, plain), a, b)
        if is_conditional_set(b) and isinstance(a, SetView):
            return getattr(operator, name)(a, DetachedSet(b.pieces()))
        return getattr(operator, name)(a, self.plain(b))


def _is_text(value: Any) -> bool:
    if isinstance(value, Member):
        return all(isinstance(member, str) for member in value._members)
    return type(value) in (str, Text)
