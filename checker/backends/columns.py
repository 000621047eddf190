"""Evaluates terms of the IR on many states at once, with numpy: a column of values for each term."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np

from ..ir.expr import Expr
from ..ir.layout import Layout


def columns(layout: Layout, rows: Any, terms: Iterable[Expr]) -> dict[int, Any]:
    """The values of some terms in packed states, by the numbers of the terms; a term comes after its parts."""
    found: dict[int, Any] = {}
    for term in terms:
        found[term.id] = _leaf(layout, rows, term) if not term.args else _value(term, [found[a.id] for a in term.args])
    return found


def _leaf(layout: Layout, rows: Any, term: Expr) -> Any:
    kind = np.bool_ if term.boolean else np.int64
    if term.op == "const":
        return np.full(len(rows), term.value, kind)
    field = layout.fields[term.value]
    mask = np.uint64((1 << field.width) - 1)
    return (((rows[:, field.word] >> np.uint64(field.shift)) & mask).astype(np.int64) + field.lo).astype(kind)


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
