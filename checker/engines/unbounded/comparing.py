"""Comparisons of values, and of counts with numbers and with the number of all elements."""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ...backends.smt import z3
from .values import (
    Case,
    Cases,
    Count,
    Element,
    Maybe,
    Member,
    Number,
    Range,
    Size,
    Sort,
    Truth,
    View,
    exists,
    for_all,
)

MOST = 4
"""The greatest number that a count over an unbounded sort is compared with."""


MajorityOf = Callable[[Sort, Any, Any], Any]
"""The formula that more than half of a sort satisfy a condition about a constant."""


class Unknown(Exception):
    """Something whose meaning for any number of elements is not known; the text says what."""


def condition(value: Any) -> Any:
    """A value as a formula."""
    if isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, Truth):
        return value.term
    raise Unknown(f"a condition that is {described(value)}")


def settled(value: Any) -> bool | None:
    """The truth of a plain value; None for one of the formulas."""
    return bool(value) if is_plain(value) else None


def truth(term: Any) -> Any:
    """A formula as a value; True or False where it is constant."""
    if z3.is_true(term) or z3.is_false(term):
        return bool(z3.is_true(term))
    return Truth(term)


def described(value: Any) -> str:
    """What a value is, for people."""
    if isinstance(value, Size):
        return f"the number of {value.sort.name}"
    if isinstance(value, Element):
        return f"one of the {value.sort.name}"
    if isinstance(value, View):
        return f"self.{value.variable}"
    names = {
        Cases: "a comprehension",
        Range: "a range",
        Count: "a count",
        Number: "a number",
        Member: "a named value",
        Maybe: "a value that may be None",
    }
    return names.get(type(value), f"{value!r}" if is_plain(value) else f"a {type(value).__name__.lower()}")


def is_plain(value: Any) -> bool:
    """Whether a value is one of Python, which no open constant changes."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, str, enum.Enum))


def number(value: Any) -> Number | None:
    """A value as a number of the formulas."""
    if isinstance(value, Number):
        return value
    return Number(z3.IntVal(value), value, value) if type(value) is int else None


def equal(a: Any, b: Any) -> Any:
    """The formula a == b."""
    if is_plain(a) and is_plain(b):
        return z3.BoolVal(bool(a == b))
    if is_plain(a) or isinstance(b, Maybe):
        a, b = b, a
    match a:
        case Maybe():
            if b is None:
                return z3.Not(a.present)
            if isinstance(b, Maybe):
                both = z3.And(a.present, b.present, equal(a.value, b.value))
                return z3.Or(z3.And(z3.Not(a.present), z3.Not(b.present)), both)
            return z3.And(a.present, equal(a.value, b))
        case Truth() if isinstance(b, (bool, Truth)):
            return a.term == condition(b)
        case Element() if isinstance(b, Element) and a.sort is b.sort:
            return a.term == b.term
        case Element() if type(b) is int and b == 0:
            return a.term == a.sort.first
        case Number() if number(b) is not None:
            return a.term == number(b).term  # type: ignore[union-attr]
        case Member() if isinstance(b, Member) and a.members == b.members:
            return a.term == b.term
        case Member() if is_plain(b) and b in a.members:
            return a.term == a.members.index(b)
        case Truth() | Element() | Number() | Member() if b is None:
            return z3.BoolVal(False)
    raise Unknown(f"a comparison of {described(a)} with {described(b)}")


def compare(op: ast.cmpop, a: Any, b: Any, majority: MajorityOf) -> Any:
    """The formula of a comparison other than `in`."""
    if isinstance(a, (Count, Size)) or isinstance(b, (Count, Size)):
        return counted(op, a, b, majority)
    match op:
        case ast.Eq() | ast.Is():
            return equal(a, b)
        case ast.NotEq() | ast.IsNot():
            return z3.Not(equal(a, b))
    if isinstance(a, Element) and isinstance(b, Element) and a.sort is b.sort:
        less = a.sort.less
        first, second = (a.term, b.term) if isinstance(op, (ast.Lt, ast.GtE)) else (b.term, a.term)
        found = less(first, second)
        return found if isinstance(op, (ast.Lt, ast.Gt)) else z3.Not(found)
    x, y = number(a), number(b)
    if x is None or y is None:
        raise Unknown(f"an order of {described(a)} and {described(b)}")
    return _ORDERS[type(op)](x.term, y.term)


_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


# -- counts ----------------------------------------------------------------------------------------------------


def counted(op: ast.cmpop, a: Any, b: Any, majority: MajorityOf) -> Any:
    """A comparison of a count with a number, or with the number of all elements."""
    if not isinstance(a, Count):
        if type(op) not in _MIRRORED:
            raise Unknown(f"a comparison of {described(a)} with {described(b)}")
        a, b, op = b, a, _MIRRORED[type(op)]()
    if isinstance(a, Count) and type(b) is int and a.factor == 1:
        return _with_number(op, a.cases, b)
    if isinstance(a, Count) and isinstance(b, Size):
        found = _with_size(op, a, b, majority)
        if found is not None:
            return found
    raise Unknown(f"a comparison of {described(a)} with {described(b)}")


def _with_number(op: ast.cmpop, cases: Sequence[Case], limit: int) -> Any:
    match op:
        case ast.GtE():
            return at_least(cases, limit)
        case ast.Gt():
            return at_least(cases, limit + 1)
        case ast.Lt():
            return z3.Not(at_least(cases, limit))
        case ast.LtE():
            return z3.Not(at_least(cases, limit + 1))
        case ast.Eq():
            return z3.And(at_least(cases, limit), z3.Not(at_least(cases, limit + 1)))
        case ast.NotEq():
            return z3.Not(z3.And(at_least(cases, limit), z3.Not(at_least(cases, limit + 1))))
    raise Unknown("a comparison of a count")


def at_least(cases: Sequence[Case], least: int) -> Any:
    """That so many elements of some cases satisfy their condition."""
    if least <= 0:
        return z3.BoolVal(True)
    if not cases:
        return z3.BoolVal(False)
    if least > MOST and any(case.binders for case in cases):
        raise Unknown(f"a count that is compared with {least}; {MOST} is the most")
    first, *rest = cases
    most = least if first.binders else min(1, least)
    parts = [z3.And(_copies(first, own), at_least(rest, least - own)) for own in range(most + 1)]
    return z3.Or(parts)


def _copies(case: Case, number: int) -> Any:
    """That a case has so many different elements that satisfy its condition."""
    holds = z3.And(case.condition, condition(case.value))
    if not case.binders:
        return holds if number else z3.BoolVal(True)
    old = [term for _, term in case.binders]
    copies = [[sort.fresh(str(term)) for sort, term in case.binders] for _ in range(number)]
    parts = [z3.substitute(holds, *zip(old, copy, strict=True)) for copy in copies]
    parts += [z3.Or([a != b for a, b in zip(one, two, strict=True)]) for one, two in itertools.combinations(copies, 2)]
    return exists([term for copy in copies for term in copy], z3.And(parts)) if copies else z3.BoolVal(True)


def _with_size(op: ast.cmpop, count: Count, size: Size, majority: MajorityOf) -> Any:
    """How a count over all elements of a sort is compared with the number of these; None where that is not known."""
    if len(count.cases) != 1:
        return None
    case = count.cases[0]
    if [sort for sort, _ in case.binders] != [size.sort]:
        return None
    holds = z3.And(case.condition, condition(case.value))
    counter = case.binders[0][1]
    if count.factor == 1 and not size.half and size.plus == 0:
        every = for_all([counter], holds)
        if isinstance(op, (ast.Eq, ast.GtE)):
            return every
        return z3.Not(every) if isinstance(op, (ast.Lt, ast.NotEq)) else None
    above = (count.factor, size.half, size.plus, type(op))
    more = {(2, False, 0, ast.Gt), (1, True, 0, ast.Gt), (1, True, 1, ast.GtE)}
    less = {(2, False, 0, ast.LtE), (1, True, 0, ast.LtE), (1, True, 1, ast.Lt)}
    if above in more | less:
        found = majority(size.sort, counter, holds)
        return found if above in more else z3.Not(found)
    return None
