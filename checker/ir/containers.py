"""Composite symbols: arrays, sequences, sets, maps and records of a state while an action is traced.

Each mirrors its concrete counterpart in `checker.language.values` operation by operation. A test generates
random specs and compares the two.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NoReturn
from weakref import WeakKeyDictionary

from ..errors import CheckedError, EverystateError, user_place
from ..language.domains import Array, Bool, Domain, Enum, Int, Map, Option, Seq, Set
from ..language.record import Record, RecordDomain
from ..language.values import ArrayValue, MapValue, SeqValue, SetValue, absent, called, outside
from .expr import Expr
from .machine import SymbolicMachine
from .places import Direct, Indexed, Place, read_all, write_all
from .symbols import Boolean, Integer, Member, Symbol, answers_itself, never_equal, only_told


def load(tracer: SymbolicMachine, domain: Domain, place: Place) -> Any:
    """The value of a domain that lives at a place: a scalar symbol, a view, or a plain value where it is known."""
    if isinstance(domain, Int):
        return tracer.integer(place.get(0))
    if isinstance(domain, Bool):
        return tracer.boolean(place.get(0))
    if isinstance(domain, Enum):
        return tracer.member(place.get(0), domain.members)
    if isinstance(domain, Option):
        return load(tracer, domain.element, place.sub(1)) if tracer.decide(place.get(0)) else None
    if isinstance(domain, RecordDomain):
        record = object.__new__(domain.cls)
        record.__dict__["_binding"] = RecordView(tracer, domain, place)
        return record
    return _VIEWS[type(domain)](tracer, domain, place)


def encode(tracer: SymbolicMachine, domain: Domain, value: Any) -> list[Expr]:
    """The terms of a value; forks off a CheckedError where it may lie outside the domain."""
    pool = tracer.pool
    if isinstance(domain, Int):
        if not isinstance(value, (Integer, Boolean, int)):
            raise _outside(domain, value)
        term = tracer.number(value)
        for inside in (pool.le(pool.const(domain.lo), term), pool.le(term, pool.const(domain.hi))):
            tracer.check(inside, lambda: _outside(domain, value))
        return [term]
    if isinstance(domain, Bool):
        if not isinstance(value, (Boolean, bool)):
            raise _outside(domain, value)
        return [tracer.truth(value)]
    if isinstance(domain, Enum):
        return [_member(tracer, domain, value)]
    if isinstance(domain, Option):
        if value is None:
            return [pool.false, *blank(tracer, domain.element)]
        return [pool.true, *encode(tracer, domain.element, value)]
    if isinstance(domain, RecordDomain):
        return _encode_record(tracer, domain, value)
    if isinstance(value, View) and identity(value._domain) == identity(domain):
        return read_all(value._place, domain.size)
    return _encode_collection(tracer, domain, value)


def _member(tracer: SymbolicMachine, domain: Enum, value: Any) -> Expr:
    if not isinstance(value, Member):
        return tracer.pool.const(domain.index(value))
    term = value._position_in(domain.members, value)
    if term.lo < 0:
        inside = tracer.pool.le(tracer.pool.const(0), term)
        tracer.check(inside, lambda: domain.index(value._concrete()))  # type: ignore[arg-type, return-value]
    return term


def _encode_record(tracer: SymbolicMachine, domain: RecordDomain, value: Any) -> list[Expr]:
    if not isinstance(value, domain.cls) or sorted(field_names(value)) != sorted(domain.fields):
        raise _outside(domain, value)
    parts = ([*encode(tracer, d, getattr(value, n))] for n, d in domain.fields.items())
    return list(itertools.chain.from_iterable(parts))


def _encode_collection(tracer: SymbolicMachine, domain: Domain, value: Any) -> list[Expr]:
    pool = tracer.pool
    out: list[Expr] = []
    if isinstance(domain, Array):
        if not isinstance(value, (list, tuple, Elements)) or len(value) != domain.n:
            raise _outside(domain, value)
        for i in range(domain.n):
            out += encode(tracer, domain.element, value[i])
    elif isinstance(domain, Seq):
        if not isinstance(value, (list, tuple, Elements)):
            raise _outside(domain, value)
        items = list(value)
        if len(items) > domain.capacity:
            raise CheckedError("E302", user_place(), capacity=domain.capacity)
        out.append(pool.const(len(items)))
        for item in items:
            out += encode(tracer, domain.element, item)
        out += blank(tracer, domain.element) * (domain.capacity - len(items))
    elif isinstance(domain, Set):
        if not isinstance(value, (set, frozenset, list, tuple, SymSet, Elements)):
            raise _outside(domain, value)
        copy = SymSet(tracer, domain, Direct(tracer, [pool.false] * domain.size))
        for item in value:
            copy.add(item)
        out = read_all(copy._place, domain.size)
    elif isinstance(domain, Map):
        keys = list(value.keys()) if isinstance(value, (dict, SymMap)) else None
        if keys is None or set(keys) != set(domain.keys):
            raise _outside(domain, value)
        for key in domain.keys:
            out += encode(tracer, domain.element, value[key])
    return out


def blank(tracer: SymbolicMachine, domain: Domain) -> list[Expr]:
    """The terms of the lowest value."""
    pool = tracer.pool
    return [pool.truth(bool(c.lo)) if c.boolean else pool.const(c.lo) for c in domain.cells("")]


def replace(tracer: SymbolicMachine, place: Place, domain: Domain, terms: list[Expr]) -> None:
    """Assign a whole value: who holds the old one keeps it."""
    tracer.references.replaced(place, domain)
    write_all(place, terms)


def field_names(record: Record) -> list[str]:
    """The names of a record's fields, bound to a state or not."""
    binding = record.__dict__.get("_binding")
    names = binding.names if binding is not None else record.__dict__
    return [n for n in names if not n.startswith("_")]


def _outside(domain: Domain, value: Any) -> CheckedError:
    return CheckedError("E301", user_place(), value=repr(value), domain=domain)


def identity(domain: Domain) -> Any:
    """What tells a domain apart from others: equal for domains with the same values in the same cells."""
    found = _IDENTITIES.get(domain)
    if found is None:
        found = _IDENTITIES[domain] = _identity(domain)
    return found


_IDENTITIES: WeakKeyDictionary[Domain, Any] = WeakKeyDictionary()


def _identity(domain: Domain) -> Any:
    kind = type(domain)
    if isinstance(domain, Enum):
        return kind, _values(domain.members)
    if isinstance(domain, Map):
        return kind, _values(domain.keys), identity(domain.element)
    if isinstance(domain, RecordDomain):
        return domain.cls, tuple((name, identity(d)) for name, d in domain.fields.items())
    if isinstance(domain, (Array, Seq, Set, Option)):
        return kind, domain.size, identity(domain.element)
    return kind, tuple((c.lo, c.hi) for c in domain.cells(""))


def _values(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((type(value), value) for value in values)


class RecordView:
    """A record of the state: reads and assigns its fields in place."""

    def __init__(self, tracer: SymbolicMachine, domain: RecordDomain, place: Place) -> None:
        self._tracer, self._domain, self._place = tracer, domain, place
        self.names = list(domain.fields)
        tracer.references.add(self)

    def read(self, name: str) -> Any:
        domain = self._domain.field(name)
        return load(self._tracer, domain, self._place.sub(self._domain.offsets[name]))

    def write(self, name: str, value: Any) -> None:
        domain = self._domain.field(name)
        part = self._place.sub(self._domain.offsets[name])
        replace(self._tracer, part, domain, encode(self._tracer, domain, value))

    def text(self, name: str) -> str:
        return _record_text(name)


def _record_text(name: str) -> str:
    """The text of a record of the state, which only a reader may see."""
    if only_told(4):
        return f"<{name}>"
    reason, remedy = "it stands for a record of every state at once", "use its fields"
    raise EverystateError("E215", user_place(), expression="the text of a record", reason=reason, remedy=remedy)


class JoinedRecord:
    """A record that is one of two, of which not both are part of the state."""

    def __init__(self, tracer: SymbolicMachine, condition: Expr, one: Record, other: Record) -> None:
        self.tracer, self.condition, self.one, self.other = tracer, condition, one, other
        self.names = field_names(one)

    def read(self, name: str) -> Any:
        return self.tracer.join(self.condition, getattr(self.one, name), getattr(self.other, name))

    def write(self, name: str, value: Any) -> None:
        for record, here in ((self.one, True), (self.other, False)):
            old = getattr(record, name)
            pair = (value, old) if here else (old, value)
            setattr(record, name, self.tracer.join(self.condition, *pair))

    def text(self, name: str) -> str:
        return _record_text(name)


class View:
    """A collection at a place. `_plain` is the class of its values where they are no symbols, `_equals` what these may
    be equal to."""

    _domain: Any
    _plain: ClassVar[Any]
    _equals: ClassVar[Any]
    __class__ = property(lambda self: self._plain)

    def __init__(self, tracer: SymbolicMachine, domain: Any, place: Place) -> None:
        self._tracer, self._domain, self._place = tracer, domain, place
        self._tracer.references.add(self)

    def __repr__(self) -> str:
        if only_told():
            return "…"
        raise self._unsupported("the text")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        if only_told():
            return "…"
        raise self._unsupported("the text")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise self._unsupported("copying or pickling")

    def __eq__(self, other: object) -> Any:
        if other is None:
            return False
        if not isinstance(other, self._equals):
            if answers_itself(other):
                return NotImplemented
            raise never_equal(f"a {type(self._domain).__name__}", other)
        return self._tracer.boolean(self._same(plain(other)))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else self._tracer.negated(same)

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._unsupported(f".{name}")

    def _unsupported(self, expression: str) -> EverystateError:
        """E215 for an operation that collections of a state do not have."""
        kind = type(self._domain).__name__
        remedy = f"use what {kind} offers: {', '.join(n for n in dir(self) if _offered(n))}"
        reason = f"a {kind} of the state does not have it"
        return EverystateError("E215", user_place(), expression=expression, reason=reason, remedy=remedy)

    def __add__(self, other: Any) -> Any:
        raise self._unsupported("+")

    __iadd__ = __radd__ = __mul__ = __add__

    def __delitem__(self, index: Any) -> None:
        raise self._unsupported("del")

    def _same(self, other: Any) -> Expr:
        """Whether this collection equals another one of its kind."""
        raise NotImplementedError

    def _guarded(self) -> list[tuple[Expr, Any]]:
        """Every element that may exist, as (condition of existence, function that reads it)."""
        raise NotImplementedError

    def _detached(self) -> Any:
        """A copy that later changes of the state do not touch."""
        return type(self)(self._tracer, self._domain, Direct(self._tracer, read_all(self._place, self._domain.size)))


def plain(value: Any) -> Any:
    """What == and set operations of Python look at, which is not what a subclass may say that it holds."""
    if issubclass(type(value), dict):
        return dict(dict.items(value))
    if issubclass(type(value), list):
        return list(list.__iter__(value))
    for kind in (set, frozenset):
        if issubclass(type(value), kind):
            return list(kind.__iter__(value))
    return value


def _offered(name: str) -> bool:
    """Whether an author may use an attribute of a view."""
    return not name.startswith("_")


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

    def _slot(self, index: Expr) -> Place:
        """The place of the element at a valid index."""
        step = self._domain.element.size
        first = self._place.sub(self._start)
        if index.op == "const":
            return first.sub(index.value * step)
        return Indexed(first, index, step, self._slots())

    def _at(self, index: Any) -> Place:
        """The place at an index as an author writes it; CheckedError E303 when it does not exist."""
        tracer, pool = self._tracer, self._tracer.pool
        term, bound = tracer.number(index), self._bound()
        if not isinstance(index, (Integer, Boolean, int)):
            raise TypeError("indices are integers")
        if tracer.facts.bounds(term)[0] < 0:
            term = pool.ite(pool.lt(term, pool.const(0)), tracer.in_a_word(pool.add(term, bound)), term)
        for inside in (pool.le(pool.const(0), term), pool.lt(term, bound)):
            tracer.check(inside, lambda: outside(index, self._slots()))
        return self._slot(term)

    def _element(self, place: Place) -> Any:
        """The value at an element's place."""
        return load(self._tracer, self._domain.element, place)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(index)
        return self._element(self._at(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise self._unsupported("assigning to a slice")
        place = self._at(index)
        replace(self._tracer, place, self._domain.element, encode(self._tracer, self._domain.element, value))

    def _sliced(self, index: slice) -> list[Any]:
        """Copies of the elements in a slice; forks on the length."""
        parts = [None if v is None else int(v) for v in (index.start, index.stop, index.step)]
        positions = range(*slice(*parts).indices(len(self)))
        step = self._domain.element.size
        terms = [read_all(self._slot(self._tracer.pool.const(i)), step) for i in positions]
        return [self._element(Direct(self._tracer, t)) for t in terms]

    def __len__(self) -> int:
        return self._tracer.concretize(self._bound())

    @property
    def length(self) -> Any:
        return self._tracer.integer(self._bound())

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

    def contains(self, value: Any) -> Any:
        return self._tracer.quantify("any", self, lambda item: item == value)

    def count(self, value: Any) -> Any:
        return self._tracer.quantify("count", self, lambda item: item == value)

    def __contains__(self, value: Any) -> bool:
        return bool(self.contains(value))

    def copy(self) -> list[Any]:
        return list(self)

    def index(self, value: Any) -> Any:
        """The position of the first element equal to `value`."""
        tracer, pool = self._tracer, self._tracer.pool
        term, found = pool.const(0), pool.false
        for i, (exists, read) in reversed(list(enumerate(self._guarded()))):
            here = pool.and_((exists, tracer.truth(tracer.quantify("any", (read() == value,), None))))
            term, found = pool.ite(here, pool.const(i), term), pool.or_((here, found))
        tracer.check(found, lambda: absent(value))
        return tracer.integer(term)

    def _same(self, other: Any) -> Expr:
        tracer, pool = self._tracer, self._tracer.pool
        if isinstance(other, Elements):
            theirs, length = other._guarded(), other._bound()
        else:
            theirs, length = [(pool.true, lambda v=v: v) for v in other], pool.const(len(other))
        parts = [pool.eq(self._bound(), length)]
        for (exists, mine), (_, their) in zip(self._guarded(), theirs, strict=False):
            parts.append(pool.or_((pool.not_(exists), tracer.equal(mine(), their()))))
        return pool.and_(parts)


@called("Array")
class SymArray(Elements):
    """A fixed number of elements."""

    _domain: Array
    _plain = ArrayValue

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

    def _slots(self) -> int:
        return self._domain.capacity

    def _bound(self) -> Expr:
        return self._place.get(0)

    def __bool__(self) -> bool:
        return self._tracer.decide(self._tracer.pool.lt(self._tracer.pool.const(0), self._bound()))

    def append(self, value: Any) -> None:
        self.insert(self._tracer.integer(self._bound()), value)

    def insert(self, index: Any, value: Any) -> None:
        tracer, pool, length = self._tracer, self._tracer.pool, self._bound()
        room = pool.lt(length, pool.const(self._domain.capacity))
        tracer.check(room, lambda: CheckedError("E302", user_place(), capacity=self._domain.capacity))
        at = tracer.number(index)
        for inside in (pool.le(pool.const(0), at), pool.le(at, length)):
            tracer.check(inside, lambda: outside(index, self._slots()))
        terms = encode(tracer, self._domain.element, value)
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

    def pop(self, index: Any = -1) -> Any:
        tracer, pool, length = self._tracer, self._tracer.pool, self._bound()
        tracer.check(pool.lt(pool.const(0), length), lambda: CheckedError("E304", user_place()))
        element, count = self._domain.element, self._domain.capacity
        step, empty = element.size, blank(tracer, element)
        if not isinstance(index, Symbol) and index == -1:
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
        return load(tracer, self._domain.element, Direct(tracer, taken))

    def popleft(self) -> Any:
        return self.pop(0)

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
        self._tracer.references.replaced(self._place.sub(1), self._domain.element, self._domain.capacity)
        write_all(self._place, blank(self._tracer, self._domain))


@called("Set")
class SymSet(View):
    """A subset of a small universe: one boolean cell for each possible member."""

    _domain: Set
    _plain = SetValue
    _equals = (set, frozenset)

    def _position(self, value: Any, strict: bool) -> tuple[Expr, Expr]:
        """(whether the value is in the universe, its position); strict: outside is a CheckedError."""
        tracer, pool, element = self._tracer, self._tracer.pool, self._domain.element
        if not isinstance(value, (Integer, Boolean, Member)):
            known = self._domain.position.get(value) if not isinstance(value, View) else None
            if known is None:
                if strict:
                    element.make(value)
                return pool.false, pool.const(0)
            return pool.true, pool.const(known)
        if isinstance(element, Enum):
            return pool.true, _member(tracer, element, value)
        lo = element.lo if isinstance(element, Int) else 0
        position = tracer.in_a_word(pool.add(tracer.number(value), pool.const(-lo)))
        inside = pool.and_((pool.le(pool.const(0), position), pool.lt(position, pool.const(self._domain.size))))
        if strict:
            tracer.check(inside, lambda: _outside(element, value))
            inside = pool.true
        return inside, pool.ite(inside, position, pool.const(0))

    def _bit(self, position: Expr) -> Place:
        if position.op == "const":
            return self._place.sub(position.value)
        return Indexed(self._place, position, 1, self._domain.size)

    def contains(self, value: Any) -> Any:
        inside, position = self._position(value, strict=False)
        return self._tracer.boolean(self._tracer.pool.and_((inside, self._bit(position).get(0))))

    def __contains__(self, value: Any) -> bool:
        return bool(self.contains(value))

    def add(self, value: Any) -> None:
        self._bit(self._position(value, strict=True)[1]).set(0, self._tracer.pool.true)

    def discard(self, value: Any) -> None:
        self._bit(self._position(value, strict=True)[1]).set(0, self._tracer.pool.false)

    def remove(self, value: Any) -> None:
        place = self._bit(self._position(value, strict=True)[1])
        self._tracer.check(place.get(0), lambda: CheckedError("E309", user_place(), key=repr(value)))
        place.set(0, self._tracer.pool.false)

    def clear(self) -> None:
        write_all(self._place, [self._tracer.pool.false] * self._domain.size)

    def _bits(self) -> list[Expr]:
        return read_all(self._place, self._domain.size)

    def _bits_of(self, other: Any) -> list[Expr]:
        """For each member of the universe, whether another collection has it; that is looked through once."""
        tracer = self._tracer
        if isinstance(other, (SymSet, Elements)):
            return [tracer.truth(other.contains(member)) for member in self._domain.universe]
        items = list(plain(other))
        return [tracer.pool.or_(tracer.equal(item, member) for item in items) for member in self._domain.universe]

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
        return self & other

    def __ror__(self, other: Any) -> Any:
        return self | other if self._has_room(other) else other | set(self)

    def __rxor__(self, other: Any) -> Any:
        return self ^ other if self._has_room(other) else other ^ set(self)

    def __rsub__(self, other: Any) -> Any:
        if not self._has_room(other):
            return other - set(self)
        return (
            SymSet(self._tracer, self._domain, Direct(self._tracer, encode(self._tracer, self._domain, other))) - self
        )

    def _has_room(self, other: Any) -> bool:
        """Whether all members of a plain set could be members here; else the result is a plain set, which forks."""
        return all(member in self._domain.position for member in other)

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
        return self._strictly(self <= other, other) if _is_set(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._strictly(self >= other, other) if _is_set(other) else NotImplemented

    def _strictly(self, weakly: Any, other: Any) -> Any:
        tracer = self._tracer
        return tracer.boolean(tracer.pool.and_((tracer.truth(weakly), tracer.truth(self != other))))

    def isdisjoint(self, other: Any) -> Any:
        return self._tracer.negated(self._tracer.boolean(self._tracer.pool.or_((self & other)._bits())))

    def copy(self) -> SymSet:
        copied: SymSet = self._detached()
        return copied

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if _is_set(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if _is_set(other) else NotImplemented

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

    @property
    def length(self) -> Any:
        return self._tracer.integer(self._tracer.pool.count(self._bits()))

    def __len__(self) -> int:
        return self._tracer.concretize(self._tracer.number(self.length))

    def __bool__(self) -> bool:
        return self._tracer.decide(self._tracer.pool.or_(self._bits()))

    def __iter__(self) -> Iterator[Any]:
        return Walk(self._walk(), self, type(iter(set())))

    def _walk(self) -> Iterator[Any]:
        for i, member in enumerate(self._domain.universe):
            if self._tracer.decide(self._place.get(i)):
                yield member

    def _guarded(self) -> list[tuple[Expr, Any]]:
        return [(bit, lambda m=m: m) for bit, m in zip(self._bits(), self._domain.universe, strict=True)]


def _is_set(value: Any) -> bool:
    return isinstance(value, (set, frozenset, SymSet))


def _read_once(other: Any) -> Any:
    """A collection that can be looked through twice."""
    return other if isinstance(other, View) else list(plain(other))


def _within(mine: SymSet, other: Any) -> Expr:
    """Whether everything in another set lies in my universe."""
    pool = mine._tracer.pool
    if isinstance(other, SymSet):
        strangers = [
            b for b, m in zip(other._bits(), other._domain.universe, strict=True) if m not in mine._domain.position
        ]
        return pool.not_(pool.or_(strangers))
    return pool.truth(all(m in mine._domain.position for m in other))


def _require_within(mine: SymSet, other: Any) -> None:
    mine._tracer.check(_within(mine, other), lambda: _outside(mine._domain.element, other))


@called("Map")
class SymMap(View):
    """A value for every key."""

    _domain: Map
    _plain = MapValue
    _equals = dict

    def _at(self, key: Any) -> Place:
        tracer, pool, step = self._tracer, self._tracer.pool, self._domain.element.size

        def missing() -> CheckedError:
            return CheckedError("E305", user_place(), key=repr(key))

        if not isinstance(key, (Integer, Boolean, Member)):
            if key not in self._domain.position:
                raise missing()
            return self._place.sub(self._domain.position[key] * step)
        position, found = pool.const(0), pool.false
        for i, known in enumerate(self._domain.keys):
            here = tracer.equal(key, known) if _comparable(key, known) else pool.false
            position, found = pool.ite(here, pool.const(i), position), pool.or_((here, found))
        keys = self._domain.keys
        if isinstance(key, Integer) and isinstance(keys[0], int) and keys == tuple(range(keys[0], keys[0] + len(keys))):
            position = tracer.in_a_word(pool.add(key._term, pool.const(-keys[0])))
            found = pool.and_((pool.le(pool.const(0), position), pool.lt(position, pool.const(len(keys)))))
        tracer.check(found, missing)
        return Indexed(self._place, position, step, len(self._domain.keys))

    def __getitem__(self, key: Any) -> Any:
        return load(self._tracer, self._domain.element, self._at(key))

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401

    def copy(self) -> dict[Any, Any]:
        return {key: self[key] for key in self._domain.keys}

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._at(key)
        replace(self._tracer, place, self._domain.element, encode(self._tracer, self._domain.element, value))

    def contains(self, key: Any) -> Any:
        return self._tracer.quantify("any", (_comparable(key, k) and key == k for k in self._domain.keys), None)

    def __contains__(self, key: Any) -> bool:
        return bool(self.contains(key))

    def keys(self) -> Any:
        return dict.fromkeys(self._domain.keys).keys()

    def values(self) -> Iterable[Any]:
        return Lazily(self, lambda key: self[key], type({}.values()))

    def items(self) -> Iterable[tuple[Any, Any]]:
        return Lazily(self, lambda key: (key, self[key]), type({}.items()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._domain.keys)

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._domain.keys[::-1])

    def __len__(self) -> int:
        return len(self._domain.keys)

    length = property(__len__)

    def _guarded(self) -> list[tuple[Expr, Any]]:
        return [(self._tracer.pool.true, lambda k=k: k) for k in self._domain.keys]

    def _same(self, other: Any) -> Expr:
        pool = self._tracer.pool
        if set(other.keys()) != set(self._domain.keys):
            return pool.false
        return pool.and_(self._tracer.equal(self[k], other[k]) for k in self._domain.keys)


class Walk:
    """An iterator over a collection, which is what that of a plain value is."""

    __class__ = property(lambda self: self._plain)

    def __init__(self, items: Iterator[Any], view: Any, plain: type) -> None:
        self._items, self._view, self._plain, self._taken = items, view, plain, 0

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> Any:
        item = next(self._items)
        self._taken += 1
        return item

    def __length_hint__(self) -> int:
        return max(len(self._view) - self._taken, 0)


class Lazily:
    """What a map holds at the moment at which it is asked."""

    __class__ = property(lambda self: self._plain)

    def __init__(self, map: SymMap, read: Callable[[Any], Any], plain: type) -> None:
        self._map, self._read, self._plain = map, read, plain

    def __iter__(self) -> Iterator[Any]:
        return map(self._read, self._map._domain.keys)

    def __len__(self) -> int:
        return len(self._map._domain.keys)

    def __repr__(self) -> str:
        if only_told():
            return "…"
        raise self._map._unsupported("the text of its values or items")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> Any:
        raise self._map._unsupported("comparing the values or items")

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise self._map._unsupported(f".{name} of its values or items")


def _comparable(key: Any, known: Any) -> bool:
    if isinstance(key, Member):
        return known in key._members
    return isinstance(known, int) if isinstance(key, (Integer, Boolean)) else True


_VIEWS: dict[type[Domain], Any] = {Array: SymArray, Seq: SymSeq, Set: SymSet, Map: SymMap}

Sequence.register(Elements)
Mapping.register(SymMap)
"""So that the sequence and mapping patterns of `match` take them for what they are."""
