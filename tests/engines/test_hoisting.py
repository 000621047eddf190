"""What several leaves of a long tree need is computed before it branches, and steps are as before."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from everystate.checker import Array, Int, Spec, action, choose
from everystate.checker.backends.native import functions, interface
from everystate.checker.backends.native.functions import Functions
from everystate.checker.backends.native.hoisting import hoists
from everystate.checker.backends.native.program import Program
from everystate.checker.backends.native.terms import DryRun
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
    before = Code(spec).expanded(name, 64)
    monkeypatch.setattr(functions, "LONG", 0)
    monkeypatch.setattr(functions, "FULL", 0)
    assert Code(spec).expanded(name, 64) == before
    assert len(before[0]) > 100


def test_code_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = instructions(Forks())
    monkeypatch.setattr(functions, "LONG", before)
    after = instructions(Forks())
    monkeypatch.setattr(functions, "LONG", before + 1)
    assert instructions(Forks()) == before > 2 * after


def test_a_term_goes_where_half_of_the_leaves_need_it() -> None:
    pool = Pool()
    a, b, c = (pool.var(cell, 0, 1, True) for cell in range(3))
    x, y = (pool.add(pool.var(cell, 0, 9, False), pool.const(1)) for cell in (3, 4))
    step: Any = Update(())
    four = Branch(a, Branch(b, step, step), Branch(c, step, step))

    def found(tree: Any, *paths: tuple[int, ...]) -> dict[tuple[int, ...], list[Any]]:
        return dict(hoists(tree, {x: paths}))

    assert found(four, (0, 0), (1, 1)) == {(): [x]}
    assert found(four, (0, 0), (0, 1)) == {(0,): [x]}
    assert found(four, (0, 1)) == {}
    assert found(four, (0,), (0, 1)) == {}, "it is there below the node that needs it"
    assert found(Branch(a, four, four), (0, 0, 0), (1, 0, 0)) == {}, "two of eight"
    assert found(Branch(a, four, four), (0, 0, 0), (0, 0, 1), (1,)) == {(): [x]}, "a condition is for all below"
    assert found(Branch(a, four, four), (0, 0, 0), (0, 1, 0), (1, 0, 1)) == {(0,): [x]}
    guarded = Branch(a, Branch(b, step, step), Disabled(None))
    assert found(guarded, (0, 0), (0, 1)) == {(0,): [x]}, "not before the guard"
    assert found(Choice((0, 1, 2), (step, Disabled(None), four)), (0,), (2, 0, 0), (2, 1)) == {(): [x]}
    assert hoists(four, {x: [(0, 0), (1, 0)], y: [(0, 0), (0, 0), (0, 1)]}) == {(): [x], (0,): [y]}


@pytest.mark.parametrize("spec", [Forks(), Forked(), IdempotentProducer()])
def test_a_rehearsal_writes_less_and_says_the_same(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "LONG", 100)
    texts, written = [], []
    for most in (0, 1 << 60):
        functions_written: list[Any] = []
        monkeypatch.setattr(functions, "DryRun", partial(_rehearsal, most, functions_written))
        texts.append(list(map(str, Functions(Program(model.build(spec)), "").modules)))
        written.append(sum(function.b.values for function in functions_written))
    assert texts[0] == texts[1]
    assert written[0] < written[1]


def _rehearsal(most: int, written: list[Any], fn: Any, layout: Any, words: Any, groups: Any, _: int) -> DryRun:
    written.append(fn)
    return DryRun(fn, layout, words, groups, most)
