"""Terms as LLVM values: the fields of a packed state, and straight-line code for every operator.

The same code is for one state, whose words are numbers, and for several at once, whose words are vectors with a lane
for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...ir.expr import Expr
from ...ir.layout import Field, Layout
from . import bit_parallel
from .builder import I1, I64, Function
from .instructions import Type, VectorType, constant


class Terms:
    """Emits terms over one state (and the state before a step), each at most once on a path; or over `lanes` states.

    `groups` are shared with other functions over the same layout.
    """

    def __init__(
        self,
        fn: Function,
        layout: Layout,
        words: Sequence[Any],
        before: Sequence[Any] = (),
        lanes: int = 0,
        groups: bit_parallel.Groups | None = None,
    ) -> None:
        self.fn, self.layout, self.words, self.before = fn, layout, words, before
        self.lanes, self.number, self.truth = lanes, widened(I64, lanes), widened(I1, lanes)
        self.groups = groups or bit_parallel.Groups(layout)
        self._done: dict[object, Any] = {}
        self._log: list[object] = []

    @contextmanager
    def branch(self) -> Iterator[None]:
        """What is emitted in the body is not reused after it: its block does not dominate what follows."""
        mark = len(self._log)
        yield
        for key in self._log[mark:]:
            del self._done[key]
        del self._log[mark:]

    def const(self, value: int, truth: bool = False) -> Any:
        """A number, or a boolean."""
        one = self.fn.const(value, I1 if truth else I64)
        return constant(self.truth if truth else self.number, [one] * self.lanes) if self.lanes else one

    def __call__(self, term: Expr) -> Any:
        """The value of a term: i64 for integers, i1 for booleans, in each lane."""
        if term.op == "const":
            return self.const(term.value, term.boolean)
        found = self._done.get(term.id)
        if found is None:
            found = self._done[term.id] = getattr(self, f"_{term.op}")(term)
            self._log.append(term.id)
        return found

    def once(self, made: object, make: Callable[[], Any]) -> Any:
        """What `make` emits for something that is no term, on this path; what it emitted before if it did."""
        found = self._done.get(made)
        if found is None:
            found = self._done[made] = make()
            self._log.append(made)
        return found

    def parts(self, term: Expr) -> Sequence[Expr]:
        """The terms that are emitted for a term, beside itself."""
        groups = list[bit_parallel.Group]()
        match term.op:
            case "and" | "or" | "count":
                groups, rest = self.groups.junction(term.args, term.op != "and")
            case "ite" if not term.boolean and (position := self.groups.position(term)) is not None:
                groups, rest = [position.group], [position.other]
            case "select" if self._strided(term.args[1:]) is not None:
                rest = [term.args[0]]
            case _:
                return term.args
        return [*rest, *(part for group in groups for part in group.reads())]

    def placed(self, field: Field, term: Expr) -> Any:
        """The value of a term at the bits of a field, all others zero."""
        b, value = self.fn.b, self(term)
        if term.boolean:
            value = b.zext(value, self.number)
        if field.lo:
            value = b.sub(value, self.const(field.lo))
        return b.shl(value, self.const(field.shift)) if field.shift else value

    def _field(self, words: Sequence[Any], field: Field, boolean: bool) -> Any:
        b, const = self.fn.b, self.const
        value = words[field.word]
        if field.shift:
            value = b.lshr(value, const(field.shift))
        if boolean:
            return b.trunc(value, self.truth)
        if field.shift + field.width < 64:
            value = b.and_(value, const((1 << field.width) - 1))
        return b.add(value, const(field.lo)) if field.lo else value

    def _var(self, term: Expr) -> Any:
        return self._field(self.words, self.layout.fields[term.value], term.boolean)

    def _before(self, term: Expr) -> Any:
        return self._field(self.before, self.layout.fields[term.value], term.boolean)

    def _add(self, term: Expr) -> Any:
        return self.fn.b.add(*map(self, term.args))

    def _sub(self, term: Expr) -> Any:
        return self.fn.b.sub(*map(self, term.args))

    def _mul(self, term: Expr) -> Any:
        return self.fn.b.mul(*map(self, term.args))

    def _division(self, term: Expr) -> tuple[Any, Any]:
        """(quotient, remainder), both rounded down as in Python; a zero divisor counts as 1.

        Divisions are computed on every path, even where a branch does not use them and operands come from an index out
        of range. So none may trap: neither by 0, nor the least number by -1.
        """
        b, const = self.fn.b, self.const
        dividend, divisor = term.args
        x, y = self(dividend), self(divisor)
        if divisor.op != "const":
            y = b.select(b.icmp_signed("==", y, const(0)), const(1), y)
        if dividend.lo >= 0 and divisor.lo > 0:
            return b.udiv(x, y), b.urem(x, y)
        if divisor.lo <= 0 and (divisor.op != "const" or divisor.value == -1):
            flipped = b.icmp_signed("==", y, const(-1))
            x, y = b.select(flipped, b.sub(const(0), x), x), b.select(flipped, const(1), y)
        quotient, remainder = b.sdiv(x, y), b.srem(x, y)
        inexact = b.icmp_signed("!=", remainder, const(0))
        down = b.and_(inexact, b.icmp_signed("<", b.xor(x, y), const(0)))
        floor = b.sub(quotient, b.zext(down, self.number))
        return floor, b.select(down, b.add(remainder, y), remainder)

    def _div(self, term: Expr) -> Any:
        return self._division(term)[0]

    def _mod(self, term: Expr) -> Any:
        return self._division(term)[1]

    def _eq(self, term: Expr) -> Any:
        return self.fn.b.icmp_signed("==", *map(self, term.args))

    def _lt(self, term: Expr) -> Any:
        return self.fn.b.icmp_signed("<", *map(self, term.args))

    def _not(self, term: Expr) -> Any:
        return self.fn.b.not_(self(term.args[0]))

    def _and(self, term: Expr) -> Any:
        masks, rest = bit_parallel.lanes(self, term.args, positive=False)
        holds = [self.fn.b.not_(bit_parallel.any_bit(self, masks))] if masks else []
        return self._fold(self.fn.b.and_, [*holds, *map(self, rest)])

    def _or(self, term: Expr) -> Any:
        masks, rest = bit_parallel.lanes(self, term.args, positive=True)
        holds = [bit_parallel.any_bit(self, masks)] if masks else []
        return self._fold(self.fn.b.or_, [*holds, *map(self, rest)])

    def _count(self, term: Expr) -> Any:
        masks, rest = bit_parallel.lanes(self, term.args, positive=True)
        numbers = bit_parallel.number_of_bits(self, masks) + [self.fn.b.zext(self(part), self.number) for part in rest]
        return self._fold(self.fn.b.add, numbers)

    def _fold(self, join: Any, values: Sequence[Any]) -> Any:
        value = values[0]
        for part in values[1:]:
            value = join(value, part)
        return value

    def _ite(self, term: Expr) -> Any:
        if not self.lanes and not term.boolean:  # vectors have no bit-scan instruction
            position = bit_parallel.position(self, term)
            if position is not None:
                return position
        return self.fn.b.select(*map(self, term.args))

    def _select(self, term: Expr) -> Any:
        index, options = self(term.args[0]), term.args[1:]
        strided = self._strided(options)
        if strided is not None:
            return self._shifted(index, *strided, options[0].boolean)
        b, value = self.fn.b, self(options[-1])
        for i, option in enumerate(options[:-1]):
            value = b.select(b.icmp_signed("==", index, self.const(i)), self(option), value)
        return value

    def _strided(self, options: Sequence[Expr]) -> tuple[Field, int] | None:
        """The first field and the distance, when the options are equal fields at equal distances in a word."""
        if any(o.op != "var" for o in options):
            return None
        fields = [self.layout.fields[o.value] for o in options]
        first, stride = fields[0], fields[1].shift - fields[0].shift
        expected = [Field(first.word, first.shift + i * stride, first.width, first.lo) for i in range(len(fields))]
        return (first, stride) if fields == expected and stride > 0 else None

    def _shifted(self, index: Any, field: Field, stride: int, boolean: bool) -> Any:
        """A field at a variable position: one shift instead of a chain of selects."""
        b, const = self.fn.b, self.const
        distance = b.add(b.mul(index, const(stride)), const(field.shift))
        value = b.lshr(self.words[field.word], b.and_(distance, const(63)))
        if boolean:
            return b.trunc(value, self.truth)
        value = b.and_(value, const((1 << field.width) - 1))
        return b.add(value, const(field.lo)) if field.lo else value


def widened(type: Type, lanes: int) -> Type:
    """A vector with this number of lanes; the type itself for none."""
    return VectorType(type, lanes) if lanes else type
