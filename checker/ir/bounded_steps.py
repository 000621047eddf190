"""Action constraints: removes from the trees of actions the steps that they exclude."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Where
from ..language.machine import Disabled as Stopped
from .expr import Expr, Pool
from .substitution import Substitution
from .tree import Branch, Choice, Disabled, Tree, Update, folded

Bound = tuple[Expr, Where | None]
"""A condition on steps, as a term over the states before and after, and its source location."""


def bounded(pool: Pool, state: Sequence[Expr], tree: Tree, bounds: Sequence[Bound]) -> Tree:
    """A tree in which each update happens only where the step satisfies all bounds."""

    def within(node: Tree, parts: Sequence[Tree], _: None) -> Tree:
        if isinstance(node, Branch):
            return Branch(node.condition, *parts)
        if isinstance(node, Choice):
            return Choice(node.labels, tuple(parts))
        found: Tree = node
        if isinstance(node, Update):
            after = list(state)
            for cell, term in node.writes:
                after[cell] = term
            for bound, where in bounds:
                condition, left_out = Substitution(pool, after, state)(bound), Disabled(where, Stopped.CONSTRAINT)
                if condition.op == "const":
                    found = found if condition.value else left_out
                else:
                    found = Branch(condition, found, left_out)
        return found

    return folded(tree, within, None)
