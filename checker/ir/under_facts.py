"""Trees whose terms are shorter: without the conditions that the way to them has decided."""

from __future__ import annotations

from collections.abc import Iterable

from .expr import Expr, Pool
from .facts import Facts
from .substitution import Substitution
from .tree import Branch, Choice, Tree, Update


def shortened(pool: Pool, tree: Tree, guards: Iterable[tuple[Expr, bool]] = ()) -> Tree:
    """A tree that does the same wherever some conditions have the truths that are told."""
    facts = Facts()
    for condition, truth in guards:
        facts.assume(condition, truth)
    return _Shortening(pool, facts).tree(tree)


class _Shortening(Substitution):
    """Builds terms anew where some facts hold.

    What a cell holds is not replaced, also where it is known: who reads terms looks for cells that stay as they are,
    and for elements that lie side by side.
    """

    def __init__(self, pool: Pool, facts: Facts) -> None:
        super().__init__(pool, ())
        self.facts = facts

    def tree(self, node: Tree) -> Tree:
        """A tree on whose way the facts hold."""
        match node:
            case Branch():
                condition = self(node.condition)
                if condition.op == "const":
                    return self.tree(node.then if condition.value else node.otherwise)
                return Branch(condition, self._side(node, True), self._side(node, False))
            case Choice():
                return Choice(node.labels, tuple(map(self.tree, node.options)))
            case Update():
                writes = ((cell, self(term)) for cell, term in node.writes)
                return Update(tuple((cell, term) for cell, term in writes if (term.op, term.value) != ("var", cell)))
        return node

    def _side(self, node: Branch, truth: bool) -> Tree:
        known = Facts(self.facts)
        known.assume(node.condition, truth)
        return _Shortening(self.pool, known).tree(node.then if truth else node.otherwise)

    def _built(self, term: Expr, parts: list[Expr]) -> Expr:
        if term.op in ("var", "before"):
            return term
        built = super()._built(term, parts)
        if not built.boolean or not built.args:
            return built
        known = self.facts.told(built)
        return built if known is None else self.pool.truth(known)
