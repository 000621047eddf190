"""The common base of all collections of a state during tracing: a domain, a place, Python's protocols.

Each mirrors its concrete counterpart in `checker.language.values` operation by operation. A test generates random specs
and compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn
from weakref import WeakKeyDictionary

from ..errors import EverystateError, user_place
from ..language.domains import Domain, Enum, OneOf, Product
from ..language.record import RecordDomain
from .expr import Expr
from .machine import SymbolicMachine
from .optional import OptionalValue
from .places import FixedCells, Place, read_all
from .state_value import StateValue
from .symbols import answers_itself, only_told


class View(StateValue):
    """A collection at a place. `_plain` is the class of its values where they are no symbols, `_equals` what these may
    be equal to, and `_called` what they are in words."""

    _domain: Any
    _plain: ClassVar[Any]
    _equals: ClassVar[Any]
    _called = "a sequence"
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
        raise self._unsupported("copying or pickling", "write .copy(); what is stored is a copy in any case")

    def __eq__(self, other: object) -> Any:
        if other is None:
            return False
        if type(other) is OptionalValue:
            return NotImplemented
        if not isinstance(other, self._equals):
            return NotImplemented if answers_itself(other) else False
        return self._tracer.boolean(self._same(plain(other)))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else self._tracer.negated(same)

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._unsupported(f".{name}")

    def _unsupported(self, expression: str, remedy: str = "") -> EverystateError:
        """E215 for an operation that collections of a state do not have."""
        kind = type(self._domain).__name__
        remedy = remedy or f"use what {kind} offers: {', '.join(n for n in dir(type(self)) if _offered(n))}"
        reason = f"a {kind} of the state does not have it"
        return EverystateError("E215", user_place(), expression=expression, reason=reason, remedy=remedy)

    def _asked(self) -> tuple[Any, str]:
        """What `in` may find, as a domain or a list, and that in words."""
        return self._domain.element, f"a member of {self._domain!r}"

    def _same(self, other: Any) -> Expr:
        """Whether this collection equals another one of its kind."""
        raise NotImplementedError

    def _guarded(self) -> list[tuple[Expr, Any]]:
        """Every element that may exist, as (condition of existence, function that reads it)."""
        raise NotImplementedError

    def _truth(self) -> Expr:
        return self._tracer.pool.lt(self._tracer.pool.const(0), self._length())

    def __bool__(self) -> bool:
        return self._tracer.decide(self._truth())

    def _copied(self) -> Any:
        return self.copy()

    def copy(self) -> Any:
        """A collection with the same elements, as that of Python would make it."""
        raise NotImplementedError

    def _kept(self) -> Any:
        return self._detached()

    def _detached(self) -> Any:
        """A copy that does not change with the state."""
        return type(self)(
            self._tracer, self._domain, FixedCells(self._tracer, read_all(self._place, self._domain.size))
        )


def plain(value: Any) -> Any:
    """The members that Python's == and set operations use, even where a subclass overrides iteration."""
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


class Walk:
    """An iterator over a collection, of the same type as that of a plain value."""

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


def identity(domain: Domain) -> Any:
    """The identity of a domain: equal for domains with the same values in the same cells."""
    found = _IDENTITIES.get(domain)
    if found is None:
        found = _IDENTITIES[domain] = _identity(domain)
    return found


_IDENTITIES: WeakKeyDictionary[Domain, Any] = WeakKeyDictionary()


def _identity(domain: Domain) -> Any:
    kind = type(domain)
    if isinstance(domain, Enum):
        return kind, _values(domain.members)
    if isinstance(domain, (RecordDomain, Product)):
        return domain.cls, tuple((name, identity(d)) for name, d in domain.fields.items())
    if isinstance(domain, OneOf):
        return kind, tuple(map(identity, domain.domains))
    element: Domain | None = getattr(domain, "element", None)
    if element is not None:
        keys = _values(getattr(domain, "keys", ()))
        return kind, domain.size, getattr(domain, "capacity", None), keys, identity(element)
    return kind, tuple((c.lo, c.hi) for c in domain.cells(""))


def _values(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((type(value), value) for value in values)


def blank(tracer: SymbolicMachine, domain: Domain) -> list[Expr]:
    """The terms of the lowest value."""
    pool = tracer.pool
    return [pool.truth(bool(c.lo)) if c.boolean else pool.const(c.lo) for c in domain.cells("")]
