"""Domains that are made of other domains: arrays, sequences, sets, maps, and what may be None."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import CheckedError, user_place
from .domains import (
    UNSET,
    Bool,
    Domain,
    Enum,
    Int,
    ListedValues,
    OneOf,
    Piece,
    alike,
    as_domain,
    indexed,
    is_domain,
    shown,
    unchanging,
    written,
)
from .values import ArrayValue, MapValue, SeqValue, SetValue

BIT = Bool()
"""The domain of a cell that says whether something exists."""


def _slots(domain: Seq | Set, path: str, source: Callable[[str, str], str]) -> Iterator[Piece]:
    """The components of a value of some length: the length, and the elements up to it."""
    most, element = domain.capacity or 0, domain.element
    yield Piece(Int(0, most), 0, f"{path}.length", _length)
    for i in range(most):
        yield Piece(element, 1 + i * element.size, f"{path}[{i}]", source, i, exists=(0, i))


def _length(whole: str, _: str) -> str:
    return f"len({whole})"


def _listed(whole: str, key: str) -> str:
    return f"list({whole})[{key}]"


def _among(whole: str, key: str) -> str:
    return f"({key} in {whole})"


def _present(whole: str, _: str) -> str:
    return f"({whole} is not None)"


def _itself(whole: str, _: str) -> str:
    return whole


class Array(Domain):
    """Exactly n values of one domain, with the indices 0 to n - 1.

    An index outside of them is an error of the spec (E303).

        self.done = Array(3, Bool())
        self.done[2] = True  # in an action
    """

    shape = "array"

    def __init__(self, n: Any = UNSET, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the number of elements, or their domain", "Array(3, Bool())")
        if not isinstance(n, int) or n < 0:
            reason = f"the number of elements comes first, and it is {written(n)}"
            raise self._malformed(reason, "write for example Array(3, Bool())")
        self.n, self.element = n, as_domain(element)
        self.size = n * self.element.size

    def __repr__(self) -> str:
        return f"Array({self.n}, {self.element})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        for i in range(self.n):
            yield Piece(self.element, i * self.element.size, f"{path}[{i}]", indexed, i)

    def inner(self) -> Sequence[Domain]:
        return (self.element,)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return [self.element.moved(item, by) for item in value]

    def make(self, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != self.n:
            raise self._reject(value)
        return ArrayValue(self, map(self.element.make, value))

    def lowest(self) -> Any:
        return ArrayValue(self, (self.element.lowest() for _ in range(self.n)))

    def parts(self) -> list[tuple[str, Domain]]:
        return [(str(i), self.element) for i in range(self.n)]

    def join(self, values: Sequence[Any]) -> Any:
        return list(values)

    def encode(self, value: Any, out: list[int]) -> None:
        for item in value:
            self.element.encode(item, out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        step, element = self.element.size, self.element
        return ArrayValue(self, [element.decode(cells, at + i * step) for i in range(self.n)])

    def show(self, value: Any) -> str:
        return f"[{', '.join(map(self.element.show, value))}]"


class Seq(Domain):
    """A sequence of at most `capacity` values of one domain; it begins empty, unless `init` says otherwise.

    It has what a Python list has, and `popleft`, `first`, `last`. Errors of the spec: to grow beyond the capacity
    (E302), an index of no element (E303), to take from an empty sequence (E304).

        self.queue = Seq(range(3), 4)
        require(len(self.queue) < 4)  # in an action
        self.queue.append(2)  # in an action
    """

    shape = "sequence"

    def __init__(self, element: Any = UNSET, capacity: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its elements, and its capacity", "Seq(Bool(), 4)")
        self._needs(capacity, "its capacity: how many elements it holds at most", f"Seq({written(element)}, 4)")
        if not isinstance(capacity, int) or capacity < 0:
            reason = f"its capacity comes last, and {written(capacity)} is not a natural number"
            raise self._malformed(reason, "write for example Seq(Bool(), 4)")
        self.element, self.capacity = as_domain(element), capacity
        self.size = 1 + capacity * self.element.size

    def __repr__(self) -> str:
        return f"Seq({self.element}, {self.capacity})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        return _slots(self, path, indexed)

    def inner(self) -> Sequence[Domain]:
        return (self.element,)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return [self.element.moved(item, by) for item in value]

    def make(self, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise self._reject(value)
        if len(value) > self.capacity:
            raise CheckedError("E302", user_place(), capacity=self.capacity)
        return SeqValue(self, map(self.element.make, value))

    def lowest(self) -> Any:
        return SeqValue(self, ())

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(len(value))
        for item in value:
            self.element.encode(item, out)
        rest = self.capacity - len(value)
        if rest:
            blank: list[int] = []
            self.element.encode(self.element.lowest(), blank)
            out.extend(blank * rest)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        step, element = self.element.size, self.element
        return SeqValue(self, [element.decode(cells, at + 1 + i * step) for i in range(cells[at])])

    def each_value(self) -> Iterable[Any]:
        items = list(self.element.values())
        chosen = itertools.chain.from_iterable(itertools.product(items, repeat=n) for n in range(self.capacity + 1))
        return (self.make(list(c)) for c in chosen)

    def show(self, value: Any) -> str:
        return f"[{', '.join(map(self.element.show, value))}]"


class Set(Domain):
    """Any subset of a domain, or of listed values that never change; it begins empty, unless `init` says otherwise.

    A state has one bit for each possible member, of which there may be 10,000. With a `capacity` it holds at most so
    many members, in their order. Errors of the spec: another member (E301), to grow beyond the capacity (E302), to
    remove what is no member (E309).

        self.seen = Set(range(3))
        self.seen.add(2)  # in an action
    """

    shape = "members"

    def __init__(self, element: Any = UNSET, init: Any = UNSET, *, capacity: Any = None) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its members", "Set(range(4))")
        self.element = domain_of_members(element)
        changing = self.element.changing()
        if changing is not None:
            part = "a member of it" if changing is self.element else f"a part of a member, {changing},"
            remedy = "use Records, NamedTuples, frozen dataclasses and tuples of numbers, booleans and enum members"
            raise self._malformed(f"{part} can change", remedy)
        if capacity is not None and (not isinstance(capacity, int) or capacity < 1):
            raise self._malformed(f"its capacity is {written(capacity)}", "write for example capacity=4")
        if capacity is not None and isinstance(self.element, OneOf):
            raise self._malformed("members of several domains are not kept by capacity", "give each a Set of its own")
        count = self.element.count()
        self.capacity: int | None = capacity if count else None
        self.universe: tuple[Any, ...] = ()
        """The possible members, in order; nothing where a capacity is given."""
        if self.capacity is not None:
            self.size = 1 + self.capacity * self.element.size
        elif count > MOST:
            remedy = "narrow these domains, or say how many are in it at once: Set(..., capacity=8)"
            raise self._malformed(f"it has {count:,} possible members, and {MOST:,} are the most", remedy)
        else:
            self.universe, self.size = tuple(map(self.element.member, self.element.values())), count
        self.position: dict[Any, int] = {}
        for i, member in enumerate(self.universe):
            if self.position.setdefault(member, i) != i:
                equal = self.universe[self.position[member]]
                reason = f"{shown(equal)} equals {shown(member)}, and they are of two of its domains"
                remedy = "write frozen dataclasses or Records: tuples of two classes may be equal"
                if not isinstance(equal, tuple):
                    parts = ", ".join(map(repr, getattr(self.element, "domains", ())))
                    remedy = f"several domains mean a value of any of them; for tuples write Product({parts})"
                raise self._malformed(reason, remedy)

    def __repr__(self) -> str:
        return f"Set({self.element}{f', capacity={self.capacity}' if self.capacity is not None else ''})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        if self.capacity is not None:
            yield from _slots(self, path, _listed)
        for i, member in enumerate(self.universe):
            yield Piece(BIT, i, f"{self.element.show(member)} in {path}", _among, member)

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return self.capacity is not None

    @property
    def of(self) -> Domain:
        """The domain of the keys of its components."""
        return self.element

    def inner(self) -> Sequence[Domain]:
        return (self.element,)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return {self.element.moved(item, by) for item in value}

    def count(self) -> int:
        most = self.element.count()
        return 2**most if self.capacity is None else sum(math.comb(most, n) for n in range(self.capacity + 1))

    def make(self, value: Any) -> Any:
        if not isinstance(value, (set, frozenset, list, tuple)):
            raise self._reject(value)
        return SetValue(self, map(self.element.member, value))

    def lowest(self) -> Any:
        return SetValue(self, ())

    def rank(self, member: Any) -> Any:
        """The position of a member in the order of members."""
        if self.capacity is None:
            return self.position[member]
        cells: list[int] = []
        self.element.encode(member, cells)
        return cells

    def encode(self, value: Any, out: list[int]) -> None:
        if self.capacity is None:
            bits = [0] * self.size
            for member in value.members:
                bits[self.position[member]] = 1
            out.extend(bits)
            return
        places = sorted(map(self.rank, value.members))
        out.extend((len(places), *itertools.chain.from_iterable(places)))
        blank: list[int] = []
        self.element.encode(self.element.lowest(), blank)
        out.extend(blank * (self.capacity - len(places)))

    def decode(self, cells: Sequence[int], at: int) -> Any:
        if self.capacity is None:
            return SetValue(self, itertools.compress(self.universe, cells[at : at + self.size]))
        element = self.element
        starts = range(at + 1, at + 1 + cells[at] * element.size, element.size)
        return SetValue(self, [element.member(element.decode(cells, start)) for start in starts])

    def each_value(self) -> Iterable[Any]:
        if self.capacity is None:
            return super().each_value()
        members = tuple(map(self.element.member, self.element.values()))
        chosen = (itertools.combinations(members, n) for n in range(self.capacity + 1))
        return (SetValue(self, some) for some in itertools.chain.from_iterable(chosen))

    def show(self, value: Any) -> str:
        return "{" + ", ".join(map(self.element.show, value)) + "}"


MOST = 10_000
"""The maximum number of possible members of a set without a capacity."""


def domain_of_members(element: Any) -> Domain:
    """What may be a member: of a domain, of a list of values, or of a list of values and domains."""
    nothing = isinstance(element, (range, set, frozenset)) and not element
    if not nothing and (
        isinstance(element, (Domain, str, range, set, frozenset, type)) or not isinstance(element, Iterable)
    ):
        return as_domain(element)
    given, domains = list(element), list[Domain]()
    if not any(map(is_domain, given)):
        return ListedValues(given)
    for single, some in itertools.groupby(given, key=is_domain):
        items = list(some)
        domains += map(as_domain, items) if single else [ListedValues(items)]
    return domains[0] if len(domains) == 1 else OneOf(domains)


class Map(Domain):
    """A value for every key, like a dictionary that has all its keys from the beginning (a function of TLA+).

    `keys` is a domain, a range or a list of values that never change. A key that it does not have is an error of the
    spec (E305).

        self.stock = Map(["tea", "milk"], Int(0, 9))
        self.stock["tea"] = 5  # in an action
    """

    shape = "pairs"

    def __init__(self, keys: Any = UNSET, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "its keys, or the domain of its values", "Map(['tea', 'milk'], Int(0, 9))")
        keys = as_domain(keys) if is_domain(keys) and not isinstance(keys, range) else keys
        if isinstance(keys, int) or not isinstance(keys, (Iterable, Domain)):
            remedy = f"name them, for example Map(range(3), {written(element)})"
            raise self._malformed(f"its keys are {written(keys)}", remedy)
        self.of = keys if isinstance(keys, Domain) else None
        self.keys = tuple(map(keys.member, keys.values()) if isinstance(keys, Domain) else keys)
        same = alike(self.keys, shown)
        if same:
            raise self._malformed(same, "correct its keys")
        strange = [k for k in self.keys if not isinstance(k, tuple) and (k is None or not unchanging(k))]
        if strange:
            remedy = "keys are whole numbers, strings, enum members, tuples, or of a domain of values that never change"
            raise self._malformed(f"{strange[0]!r} is no key", remedy)
        self.element = as_domain(element)
        self.position = {k: i for i, k in enumerate(self.keys)}
        self.size = len(self.keys) * self.element.size

    def __repr__(self) -> str:
        keys = self.of if self.of is not None else f"[{', '.join(map(shown, self.keys))}]"
        return f"Map({keys}, {self.element})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        for i, key in enumerate(self.keys):
            yield Piece(self.element, i * self.element.size, f"{path}[{shown(key)}]", indexed, key)

    def inner(self) -> Sequence[Domain]:
        return (self.element,) if self.of is None else (self.element, self.of)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        own = self.of
        pairs = ((key if own is None else own.moved(key, by), self.element.moved(value[key], by)) for key in self.keys)
        return dict(pairs)

    def pairs(self, value: Any) -> list[tuple[Any, Any]]:
        """The keys of a value with what it has for each."""
        return [(key, value[key]) for key in self.keys]

    def make(self, value: Any) -> Any:
        if not isinstance(value, dict) or value.keys() != self.position.keys():
            raise self._reject(value)
        return MapValue(self, {key: self.element.make(value[key]) for key in self.keys})

    def lowest(self) -> Any:
        return MapValue(self, {key: self.element.lowest() for key in self.keys})

    def parts(self) -> list[tuple[str, Domain]]:
        return [(shown(key), self.element) for key in self.keys]

    def join(self, values: Sequence[Any]) -> Any:
        return dict(zip(self.keys, values, strict=True))

    def encode(self, value: Any, out: list[int]) -> None:
        for key in self.keys:
            self.element.encode(dict.__getitem__(value, key), out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        step, element = self.element.size, self.element
        return MapValue(self, {key: element.decode(cells, at + i * step) for i, key in enumerate(self.keys)})

    def show(self, value: Any) -> str:
        return "{" + ", ".join(f"{shown(k)}: {self.element.show(v)}" for k, v in value.items()) + "}"


class Option(Domain):
    """None, or a value of another domain; the initial value is None, unless `init` says otherwise.

    Ask with `is None` before the value is used.

        self.owner = Option(range(3))
        self.owner = 2 if self.owner is None else None  # in an action
    """

    shape = "option"

    def __init__(self, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its value", "Option(range(3))")
        self.element = as_domain(element)
        if isinstance(self.element, Option):
            raise self._malformed("an option of an option looks like an option", "leave one of them out")
        same = alike([None, *self.element.members], shown) if isinstance(self.element, Enum) else ""
        if same:
            raise self._malformed(same, "call the member something else")
        self.size = 1 + self.element.size

    def __repr__(self) -> str:
        return f"Option({self.element})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        yield Piece(BIT, 0, f"{path}.present", _present)
        yield Piece(self.element, 1, path, _itself, exists=(0, 0))

    def inner(self) -> Sequence[Domain]:
        return (self.element,)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return None if value is None else self.element.moved(value, by)

    @property
    def immutable(self) -> bool:  # type: ignore[override]
        return self.element.immutable

    def changing(self) -> Domain | None:
        return self.element.changing()

    def count(self) -> int:
        return 1 + self.element.count()

    def make(self, value: Any) -> Any:
        return None if value is None else self.element.make(value)

    def member(self, value: Any) -> Any:
        return None if value is None else self.element.member(value)

    def lowest(self) -> Any:
        return None

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(int(value is not None))
        self.element.encode(self.element.lowest() if value is None else value, out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        return self.element.decode(cells, at + 1) if cells[at] else None

    def each_value(self) -> Iterable[Any]:
        return itertools.chain([None], self.element.each_value())

    def show(self, value: Any) -> str:
        return "None" if value is None else self.element.show(value)
