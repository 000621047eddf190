"""Values of a domain to and from the terms of its cells. `KINDS` has a row for each class of domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..language.bag import Bag
from ..language.composite_domains import Array, Map, Option, Seq, Set
from ..language.domains import Bool, Domain, Enum, Int, Product, Scalar, parts_of_value, rebuilt
from ..language.record import RecordDomain
from .bags import SymBag
from .collection import View, blank, identity
from .elements import SymArray, SymSeq
from .expr import Expr
from .machine import SymbolicMachine
from .maps import SymMap
from .membership import code_of, member_of, not_in
from .optional import OptionalValue
from .places import Place, read_all, write_all
from .records import RecordView, asked, field_names
from .sorted_sets import set_at, set_terms


class Kind(NamedTuple):
    """What is read at a place, and the terms of a value; a path with a CheckedError splits off where it may be none."""

    load: Callable[[SymbolicMachine, Any, Place], Any]
    encode: Callable[[SymbolicMachine, Any, Any], list[Expr]]


def load(tracer: SymbolicMachine, domain: Domain, place: Place) -> Any:
    """The value of a domain that lives at a place: a scalar symbol, a view, or a plain value where it is known."""
    return _kind(type(domain)).load(tracer, domain, place)


def encode(tracer: SymbolicMachine, domain: Domain, value: Any) -> list[Expr]:
    """The terms of a value; a path with a CheckedError splits off where it may be outside the domain."""
    if type(value) is OptionalValue:
        found = _encode_maybe(tracer, domain, value)
        if found is not None:
            return found
        sides = (lambda: encode(tracer, domain, value.value)), (lambda: encode(tracer, domain, None))
        return tracer.branched(value.present, *sides)
    if issubclass(type(value), View) and identity(value._domain) == identity(domain):
        return read_all(value._place, domain.size)
    return _kind(type(domain)).encode(tracer, domain, value)


def _kind(cls: type[Domain]) -> Kind:
    return KINDS.get(cls) or next(KINDS[base] for base in cls.__mro__ if base in KINDS)


def _scalar(tracer: SymbolicMachine, domain: Scalar, value: Any) -> list[Expr]:
    return [code_of(tracer, domain, value)]


def _boolean(tracer: SymbolicMachine, domain: Bool, value: Any) -> list[Expr]:
    code_of(tracer, domain, value)
    return [tracer.truth(value)]


def _load_option(tracer: SymbolicMachine, domain: Option, place: Place) -> Any:
    return load(tracer, domain.element, place.sub(1)) if tracer.decide(place.get(0)) else None


def _encode_option(tracer: SymbolicMachine, domain: Option, value: Any) -> list[Expr]:
    if value is None:
        return [tracer.pool.false, *blank(tracer, domain.element)]
    return [tracer.pool.true, *tracer.encode(domain.element, value)]


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


def _load_record(tracer: SymbolicMachine, domain: RecordDomain, place: Place) -> Any:
    record = object.__new__(domain.cls)
    record.__dict__["_binding"] = RecordView(tracer, domain, place)
    return record


def _encode_record(tracer: SymbolicMachine, domain: RecordDomain, value: Any) -> list[Expr]:
    if type(value) is not domain.cls or sorted(field_names(value)) != sorted(domain.fields):
        raise not_in(domain, value)
    held = value.__dict__.get("_binding")
    if isinstance(held, RecordView) and identity(held._domain) == identity(domain):
        return read_all(held._place, domain.size)
    return [term for name, part in domain.fields.items() for term in tracer.encode(part, asked(value, name))]


def _load_product(tracer: SymbolicMachine, domain: Product, place: Place) -> Any:
    parts = [tracer.handed(part, place.sub(domain.offsets[name])) for name, part in domain.fields.items()]
    return rebuilt(domain.cls, parts)


def _encode_product(tracer: SymbolicMachine, domain: Product, value: Any) -> list[Expr]:
    if not domain.is_like(value):
        raise not_in(domain, value)
    parts = zip(domain.fields.values(), parts_of_value(value), strict=True)
    return [term for part, v in parts for term in tracer.encode(part, v)]


def replace(tracer: SymbolicMachine, place: Place, domain: Domain, terms: list[Expr]) -> None:
    """Assign a whole value; references to the old one keep it."""
    tracer.references.replaced(place, domain)
    write_all(place, terms)


KINDS: dict[type[Domain], Kind] = {
    Int: Kind(lambda tracer, _, place: tracer.integer(place.get(0)), _scalar),
    Bool: Kind(lambda tracer, _, place: tracer.boolean(place.get(0)), _boolean),
    Enum: Kind(lambda tracer, domain, place: tracer.member(place.get(0), domain.members), _scalar),
    Option: Kind(_load_option, _encode_option),
    RecordDomain: Kind(_load_record, _encode_record),
    Product: Kind(_load_product, _encode_product),
    Array: Kind(SymArray, SymArray._terms),
    Seq: Kind(SymSeq, SymSeq._terms),
    Set: Kind(set_at, set_terms),
    Map: Kind(SymMap, SymMap._terms),
    Bag: Kind(SymBag, SymBag._terms),
}
