"""Evaluates terms of the IR on many states at once, with numpy: a column of values for each term."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from .expr import Expr, subterms
from .layout import Layout

ASSIGNMENTS, VALUES = 1 << 12, 1 << 20
"""How many combinations of values `only_value` tries at most, and how many values of terms it computes for them."""


def columns(layout: Layout, rows: Any, terms: Iterable[Expr]) -> dict[int, Any]:
    """The values of some terms in packed states, by the numbers of the terms; a term comes after its parts."""

    def cell(term: Expr) -> Any:
        field = layout.fields[term.value]
        mask = np.uint64((1 << field.width) - 1)
        return ((rows[:, field.word] >> np.uint64(field.shift)) & mask).astype(np.int64) + field.lo

    return _columns(terms, len(rows), cell)


def in_rows(rows: Any, roots: Iterable[Expr]) -> dict[int, Any]:
    """The values of some terms and of their parts in states that are rows of the values of their cells."""
    terms = sorted(subterms(roots), key=lambda term: term.id)
    return _columns(terms, len(rows), lambda cell: rows[:, cell.value])


def only_value(condition: Expr, around: int = 0) -> bool | None:
    """The value of a condition, if it is the same for all values of the cells that it reads; None where it is not.

    Also None where these are too many to be tried. Numbers go `around` beyond their bounds.
    """
    terms = sorted(subterms([condition]), key=lambda term: term.id)
    cells = [term for term in terms if term.op in ("var", "before")]
    ranges = [(0, 1) if cell.boolean else (cell.lo - around, cell.hi + around) for cell in cells]
    size = prod(high - low + 1 for low, high in ranges)
    if size > ASSIGNMENTS or size * len(terms) > VALUES:
        return None
    grid = np.meshgrid(*(np.arange(low, high + 1) for low, high in ranges), indexing="ij")
    values = {cell.id: axis.ravel() for cell, axis in zip(cells, grid, strict=True)}
    found = _columns(terms, size, lambda cell: values[cell.id])[condition.id]
    return True if found.all() else None if found.any() else False


def _columns(terms: Iterable[Expr], size: int, cell: Callable[[Expr], Any]) -> dict[int, Any]:
    """The values of terms where `cell` has those of the cells."""
    found: dict[int, Any] = {}
    for term in terms:
        if term.args:
            found[term.id] = _value(term, [found[part.id] for part in term.args])
        else:
            value = np.full(size, term.value) if term.op == "const" else cell(term)
            found[term.id] = value.astype(np.bool_ if term.boolean else np.int64)
    return found


def _value(term: Expr, parts: list[Any]) -> Any:
    match term.op:
        case "select":
            index = np.clip(parts[0], 0, len(parts) - 2)
            return np.stack(parts[1:])[index, np.arange(len(index))]
        case "and" | "or":
            return reduce(np.logical_and if term.op == "and" else np.logical_or, parts)
        case "count":
            return reduce(np.add, (part.astype(np.int64) for part in parts))
        case "ite":
            return np.where(*parts)
        case "not":
            return ~parts[0]
    return OPERATIONS[term.op](*parts)


def _divided(by: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.where(b == 0, 0, by(a, np.where(b == 0, 1, b)))


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _divided(np.floor_divide),
    "mod": _divided(np.mod),
    "eq": np.equal,
    "lt": np.less,
}
