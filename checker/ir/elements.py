"""Arrays and sequences of a state: elements at integer positions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Array, Seq
from ..language.values import ArrayValue, SeqValue, absent, called, outside
from .collection import View, Walk, blank, plain
from .expr import Expr
from .machine import SymbolicMachine
from .membership import not_in
from .places import FixedCells, IndexedElement, Place, read_all, write_all
from .state_value import Item
from .symbols import Symbol, in_message


class Elements(View):
    """What arrays and sequences share: elements at integer positions."""

    _start = 0
    _equals = list

    def _slots(self) -> int:
        """How many elements there can be."""
        raise NotImplementedError

    def _bound(self) -> Expr:
        """How many elements there are."""
        raise NotImplementedError

    def _length(self) -> Expr:
        return self._bound()

    def _in_turn(self) -> Iterator[Item]:
        for i in range(self._slots()):
            yield functools.partial(self._reaches, self._tracer.pool.const(i)), functools.partial(self.__getitem__, i)

    def _reaches(self, index: Expr) -> Expr:
        return self._tracer.pool.lt(index, self._bound())

    def _become(self, terms: list[Expr]) -> None:
        """It has other elements from now on; views of the elements keep the old ones."""
        self._tracer.references.replaced(self._place.sub(self._start), self._domain.element, self._slots())
        write_all(self._place, terms)

    def _slot(self, index: Expr) -> Place:
        """The place of the element at a valid index."""
        step = self._domain.element.size
        if index.op == "const":
            return self._place.sub(self._start + index.value * step)
        return IndexedElement(self._place.sub(self._start), index, step, self._slots())

    def _at(self, index: Any) -> Place:
        """The place at an index as an author writes it; CheckedError E303 when it does not exist."""
        tracer, pool = self._tracer, self._tracer.pool
        term, bound = tracer.number(index), self._bound()
        if term.op == "const" and 0 <= term.value < bound.lo:
            return self._slot(term)
        if tracer.facts.bounds(term)[0] < 0:
            term = pool.ite(pool.lt(term, pool.const(0)), tracer.in_a_word(pool.add(term, bound)), term)
        for inside in (pool.le(pool.const(0), term), pool.lt(term, bound)):
            tracer.check(inside, lambda: outside(index, self._slots()))
        return self._slot(term)

    def _element(self, place: Place) -> Any:
        """The value at an element's place."""
        return self._tracer.load(self._domain.element, place)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(index)
        return self._tracer.handed(self._domain.element, self._at(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise self._unsupported("assigning to a slice", "assign each element by its index, or a whole list")
        place = self._at(index)
        self._tracer.replace(place, self._domain.element, self._tracer.encode(self._domain.element, value))

    def _sliced(self, index: slice) -> list[Any]:
        """The elements in a slice; forks on the length."""
        parts = [None if v is None else int(v) for v in (index.start, index.stop, index.step)]
        positions = range(*slice(*parts).indices(len(self)))
        return [self._element(self._slot(self._tracer.pool.const(i))) for i in positions]

    def __delitem__(self, index: Any) -> None:
        raise self._unsupported("del")

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort in place; the front end does it."""

    def reverse(self) -> None:
        """Reverse in place; the front end does it."""

    def __add__(self, other: Any) -> Any:
        return list(self) + list(plain(other)) if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return list(plain(other)) + list(self) if isinstance(other, list) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return list(self) < list(plain(other)) if isinstance(other, list) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return list(self) <= list(plain(other)) if isinstance(other, list) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return list(self) > list(plain(other)) if isinstance(other, list) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return list(self) >= list(plain(other)) if isinstance(other, list) else NotImplemented

    def __iadd__(self, other: Any) -> Any:
        raise self._unsupported("+=")

    def __mul__(self, times: Any) -> Any:
        return list(self) * times

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> Any:
        raise self._unsupported("*=")

    def __reversed__(self) -> Iterator[Any]:
        return Walk((self[i] for i in reversed(range(len(self)))), self, type(reversed([])))

    def __len__(self) -> int:
        return self._tracer.concretize(self._bound())

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(), self, type(iter([])))

    def _walk(self) -> Iterator[Any]:
        pool = self._tracer.pool
        for i in range(self._slots()):
            if not self._tracer.decide(pool.lt(pool.const(i), self._bound())):
                return
            yield self[i]

    def _guarded(self) -> list[tuple[Expr, Any]]:
        pool, bound = self._tracer.pool, self._bound()
        return [
            (pool.lt(pool.const(i), bound), lambda i=i: self._element(self._slot(pool.const(i))))
            for i in range(self._slots())
        ]

    def _equal_to(self, value: Any) -> list[Expr]:
        """For each possible element, whether it exists and equals a value."""
        tracer, pool = self._tracer, self._tracer.pool
        return [pool.and_((exists, tracer.equal(read(), value))) for exists, read in self._guarded()]

    def count(self, value: Any) -> Any:
        """How many elements equal a value."""
        return self._tracer.integer(self._tracer.pool.count(self._equal_to(value)))

    def __contains__(self, value: Any) -> bool:
        return self._tracer.decide(self._tracer.pool.or_(self._equal_to(value)))

    def copy(self) -> list[Any]:
        return list(self)

    def index(self, value: Any) -> Any:
        """The position of the first element equal to `value`."""
        tracer, pool = self._tracer, self._tracer.pool
        term, found = pool.const(0), pool.false
        for i, here in reversed(list(enumerate(self._equal_to(value)))):
            term, found = pool.ite(here, pool.const(i), term), pool.or_((here, found))
        tracer.check(found, lambda: absent(in_message(value)))
        return tracer.integer(term)

    def _same(self, other: Any) -> Expr:
        tracer, pool = self._tracer, self._tracer.pool
        if isinstance(other, Elements):
            theirs, length = other._compared(), other._bound()
        else:
            theirs, length = [functools.partial(_itself, v) for v in other], pool.const(len(other))
        parts = [pool.eq(self._bound(), length)]
        for i, (mine, their) in enumerate(zip(self._compared(), theirs, strict=False)):
            exists = pool.lt(pool.const(i), self._bound())
            parts.append(pool.or_((pool.not_(exists), tracer.equal(mine(), their()))))
        return pool.and_(parts)

    def _compared(self) -> list[Callable[[], Any]]:
        """What reads each element that there can be, to compare it."""
        slots = (self._slot(self._tracer.pool.const(i)) for i in range(self._slots()))
        return [functools.partial(self._tracer.compared, self._domain.element, slot) for slot in slots]


def _itself(value: Any) -> Any:
    return value


@called("Array")
class SymArray(Elements):
    """A fixed number of elements."""

    _domain: Array
    _plain = ArrayValue

    @classmethod
    def _terms(cls, tracer: SymbolicMachine, domain: Array, value: Any) -> list[Expr]:
        if not isinstance(value, (list, tuple, Elements)) or len(value) != domain.n:
            raise not_in(domain, value)
        return [term for i in range(domain.n) for term in tracer.encode(domain.element, value[i])]

    def _slots(self) -> int:
        return self._domain.n

    def _bound(self) -> Expr:
        return self._tracer.pool.const(self._domain.n)


@called("Seq")
class SymSeq(Elements):
    """A bounded sequence: cell 0 is the length, slots past it are blank."""

    _domain: Seq
    _plain = SeqValue
    _start = 1

    @classmethod
    def _terms(cls, tracer: SymbolicMachine, domain: Seq, value: Any) -> list[Expr]:
        if not isinstance(value, (list, tuple, Elements)):
            raise not_in(domain, value)
        items = list(value)
        if len(items) > domain.capacity:
            raise CheckedError("E302", user_place(), capacity=domain.capacity)
        terms = [term for item in items for term in tracer.encode(domain.element, item)]
        rest = domain.capacity - len(items)
        return [tracer.pool.const(len(items)), *terms, *blank(tracer, domain.element) * rest]

    def _slots(self) -> int:
        return self._domain.capacity

    def _bound(self) -> Expr:
        return self._place.get(0)

    def append(self, value: Any) -> None:
        self.insert(self._tracer.integer(self._bound()), value)

    def insert(self, index: Any, value: Any) -> None:
        tracer, pool, length = self._tracer, self._tracer.pool, self._bound()
        room = pool.lt(length, pool.const(self._domain.capacity))
        tracer.check(room, lambda: CheckedError("E302", user_place(), capacity=self._domain.capacity))
        at = tracer.number(index)
        for inside in (pool.le(pool.const(0), at), pool.le(at, length)):
            tracer.check(inside, lambda: outside(index, self._slots()))
        terms = tracer.encode(self._domain.element, value)
        if at is not length:
            tracer.references.shifted(self._place.sub(1), self._domain.element, self._domain.capacity, at)
            step = self._domain.element.size
            for slot in reversed(range(1, self._domain.capacity)):
                later = pool.lt(at, pool.const(slot))
                for k in range(step):
                    here, previous = 1 + slot * step + k, 1 + (slot - 1) * step + k
                    self._place.set(here, pool.ite(later, self._place.get(previous), self._place.get(here)))
        write_all(self._slot(at), terms)
        self._place.set(0, pool.add(length, pool.const(1)))

    def extend(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> SymSeq:  # type: ignore[misc]
        self.extend(values)
        return self

    def pop(self, index: Any = -1) -> Any:
        tracer, pool, length = self._tracer, self._tracer.pool, self._bound()
        tracer.check(pool.lt(pool.const(0), length), lambda: CheckedError("E304", user_place()))
        element, count = self._domain.element, self._domain.capacity
        step, empty = element.size, blank(tracer, element)
        if not isinstance(index, Symbol) and operator.index(index) == -1:
            at = pool.add(length, pool.const(-1))
            taken = read_all(self._slot(at), step)
            tracer.references.taken(self._place.sub(1), element, count, at, taken)
            write_all(self._slot(at), empty)
        else:
            place = self._at(index)
            at = tracer.number(index)
            if tracer.facts.bounds(at)[0] < 0:
                at = pool.ite(pool.lt(at, pool.const(0)), pool.add(at, length), at)
            taken = read_all(place, step)
            tracer.references.taken(self._place.sub(1), element, count, at, taken)
            for slot in range(self._domain.capacity):
                later = pool.le(at, pool.const(slot))
                for k in range(step):
                    here = 1 + slot * step + k
                    following = self._place.get(here + step) if slot + 1 < self._domain.capacity else empty[k]
                    self._place.set(here, pool.ite(later, following, self._place.get(here)))
        self._place.set(0, pool.add(length, pool.const(-1)))
        return tracer.load(self._domain.element, FixedCells(tracer, taken))

    def popleft(self) -> Any:
        return self.pop(0)

    def remove(self, value: Any) -> None:
        """Remove the first element equal to a value; the front end does it."""

    @property
    def first(self) -> Any:
        self._nonempty()
        return self[0]

    @property
    def last(self) -> Any:
        self._nonempty()
        return self[-1]

    def _nonempty(self) -> None:
        some = self._tracer.pool.lt(self._tracer.pool.const(0), self._bound())
        self._tracer.check(some, lambda: CheckedError("E304", user_place()))

    def clear(self) -> None:
        self._become(blank(self._tracer, self._domain))


Sequence.register(Elements)
"""Makes the sequence patterns of `match` accept them."""
