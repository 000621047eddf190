"""A number, boolean or enum member of the state that may be None, before the path is split on that.

`is None`, == and assignments use it as it is. Every other operation splits the path.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..errors import is_ours
from .expr import Expr
from .machine import SymbolicMachine
from .state_value import StateValue


class OptionalValue(StateValue):
    """A value where a condition holds, else None."""

    __slots__ = ("_tracer", "present", "value")
    __class__ = property(lambda self: self.settled().__class__)

    def __init__(self, tracer: SymbolicMachine, present: Expr, value: Any) -> None:
        self._tracer, self.present, self.value = tracer, present, value

    def settled(self) -> Any:
        """The value, or None; forks."""
        return self.value if self._tracer.decide(self.present) else None

    _settled = settled

    def _resolved(self) -> Any:
        value = self.settled()
        return value._resolved() if isinstance(value, StateValue) else value

    def _truth(self) -> Expr:
        return self._tracer.pool.and_((self.present, self._tracer.truth(self.value)))

    def __eq__(self, other: object) -> Any:
        tracer, pool = self._tracer, self._tracer.pool
        absent = pool.not_(self.present)
        if other is None:
            return tracer.boolean(absent)
        if type(other) is OptionalValue:
            same = tracer.equal(self.value, other.value)
            both = pool.and_((self.present, other.present, same))
            return tracer.boolean(pool.or_((both, pool.and_((absent, pool.not_(other.present))))))
        asks = getattr(type(other), "__eq__", None)
        if isinstance(asks, FunctionType) and not is_ours(asks.__code__.co_filename):
            return self.settled() == other
        return tracer.boolean(pool.and_((self.present, tracer.equal(self.value, other))))

    def __ne__(self, other: object) -> Any:
        return self._tracer.negated(self == other)

    def __hash__(self) -> int:
        return hash(self.settled())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.settled(), name)

    def __bool__(self) -> bool:
        return bool(self.settled())

    def __repr__(self) -> str:
        return repr(self.settled())


def settled(value: Any) -> Any:
    """A value after the path was split on None; also for the optional parts of a tuple from machine code."""
    if type(value) is tuple and any(type(part) in (OptionalValue, tuple) for part in value):
        return tuple(map(settled, value))
    return value.settled() if type(value) is OptionalValue else value


def joined(tracer: SymbolicMachine, condition: Expr, one: Any, other: Any) -> Any:
    """One value where a condition holds, else another one, of which at least one may be None."""
    pool = tracer.pool
    (first, a), (second, b) = (_parts(tracer, side) for side in (one, other))
    present = pool.ite(condition, first, second)
    value = b if first is pool.false else a if second is pool.false else tracer.join(condition, a, b)
    if present.op == "const":
        return value if present.value else None
    return OptionalValue(tracer, present, value)


def _parts(tracer: SymbolicMachine, value: Any) -> tuple[Expr, Any]:
    if type(value) is OptionalValue:
        return value.present, value.value
    return (tracer.pool.false, None) if value is None else (tracer.pool.true, value)
