"""Domains and values of the third judge: lists, sets, dicts and records that refuse what their domain does not hold."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum as EnumClass
from typing import Any, cast


class Outside(Exception):
    """A value outside its domain was stored."""


def domain(given: Any) -> Any:
    if isinstance(given, range):
        return Int(given[0], given[-1])
    if isinstance(given, type) and issubclass(given, EnumClass):
        return Enum(given)
    return Records(given) if isinstance(given, type) and issubclass(given, Record) else given


class Domain:
    """A set of values; `load` makes a value from plain data, `dump` plain data from a value."""

    def load(self, data: Any) -> Any:
        return data

    def dump(self, value: Any) -> Any:
        return value

    def make(self, value: Any) -> Any:
        """The value as it is stored; Outside where it does not belong."""
        return self.check(self.holds(value), value)

    def holds(self, value: Any) -> bool:
        raise NotImplementedError

    def rank(self, value: Any) -> Any:
        """Where a value stands in the order of the domain."""
        return value

    def check(self, held: bool, value: Any) -> Any:
        if not held:
            raise Outside(value)
        return value


class Int(Domain):
    def __init__(self, lo: int, hi: int) -> None:
        self.lo, self.hi = lo, hi

    def holds(self, value: Any) -> bool:
        return isinstance(value, int) and self.lo <= value <= self.hi


class Bool(Domain):
    def holds(self, value: Any) -> bool:
        return isinstance(value, bool)


class Enum(Domain):
    def __init__(self, *members: Any) -> None:
        self.cls = cast(Any, members[0]) if isinstance(members[0], type) else None
        self.members = list(self.cls or members)

    def load(self, data: Any) -> Any:
        return self.cls[data] if self.cls else data

    def dump(self, value: Any) -> Any:
        return value.name if self.cls else value

    def holds(self, value: Any) -> bool:
        return any(type(value) is type(member) and value == member for member in self.members)

    def rank(self, value: Any) -> Any:
        return self.members.index(value)


class Option(Domain):
    def __init__(self, element: Any) -> None:
        self.element = domain(element)

    def load(self, data: Any) -> Any:
        return None if data is None else self.element.load(data)

    def dump(self, value: Any) -> Any:
        return None if value is None else self.element.dump(value)

    def make(self, value: Any) -> Any:
        return None if value is None else self.element.make(value)


class Product(Domain):
    def __init__(self, *parts: Any, **named: Any) -> None:
        self.cls = parts[0] if named else None
        self.parts = [domain(part) for part in (named.values() if named else parts)]

    def load(self, data: Any) -> Any:
        made = [part.load(item) for part, item in zip(self.parts, data, strict=True)]
        return self.cls(*made) if self.cls else tuple(made)

    def dump(self, value: Any) -> Any:
        return tuple(part.dump(item) for part, item in zip(self.parts, value, strict=True))

    def make(self, value: Any) -> Any:
        self.check(type(value) is (self.cls or tuple) and len(value) == len(self.parts), value)
        made = [part.make(item) for part, item in zip(self.parts, value, strict=True)]
        return self.cls(*made) if self.cls else tuple(made)

    def rank(self, value: Any) -> Any:
        return tuple(part.rank(item) for part, item in zip(self.parts, value, strict=True))


class Array(Domain):
    def __init__(self, n: int, element: Any) -> None:
        self.least = self.most = n
        self.element = domain(element)

    def load(self, data: Any) -> Any:
        return Items(self, map(self.element.load, data))

    def dump(self, value: Any) -> Any:
        return tuple(map(self.element.dump, value))

    def make(self, value: Any) -> Any:
        self.check(isinstance(value, (list, tuple)) and self.least <= len(value) <= self.most, value)
        return Items(self, map(self.element.make, value))


class Seq(Array):
    def __init__(self, element: Any, capacity: int) -> None:
        super().__init__(capacity, element)
        self.least = 0


class Set(Domain):
    def __init__(self, element: Any, capacity: int | None = None) -> None:
        self.element, self.capacity = domain(element), capacity

    def load(self, data: Any) -> Any:
        return Members(self, map(self.element.load, data))

    def dump(self, value: Any) -> Any:
        return frozenset(map(self.element.dump, value))

    def make(self, value: Any) -> Any:
        self.check(isinstance(value, (set, frozenset, list, tuple)), value)
        made = {self.element.make(item) for item in value}
        self.check(self.capacity is None or len(made) <= self.capacity, value)
        return Members(self, made)


class Map(Domain):
    def __init__(self, keys: Any, element: Any) -> None:
        self.keys, self.element = list(keys), domain(element)

    def load(self, data: Any) -> Any:
        return Entries(self, zip(self.keys, map(self.element.load, data), strict=True))

    def dump(self, value: Any) -> Any:
        return tuple(self.element.dump(value[key]) for key in self.keys)

    def make(self, value: Any) -> Any:
        self.check(isinstance(value, dict) and set(value) == set(self.keys), value)
        return Entries(self, [(key, self.element.make(value[key])) for key in self.keys])


class Bag(Domain):
    def __init__(self, element: Any, capacity: int) -> None:
        self.element, self.capacity = domain(element), capacity

    def load(self, data: Any) -> Any:
        return Counts(self, dict(data))

    def dump(self, value: Any) -> Any:
        return frozenset(dict.items(value))

    def make(self, value: Any) -> Any:
        self.check(isinstance(value, (dict, list, tuple)), value)
        made = Counts(self, {})
        for item, count in value.items() if isinstance(value, dict) else [(item, 1) for item in value]:
            made[item] += count
        return made


class Items(list[Any]):
    """A list of the state."""

    def __init__(self, domain: Array, items: Any) -> None:
        super().__init__(items)
        self.domain = domain

    def _changed(self, change: Callable[[list[Any]], Any], *stored: Any) -> Any:
        trial = list(self)
        made = change(trial)
        self.domain.check(self.domain.least <= len(trial) <= self.domain.most, trial)
        known = {id(item) for item in self}
        new = [
            item if id(item) in known and not isinstance(item, int) else self.domain.element.make(item)
            for item in trial
        ]
        super().__setitem__(slice(None), new)
        return made

    def append(self, item: Any) -> None:
        self._changed(lambda items: items.append(copy.deepcopy(item)))

    def insert(self, at: Any, item: Any) -> None:
        self._changed(lambda items: items.insert(at, copy.deepcopy(item)))

    def extend(self, more: Any) -> None:
        for item in list(more):
            self.append(item)

    def __iadd__(self, more: Any) -> Any:  # type: ignore[misc]  # as list of typeshed
        self.extend(more)
        return self

    def __setitem__(self, at: Any, item: Any) -> None:
        self._changed(lambda items: items.__setitem__(at, copy.deepcopy(item)))

    def __delitem__(self, at: Any) -> None:
        self._changed(lambda items: items.__delitem__(at))

    def popleft(self) -> Any:
        return self.pop(0)

    def __deepcopy__(self, memo: Any) -> Any:
        return [copy.deepcopy(item, memo) for item in self]

    def __copy__(self) -> Any:
        return list(self)

    def __reduce__(self) -> Any:
        return list, (list(self),)


class Members(set[Any]):
    """A set of the state, in the order of its domain."""

    def __init__(self, domain: Set, items: Any) -> None:
        super().__init__(items)
        self.domain = domain

    def __iter__(self) -> Iterator[Any]:
        return self._in_order(len(self))

    def _in_order(self, size: int) -> Iterator[Any]:
        items = iter(sorted(set.__iter__(self), key=self.domain.element.rank)) if len(self) == size else None
        while True:
            if len(self) != size:
                raise RuntimeError("Set changed size during iteration")
            assert items is not None
            try:
                yield next(items)
            except StopIteration:
                return

    def copy(self) -> Any:
        return {*set.__iter__(self)}

    def __reduce__(self) -> Any:
        return set, (list(self),)

    def add(self, item: Any) -> None:
        self.update([item])

    def update(self, *more: Any) -> None:
        for items in more:
            for item in list(items) if items is self else items:
                made = self.domain.element.make(item)
                room = self.domain.capacity is None or item in self or len(self) < self.domain.capacity
                self.domain.check(room, item)
                super().add(made)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]  # as set of typeshed
        made = self.domain.make({*self, *other})
        set.clear(self)
        set.update(self, set.__iter__(made))
        return self

    def __ixor__(self, other: Any) -> Any:  # type: ignore[misc]  # as set of typeshed
        made = self.domain.make({*self} ^ {*other})
        set.clear(self)
        set.update(self, set.__iter__(made))
        return self


class Entries(dict[Any, Any]):
    """A map of the state."""

    def __init__(self, domain: Map, items: Any) -> None:
        super().__init__(items)
        self.domain = domain

    def __setitem__(self, key: Any, value: Any) -> None:
        if key not in self:
            raise KeyError(key)
        super().__setitem__(key, self.domain.element.make(value))

    def update(self, *others: Any, **named: Any) -> None:
        for key, value in dict(*others, **named).items():
            self[key] = value

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class Counts(Counter[Any]):
    """A bag of the state, in the order of its domain."""

    def __init__(self, domain: Bag, counts: dict[Any, int]) -> None:
        dict.update(self, counts)
        self.domain = domain

    def __setitem__(self, item: Any, count: int) -> None:
        made, domain = self.domain.element.make(item), self.domain
        rest = sum(dict.values(self)) - dict.get(self, made, 0)
        domain.check(isinstance(count, int) and count >= 0 and rest + count <= domain.capacity, count)
        dict.__setitem__(self, made, count)
        if not count:
            dict.__delitem__(self, made)

    def __iter__(self) -> Iterator[Any]:
        size = len(self)
        for item in range(10):
            if dict.__contains__(self, item):
                yield item
                if len(self) != size:
                    raise RuntimeError("dictionary changed size during iteration")

    def items(self) -> Any:
        return [(item, self[item]) for item in self]

    def elements(self) -> Any:
        return [item for item, count in self.items() for _ in range(count)]

    def add(self, item: Any) -> None:
        self[item] += 1

    def discard(self, item: Any) -> None:
        self[item] = max(0, self[self.domain.element.make(item)] - 1)

    def remove(self, item: Any) -> None:
        if self[self.domain.element.make(item)] == 0:
            raise KeyError(item)
        self[item] -= 1

    def update(self, items: Any) -> None:  # type: ignore[override]
        for item in items:
            self.add(item)

    def copy(self) -> Any:
        return Counts(self.domain, dict(self.items()))

    def __reduce__(self) -> Any:
        return Counts, (self.domain, dict(self.items()))


class Record:
    """A record; one that the state holds refuses values outside the domains of its fields."""

    fields: dict[str, Domain]

    def __init_subclass__(cls) -> None:
        cls.fields = {n: domain(v) for n, v in vars(cls).items() if isinstance(v, Domain)}
        for name in cls.fields:
            delattr(cls, name)
        cls.__match_args__ = tuple(cls.fields)  # type: ignore[attr-defined, misc]  # mypy knows none that is computed

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(dict(zip(self.fields, values, strict=False)), **named)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = self.fields[name].make(value) if "_held" in self.__dict__ else value

    def _key(self) -> Any:
        return tuple(self.__dict__[name] for name in self.fields)

    def __copy__(self) -> Any:
        return type(self)(*self._key())

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)(*copy.deepcopy(self._key(), memo))

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Records(Domain):
    def __init__(self, cls: type[Record]) -> None:
        self.cls = cls

    def load(self, data: Any) -> Any:
        made = self.cls(*(f.load(part) for f, part in zip(self.cls.fields.values(), data, strict=True)))
        made.__dict__["_held"] = True
        return made

    def dump(self, value: Any) -> Any:
        return tuple(f.dump(value.__dict__[n]) for n, f in self.cls.fields.items())

    def make(self, value: Any) -> Any:
        self.check(type(value) is self.cls, value)
        made = self.cls(*(f.make(value.__dict__[n]) for n, f in self.cls.fields.items()))
        made.__dict__["_held"] = True
        return made

    def rank(self, value: Any) -> Any:
        return tuple(f.rank(value.__dict__[n]) for n, f in self.cls.fields.items())
