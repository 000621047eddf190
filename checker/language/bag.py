"""Bags: multisets of limited size. A state has a count for each possible element."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import CheckedError, user_place
from .composite_domains import MOST, Seq, domain_of_members
from .domains import UNSET, Domain, Int, OneOf, Piece, indexed, shown, written
from .values import EDITS, RESIZED, CollectionValue, called


@called("Bag")
class BagValue(CollectionValue):
    """The value of a Bag variable: elements with their counts, in the order of their domain, never in hash order."""

    __slots__ = ("counts", "domain")
    domain: Bag
    counts: dict[Any, int]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, domain: Bag, counts: Mapping[Any, int]) -> None:
        self.domain, self.counts = domain, dict(counts)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return BagValue, (self.domain, dict(self.counts))

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{element!r}: {count}" for element, count in self.items()) + "}"

    # -- changes -------------------------------------------------------------------------------------------

    def __setitem__(self, element: Any, count: Any) -> None:
        element = self.domain.of.member(element)
        count = self.domain.element.make(count)
        if self.total() - self.counts.get(element, 0) + count > self.domain.capacity:
            raise CheckedError("E302", user_place(), capacity=self.domain.capacity)
        EDITS.count += 1
        self.counts[element] = count
        if not count:
            del self.counts[element]

    def add(self, element: Any) -> None:
        """One more of an element; CheckedError E302 when the bag is full."""
        element = self.domain.of.member(element)
        if self.total() >= self.domain.capacity:
            raise CheckedError("E302", user_place(), capacity=self.domain.capacity)
        self[element] = self.counts.get(element, 0) + 1

    def discard(self, element: Any) -> None:
        """One less of an element, if there is one."""
        element = self.domain.of.member(element)
        if element in self.counts:
            self[element] = self.counts[element] - 1

    def remove(self, element: Any) -> None:
        """One less of an element; CheckedError E309 when there is none."""
        if self.domain.of.member(element) not in self.counts:
            raise CheckedError("E309", user_place(), key=repr(element))
        self.discard(element)

    def update(self, elements: Iterable[Any]) -> None:
        """One more of each; of a Bag, a Counter or a dictionary, as many as it counts."""
        if isinstance(elements, (dict, BagValue)):
            for element, count in elements.items():
                self[element] = self[element] + count
        else:
            for element in list(elements):
                self.add(element)

    def clear(self) -> None:
        """Remove all elements."""
        EDITS.count += 1
        self.counts.clear()

    # -- elements ------------------------------------------------------------------------------------------

    def __getitem__(self, element: Any) -> int:
        return self.counts.get(element, 0)

    def __contains__(self, element: Any) -> bool:
        return element in self.counts

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[Any]:
        size = len(self.counts)
        for element in self.domain.keys:
            if element in self.counts:
                yield element
                if len(self.counts) != size:
                    raise RuntimeError(RESIZED[dict])

    def items(self) -> list[tuple[Any, int]]:
        """Its different elements with their counts."""
        return [(element, self.counts[element]) for element in self]

    def elements(self) -> list[Any]:
        """Its elements, each as often as it is there."""
        listed: list[Any] = self.domain.listed.make([x for x, count in self.items() for _ in range(count)])
        return listed

    def total(self) -> int:
        """How many elements there are, each counted as often as it is there."""
        return sum(self.counts.values())

    def copy(self) -> BagValue:
        """Another bag with the same elements."""
        return BagValue(self.domain, self.counts)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (dict, BagValue)):
            return NotImplemented
        if isinstance(other, Counter):
            return self.counts == {element: count for element, count in other.items() if count != 0}
        return self.counts == dict(other.items())


Mapping.register(BagValue)


class Bag(Domain):
    """A multiset of at most `capacity` elements of a domain; it begins empty, unless `init` says otherwise.

    `bag[x]` is how often x is in it, `len(bag)` the number of different elements, `bag.total()` that of all. A loop
    takes each different element once. It is assigned from a Counter, a dictionary of counts, or a list. Errors of the
    spec: another element (E301), to grow beyond the capacity (E302), to remove what is not in it (E309).

        self.network = Bag(range(3), 4)
        require(self.network.total() < 4)  # in an action
        self.network.add(2)  # in an action
    """

    shape = "pairs"

    def __init__(self, element: Any = UNSET, capacity: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its elements, and its capacity", "Bag(range(3), 4)")
        self._needs(capacity, "its capacity: how many elements it holds at most", f"Bag({written(element)}, 4)")
        if not isinstance(capacity, int) or capacity < 0:
            reason = f"its capacity comes last, and {written(capacity)} is not a natural number"
            raise self._malformed(reason, "write for example Bag(range(3), 4)")
        self.of, self.capacity, self.element = domain_of_members(element), capacity, Int(0, capacity)
        changing = self.of.changing()
        if changing is not None:
            remedy = "use Records, NamedTuples, frozen dataclasses and tuples of numbers, booleans and enum members"
            raise self._malformed(f"{changing}, which an element has, can change", remedy)
        if isinstance(self.of, OneOf):
            raise self._malformed("elements of several domains are not kept in one bag", "give each a Bag of its own")
        if self.of.count() > MOST:
            reason = f"it has {self.of.count():,} possible elements, and {MOST:,} are the most"
            raise self._malformed(reason, "narrow these domains")
        self.keys = tuple(map(self.of.member, self.of.values()))
        self.position = {key: i for i, key in enumerate(self.keys)}
        self.size = len(self.keys)
        self.listed = Seq(self.of, capacity)
        """The domain of its elements in a list."""

    @property
    def most(self) -> int:  # type: ignore[override]
        return self.capacity

    def __repr__(self) -> str:
        return f"Bag({self.of}, {self.capacity})"

    def pieces(self, path: str = "") -> Iterator[Piece]:
        for i, key in enumerate(self.keys):
            yield Piece(self.element, i, f"{path}[{shown(key)}]", indexed, key)

    def inner(self) -> Sequence[Domain]:
        return (self.element, self.of)

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return {self.of.moved(element, by): count for element, count in value.items()}

    def pairs(self, value: BagValue) -> list[tuple[Any, int]]:
        """The elements of a value with their counts."""
        return value.items()

    def count(self) -> int:
        return math.comb(self.size + self.capacity, self.capacity)

    def each_value(self) -> Iterable[Any]:
        counts = (itertools.combinations_with_replacement(self.keys, n) for n in range(self.capacity + 1))
        return map(self.make, itertools.chain.from_iterable(counts))

    def make(self, value: Any) -> Any:
        made = BagValue(self, {})
        if isinstance(value, (dict, BagValue)):
            for element, count in value.items():
                made[element] = count
        elif isinstance(value, (list, tuple)):
            made.update(list(value))
        else:
            raise self._reject(value)
        return made

    def lowest(self) -> Any:
        return BagValue(self, {})

    def encode(self, value: Any, out: list[int]) -> None:
        out.extend(value.counts.get(key, 0) for key in self.keys)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        pairs = zip(self.keys, cells[at : at + self.size], strict=True)
        return BagValue(self, {key: count for key, count in pairs if count})

    def show(self, value: Any) -> str:
        return "{" + ", ".join(f"{self.of.show(element)}: {count}" for element, count in value.items()) + "}"
