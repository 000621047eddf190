"""The interpreter: evaluates the IR directly. It is the reference for every compiled reader of the IR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import CheckedError
from ..ir.expr import Expr
from ..ir.tree import Branch, Choice, Disabled, Fault, Tree, Update

Cells = tuple[int, ...]


class Valuation:
    """The values of terms in one state (and, for step properties, the state before)."""

    def __init__(self, cells: Sequence[int], before: Sequence[int] = ()) -> None:
        self.cells, self.before = cells, before
        self._memo: dict[int, int] = {}

    def __call__(self, term: Expr) -> int:
        """The value of a term; booleans are 0 and 1."""
        if term.op == "const":
            return term.value
        if term.op == "var":
            return self.cells[term.value]
        if term.op == "before":
            return self.before[term.value]
        found = self._memo.get(term.id)
        return self._computed(term) if found is None else found

    def _computed(self, term: Expr) -> int:
        """The value of a term that is not cached. A term whose value is that of its last part continues there in a
        loop, since a chain of conditions can be as long as a property."""
        way = [term.id]
        while term.op in ("ite", "and", "or"):
            *asked, last = term.args
            if term.op == "ite":
                term = asked[1] if self(asked[0]) else last
            elif any(bool(self(part)) is (term.op == "or") for part in asked):
                found = int(term.op == "or")
                break
            else:
                term = last
            if not term.args or term.id in self._memo:
                found = self(term)
                break
            way.append(term.id)
        else:
            found = self._compute(term)
        self._memo.update(dict.fromkeys(way, found))
        return found

    def _compute(self, term: Expr) -> int:
        args = term.args
        if term.op == "select":
            return self(args[1 + min(max(self(args[0]), 0), len(args) - 2)])
        values = [self(a) for a in args]
        if term.op == "count":
            return sum(values)
        if term.op in ("div", "mod") and values[1] == 0:
            return 0
        return int(_OPERATIONS[term.op](*values))


_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
    "not": lambda a: not a,
}


def outcomes(tree: Tree, cells: Cells) -> Iterator[tuple[tuple[Any, ...], Cells | CheckedError]]:
    """Every successor of an action instance in a state with the labels chosen, errors included, in order."""
    value = Valuation(cells)
    todo: list[tuple[tuple[Any, ...], Tree]] = [((), tree)]
    while todo:
        chosen, node = todo.pop()
        if isinstance(node, Branch):
            todo.append((chosen, node.then if value(node.condition) else node.otherwise))
        elif isinstance(node, Choice):
            pairs = zip(node.labels, node.options, strict=True)
            todo.extend(reversed([((*chosen, label), option) for label, option in pairs]))
        elif isinstance(node, Fault):
            yield chosen, node.error
        elif isinstance(node, Update):
            after = list(cells)
            for cell, term in node.writes:
                after[cell] = value(term)
            yield chosen, tuple(after)
        else:
            assert isinstance(node, Disabled)
