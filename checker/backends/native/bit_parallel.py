"""Bit-parallel junctions and positions: conditions on all elements of a packed sequence or array at once.

A junction (and, or, count) over a collection has one argument for each element, of the form "element i exists
and equals X". Where the elements are equal fields at equal distances in one word, a handful of word
operations answer all of them: exclusive-or with X in every lane, then the exact test for zero fields
(H. S. Warren, Hacker's Delight, section 6-1), then a mask for the length. Measured on idem-producer, this
makes its three invariants about five times cheaper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...ir.expr import Expr
from ...ir.layout import Layout
from .builder import Function

FEWEST = 3
BOOLEAN = -1
ONES = (1 << 64) - 1
SCALE = 1 << 16


class Terms(Protocol):
    """Emits terms over one state, into a function."""

    fn: Function
    layout: Layout
    words: Sequence[Any]

    @property
    def groups(self) -> Groups: ...

    def const(self, value: int, truth: bool = False) -> Any: ...

    def __call__(self, term: Expr) -> Any: ...


@dataclass(frozen=True)
class Lane:
    """One part of a conjunction or disjunction: a field of an element that is compared with a term (None: a boolean
    field), if the sequence is long enough to have the element."""

    shift: int
    compared: Expr | None
    position: int


@dataclass(frozen=True)
class Shape:
    """What the lanes of one group have in common."""

    word: int
    width: int
    lo: int
    positive: bool
    compared: int | None
    """The id of the compared term, None for constants (each lane may have its own), BOOLEAN for boolean fields."""
    length: Expr | None


@dataclass(frozen=True)
class Group:
    """Arguments that one mask evaluates."""

    shape: Shape
    members: list[Lane]
    stride: int

    def reads(self) -> list[Expr]:
        """The terms that the mask is made of."""
        compared = self.members[0].compared if self.shape.compared is not None else None
        return [term for term in (compared, self.shape.length) if term is not None]


@dataclass(frozen=True)
class Position:
    """A chain of conditionals that finds the first matching element, or (`order` -1) the last one."""

    group: Group
    order: int
    first: int
    step: int
    other: Expr


class Groups:
    """Groups of arguments of terms over a layout, cached: terms are written in many places."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._junctions: dict[tuple[Sequence[Expr], bool], tuple[list[Group], list[Expr]]] = {}
        self._positions: dict[Expr, Position | None] = {}

    def junction(self, arguments: Sequence[Expr], positive: bool) -> tuple[list[Group], list[Expr]]:
        """(groups, arguments that fit none), where arguments are to hold or (positive=False) not to hold."""
        key = (arguments, positive)
        if key not in self._junctions:
            self._junctions[key] = _junction(self.layout, arguments, positive)
        return self._junctions[key]

    def position(self, term: Expr) -> Position | None:
        """A conditional as a position; None for another form."""
        if term not in self._positions:
            self._positions[term] = _position(self.layout, term)
        return self._positions[term]


def lanes(terms: Terms, arguments: Sequence[Expr], positive: bool) -> tuple[list[Any], list[Expr]]:
    """(masks with one bit for each argument that holds, arguments that fit no group).

    With positive=False the bits mark the arguments that do not hold.
    """
    groups, rest = terms.groups.junction(arguments, positive)
    return [_mask(terms, group.shape, group.members, group.stride) for group in groups], rest


def _junction(layout: Layout, arguments: Sequence[Expr], positive: bool) -> tuple[list[Group], list[Expr]]:
    by_shape: dict[Shape, list[tuple[Lane, Expr]]] = defaultdict(list)
    rest: list[Expr] = []
    for argument in arguments:
        found = _parse(layout, argument, positive)
        if found is None:
            rest.append(argument)
        else:
            by_shape[found[0]].append((found[1], argument))
    groups = list[Group]()
    for shape, members in by_shape.items():
        group = [lane for lane, _ in members]
        stride = _stride(group, shape)
        if stride is None:
            rest += [argument for _, argument in members]
        else:
            groups.append(Group(shape, group, stride))
    return groups, rest


def _parse(layout: Layout, argument: Expr, positive: bool) -> tuple[Shape, Lane] | None:
    """An argument as a lane; None when it has another form."""
    literals = _literals(argument, positive)
    if len(literals) == 1:
        return _core(layout, *literals[0], None, 0)
    if len(literals) != 2:
        return None
    for (guard, truth), core in (literals, literals[::-1]):
        found = _guard(guard) if truth else None
        if found is not None:
            return _core(layout, *core, *found)
    return None


def _literals(term: Expr, truth: bool) -> list[tuple[Expr, bool]]:
    """A conjunction as literals with the boolean value of each."""
    if term.op == "not":
        return _literals(term.args[0], not truth)
    if term.op == ("and" if truth else "or"):
        return [literal for part in term.args for literal in _literals(part, truth)]
    return [(term, truth)]


def _guard(term: Expr) -> tuple[Expr, int] | None:
    """(length, i) for a term that means i < length."""
    if term.op == "lt" and term.args[0].op == "const" and term.args[1].op == "var":
        return term.args[1], term.args[0].value
    if term.op == "eq" and term.args[0].op == "var" and term.args[1].op == "const":
        length, value = term.args
        if value.value == length.hi > 1 and not length.boolean:
            return length, value.value - 1
    return None


def _core(layout: Layout, term: Expr, truth: bool, length: Expr | None, position: int) -> tuple[Shape, Lane] | None:
    compared: Expr | None = None
    if term.op == "eq" and not term.args[0].boolean:
        a, b = term.args
        term, compared = (a, b) if a.op == "var" else (b, a)
    if term.op != "var" or (compared is None and not term.boolean):
        return None
    field = layout.fields[term.value]
    key = BOOLEAN if compared is None else None if compared.op == "const" else compared.id
    return Shape(field.word, field.width, field.lo, truth, key, length), Lane(field.shift, compared, position)


def _stride(members: list[Lane], shape: Shape) -> int | None:
    """The distance of the lanes; None when they do not form a regular group."""
    if len(members) < FEWEST or len({m.shift for m in members}) < len(members):
        return None
    members.sort(key=lambda m: m.shift)
    stride = members[1].shift - members[0].shift
    first = members[0]
    for i, lane in enumerate(members):
        if lane.shift != first.shift + i * stride or (shape.length and lane.position != first.position + i):
            return None
    return stride


def _mask(terms: Terms, shape: Shape, members: list[Lane], stride: int) -> Any:
    b, const = terms.fn.b, terms.const
    members = sorted(members, key=lambda m: m.shift)
    word, width = terms.words[shape.word], shape.width
    tops = sum(1 << (m.shift + width - 1) for m in members)
    lows = sum(((1 << (width - 1)) - 1) << m.shift for m in members)
    if members[0].compared is None:
        found = b.and_(word if shape.positive else b.not_(word), const(tops))
    else:
        difference = b.xor(word, _pattern(terms, shape, members))
        nonzero = b.or_(b.add(b.and_(difference, const(lows)), const(lows)), difference) if lows else difference
        found = b.and_(b.not_(nonzero), const(tops))
        found = _within(terms, shape, members[0].compared, found)
        if not shape.positive:
            found = b.xor(found, const(tops))
    if shape.length is None:
        return found
    return b.and_(found, _existing(terms, shape.length, members, stride))


def _existing(terms: Terms, length: Expr, members: list[Lane], stride: int) -> Any:
    """The bits of the elements before a length, which may be any number: nothing is computed with a large one."""
    b, const = terms.fn.b, terms.const
    value, first, last = terms(length), members[0], members[-1]
    end = b.add(b.mul(b.sub(value, const(first.position)), const(stride)), const(first.shift))
    below = b.sub(b.shl(const(1), b.and_(end, const(63))), const(1))
    some = b.icmp_signed(">", value, const(first.position))
    every = b.icmp_signed(">", value, const(last.position))
    return b.select(every, const(ONES), b.select(some, below, const(0)))


def _pattern(terms: Terms, shape: Shape, members: list[Lane]) -> Any:
    """The value that each lane is compared with, in its place."""
    b, const = terms.fn.b, terms.const
    compared = members[0].compared
    assert compared is not None
    if shape.compared is None:
        fields = ((m.compared.value - shape.lo) << m.shift for m in members if m.compared is not None)
        return const(sum(fields))
    value = b.sub(terms(compared), const(shape.lo)) if shape.lo else terms(compared)
    if not _fits(shape, compared):
        value = b.and_(value, const((1 << shape.width) - 1))
    return b.mul(value, const(sum(1 << m.shift for m in members)))


def _fits(shape: Shape, term: Expr) -> bool:
    return shape.lo <= term.lo and term.hi < shape.lo + (1 << shape.width)


def _within(terms: Terms, shape: Shape, compared: Expr, found: Any) -> Any:
    """No lane equals a value that its field cannot hold."""
    if _fits(shape, compared) or shape.compared is None:
        return found
    b, const = terms.fn.b, terms.const
    value = b.sub(terms(compared), const(shape.lo))
    return b.select(b.icmp_unsigned("<", value, const(1 << shape.width)), found, const(0))


def position(terms: Terms, term: Expr) -> Any | None:
    """The value of "x if element i .. else y if element j .. else z", numbers at even distances; None for another form.

    The first element that fits is that of the lowest bit of a mask, the last one that of the highest.
    """
    found = terms.groups.position(term)
    if found is None:
        return None
    b, const, group, step = terms.fn.b, terms.const, found.group, found.step
    lowest = min(lane.shift for lane in group.members)
    mask = _mask(terms, group.shape, group.members, group.stride)
    mask = b.lshr(mask, const(lowest + group.shape.width - 1))
    if found.order > 0:
        number = b.add(_quotient(terms, b.cttz(mask), group.stride), const(1))
    else:
        bits = b.sub(const(64), b.ctlz(mask))
        number = _quotient(terms, b.add(bits, const(group.stride - 1)), group.stride)
    value = number if step == 1 else b.mul(number, const(step))
    value = b.add(value, const(found.first - step)) if found.first != step else value
    if found.order < 0 and found.other.op == "const" and found.other.value == found.first - step:
        return value
    return b.select(b.icmp_unsigned("!=", mask, const(0)), value, terms(found.other))


def _position(layout: Layout, term: Expr) -> Position | None:
    conditions, values, other = _chain(term)
    found = [_parse(layout, condition, True) for condition in conditions]
    parsed = [lane for lane in found if lane is not None]
    if len(parsed) < max(FEWEST, len(found)) or len({shape for shape, _ in parsed}) > 1:
        return None
    shape, members, in_turn = parsed[0][0], [lane for _, lane in parsed], sorted(lane.shift for _, lane in parsed)
    stride = _stride(members, shape)
    order, shifts = 1, [lane.shift for _, lane in parsed]
    if shifts != in_turn:
        order, values = -1, values[::-1]
    step = values[1] - values[0]
    if stride is None or shifts[::order] != in_turn or values != [values[0] + i * step for i in range(len(values))]:
        return None
    return Position(Group(shape, members, stride), order, values[0], step, other)


def _chain(term: Expr) -> tuple[list[Expr], list[int], Expr]:
    """The conditions of nested conditionals, the constants that they choose, and the rest."""
    conditions, values = [], []
    while term.op == "ite" and term.args[1].op == "const":
        conditions.append(term.args[0])
        values.append(term.args[1].value)
        term = term.args[2]
    return conditions, values, term


def _quotient(terms: Terms, value: Any, divisor: int) -> Any:
    """A number below 128 divided by one of at most 64, by a multiplication that is exact for these."""
    if divisor == 1:
        return value
    b, const = terms.fn.b, terms.const
    return b.lshr(b.mul(value, const(-(-SCALE // divisor))), const(SCALE.bit_length() - 1))


def any_bit(terms: Terms, masks: Sequence[Any]) -> Any:
    """Whether some mask has a bit."""
    joined = masks[0]
    for mask in masks[1:]:
        joined = terms.fn.b.or_(joined, mask)
    return terms.fn.b.icmp_unsigned("!=", joined, terms.const(0))


def number_of_bits(terms: Terms, masks: Sequence[Any]) -> list[Any]:
    """How many bits each mask has."""
    return [terms.fn.b.ctpop(mask) for mask in masks]
