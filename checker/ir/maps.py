"""Maps of a state: a value for every key."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import CheckedError, user_place
from ..language.composite_domains import Map
from ..language.domains import Structure
from ..language.values import MapValue, called
from .collection import View
from .expr import Expr
from .machine import SymbolicMachine
from .membership import not_in
from .places import IndexedElement, Place
from .positions import equal_position
from .state_value import Item, StateValue
from .symbols import Boolean, Integer, Member, equals_known, holds_symbols, in_message, only_told


@called("Map")
class SymMap(View):
    """A value for every key."""

    _domain: Map
    _plain = MapValue
    _equals = dict
    _called = "a map"

    @classmethod
    def _terms(cls, tracer: SymbolicMachine, domain: Map, value: Any) -> list[Expr]:
        keys = list(value.keys()) if isinstance(value, (dict, SymMap)) else None
        if keys is None or set(keys) != set(domain.keys):
            raise not_in(domain, value)
        return [term for key in domain.keys for term in tracer.encode(domain.element, value[key])]

    def _at(self, key: Any) -> Place:
        tracer, pool, step = self._tracer, self._tracer.pool, self._domain.element.size

        def missing() -> CheckedError:
            return CheckedError("E305", user_place(), key=in_message(key))

        if isinstance(self._domain.of, Structure):
            found, position = equal_position(tracer, self._domain.of, key)
            tracer.check(found, missing)
            if position.op == "const":
                return self._place.sub(position.value * step)
            return IndexedElement(self._place, position, step, len(self._domain.keys))
        if not isinstance(key, (Integer, Boolean, Member)) and not holds_symbols(key):
            if key not in self._domain.position:
                raise missing()
            return self._place.sub(self._domain.position[key] * step)
        position, found = pool.const(0), pool.false
        for i, known in enumerate(self._domain.keys):
            here = equals_known(tracer, key, known)
            position, found = pool.ite(here, pool.const(i), position), pool.or_((here, found))
        keys = self._domain.keys
        if isinstance(key, Integer) and isinstance(keys[0], int) and keys == tuple(range(keys[0], keys[0] + len(keys))):
            position = tracer.in_a_word(pool.add(key._term, pool.const(-keys[0])))
            found = pool.and_((pool.le(pool.const(0), position), pool.lt(position, pool.const(len(keys)))))
        tracer.check(found, missing)
        return IndexedElement(self._place, position, step, len(self._domain.keys))

    def __getitem__(self, key: Any) -> Any:
        return self._tracer.handed(self._domain.element, self._at(key))

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401

    def copy(self) -> dict[Any, Any]:
        return {key: self[key] for key in self._domain.keys}

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._at(key)
        self._tracer.replace(place, self._domain.element, self._tracer.encode(self._domain.element, value))

    def update(self, *others: Any, **values: Any) -> None:
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __ior__(self, other: Any) -> SymMap:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        return self.copy() | dict(other) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return dict(other) | self.copy() if isinstance(other, dict) else NotImplemented

    def __delitem__(self, key: Any) -> None:
        raise self._unsupported("del")

    def _asked(self) -> tuple[Any, str]:
        return self._domain.keys, "a key of this map"

    def _has(self, key: Any) -> Any:
        if isinstance(self._domain.of, Structure):
            return self._tracer.boolean(equal_position(self._tracer, self._domain.of, key)[0])
        if not isinstance(key, (Integer, Boolean, Member)) and not holds_symbols(key):
            return key in self._domain.position
        return self._tracer.boolean(
            self._tracer.pool.or_(equals_known(self._tracer, key, k) for k in self._domain.keys)
        )

    def __contains__(self, key: Any) -> bool:
        return bool(self._has(key))

    def keys(self) -> Any:
        return dict.fromkeys(self._domain.keys).keys()

    def values(self) -> Iterable[Any]:
        return DelayedMap(self, lambda key: self[key], type({}.values()))

    def items(self) -> Iterable[tuple[Any, Any]]:
        return DelayedMap(self, lambda key: (key, self[key]), type({}.items()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._domain.keys)

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._domain.keys[::-1])

    def __len__(self) -> int:
        return len(self._domain.keys)

    def _length(self) -> Expr:
        return self._tracer.pool.const(len(self._domain.keys))

    def _in_turn(self) -> Iterator[Item]:
        for key in self._domain.keys:
            yield self._always, lambda key=key: key  # type: ignore[misc]

    def _always(self) -> Expr:
        return self._tracer.pool.true

    def _same(self, other: Any) -> Expr:
        pool = self._tracer.pool
        if set(other.keys()) != set(self._domain.keys):
            return pool.false
        return pool.and_(self._tracer.equal(self[k], other[k]) for k in self._domain.keys)


_BY_KEY = "test each key, as in all(self.m[key] == 0 for key in self.m)"


class DelayedMap(StateValue):
    """A map or a bag whose content is read when it is used."""

    __class__ = property(lambda self: self._plain)

    def __init__(self, map: Any, read: Callable[[Any], Any], plain: type) -> None:
        self._map, self._read, self._plain = map, read, plain

    def _truth(self) -> Expr:
        nonempty: Expr = self._map._truth()
        return nonempty

    def _length(self) -> Expr:
        length: Expr = self._map._length()
        return length

    def _in_turn(self) -> Iterator[Item]:
        for exists, key in self._map._in_turn():
            yield exists, functools.partial(self._read_at, key)

    def _read_at(self, key: Callable[[], Any]) -> Any:
        return self._read(key())

    def __iter__(self) -> Iterator[Any]:
        return map(self._read, self._map)

    def __reversed__(self) -> Iterator[Any]:
        return map(self._read, reversed(self._map))

    def __len__(self) -> int:
        return len(self._map)

    def __repr__(self) -> str:
        if only_told():
            return "…"
        raise self._map._unsupported("the text of its values or items")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> Any:
        raise self._map._unsupported("comparing the values or items", _BY_KEY)

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = None  # type: ignore[assignment]

    def _combined(self, other: object) -> Any:
        raise self._map._unsupported("a set operation on the values or items", _BY_KEY)

    __and__ = __rand__ = __or__ = __ror__ = __sub__ = __rsub__ = __xor__ = __rxor__ = _combined

    def __getattr__(self, name: str) -> Any:
        raise self._map._unsupported(f".{name} of its values or items")


Mapping.register(SymMap)
"""Makes the mapping patterns of `match` accept it."""
