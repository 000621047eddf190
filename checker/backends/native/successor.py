"""Computes the words of a successor state from the assignments of an update.

It combines writes. Fields that move by the same distance (a queue that loses its head) become one shift and mask. A
field that grows by a constant becomes an addition to its word. An element at a symbolic position becomes one shifted
store (`indexed_stores`). Fields of a word that stay unless one condition holds become one choice between two words.
Unassigned cells cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...ir.expr import Expr
from ...ir.layout import Field, Layout
from . import indexed_stores
from .indexed_stores import IndexedStore, Write, is_cell
from .terms import Terms

ONES = (1 << 64) - 1
Value = Expr | bool
"""A term, or a boolean."""


Change = tuple[Field, Value]
"""What a field gets."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Writes to the fields of a word where a condition has a given value."""

    condition: Expr
    truth: bool
    writes: list[Change]


@dataclass(frozen=True, eq=False)
class Word:
    """One word of a successor: what is changed in it, in this order."""

    number: int
    changes: list[Change]
    addend: int
    layers: list[Layer]
    stores: list[IndexedStore]

    def reads(self, layout: Layout) -> Iterator[Expr]:
        """The terms whose values are in it."""
        yield from _placed(layout, self.changes)
        for layer in self.layers:
            yield layer.condition
            yield from _placed(layout, layer.writes)
        for store in self.stores:
            yield store.index
            if not isinstance(store.value, bool):
                yield store.value


class Words:
    """The words that updates change. Many updates of a program change a word in the same way: that is one object."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._known: dict[tuple[tuple[int, Expr], ...], Word] = {}

    def __call__(self, writes: Sequence[tuple[int, Expr]]) -> dict[int, Word]:
        """The words that an update changes, by their numbers."""
        by_word: dict[int, list[tuple[int, Expr]]] = defaultdict(list)
        for cell, term in writes:
            field = self.layout.fields[cell]
            if field.width:
                by_word[field.word].append((cell, term))
        return {number: self._word(number, tuple(found)) for number, found in by_word.items()}

    def _word(self, number: int, writes: tuple[tuple[int, Expr], ...]) -> Word:
        if writes not in self._known:
            self._known[writes] = _word(number, [(self.layout.fields[cell], term, cell) for cell, term in writes])
        return self._known[writes]


def _word(number: int, writes: Sequence[Write]) -> Word:
    stores, writes = indexed_stores.split(writes)
    layers, plain = _layers(writes)
    changes, addend = list[Change](), 0
    for field, term, cell in plain:
        if term.op == "add" and is_cell(term.args[0], cell) and term.args[1].op == "const":
            addend += term.args[1].value << field.shift
        else:
            changes.append((field, term))
    return Word(number, changes, addend, layers, stores)


def successor(terms: Terms, words: Mapping[int, Word]) -> list[Any]:
    """The words of a successor, given those that change."""
    return [changed(terms, words[w]) if w in words else old for w, old in enumerate(terms.words)]


def changed(terms: Terms, word: Word) -> Any:
    """The value of a word, which is emitted once on a path."""
    return terms.once(word, lambda: _emitted(terms, word))


def _emitted(terms: Terms, word: Word) -> Any:
    b, value = terms.fn.b, _changed(terms, terms.words[word.number], word.changes, sure=True)
    value = b.add(value, terms.const(word.addend)) if word.addend else value
    for layer in word.layers:
        changed = _changed(terms, value, layer.writes, sure=False)
        either = (changed, value) if layer.truth else (value, changed)
        value = b.select(terms(layer.condition), *either)
    return indexed_stores.apply(terms, value, word.stores)


def _placed(layout: Layout, changes: Sequence[Change]) -> Iterator[Expr]:
    """The terms that are computed for some changes: not those that are constants or move with their bits."""
    for field, term in changes:
        if not isinstance(term, bool) and term.op != "const" and _moved_from(layout, field, term) is None:
            yield term


def _moved_from(layout: Layout, field: Field, term: Expr) -> Field | None:
    """The field whose bits a field gets as they are; None where it gets something else."""
    source = layout.fields[term.value] if term.op == "var" else None
    return source if source is not None and (source.width, source.lo) == (field.width, field.lo) else None


def _changed(terms: Terms, value: Any, writes: Sequence[Change], sure: bool) -> Any:
    """A word after some writes; unless they are sure a value may be any number, and nothing but its field gets it."""
    b, const = terms.fn.b, terms.const
    keep, constant = ONES, 0
    moved: dict[tuple[int, int], int] = defaultdict(int)
    parts: list[Any] = []
    for field, term in writes:
        mask = ((1 << field.width) - 1) << field.shift
        keep &= ~mask
        if isinstance(term, bool):
            constant |= term << field.shift
            continue
        if term.op == "const":
            constant |= (term.value - field.lo) << field.shift & mask
            continue
        source = _moved_from(terms.layout, field, term)
        if source is not None:
            moved[source.word, field.shift - source.shift] |= mask
        else:
            placed = terms.placed(field, term)
            fits = field.lo <= term.lo and term.hi < field.lo + (1 << field.width)
            parts.append(placed if sure or fits else b.and_(placed, const(mask)))
    value = b.and_(value, const(keep)) if keep != ONES else value
    for (source_word, distance), mask in moved.items():
        parts.append(b.and_(_shift(terms, terms.words[source_word], distance), const(mask)))
    for part in parts:
        value = b.or_(value, part)
    return b.or_(value, const(constant)) if constant else value


def _layers(writes: Sequence[Write]) -> tuple[list[Layer], list[Write]]:
    """The layers of the cells that stay as they are unless a condition holds, in order, and the other writes.

    A cell that has several conditions is in a layer for each: the outermost condition comes last, and so prevails.
    """
    waiting: list[tuple[Field, list[tuple[Expr, bool, Value]]]] = []
    rest: list[Write] = []
    for field, term, cell in writes:
        found = _conditions(term, cell)
        if found is None:
            rest.append((field, term, cell))
        else:
            waiting.append((field, found))
    layers: list[Layer] = []
    while waiting:
        condition, truth = _next([found for _, found in waiting])
        layer = Layer(condition, truth, [])
        for field, found in waiting:
            if found[-1][:2] == (condition, truth):
                layer.writes.append((field, found.pop()[2]))
        layers.append(layer)
        waiting = [(field, found) for field, found in waiting if found]
    return layers, rest


def _next(waiting: Sequence[Sequence[tuple[Expr, bool, Value]]]) -> tuple[Expr, bool]:
    """The condition for the next layer: preferably one that no cell has above another, so that one layer suffices."""
    above = {key[:2] for found in waiting for key in found[:-1]}
    ready = [found[-1][:2] for found in waiting]
    return next((key for key in ready if key not in above), ready[0])


def _conditions(term: Expr, cell: int) -> list[tuple[Expr, bool, Value]] | None:
    """(condition, its value, assigned value)s of a cell that otherwise stays; the first prevails. None for another
    form."""
    found: list[tuple[Expr, bool, Value]] = []
    while term.op == "ite":
        condition, then, otherwise = term.args
        if is_cell(then, cell):
            return [*found, (condition, False, otherwise)]
        found.append((condition, True, then))
        term = otherwise
    if term.op in ("or", "and") and len(term.args) == 2:
        for own, condition in (term.args, term.args[::-1]):
            if is_cell(own, cell):
                truth = (term.op == "or") == (condition.op != "not")
                return [*found, (condition.args[0] if condition.op == "not" else condition, truth, term.op == "or")]
    return found if found and is_cell(term, cell) else None


def _shift(terms: Terms, word: Any, distance: int) -> Any:
    b, const = terms.fn.b, terms.const
    if distance > 0:
        return b.shl(word, const(distance))
    return b.lshr(word, const(-distance)) if distance < 0 else word
