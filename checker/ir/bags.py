"""Bags of a state: one cell for each possible element, which counts it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..errors import CheckedError, user_place
from ..language.bag import Bag, BagValue
from ..language.values import RESIZED, called
from .collection import View, Walk, blank
from .elements import Elements, SymSeq
from .expr import Expr
from .machine import SymbolicMachine
from .maps import DelayedMap
from .membership import code_of, not_in
from .places import FixedCells, IndexedElement, Place, read_all, write_all
from .sets import equal_at, itself, member_at
from .state_value import Item
from .symbols import in_message


@called("Bag")
class SymBag(View):
    """A multiset over a small universe."""

    _domain: Bag
    _plain = BagValue
    _equals = (dict, BagValue)
    _called = "a bag"
    _resized = RESIZED[dict]
    _apart = _constant = True

    @classmethod
    def _terms(cls, tracer: SymbolicMachine, domain: Bag, value: Any) -> list[Expr]:
        made = cls(tracer, domain, FixedCells(tracer, blank(tracer, domain)))
        if isinstance(value, (dict, BagValue, SymBag)):
            for element, count in value.items():
                made[element] = count
        elif isinstance(value, (list, tuple, Elements)):
            made.update(value)
        else:
            raise not_in(domain, value)
        return read_all(made._place, domain.size)

    # -- counts --------------------------------------------------------------------------------------------

    def _counts(self) -> list[Expr]:
        return read_all(self._place, self._domain.size)

    def _cell(self, position: Expr) -> Place:
        if position.op == "const":
            return self._place.sub(position.value)
        return IndexedElement(self._place, position, 1, self._domain.size)

    def _some(self, count: Expr) -> Expr:
        return self._tracer.pool.lt(self._tracer.pool.const(0), count)

    def _all(self) -> Expr:
        pool = self._tracer.pool
        return functools.reduce(lambda a, b: pool.add(a, b), self._counts(), pool.const(0))

    def _check_room(self, total: Expr) -> None:
        capacity = self._domain.capacity
        room = self._tracer.pool.le(total, self._tracer.pool.const(capacity))
        self._tracer.check(room, lambda: CheckedError("E302", user_place(), capacity=capacity))

    def _asked(self) -> tuple[Any, str]:
        return self._domain.of, f"an element of {self._domain!r}"

    def _length(self) -> Expr:
        return self._tracer.pool.count(list(map(self._some, self._counts())))

    def _truth(self) -> Expr:
        return self._tracer.pool.or_(map(self._some, self._counts()))

    def _has(self, value: Any) -> Any:
        found, position = equal_at(self._tracer, self._domain.of, self._domain.position, value)
        return self._tracer.boolean(self._tracer.pool.and_((found, self._some(self._cell(position).get(0)))))

    def __getitem__(self, value: Any) -> Any:
        pool = self._tracer.pool
        found, position = equal_at(self._tracer, self._domain.of, self._domain.position, value)
        return self._tracer.integer(pool.ite(found, self._cell(position).get(0), pool.const(0)))

    def total(self) -> Any:
        return self._tracer.integer(self._all())

    # -- changes -------------------------------------------------------------------------------------------

    def __setitem__(self, value: Any, count: Any) -> None:
        tracer, pool = self._tracer, self._tracer.pool
        tracer.stores(value)
        cell = self._cell(member_at(tracer, self._domain.of, value))
        term = code_of(tracer, self._domain.element, count)
        self._check_room(pool.add(pool.sub(self._all(), cell.get(0)), term))
        cell.set(0, term)

    def __delitem__(self, value: Any) -> None:
        raise self._unsupported("del", "write bag[x] = 0")

    def add(self, value: Any) -> None:
        tracer, pool = self._tracer, self._tracer.pool
        tracer.stores(value)
        cell = self._cell(member_at(tracer, self._domain.of, value))
        self._check_room(pool.add(self._all(), pool.const(1)))
        cell.set(0, pool.add(cell.get(0), pool.const(1)))

    def discard(self, value: Any) -> None:
        pool, cell = self._tracer.pool, self._cell(member_at(self._tracer, self._domain.of, value))
        count = cell.get(0)
        cell.set(0, pool.ite(self._some(count), pool.add(count, pool.const(-1)), count))

    def remove(self, value: Any) -> None:
        cell = self._cell(member_at(self._tracer, self._domain.of, value))
        self._tracer.check(self._some(cell.get(0)), lambda: CheckedError("E309", user_place(), key=in_message(value)))
        cell.set(0, self._tracer.pool.add(cell.get(0), self._tracer.pool.const(-1)))

    def update(self, elements: Any) -> None:
        if isinstance(elements, (dict, BagValue, SymBag)):
            for element, count in elements.items():
                self[element] = self[element] + count
        else:
            for element in list(elements):
                self.add(element)

    def clear(self) -> None:
        write_all(self._place, blank(self._tracer, self._domain))

    def copy(self) -> Any:
        return self._detached()

    # -- elements ------------------------------------------------------------------------------------------

    def _exists(self, i: int) -> Expr:
        return self._some(self._place.get(i))

    def _in_turn(self) -> Iterator[Item]:
        for i, key in enumerate(self._domain.keys):
            yield functools.partial(self._exists, i), functools.partial(itself, key)

    def _guarded(self) -> list[tuple[Expr, Any]]:
        return [(exists(), read) for exists, read in self._in_turn()]

    def _labels(self, count: int) -> Any:
        return self._domain.keys

    def __contains__(self, value: Any) -> bool:
        return bool(self._has(value))

    def __len__(self) -> int:
        return self._tracer.concretize(self._length())

    def __iter__(self) -> Iterator[Any]:
        return Walk((read() for exists, read in self._in_turn() if self._tracer.decide(exists())), self, type(iter({})))

    def items(self) -> DelayedMap:
        kept = self._detached()
        return DelayedMap(kept, lambda key: (key, kept[key]), list)

    def elements(self) -> Any:
        tracer, pool = self._tracer, self._tracer.pool
        capacity, before = self._domain.capacity, pool.const(0)
        slots = [blank(tracer, self._domain.of) for _ in range(capacity)]
        for key, count in zip(self._domain.keys, self._counts(), strict=True):
            after, cells = pool.add(before, count), tracer.encode(self._domain.of, key)
            for i in range(capacity):
                here = pool.and_((pool.le(before, pool.const(i)), pool.lt(pool.const(i), after)))
                slots[i] = [pool.ite(here, cell, other) for cell, other in zip(cells, slots[i], strict=True)]
            before = after
        terms = [before, *(cell for slot in slots for cell in slot)]
        return SymSeq(tracer, self._domain.listed, FixedCells(tracer, terms))

    def __eq__(self, other: object) -> Any:
        same, kind = super().__eq__(other), type(other)
        if same is NotImplemented or not issubclass(kind, dict) or issubclass(kind, Counter):
            return same
        tracer, pool = self._tracer, self._tracer.pool  # a dictionary that counts 0 differs, as from a Counter
        held: Any = other
        none = [tracer.equal(count, 0) for count in dict.values(held)]
        return tracer.boolean(pool.and_((tracer.truth(same), pool.not_(pool.or_(none)))))

    __hash__ = None

    def _same(self, other: Any) -> Expr:
        tracer, pool = self._tracer, self._tracer.pool
        if isinstance(other, SymBag):
            keys = dict.fromkeys((*self._domain.keys, *other._domain.keys))
            return pool.and_(tracer.equal(self[key], other[key]) for key in keys)
        keys = dict.fromkeys((*self._domain.keys, *other))
        return pool.and_(tracer.equal(self[key], other.get(key, 0)) for key in keys)
