"""Equality, order, identity and membership in lifted code."""

from __future__ import annotations

import operator
from types import MethodType
from typing import Any

from ..ir.collection import View
from ..ir.optional import OptionalValue
from ..ir.state_value import StateValue
from ..ir.symbols import Boolean, Member, Number, Symbol
from ..language.conditions import truth
from ..language.domains import is_frozen_dataclass, parts_of_value
from ..language.record import Record
from .conditional_elements import Generator, Piece
from .set_operations import SetOperations, is_conditional_set, is_set

PLAIN = (int, bool, str, type(None), float)


class Equality(SetOperations):
    """The comparisons of one tracer."""

    def eq(self, a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return a == b
        if _positioned(a) and _positioned(b):
            self.tracer.comparisons.equal(a, b)
            return a == b
        for one, other in ((a, b), (b, a)):
            if issubclass(type(one), Member) and self._has_parts(other):
                return self._member_equal(one, other)
        if type(a) in PLAIN or type(b) in PLAIN:
            self.tracer.comparisons.equal(a, b)
        elif isinstance(a, View) is not isinstance(b, View):
            self.tracer.comparisons.kinds(a, b)
        if type(a) is OptionalValue or type(b) is OptionalValue:
            return a == b
        if isinstance(a, (tuple, list)) and not isinstance(a, (View, Symbol)) and _same_kind(a, b):
            return self._sequences_equal(a, b)
        if type(a) is dict and type(b) is dict and (self.depends(a) or self.depends(b)):
            if a.keys() != b.keys():
                return False
            return self.tracer.boolean(self.pool.and_([self.truth(self.eq(a[k], b[k])) for k in a]))
        if is_conditional_set(a) or is_conditional_set(b):
            return is_set(a) and is_set(b) and self.same_sets(a, b)
        if type(a) is type(b) and is_frozen_dataclass(type(a)) and self.special(a, "__eq__") is None:
            return self._sequences_equal(parts_of_value(a), parts_of_value(b))
        for one, other in ((a, b), (b, a)):
            own = self.special(one, "__eq__")
            if own is not None:
                found = self.call(own, one, other)
                if found is not NotImplemented:
                    return found
        for value in (a, b):
            if isinstance(value, MethodType):
                truth(value)  # E219: it was not called
        return a == b

    def _has_parts(self, value: Any) -> bool:
        """Whether a value is a tuple or a frozen dataclass, compared part by part."""
        kind = type(value)
        return kind is tuple or (is_frozen_dataclass(kind) and self.special(value, "__eq__") is None)

    def _member_equal(self, one: Member, other: Any) -> Any:
        """Whether one of some listed values equals a value with parts: without a decision which it is."""
        same = ((i, self.truth(self.eq(m, other))) for i, m in enumerate(one._members) if type(m) not in PLAIN)
        return self.tracer.boolean(self.pool.or_([self.pool.and_((one._is_any([i]), equal)) for i, equal in same]))

    def _sequences_equal(self, a: Any, b: Any) -> Any:
        if len(a) != len(b):
            return False
        terms = [self.truth(self.eq(x, y)) for x, y in zip(a, b, strict=True)]
        return self.tracer.boolean(self.pool.and_(terms))

    def ne(self, a: Any, b: Any) -> Any:
        own = self.special(a, "__ne__")
        return self.call(own, a, b) if own is not None else self.not_(self.eq(a, b))

    def _ordered(self, name: str, a: Any, b: Any) -> Any:
        if (
            isinstance(a, (tuple, list))
            and not isinstance(a, View)
            and _same_kind(a, b)
            and (self.depends(a) or self.depends(b))
        ):
            return self._sequences_ordered(name, list(a), list(b))
        if (is_conditional_set(a) or is_conditional_set(b)) and is_set(a) and is_set(b):
            return self.compared(name, a, b)
        a, b = self.operand(a), self.operand(b)
        own = self.special(a, f"__{name}__")
        if own is not None:
            found = self.call(own, a, b)
            if found is not NotImplemented:
                return found
        return getattr(operator, name)(a, b)

    def _sequences_ordered(self, name: str, a: list[Any], b: list[Any]) -> Any:
        if not a or not b:
            return getattr(operator, name)(len(a), len(b))
        same = self.truth(self.eq(a[0], b[0]))
        strict = {"le": "lt", "ge": "gt"}.get(name, name)
        return self.branching.branch(
            same,
            lambda: self._sequences_ordered(name, a[1:], b[1:]),
            lambda: self._ordered(strict, a[0], b[0]),
            self.joined,
        )

    def lt(self, a: Any, b: Any) -> Any:
        return a < b if type(a) is int and type(b) is int else self._ordered("lt", a, b)

    def le(self, a: Any, b: Any) -> Any:
        return a <= b if type(a) is int and type(b) is int else self._ordered("le", a, b)

    def gt(self, a: Any, b: Any) -> Any:
        return a > b if type(a) is int and type(b) is int else self._ordered("gt", a, b)

    def ge(self, a: Any, b: Any) -> Any:
        return a >= b if type(a) is int and type(b) is int else self._ordered("ge", a, b)

    def is_(self, a: Any, b: Any) -> Any:
        if a is b:
            return True
        for one, other in ((a, b), (b, a)):
            if type(one) is OptionalValue:
                if other is None:
                    return self.tracer.boolean(self.pool.not_(one.present))
                return self._is_present(one, other)
        if isinstance(a, Member) or isinstance(b, Member):
            return self._same_member(a, b)
        if (isinstance(a, Boolean) and isinstance(b, (Boolean, bool))) or (
            isinstance(b, Boolean) and isinstance(a, bool)
        ):
            return self.eq(a, b)
        if isinstance(a, Symbol) or isinstance(b, Symbol):
            if a is None or b is None:
                return False
            raise self.refused("`is` on a number", "Python does not say which numbers are one object", "write ==")
        held = [v.__dict__.get("_binding") for v in (a, b) if isinstance(v, Record)]
        if (len(held) == 2 and any(h is not None for h in held)) or (isinstance(a, View) and isinstance(b, View)):
            raise self.refused("`is` on parts of the state", "each reading is a new object", "compare with ==")
        return False

    def _is_present(self, one: OptionalValue, other: Any) -> Any:
        return self.all_true(self.tracer.boolean(one.present), lambda: self.is_(one.settled(), other))

    def _same_member(self, a: Any, b: Any) -> Any:
        kinds = {type(m) for side in (a, b) for m in (side._members if isinstance(side, Member) else (side,))}
        if len(kinds) > 1 and not all(isinstance(k, type) for k in kinds):
            return False
        if not isinstance(a, Member):
            a, b = b, a
        others = b._members if isinstance(b, Member) else (b,)
        if not any(m is o for m in a._members for o in others):
            return False
        return self.eq(a, b)

    def is_not(self, a: Any, b: Any) -> Any:
        return self.not_(self.is_(a, b))

    def contains(self, item: Any, container: Any) -> Any:
        container = self.unwrapped(container)
        if isinstance(container, Generator):
            return self.in_python("contains", container, item)
        if isinstance(container, StateValue):
            found = container._has(self.operand(item))
            if found is not NotImplemented:
                self.tracer.comparisons.member(item, container)
                return found
        if isinstance(container, StateValue) or type(container) in (list, tuple):
            pieces = self.pieces_of(container)
            if any(self.special(value, "__eq__") for value in (item, *(v for _, v in pieces))):
                return self.in_python("contains", container, item)
            return self.any_of_pieces([(e, self.same(item, v)) for e, v in pieces])
        own = self.special(container, "__contains__")
        if own is not None:
            return self.not_(self.not_(self.call(own, container, item)))
        if not self.depends(item) or isinstance(container, str):
            return self.plain(item) in container
        if isinstance(container, range):
            return self._in_range(item, container)
        members = self.in_any_order(container) if isinstance(container, (set, frozenset)) else list(container)
        return self.any_of_pieces([(self.pool.true, self.eq(item, m)) for m in members])

    def same(self, a: Any, b: Any) -> Any:
        """How a collection compares its elements."""
        return a is b or self.eq(a, b)

    def _in_range(self, item: Any, container: range) -> Any:
        if not isinstance(item, Number) or not container:
            return self.any_of_pieces([(self.pool.true, self.eq(item, m)) for m in container])
        term, pool = self.tracer.number(item), self.pool
        lo, hi = min(container[0], container[-1]), max(container[0], container[-1])
        parts = [pool.le(pool.const(lo), term), pool.le(term, pool.const(hi))]
        step = abs(container.step)
        if step != 1:
            parts.append(pool.eq(pool.mod(pool.add(term, pool.const(-lo)), pool.const(step)), pool.const(0)))
        return self.tracer.boolean(pool.and_(parts))

    def lacks(self, item: Any, container: Any) -> Any:
        return self.not_(self.contains(item, container))

    def any_of_pieces(self, pieces: list[Piece]) -> Any:
        return self.tracer.boolean(self.pool.or_([self.pool.and_((e, self.truth(v))) for e, v in pieces]))


def _same_kind(a: Any, b: Any) -> bool:
    if isinstance(b, (View, Symbol)):
        return False
    return isinstance(b, tuple) if isinstance(a, tuple) else isinstance(b, list)


def _positioned(value: Any) -> bool:
    """Whether a value is a member or is compared with one by its position; isinstance would decide which member it is,
    where members are of several kinds."""
    return type(value) in PLAIN or issubclass(type(value), Member)
