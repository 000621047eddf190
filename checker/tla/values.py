"""The values of TLA+, as TLC knows them: integers, booleans, strings, model values, finite sets, and functions.

A function whose domain is 1..n, so every tuple and sequence, is a Python tuple; any other one is a `Function`, a record
among them. A finite set is a frozenset. Sets that are too large to list are kept as what they were written as.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


class Undefined(Exception):
    """What TLC would report as an error: an expression without a value."""


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A value that equals only itself; `order` is its place in the configuration file."""

    name: str
    order: int = 0

    def __repr__(self) -> str:
        return self.name


class Function:
    """A function with a finite domain that is not 1..n."""

    __slots__ = ("_hash", "map")

    def __init__(self, pairs: dict[Any, Any]) -> None:
        self.map = pairs
        self._hash = hash(frozenset(pairs.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.map == other.map

    def __repr__(self) -> str:
        return f"[{', '.join(f'{k} |-> {v!r}' for k, v in self.map.items())}]"

    @property
    def is_record(self) -> bool:
        """Whether all keys are strings."""
        return bool(self.map) and all(type(key) is str for key in self.map)


class Bag(Function):
    """A bag: what the operators of Bags make, a function to how often each element is there."""

    __slots__ = ()


class SequenceBag(tuple):  # type: ignore[type-arg]
    """A bag of 1..n, or an empty one."""

    __slots__ = ()


def bag(pairs: dict[Any, Any]) -> Any:
    """A bag, without elements that are not there."""
    found = function({k: n for k, n in pairs.items() if n > 0})
    return SequenceBag(found) if isinstance(found, tuple) else Bag(found.map)


def function(pairs: dict[Any, Any]) -> Any:
    """A function, as a tuple where its domain is 1..n."""
    n = len(pairs)
    if all(type(key) is int for key in pairs) and all(i in pairs for i in range(1, n + 1)):
        return tuple(pairs[i] for i in range(1, n + 1))
    return Function(pairs)


def mapping(value: Any) -> dict[Any, Any]:
    """A function as a dictionary."""
    if isinstance(value, tuple):
        return dict(enumerate(value, 1))
    if isinstance(value, Function):
        return value.map
    raise Undefined(f"{shown(value)} is not a function")


def applied(value: Any, argument: Any) -> Any:
    """The value of a function at an argument."""
    if isinstance(value, tuple):
        if type(argument) is int and 1 <= argument <= len(value):
            return value[argument - 1]
    elif isinstance(value, Function):
        if argument in value.map:
            return value.map[argument]
    elif callable(value):
        return value(argument)
    raise Undefined(f"{shown(value)} has no value at {shown(argument)}")


class LazySet:
    """A set that is given by what it contains."""

    finite = True

    def __contains__(self, value: Any) -> bool:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        raise Undefined(f"{self} cannot be listed")

    def __eq__(self, other: object) -> bool:
        return (type(self) is type(other) and vars(self) == vars(other)) or frozenset(self) == other

    def __hash__(self) -> int:
        return hash(frozenset(self))


class Infinite(LazySet):
    """Nat, Int, Real, STRING."""

    finite = False

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __contains__(self, value: Any) -> bool:
        if self.name == "STRING":
            return type(value) is str
        return type(value) is int and (value >= 0 or self.name != "Nat")

    def __hash__(self) -> int:
        return hash(self.name)


class Subsets(LazySet):
    """SUBSET S."""

    def __init__(self, of: Any) -> None:
        self.of = of

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return is_finite(self.of)

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, (frozenset, LazySet)) and all(item in self.of for item in value)

    def __iter__(self) -> Iterator[Any]:
        members = ordered(self.of)
        for n in range(len(members) + 1):
            yield from map(frozenset, itertools.combinations(members, n))


class Functions(LazySet):
    """[A -> B]."""

    def __init__(self, domain: Any, values: Any) -> None:
        self.domain, self.values = domain, values

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return is_finite(self.domain) and is_finite(self.values)

    def __contains__(self, value: Any) -> bool:
        if not isinstance(value, (tuple, Function)):
            return False
        pairs = mapping(value)
        return pairs.keys() == set(self.domain) and all(v in self.values for v in pairs.values())

    def __iter__(self) -> Iterator[Any]:
        keys, values = ordered(self.domain), ordered(self.values)
        for chosen in itertools.product(values, repeat=len(keys)):
            yield function(dict(zip(keys, chosen, strict=True)))


class Records(LazySet):
    """[a : A, b : B]."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return all(map(is_finite, self.fields.values()))

    def __contains__(self, value: Any) -> bool:
        same = isinstance(value, Function) and value.map.keys() == self.fields.keys()
        return same and all(value.map[name] in values for name, values in self.fields.items())

    def __iter__(self) -> Iterator[Any]:
        for chosen in itertools.product(*map(ordered, self.fields.values())):
            yield Function(dict(zip(self.fields, chosen, strict=True)))


class Tuples(LazySet):
    """A \\X B."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return all(map(is_finite, self.parts))

    def __contains__(self, value: Any) -> bool:
        same = isinstance(value, tuple) and len(value) == len(self.parts)
        return same and all(v in part for v, part in zip(value, self.parts, strict=True))

    def __iter__(self) -> Iterator[Any]:
        return itertools.product(*map(ordered, self.parts))


class Sequences(LazySet):
    """Seq(S), or with a largest length."""

    def __init__(self, of: Any, most: int | None = None, least: int = 0) -> None:
        self.of, self.most, self.least = of, most, least

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.most is not None and is_finite(self.of)

    def __contains__(self, value: Any) -> bool:
        fits = isinstance(value, tuple) and (self.most is None or self.least <= len(value) <= self.most)
        return fits and all(v in self.of for v in value)

    def __iter__(self) -> Iterator[Any]:
        if self.most is None:
            raise Undefined("Seq(S) cannot be listed")
        members = ordered(self.of)
        for n in range(self.least, self.most + 1):
            yield from itertools.product(members, repeat=n)


class Either(LazySet):
    """A union with a part that cannot be listed."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return all(map(is_finite, self.parts))

    def __contains__(self, value: Any) -> bool:
        return any(value in part for part in self.parts)

    def __iter__(self) -> Iterator[Any]:
        for i, part in enumerate(self.parts):
            yield from (v for v in in_order(part) if not any(v in earlier for earlier in self.parts[:i]))


class Filtered(LazySet):
    """{x \\in S : P} of a set that cannot be listed, or is large; `source` is how it is written, with its scope."""

    def __init__(self, of: Any, test: Callable[[Any], bool], source: tuple[Any, Any]) -> None:
        self.of, self.test, self.source = of, test, source

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return is_finite(self.of)

    def __contains__(self, value: Any) -> bool:
        return value in self.of and self.test(value)

    def __iter__(self) -> Iterator[Any]:
        return (item for item in in_order(self.of) if self.test(item))


LARGE = 100_000
"""A set of at least so many members is not listed where its definition will do."""


def size(value: Any) -> float:
    """How many members a set has at most."""
    if isinstance(value, (Subsets, Functions)):
        domain, values = (value.of, 2.0) if isinstance(value, Subsets) else (value.domain, size(value.values))
        return _power(values, size(domain))
    if isinstance(value, Records):
        return math.prod([size(v) for v in value.fields.values()])
    if isinstance(value, Tuples):
        return math.prod([size(v) for v in value.parts])
    if isinstance(value, Sequences):
        longest = math.inf if value.most is None else value.most
        return _power(size(value.of), longest)
    if isinstance(value, Either):
        return sum(map(size, value.parts))
    if isinstance(value, Filtered):
        return size(value.of)
    return math.inf if isinstance(value, Infinite) else len(value)


def _power(base: float, exponent: float) -> float:
    return math.pow(min(base, 1e9), min(exponent, 30))


def in_order(values: Any) -> Iterable[Any]:
    """The members of a set, one after the other; in TLC's order where the set is not large."""
    return values if isinstance(values, LazySet) and size(values) >= LARGE else ordered(values)


def united(sets: list[Any]) -> Any:
    """The union of some sets; large ones are not listed. UNION {[1..n -> S] : n \\in 1..N} is a set of sequences."""
    if not any(isinstance(one, LazySet) for one in sets) or sum(map(size, sets)) < LARGE:
        return frozenset(itertools.chain.from_iterable(sets))
    found = [one for one in sets if isinstance(one, Functions)]
    lengths = sorted(len(as_set(one.domain)) for one in found)
    consecutive = lengths == list(range(lengths[0], lengths[0] + len(sets))) if lengths else False
    if consecutive and all(
        as_set(one.domain) == frozenset(range(1, len(as_set(one.domain)) + 1)) and one.values == found[0].values
        for one in found
    ):
        return Sequences(found[0].values, lengths[-1], lengths[0])
    return Either(tuple(sets))


def is_finite(value: Any) -> bool:
    """Whether a set can be listed."""
    return value.finite if isinstance(value, LazySet) else True


def as_set(value: Any) -> frozenset[Any]:
    """A set, listed."""
    if isinstance(value, frozenset):
        return value
    if isinstance(value, LazySet):
        return frozenset(value)
    raise Undefined(f"{shown(value)} is not a set")


def is_set(value: Any) -> bool:
    """Whether a value is a set."""
    return isinstance(value, (frozenset, LazySet))


def order(value: Any) -> Any:
    """A key that sorts values as TLC does where that is defined: smaller sets and functions first."""
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, int):
        return (2, value)
    if isinstance(value, str):
        return (3, value)
    if isinstance(value, ModelValue):
        return (0, value.order, value.name)
    if isinstance(value, tuple):
        return (5, len(value), [order(v) for v in value])
    if isinstance(value, Function):
        pairs = sorted((order(k), order(v)) for k, v in value.map.items())
        return (5, len(pairs), [v for _, v in pairs], [k for k, _ in pairs])
    members = sorted(map(order, value))
    return (4, len(members), members)


def ordered(values: Iterable[Any]) -> list[Any]:
    """The members of a set in TLC's order."""
    if isinstance(values, LazySet) and not isinstance(values, (Either, Filtered)):
        return list(values)
    return sorted(values, key=order)


def shown(value: Any) -> str:
    """A value as TLA+ writes it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"<<{', '.join(map(shown, value))}>>"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(shown, ordered(value))) + "}"
    if isinstance(value, Function):
        if value.is_record:
            return f"[{', '.join(f'{k} |-> {shown(v)}' for k, v in value.map.items())}]"
        return f"({' @@ '.join(f'{shown(k)} :> {shown(v)}' for k, v in value.map.items())})"
    return str(value)
