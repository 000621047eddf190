"""Simplifies trees by facts: removes what the path to a branch or a term has decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .expr import Expr, Pool
from .facts import Facts
from .substitution import Substitution
from .tree import Branch, Choice, Tree, Update, assumed, folded, same


def shortened(pool: Pool, tree: Tree, guards: Iterable[tuple[Expr, bool]] = ()) -> Tree:
    """An equivalent tree, given the boolean values of some conditions."""
    facts, learned = Facts(), 0
    for condition, truth in guards:
        facts = facts.given(condition, truth)
        learned |= condition.reads
    return FactSubstitution(pool, facts, learned).tree(tree)


def pruned(tree: Tree) -> Tree:
    """A tree without the branches that earlier ones decide."""

    def made(node: Tree, parts: Sequence[Tree], facts: Facts) -> Tree:
        if not isinstance(node, Branch):
            return replace(node, options=tuple(parts)) if isinstance(node, Choice) else node
        known = facts.decided(node.condition)
        if known is not None:
            return parts[0] if known else parts[1]
        return parts[0] if same(*parts) else Branch(node.condition, *parts)

    return folded(tree, made, Facts(), assumed)


class FactSubstitution(Substitution):
    """Rebuilds terms where some facts hold.

    Cells are not replaced by their known values: readers of terms look for unchanged cells, and for adjacent elements.
    """

    def __init__(self, pool: Pool, facts: Facts, learned: int, above: FactSubstitution | None = None) -> None:
        super().__init__(pool, (), replaced=learned)
        self.facts, self.above = facts, above

    def kept(self, term: Expr) -> Expr:
        """The term after the facts that concern it; later facts about other terms change nothing."""
        above = self.above
        while above is not None and not term.reads & above.replaced:
            above = above.above
        return term if above is None else above(term)

    def tree(self, root: Tree) -> Tree:
        """A tree on whose path the facts hold."""
        return folded(root, self._made, self, self._below)

    @staticmethod
    def _made(node: Tree, parts: Sequence[Tree], here: FactSubstitution) -> Tree:
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
    def _below(node: Tree, side: int, here: FactSubstitution) -> FactSubstitution:
        if not isinstance(node, Branch):
            return here
        return FactSubstitution(here.pool, assumed(node, side, here.facts), node.condition.reads, here)

    def _built(self, term: Expr, parts: list[Expr]) -> Expr:
        if term.op in ("var", "before"):
            return term
        built = term if tuple(parts) == term.args else super()._built(term, parts)
        if not built.boolean or not built.args:
            return built
        known = self.facts.decided_alone(built)
        return built if known is None else self.pool.truth(known)
