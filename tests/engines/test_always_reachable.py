"""What can be reached from every reachable state, and where a liveness property says what may stop."""

from __future__ import annotations

import random
from typing import Any

import pytest

from everystate import check
from everystate.checker import Constant, Int, Spec, action, always_reachable, constraint, eventually, fair, require
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.results.text import render
from everystate.checker.results.verdict import ExitCode, Kind, Verdict

ENGINES = {"native": lambda spec: exhaustive.check(model.build(spec)), "python": python.check}


class Door(Spec):
    """A door that can be locked for ever, unless it is `mended`."""

    mended = Constant(False)

    def variables(self) -> None:
        self.at = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.at < 3)
        self.at += 1

    @action
    def back(self) -> None:
        require(self.at < 3 or self.mended)
        self.at = 0

    @action
    def spin(self) -> None:
        require(self.at == 3)
        self.at = 3

    @always_reachable
    def open(self) -> bool:
        """the door can always be opened again"""
        return self.at == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_from_which_it_cannot_be_reached_is_told_by_a_shortest_way(engine: str) -> None:
    found = ENGINES[engine](Door())
    (violation,) = found.violations
    assert (violation.kind, violation.length, violation.states) == (Kind.TRAPPED, 3, 1)
    assert found.exit_code is ExitCode.SAFETY and violation.trace is not None
    assert [step.action for step in violation.trace.steps] == ["up", "up", "up"]
    assert found.statement.startswith("VIOLATED  open cannot be reached any more after 3 steps; all 4 reachable states")
    said = render(violation.trace)
    assert said.startswith(
        "open cannot be reached any more after 3 steps. Expected: the door can always be opened again\n"
    )
    assert said.endswith("open cannot be reached from the last state\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_where_there_is_always_a_way_back_it_is_proved(engine: str) -> None:
    found = ENGINES[engine](Door(mended=True))
    assert (found.verdict, found.held) == (Verdict.PROVED, ("open",))
    assert set(found.warnings) <= {"action spin never changes the state"}
    assert "open can be reached from every state" in found.statement


@pytest.mark.parametrize("engine", ENGINES)
def test_a_way_back_beyond_a_constraint_is_not_ruled_out(engine: str) -> None:
    class Cut(Door):
        @constraint
        def low(self) -> bool:
            return self.at < 2

        @action
        def leave(self) -> None:
            require(self.at == 1)
            self.at = 5

        @always_reachable
        def six(self) -> bool:
            return self.at == 6

    found = ENGINES[engine](Cut())
    assert (found.verdict, found.held) == (Verdict.UNDECIDED, ("open",))
    assert "six is undecided: it may be reached beyond the state constraint low" in found.warnings


class Web(Spec):
    """A random graph."""

    seed = Constant(0)

    def variables(self) -> None:
        self.at = Int(0, 11)

    @action(edge=lambda self: edges(self.seed))
    def go(self, edge: Any) -> None:
        require(self.at == edge[0])
        self.at = edge[1]

    @always_reachable
    def goal(self) -> bool:
        return self.at in (5, 7)


def edges(seed: int) -> list[tuple[int, int]]:
    dice = random.Random(seed)
    return sorted({(dice.randrange(12), dice.randrange(12)) for _ in range(40)} | {(0, 1)})


def lost(seed: int) -> list[int]:
    """The states that 0 reaches and that reach neither 5 nor 7."""
    after = {n: {b for a, b in edges(seed) if a == n} for n in range(12)}

    def closure(start: int) -> set[int]:
        seen, todo = {start}, [start]
        while todo:
            fresh = after[todo.pop()] - seen
            seen |= fresh
            todo += fresh
        return seen

    return [n for n in closure(0) if not closure(n) & {5, 7}]


def test_random_graphs_are_judged_as_by_sets() -> None:
    broken = 0
    for seed in range(40):
        found = check(Web(seed=seed), deadlock=False, engine="native" if seed < 8 else "python").result
        assert [v.states for v in found.violations] == ([len(lost(seed))] if lost(seed) else [])
        broken += bool(lost(seed))
    assert 5 < broken < 35


def test_a_kept_result_tells_the_same(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    first, again = (check(Door, cache=True).result for _ in range(2))
    assert first.violations == again.violations


class Stops(Spec):
    """Nothing is fair, so the door may stay shut."""

    def variables(self) -> None:
        self.x = Int(0, 2)

    @action
    def up(self) -> None:
        require(self.x < 2)
        self.x += 1

    @action
    def jump(self) -> None:
        require(self.x < 2)
        self.x = 2

    @eventually
    def done(self) -> bool:
        return self.x == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_behaviour_that_stops_names_what_could_go_on(engine: str) -> None:
    spec = Stops()
    limits = Limits(deadlock=False)
    found = python.check(spec, limits) if engine == "python" else exhaustive.check(model.build(spec), limits)
    assert (
        "no action is fair (@fair), so a behaviour may stop in any state; this alone can violate done" in found.warnings
    )
    (violation,) = found.violations
    assert violation.trace is not None and violation.trace.witness == {"enabled, but not fair": "up(), jump()"}
    assert render(violation.trace).endswith("  enabled, but not fair = up(), jump()\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_where_something_is_fair_there_is_no_warning(engine: str) -> None:
    class Goes(Stops):
        @fair
        @action
        def up(self) -> None:
            require(self.x < 2)
            self.x += 1

    spec = Goes()
    limits = Limits(deadlock=False)
    found = python.check(spec, limits) if engine == "python" else exhaustive.check(model.build(spec), limits)
    assert (found.verdict, found.warnings) == (Verdict.PROVED, ())
