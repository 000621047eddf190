"""The collections of a concrete state: ordinary Python lists, sets and dicts that know their domain.

They print and behave like the built-in types, plus: an assignment outside the domain, a sequence that
overflows and a bad index raise a CheckedError; `.length` is len() (and does not fork on symbols);
`.contains(x)` is `x in` (the same).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, Protocol, TypeVar

from ..errors import CheckedError, user_place

T = TypeVar("T")


class Edits:
    """How often any collection or record of a state was changed in place: who shares values looks at it."""

    count = 0


class Making(Protocol):
    """What a collection needs of the domain of its elements."""

    def make(self, value: Any) -> Any: ...


class ListDomain(Making, Protocol):
    """What an array needs of its domain."""

    @property
    def element(self) -> Making: ...


class SeqDomain(ListDomain, Protocol):
    """What a sequence needs of its domain."""

    capacity: int


class SetDomain(ListDomain, Protocol):
    """What a set needs of its domain."""

    universe: tuple[Any, ...]


class MapDomain(ListDomain, Protocol):
    """What a map needs of its domain."""

    position: dict[Any, int]


def outside(index: Any, length: int) -> CheckedError:
    """E303 for an index that is none of 0..length-1."""
    problem = f"index {index} is outside 0..{length - 1}" if length else f"there is no index {index}: it is empty"
    return CheckedError("E303", user_place(), problem=problem)


def absent(value: Any) -> CheckedError:
    """E303 for the index of something that is not there."""
    return CheckedError("E303", user_place(), problem=f"{value!r} is no element, so it has no index")


def called(name: str) -> Callable[[type[T]], type[T]]:
    """What Python calls a class in its own messages, which an author reads."""

    def rename(cls: type[T]) -> type[T]:
        cls.__name__ = name
        return cls

    return rename


def _index(value: list[Any], index: int) -> int:
    if not -len(value) <= index < len(value):
        raise outside(index, len(value))
    return index


class _ListValue(list[Any]):
    domain: Any
    __slots__ = ("domain",)

    def __init__(self, domain: Any, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.domain = domain

    @property
    def length(self) -> int:
        """How many elements there are."""
        return len(self)

    def contains(self, value: Any) -> bool:
        """Whether an element equals `value`."""
        return value in self

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            make = self.domain.element.make
            return [make(item) for item in super().__getitem__(index)]
        return super().__getitem__(_index(self, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        _index(self, index)
        Edits.count += 1
        super().__setitem__(index, self.domain.element.make(value))

    def index(self, value: Any, *_: Any) -> int:
        """The position of the first element equal to `value`; CheckedError E303 when there is none."""
        for i, item in enumerate(self):
            if item == value:
                return i
        raise absent(value)

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} does not support this list method")

    sort = reverse = remove = __delitem__ = __iadd__ = __imul__ = _fixed


@called("Array")
class ArrayValue(_ListValue):
    """The value of an Array variable: a list of fixed length."""

    domain: ListDomain
    __slots__ = ()
    append = pop = insert = extend = clear = _ListValue._fixed


@called("Seq")
class SeqValue(_ListValue):
    """The value of a Seq variable: a list of bounded length."""

    domain: SeqDomain
    __slots__ = ()

    def append(self, value: Any) -> None:
        """Add at the end; CheckedError E302 when the sequence is full."""
        self.insert(len(self), value)

    def insert(self, index: Any, value: Any) -> None:
        """Insert before position 0..length."""
        if len(self) >= self.domain.capacity:
            raise CheckedError("E302", user_place(), capacity=self.domain.capacity)
        if not 0 <= index <= len(self):
            raise outside(index, len(self) + 1)
        Edits.count += 1
        super().insert(index, self.domain.element.make(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Append each."""
        for value in list(values):
            self.append(value)

    def pop(self, index: Any = -1) -> Any:
        """Remove and return one element, the last by default; CheckedError E304 when empty."""
        if not self:
            raise CheckedError("E304", user_place())
        Edits.count += 1
        return super().pop(_index(self, index))

    def clear(self) -> None:
        """Remove all elements."""
        Edits.count += 1
        super().clear()

    def popleft(self) -> Any:
        """Remove and return the first element; CheckedError E304 when empty."""
        return self.pop(0)

    @property
    def first(self) -> Any:
        """The first element; CheckedError E304 when empty."""
        if not self:
            raise CheckedError("E304", user_place())
        return self[0]

    @property
    def last(self) -> Any:
        """The last element; CheckedError E304 when empty."""
        if not self:
            raise CheckedError("E304", user_place())
        return self[-1]


@called("Set")
class SetValue(set[Any]):
    """The value of a Set variable; iterates in the order of its domain, never in hash order."""

    __slots__ = ("domain",)
    domain: SetDomain

    def __init__(self, domain: SetDomain, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.domain = domain

    def __iter__(self) -> Iterator[Any]:
        return (member for member in self.domain.universe if set.__contains__(self, member))

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self)) + "}"

    @property
    def length(self) -> int:
        """How many members there are."""
        return len(self)

    def contains(self, value: Any) -> bool:
        """Whether `value` is a member."""
        return value in self

    def add(self, value: Any) -> None:
        """Make `value` a member."""
        Edits.count += 1
        super().add(self.domain.element.make(value))

    def discard(self, value: Any) -> None:
        """Make `value` no member."""
        Edits.count += 1
        super().discard(self.domain.element.make(value))

    def clear(self) -> None:
        """Make nothing a member."""
        Edits.count += 1
        super().clear()

    def remove(self, value: Any) -> None:
        """Make a member no member; CheckedError E309 when it is none."""
        if self.domain.element.make(value) not in self:
            raise CheckedError("E309", user_place(), key=repr(value))
        Edits.count += 1
        super().discard(value)

    def _combined(self, values: Iterable[Any]) -> SetValue:
        return SetValue(self.domain, map(self.domain.element.make, values))

    def __or__(self, other: Any) -> SetValue:
        return self._combined(set.__or__(self, set(other)))

    def __and__(self, other: Any) -> SetValue:
        return self._combined(set.__and__(self, set(other)))

    def __sub__(self, other: Any) -> SetValue:
        return self._combined(set.__sub__(self, set(other)))

    def __xor__(self, other: Any) -> SetValue:
        return self._combined(set.__xor__(self, set(other)))

    def copy(self) -> SetValue:
        """Another set with the same members."""
        return SetValue(self.domain, self)

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError("assign a new set instead, for example: self.members = self.members | {1}")

    def _become(self, members: SetValue) -> SetValue:
        self.clear()
        super().update(members)
        return self

    def __ior__(self, other: Any) -> SetValue:
        return self._become(self | other)

    def __iand__(self, other: Any) -> SetValue:
        return self._become(self & other)

    def __isub__(self, other: Any) -> SetValue:
        return self._become(self - other)

    def __ixor__(self, other: Any) -> SetValue:
        return self._become(self ^ other)

    update = pop = _fixed
    intersection_update = difference_update = symmetric_difference_update = _fixed


@called("Map")
class MapValue(dict[Any, Any]):
    """The value of a Map variable: a dict with fixed keys."""

    __slots__ = ("domain",)
    domain: MapDomain

    def __init__(self, domain: MapDomain, items: dict[Any, Any]) -> None:
        super().__init__(items)
        self.domain = domain

    def _key(self, key: Any) -> Any:
        if key not in self.domain.position:
            raise CheckedError("E305", user_place(), key=repr(key))
        return key

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._key(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        Edits.count += 1
        super().__setitem__(self._key(key), self.domain.element.make(value))

    @property
    def length(self) -> int:
        """How many keys there are."""
        return len(self)

    def contains(self, key: Any) -> bool:
        """Whether `key` is a key."""
        return key in self

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError("the keys of a Map are fixed")

    update = pop = popitem = clear = setdefault = __delitem__ = __ior__ = _fixed


class RecordValue:
    """What domains know of records: the base of Record, from which an author derives."""

    @classmethod
    def of(cls, **fields: Any) -> Any:
        """The domain of these records."""
        raise NotImplementedError
