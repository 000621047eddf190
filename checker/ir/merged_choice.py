"""A choice among numbers or booleans that is traced once, with a symbol for the chosen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .expr import Expr, Pool
from .facts import Facts
from .substitution import Substitution
from .tree import Branch, Choice, Tree, Update, same


@dataclass(frozen=True)
class MergedChoice:
    """Any of some values, represented by a term in what is traced after it; `facts` hold where it is made."""

    pool: Pool = field(repr=False, compare=False)
    chosen: Expr
    values: tuple[Any, ...]
    facts: Facts = field(repr=False, compare=False)

    def apart(self, tree: Tree) -> Choice:
        """The same with a tree for each value, as if traced separately, instead of one tree after the choice."""
        return Choice(
            self.values,
            tuple(ChoiceSubstitution(self.pool, self.chosen, v).tree(tree, self.facts) for v in self.values),
        )


class ChoiceSubstitution(Substitution):
    """Rebuilds terms with a value in place of the choice; the other terms stay."""

    def __init__(self, pool: Pool, chosen: Expr, value: Any) -> None:
        super().__init__(pool, (), replaced=chosen.reads)
        self._known[chosen.id] = pool.truth(value) if chosen.boolean else pool.const(value)

    def tree(self, root: Tree, facts: Facts) -> Tree:
        """A tree without the branches that this value decides, where some facts hold."""
        made, todo = list[Tree](), list[tuple[Tree, Facts | None]]([(root, facts)])
        while todo:
            node, known = todo.pop()  # nothing is known of one whose parts are made
            match node:
                case Branch():
                    if known is None:
                        otherwise, then = made.pop(), made.pop()
                        made.append(then if same(then, otherwise) else Branch(node.condition, then, otherwise))
                        continue
                    condition = self(node.condition)
                    decided = known.decided(condition)
                    if decided is not None:
                        todo.append((node.then if decided else node.otherwise, known))
                        continue
                    todo.append((Branch(condition, node.then, node.otherwise), None))
                    todo += [(node.otherwise, known.given(condition, False)), (node.then, known.given(condition, True))]
                case Choice():
                    if known is None:
                        first = len(made) - len(node.labels)
                        made[first:] = [Choice(node.labels, tuple(made[first:]))]
                        continue
                    todo.append((node, None))
                    todo += [(option, known) for option in reversed(node.options)]
                case Update():
                    writes = ((cell, self(term)) for cell, term in node.writes)
                    made.append(Update(tuple((c, term) for c, term in writes if (term.op, term.value) != ("var", c))))
                case _:
                    made.append(node)
        return made[0]

    def kept(self, term: Expr) -> Expr:
        return term
