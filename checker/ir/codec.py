"""Values of a domain to and from the terms of its cells."""

from __future__ import annotations

import itertools
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Array, Map, Option, Seq, Set
from ..language.domains import Bool, Domain, Enum, Int, Product, parts_of_value, rebuilt
from ..language.record import RecordDomain
from .collection import View, blank, identity
from .elements import Elements, SymArray, SymSeq
from .expr import Expr
from .machine import SymbolicMachine
from .maps import SymMap
from .membership import code_of, member_of, not_in
from .optional import OptionalValue
from .places import FixedCells, Place, read_all, write_all
from .records import RecordView, asked, field_names
from .sets import SetView
from .sorted_sets import set_at


def load(tracer: SymbolicMachine, domain: Domain, place: Place) -> Any:
    """The value of a domain that lives at a place: a scalar symbol, a view, or a plain value where it is known."""
    kind = type(domain)
    if kind is Int or isinstance(domain, Int):
        return tracer.integer(place.get(0))
    if kind in _VIEWS:
        return _VIEWS[kind](tracer, domain, place)
    if isinstance(domain, Set):
        return set_at(tracer, domain, place)
    if isinstance(domain, Bool):
        return tracer.boolean(place.get(0))
    if isinstance(domain, Enum):
        return tracer.member(place.get(0), domain.members)
    if isinstance(domain, Option):
        return load(tracer, domain.element, place.sub(1)) if tracer.decide(place.get(0)) else None
    if isinstance(domain, RecordDomain):
        record = object.__new__(domain.cls)
        record.__dict__["_binding"] = RecordView(tracer, domain, place)
        return record
    if isinstance(domain, Product):
        parts = [tracer.handed(part, place.sub(domain.offsets[name])) for name, part in domain.fields.items()]
        return rebuilt(domain.cls, parts)
    return _VIEWS[type(domain)](tracer, domain, place)


def encode(tracer: SymbolicMachine, domain: Domain, value: Any) -> list[Expr]:
    """The terms of a value; a path with a CheckedError splits off where it may be outside the domain."""
    pool = tracer.pool
    if type(value) is OptionalValue:
        found = _encode_maybe(tracer, domain, value)
        if found is not None:
            return found
        sides = (lambda: encode(tracer, domain, value.value)), (lambda: encode(tracer, domain, None))
        return tracer.branched(value.present, *sides)
    if isinstance(domain, (Int, Bool, Enum)):
        code = code_of(tracer, domain, value)
        return [tracer.truth(value) if isinstance(domain, Bool) else code]
    if isinstance(domain, Option):
        if value is None:
            return [pool.false, *blank(tracer, domain.element)]
        return [pool.true, *tracer.encode(domain.element, value)]
    if isinstance(domain, RecordDomain):
        return _encode_record(tracer, domain, value)
    if isinstance(domain, Product):
        if not domain.is_like(value):
            raise not_in(domain, value)
        parts = zip(domain.fields.values(), parts_of_value(value), strict=True)
        return [term for part, v in parts for term in tracer.encode(part, v)]
    if isinstance(value, View) and identity(value._domain) == identity(domain):
        return read_all(value._place, domain.size)
    return _encode_collection(tracer, domain, value)


def _encode_maybe(tracer: SymbolicMachine, domain: Domain, value: OptionalValue) -> list[Expr] | None:
    """The terms of a value that may be None; None where some of its values are outside the domain."""
    pool, held = tracer.pool, value.value
    element = domain.element if isinstance(domain, Option) else None
    if not isinstance(element, (Int, Bool, Enum)):
        return None
    conditions, code = member_of(tracer, element, held)
    if not all(tracer.facts.decided(inside) for inside in conditions):
        return None
    if isinstance(element, Bool):
        return [value.present, pool.and_((value.present, tracer.truth(held)))]
    return [value.present, pool.ite(value.present, code, *blank(tracer, element))]


def _encode_record(tracer: SymbolicMachine, domain: RecordDomain, value: Any) -> list[Expr]:
    if type(value) is not domain.cls or sorted(field_names(value)) != sorted(domain.fields):
        raise not_in(domain, value)
    held = value.__dict__.get("_binding")
    if isinstance(held, RecordView) and identity(held._domain) == identity(domain):
        return read_all(held._place, domain.size)
    parts = (tracer.encode(d, asked(value, n)) for n, d in domain.fields.items())
    return list(itertools.chain.from_iterable(parts))


def _encode_collection(tracer: SymbolicMachine, domain: Domain, value: Any) -> list[Expr]:
    pool = tracer.pool
    out: list[Expr] = []
    if isinstance(domain, Array):
        if not isinstance(value, (list, tuple, Elements)) or len(value) != domain.n:
            raise not_in(domain, value)
        for i in range(domain.n):
            out += tracer.encode(domain.element, value[i])
    elif isinstance(domain, Seq):
        if not isinstance(value, (list, tuple, Elements)):
            raise not_in(domain, value)
        items = list(value)
        if len(items) > domain.capacity:
            raise CheckedError("E302", user_place(), capacity=domain.capacity)
        out.append(pool.const(len(items)))
        for item in items:
            out += tracer.encode(domain.element, item)
        out += blank(tracer, domain.element) * (domain.capacity - len(items))
    elif isinstance(domain, Set):
        if not isinstance(value, (set, frozenset, list, tuple, SetView, Elements)):
            raise not_in(domain, value)
        copy = set_at(tracer, domain, FixedCells(tracer, blank(tracer, domain)))
        for item in value:
            copy.add(item)
        out = read_all(copy._place, domain.size)
    elif isinstance(domain, Map):
        keys = list(value.keys()) if isinstance(value, (dict, SymMap)) else None
        if keys is None or set(keys) != set(domain.keys):
            raise not_in(domain, value)
        for key in domain.keys:
            out += tracer.encode(domain.element, value[key])
    return out


def replace(tracer: SymbolicMachine, place: Place, domain: Domain, terms: list[Expr]) -> None:
    """Assign a whole value; references to the old one keep it."""
    tracer.references.replaced(place, domain)
    write_all(place, terms)


_VIEWS: dict[type[Domain], Any] = {Array: SymArray, Seq: SymSeq, Map: SymMap}
