"""Sets of a state: one boolean cell for each possible member (`SymSet`); see also `sorted_sets`."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Set
from ..language.domains import Bool, Domain, Enum, Int
from ..language.record import Record
from ..language.values import RESIZED, called, changed_size, is_set
from .collection import View, Walk, identity, plain
from .elements import Elements
from .expr import Expr
from .machine import SymbolicMachine
from .membership import code_of, not_in
from .places import FixedCells, IndexedElement, Place, read_all, write_all
from .positions import equal_position, member_position
from .state_value import Item, StateValue
from .symbols import Symbol, holds_symbols, in_message

Kept = tuple[Expr, Any]
"""The condition under which a member is one, and the member."""


@dataclass
class DetachedSet:
    """The members of a set that is no part of the state, of which some may not exist."""

    __class__ = property(lambda self: set)

    members: Sequence[Kept]


def members_of(tracer: Any, other: Any) -> list[Kept]:
    """The members of anything, each with the condition under which it is one."""
    if type(other) is DetachedSet:
        return list(other.members)
    if isinstance(other, (SetView, Elements)):
        return [(exists, read()) for exists, read in other._guarded()]
    return [(tracer.pool.true, value) for value in plain(other)]


class SetView(View):
    """What both kinds of sets of a state share."""

    _domain: Set
    _plain = set
    _equals = (set, frozenset)
    _called = "a set"
    _resized = RESIZED[set]
    _apart = True

    # -- what the two kinds of sets define -----------------------------------------------------------------

    def _size(self) -> Expr:
        """How many members there are."""
        raise NotImplementedError

    def _length(self) -> Expr:
        return self._size()

    def _has(self, value: Any) -> Any:
        """Whether a value equals a member."""
        raise NotImplementedError

    def add(self, value: Any) -> None:
        raise NotImplementedError

    def discard(self, value: Any) -> None:
        raise NotImplementedError

    def remove(self, value: Any) -> None:
        raise NotImplementedError

    def _combined(self, other: Any, kind: str) -> SetView:
        """The union ("or"), intersection ("and") or difference ("sub") with a collection that can be iterated twice."""
        raise NotImplementedError

    def _within(self, other: Any) -> Expr:
        """Whether every member is in another collection."""
        raise NotImplementedError

    def _covers(self, other: Any) -> Expr:
        """Whether everything in another collection is a member."""
        tracer = self._tracer
        kept = members_of(tracer, other)
        return tracer.pool.and_(tracer.pool.or_((tracer.pool.not_(e), tracer.truth(self._has(v)))) for e, v in kept)

    def _strangers(self, other: Any, exists: Expr | None = None) -> None:
        """Split off an error where another collection may have a value that cannot be a member."""
        tracer, pool, element = self._tracer, self._tracer.pool, self._domain.element
        if isinstance(other, SetView) and identity(other._domain.element) == identity(element):
            return
        for exists, value in members_of(tracer, other):
            tracer.stores(value)
            inside = pool.or_((pool.not_(exists), member_position(tracer, element, value)[0]))
            tracer.check(inside, lambda value=value: not_in(element, value))  # type: ignore[misc]

    def _of(self, other: Any) -> SetView:
        """A set of this domain with the members of another collection."""
        return self._empty()._combined(other, "or")

    def _empty(self) -> SetView:
        raise NotImplementedError

    # -- changes -------------------------------------------------------------------------------------------

    def clear(self) -> None:
        self._become(self._empty())

    def update(self, *others: Any) -> None:
        for other in others:
            self |= other

    def intersection_update(self, *others: Any) -> None:
        for other in others:
            self &= other

    def difference_update(self, *others: Any) -> None:
        for other in others:
            self -= other

    def symmetric_difference_update(self, other: Any) -> None:
        self ^= other

    def _become(self, members: SetView) -> SetView:
        write_all(self._place, read_all(members._place, self._domain.size))
        return self

    def __ior__(self, other: Any) -> SetView:
        return self._become(self._combined(_read_once(other), "or"))

    def __iand__(self, other: Any) -> SetView:
        return self._become(self & other)

    def __isub__(self, other: Any) -> SetView:
        return self._become(self - other)

    def __ixor__(self, other: Any) -> Any:
        other = _read_once(other)
        return self._become(self._of(self._widened(other)._different(other)))

    # -- sets made of it -----------------------------------------------------------------------------------

    def __or__(self, other: Any) -> Any:
        other = _read_once(other)
        if not self._has_room(other):
            return set(self) | set(plain(other))
        return self._widened(other)._combined(other, "or")

    def __and__(self, other: Any) -> SetView:
        return self._combined(_read_once(other), "and")

    def __sub__(self, other: Any) -> SetView:
        return self._combined(_read_once(other), "sub")

    def __xor__(self, other: Any) -> Any:
        other = _read_once(other)
        if not self._has_room(other):
            return set(self) ^ set(plain(other))
        return self._widened(other)._different(other)

    def _different(self, other: Any) -> SetView:
        """What is in it or in another collection, but not in both."""
        theirs = self._of(other)
        return self._combined(theirs, "sub")._combined(theirs._combined(self, "sub"), "or")

    def __rand__(self, other: Any) -> Any:
        return self & other if is_set(other) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self | other if self._has_room(other) else set(plain(other)) | set(self)

    def __rxor__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self ^ other

    def __rsub__(self, other: Any) -> Any:
        if not is_set(other):
            return NotImplemented
        return self._widened(other)._of(other) - self if self._has_room(other) else set(plain(other)) - set(self)

    def union(self, *others: Any) -> Any:
        return functools.reduce(functools.partial(_with, "or_"), others, self.copy())

    def intersection(self, *others: Any) -> Any:
        return functools.reduce(functools.partial(_with, "and_"), others, self.copy())

    def difference(self, *others: Any) -> Any:
        return functools.reduce(functools.partial(_with, "sub"), others, self.copy())

    def symmetric_difference(self, other: Any) -> Any:
        return self ^ other

    def _room(self, other: Any) -> Expr:
        """Whether all members of another set could be members here; else the result is a plain set."""
        tracer, pool, element = self._tracer, self._tracer.pool, self._domain.element
        if isinstance(other, SetView) and identity(other._domain.element) == identity(element):
            return pool.true
        return pool.and_(
            [
                pool.or_((pool.not_(exists), member_position(tracer, element, member)[0]))
                for exists, member in members_of(tracer, other)
            ]
        )

    def _has_room(self, other: Any) -> bool:
        return self._tracer.decide(self._room(other))

    def _widened(self, other: Any) -> SetView:
        """The same set with room for the members of another one: what is not stored has no capacity."""
        return self

    def _labels(self, count: int) -> Sequence[Any]:
        """The names of so many members in a choice."""
        return range(count)

    def copy(self) -> SetView:
        copied: SetView = self._detached()
        return copied

    def subsets(self) -> Subsets:
        return Subsets(self)

    # -- comparisons ---------------------------------------------------------------------------------------

    def __contains__(self, value: Any) -> bool:
        return bool(self._has(value))

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if is_set(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self._strictly(self <= other, other) if is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._strictly(self >= other, other) if is_set(other) else NotImplemented

    def _strictly(self, weakly: Any, other: Any) -> Any:
        tracer = self._tracer
        return tracer.boolean(tracer.pool.and_((tracer.truth(weakly), tracer.truth(self != other))))

    def issubset(self, other: Any) -> Any:
        return self._tracer.boolean(self._within(_read_once(other)))

    def issuperset(self, other: Any) -> Any:
        return self._tracer.boolean(self._covers(_read_once(other)))

    def isdisjoint(self, other: Any) -> Any:
        return self._tracer.negated(self._tracer.boolean((self & other)._truth()))

    def _same(self, other: Any) -> Expr:
        return self._tracer.pool.and_((self._within(other), self._covers(other)))

    # -- members -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._tracer.concretize(self._size())

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(self._size()), self, type(iter(set())))

    def _walk(self, size: Expr) -> Iterator[Any]:
        for exists, read in self._in_turn():
            if self._tracer.decide(exists()):
                yield read()
                now = self._size()
                if now is not size and not self._tracer.decide(self._tracer.pool.eq(now, size)):
                    raise changed_size()


def member_at(tracer: SymbolicMachine, domain: Domain, value: Any) -> Expr:
    """The position of a value among all of a domain; splits off an error where it may be none."""
    if isinstance(domain, (Int, Bool, Enum)):
        code = code_of(tracer, domain, value)
        return tracer.pool.add(code, tracer.pool.const(-domain.lo)) if isinstance(domain, Int) else code
    inside, position = member_position(tracer, domain, value)
    tracer.check(inside, lambda: not_in(domain, value))
    return position


def equal_at(tracer: SymbolicMachine, domain: Domain, positions: Mapping[Any, int], value: Any) -> tuple[Expr, Expr]:
    """Whether a value equals one of a domain, given the position of each, and the position of that."""
    if _is_known(value):
        known = positions.get(value)
        return tracer.pool.truth(known is not None), tracer.pool.const(known or 0)
    return equal_position(tracer, domain, value)


@called("Set")
class SymSet(SetView):
    """A subset of a small universe: one boolean cell for each possible member."""

    _constant = True

    def _position(self, value: Any) -> Expr:
        return member_at(self._tracer, self._domain.element, value)

    def _equal_to(self, value: Any) -> tuple[Expr, Expr]:
        return equal_at(self._tracer, self._domain.element, self._domain.position, value)

    def _bit(self, position: Expr) -> Place:
        if position.op == "const":
            return self._place.sub(position.value)
        return IndexedElement(self._place, position, 1, self._domain.size)

    def _has(self, value: Any) -> Any:
        found, position = self._equal_to(value)
        if found is self._tracer.pool.false:
            return False
        return self._tracer.boolean(self._tracer.pool.and_((found, self._bit(position).get(0))))

    def add(self, value: Any) -> None:
        self._tracer.stores(value)
        self._bit(self._position(value)).set(0, self._tracer.pool.true)

    def discard(self, value: Any) -> None:
        self._bit(self._position(value)).set(0, self._tracer.pool.false)

    def remove(self, value: Any) -> None:
        place = self._bit(self._position(value))
        self._tracer.check(place.get(0), lambda: CheckedError("E309", user_place(), key=in_message(value)))
        place.set(0, self._tracer.pool.false)

    def _bits(self) -> list[Expr]:
        return read_all(self._place, self._domain.size)

    def _bits_of(self, other: Any) -> list[Expr]:
        """For each member of the universe, whether another collection has it; that is looked through once."""
        pool, facts = self._tracer.pool, self._tracer.facts
        if isinstance(other, SymSet) and identity(other._domain) == identity(self._domain):
            return other._bits()
        bits = [pool.false] * self._domain.size
        for exists, value in members_of(self._tracer, other):
            found, position = self._equal_to(value)
            here = pool.and_((exists, found))
            lo, hi = facts.bounds(position)
            for i in range(max(lo, 0), min(hi, len(bits) - 1) + 1) if here is not pool.false else ():
                bits[i] = pool.or_((bits[i], pool.and_((here, pool.eq(position, pool.const(i))))))
        return bits

    def _combined(self, other: Any, kind: str) -> SymSet:
        pool = self._tracer.pool
        if kind == "or":
            self._strangers(other)
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        if kind == "sub":
            bits = [pool.and_((mine, pool.not_(theirs))) for mine, theirs in pairs]
        else:
            bits = [pool.or_(pair) if kind == "or" else pool.and_(pair) for pair in pairs]
        return self._made(bits)

    def _made(self, bits: list[Expr]) -> SymSet:
        return SymSet(self._tracer, self._domain, FixedCells(self._tracer, bits))

    def _empty(self) -> SymSet:
        return self._made([self._tracer.pool.false] * self._domain.size)

    def _within(self, other: Any) -> Expr:
        pool = self._tracer.pool
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        return pool.and_(pool.or_((pool.not_(a), b)) for a, b in pairs)

    def _same(self, other: Any) -> Expr:
        pool = self._tracer.pool
        pairs = zip(self._bits(), self._bits_of(other), strict=True)
        return pool.and_([*(pool.eq(a, b) for a, b in pairs), self._all_of(other)])

    def _all_of(self, other: Any) -> Expr:
        """Whether everything in another collection could be a member."""
        pool = self._tracer.pool
        if isinstance(other, SymSet) and identity(other._domain) == identity(self._domain):
            return pool.true
        kept = members_of(self._tracer, other)
        return pool.and_(pool.or_((pool.not_(exists), self._equal_to(value)[0])) for exists, value in kept)

    def _size(self) -> Expr:
        return self._tracer.pool.count(self._bits())

    def _truth(self) -> Expr:
        return self._tracer.pool.or_(self._bits())

    def _in_turn(self) -> Iterator[Item]:
        for i, member in enumerate(self._domain.universe):
            yield functools.partial(self._place.get, i), functools.partial(itself, member)

    def _labels(self, count: int) -> Sequence[Any]:
        universe: Sequence[Any] = self._domain.universe
        return universe

    def _guarded(self) -> list[tuple[Expr, Any]]:
        return [(bit, lambda m=m: m) for bit, m in zip(self._bits(), self._domain.universe, strict=True)]


def itself(value: Any) -> Any:
    """The value: what reads a known element."""
    return value


def _is_known(value: Any) -> bool:
    """Whether Python can look a value up: it does not depend on the state."""
    if isinstance(value, (Symbol, View)) or holds_symbols(value):
        return False
    held = getattr(value, "__dict__", None)
    return "_fixed" in held and "_binding" not in held if isinstance(value, Record) and held is not None else True


class Subsets(StateValue):
    """Every set of some members of a set of the state."""

    _apart = True
    __class__ = property(lambda self: tuple)

    def __init__(self, of: SetView) -> None:
        self._of = of

    def _truth(self) -> Expr:
        return self._of._tracer.pool.true

    def _length(self) -> Expr:
        return self._of._tracer.pool.const(len(self))

    def _in_turn(self) -> Iterator[Item]:
        for exists, read in self._guarded():
            yield functools.partial(itself, exists), read

    def _guarded(self) -> list[tuple[Expr, Any]]:
        pool, of, found = self._of._tracer.pool, self._of, list[tuple[Expr, Any]]()
        kept = of._guarded()
        for taken in itertools.product((False, True), repeat=len(kept)):
            some = list(itertools.compress(kept, taken))
            found.append((pool.and_(exists for exists, _ in some), functools.partial(self._made, some)))
        return found

    def _labels(self, count: int) -> Sequence[Any]:
        """The names of so many sets in a choice."""
        return tuple(self._of._domain.values()) if isinstance(self._of, SymSet) else range(count)

    def _made(self, some: list[tuple[Expr, Any]]) -> Any:
        members = [read() for _, read in some]
        if any(not _is_known(member) for member in members):
            return self._of._of(DetachedSet([(self._of._tracer.pool.true, member) for member in members]))
        return self._of._domain.make(set(members))

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(), self, type(iter(())))

    def _walk(self) -> Iterator[Any]:
        for exists, read in self._guarded():
            if self._of._tracer.decide(exists):
                yield read()

    def __len__(self) -> int:
        return int(2 ** len(self._of))


def _with(name: str, one: Any, other: Any) -> Any:
    """An operator on a set and any iterable."""
    return getattr(operator, name)(one, other if isinstance(one, SetView) else set(plain(other)))


def _read_once(other: Any) -> Any:
    """A collection that can be iterated twice."""
    return other if isinstance(other, View) or type(other) is DetachedSet else list(plain(other))
