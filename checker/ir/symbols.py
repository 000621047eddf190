"""Scalar symbols: what an action sees instead of a number, a truth or an enum member while it is traced.

Operators build terms. Whatever forces Python to know a value (`if`, `and`, `range`, a dict key) asks the
tracer, which picks a branch and comes back later for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import CheckedError, EverystateError, suggestion, user_place
from .expr import Expr

if TYPE_CHECKING:
    from .tracer import Tracer


class Symbol:
    """A term with the tracer that it belongs to."""

    __slots__ = ("_term", "_tracer")

    def __init__(self, tracer: Tracer, term: Expr) -> None:
        self._tracer, self._term = tracer, term

    def __repr__(self) -> str:
        return "…"

    def __format__(self, spec: str) -> str:
        return "…"

    def _unsupported(self, expression: str, reason: str, remedy: str) -> EverystateError:
        """E215 for an operation that symbols do not have."""
        return EverystateError("E215", user_place(), expression=expression, reason=reason, remedy=remedy)


def _number(value: Any) -> bool:
    return isinstance(value, (int, Number))


def _arithmetic(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Number, other: Any) -> Any:
        if not _number(other):
            return NotImplemented
        pair = (other, self) if reflected else (self, other)
        a, b = (self._tracer.number(v) for v in pair)
        return self._tracer.integer(getattr(self._tracer.pool, name)(a, b))

    return operate


def _division(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Number, other: Any) -> Any:
        if not _number(other):
            return NotImplemented
        tracer = self._tracer
        a, b = (tracer.in_a_word(tracer.number(v)) for v in ((other, self) if reflected else (self, other)))
        zero = tracer.pool.eq(b, tracer.pool.const(0))
        tracer.check(tracer.pool.not_(zero), lambda: CheckedError("E306", user_place()))
        return tracer.integer(getattr(tracer.pool, name)(a, b))

    return operate


def _comparison(name: str, swap: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Number, other: Any) -> Any:
        if not _number(other):
            return NotImplemented
        a, b = (self._tracer.number(v) for v in ((other, self) if swap else (self, other)))
        return self._tracer.boolean(getattr(self._tracer.pool, name)(a, b))

    return operate


class Number(Symbol):
    """Arithmetic and order, shared by integers and booleans (True counts as 1, as in Python)."""

    __slots__ = ()

    __add__, __radd__ = _arithmetic("add"), _arithmetic("add")
    __sub__, __rsub__ = _arithmetic("sub"), _arithmetic("sub", reflected=True)
    __mul__, __rmul__ = _arithmetic("mul"), _arithmetic("mul")
    __floordiv__, __rfloordiv__ = _division("div"), _division("div", reflected=True)
    __mod__, __rmod__ = _division("mod"), _division("mod", reflected=True)
    __lt__, __gt__ = _comparison("lt"), _comparison("lt", swap=True)
    __le__, __ge__ = _comparison("le"), _comparison("le", swap=True)

    def __eq__(self, other: object) -> Any:
        if not _number(other):
            return False
        return self._tracer.boolean(self._tracer.pool.eq(self._tracer.number(self), self._tracer.number(other)))

    def __ne__(self, other: object) -> Any:
        return self._tracer.negated(self == other)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __index__(self) -> int:
        return self._tracer.concretize(self._tracer.number(self))

    __int__ = __index__

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return self + 0

    def __abs__(self) -> Any:
        return self._tracer.merge(self < 0, -self, self)

    def __truediv__(self, other: Any) -> Any:
        raise self._unsupported("division with /", "its result is not an integer", "use // instead")

    def __pow__(self, other: Any) -> Any:
        raise self._unsupported(
            "a power", "there is no bound on its result", "multiply, or look the value up in a list"
        )


class Integer(Number):
    """An integer."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __and__(self, other: Any) -> Any:
        raise self._unsupported(
            "a bit operation", "numbers are ranges here, not bit patterns", "use // and %, or a Set"
        )

    __or__ = __xor__ = __lshift__ = __rshift__ = __invert__ = __and__
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __and__


class Boolean(Number):
    """A truth: `&` and `|` combine without forking, `and`, `or` and `not` fork."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return self._tracer.decide(self._term)

    def _combine(self, other: Any, kind: str) -> Any:
        if not isinstance(other, (bool, Boolean)):
            return NotImplemented
        pool, terms = self._tracer.pool, (self._term, self._tracer.truth(other))
        return self._tracer.boolean(pool.and_(terms) if kind == "and" else pool.or_(terms))

    def __and__(self, other: Any) -> Any:
        return self._combine(other, "and")

    def __or__(self, other: Any) -> Any:
        return self._combine(other, "or")

    def __xor__(self, other: Any) -> Any:
        return NotImplemented if not isinstance(other, (bool, Boolean)) else self != other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        raise self._unsupported("~", "on a Python bool it gives -1 or -2", "use none_of(condition), or `not`")


class Member(Symbol):
    """An enum member: `term` is its position in `members`."""

    __slots__ = ("_members",)

    def __init__(self, tracer: Tracer, term: Expr, members: tuple[Any, ...]) -> None:
        super().__init__(tracer, term)
        self._members = members

    def _position_in(self, members: tuple[Any, ...], other: Any) -> Expr:
        """The position of `other` in `members`; E212 when it is no member."""
        pool = self._tracer.pool
        if isinstance(other, Member):
            if other._members == members:
                return other._term
            places = [members.index(m) if m in members else -1 - i for i, m in enumerate(other._members)]
            return pool.select(other._term, [pool.const(p) for p in places])
        if other not in members:
            names = [str(getattr(m, "name", m)) for m in members]
            hint = suggestion(str(other), names)
            domain = f"Enum({', '.join(names)})"
            raise EverystateError(
                "E212", user_place(), value=other, domain=domain, suggestion=hint, members=", ".join(names)
            )
        return pool.const(members.index(other))

    def __eq__(self, other: object) -> Any:
        if other is None or isinstance(other, (int, Number)):
            return False
        return self._tracer.boolean(self._tracer.pool.eq(self._term, self._position_in(self._members, other)))

    def __ne__(self, other: object) -> Any:
        return self._tracer.negated(self == other)

    def __hash__(self) -> int:
        return hash(self._concrete())

    def _concrete(self) -> Any:
        """The member itself; forks."""
        return self._members[self._tracer.concretize(self._term)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._concrete(), name)
