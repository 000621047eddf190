"""Refinement on terms: whether a step, under a mapping, is a step of the abstract spec or a stuttering step.

The trees of the abstract spec's actions are read as relations between the abstract states before and after. A step that
fails in the abstract spec leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import CheckedError
from ..ir.expr import Expr, Pool
from ..ir.substitution import Substitution
from ..ir.tree import Branch, Choice, Tree, Update, folded
from ..language.refinement import Refinement
from .tracer import Tracer


def refines(
    tracer: Tracer, refined: Refinement, actions: Iterable[Tree]
) -> tuple[Expr, list[tuple[Expr, CheckedError]]]:
    """That a step refines one of the actions, given by their trees, or none; and where the mapping fails."""
    after, errors = tracer.mapping(refined, before=False)
    before, earlier = tracer.mapping(refined, before=True)
    if after is None or before is None:
        return tracer.pool.false, errors + earlier
    relation = Relation(tracer.pool, before, after)
    return tracer.pool.or_([relation.unchanged, *map(relation.leads, actions)]), errors + earlier


class Relation:
    """Trees as relations between the terms of a state and those of the state after a step."""

    def __init__(self, pool: Pool, before: Sequence[Expr], after: Sequence[Expr]) -> None:
        self.pool, self.before, self.after = pool, before, after
        self.now = Substitution(pool, before)

    @property
    def unchanged(self) -> Expr:
        """That the two states are the same."""
        return self.pool.and_(map(self.pool.eq, self.after, self.before))

    def leads(self, tree: Tree) -> Expr:
        """The condition that a tree has a path from one state to the other."""
        return folded(tree, self._leads, None)

    def _leads(self, node: Tree, parts: Sequence[Expr], _: None) -> Expr:
        if isinstance(node, Branch):
            return self.pool.ite(self.now(node.condition), *parts)
        if isinstance(node, Choice):
            return self.pool.or_(parts)
        if isinstance(node, Update):
            following = list(self.before)
            for cell, term in node.writes:
                following[cell] = self.now(term)
            return self.pool.and_(map(self.pool.eq, self.after, following))
        return self.pool.false
