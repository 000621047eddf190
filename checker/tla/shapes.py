"""Shapes: which values an expression may have. From a type invariant or from values that were seen to a domain.

A shape knows less than a domain while it is collected: a number may have no bounds, a sequence no largest length.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .values import (
    Bag,
    Either,
    Filtered,
    Function,
    Functions,
    Infinite,
    LazySet,
    ModelValue,
    Records,
    SequenceBag,
    Sequences,
    Subsets,
    Tuples,
    mapping,
    order,
    ordered,
)


class Shape:
    """The base class of shapes."""


@dataclass(frozen=True)
class Unknown(Shape):
    """No value was seen: the members of {}."""


@dataclass(frozen=True)
class Pending(Unknown):
    """What a recursive definition returns, while its translation is being made."""


@dataclass(frozen=True)
class Num(Shape):
    """Integers."""

    lo: int | None = None
    hi: int | None = None


@dataclass(frozen=True)
class Truth(Shape):
    """FALSE and TRUE."""


@dataclass(frozen=True)
class Names(Shape):
    """Strings and model values."""

    values: tuple[Any, ...] = ()
    any: bool = False


@dataclass(frozen=True)
class Maybe(Shape):
    """A model value or string that stands beside others, and is written None."""

    of: Shape
    none: Any


@dataclass(frozen=True)
class Mixed(Shape):
    """Listed values of several kinds."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class SetOf(Shape):
    """Finite sets; `most` is how many members were seen at once, or how many there may be where a domain needs that."""

    of: Shape
    most: int | None = None


@dataclass(frozen=True)
class MapOf(Shape):
    """Functions with known keys; where it is partial, a key that it lacks has None."""

    keys: tuple[Any, ...]
    of: Shape
    partial: bool = False


@dataclass(frozen=True)
class SeqOf(Shape):
    """Sequences."""

    of: Shape
    most: int | None = None


@dataclass(frozen=True)
class BagOf(Shape):
    """Bags of elements; `most` is how many were seen at once, or how many there may be."""

    of: Shape
    most: int | None = None


@dataclass(frozen=True)
class TupleOf(Shape):
    """Tuples of one length."""

    parts: tuple[Shape, ...]


@dataclass(frozen=True)
class RecordOf(Shape):
    """Records: the fields of each variant. A union of record sets has several."""

    variants: tuple[tuple[tuple[str, Shape], ...], ...]

    def field(self, name: str) -> Shape:
        """The shape of a field, in all variants that have it."""
        found = [dict(v)[name] for v in self.variants if name in dict(v)]
        return joined(found)

    @property
    def names(self) -> list[str]:
        """All fields."""
        return list(dict.fromkeys(name for variant in self.variants for name, _ in variant))


class Conflict(Exception):
    """Values of one place that have no common domain."""


def names_of(values: Iterable[Any]) -> Names:
    """A shape of strings and model values, each once."""
    return Names(tuple(dict.fromkeys(values)))


def of_value(value: Any) -> Shape:
    """The shape of one value."""
    if isinstance(value, bool):
        return Truth()
    if isinstance(value, int):
        return Num(value, value)
    if isinstance(value, (str, ModelValue)):
        return Names((value,))
    if isinstance(value, (Bag, SequenceBag)):
        pairs = mapping(value)
        return BagOf(joined(map(of_value, pairs)), sum(pairs.values()))
    if isinstance(value, tuple):
        return TupleOf(tuple(map(of_value, value))) if value else SeqOf(Unknown(), 0)
    if isinstance(value, Function):
        if value.is_record:
            return RecordOf((tuple((k, of_value(v)) for k, v in value.map.items()),))
        keys = tuple(sorted(value.map, key=order))
        return MapOf(keys, joined(of_value(v) for v in value.map.values()))
    if isinstance(value, (frozenset, LazySet)):
        return SetOf(of_set(value), len(value) if isinstance(value, frozenset) else None)
    raise Conflict(f"{value} has no shape")


def of_set(values: Any) -> Shape:
    """The shape of the members of a set."""
    if isinstance(values, Infinite):
        return Names((), any=True) if values.name == "STRING" else Num(0 if values.name == "Nat" else None, None)
    if isinstance(values, Subsets):
        return SetOf(of_set(values.of))
    if isinstance(values, Functions):
        return MapOf(tuple(ordered(values.domain)), of_set(values.values))
    if isinstance(values, Records):
        return RecordOf((tuple((k, of_set(v)) for k, v in values.fields.items()),))
    if isinstance(values, Tuples):
        return TupleOf(tuple(map(of_set, values.parts)))
    if isinstance(values, Sequences):
        return SeqOf(of_set(values.of), values.most)
    if isinstance(values, Either):
        return joined(map(of_set, values.parts))
    if isinstance(values, Filtered):
        return of_set(values.of)
    return joined(map(of_value, ordered(values)))


def covers(values: Any, in_set: bool = False) -> bool:
    """Whether the domain of the members of a set has no other values, so that it checks what a type invariant says.

    Records of several variants are one record with fields that may be None, except in a set, `in_set`.
    """
    if isinstance(values, Subsets):
        return covers(values.of, True)
    if isinstance(values, Functions):
        return covers(values.values)
    if isinstance(values, (Records, Tuples)):
        return all(map(covers, values.fields.values() if isinstance(values, Records) else values.parts))
    if isinstance(values, Sequences):
        return values.least == 0 and covers(values.of)
    if isinstance(values, Either):
        kinds = [frozenset(p.fields) if in_set and isinstance(p, Records) else type(of_set(p)) for p in values.parts]
        return len(set(kinds)) == len(kinds) and all(covers(p, in_set) for p in values.parts)
    if isinstance(values, (Infinite, Filtered)):
        return isinstance(values, Infinite)
    shape = of_set(values)
    if isinstance(shape, SeqOf) and shape.most is not None and _is_flat(shape.of):
        return bool(sum(count(shape.of) ** length for length in range(shape.most + 1)) == len(values))
    variants = [RecordOf((v,)) for v in shape.variants] if isinstance(shape, RecordOf) and in_set else [shape]
    return all(map(_is_flat, variants)) and sum(map(count, variants)) == len(values)


def _is_flat(shape: Shape) -> bool:
    """Whether `count` says how many values there are."""
    if isinstance(shape, (TupleOf, RecordOf, Maybe)):
        return all(map(_is_flat, inner(shape)))
    return isinstance(shape, (Num, Truth, Names, Mixed))


def joined(shapes: Iterable[Shape]) -> Shape:
    """The shape that has the values of all."""
    nothing: Shape = Unknown()
    return functools.reduce(join, shapes, nothing)


def join(a: Shape, b: Shape) -> Shape:
    """The shape that has the values of both; Conflict where no domain has."""
    if a == b or isinstance(b, Unknown):
        return a
    if isinstance(a, Unknown):
        return b
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        return _with_none(a, b)
    if isinstance(a, Num) and isinstance(b, Num):
        lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
        hi = None if a.hi is None or b.hi is None else max(a.hi, b.hi)
        return Num(lo, hi)
    if isinstance(a, Names) and isinstance(b, Names):
        return replace(names_of((*a.values, *b.values)), any=a.any or b.any)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, BagOf) and isinstance(other, (BagOf, MapOf, SeqOf)):
            return _bags(one, other)
    if isinstance(a, SetOf) and isinstance(b, SetOf):
        return SetOf(join(a.of, b.of), max(a.most, b.most) if a.most is not None and b.most is not None else None)
    if isinstance(a, RecordOf) and isinstance(b, RecordOf):
        return _records(a, b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, RecordOf) and isinstance(other, MapOf):
            return joined([other, *(_as_map(v) for v in one.variants)])
    if isinstance(a, (TupleOf, SeqOf, MapOf)) and isinstance(b, (TupleOf, SeqOf, MapOf)):
        return _functions(a, b)
    for one, other in ((a, b), (b, a)):
        if (
            isinstance(one, Names)
            and len(one.values) == 1
            and not one.any
            and not isinstance(other, (Names, Truth, Mixed))
        ):
            return Maybe(other, one.values[0])
        if isinstance(one, Names) and not isinstance(other, Names):
            values = listed(other)
            if values is not None and not one.any:
                return Mixed(tuple(dict.fromkeys((*one.values, *values))))
    return _mixed(a, b)


def unlike(a: Shape, b: Shape) -> bool:
    """Whether Python writes values of two shapes in different forms, a tuple and a list, or a list of such."""
    a, b = (shape.of if isinstance(shape, Maybe) else shape for shape in (a, b))
    forms = (TupleOf, SeqOf, MapOf)
    if not (isinstance(a, forms) and isinstance(b, forms)):
        return isinstance(a, RecordOf) and isinstance(b, RecordOf) and _unlike_fields(a, b)
    return type(a) is not type(b) or (not isinstance(a, TupleOf) and unlike(a.of, b.of))  # type: ignore[union-attr]


def _unlike_fields(a: RecordOf, b: RecordOf) -> bool:
    fields = {name for one in a.variants for name, _ in one} & {name for one in b.variants for name, _ in one}
    return any(unlike(a.field(name), b.field(name)) for name in fields)


def _mixed(a: Shape, b: Shape) -> Shape:
    """A list of the values of both."""
    some, others = listed(a), listed(b)
    if some is not None and others is not None and len(some) + len(others) <= MOST_LISTED:
        return Mixed(tuple(dict.fromkeys((*some, *others))))
    raise Conflict(f"{described(a)} and {described(b)}")


def _as_map(variant: tuple[tuple[str, Shape], ...]) -> Shape:
    return MapOf(tuple(sorted((n for n, _ in variant), key=order)), joined(s for _, s in variant))


def with_maps(shape: Shape, sets: set[frozenset[Any]]) -> Shape:
    """A shape from values, in which a function on one of the sets of strings of the module is no record."""
    if isinstance(shape, RecordOf):
        fields = tuple(tuple((n, with_maps(s, sets)) for n, s in v) for v in shape.variants)
        if len(fields) == 1 and frozenset(dict(fields[0])) in sets:
            return _as_map(fields[0])
        return RecordOf(fields)
    if isinstance(shape, (SetOf, MapOf, SeqOf, BagOf, Maybe)):
        return replace(shape, of=with_maps(shape.of, sets))
    if isinstance(shape, TupleOf):
        parts = tuple(with_maps(p, sets) for p in shape.parts)
        keys = frozenset(range(1, len(parts) + 1))
        try:
            if len(parts) > 1 and (
                keys in sets or any(isinstance(p, (SetOf, MapOf, SeqOf, BagOf, RecordOf)) for p in parts)
            ):
                return MapOf(tuple(range(1, len(parts) + 1)), joined(parts))
        except Conflict:
            pass
        return TupleOf(parts)
    return shape


def widened(shape: Shape, groups: set[frozenset[Any]]) -> Shape:
    """A shape in which all values of a group stand where one of them does."""
    if isinstance(shape, Names):
        found = [g for g in groups if g & set(shape.values)]
        rest = [v for v in shape.values if not any(v in g for g in found)]
        more = [v for g in found for v in sorted(g, key=order)]
        if len(found) == 1 and len(rest) == 1:
            return Maybe(Names(tuple(more)), rest[0])
        return replace(shape, values=tuple(dict.fromkeys((*shape.values, *more))))
    if isinstance(shape, (SetOf, MapOf, SeqOf, BagOf, Maybe)):
        return replace(shape, of=widened(shape.of, groups))
    if isinstance(shape, TupleOf):
        return TupleOf(tuple(widened(p, groups) for p in shape.parts))
    if isinstance(shape, RecordOf):
        return RecordOf(tuple(tuple((n, widened(s, groups)) for n, s in v) for v in shape.variants))
    return shape


def _with_none(a: Shape, b: Shape) -> Shape:
    first, second = (a, b) if isinstance(a, Maybe) else (b, a)
    assert isinstance(first, Maybe)
    if isinstance(second, Maybe):
        if second.none != first.none:
            try:
                return _mixed(first, second)
            except Conflict:
                message = f"{first.none} and {second.none}, which both stand beside other values"
                raise Conflict(message) from None
        return Maybe(join(first.of, second.of), first.none)
    if isinstance(second, Names) and first.none in second.values:
        rest = tuple(v for v in second.values if v != first.none)
        if not rest:
            return first
        second = Names(rest)
    of = join(first.of, second)
    return _mixed(first, second) if isinstance(of, (Maybe, Mixed)) else Maybe(of, first.none)


MOST_LISTED = 1_000
"""A shape with more values than this is not written as a list of them."""


def _listed(shape: Shape) -> tuple[Any, ...] | None:
    """The values of a small shape of numbers, booleans and names, and of records, tuples and sets of these."""
    if isinstance(shape, Truth):
        return (False, True)
    if isinstance(shape, Num) and shape.lo is not None and shape.hi is not None and shape.hi - shape.lo < 200:
        return tuple(range(shape.lo, shape.hi + 1))
    if isinstance(shape, Mixed):
        return shape.values
    if isinstance(shape, Maybe) and (of := listed(shape.of)) is not None:
        return (shape.none, *of)
    if isinstance(shape, RecordOf):
        variants = [_products([s for _, s in v]) for v in shape.variants]
        found = [
            Function(dict(zip(dict(v), p, strict=True)))
            for v, ps in zip(shape.variants, variants, strict=True)
            for p in ps
        ]
        return tuple(found) if found and all(variants) else None
    if isinstance(shape, TupleOf):
        return tuple(_products(shape.parts)) or None
    if isinstance(shape, SetOf) and (of := listed(shape.of)) is not None and len(of) <= 9:
        return tuple(Subsets(frozenset(of)))
    return shape.values if isinstance(shape, Names) and not shape.any else None


def listed(shape: Shape) -> tuple[Any, ...] | None:
    """All values of a small shape; None where there are too many, or they change."""
    found = _listed(shape)
    return found if found is not None and len(found) <= MOST_LISTED else None


def _products(shapes: Iterable[Shape]) -> list[tuple[Any, ...]]:
    """The combinations of the values of some shapes; none where there are too many."""
    parts = [listed(s) for s in shapes]
    if any(p is None for p in parts) or math.prod(len(p) for p in parts if p is not None) > MOST_LISTED:
        return []
    return list(itertools.product(*(p for p in parts if p is not None)))


def _records(a: RecordOf, b: RecordOf) -> Shape:
    found: dict[frozenset[str], tuple[tuple[str, Shape], ...]] = {}
    for variant in (*a.variants, *b.variants):
        key = frozenset(name for name, _ in variant)
        if key not in found:
            found[key] = variant
            continue
        old = dict(found[key])
        new = dict(variant)
        found[key] = tuple((name, join(shape, new[name])) for name, shape in old.items())
    return RecordOf(tuple(found.values()))


def _functions(a: Shape, b: Shape) -> Shape:
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and len(a.parts) == len(b.parts):
        return TupleOf(tuple(map(join, a.parts, b.parts)))
    if isinstance(a, MapOf) and isinstance(b, MapOf):
        keys = tuple(sorted({*a.keys, *b.keys}, key=order))
        partial = a.partial or b.partial or set(a.keys) != set(b.keys)
        return MapOf(keys, join(a.of, b.of), partial)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, MapOf):
            if isinstance(other, TupleOf) and one.keys == tuple(range(1, len(other.parts) + 1)):
                return MapOf(one.keys, join(one.of, joined(other.parts)), one.partial)
            if isinstance(other, SeqOf) and other.most == 0:
                return replace(one, partial=True)
            if all(type(k) is int and k > 0 for k in one.keys) and isinstance(other, SeqOf):
                return SeqOf(join(one.of, other.of), None if other.most is None else max(other.most, len(one.keys)))
            raise Conflict(f"{described(a)} and {described(b)}")
    lengths = [s.most if isinstance(s, SeqOf) else len(s.parts) for s in (a, b) if isinstance(s, (SeqOf, TupleOf))]
    most = None if None in lengths else max(n for n in lengths if n is not None)
    return SeqOf(join(_element(a), _element(b)), most)


def _bags(a: BagOf, b: BagOf | MapOf | SeqOf) -> Shape:
    """A bag, and another one or a function that is used as one."""
    if isinstance(b, BagOf):
        return BagOf(join(a.of, b.of), None if a.most is None or b.most is None else max(a.most, b.most))
    if isinstance(b, SeqOf) and b.most == 0:
        return a
    keys = of_set(frozenset(b.keys)) if isinstance(b, MapOf) else Num(1, b.most)
    if not isinstance(b.of, (Num, Unknown)):
        raise Conflict(f"{described(a)} and {described(b)}")
    return BagOf(join(a.of, keys))


def _element(shape: Shape) -> Shape:
    return shape.of if isinstance(shape, SeqOf) else joined(shape.parts) if isinstance(shape, TupleOf) else Unknown()


def bounded(typed: Shape, seen: Shape, bound: int | None = None, margin: int = 1) -> tuple[Shape, bool]:
    """A shape with bounds: from an option, or with a margin around what was seen; and whether any had to be guessed."""
    guessed = False

    def fit(typed: Shape, seen: Shape) -> Shape:
        nonlocal guessed
        if isinstance(typed, Unknown):
            return typed if isinstance(seen, Unknown) else fit(seen, Unknown())
        if isinstance(typed, Num):
            if typed.lo is not None and typed.hi is not None:
                return typed
            guessed = True
            seen = seen if isinstance(seen, Num) else Num(0, 0)
            low, high = min(seen.lo or 0, 0), max(seen.hi or 0, 0)
            highest = bound if bound is not None else margin * max(15, 2 * high + 1, -2 * low)
            least = typed.lo if typed.lo is not None else (0 if low == 0 else -highest)
            return Num(least, typed.hi if typed.hi is not None else highest)
        if isinstance(typed, Names) and typed.any:
            return replace(seen, any=False) if isinstance(seen, Names) else Names(("",))
        if isinstance(typed, Maybe):
            return Maybe(fit(typed.of, seen.of if isinstance(seen, Maybe) else seen), typed.none)
        if isinstance(typed, SetOf):
            of = fit(typed.of, seen.of if isinstance(seen, SetOf) else Unknown())
            if count(of) <= MEMBERS or (isinstance(of, RecordOf) and len(of.variants) > 1):
                return SetOf(of)
            guessed = True
            largest = seen.most or 0 if isinstance(seen, SetOf) else 0
            return SetOf(of, bound if bound is not None else margin * max(3, 2 * largest))
        if isinstance(typed, BagOf):
            guessed = True
            largest = seen.most or 0 if isinstance(seen, BagOf) else 0
            of = fit(typed.of, seen.of if isinstance(seen, BagOf) else Unknown())
            return BagOf(of, bound if bound is not None else margin * max(3, 2 * largest))
        if isinstance(typed, MapOf):
            return replace(typed, of=fit(typed.of, _element_of(seen)))
        if isinstance(typed, TupleOf):
            inner = seen.parts if isinstance(seen, TupleOf) and len(seen.parts) == len(typed.parts) else ()
            return TupleOf(tuple(fit(p, inner[i] if inner else Unknown()) for i, p in enumerate(typed.parts)))
        if isinstance(typed, SeqOf):
            most: int | None = typed.most
            if most is None:
                guessed = True
                longest = seen.most or 0 if isinstance(seen, SeqOf) else _length(seen)
                most = bound if bound is not None else margin * max(2, longest + 1 + longest // 2)
            return SeqOf(fit(typed.of, _element_of(seen)), most)
        if isinstance(typed, RecordOf):
            variants = tuple(
                tuple((name, fit(shape, _field_of(seen, name))) for name, shape in variant)
                for variant in typed.variants
            )
            return RecordOf(variants)
        return typed

    return fit(typed, seen), guessed


MEMBERS = 10_000
"""How many members a set may have that has a bit for each."""


def count(shape: Shape) -> int:
    """How many values a shape with bounds has."""
    if isinstance(shape, Num):
        return (shape.hi or 0) - (shape.lo or 0) + 1
    if isinstance(shape, (Names, Mixed)):
        return len(shape.values)
    if isinstance(shape, Maybe):
        return 1 + count(shape.of)
    if isinstance(shape, TupleOf):
        return math.prod(map(count, shape.parts))
    if isinstance(shape, RecordOf):  # of several variants: one record whose fields may be None
        absent = len(shape.variants) > 1
        return math.prod(absent + count(shape.field(name)) for name in shape.names)
    return 2


def _length(shape: Shape) -> int:
    return len(shape.parts) if isinstance(shape, TupleOf) else len(shape.keys) if isinstance(shape, MapOf) else 0


def _element_of(shape: Shape) -> Shape:
    return (
        shape.of
        if isinstance(shape, (MapOf, SeqOf))
        else joined(shape.parts)
        if isinstance(shape, TupleOf)
        else Unknown()
    )


def _field_of(shape: Shape, name: str) -> Shape:
    return shape.field(name) if isinstance(shape, RecordOf) and name in shape.names else Unknown()


def described(shape: Shape) -> str:
    """A shape in words, for a refusal."""
    if isinstance(shape, Num):
        return "a number"
    if isinstance(shape, Names):
        return f"one of {', '.join(str(v) for v in shape.values[:4])}" if shape.values else "a string"
    words = {
        Truth: "a boolean", SetOf: "a set", MapOf: "a function", SeqOf: "a sequence", TupleOf: "a tuple",
        RecordOf: "a record", BagOf: "a bag", Mixed: "values of several kinds", Maybe: "a value or none",
    }  # fmt: skip
    return words.get(type(shape), "a value")


def nones(shape: Shape) -> set[Any]:
    """The values that are written None."""
    if isinstance(shape, Maybe):
        return {shape.none} | nones(shape.of)
    return set().union(*map(nones, inner(shape)))


def inner(shape: Shape) -> list[Shape]:
    """The shapes of the parts of a shape."""
    if isinstance(shape, (Maybe, SetOf, MapOf, SeqOf, BagOf)):
        return [shape.of]
    if isinstance(shape, TupleOf):
        return list(shape.parts)
    if isinstance(shape, RecordOf):
        return [s for variant in shape.variants for _, s in variant]
    return []


@dataclass
class RecordClass:
    """A class of records in the translation."""

    name: str
    variants: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    merged: bool = False
    """Whether absent fields are None, since records of several variants share a place that is no set."""
    frozen: bool = False
    """Whether its values never change, since they are listed beside values of other kinds: a dataclass."""

    @property
    def fields(self) -> list[str]:
        """All fields in order."""
        return list(dict.fromkeys(name for names in self.variants.values() for name in names))

    def always(self, name: str) -> bool:
        """Whether all variants have a field."""
        return all(name in names for names in self.variants)
