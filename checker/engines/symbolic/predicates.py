"""Chooses the predicates over a state from which the clauses of a proof are built.

First come the lemmas of the author, then the comparisons of numbers in guards and properties, then the bounds of the
sums that these compare. A boolean cell is a predicate itself. A number of few values has each of its bounds, one of
many values its bits and the bounds that were seen. If there are few numbers, all pairs are compared. The predicates of
the cells determine a state, so every state is a conjunction of predicates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...backends.aig import FEW
from ...backends.smt import System
from ...backends.smt.terms import Terms
from ...ir.columns import in_rows
from ...ir.expr import Expr, Pool, subterms
from ...ir.substitution import Substitution
from ...ir.traced import Model
from ...ir.tree import terms
from ...language.symmetry import generators
from ..symmetry import moved_terms

Clause = tuple[int, ...]
"""Literals of which one holds; literal i + 1 is predicate i, a negative one its negation."""

COMPARISONS = 600
"""The maximum number of comparisons taken from a spec."""
READ = 6
"""The maximum number of cells that one of them reads."""
PAIRED = 8
"""Numbers that are compared with each other, unless there are more."""
CHOSEN = ("select", "ite")
"""The images of a cell under permutations where it holds an interchangeable value."""


class Predicates:
    """Predicates over the slots of a system (and which of its models runs), and the explored states where each holds.

    `rows` are those states: the values of the slots, and the number of the model. `seen` has a number for each
    predicate whose bit k says whether it holds in state k.
    """

    def __init__(self, system: System, rows: Any, lemmas: Sequence[Sequence[Expr]] = ()) -> None:
        self.system, self.pool, self.rows = system, Pool(), rows
        slots = [(slot.lo, slot.hi, slot.boolean) for slot in system.states.slots]
        self.cells = [*slots, (0, len(system.models) - 1, False)]
        self.variables = [self.pool.var(i, *cell) for i, cell in enumerate(self.cells)]
        self.alike = {place for m, model in enumerate(system.models) for place in self._interchangeable(m, model)}
        self.terms: list[Expr] = []
        self._known: dict[Expr, int] = {}
        asked = [term for m, model in enumerate(system.models) for term in self._moved(m, comparisons(model))]
        found = [self._of(m, term) for m, given in enumerate(lemmas) for term in self._moved(m, given)]
        self.lemmas = [literal for literal in map(self.literal, found) if literal]
        for term in (*asked, *self._sums(asked), *self._orders(), *self._cells()):
            self.literal(term)
        self.seen, self.explored = self.bits(rows), len(rows)

    def literal(self, term: Expr) -> int:
        """The literal of a term; 0 for a constant."""
        if term.op == "const":
            return 0
        if term.op == "not":
            return -self.literal(term.args[0])
        if term not in self._known:
            self._known[term] = len(self.terms)
            self.terms.append(term)
        return self._known[term] + 1

    def bits(self, rows: Any) -> list[int]:
        """For each predicate, in which of some states it holds: bit k is state k."""
        values = in_rows(rows, self.terms)
        return [_bits(values[term.id]) for term in self.terms]

    def row(self, state: Sequence[int]) -> list[int]:
        """The values of the slots, and the model, in a state that is given by the literals that hold there."""
        held = {self.terms[literal - 1] for literal in state if literal > 0}
        refuted = {self.terms[-literal - 1] for literal in state if literal < 0}
        pool, found = self.pool, list[int]()
        for variable, (lo, hi, boolean) in zip(self.variables, self.cells, strict=True):
            if boolean:
                found.append(int(variable in held or (variable.op == "const" and bool(variable.value))))
            elif hi - lo < FEW:
                bounds = [pool.le(variable, pool.const(value)) for value in range(lo, hi)]
                found.append(hi - sum(b in held or (b.op == "not" and b.args[0] in refuted) for b in bounds))
            else:
                bits = self.binary(len(found))
                found.append(
                    lo
                    + sum(1 << i for i, b in enumerate(bits) if b in held or (b.op == "not" and b.args[0] in refuted))
                )
        return found

    def formulas(self) -> list[Any]:
        """The predicates for z3, over moment 0."""
        states, system = self.system.states, self.system
        numbers = [(v, slot.interval) for v, slot in zip(states.moment(0), states.slots, strict=True)]
        read = Terms(system.arithmetic, [*numbers, (system.which, (0, len(system.models) - 1))])
        return [read(term) for term in self.terms]

    def _moved(self, m: int, asked: Sequence[Expr]) -> list[Expr]:
        """Terms over the cells of a model as terms over the slots."""
        move = Substitution(self.pool, [self.variables[p] for p in self.system.states.places[m]])
        return [move(term) for term in asked]

    def _of(self, m: int, term: Expr) -> Expr:
        """A condition, restricted to the model that runs."""
        return self.pool.or_((self.pool.not_(self.pool.eq(self.variables[-1], self.pool.const(m))), term))

    def _interchangeable(self, m: int, model: Model) -> set[int]:
        """The slots that hold an interchangeable value: bounds of it mean nothing."""
        places = self.system.states.places[m]
        cells = [self.variables[place] for place in places]
        moved = [moved_terms(self.pool, model.spec, cells, by) for by in generators(model.spec)]
        return {place for terms in moved for place, term in zip(places, terms, strict=True) if term.op in CHOSEN}

    # -- which ---------------------------------------------------------------------------------------------

    def _cells(self) -> Iterator[Expr]:
        pool = self.pool
        for slot, (variable, (lo, hi, boolean)) in enumerate(zip(self.variables, self.cells, strict=True)):
            if boolean:
                yield variable
            elif hi - lo < FEW:
                if slot in self.alike:
                    yield from (pool.eq(variable, pool.const(value)) for value in range(lo, hi + 1))
                yield from (pool.le(variable, pool.const(value)) for value in range(lo, hi))
            else:
                yield from self._seen_bounds(variable)
                yield from self.binary(slot)

    def binary(self, slot: int) -> list[Expr]:
        """The bits of what a number exceeds its least value by, the lowest first."""
        pool, (lo, hi, _) = self.pool, self.cells[slot]
        number = pool.add(self.variables[slot], pool.const(-lo))
        halves = (pool.div(number, pool.const(1 << bit)) for bit in range((hi - lo).bit_length()))
        return [pool.eq(pool.mod(half, pool.const(2)), pool.const(1)) for half in halves]

    def _seen_bounds(self, term: Expr) -> Iterator[Expr]:
        values = in_rows(self.rows, [term])[term.id]
        yield self.pool.le(term, self.pool.const(int(values.max())))
        yield self.pool.le(self.pool.const(int(values.min())), term)

    def _sums(self, asked: Sequence[Expr]) -> Iterator[Expr]:
        """The bounds of the sums and differences that a spec compares."""
        parts = dict.fromkeys(part for term in asked for part in term.args)
        for part in parts:
            if part.op in ("add", "sub", "mul", "count") and sum(a.op != "const" for a in part.args) > 1:
                yield from self._seen_bounds(part)

    def _orders(self) -> Iterator[Expr]:
        """Which of two numbers is the larger, if there are few numbers."""
        numbers = [
            v for v, (lo, hi, boolean) in zip(self.variables, self.cells, strict=True) if not boolean and lo < hi
        ]
        if len(numbers) <= PAIRED:
            yield from (self.pool.lt(a, b) for a in numbers for b in numbers if a is not b)


def rows_of(system: System, columns: Mapping[int, Any]) -> Any:
    """Explored states of each model of a system, the values of their cells in rows, as rows for Predicates."""
    found = []
    for m, values in columns.items():
        rows = np.empty((len(values), len(system.states.slots) + 1), np.int64)
        rows[:, :-1] = [slot.lo for slot in system.states.slots]
        rows[:, system.states.places[m]] = values
        rows[:, -1] = m
        found.append(rows)
    return np.concatenate(found)


def comparisons(model: Model) -> list[Expr]:
    """The comparisons of numbers in guards and properties that read one state, parts before wholes."""
    roots = [t for action in (*model.actions, *model.beginning) for t in terms(action.tree)]
    roots += [t for p in model.properties for t in (p.term, *(e for e, _ in p.errors))]
    found = [t for t in subterms(roots) if t.op in ("eq", "lt") and not t.args[0].boolean and _is_simple(t)]
    return found[::-1][:COMPARISONS]


def _is_simple(term: Expr) -> bool:
    """Whether a term reads few cells, nothing of the state before, and no merged choice."""
    parts = list(subterms([term]))
    cells = [part.value for part in parts if part.op == "var"]
    return len(cells) <= READ and all(cell >= 0 for cell in cells) and all(part.op != "before" for part in parts)


def _bits(values: Any) -> int:
    return int.from_bytes(np.packbits(values != 0, bitorder="little").tobytes(), "little")
