"""States as z3 variables, one for each cell and moment; formulas for valid states and for initial states."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import z3

from ...ir.initial_states import Table, tables, width
from ...ir.traced import Model
from ...ir.tree import Branch, Choice, Tree, Update, folded, nodes
from ...language import marks
from ...language.domains import Domain
from ..native.initial_states import InitialStates
from .arithmetic import Arithmetic, Interval, Number
from .terms import Terms

Cells = tuple[int, ...]


@dataclass(frozen=True)
class Slot:
    """The variable of a cell in the formulas; models that share it may use a part of its interval."""

    path: str
    lo: int
    hi: int
    boolean: bool

    @property
    def interval(self) -> Interval:
        return self.lo, self.hi


class States:
    """The slots of one or several models (their cells united by path), and z3's variables for them."""

    def __init__(self, models: Sequence[Model], arithmetic: Arithmetic) -> None:
        self.models, self.arithmetic = models, arithmetic
        found: dict[tuple[str, bool], Slot] = {}
        for model in models:
            for cell in model.cells:
                key = (cell.path, cell.boolean)
                known = found.get(key, Slot(cell.path, cell.lo, cell.hi, cell.boolean))
                found[key] = Slot(cell.path, min(known.lo, cell.lo), max(known.hi, cell.hi), cell.boolean)
        self.slots = list(found.values())
        place = {key: i for i, key in enumerate(found)}
        self.places = [[place[c.path, c.boolean] for c in model.cells] for model in models]
        self._moments: dict[int, list[Any]] = {}

    def moment(self, at: int) -> list[Any]:
        """The variables of all slots at a moment."""
        if at not in self._moments:
            self._moments[at] = [self._variable(i, slot, at) for i, slot in enumerate(self.slots)]
        return self._moments[at]

    def _variable(self, i: int, slot: Slot, at: int) -> Any:
        name = f"{slot.path}#{i}@{at}"
        return z3.Bool(name) if slot.boolean else self.arithmetic.variable(name, slot.interval)

    def cells(self, model: int, at: int) -> list[Number]:
        """The numbers of one model's cells at a moment."""
        variables = self.moment(at)
        return [(variables[p], self.slots[p].interval) for p in self.places[model]]

    def decode(self, found: z3.ModelRef, model: int, at: int) -> Cells:
        """The cells of a state in a solution."""
        variables = self.moment(at)
        return tuple(self._value(found, variables[p], self.slots[p]) for p in self.places[model])

    def number(self, found: z3.ModelRef, term: Any, slot: int) -> int:
        """The value of a slot's variable in a solution."""
        return self._value(found, term, self.slots[slot])

    def _value(self, found: z3.ModelRef, variable: Any, slot: Slot) -> int:
        value = found.eval(variable, model_completion=True)
        if slot.boolean:
            return int(z3.is_true(value))
        return int(value.as_signed_long() if slot.lo < 0 and z3.is_bv(value) else value.as_long())

    # -- sets of states ------------------------------------------------------------------------------------

    def equals(self, slot: int, value: int, at: int = 0) -> Any:
        """That a slot has a value."""
        variable, of = self.moment(at)[slot], self.slots[slot].interval
        if self.slots[slot].boolean:
            return variable if value else z3.Not(variable)
        return variable == self.arithmetic.constant(value, of)

    def are(self, model: int, cells: Sequence[int], at: int = 0, first: int = 0) -> Any:
        """That some consecutive cells of a model have these values."""
        return z3.And([self.equals(self.places[model][first + i], value, at) for i, value in enumerate(cells)])

    def initial(self, model: int) -> Any:
        """The initial states of a model at moment 0; slots that it does not have keep their lowest value."""
        spec, parts, at = self.models[model].spec, [], 0
        beginning = self.models[model].beginning
        filters = beginning and not any(
            isinstance(n, Update) and n.writes for hook in beginning for n in nodes(hook.tree)
        )
        if filters:
            read = Terms(self.arithmetic, self.cells(model, 0))
            parts += [folded(hook.tree, partial(_succeeds, read), None) for hook in beginning]
        if spec._named(marks.INITIAL) and not filters:
            parts.append(
                z3.Or([self.are(model, cells) for cells in dict.fromkeys(InitialStates(self.models[model]).cells())])
            )
        else:
            for table in itertools.chain.from_iterable(map(tables, spec.domains.values())):
                parts.append(self._one_of(model, table, at))
                at += width(table)
        absent = set(range(len(self.slots))) - set(self.places[model])
        return z3.And(*parts, *(self.equals(p, self.slots[p].lo) for p in sorted(absent)))

    def _one_of(self, model: int, table: Table, first: int) -> Any:
        """That some consecutive cells have one of the values in a table; cells that may have any need no such list."""
        if isinstance(table, range):
            number = self.cells(model, 0)[first]
            return z3.And([] if z3.is_bool(number[0]) else list(self._within(number, table.start, table.stop - 1)))
        values: list[Cells] = list(dict.fromkeys(map(tuple, table.tolist())))
        cells = self.models[model].cells[first : first + len(values[0])]
        if len(values) > 1 and len(values) == math.prod(c.hi - c.lo + 1 for c in cells):
            numbers = self.cells(model, 0)[first : first + len(cells)]
            pairs = [(n, c) for n, c in zip(numbers, cells, strict=True) if not c.boolean]
            return z3.And([part for n, c in pairs for part in self._within(n, c.lo, c.hi)])
        return z3.Or([self.are(model, value, first=first) for value in values])

    def valid(self, model: int) -> Any:
        """What holds in every state that the language can express: domains, and blank places past a length."""
        at, parts, cells = 0, list[Any](), self.cells(model, 0)
        for cell, number in zip(self.models[model].cells, cells, strict=True):
            if not cell.boolean:
                parts += self._within(number, cell.lo, cell.hi)
        for domain in self.models[model].spec.domains.values():
            for guard, most, start, size in optional(domain, at):
                parts.append(z3.Or(self._exceeds(cells[guard], most), self._blank(model, start, size)))
            for guard, most, one, other, size in in_order(domain, at):
                less = self._precedes(cells[one : one + size], cells[other : other + size])
                parts.append(z3.Or(z3.Not(self._exceeds(cells[guard], most)), less))
            for start, size, most in domain.sums(at):
                parts.append(z3.Not(self._exceeds(self._sum(cells[start : start + size]), most)))
            at += domain.size
        return z3.And(parts)

    def _sum(self, numbers: Sequence[Number]) -> Number:
        of = 0, sum(hi for _, (_, hi) in numbers)
        return reduce(lambda a, b: (self.arithmetic.combine("add", a, b, of), of), numbers)

    def _precedes(self, one: Sequence[Number], other: Sequence[Number]) -> Any:
        """That some cells are less than others, the first one that differs."""
        less: Any = z3.BoolVal(False)
        for a, b in reversed(list(zip(one, other, strict=True))):
            smaller = z3.And(z3.Not(a[0]), b[0]) if z3.is_bool(a[0]) else self.arithmetic.less(a, b)
            less = z3.Or(smaller, z3.And(a[0] == b[0], less))
        return less

    def _within(self, number: Number, lo: int, hi: int) -> Iterator[Any]:
        constant = self.arithmetic.constant
        yield z3.Not(self.arithmetic.less(number, (constant(lo, (lo, lo)), (lo, lo))))
        yield z3.Not(self.arithmetic.less((constant(hi, (hi, hi)), (hi, hi)), number))

    def _exceeds(self, number: Number, most: int) -> Any:
        if z3.is_bool(number[0]):
            return number[0]
        return self.arithmetic.less((self.arithmetic.constant(most, (most, most)), (most, most)), number)

    def _blank(self, model: int, start: int, size: int) -> Any:
        return self.are(model, [c.lo for c in self.models[model].cells[start : start + size]], first=start)


def _succeeds(read: Terms, node: Tree, parts: Sequence[Any], known: None) -> Any:
    """Where an @initial method that writes nothing ends without an error."""
    match node:
        case Branch():
            return z3.If(read(node.condition), *parts)
        case Choice():
            return z3.Or(list(parts))
    return z3.BoolVal(isinstance(node, Update))


def in_order(domain: Domain, at: int) -> Iterator[tuple[int, int, int, int, int]]:
    """(cell, value, one, other, size): where the cell exceeds the value, `size` cells at one place precede others."""
    pieces = [piece for piece in domain.pieces() if piece.exists is not None or not domain.ordered]
    for one, other in itertools.pairwise(pieces) if domain.ordered else ():
        head, number = other.exists or (0, 0)
        yield at + head, number, at + one.at, at + other.at, one.domain.size
    for piece in () if domain.ordered else pieces:
        yield from in_order(piece.domain, at + piece.at)


def optional(domain: Domain, at: int) -> Iterator[tuple[int, int, int, int]]:
    """(cell, value, start, size): while the cell is at most the value, the cells start..start+size-1 are blank."""
    for piece in domain.pieces():
        if piece.exists is not None:
            yield at + piece.exists[0], piece.exists[1], at + piece.at, piece.domain.size
        yield from optional(piece.domain, at + piece.at)
