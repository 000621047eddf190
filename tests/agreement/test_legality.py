"""The rules of legal models: the shipped specs keep them, and broken models are noticed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import get_args

import pytest

import everystate.specs.classics as classics
from everystate.checker.frontend.model import build
from everystate.checker.ir import tree
from everystate.checker.ir.expr import Expr, Op, Pool
from everystate.checker.language import Int, Spec, action
from everystate.checker.language.domains import Cell
from everystate.specs.idem_producer import IdempotentProducer

from .legality import RULES, check_model, check_term, check_terms, check_tree

CELLS = (Cell("x", 0, 5), Cell("y", 0, 5), Cell("b", 0, 1, boolean=True))


def shipped() -> Iterator[type[Spec]]:
    """The spec classes that come with the checker."""
    yield IdempotentProducer
    for module in pkgutil.iter_modules(classics.__path__, classics.__name__ + "."):
        found = vars(importlib.import_module(module.name))
        classes = [v for v in found.values() if isinstance(v, type) and v.__module__ == module.name]
        yield from (c for c in classes if issubclass(c, Spec))


@pytest.mark.parametrize("spec", list(shipped()), ids=lambda s: s.__name__)
def test_shipped_specs_are_legal(spec: type[Spec]) -> None:
    check_model(build(spec()))


def test_every_operator_has_a_rule() -> None:
    assert set(RULES) == set(get_args(Op))


def terms() -> tuple[Pool, Expr, Expr, Expr]:
    pool = Pool()
    a, b, c = (pool.var(i, cell.lo, cell.hi, cell.boolean) for i, cell in enumerate(CELLS))
    return pool, a, b, c


ILLEGAL: dict[str, Callable[[Pool, Expr, Expr, Expr], Expr]] = {
    "arguments": lambda p, x, y, b: Expr("add", (x,), 0, 0, 5, False, 99),
    "wrong sort": lambda p, x, y, b: Expr("add", (x, b), 0, 0, 6, False, 99),
    "has the wrong sort": lambda p, x, y, b: Expr("lt", (x, y), 0, 0, 1, False, 99),
    "outside": lambda p, x, y, b: Expr("add", (x, y), 0, 0, 9, False, 99),
    "machine word": lambda p, x, y, b: Expr("mul", (x, p.const(1 << 62)), 0, 0, 5 << 62, False, 99),
    "canonical": lambda p, x, y, b: Expr("not", (p.not_(b),), 0, 0, 1, True, 99),
    "unknown operator": lambda p, x, y, b: Expr("xor", (x, y), 0, 0, 7, False, 99),  # type: ignore[arg-type]
    "state before": lambda p, x, y, b: p.var(0, 0, 5, False, before=True),
    "reads y with": lambda p, x, y, b: Expr("var", (), 1, 0, 1, True, 99),
}


@pytest.mark.parametrize("reason", ILLEGAL)
def test_an_illegal_term_is_noticed(reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        check_term(ILLEGAL[reason](*terms()), CELLS)


@pytest.mark.parametrize(
    "make",
    [
        lambda p, x, y, b: Expr("add", (p.const(1), x), 0, 1, 6, False, 99),
        lambda p, x, y, b: Expr("add", (y, x), 0, 0, 10, False, 99),
        lambda p, x, y, b: Expr("eq", (p.const(1), x), 0, 0, 1, True, 99),
        lambda p, x, y, b: Expr("eq", (x, p.const(7)), 0, 0, 1, True, 99),
        lambda p, x, y, b: Expr("lt", (x, x), 0, 0, 1, True, 99),
        lambda p, x, y, b: Expr("mul", (x, p.const(1)), 0, 0, 5, False, 99),
        lambda p, x, y, b: Expr("and", (b, p.not_(b)), 0, 0, 1, True, 99),
        lambda p, x, y, b: Expr("ite", (p.not_(b), x, y), 0, 0, 5, False, 99),
        lambda p, x, y, b: Expr("select", (p.const(1), x, y, x), 0, 0, 5, False, 99),
    ],
)
def test_a_term_that_is_not_canonical_is_noticed(make: Callable[[Pool, Expr, Expr, Expr], Expr]) -> None:
    with pytest.raises(AssertionError, match="canonical"):
        check_term(make(*terms()), CELLS)


def test_equal_terms_are_one_object() -> None:
    pool, x, y, _ = terms()
    twin = Expr("add", (x, y), 0, 0, 10, False, 99)
    with pytest.raises(AssertionError, match="twice"):
        check_terms([pool.add(x, y), twin], CELLS)


def trees() -> dict[str, tuple[Pool, tree.Tree]]:
    pool, x, y, b = terms()
    update, off = tree.Update(((0, y),)), tree.Disabled(None)
    return {
        "not distinct": (pool, tree.Update(((1, x), (0, y)))),
        "wrong sort": (pool, tree.Update(((0, b),))),
        "gets": (pool, tree.Update(((0, pool.add(x, pool.const(1))),))),
        "to itself": (pool, tree.Update(((0, x),))),
        "no question": (pool, tree.Branch(pool.true, update, off)),
        "decided by those above": (pool, tree.Branch(b, tree.Branch(b, update, off), off)),
        "one label": (pool, tree.Choice((), ())),
        "cannot end": (pool, tree.Value(3)),
    }


@pytest.mark.parametrize("reason", trees())
def test_an_illegal_tree_is_noticed(reason: str) -> None:
    pool, made = trees()[reason]
    with pytest.raises(AssertionError, match=reason):
        check_tree(made, CELLS, pool)


def test_a_guarded_assignment_is_legal() -> None:
    pool, x, _, _ = terms()
    more = tree.Update(((0, pool.add(x, pool.const(1))),))
    check_tree(tree.Branch(pool.lt(x, pool.const(5)), more, tree.Disabled(None)), CELLS, pool)


def test_wrong_reads_and_writes_are_noticed() -> None:
    class Counter(Spec):
        def variables(self) -> None:
            self.n = Int(0, 3)

        @action
        def up(self) -> None:
            self.n = (self.n + 1) % 4

    model = build(Counter())
    check_model(model)
    object.__setattr__(model.actions[0], "reads", frozenset({1}))
    with pytest.raises(AssertionError, match="what it reads"):
        check_model(model)


def test_a_junction_is_one_term_however_its_parts_are_handed_over() -> None:
    pool, x, y, b = terms()
    less = pool.lt(x, y)
    for join, decides in ((pool.and_, pool.false), (pool.or_, pool.true)):
        both = join((b, less))
        assert both is join([b, less]) is join(iter((b, less)))
        assert join((b, pool.not_(less))) is not both
        assert join((less, pool.not_(less))) is join([pool.not_(less), less]) is decides
        assert join((b, less)) is both
