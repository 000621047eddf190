"""Sets of a state: one boolean cell for each possible member."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Set
from ..language.domains import Bool, Enum, Int
from ..language.values import called, changed_size, is_set
from .collection import View, Walk, plain
from .elements import Elements
from .expr import Expr
from .membership import code_of, member_of, not_in
from .places import Direct, Indexed, Place, read_all, write_all
from .symbols import Member, Number, Symbol, equals_known, holds_symbols, in_message


@called("Set")
class SymSet(View):
    """A subset of a small universe: one boolean cell for each possible member."""

    _domain: Set
    _plain = set
    _equals = (set, frozenset)

    def _position(self, value: Any) -> Expr:
        """The position of a member of the universe; forks off an error where it may be none."""
        element, pool = self._domain.element, self._tracer.pool
        code = code_of(self._tracer, element, value)
        return pool.add(code, pool.const(-element.lo)) if isinstance(element, Int) else code

    def _equal_to(self, value: Any) -> tuple[Expr, Expr]:
        """(whether the value equals something in the universe, the position of that)."""
        tracer, pool, element = self._tracer, self._tracer.pool, self._domain.element
        if isinstance(value, Number) and isinstance(element, (Int, Bool)):
            lo = element.lo if isinstance(element, Int) else 0
            position = tracer.in_a_word(pool.add(tracer.number(value), pool.const(-lo)))
            found = pool.and_((pool.le(pool.const(0), position), pool.lt(position, pool.const(self._domain.size))))
            return found, pool.ite(found, position, pool.const(0))
        if isinstance(value, Member) and isinstance(element, Enum):
            position = value._position_in(element.members, value)
            found = pool.le(pool.const(0), position)
            return found, pool.ite(found, position, pool.const(0))
        if not isinstance(value, Symbol) and not holds_symbols(value):
            known = self._domain.position.get(value) if not isinstance(value, View) else None
            return pool.truth(known is not None), pool.const(known or 0)
        position, found = pool.const(0), pool.false
        for i, known in enumerate(self._domain.universe):
            here = equals_known(tracer, value, known)
            position, found = pool.ite(here, pool.const(i), position), pool.or_((here, found))
        return found, position

    def _bit(self, position: Expr) -> Place:
        if position.op == "const":
            return self._place.sub(position.value)
        return Indexed(self._place, position, 1, self._domain.size)

    def _has(self, value: Any) -> Any:
        found, position = self._equal_to(value)
        return self._tracer.boolean(self._tracer.pool.and_((found, self._bit(position).get(0))))

    def __contains__(self, value: Any) -> bool:
        return bool(self._has(value))

    def add(self, value: Any) -> None:
        self._bit(self._position(value)).set(0, self._tracer.pool.true)

    def discard(self, value: Any) -> None:
        self._bit(self._position(value)).set(0, self._tracer.pool.false)

    def remove(self, value: Any) -> None:
        place = self._bit(self._position(value))
        self._tracer.check(place.get(0), lambda: CheckedError("E309", user_place(), key=in_message(value)))
        place.set(0, self._tracer.pool.false)

    def clear(self) -> None:
        write_all(self._place, [self._tracer.pool.false] * self._domain.size)

    def _bits(self) -> list[Expr]:
        return read_all(self._place, self._domain.size)

    def _bits_of(self, other: Any) -> list[Expr]:
        """For each member of the universe, whether another collection has it; that is looked through once."""
        tracer = self._tracer
        if isinstance(other, SymSet):
            return [tracer.truth(other._has(member)) for member in self._domain.universe]
        if isinstance(other, Elements):
            return [tracer.pool.or_(other._equal_to(member)) for member in self._domain.universe]
        items = list(plain(other))
        return [tracer.pool.or_(equals_known(tracer, i, member) for i in items) for member in self._domain.universe]

    def _combined(self, other: Any, kind: str) -> SymSet:
        pool, other = self._tracer.pool, _read_once(other)
        if kind == "or":
            _require_within(self, other)
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        if kind == "sub":
            bits = [pool.and_((mine, pool.not_(theirs))) for mine, theirs in pairs]
        else:
            bits = [pool.or_(pair) if kind == "or" else pool.and_(pair) for pair in pairs]
        return SymSet(self._tracer, self._domain, Direct(self._tracer, bits))

    def __or__(self, other: Any) -> SymSet:
        return self._combined(other, "or")

    def __and__(self, other: Any) -> SymSet:
        return self._combined(other, "and")

    def __sub__(self, other: Any) -> SymSet:
        return self._combined(other, "sub")

    def __xor__(self, other: Any) -> SymSet:
        other = _read_once(other)
        return self._combined(other, "or")._combined(self._combined(other, "and"), "sub")

    def __rand__(self, other: Any) -> Any:
        return self & other if is_set(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self | other if self._has_room(other) else other | set(self)

    def __rxor__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self ^ other if self._has_room(other) else other ^ set(self)

    def __rsub__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        if not self._has_room(other):
            return other - set(self)
        return SymSet(self._tracer, self._domain, Direct(self._tracer, self._tracer.encode(self._domain, other))) - self

    def union(self, *others: Any) -> SymSet:
        return functools.reduce(SymSet.__or__, others, self.copy())

    def intersection(self, *others: Any) -> SymSet:
        return functools.reduce(SymSet.__and__, others, self.copy())

    def difference(self, *others: Any) -> SymSet:
        return functools.reduce(SymSet.__sub__, others, self.copy())

    def update(self, *others: Any) -> None:
        for other in others:
            self |= other

    def _has_room(self, other: Any) -> bool:
        """Whether all members of a plain set could be members here; else the result is a plain set, which forks."""
        tracer, element = self._tracer, self._domain.element
        return all(tracer.decide(tracer.pool.and_(member_of(tracer, element, member)[0])) for member in other)

    def _become(self, members: SymSet) -> SymSet:
        write_all(self._place, members._bits())
        return self

    def __ior__(self, other: Any) -> SymSet:
        return self._become(self | other)

    def __iand__(self, other: Any) -> SymSet:
        return self._become(self & other)

    def __isub__(self, other: Any) -> SymSet:
        return self._become(self - other)

    def __ixor__(self, other: Any) -> Any:
        return self._become(self ^ other)

    def __lt__(self, other: Any) -> Any:
        return self._strictly(self <= other, other) if is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._strictly(self >= other, other) if is_set(other) else NotImplemented

    def _strictly(self, weakly: Any, other: Any) -> Any:
        tracer = self._tracer
        return tracer.boolean(tracer.pool.and_((tracer.truth(weakly), tracer.truth(self != other))))

    def isdisjoint(self, other: Any) -> Any:
        return self._tracer.negated(self._tracer.boolean(self._tracer.pool.or_((self & other)._bits())))

    def copy(self) -> SymSet:
        copied: SymSet = self._detached()
        return copied

    def subsets(self) -> Subsets:
        return Subsets(self)

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if is_set(other) else NotImplemented

    def issubset(self, other: Any) -> Any:
        pool = self._tracer.pool
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        return self._tracer.boolean(pool.and_(pool.or_((pool.not_(a), b)) for a, b in pairs))

    def issuperset(self, other: Any) -> Any:
        pool, tracer, other = self._tracer.pool, self._tracer, _read_once(other)
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        covered = pool.and_(pool.or_((a, pool.not_(b))) for a, b in pairs)
        return tracer.boolean(pool.and_((covered, _within(self, other))))

    def _same(self, other: Any) -> Expr:
        pool = self._tracer.pool
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        return pool.and_([*(pool.eq(a, b) for a, b in pairs), _within(self, other)])

    def __len__(self) -> int:
        return self._tracer.concretize(self._tracer.pool.count(self._bits()))

    def __bool__(self) -> bool:
        return self._tracer.decide(self._tracer.pool.or_(self._bits()))

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(self._bits()), self, type(iter(set())))

    def _walk(self, bits: list[Expr]) -> Iterator[Any]:
        pool = self._tracer.pool
        for i, member in enumerate(self._domain.universe):
            if self._tracer.decide(self._place.get(i)):
                yield member
                now = self._bits()
                same = all(map(operator.is_, now, bits)) or self._tracer.decide(
                    pool.eq(pool.count(now), pool.count(bits))
                )
                if not same:
                    raise changed_size()

    def _guarded(self) -> list[tuple[Expr, Any]]:
        return [(bit, lambda m=m: m) for bit, m in zip(self._bits(), self._domain.universe, strict=True)]


class Subsets:
    """Every set of some members of a set of the state."""

    __class__ = property(lambda self: tuple)

    def __init__(self, of: SymSet) -> None:
        self._of = of

    def _guarded(self) -> list[tuple[Expr, Any]]:
        pool, domain, found = self._of._tracer.pool, self._of._domain, list[tuple[Expr, Any]]()
        bits = dict(zip(domain.universe, self._of._bits(), strict=True))
        for some in domain.values():
            found.append((pool.and_(bits[member] for member in some), lambda some=some: domain.make(set(some))))
        return found

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(), self, type(iter(())))

    def _walk(self) -> Iterator[Any]:
        for exists, read in self._guarded():
            if self._of._tracer.decide(exists):
                yield read()

    def __len__(self) -> int:
        return int(2 ** len(self._of))


def _read_once(other: Any) -> Any:
    """A collection that can be looked through twice."""
    return other if isinstance(other, View) else list(plain(other))


def _within(mine: SymSet, other: Any) -> Expr:
    """Whether everything in another set equals something in my universe."""
    pool = mine._tracer.pool
    if isinstance(other, SymSet):
        return _without(other, [m for m in other._domain.universe if m not in mine._domain.position])
    return pool.truth(all(m in mine._domain.position for m in other))


def _require_within(mine: SymSet, other: Any) -> None:
    """Fork off an error where another set may have what is no member of my universe."""
    tracer, element = mine._tracer, mine._domain.element
    if isinstance(other, SymSet):
        strangers = [m for m in other._domain.universe if element.code(m) is None]
        tracer.check(_without(other, strangers), lambda: not_in(element, other))
        return
    for member in other:
        code_of(tracer, element, member)


def _without(members: SymSet, some: list[Any]) -> Expr:
    """Whether a set has none of some members."""
    pool, position = members._tracer.pool, members._domain.position
    return pool.not_(pool.or_(members._place.get(position[m]) for m in some))
