"""Finds states for conditions that were merged: each is to be executed where it is true and where it is false.

Only an `if` that splits the path has paths of its own. What is merged into one value (a conditional expression, `and`,
`or`, an element that may exist) takes a path together with its alternative. So after a search these conditions are
evaluated on stored states. A condition counts only where its value matters: where its path is taken, and where the
conditions around it select it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.columns import columns
from ...ir.expr import Expr, subterms
from ...ir.traced import Model
from ...ir.tree import Branch, Choice, Tree, Update, nodes, terms

ROWS, CELLS = 4096, 1 << 22
"""States that are evaluated at once, at most, and values of terms in them."""
SECONDS = 1e-5
"""For a term: what evaluating a few states takes."""
Outcome = tuple[int, bool]
"""A condition by the number of its term, and its value."""


@dataclass
class Unit:
    """An action instance or a property: its tree or its terms, and the outcomes that were not executed yet."""

    tree: Tree | None
    roots: list[Expr]
    terms: list[Expr] = field(init=False)
    open: set[Outcome] = field(init=False)

    def __post_init__(self) -> None:
        self.terms = sorted(subterms(self.roots), key=lambda term: term.id)
        conditions = {term.id for term in self._conditions() if term.op != "const"}
        self.open = {(number, truth) for number in conditions for truth in (True, False)}

    def _conditions(self) -> Iterator[Expr]:
        for node in nodes(self.tree) if self.tree is not None else ():
            if isinstance(node, Branch):
                yield node.condition
        for term in self.terms:
            if term.op in ("and", "or", "count"):
                yield from term.args
            elif term.op == "ite":
                yield term.args[0]

    def seen(self, model: Model, rows: Any) -> Iterator[tuple[Outcome, Any]]:
        """The open outcomes, each with the states in which it occurs and matters, as booleans."""
        values = columns(model.layout, rows, self.terms)
        demand = self._demand(values, len(rows))
        for number, truth in sorted(self.open):
            where = demand.get(number)
            if where is not None:
                here = where & (values[number] if truth else ~values[number])
                if here.any():
                    yield (number, truth), here

    def _demand(self, values: dict[int, Any], size: int) -> dict[int, Any]:
        """For each term the states in which its value matters."""
        found: dict[int, Any] = {}

        def add(term: Expr, where: Any) -> None:
            known = found.get(term.id)
            found[term.id] = where if known is None else known | where

        every = np.ones(size, np.bool_)
        todo: list[tuple[Tree, Any]] = [] if self.tree is None else [(self.tree, every)]
        while todo:
            node, where = todo.pop()
            if isinstance(node, Branch):
                add(node.condition, where)
                holds = values[node.condition.id]
                todo += [(node.then, where & holds), (node.otherwise, where & ~holds)]
            elif isinstance(node, Choice):
                todo += [(option, where) for option in node.options]
            elif isinstance(node, Update):
                for _, term in node.writes:
                    add(term, where)
        for root in self.roots if self.tree is None else ():
            add(root, every)
        for term in reversed(self.terms):
            where = found.get(term.id)
            if where is None or not where.any():
                continue
            if term.op == "ite":
                condition, then, otherwise = term.args
                holds = values[condition.id]
                for part, there in ((condition, where), (then, where & holds), (otherwise, where & ~holds)):
                    add(part, there)
            else:
                for part in term.args:
                    add(part, where)
        return found


class MergedConditions:
    """The conditions of a model, and which of their outcomes plain Python has executed."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.units = [Unit(action.tree, list(terms(action.tree))) for action in model.actions]
        for prop in model.properties:
            if not prop.steps:
                self.units.append(Unit(None, [*prop.conditions, *(condition for condition, _ in prop.errors)]))
        self.all = sum(len(unit.open) for unit in self.units)

    @property
    def executed(self) -> int:
        """Outcomes that plain Python has executed."""
        return self.all - sum(len(unit.open) for unit in self.units)

    @property
    def open(self) -> bool:
        """Whether there are outcomes that were not executed."""
        return any(unit.open for unit in self.units)

    @property
    def size(self) -> int:
        """Terms that are evaluated for a block of states."""
        return sum(len(unit.terms) for unit in self.units if unit.open)

    def done(self, rows: Any) -> None:
        """These states were executed."""
        for unit in self.units:
            unit.open -= {outcome for block in _blocks(unit, rows) for outcome, _ in unit.seen(self.model, block)}

    def wanted(self, rows: Any, over: Callable[[], bool]) -> list[int]:
        """Positions of states that together have every open outcome that one of them has."""
        chosen: list[int] = []
        for unit in self.units:
            if over():
                break
            first = 0
            for block in _blocks(unit, rows):
                here = [at - first for at in chosen if first <= at < first + len(block)]
                for _, where in unit.seen(self.model, block) if unit.open else ():
                    if not where[here].any():
                        here.append(int(np.argmax(where)))
                        chosen.append(first + here[-1])
                first += len(block)
        return chosen


def _blocks(unit: Unit, rows: Any) -> Iterator[Any]:
    most = max(16, min(ROWS, CELLS // max(1, len(unit.terms))))
    for at in range(0, len(rows), most):
        yield rows[at : at + most]
