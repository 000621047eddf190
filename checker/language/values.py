"""The collections of a concrete state: ordinary Python lists, sets and dicts that know their domain.

They print and behave like the built-in types, plus: an assignment outside the domain, a sequence that
overflows and a bad index raise a CheckedError.
"""

from __future__ import annotations

import copy
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeVar

from ..errors import AbsentValue, CheckedError, OutsideError, user_place

T = TypeVar("T")


@dataclass
class Edits:
    """How often any collection or record of a state was changed in place; checked where values are shared."""

    count: int = 0


EDITS = Edits()
SCALARS = (bool, int, str)
"""Types of values that nothing changes in place. Specs often write one where it is already, which is no edit."""


class ElementType(Protocol):
    """What a collection needs of the domain of its elements."""

    def make(self, value: Any) -> Any: ...

    def member(self, value: Any) -> Any: ...

    def code(self, value: Any) -> int | None: ...


class ListDomain(ElementType, Protocol):
    """What an array needs of its domain."""

    @property
    def element(self) -> ElementType: ...


class SeqDomain(ListDomain, Protocol):
    """What a sequence needs of its domain."""

    capacity: int


class SetDomain(ListDomain, Protocol):
    """What a set needs of its domain."""

    capacity: int | None

    def rank(self, member: Any) -> Any: ...


class MapDomain(ListDomain, Protocol):
    """What a map needs of its domain."""

    position: dict[Any, int]


def outside(index: Any, length: int) -> OutsideError:
    """E303 for an index that is none of 0..length-1."""
    problem = f"index {index} is outside 0..{length - 1}" if length else f"there is no index {index}: it is empty"
    return OutsideError("E303", user_place(), problem=problem)


def absent(value: Any) -> CheckedError:
    """E303 for the index of something that is not there."""
    return AbsentValue("E303", user_place(), problem=f"{value!r} is not an element, so it has no index")


def called(name: str) -> Callable[[type[T]], type[T]]:
    """The name of a class in Python's own messages, which an author reads."""

    def rename(cls: type[T]) -> type[T]:
        cls.__name__ = name
        return cls

    return rename


def _index(value: list[Any], index: Any) -> int:
    at = operator.index(index)
    if not -len(value) <= at < len(value):
        raise outside(at, len(value))
    return at


class CollectionValue:
    """What can be changed in place, and has a domain."""

    __slots__ = ()


class _ListValue(CollectionValue, list[Any]):
    domain: Any
    __slots__ = ("domain",)

    def __init__(self, domain: Any, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.domain = domain

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return super().__getitem__(index)
        if type(index) is not int or not -len(self) <= index < len(self):
            index = _index(self, index)
        return list.__getitem__(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            items = list(self)
            items[index] = value
            if len(items) != len(self):
                raise ValueError("an Array keeps its length")
            EDITS.count += 1
            super().__setitem__(slice(None), [self.domain.element.make(item) for item in items])
            return
        index = _index(self, index)
        if type(value) in SCALARS and value is list.__getitem__(self, index):
            return
        EDITS.count += 1
        super().__setitem__(index, self.domain.element.make(value))

    def index(self, value: Any) -> int:  # type: ignore[override]
        """The position of the first element equal to `value`; CheckedError E303 when there is none."""
        for i, item in enumerate(self):
            if item == value:
                return i
        raise absent(value)

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} does not support this list method")

    remove = __delitem__ = _fixed
    __iadd__: Any = _fixed

    def __imul__(self, times: Any) -> Any:  # type: ignore[misc]
        self[:] = list(self) * times
        return self

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return [copy.deepcopy(item, memo) for item in self]

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort in place."""
        EDITS.count += 1
        super().sort(key=key, reverse=reverse)

    def reverse(self) -> None:
        """Reverse in place."""
        EDITS.count += 1
        super().reverse()

    def __add__(self, other: Any) -> Any:
        return list(self) + other if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return other + list(self) if isinstance(other, list) else NotImplemented


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
        index = operator.index(index)
        if not 0 <= index <= len(self):
            raise outside(index, len(self) + 1)
        EDITS.count += 1
        super().insert(index, self.domain.element.make(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Append each."""
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> SeqValue:  # type: ignore[misc]
        self.extend(values)
        return self

    def pop(self, index: Any = -1) -> Any:
        """Remove and return one element, the last by default; CheckedError E304 when empty."""
        if not self:
            raise CheckedError("E304", user_place())
        EDITS.count += 1
        return super().pop(_index(self, index))

    def clear(self) -> None:
        """Remove all elements."""
        EDITS.count += 1
        super().clear()

    def remove(self, value: Any) -> None:  # type: ignore[override]
        """Remove the first element equal to a value; CheckedError E303 when there is none."""
        self.pop(self.index(value))

    def __delitem__(self, index: Any) -> None:  # type: ignore[override]
        EDITS.count += 1
        if isinstance(index, slice):
            list.__delitem__(self, index)
        else:
            self.pop(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            super().__setitem__(index, value)
            return
        items = list(self)
        items[index] = value
        if len(items) > self.domain.capacity:
            raise CheckedError("E302", user_place(), capacity=self.domain.capacity)
        EDITS.count += 1
        list.__setitem__(self, slice(None), [self.domain.element.make(item) for item in items])

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
class SetValue(CollectionValue):
    """The value of a Set variable; iterates in the order of its domain, never in hash order.

    It has the interface of a set, but is no subclass: Python's own functions read the table of a set, whose order
    depends on the history of its members, which is no part of a state.
    """

    __slots__ = ("domain", "members")
    domain: SetDomain
    members: set[Any]
    __class__ = property(lambda self: set)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, domain: SetDomain, items: Iterable[Any]) -> None:
        self.domain, self.members = domain, set(items)
        if domain.capacity is not None and len(self.members) > domain.capacity:
            raise CheckedError("E302", user_place(), capacity=domain.capacity)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return SetValue, (self.domain, tuple(self))

    def __iter__(self) -> Iterator[Any]:
        return self._walk(len(self.members))

    def _walk(self, size: int) -> Iterator[Any]:
        """Members in order, also where some come and others go meanwhile."""
        rank, gone_by, edits = self.domain.rank, None, -1
        rest: list[Any] = []
        while True:
            if len(self.members) != size:
                raise changed_size()
            if edits != EDITS.count:
                edits = EDITS.count
                places = [(rank(member), member) for member in self.members]
                some = [pair for pair in places if gone_by is None or pair[0] > gone_by]
                rest = sorted(some, key=operator.itemgetter(0), reverse=True)
            if not rest:
                return
            gone_by, member = rest.pop()
            yield member

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self)) + "}"

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, value: Any) -> bool:
        return value in self.members

    # -- changes -------------------------------------------------------------------------------------------

    def add(self, value: Any) -> None:
        """Make `value` a member."""
        member = self.domain.element.member(value)
        if member in self.members:
            return
        if self.domain.capacity is not None and len(self.members) >= self.domain.capacity:
            raise CheckedError("E302", user_place(), capacity=self.domain.capacity)
        EDITS.count += 1
        self.members.add(member)

    def discard(self, value: Any) -> None:
        """Make `value` no member."""
        EDITS.count += 1
        self.members.discard(self.domain.element.member(value))

    def remove(self, value: Any) -> None:
        """Make a member no member; CheckedError E309 when it is none."""
        if self.domain.element.member(value) not in self:
            raise CheckedError("E309", user_place(), key=repr(value))
        EDITS.count += 1
        self.members.remove(value)

    def clear(self) -> None:
        """Make it empty."""
        EDITS.count += 1
        self.members.clear()

    def _become(self, members: SetValue) -> SetValue:
        EDITS.count += 1
        self.members = set(members.members)
        return self

    def __ior__(self, other: Any) -> SetValue:
        return self._become(SetValue(self.domain, self.members | self._made(other)))

    def __iand__(self, other: Any) -> SetValue:
        return self._become(self & other)

    def __isub__(self, other: Any) -> SetValue:
        return self._become(self - other)

    def __ixor__(self, other: Any) -> SetValue:
        return self._become(SetValue(self.domain, self.members ^ self._made(other)))

    def update(self, *others: Any) -> None:
        """Make what is in any of the others a member."""
        for other in others:
            if isinstance(other, Iterator):
                for value in other:
                    self.add(value)
            else:
                self |= other

    def intersection_update(self, *others: Any) -> None:
        """Keep what is in all of the others."""
        for other in others:
            self &= other

    def difference_update(self, *others: Any) -> None:
        """Remove what is in any of the others."""
        for other in others:
            if isinstance(other, Iterator):
                for value in other:
                    if value in self:
                        self.discard(value)
            else:
                self -= other

    def symmetric_difference_update(self, other: Any) -> None:
        """Keep what is in it or in the other one, but not in both."""
        self ^= other

    def _no_pop(self, *_: Any) -> NoReturn:
        raise AttributeError("it takes any of them: write one = choose(self.members), then remove(one)")

    pop = _no_pop

    # -- sets made of it -----------------------------------------------------------------------------------

    def _made(self, values: Iterable[Any]) -> set[Any]:
        return set(map(self.domain.element.member, values))

    def _free(self, members: set[Any]) -> SetValue:
        """A set that is not stored: it has no capacity."""
        made = SetValue(self.domain, ())
        made.members = members
        return made

    def __or__(self, other: Any) -> Any:
        other = list(other)
        return self._free(self.members | self._made(other)) if self._has_room(other) else self.members | set(other)

    def __and__(self, other: Any) -> SetValue:
        return self - (self.members - set(other))

    def __sub__(self, other: Any) -> SetValue:
        return SetValue(self.domain, self.members - set(other))

    def __xor__(self, other: Any) -> Any:
        other = list(other)
        return self._free(self.members ^ self._made(other)) if self._has_room(other) else self.members ^ set(other)

    def __rand__(self, other: Any) -> Any:
        return self & other if is_set(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self | other if self._has_room(other) else set(other) | self.members

    def __rxor__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self ^ other

    def __rsub__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self._free(self._made(other) - self.members) if self._has_room(other) else set(other) - self.members

    def _has_room(self, other: Any) -> bool:
        """Whether all members of a plain set could be members here; else the result is a plain set."""
        return all(map(self._may_hold, other))

    def _may_hold(self, value: Any) -> bool:
        try:
            self.domain.element.make(value)
        except CheckedError:
            return False
        return True

    def union(self, *others: Any) -> Any:
        """What is in it or in any of the others."""
        return functools.reduce(functools.partial(_with, operator.or_), others, self.copy())

    def intersection(self, *others: Any) -> Any:
        """What is in it and in all of the others."""
        return functools.reduce(functools.partial(_with, operator.and_), others, self.copy())

    def difference(self, *others: Any) -> Any:
        """What is in it and in none of the others."""
        return functools.reduce(functools.partial(_with, operator.sub), others, self.copy())

    def symmetric_difference(self, other: Any) -> Any:
        """What is in it or in the other one, but not in both."""
        return self ^ other

    def copy(self) -> SetValue:
        """Another set with the same members."""
        return SetValue(self.domain, self.members)

    def subsets(self) -> tuple[SetValue, ...]:
        """Every set of some of its members."""
        members = tuple(self)
        every = itertools.product((False, True), repeat=len(members))
        return tuple(SetValue(self.domain, itertools.compress(members, taken)) for taken in every)

    # -- comparisons ---------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        return self.members == table(other) if is_set(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.members <= table(other) if is_set(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self.members < table(other) if is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.members >= table(other) if is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self.members > table(other) if is_set(other) else NotImplemented

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether all of it is in another collection."""
        return self.members.issubset(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether all of another collection is in it."""
        return self.members.issuperset(other)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Whether nothing of another collection is in it."""
        return self.members.isdisjoint(other)


def _with(operate: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """An operator on a set and any iterable."""
    return operate(one, other if isinstance(one, SetValue) or is_set(other) else set(other))


RESIZED: dict[type, str] = {
    set: "Set changed size during iteration",
    dict: "dictionary changed size during iteration",
}
"""What an iterator of Python raises when a collection of this type has another size than at its beginning."""


def changed_size() -> RuntimeError:
    """The error of Python for a loop over a set that adds or removes members."""
    return RuntimeError(RESIZED[set])


def is_set(value: Any) -> bool:
    """Whether a value is a set, of Python or of a state."""
    return isinstance(value, (set, frozenset))


def table(value: Any) -> Any:
    """The set of Python that holds the members of a set."""
    return value.members if issubclass(type(value), SetValue) else value


@called("Map")
class MapValue(CollectionValue, dict[Any, Any]):
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
        EDITS.count += 1
        super().__setitem__(self._key(key), self.domain.element.make(value))

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        return {key: copy.deepcopy(value, memo) for key, value in self.items()}

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError("the keys of a Map are fixed")

    pop = popitem = clear = setdefault = __delitem__ = _fixed

    def update(self, *others: Any, **values: Any) -> None:
        """Assign several values; CheckedError E305 for a key that is none."""
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __ior__(self, other: Any) -> MapValue:  # type: ignore[misc]
        self.update(other)
        return self


class RecordValue:
    """What domains need of records: the base of Record, from which an author derives."""

    @classmethod
    def of(cls, **fields: Any) -> Any:
        """The domain of these records."""
        raise NotImplementedError
