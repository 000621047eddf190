"""The domains as a type checker and an editor see them in a spec: `self.count = Int(0, 3)` declares a variable, and
reading `self.count` gives a number, so the constructors are typed as returning a value of their domain. Never imported
at run time.

An array is typed as a list, a set as a set, and a map as a dictionary. A sequence has methods that a list lacks, and a
plain list may be assigned to it: so it is typed as itself or anything.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
E = TypeVar("E", bound=enum.Enum)

class SeqValue(list[T]):
    """Values one after another."""

    @property
    def first(self) -> T: ...
    @property
    def last(self) -> T: ...
    def popleft(self) -> T: ...

class BagValue(Mapping[T, int]):
    """Elements with their counts."""

    def __getitem__(self, element: T) -> int: ...
    def __iter__(self) -> Iterator[T]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, element: T, count: int) -> None: ...
    def add(self, element: T) -> None: ...
    def remove(self, element: T) -> None: ...
    def discard(self, element: T) -> None: ...
    def update(self, elements: Iterable[T]) -> None: ...
    def clear(self) -> None: ...
    def elements(self) -> list[T]: ...
    def total(self) -> int: ...
    def copy(self) -> BagValue[T]: ...

def Int(lo: int, hi: int, init: Any = ...) -> int:
    """The integers lo..hi, both included."""

def Bool(init: Any = ...) -> bool:
    """False and True."""

@overload
def Enum(members: type[E], /, init: Any = ...) -> E:
    """The members of an enum class."""

@overload
def Enum(*members: T, init: Any = ...) -> T:
    """Named values."""

@overload
def Array(n: int, element: type[T], init: Any = ...) -> list[T]: ...
@overload
def Array(n: int, element: range, init: Any = ...) -> list[int]: ...
@overload
def Array(n: int, element: T, init: Any = ...) -> list[T]:
    """Exactly n values of one domain."""

@overload
def Seq(element: type[T], capacity: int, init: Any = ...) -> SeqValue[T] | Any: ...
@overload
def Seq(element: range, capacity: int, init: Any = ...) -> SeqValue[int] | Any: ...
@overload
def Seq(element: T, capacity: int, init: Any = ...) -> SeqValue[T] | Any:
    """A sequence of at most `capacity` values."""

@overload
def Set(element: type[T] | Iterable[T], init: Any = ..., *, capacity: int | None = ...) -> set[T]: ...
@overload
def Set(element: T, init: Any = ..., *, capacity: int | None = ...) -> set[T]:
    """Any subset of a domain, or of listed values; with a capacity at most so many members."""

@overload
def Bag(element: type[T] | Iterable[T], capacity: int, init: Any = ...) -> BagValue[T] | Any: ...
@overload
def Bag(element: T, capacity: int, init: Any = ...) -> BagValue[T] | Any:
    """A multiset of at most `capacity` elements."""

@overload
def Map(keys: type[K] | Iterable[K], element: type[T], init: Any = ...) -> dict[K, T]: ...
@overload
def Map(keys: type[K] | Iterable[K], element: range, init: Any = ...) -> dict[K, int]: ...
@overload
def Map(keys: type[K] | Iterable[K], element: T, init: Any = ...) -> dict[K, T]: ...
@overload
def Map(keys: K, element: T, init: Any = ...) -> dict[K, T]:
    """A value for every key."""

def Interchangeable(n: int, name: str, init: Any = ...) -> int:
    """The values 0 to n - 1, none of which differs from the others."""

@overload
def Option(element: type[T], init: Any = ...) -> T | None: ...
@overload
def Option(element: range, init: Any = ...) -> int | None: ...
@overload
def Option(element: T, init: Any = ...) -> T | None:
    """None, or a value of another domain."""

@overload
def Product(cls: type[T], /, *, init: Any = ..., **parts: Any) -> T: ...
@overload
def Product(*parts: Any, init: Any = ...) -> Any:
    """Tuples of values, NamedTuples or frozen dataclasses."""
