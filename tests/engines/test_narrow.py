"""Spaces of many narrow levels: machine code goes over several of them, and everything is counted as level by level."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker import Int, Spec, action, invariant, reachable, require
from everystate.checker.engines.explicit import exhaustive, worker
from everystate.checker.engines.explicit.exhaustive import Exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.results.result import Result
from tests.selection import quick


class Chain(Spec):
    """A chain of 4,000 levels that is wide for a while in the middle, with something to find here and there."""

    def variables(self) -> None:
        self.n = Int(0, 3_999)
        self.side = Int(0, 199)

    @action
    def on(self) -> None:
        if self.n < 3_999:
            self.n += 1
            self.side = 0
        else:
            self.n = 3_999

    @action
    def aside(self) -> None:
        require(1_800 <= self.n < 1_900 and self.side < 199)
        self.n += 1
        self.side += 1

    @reachable
    def far(self) -> bool:
        return self.n == 2_469

    @invariant
    def below(self) -> bool:
        """n stays below 3,000"""
        return self.n < 3_000


class Stuck(Chain):
    """The same, and it ends in a deadlock."""

    @action
    def on(self) -> None:
        require(self.n < 300)
        self.n += 1


class Failing(Chain):
    """The same, and it ends in an error."""

    @action
    def on(self) -> None:
        self.n += 1 if self.n < 700 else 4_000


def facts(result: Result) -> dict[str, Any]:
    violations = [(v.property, v.kind, v.length, v.states) for v in result.violations]
    numbers = (result.distinct, result.generated, result.depth, result.stopped, result.exit_code)
    return {"violations": violations, "numbers": numbers, "coverage": result.coverage, "held": result.held}


@pytest.mark.parametrize("workers", quick([2], [1, 2]))
@pytest.mark.parametrize(
    ("cls", "depth", "found"),
    [(Chain, 4_000, [("below", 3_000)]), (Stuck, 301, [("deadlock", 300)]), (Failing, 701, [("error", 701)])],
)
def test_what_is_found_is_what_is_found_level_by_level(
    cls: type[Spec], depth: int, found: list[tuple[str, int]], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced = model.build(cls())
    narrow = facts(exhaustive.check(traced, Limits(workers=workers)))
    monkeypatch.setattr(Exhaustive, "several", False)
    assert narrow == facts(exhaustive.check(traced, Limits(workers=workers)))
    assert narrow["numbers"][2] == depth
    assert [(name, length) for name, _, length, _ in narrow["violations"] if length is not None] == found


def test_python_sees_a_few_levels_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 levels to begin with, and 37 of more than 64 states."""
    seen = list[int]()
    begin = Exhaustive._begin_level
    monkeypatch.setattr(Exhaustive, "_begin_level", lambda search, *given: seen.append(0) or begin(search, *given))
    result = exhaustive.check(model.build(Chain()))
    assert (result.depth, len(seen)) == (4_000, 64 + 37)


def test_the_memory_limit_ends_it_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MOST", 2_000)
    result = exhaustive.check(model.build(Chain()), Limits(max_memory=90_000))
    assert result.stopped.startswith("the memory limit of")
    assert 1_000 < result.distinct <= result.generated + 1 and result.depth <= result.distinct
