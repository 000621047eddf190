"""The position of a value among all values of a domain, and its cells there: for members of sets and keys.

There are two kinds of look-up: as a member, which is an instance of the member's class, and by ==, as `in` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..language.composite_domains import Option
from ..language.domains import Bool, Domain, Enum, Int, OneOf, Product, Structure, parts_of_value
from ..language.record import Record, RecordDomain
from .collection import View, blank
from .expr import Expr
from .machine import SymbolicMachine
from .membership import member_of
from .optional import OptionalValue
from .records import asked, field_names
from .symbols import Member, Number, Symbol, equals_known, holds_symbols

Found = tuple[Expr, list[Expr]]
"""Whether a value is found, and its cells then."""


def member_cells(tracer: SymbolicMachine, domain: Domain, value: Any) -> Found:
    """Whether a value is one of a domain, and its cells."""
    return _cells(tracer, domain, value, _member)


def equal_cells(tracer: SymbolicMachine, domain: Domain, value: Any) -> Found:
    """Whether a value equals one of a domain, and the cells of that."""
    return _cells(tracer, domain, value, _equal)


def member_position(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[Expr, Expr]:
    """Whether a value is one of a domain, and which."""
    return _position(tracer, domain, value, _member)


def equal_position(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[Expr, Expr]:
    """Whether a value equals one of a domain, and which."""
    return _position(tracer, domain, value, _equal)


Leaf = Callable[[SymbolicMachine, Domain, Any], tuple[Expr, Expr]]
"""For a domain of one cell: whether a value is found, and the number that encodes it."""


def _position(tracer: SymbolicMachine, domain: Domain, value: Any, leaf: Leaf) -> tuple[Expr, Expr]:
    pool = tracer.pool
    if isinstance(domain, OneOf):
        found, at, before = pool.false, pool.const(0), 0
        for each in domain.domains:
            here, position = _position(tracer, each, value, leaf)
            at = pool.ite(pool.and_((here, pool.not_(found))), pool.add(position, pool.const(before)), at)
            found, before = pool.or_((found, here)), before + each.count()
        return found, at
    found, cells = _cells(tracer, domain, value, leaf)
    return found, _place(tracer, domain, cells)


def _place(tracer: SymbolicMachine, domain: Domain, cells: Sequence[Expr]) -> Expr:
    """The position of the value with these cells."""
    pool = tracer.pool
    if isinstance(domain, Option):
        return pool.ite(cells[0], pool.add(_place(tracer, domain.element, cells[1:]), pool.const(1)), pool.const(0))
    if isinstance(domain, Structure):
        at = pool.const(0)
        for name, part in domain.fields.items():
            start = domain.offsets[name]
            inner = _place(tracer, part, cells[start : start + part.size])
            at = pool.add(pool.mul(at, pool.const(part.count())), inner)
        return at
    if isinstance(domain, Bool):
        return pool.number(cells[0])
    return pool.add(cells[0], pool.const(-domain.lo)) if isinstance(domain, Int) else cells[0]


def _cells(tracer: SymbolicMachine, domain: Domain, value: Any, leaf: Leaf) -> Found:
    pool, nothing = tracer.pool, blank(tracer, domain)
    if isinstance(domain, Option):
        if value is None:
            return pool.true, nothing
        present, held = (value.present, value.value) if type(value) is OptionalValue else (pool.true, value)
        found, cells = _cells(tracer, domain.element, held, leaf)
        cells = [pool.ite(present, cell, none) for cell, none in zip(cells, nothing[1:], strict=True)]
        return pool.or_((pool.not_(present), found)), [present, *cells]
    if type(value) is OptionalValue:
        found, cells = _cells(tracer, domain, value.value, leaf)
        return pool.and_((value.present, found)), cells
    if isinstance(domain, Structure):
        parts = _parts(domain, value, exactly=leaf is _member)
        if parts is None:
            return pool.false, nothing
        pairs = [_cells(tracer, part, v, leaf) for part, v in zip(domain.fields.values(), parts, strict=True)]
        return pool.and_(found for found, _ in pairs), [cell for _, cells in pairs for cell in cells]
    found, code = leaf(tracer, domain, value)
    cell = pool.eq(code, pool.const(1)) if isinstance(domain, Bool) else code
    return found, [pool.ite(found, cell, nothing[0])]


def _parts(domain: Structure, value: Any, exactly: bool) -> Sequence[Any] | None:
    """The parts of a value with the structure of a domain; None for any other."""
    if isinstance(domain, Product):
        alike = isinstance(value, tuple) and issubclass(domain.cls, tuple) and len(value) == len(domain.fields)
        return parts_of_value(value) if domain.is_like(value) or (alike and not exactly) else None
    assert isinstance(domain, RecordDomain), "there are no others"
    if type(value) is not domain.cls or sorted(field_names(value)) != sorted(domain.fields):
        return None
    return [asked(value, name) for name in domain.fields]


def _member(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[Expr, Expr]:
    conditions, code = member_of(tracer, domain, value)
    return tracer.pool.and_(conditions), code


def _equal(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[Expr, Expr]:
    pool = tracer.pool
    if isinstance(value, Number) and isinstance(domain, (Int, Bool)):
        lo, hi = (domain.lo, domain.hi) if isinstance(domain, Int) else (0, 1)
        code = tracer.in_a_word(tracer.number(value))
        found = pool.and_((pool.le(pool.const(lo), code), pool.le(code, pool.const(hi))))
        return found, pool.ite(found, code, pool.const(lo))
    if isinstance(value, Member) and isinstance(domain, Enum):
        code = value._position_in(domain.members, value)
        found = pool.le(pool.const(0), code)
        return found, pool.ite(found, code, pool.const(0))
    if not isinstance(value, Symbol) and not holds_symbols(value):
        known = None if isinstance(value, (View, Record)) else _code_of_equal(domain, value)
        return pool.truth(known is not None), pool.const(known or 0)
    code, found = pool.const(0), pool.false
    for known in domain.values():
        here = equals_known(tracer, value, known)
        of_known = domain.code(known)
        assert of_known is not None, "a domain has its own values"
        code, found = pool.ite(here, pool.const(of_known), code), pool.or_((here, found))
    return found, code


def _code_of_equal(domain: Domain, value: Any) -> int | None:
    """The code of the domain value that equals a known value."""
    if isinstance(domain, Int) and isinstance(value, int):
        return int(value) if domain.lo <= value <= domain.hi else None
    hash(value)  # what Python cannot look for in a set is an error
    equal = next((known for known in domain.values() if known == value), None)
    return None if equal is None else domain.code(equal)
