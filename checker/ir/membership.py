"""Membership in a domain of one cell, on symbols: `Domain.code` for each value that a symbol may have."""

from __future__ import annotations

from typing import Any

from ..errors import CheckedError
from ..language.domains import Bool, Domain, Int, of_kind
from ..language.outside import outside
from .expr import Expr
from .machine import SymbolicMachine
from .optional import settled
from .symbols import Boolean, Integer, Member, Symbol, equals_known, holds_symbols, in_message


def member_of(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[list[Expr], Expr]:
    """The conditions under which a value is a member, and the integer that then encodes it."""
    pool, value = tracer.pool, settled(value)
    if isinstance(value, Member):
        return _chosen(tracer, value._term, [domain.code(member) for member in value._members])
    if isinstance(value, Boolean):
        return _chosen(tracer, pool.number(value._term), [domain.code(truth) for truth in (False, True)])
    if isinstance(domain, Int) and isinstance(value, Integer):
        term = tracer.number(value)
        if domain.lo <= term.lo and term.hi <= domain.hi:
            return [], term
        return [pool.le(pool.const(domain.lo), term), pool.le(term, pool.const(domain.hi))], term
    if isinstance(value, Symbol) or holds_symbols(value):
        return _listed(tracer, domain, value)
    code = domain.code(value)
    return ([pool.false], pool.const(0)) if code is None else ([], pool.const(code))


def code_of(tracer: SymbolicMachine, domain: Domain, value: Any) -> Expr:
    """The integer that encodes a value; splits off an error where it may be no member."""
    conditions, code = member_of(tracer, domain, value)
    for inside in conditions:
        tracer.check(inside, lambda: not_in(domain, value))
    return code


def _chosen(tracer: SymbolicMachine, term: Expr, codes: list[int | None]) -> tuple[list[Expr], Expr]:
    """Of a symbol that is the position of one of some values, given the code of each."""
    pool = tracer.pool
    if codes == list(range(len(codes))):
        return [], term
    known = [code for code in codes if code is not None]
    if not known:
        return [pool.false], pool.const(0)
    least = min(known)
    found = pool.select(term, [pool.const(least - 1 if code is None else code) for code in codes])
    return [] if None not in codes else [pool.le(pool.const(least), found)], found


def _listed(tracer: SymbolicMachine, domain: Domain, value: Any) -> tuple[list[Expr], Expr]:
    """Of a number, or of a tuple with symbols in it, among members that are listed."""
    pool = tracer.pool
    code, found = pool.const(0), pool.false
    for i, known in enumerate(() if isinstance(domain, (Int, Bool)) else domain.values()):
        if of_kind(value, known):
            here = equals_known(tracer, value, known)
            code, found = pool.ite(here, pool.const(i), code), pool.or_((here, found))
    return [found], code


def not_in(domain: Domain, value: Any) -> CheckedError:
    """E301 for a value that is none of a domain."""
    return outside(value, in_message(value), domain)
