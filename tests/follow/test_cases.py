"""Cases cover what they say, over a graph that is counted another way."""

from __future__ import annotations

import pytest

from everystate.checker import AnyOf, Int, Spec, action, constraint, reachable, require
from everystate.checker.errors import EverystateError
from everystate.checker.follow.cases import Case, cases, found
from everystate.checker.language.state import State
from everystate.checker.results.trace import TraceStep
from everystate.specs.classics.die_hard import DieHard
from tests.plain import space


class Climb(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 5)

    @action
    def up(self) -> None:
        require(self.n < 3)
        self.n += 1

    @action
    def down(self) -> None:
        require(self.n > 0)
        self.n -= 1

    @action
    def jump(self) -> None:
        require(self.n == 5)
        self.n = 0

    @reachable
    def high(self) -> bool:
        return bool(self.n == 3)

    @reachable
    def higher(self) -> bool:
        return bool(self.n == 4)


class Low(Climb):
    """A search goes no higher than to 2, which it looks at."""

    @constraint
    def low(self) -> bool:
        return bool(self.n < 2)


def edges(spec: Spec) -> set[tuple[State, str, State]]:
    return {(state, step.label, step.state) for state, steps in space(spec).items() for step in steps}


def test_every_step_is_taken_and_none_that_there_is_not() -> None:
    spec, taken = DieHard(), set()
    for case in cases(spec, cover="steps"):
        before = case.trace.initial
        assert before in spec.initial_states()
        for step in case.trace.steps:
            taken.add((before, step.label, step.state))
            before = step.state
    assert taken == edges(spec) and len(taken) == 96


def test_what_is_never_reached_is_told() -> None:
    made = found(Climb(), "climb", "actions")
    assert ([s.action for c in made.cases for s in c.trace.steps], made.missed) == (["up", "down"], ("jump",))
    goals = found(Climb(), "climb", "goals")
    assert ([s.action for c in goals.cases for s in c.trace.steps], goals.missed) == (["up"] * 3, ("higher",))


class Begun(Climb):
    def variables(self) -> None:
        self.n = Int(0, 5, init=AnyOf(0, 4))

    @action
    def jump(self) -> None:
        require(self.n == 5)
        self.n = 1


def test_a_goal_may_be_reached_before_any_step() -> None:
    """`higher` holds in an initial state, and after no step; `high` also after one."""
    made = found(Begun(), "begun", "goals")
    shown = [(case.trace.initial.n, [step.label for step in case.trace.steps]) for case in made.cases]
    assert (shown, made.met, made.missed) == ([(0, ["up()"] * 3), (4, [])], 2, ())


def test_a_graph_that_is_too_large_is_refused() -> None:
    """16 states of the puzzle are reachable"""
    assert found(DieHard(), "die-hard", "steps", most=16).met == 96
    with pytest.raises(EverystateError) as refused:
        found(DieHard(), "die-hard", "steps", most=15)
    assert refused.value.code == "E721"


def test_no_case_goes_beyond_a_constraint() -> None:
    """`check` says of `high` that it is never reached, and no step is taken from where the constraint is false"""
    made = found(Low(), "low", "goals")
    assert (made.cases, made.missed, made.cut) == ((), ("high", "higher"), ("low",))
    steps = {(before.n, step.label) for case in cases(Low(), "steps") for before, step in taken(case)}
    assert steps == {(0, "up()"), (1, "up()"), (1, "down()")}


def taken(case: Case) -> list[tuple[State, TraceStep]]:
    return list(zip([case.trace.initial, *(step.state for step in case.trace.steps)], case.trace.steps, strict=False))
