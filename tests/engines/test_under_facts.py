"""Trees are written with shorter terms: what the way to a term decides is not asked again."""

from __future__ import annotations

from collections.abc import Iterator

from everystate.checker import Int, Spec, action, require
from everystate.checker.frontend import model
from everystate.checker.ir.expr import Expr, Pool
from everystate.checker.ir.fact_substitution import shortened
from everystate.checker.ir.tree import Branch, Choice, Disabled, Tree, Update


class Two(Spec):
    """Two numbers."""

    def variables(self) -> None:
        self.x, self.y = Int(0, 7), Int(0, 7)

    @action
    def swap(self) -> None:
        require(self.x < self.y)
        self.x, self.y = self.y, self.x


TRACED = model.build(Two())
POOL = TRACED.pool
X, Y = (POOL.var(i, cell.lo, cell.hi, cell.boolean) for i, cell in enumerate(TRACED.cells))


def number(value: int) -> Expr:
    return POOL.const(value)


def leaves(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, Branch):
        yield from (*leaves(tree.then), *leaves(tree.otherwise))
    elif isinstance(tree, Choice):
        yield from (leaf for option in tree.options for leaf in leaves(option))
    else:
        yield tree


def test_a_condition_that_the_way_decides_is_not_asked_again() -> None:
    small, smaller = POOL.lt(X, number(3)), POOL.lt(X, number(5))
    step = Update(((1, POOL.ite(smaller, number(0), Y)),))
    found = shortened(POOL, Branch(small, Branch(smaller, step, Disabled(None)), step))
    assert isinstance(found, Branch) and isinstance(found.then, Update) and isinstance(found.otherwise, Update)
    assert found.then.writes == ((1, number(0)),)
    assert found.otherwise.writes == step.writes


def test_what_stays_as_it_is_is_not_written() -> None:
    step = Update(((0, POOL.ite(POOL.eq(Y, number(2)), number(4), X)), (1, number(1))))
    found = shortened(POOL, Choice((0,), (step,)), [(POOL.lt(Y, number(2)), True)])
    assert [leaf.writes for leaf in leaves(found) if isinstance(leaf, Update)] == [((1, number(1)),)]


def test_what_a_cell_holds_is_not_replaced() -> None:
    """readers of terms look for cells that stay as they are"""
    step = Update(((0, POOL.add(X, Y)),))
    found = shortened(POOL, step, [(POOL.eq(X, number(2)), True)])
    assert isinstance(found, Update) and found.writes == step.writes


def test_what_a_guard_denies_is_known() -> None:
    small = POOL.lt(X, number(3))
    found = shortened(POOL, Branch(small, Disabled(None), Update(())), [(small, False)])
    assert isinstance(found, Update)


def test_a_choice_by_what_a_number_is_has_it_on_that_side() -> None:
    """a counter that goes from 0 to 1 and stays there overflows nowhere"""
    pool = Pool()
    x = pool.var(0, 0, 1, False)
    first = pool.eq(x, pool.const(0))
    assert pool.ite(first, pool.add(x, pool.const(1)), pool.const(1)) is pool.const(1)
    assert pool.ite(first, x, pool.const(1)) is pool.ite(first, pool.const(0), pool.const(1))
