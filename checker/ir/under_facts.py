"""Trees whose terms are shorter: without the conditions that the way to them has decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .expr import Expr, Pool
from .facts import Facts
from .substitution import Substitution
from .tree import Branch, Choice, Tree, Update, assumed, folded


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

    def tree(self, root: Tree) -> Tree:
        """A tree on whose way the facts hold."""
        return folded(root, self._made, self, self._below)

    @staticmethod
    def _made(node: Tree, parts: Sequence[Tree], here: _Shortening) -> Tree:
        match node:
            case Branch():
                condition = here(node.condition)
                if condition.op == "const":
                    return parts[0] if condition.value else parts[1]
                return Branch(condition, *parts)
            case Choice():
                return Choice(node.labels, tuple(parts))
            case Update():
                writes = ((cell, here(term)) for cell, term in node.writes)
                return Update(tuple((cell, term) for cell, term in writes if (term.op, term.value) != ("var", cell)))
        return node

    @staticmethod
    def _below(node: Tree, side: int, here: _Shortening) -> _Shortening:
        known = assumed(node, side, here.facts)
        return here if known is here.facts else _Shortening(here.pool, known)

    def _built(self, term: Expr, parts: list[Expr]) -> Expr:
        if term.op in ("var", "before"):
            return term
        built = super()._built(term, parts)
        if not built.boolean or not built.args:
            return built
        known = self.facts.told(built)
        return built if known is None else self.pool.truth(known)
