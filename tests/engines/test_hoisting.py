"""What several leaves of a long tree need is computed before it branches, and steps are as before."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker import Array, Int, Spec, action, choose
from everystate.checker.backends.native import functions, hoisting, interface
from everystate.checker.backends.native.functions import Functions
from everystate.checker.backends.native.hoisting import leaves_below, places
from everystate.checker.backends.native.program import Program
from everystate.checker.frontend import model
from everystate.checker.ir.expr import Pool
from everystate.checker.ir.tree import Branch, Choice, Disabled, Update
from everystate.specs.idem_producer import IdempotentProducer
from tests.selection import quick

from .test_expanding import Code, Forked


class Forks(Spec):
    """Eight leaves of one tree, which assign the same sum of quotients in another way each."""

    def variables(self) -> None:
        self.row = Array(6, Int(0, 7))
        self.total = Int(0, 63)

    @action
    def move(self) -> None:
        total = sum(value % 3 * (value // 2) for value in self.row)
        by = choose(range(2))
        if self.row[0] > 3:
            if self.row[1] > 3:
                self.total = total + by
            else:
                self.row[2] = 1
                self.total = total
        elif self.row[3] > 3:
            self.row[4] = total % 7
        else:
            self.row[5] = 7 - by
            self.total = total % 5


def instructions(spec: Spec) -> int:
    """Of the first instance."""
    return int(Functions(Program(model.build(spec)), "").module.globals["act_0"].size)


@pytest.mark.parametrize("many", quick([1], [1, 1000]))
@pytest.mark.parametrize("spec", [Forks(), Forked(), IdempotentProducer()])
def test_steps_are_as_before(spec: Spec, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "MANY", many)
    name = "expand_block" if many == 1 else "expand"
    monkeypatch.setattr(hoisting, "MANY", 1000)
    before = Code(spec).expanded(name, 64)
    monkeypatch.setattr(hoisting, "MANY", 1)
    monkeypatch.setattr(functions, "FULL", 0)
    assert Code(spec).expanded(name, 64) == before
    assert len(before[0]) > 100


def test_code_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    after = instructions(Forks())
    monkeypatch.setattr(hoisting, "MANY", 9)
    assert instructions(Forks()) > 2 * after


def test_a_term_goes_where_half_of_the_leaves_need_it() -> None:
    pool = Pool()
    a, b, c = (pool.var(cell, 0, 1, True) for cell in range(3))
    step: Any = Update(())
    four = Branch(a, Branch(b, step, step), Branch(c, step, step))

    def found(tree: Any, *paths: tuple[int, ...]) -> list[tuple[int, ...]]:
        return list(places(leaves_below(tree), set(paths)))

    assert found(four, (0, 0), (1, 1)) == [()]
    assert found(four, (0, 0), (0, 1)) == [(0,)]
    assert found(four, (0, 1)) == []
    assert found(four, (0,), (0, 1)) == [], "it is there below the node that needs it"
    assert found(Branch(a, four, four), (0, 0, 0), (1, 0, 0)) == [], "two of eight"
    assert found(Branch(a, four, four), (0, 0, 0), (0, 0, 1), (1,)) == [()], "a condition is for all below"
    assert found(Branch(a, four, four), (0, 0, 0), (0, 1, 0), (1, 0, 1)) == [(0,)]
    guarded = Branch(a, Branch(b, step, step), Disabled(None))
    assert found(guarded, (0, 0), (0, 1)) == [(0,)], "not before the guard"
    assert found(Choice((0, 1, 2), (step, Disabled(None), four)), (0,), (2, 0, 0), (2, 1)) == [()]
