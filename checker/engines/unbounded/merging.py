"""Values that are one of two, as a condition says."""

from __future__ import annotations

from typing import Any

from ...backends.smt import z3
from .comparing import Unknown, condition, described, is_plain, number
from .values import Element, Maybe, Member, Number, Truth


def merged(test: Any, one: Any, other: Any) -> Any:
    """A value that is one of two, as a condition says."""
    if one is other or (is_plain(one) and is_plain(other) and type(one) is type(other) and one == other):
        return one
    if isinstance(one, (bool, Truth)) and isinstance(other, (bool, Truth)):
        return Truth(z3.If(test, condition(one), condition(other)))
    if isinstance(one, Maybe) or isinstance(other, Maybe) or one is None or other is None:
        return _merged_optional(test, one, other)
    if isinstance(one, Element) and isinstance(other, Element) and one.sort is other.sort:
        return Element(one.sort, z3.If(test, one.term, other.term))
    members = next((v.members for v in (one, other) if isinstance(v, Member)), None)
    if members is None and isinstance(one, str) and isinstance(other, str):
        members = (one, other)
    if members is not None:
        terms = [_position(value, members) for value in (one, other)]
        return Member(z3.If(test, *terms), members)
    x, y = number(one), number(other)
    if x is None or y is None:
        raise Unknown(f"a choice of {described(one)} and {described(other)}")
    return Number(z3.If(test, x.term, y.term), min(x.lo, y.lo), max(x.hi, y.hi))


def _merged_optional(test: Any, one: Any, other: Any) -> Any:
    known = next((v.value if isinstance(v, Maybe) else v for v in (one, other) if v is not None), None)
    parts = [_optional(value, known) for value in (one, other)]
    return Maybe(z3.If(test, parts[0].present, parts[1].present), merged(test, parts[0].value, parts[1].value))


def _optional(value: Any, known: Any) -> Maybe:
    if isinstance(value, Maybe):
        return value
    return Maybe(z3.BoolVal(value is not None), known if value is None else value)


def _position(value: Any, members: tuple[Any, ...]) -> Any:
    if isinstance(value, Member) and value.members == members:
        return value.term
    if is_plain(value) and value in members:
        return z3.IntVal(members.index(value))
    raise Unknown(f"a choice of {described(value)}")
