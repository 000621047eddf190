"""The least and greatest values of terms in many states at once, of which some cells are not known yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .expr import Expr

Bounds = tuple[Any, Any]
"""Arrays of the least and of the greatest values, one for each state; numbers where all states agree."""


class IntervalArrays:
    """Terms over cells of which `bounds` gives the least and greatest values; booleans are 0 and 1."""

    def __init__(self, bounds: Callable[[int], Bounds]) -> None:
        self.bounds = bounds
        self._known: dict[int, Bounds] = {}

    def __call__(self, term: Expr) -> Bounds:
        """The bounds of a term. Every value that it can have lies within them."""
        todo = [term]
        while todo:
            at = todo[-1]
            missing = [a for a in at.args if a.id not in self._known]
            if missing:
                todo += missing
                continue
            todo.pop()
            self._known[at.id] = self._of(at, [self._known[a.id] for a in at.args])
        return self._known[term.id]

    def _of(self, term: Expr, args: Sequence[Bounds]) -> Bounds:
        if term.op == "var" and term.value >= 0:
            return self.bounds(term.value)
        rule = _RULES.get(term.op)
        return (term.lo, term.hi) if rule is None else rule(args)


def _ite(args: Sequence[Bounds]) -> Bounds:
    (least, most), one, other = args
    low = np.where(least == 1, one[0], np.where(most == 0, other[0], np.minimum(one[0], other[0])))
    high = np.where(least == 1, one[1], np.where(most == 0, other[1], np.maximum(one[1], other[1])))
    return low, high


def _eq(args: Sequence[Bounds]) -> Bounds:
    (a, b), (c, d) = args
    return ((a == b) & (c == d) & (a == c)) * 1, ((a <= d) & (c <= b)) * 1


def _lt(args: Sequence[Bounds]) -> Bounds:
    (a, b), (c, d) = args
    return (b < c) * 1, (a < d) * 1


def _mul(args: Sequence[Bounds]) -> Bounds:
    (a, b), (c, d) = args
    parts = [a * c, a * d, b * c, b * d]
    return _fold(np.minimum, parts), _fold(np.maximum, parts)


def _fold(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    found = parts[0]
    for part in parts[1:]:
        found = join(found, part)
    return found


_RULES: dict[str, Callable[[Sequence[Bounds]], Bounds]] = {
    "add": lambda args: (args[0][0] + args[1][0], args[0][1] + args[1][1]),
    "sub": lambda args: (args[0][0] - args[1][1], args[0][1] - args[1][0]),
    "mul": _mul,
    "eq": _eq,
    "lt": _lt,
    "ite": _ite,
    "not": lambda args: (1 - args[0][1], 1 - args[0][0]),
    "and": lambda args: (_fold(np.minimum, [a for a, _ in args]), _fold(np.minimum, [b for _, b in args])),
    "or": lambda args: (_fold(np.maximum, [a for a, _ in args]), _fold(np.maximum, [b for _, b in args])),
    "count": lambda args: (sum(a for a, _ in args), sum(b for _, b in args)),
    "select": lambda args: (
        _fold(np.minimum, [a for a, _ in args[1:]]),
        _fold(np.maximum, [b for _, b in args[1:]]),
    ),
}
