"""A chain of conditions may be as long as a path may have decisions: what reads it does not nest as deep."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
    Spec,
    action,
    action_constraint,
    invariant,
    reachable,
    refines,
    require,
    step_invariant,
    view,
)
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symbolic import bounded
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend.model import build

N = 80


class Turning(Spec):
    """Goes round."""

    may_terminate = True

    def variables(self) -> None:
        self.m = Int(0, 3)

    @action
    def go(self) -> None:
        self.m = (self.m + 1) % 4


class Long(Spec):
    """Chains in an action and in each kind of property; of many flags the last one is set, and then what follows."""

    n = Constant(N)
    may_terminate = True

    def variables(self) -> None:
        self.flags = Array(self.n, Bool())
        self.x = Int(0, 3)

    @action
    def set_last(self) -> None:
        for i in range(self.n):
            require(not self.flags[i])
        self.flags[self.n - 1] = True
        self.x = 1

    @action
    def follow(self) -> None:
        for i in range(self.n):
            if self.flags[i]:
                self.x = 2 + i % 2
                return

    @action_constraint
    def never_the_first(self, before: Any) -> bool:
        return not any(self.flags[i] for i in range(self.n // 2))

    @invariant
    def none_is_set(self) -> bool:
        return not any(self.flags[i] for i in range(self.n))

    @invariant
    def small(self) -> bool:
        for i in range(self.n):
            if self.flags[i]:
                return self.x == 1
        return True

    @step_invariant
    def same(self, before: Any) -> bool:
        return not any(self.flags[i] for i in range(self.n))

    @reachable
    def all_are_set(self) -> bool:
        return all(self.flags[i] for i in range(self.n))


class Seen(Spec):
    """The same with a view, and as steps of another spec."""

    n = Constant(N)
    may_terminate = True

    def variables(self) -> None:
        self.flags = Array(self.n, Bool())

    @action
    def set_last(self) -> None:
        self.flags[self.n - 1] = True

    @view
    def which(self) -> int:
        return next((i for i in range(self.n) if self.flags[i]), -1)

    @refines(Turning)
    def turns(self) -> dict[str, int]:
        for i in range(self.n):
            if self.flags[i]:
                return {"m": 2}
        return {"m": 0}


@pytest.fixture(scope="module")
def loaded() -> None:
    """What is loaded at the first time nests deeper."""
    for spec in (Long(n=2), Seen(n=2)):
        exhaustive.check(build(spec), Limits(cross_check=1))
    bounded.check(build(Long(n=2)), Question(1, cross_check=1))


@pytest.fixture
def shallow(loaded: None) -> Iterator[None]:
    """Python nests less deep than the chains are long."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + N)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("shallow")
def test_chains_are_read_by_every_engine() -> None:
    model = build(Long())
    result = exhaustive.check(model, Limits(cross_check=5))
    found = {v.property: v.length for v in result.violations}
    assert (found, result.distinct) == ({"none_is_set": 1, "small": 2, "same": 1, "all_are_set": None}, 3)
    found = {v.property: v.length for v in bounded.check(model, Question(1, cross_check=5)).violations}
    assert found == {"none_is_set": 1, "same": 1}


@pytest.mark.usefixtures("shallow")
def test_views_and_mappings_are_chains() -> None:
    result = exhaustive.check(build(Seen()), Limits(cross_check=5))
    assert ({v.property: v.length for v in result.violations}, result.distinct) == ({"turns": 1}, 2)
