"""Conditions that were merged are executed where they are true and where they are false, also if that is rare."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from everystate.checker import Array, Bool, Int, Spec, action, invariant, require
from everystate.checker.backends.interpreter import Valuation
from everystate.checker.engines.crosscheck.merged_conditions import MergedConditions
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.columns import columns
from everystate.checker.ir.tree import Branch, Tree, Update
from everystate.model.kafka import KafkaProducer
from everystate.specs.classics.paxos import Paxos
from tests.agreement.states import arbitrary

SIZE = 200
FEW = Limits(cross_check=100)


class Merged(Spec):
    """Two counters, and a flag that is set in one state of many, by a conditional expression."""

    may_terminate = True

    def variables(self) -> None:
        self.x = Int(0, SIZE - 1)
        self.y = Int(0, SIZE - 1)
        self.n = Int(0, 9)

    @action
    def right(self) -> None:
        require(self.x < SIZE - 1)
        self.x += 1

    @action
    def up(self) -> None:
        require(self.y < SIZE - 1)
        self.n = 4 if self.x == 177 and self.y == 33 else self.n
        self.y += 1

    @invariant
    def small(self) -> bool:
        return self.n < 5 or (self.x >= 190 and self.y == 60)


def planted(spec: Spec, wrong: int) -> object:
    """The conditional expression of `up` has another value where its condition is true."""
    made = model.build(spec)
    pool = made.pool

    def changed(node: Tree) -> Tree:
        if isinstance(node, Branch):
            return Branch(node.condition, changed(node.then), changed(node.otherwise))
        if not isinstance(node, Update):
            return node
        other = {t: pool.ite(t.args[0], pool.const(wrong), t.args[2]) for _, t in node.writes if t.op == "ite"}
        return Update(tuple((cell, other.get(term, term)) for cell, term in node.writes))

    return replace(made, actions=tuple(replace(a, tree=changed(a.tree)) for a in made.actions))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_rare_value_of_a_merged_condition_is_executed(workers: int) -> None:
    """by one state of 40,000"""
    found = exhaustive.check(model.build(Merged()), replace(FEW, workers=workers))
    assert found.verdict == "PROVED" and found.paths is not None and found.paths.merged is not None
    with pytest.raises(EverystateError, match=r"E217 up .*: n becomes 3 on symbols, 4 on values, with x = 177, y = 33"):
        exhaustive.check(planted(Merged(), 3), replace(FEW, workers=workers))  # type: ignore[arg-type]


class WrongWhere(Merged):
    """The second half of `small` matters in the states that the first half leaves open."""

    @action
    def up(self) -> None:
        require(self.y < SIZE - 1)
        self.n = 9 if self.x == 190 and self.y == 59 else 0
        self.y += 1


def test_a_rare_value_in_an_invariant_is_executed() -> None:
    made = model.build(WrongWhere())
    prop = next(p for p in made.properties if p.name == "small")
    wrong = replace(prop, term=made.pool.lt(made.pool.var(2, 0, 9, False), made.pool.const(5)))
    assert exhaustive.check(made, FEW).verdict == "PROVED"
    assert prop.term.op == "or" and wrong.term.op == "lt"
    with pytest.raises(EverystateError, match=r"E217 small .*: it is False on symbols and True on values"):
        exhaustive.check(replace(made, properties=(wrong,)), FEW)


@pytest.mark.parametrize("spec", [Paxos(), KafkaProducer(replicas=1, clean_restarts=1)], ids=lambda s: type(s).__name__)
def test_columns_are_what_the_interpreter_evaluates(spec: Spec) -> None:
    made, random = model.build(spec), Random(1)
    states = [arbitrary(spec, random) for _ in range(20)]
    rows = np.array([made.layout.pack(cells) for cells in states], np.uint64)
    for unit in MergedConditions(made).units:
        found = columns(made.layout, rows, unit.terms)
        for at, cells in enumerate(states):
            value = Valuation(cells)
            assert [int(found[term.id][at]) for term in unit.terms] == [value(term) for term in unit.terms]


class ThreeWays(Spec):
    """A cell that is written on the first way and the last one, and stays on the second."""

    may_terminate = True

    def variables(self) -> None:
        self.x = Array(3, Int(0, 3))
        self.a = Array(3, Bool())
        self.b = Array(3, Bool())

    @action
    def go(self) -> None:
        for i in range(3):
            if self.a[i]:
                self.x[i] = 1
            elif self.b[i]:
                pass
            else:
                self.x[i] = (self.x[i] + 2) % 4

    @action(k=range(3))
    def switch(self, k: int) -> None:
        self.a[k], self.b[k] = self.b[k], not self.a[k]


def test_a_cell_stays_on_one_of_three_ways() -> None:
    found, plain = exhaustive.check(model.build(ThreeWays())), python.check(ThreeWays())
    assert (found.distinct, found.generated, found.depth) == (plain.distinct, plain.generated, plain.depth)
    assert (found.distinct, found.depth) == (4096, 24)
