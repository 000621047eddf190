"""Domains that are made of other domains: arrays, sequences, sets, maps, and what may be None."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import CheckedError, user_place
from .domains import UNSET, Among, Bool, Cell, Domain, Enum, Int, alike, as_domain, shown, written
from .values import ArrayValue, MapValue, SeqValue, SetValue


class Array(Domain):
    """Exactly n values of one domain, indexed 0..n-1."""

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

    def cells(self, path: str) -> Iterator[Cell]:
        for i in range(self.n):
            yield from self.element.cells(f"{path}[{i}]")

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
    """A sequence of at most `capacity` values: append, popleft, index, length, slices."""

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

    def cells(self, path: str) -> Iterator[Cell]:
        yield Cell(f"{path}.length", 0, self.capacity)
        for i in range(self.capacity):
            yield from self.element.cells(f"{path}[{i}]")

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

    def values(self) -> Iterable[Any]:
        items = list(self.element.values())
        chosen = itertools.chain.from_iterable(itertools.product(items, repeat=n) for n in range(self.capacity + 1))
        return [self.make(list(c)) for c in chosen]

    def show(self, value: Any) -> str:
        return f"[{', '.join(map(self.element.show, value))}]"


class Set(Domain):
    """Any subset of a small scalar domain, or of values that are listed; one bit for each possible member."""

    def __init__(self, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its members", "Set(range(4))")
        listed = isinstance(element, Iterable) and not isinstance(element, (Domain, str, range, set, frozenset, type))
        nothing = isinstance(element, (range, set, frozenset)) and not element
        self.element = Among(element) if listed or nothing else as_domain(element)
        if not isinstance(self.element, (Int, Bool, Enum)):
            reason = f"a member of {self.element} can change"
            remedy = (
                "list its members, Set([(0, 1), (0, 2)]): tuples, or those of a typing.NamedTuple in place of a record"
            )
            raise self._malformed(reason, remedy)
        self.universe = tuple(self.element.values())
        self.position = {v: i for i, v in enumerate(self.universe)}
        self.size = len(self.universe)

    def __repr__(self) -> str:
        return f"Set({self.element})"

    def cells(self, path: str) -> Iterator[Cell]:
        for member in self.universe:
            yield Cell(f"{self.element.show(member)} in {path}", 0, 1, boolean=True)

    def make(self, value: Any) -> Any:
        if not isinstance(value, (set, frozenset, list, tuple)):
            raise self._reject(value)
        return SetValue(self, map(self.element.make, value))

    def lowest(self) -> Any:
        return SetValue(self, ())

    def encode(self, value: Any, out: list[int]) -> None:
        out.extend(int(member in value.members) for member in self.universe)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        return SetValue(self, (member for i, member in enumerate(self.universe) if cells[at + i]))

    def show(self, value: Any) -> str:
        return "{" + ", ".join(map(self.element.show, value)) + "}"


class Map(Domain):
    """A value for every key: Map(keys, T), where keys is a domain, a range or a list. Total, like a TLA+ function."""

    def __init__(self, keys: Any = UNSET, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "its keys, or the domain of its values", "Map(['tea', 'milk'], Int(0, 9))")
        if isinstance(keys, int) or not isinstance(keys, (Iterable, Domain)):
            remedy = f"name them, for example Map(range(3), {written(element)})"
            raise self._malformed(f"its keys are {written(keys)}", remedy)
        self.of = keys if isinstance(keys, Domain) else None
        self.keys = tuple(keys.values() if isinstance(keys, Domain) else keys)
        same = alike(self.keys, shown)
        if same:
            raise self._malformed(same, "correct its keys")
        strange = [k for k in self.keys if not isinstance(k, (int, str, tuple, enum.Enum))]
        if strange:
            raise self._malformed(f"{strange[0]!r} is no key", "keys are whole numbers, texts, enum members or tuples")
        self.element = as_domain(element)
        self.position = {k: i for i, k in enumerate(self.keys)}
        self.size = len(self.keys) * self.element.size

    def __repr__(self) -> str:
        keys = self.of if self.of is not None else f"[{', '.join(map(shown, self.keys))}]"
        return f"Map({keys}, {self.element})"

    def cells(self, path: str) -> Iterator[Cell]:
        for key in self.keys:
            yield from self.element.cells(f"{path}[{shown(key)}]")

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
    """None, or a value of another domain."""

    def __init__(self, element: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(element, "the domain of its value", "Option(range(3))")
        self.element = as_domain(element)
        if isinstance(self.element, Option):
            raise self._malformed("an option of an option cannot be told from an option", "leave one of them out")
        same = alike([None, *self.element.members], shown) if isinstance(self.element, Enum) else ""
        if same:
            raise self._malformed(same, "call the member something else")
        self.size = 1 + self.element.size

    def __repr__(self) -> str:
        return f"Option({self.element})"

    def cells(self, path: str) -> Iterator[Cell]:
        yield Cell(f"{path}.present", 0, 1, boolean=True)
        yield from self.element.cells(path)

    def make(self, value: Any) -> Any:
        return None if value is None else self.element.make(value)

    def lowest(self) -> Any:
        return None

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(int(value is not None))
        self.element.encode(self.element.lowest() if value is None else value, out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        return self.element.decode(cells, at + 1) if cells[at] else None

    def values(self) -> Iterable[Any]:
        return [None, *self.element.values()]

    def show(self, value: Any) -> str:
        return "None" if value is None else self.element.show(value)
