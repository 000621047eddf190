"""Joins two values into one: the first where a condition holds, else the second.

Values with a common representation, such as numbers, booleans or parts of the state, are merged. Where Python can
distinguish the two by more than their value, as two lists, the path splits instead, if it can.
"""

from __future__ import annotations

import enum
from typing import Any

from ..errors import EverystateError, user_place
from ..language.composite_domains import Array
from ..language.conditions import kind_of
from ..language.domains import is_frozen_dataclass, is_named_tuple, parts_of_value, rebuilt
from ..language.record import Record
from .collection import View, identity
from .expr import Expr
from .machine import SymbolicMachine
from .optional import OptionalValue, joined
from .places import split
from .records import JoinedRecord, RecordView, field_names
from .symbols import Boolean, Integer, Member, Number, member_symbol


def join(tracer: SymbolicMachine, term: Expr, a: Any, b: Any) -> Any:
    """a where the condition holds, else b, as one value; the path splits where they must stay apart."""
    pool = tracer.pool
    if term.op == "const":
        return a if term.value else b
    if a is b:
        return a
    if OptionalValue in (type(a), type(b)):
        return joined(tracer, term, a, b)
    if isinstance(a, (Boolean, bool)) and isinstance(b, (Boolean, bool)):
        return tracer.boolean(pool.ite(term, tracer.truth(a), tracer.truth(b)))
    members = _is_member(a) or _is_member(b)
    if not members and isinstance(a, (Number, int)) and isinstance(b, (Number, int)):
        own = _of_own_class(a) or _of_own_class(b)
        if own or isinstance(a, bool) != isinstance(b, bool):
            return a if tracer.decide(term) else b  # a boolean is not a number: its text differs
        return tracer.integer(pool.ite(term, tracer.number(a), tracer.number(b)))
    if isinstance(a, Record) and type(a) is type(b) and field_names(a) == field_names(b):
        return _records(tracer, term, a, b)
    if isinstance(a, View) and type(a) is type(b) and identity(a._domain) == identity(b._domain):
        return type(a)(tracer, a._domain, split(term, a._place, b._place))
    if isinstance(a, list) and isinstance(b, list) and not isinstance(a, View):
        return a if tracer.decide(term) else b  # an append changes the list itself
    if type(a) is type(b) and (_is_plain_tuple(a, b) or is_frozen_dataclass(type(a))):
        pairs = zip(parts_of_value(a), parts_of_value(b), strict=True)
        return rebuilt(type(a), tuple(join(tracer, term, x, y) for x, y in pairs))
    if isinstance(a, tuple) and type(a) is type(b):
        return a if tracer.decide(term) else b
    if _memberlike(a) and _memberlike(b):
        return _members(tracer, term, a, b)
    if a is None or b is None or (_collects(a) and _collects(b)):
        return a if tracer.decide(term) else b
    left, right = kind(a), kind(b)
    right += " that is another object" if left == right else ""
    raise EverystateError("E211", user_place(), left=left, right=right)


def _records(tracer: SymbolicMachine, term: Expr, a: Any, b: Any) -> Any:
    one, other = a.__dict__.get("_binding"), b.__dict__.get("_binding")
    record = object.__new__(type(a))
    if (
        isinstance(one, RecordView)
        and isinstance(other, RecordView)
        and identity(one._domain) == identity(other._domain)
    ):
        record.__dict__["_binding"] = RecordView(tracer, one._domain, split(term, one._place, other._place))
    else:
        record.__dict__["_binding"] = JoinedRecord(tracer, term, a, b)
    if "_fixed" in a.__dict__ and "_fixed" in b.__dict__:
        record.__dict__["_fixed"] = True
    return record


def _members(tracer: SymbolicMachine, term: Expr, a: Any, b: Any) -> Any:
    if len({type(m) for side in (a, b) for m in _members_of(side)}) > 1:
        return a if tracer.decide(term) else b  # members of two classes may be equal, and are not the same
    members = a._members if isinstance(a, Member) else b._members if isinstance(b, Member) else ()
    for side in (a, b):
        extra = side._members if isinstance(side, Member) else (side,)
        members += tuple(m for m in extra if m not in members)
    anchor = member_symbol(tracer, tracer.pool.const(0), members)
    pair = (anchor._position_in(members, side) for side in (a, b))
    return tracer.member(tracer.pool.ite(term, *pair), members)


def _is_plain_tuple(a: Any, b: Any) -> bool:
    """Whether two values of one class are tuples of as many parts, or NamedTuples."""
    return (type(a) is tuple and len(a) == len(b)) or is_named_tuple(type(a))


def _is_member(value: Any) -> bool:
    return issubclass(type(value), (Member, enum.Enum))


def _members_of(value: Any) -> tuple[Any, ...]:
    return value._members if isinstance(value, Member) else (value,)


def _collects(value: Any) -> bool:
    return isinstance(value, (View, list, tuple, set, frozenset, dict))


def _of_own_class(value: Any) -> bool:
    return type(value) not in (int, bool) and not isinstance(value, Number)


def _memberlike(value: Any) -> bool:
    return isinstance(value, (str, enum.Enum, Member))


def kind(value: Any) -> str:
    """A value or symbol in words; see kind_of."""
    names = {Integer: "a number", Boolean: "a boolean", str: "an enum member"}
    if isinstance(value, Member):
        return "an enum member"
    if isinstance(value, View):
        return f"{'an' if isinstance(value._domain, Array) else 'a'} {type(value._domain).__name__}"
    return names.get(type(value)) or kind_of(value)
