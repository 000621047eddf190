"""Scalar symbols: what an action gets instead of a number, a boolean or an enum member while it is traced.

Operators build terms. Where Python needs the value (`if`, `and`, `range`, a dict key, a string), the tracer picks a
branch and later takes the others. So every protocol of Python answers as the value itself would, or is refused with an
error; none falls through to that of `object`.
"""

from __future__ import annotations

import copy
import enum
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from types import FunctionType
from typing import Any, NoReturn

from ..errors import CheckedError, EverystateError, is_ours, user_place
from ..language import record
from ..language.domains import is_frozen_dataclass, parts_of_value
from ..language.values import called
from .expr import Expr, Pool
from .machine import SymbolicMachine
from .optional import OptionalValue
from .state_value import Item, StateValue

_OPERATORS = (
    "lt le gt ge add radd sub rsub mul rmul floordiv rfloordiv mod rmod truediv rtruediv pow rpow and rand or ror xor "
    "rxor lshift rlshift rshift rrshift invert neg pos abs divmod rdivmod round"
)
_OTHERS = "trunc floor ceil int index float complex len iter getitem contains call reversed"
PROTOCOLS = tuple(f"__{name}__" for name in f"{_OPERATORS} {_OTHERS}".split())
"""Special methods that members of an enum may have by their class: strings have some, IntEnum others."""


class Symbol(StateValue):
    """A term with the tracer that it belongs to."""

    __slots__ = ("_term", "_tracer")

    def __init__(self, tracer: SymbolicMachine, term: Expr) -> None:
        self._tracer, self._term = tracer, term

    def _concrete(self) -> Any:
        """The value itself; forks on all values that are possible here."""
        raise NotImplementedError

    def _resolved(self) -> Any:
        return self._concrete()

    def _kind(self) -> str:
        """Its kind, for messages."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "…" if only_told() else repr(self._concrete())

    def __str__(self) -> str:
        return "…" if only_told() else str(self._concrete())

    def __format__(self, spec: str) -> str:
        return "…" if only_told() and self._has_text(spec) else format(self._concrete(), spec)

    def _has_text(self, spec: str) -> bool:
        """Whether formatting is sure to succeed, so that the string need not be made."""
        return not spec

    def __hash__(self) -> int:
        return hash(self._concrete())

    def __getattr__(self, name: str) -> Any:
        kind: Any = self.__class__
        if not hasattr(kind, name) and not issubclass(kind, enum.Enum):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        return getattr(self._concrete(), name)

    def __reduce_ex__(self, protocol: Any) -> str:
        """A symbol is copied as a number is: the copy module takes a string for `it is its own copy`."""
        if sys._getframe(1).f_code.co_filename == copy.__file__:
            return ""
        raise self._unsupported("pickling", "a value of the state is not known while it is traced", "leave it out")

    def _unsupported(self, expression: str, reason: str, remedy: str) -> EverystateError:
        """E215 for an operation that symbols do not have."""
        return EverystateError("E215", user_place(), expression=expression, reason=reason, remedy=remedy)


def only_told(depth: int = 2) -> bool:
    """Whether the text of a symbol is made for one of our own messages.

    `depth` counts the frames from here to the caller that needs the text.
    """
    frame: Any = sys._getframe(depth)
    while frame.f_code.co_filename == record.__file__:
        frame = frame.f_back  # the text of a record is for its caller
    return is_ours(frame.f_code.co_filename)


def in_message(value: Any) -> str:
    """The text of a value for a message, without splitting on symbols."""
    if type(value) is OptionalValue or isinstance(value, Symbol):
        return "…"
    return f"({', '.join(map(in_message, value))})" if isinstance(value, tuple) else repr(value)


def holds_symbols(value: Any) -> bool:
    """Whether a tuple, or a frozen dataclass, has a symbol among its parts."""
    if not isinstance(value, tuple) and not is_frozen_dataclass(type(value)):
        return False
    return any(isinstance(v, Symbol) or holds_symbols(v) for v in parts_of_value(value))


def equals_known(tracer: SymbolicMachine, value: Any, known: Any) -> Expr:
    """Whether a symbol, or a tuple of them, equals a key or member that is known; different kinds never do."""
    if isinstance(value, tuple):
        if not isinstance(known, tuple) or len(value) != len(known):
            return tracer.pool.false
        return tracer.pool.and_(equals_known(tracer, v, k) for v, k in zip(value, known, strict=True))
    if is_frozen_dataclass(type(value)):
        return tracer.equal(value, known)
    if isinstance(value, Member):
        return tracer.equal(value, known) if known in value._members else tracer.pool.false
    if isinstance(value, (Integer, Boolean)):
        return tracer.equal(value, known) if isinstance(known, int) else tracer.pool.false
    return tracer.pool.truth(value == known)


def answers_itself(value: Any) -> bool:
    """Whether a class in Python defines its own equality; then Python calls it."""
    return isinstance(getattr(type(value), "__eq__", None), FunctionType)


def _number(value: Any) -> bool:
    return isinstance(value, (Number, int))


def _operand(value: Any) -> Any:
    """A number as such; None for other values, or the result of a class written in Python.

    Whole numbers of libraries in C have __index__.
    """
    if isinstance(value, Number) or type(value) in (int, bool):
        return value
    if isinstance(value, int):
        return None if changes_numbers(type(value)) else int.__index__(value)
    own = getattr(type(value), "__index__", None)
    return None if own is None or isinstance(own, FunctionType) else operator.index(value)


def changes_numbers(cls: Any) -> bool:
    """Whether a subclass of int or float has operators of its own; E215 for those from C."""
    names = ("__eq__", "__ne__", *PROTOCOLS)
    own = [vars(base)[n] for base in cls.__mro__ if _own(base) for n in names if n in vars(base)]
    if any(not isinstance(operation, FunctionType) for operation in own):
        reason, remedy = "its operators are those of another one in C", "write them as functions"
        raise EverystateError("E215", user_place(), expression=f"a {cls.__name__}", reason=reason, remedy=remedy)
    return bool(own)


def _own(cls: type) -> bool:
    """Whether a class, of a number, is defined by a user."""
    return cls not in (int, bool, float, complex, object) and not issubclass(cls, enum.Enum)


def _arithmetic(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    calculate = getattr(Pool, name)

    def operate(self: Number, other: Any) -> Any:
        found = self._with(other)
        if found is None:
            return NotImplemented
        pair = (found, self) if reflected else (self, found)
        a, b = (self._tracer.number(v) for v in pair)
        return self._tracer.integer(calculate(self._tracer.pool, a, b))

    return operate


def _division(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Number, other: Any) -> Any:
        found = self._with(other)
        if found is None:
            return NotImplemented
        tracer = self._tracer
        a, b = (tracer.in_a_word(tracer.number(v)) for v in ((found, self) if reflected else (self, found)))
        zero = tracer.pool.eq(b, tracer.pool.const(0))
        tracer.check(
            tracer.pool.not_(zero),
            lambda: CheckedError("E306", user_place()),
            lambda: ZeroDivisionError(f"integer {'modulo' if name == 'mod' else 'division or modulo'} by zero"),
        )
        return tracer.integer(getattr(tracer.pool, name)(a, b))

    return operate


def _comparison(name: str, swap: bool = False) -> Callable[[Any, Any], Any]:
    compare = getattr(Pool, name)

    def operate(self: Number, other: Any) -> Any:
        if type(other) is float and not math.isfinite(other):
            return getattr(operator, name)(*((other, 0) if swap else (0, other)))
        found = other if type(other) is int or isinstance(other, Number) else self._comparable(other, name, swap)
        if found is None:
            return NotImplemented
        tracer, pair = self._tracer, (found, self) if swap else (self, found)
        a, b = tracer.number(pair[0]), tracer.number(pair[1])
        return tracer.boolean(compare(tracer.pool, a, b))

    return operate


def _refused(expression: str, reason: str, remedy: str) -> Callable[..., NoReturn]:
    def refuse(self: Symbol, *_: Any) -> NoReturn:
        raise self._unsupported(expression, reason, remedy)

    return refuse


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

    __truediv__ = _refused("division with /", "its result is not an integer", "use // instead")
    __rtruediv__ = __truediv__
    __pow__ = _refused("a power", "there is no bound on its result", "multiply, or look the value up in a list")
    __rpow__ = __pow__

    def _with(self, other: Any) -> Any:
        """The other operand of an arithmetic operator; None where Python must try the other operand."""
        if isinstance(other, Number) or type(other) in (int, bool):
            return other
        if isinstance(other, (float, complex)) or type(other) is Decimal:
            remedy = "multiply both sides until all numbers are whole"
            raise self._unsupported(f"arithmetic with {other!r}", "its result is not an integer", remedy)
        return _operand(other)

    def _comparable(self, other: Any, name: str, swap: bool) -> Any:
        """Another operand of a comparison, as a number; None where Python must try the other operand."""
        if isinstance(other, Decimal) and type(other) is Decimal:
            other = self._bound(other, name, swap)
        elif isinstance(other, float) and not isinstance(other, (Number, int)):
            if type(other) is not float and changes_numbers(type(other)):
                return None
            other = self._bound(other, name, swap)
        return _operand(other)

    def _bound(self, other: float | Decimal, name: str, swap: bool) -> int:
        """The whole number for a comparison with a float: n < 2.5 is n < 3, n > 2.5 is n > 2."""
        if not math.isfinite(other):
            raise self._unsupported(f"a comparison with {other!r}", "it is no number", "compare with a whole number")
        return math.floor(other) if (name == "lt") == swap else math.ceil(other)

    def __eq__(self, other: object) -> Any:
        if type(other) is OptionalValue:
            return NotImplemented
        if (isinstance(other, Number) or type(other) in (int, bool)) and not isinstance(other, Member):
            return self._tracer.boolean(self._tracer.pool.eq(self._tracer.number(self), self._tracer.number(other)))
        return self._equals_other(other)

    def _equals_other(self, other: Any) -> Any:
        """Whether it equals something that is no number of the state and no int."""
        if other is None:
            return False
        if isinstance(other, Member):
            return other == self
        if type(other) in (float, complex, Decimal) or (isinstance(other, float) and not changes_numbers(type(other))):
            found = _whole(other)
        else:
            found = _operand(other)
        if found is not None:
            return self == (found if isinstance(found, Number) else int(found))
        return NotImplemented if answers_itself(other) else False

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else self._tracer.negated(same)

    __hash__ = Symbol.__hash__

    def __index__(self) -> int:
        return self._tracer.concretize(self._tracer.number(self))

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return self + 0

    __trunc__ = __floor__ = __ceil__ = __pos__

    def __round__(self, digits: Any = None) -> Any:
        return +self if digits is None else round(self.__index__(), digits)

    def __abs__(self) -> Any:
        return self._tracer.join(self._tracer.truth(self < 0), -self, +self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


def _whole(value: Any) -> int | None:
    value = float.__pos__(value) if isinstance(value, float) else value  # a user-defined class may differ
    real = value.real
    return int(real) if value.imag == 0 and math.isfinite(real) and real == int(real) else None


@called("number")
class Integer(Number):
    """An integer."""

    __slots__ = ()
    __class__ = property(lambda self: int)

    def _concrete(self) -> Any:
        return self.__index__()

    def _truth(self) -> Expr:
        return self._tracer.pool.not_(self._tracer.pool.eq(self._term, self._tracer.pool.const(0)))

    def _kind(self) -> str:
        return "a number"

    def __bool__(self) -> bool:
        return bool(self != 0)

    def _has_text(self, spec: str) -> bool:
        return _formats((0,), spec)

    __and__ = _refused(
        "a bit operation",
        "numbers are ranges here, not bit patterns",
        "put brackets around comparisons, (a >= 0) & (b == 0), since & and | bind closer; else use // and %, or a Set "
        "(also in place of an enum.Flag)",
    )
    __or__ = __xor__ = __lshift__ = __rshift__ = __invert__ = __and__
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __and__


@called("truth")
class Boolean(Number):
    """A boolean: `&` and `|` combine without splitting the path; `and`, `or` and `not` split it."""

    __slots__ = ()
    __class__ = property(lambda self: bool)

    def _concrete(self) -> Any:
        return bool(self)

    def _truth(self) -> Expr:
        return self._term

    def _kind(self) -> str:
        return "a boolean"

    def __bool__(self) -> bool:
        return self._tracer.decide(self._term)

    def _has_text(self, spec: str) -> bool:
        return _formats((True,), spec)

    def _combine(self, other: Any, kind: str) -> Any:
        if not isinstance(other, (Boolean, bool)):
            self._needs_truth(other)
            return NotImplemented
        pool, terms = self._tracer.pool, (self._term, self._tracer.truth(other))
        return self._tracer.boolean(pool.and_(terms) if kind == "and" else pool.or_(terms))

    def __and__(self, other: Any) -> Any:
        return self._combine(other, "and")

    def __or__(self, other: Any) -> Any:
        return self._combine(other, "or")

    def __xor__(self, other: Any) -> Any:
        if not isinstance(other, (Boolean, bool)):
            self._needs_truth(other)
            return NotImplemented
        return self != other

    def _needs_truth(self, other: Any) -> None:
        """E215 where a boolean is to be combined with a number, bit by bit."""
        if isinstance(other, (Number, int)):
            reason, remedy = (
                "numbers are ranges here, not bit patterns",
                "compare the number first, or use int(...) and %",
            )
            raise self._unsupported("a bit operation of a boolean and a number", reason, remedy)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __lshift__ = _refused("a bit operation", "numbers are ranges here, not bit patterns", "use // and %")
    __rshift__ = __rlshift__ = __rrshift__ = __lshift__

    __invert__ = _refused("~", "on a Python bool it gives -1 or -2", "use `not`")


class Member(Symbol):
    """An enum member: `_term` is its position in `_members`. Made by `member_symbol`."""

    __slots__ = ("_members",)

    def __init__(self, tracer: SymbolicMachine, term: Expr, members: tuple[Any, ...]) -> None:
        super().__init__(tracer, term)
        self._members = members

    def _class(self) -> Any:
        kinds = {type(m) for m in self._members}
        return kinds.pop() if len(kinds) == 1 else type(self._concrete())

    __class__ = property(_class)

    def _concrete(self) -> Any:
        return self._members[self._tracer.concretize(self._term)]

    def _truth(self) -> Expr:
        true = [i for i, member in enumerate(self._members) if member]
        return self._tracer.pool.true if len(true) == len(self._members) else self._is_any(true)

    def _length(self) -> Expr:
        return self._tracer.pool.const(len(self._concrete()))

    def _in_turn(self) -> Iterator[Item]:
        for part in self._concrete():
            yield lambda: self._tracer.pool.true, lambda part=part: part  # type: ignore[misc]

    def _has(self, item: Any) -> bool:
        return item in self._concrete()

    def _is_any(self, positions: Iterable[int]) -> Expr:
        """Whether it is a member at one of these positions."""
        pool = self._tracer.pool
        return pool.or_([pool.eq(self._term, pool.const(i)) for i in positions])

    def __getattr__(self, name: str) -> Any:
        if any(hasattr(member, name) for member in self._members):  # fields of a dataclass are not in its class
            return getattr(self._concrete(), name)
        return super().__getattr__(name)

    def _kind(self) -> str:
        return f"one of {', '.join(_names(self._members))}"

    def _has_text(self, spec: str) -> bool:
        return _formats(self._members, spec)

    def __str__(self) -> str:
        return "…" if only_told() and _formats(self._members, "") else str(self._concrete())

    def __repr__(self) -> str:
        return "…" if only_told() and _formats(self._members, "") else repr(self._concrete())

    def _position_in(self, members: tuple[Any, ...], other: Any) -> Expr:
        """The position of `other` in `members`; less than 0 where it is no member."""
        pool = self._tracer.pool
        if isinstance(other, Member):
            if other._members == members:
                return other._term
            places = [members.index(m) if m in members else -1 - i for i, m in enumerate(other._members)]
            return pool.select(other._term, [pool.const(p) for p in places])
        if other not in members:
            return pool.const(-1)
        return pool.const(members.index(other))

    def __eq__(self, other: object) -> Any:
        if type(other) is OptionalValue:
            return NotImplemented
        pool, boolean, mine = self._tracer.pool, self._tracer.boolean, self._members
        if isinstance(other, Member):
            if mine == other._members:
                return boolean(pool.eq(self._term, other._term))
            equal = [(i, [j for j, n in enumerate(other._members) if m == n]) for i, m in enumerate(mine)]
            return boolean(pool.or_([pool.and_((self._is_any([i]), other._is_any(js))) for i, js in equal if js]))
        if isinstance(other, Number):
            numbers = [(i, self._tracer.equal(other, m)) for i, m in enumerate(mine) if isinstance(m, int)]
            return boolean(pool.or_([pool.and_((self._is_any([i]), same)) for i, same in numbers]))
        if answers_itself(other) and type(other) is not type(mine[0]):
            return NotImplemented
        return boolean(self._is_any([i for i, m in enumerate(mine) if m == other]))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else self._tracer.negated(same)

    __hash__ = Symbol.__hash__

    def __bool__(self) -> bool:
        return self._tracer.decide(self._truth())


def _formats(values: tuple[Any, ...], spec: str) -> bool:
    """Whether values can be formatted as specified; for a number that is independent of its value, except as a
    character."""
    try:
        for value in values:
            format(value, spec), str(value), repr(value)
    except Exception:
        return False
    return "c" not in spec


def _names(members: tuple[Any, ...]) -> list[str]:
    return [str(getattr(m, "name", m)) for m in members]


def member_symbol(tracer: SymbolicMachine, term: Expr, members: tuple[Any, ...]) -> Member:
    """An enum symbol; it has the special methods that all its members have, and forks for them."""
    found: Member = _member_class(tuple(dict.fromkeys(map(type, members))))(tracer, term, members)
    return found


@lru_cache(maxsize=256)
def _member_class(kinds: tuple[type, ...]) -> Any:
    defined = [{name for cls in kind.__mro__ for name in vars(cls)} for kind in kinds]
    names = [name for name in PROTOCOLS if all(name in own for own in defined)]
    own = {"__slots__": (), **{name: _on_value(name) for name in names}}
    texts = all(issubclass(kind, str) for kind in kinds)
    if texts:
        own["__radd__"] = lambda self, other: other + self._concrete()
    return type("text of the state" if texts else "enum member", (Member,), own)


def _on_value(name: str) -> Callable[..., Any]:
    """A special method that needs the value; operators try the other operand, too."""
    plain = name.removeprefix("__r").removesuffix("__")
    reflected = name.startswith("__r") and hasattr(operator, f"__{plain}__")
    operation = getattr(operator, f"__{plain}__" if reflected else name, None)

    def ask(self: Member, *arguments: Any) -> Any:
        given = [a._concrete() if isinstance(a, Member) else a for a in arguments]
        if operation is None:
            return getattr(self._concrete(), name)(*given)
        return operation(*given, self._concrete()) if reflected else operation(self._concrete(), *given)

    return ask
