"""Sets of a state with a capacity: their members one after the other, in the order of their cells.

So equal sets have equal cells. A member that is read is a copy: it does not change with the set.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Set
from ..language.values import called
from .collection import blank, identity
from .elements import Elements
from .expr import Expr
from .machine import SymbolicMachine
from .membership import not_in
from .places import FixedCells, Place, read_all
from .positions import equal_cells, member_cells
from .records import fixed
from .sets import SetView, SymSet, members_of
from .state_value import Item
from .symbols import in_message


def set_at(tracer: SymbolicMachine, domain: Set, place: Place) -> SetView:
    """The set that lives at a place."""
    return (SymSet if domain.capacity is None else SymSortedSet)(tracer, domain, place)


def set_terms(tracer: SymbolicMachine, domain: Set, value: Any) -> list[Expr]:
    """The terms of a set."""
    if not isinstance(value, (set, frozenset, list, tuple, SetView, Elements)):
        raise not_in(domain, value)
    made = set_at(tracer, domain, FixedCells(tracer, blank(tracer, domain)))
    for item in value:
        made.add(item)
    return read_all(made._place, domain.size)


@called("Set")
class SymSortedSet(SetView):
    """At most `capacity` members: cell 0 is their number, the slots past it are blank."""

    @property
    def _capacity(self) -> int:
        return self._domain.capacity or 0

    def _slot(self, i: int) -> list[Expr]:
        size = self._domain.element.size
        return read_all(self._place.sub(1 + i * size), size)

    def _write(self, i: int, cells: Sequence[Expr]) -> None:
        size = self._domain.element.size
        for k, cell in enumerate(cells):
            self._place.set(1 + i * size + k, cell)

    def _taken(self, i: int) -> Expr:
        """Whether a slot has a member."""
        return self._tracer.pool.lt(self._tracer.pool.const(i), self._size())

    def _size(self) -> Expr:
        return self._place.get(0)

    def _truth(self) -> Expr:
        return self._taken(0)

    def _here(self, cells: Sequence[Expr]) -> list[Expr]:
        """For each slot, whether it has the member with these cells."""
        pool = self._tracer.pool
        slots = (pool.and_(map(pool.eq, self._slot(i), cells)) for i in range(self._capacity))
        return [pool.and_((self._taken(i), same)) for i, same in enumerate(slots)]

    def _has(self, value: Any) -> Any:
        found, cells = equal_cells(self._tracer, self._domain.element, value)
        pool = self._tracer.pool
        return self._tracer.boolean(pool.and_((found, pool.or_(self._here(cells)))))

    def _member(self, value: Any) -> list[Expr]:
        """The cells of a value; forks off an error where it cannot be a member."""
        inside, cells = member_cells(self._tracer, self._domain.element, value)
        self._tracer.check(inside, lambda: not_in(self._domain.element, value))
        return cells

    def add(self, value: Any) -> None:
        self._tracer.stores(value)
        self._put(self._member(value), self._tracer.pool.true)

    def _put(self, cells: Sequence[Expr], when: Expr) -> None:
        """Add the value with these cells where a condition holds."""
        tracer, pool = self._tracer, self._tracer.pool
        new = pool.and_((when, pool.not_(pool.or_(self._here(cells)))))
        room = pool.lt(self._size(), pool.const(self._capacity))
        full = pool.and_((new, pool.not_(room)))
        tracer.check(pool.not_(full), lambda: CheckedError("E302", user_place(), capacity=self._capacity))
        slots = [self._slot(i) for i in range(self._capacity)]
        less = [pool.and_((self._taken(i), self._less(slot, cells))) for i, slot in enumerate(slots)]
        for i, slot in enumerate(slots):
            before = [pool.ite(less[i - 1], a, b) for a, b in zip(cells, slots[i - 1], strict=True)] if i else cells
            stays = pool.or_((pool.not_(new), less[i]))
            self._write(i, [pool.ite(stays, old, other) for old, other in zip(slot, before, strict=True)])
        self._resize(new, 1)

    def _less(self, a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
        pool, less = self._tracer.pool, self._tracer.pool.false
        for x, y in reversed(list(zip(a, b, strict=True))):
            less = pool.or_((pool.lt(pool.number(x), pool.number(y)), pool.and_((pool.eq(x, y), less))))
        return less

    def discard(self, value: Any) -> None:
        self._drop(self._member(value))

    def remove(self, value: Any) -> None:
        cells = self._member(value)
        some = self._tracer.pool.or_(self._here(cells))
        self._tracer.check(some, lambda: CheckedError("E309", user_place(), key=in_message(value)))
        self._drop(cells)

    def _drop(self, cells: Sequence[Expr]) -> None:
        pool, here = self._tracer.pool, self._here(cells)
        slots = [*(self._slot(i) for i in range(self._capacity)), blank(self._tracer, self._domain.element)]
        for i in range(self._capacity):
            gone = pool.or_(here[: i + 1])
            self._write(i, [pool.ite(gone, after, old) for old, after in zip(slots[i], slots[i + 1], strict=True)])
        self._resize(pool.or_(here), -1)

    def _resize(self, when: Expr, by: int) -> None:
        """There is one member more, or one less, where a condition holds."""
        pool, size, most = self._tracer.pool, self._size(), self._capacity
        sizes = [pool.const(min(max(n + by, 0), most)) for n in range(most + 1)]  # which stay in the domain for sure
        self._place.set(0, pool.ite(when, pool.select(size, sizes), size))

    def _empty(self) -> SymSortedSet:
        return SymSortedSet(self._tracer, self._domain, FixedCells(self._tracer, blank(self._tracer, self._domain)))

    def _widened(self, other: Any) -> SymSortedSet:
        domain, more = copy.copy(self._domain), len(members_of(self._tracer, other))
        domain.capacity = self._capacity + more
        domain.size += more * domain.element.size
        cells = [*read_all(self._place, self._domain.size), *blank(self._tracer, domain.element) * more]
        return SymSortedSet(self._tracer, domain, FixedCells(self._tracer, cells))

    def _combined(self, other: Any, kind: str) -> SymSortedSet:
        tracer, pool, element = self._tracer, self._tracer.pool, self._domain.element
        if kind == "or":
            self._strangers(other)
            both: SymSortedSet = self._detached()
            for exists, value in members_of(tracer, other):
                inside, cells = member_cells(tracer, element, value)
                both._put(cells, pool.and_((exists, inside)))
            return both
        left = self._empty()
        for i, (exists, value) in enumerate(members_of(tracer, self)):
            has = self._in(other, value)
            left._append(self._slot(i), pool.and_((exists, has if kind == "and" else pool.not_(has))))
        return left

    def _append(self, cells: Sequence[Expr], when: Expr) -> None:
        """Put a member behind all others where a condition holds."""
        pool, size = self._tracer.pool, self._size()
        for i in range(self._capacity):
            here = pool.and_((when, pool.eq(size, pool.const(i))))
            self._write(i, [pool.ite(here, new, old) for new, old in zip(cells, self._slot(i), strict=True)])
        self._resize(when, 1)

    def _in(self, other: Any, value: Any) -> Expr:
        """Whether a collection has a value."""
        tracer, pool = self._tracer, self._tracer.pool
        if isinstance(other, SetView):
            return tracer.truth(other._has(value))
        return pool.or_(pool.and_((exists, tracer.equal(value, v))) for exists, v in members_of(tracer, other))

    def _within(self, other: Any) -> Expr:
        pool = self._tracer.pool
        kept = members_of(self._tracer, self)
        return pool.and_(pool.or_((pool.not_(exists), self._in(other, value))) for exists, value in kept)

    def _same(self, other: Any) -> Expr:
        if isinstance(other, SymSortedSet) and identity(other._domain) == identity(self._domain):
            size, pool = self._domain.size, self._tracer.pool
            return pool.and_(map(pool.eq, read_all(self._place, size), read_all(other._place, size)))
        return super()._same(other)

    def _in_turn(self) -> Iterator[Item]:
        for exists, read in self._guarded():
            yield lambda exists=exists: exists, read  # type: ignore[misc]

    def _guarded(self) -> list[tuple[Expr, Any]]:
        def read(cells: list[Expr]) -> Any:
            return fixed(self._tracer.handed(self._domain.element, FixedCells(self._tracer, cells)))

        slots = [self._slot(i) for i in range(self._capacity)]
        return [(self._taken(i), lambda cells=cells: read(cells)) for i, cells in enumerate(slots)]
