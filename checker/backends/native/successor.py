"""The words of a successor state from the assignments of an update.

Whole runs of fields that move by the same distance (a queue that loses its head) become one shift and mask,
a field that grows by a constant becomes an addition to its word, an element at a symbolic position becomes one
shifted store (`indexed_stores`), and cells that nobody assigns cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...ir.expr import Expr
from ...ir.layout import Field
from . import indexed_stores
from .terms import Terms

ONES = (1 << 64) - 1


def successor(terms: Terms, writes: Sequence[tuple[int, Expr]]) -> list[Any]:
    """The packed words after an update."""
    by_word: dict[int, list[tuple[Field, Expr, int]]] = defaultdict(list)
    for cell, term in writes:
        field = terms.layout.fields[cell]
        if field.width:
            by_word[field.word].append((field, term, cell))
    return [_word(terms, w, by_word[w]) if w in by_word else old for w, old in enumerate(terms.words)]


def _word(terms: Terms, word: int, writes: Sequence[tuple[Field, Expr, int]]) -> Any:
    b, const = terms.fn.b, terms.const
    keep, constant, addend = ONES, 0, 0
    indexed, writes = indexed_stores.split(writes)
    moved: dict[tuple[int, int], int] = defaultdict(int)
    parts: list[Any] = []
    for field, term, cell in writes:
        mask = ((1 << field.width) - 1) << field.shift
        if term.op == "add" and term.args[0].op == "var" and term.args[0].value == cell and term.args[1].op == "const":
            addend += term.args[1].value << field.shift
            continue
        keep &= ~mask
        source = terms.layout.fields[term.value] if term.op == "var" else None
        if term.op == "const":
            constant |= (term.value - field.lo) << field.shift
        elif source is not None and (source.width, source.lo) == (field.width, field.lo):
            moved[source.word, field.shift - source.shift] |= mask
        else:
            parts.append(terms.placed(field, term))
    value = b.and_(terms.words[word], const(keep)) if keep != ONES else terms.words[word]
    for (source_word, distance), mask in moved.items():
        parts.append(b.and_(_shift(terms, terms.words[source_word], distance), const(mask)))
    for part in parts:
        value = b.or_(value, part)
    if constant:
        value = b.or_(value, const(constant))
    value = b.add(value, const(addend)) if addend else value
    return indexed_stores.apply(terms, value, indexed)


def _shift(terms: Terms, word: Any, distance: int) -> Any:
    b, const = terms.fn.b, terms.const
    if distance > 0:
        return b.shl(word, const(distance))
    return b.lshr(word, const(-distance)) if distance < 0 else word
