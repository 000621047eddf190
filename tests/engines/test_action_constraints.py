"""Action constraints: the steps where they are false are not taken, by nobody, and every verdict says so."""

from __future__ import annotations

from typing import Any, Self

import pytest

from everystate.checker import (
    Int,
    Spec,
    action,
    action_constraint,
    choose,
    eventually,
    fair,
    invariant,
    reachable,
    refines,
    require,
    step_invariant,
)
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.symbolic import bounded
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Kind, Verdict
from everystate.specs.classics.fifo import FIFO
from tests.agreement import legality

from .conftest import Engine, native


class Free(Spec):
    """Two numbers; x grows by one, two or three, y jumps."""

    may_terminate = True

    def variables(self) -> None:
        self.x = Int(0, 9)
        self.y = Int(0, 9)

    @action(by=(1, 2, 3))
    def go(self, by: int) -> None:
        require(self.x + by <= 9)
        self.x += by

    @action
    def jump(self) -> None:
        self.y = choose([0, 1, 2, 3])

    @step_invariant
    def one_by_one(self, before: Self) -> bool:
        return self.x - before.x <= 1

    @invariant
    def low(self) -> bool:
        return self.x < 9


class Slow(Free):
    @action_constraint
    def slowly(self, before: Self) -> bool:
        """one by one"""
        return self.x - before.x <= 1 and self.y - before.y <= 1


def expected(spec: Spec) -> tuple[int, int]:
    """(distinct, generated) of Slow, counted here."""
    seen, todo, generated = {(0, 0)}, [(0, 0)], 1
    while todo:
        x, y = todo.pop()
        after = [(x + by, y) for by in (1, 2, 3) if x + by <= 9 and by <= 1]
        after += [(x, to) for to in range(4) if to - y <= 1]
        generated += len(after)
        todo += [t for t in dict.fromkeys(after) if t not in seen]
        seen |= set(after)
    return len(seen), generated


WARNING = "the action constraint slowly leaves steps out: nothing is proved of behaviours that take them"


def test_steps_that_are_left_out_are_neither_taken_nor_judged(check: Engine) -> None:
    result = check(Slow())
    assert (result.distinct, result.generated) == expected(Slow()) == (40, 167)
    assert [(v.property, v.length) for v in result.violations] == [("low", 9)]
    assert result.coverage["go"].taken == 9 * 4
    assert WARNING in result.warnings
    assert [(v.property, v.length) for v in check(Free()).violations] == [("low", 3), ("one_by_one", 1)]


def test_the_verdict_says_within_what_it_was_proved(check: Engine) -> None:
    class Bounded(Slow):
        @invariant
        def low(self) -> bool:
            return self.x <= 9

    result = check(Bounded())
    assert result.verdict is Verdict.PROVED
    assert "(within slowly, exhaustive, exact states)" in result.statement
    assert set(result.held) == {"low", "one_by_one"}
    assert result.conditions.action_constraints == ("slowly",)


def test_several_hold_together_and_one_that_leaves_nothing_is_a_deadlock(check: Engine) -> None:
    class Nothing(Slow):
        may_terminate = False

        @action_constraint
        def back_only(self, before: Self) -> bool:
            return self.x + self.y < before.x + before.y

    result = check(Nothing())
    assert (result.distinct, result.generated) == (1, 1)
    assert [(v.kind, v.length) for v in result.violations] == [(Kind.DEADLOCK, 0)]


def test_one_that_cannot_be_evaluated_is_an_error_and_leaves_nothing_out(check: Engine) -> None:
    class Divides(Slow):
        @action_constraint
        def divides(self, before: Self) -> bool:
            return 6 // (4 - self.x) > 0

    result = check(Divides())
    [found] = [v for v in result.violations if v.property == "divides"]
    assert (found.kind, found.length, found.text) == (Kind.PROPERTY_ERROR, 4, "division by zero")


def test_goals_beyond_are_not_reached_and_nobody_need_go_there(check: Engine) -> None:
    class Goal(Spec):
        def variables(self) -> None:
            self.n = Int(0, 3)

        @fair
        @action
        def up(self) -> None:
            require(self.n < 3)
            self.n += 1

        @action
        def stay(self) -> None:
            pass

        @action_constraint
        def up_to_two(self, before: Self) -> bool:
            return self.n <= 2

        @reachable
        def three(self) -> bool:
            return self.n == 3

        @eventually
        def two(self) -> bool:
            return self.n == 2

        @eventually
        def top(self) -> bool:
            return self.n == 3

    result = check(Goal())
    assert [(v.property, v.kind) for v in result.violations] == [
        ("top", Kind.TEMPORAL),
        ("three", Kind.UNREACHED),
    ]
    assert result.distinct == 3


def test_a_constraint_of_the_abstract_spec_takes_steps_away_there(check: Engine) -> None:
    class Copy(Free):
        @refines(Slow)
        def copies(self) -> dict[str, Any]:
            return {"x": self.x, "y": self.y}

    assert check(Copy()).violation("copies").length == 1


def test_the_buffer_of_the_book_has_the_states_that_tlc_counts() -> None:
    """TLC: 3,864 distinct, depth 11; it counts the 1,944 steps that are left out as well: 9,660 generated."""
    result = native(FIFO())
    assert (result.verdict, result.distinct, result.depth, result.generated) == (Verdict.PROVED, 3864, 11, 9660 - 1944)


def test_z3_and_walks_leave_the_same_steps_out() -> None:
    found = bounded.check(model.build(Slow()), Question(9, cross_check=10))
    assert [(v.property, v.length) for v in found.violations] == [("low", 9)]
    assert WARNING in found.warnings
    result = walk(Slow(), 20, 8, seed=1)
    assert result.verdict is Verdict.SAMPLED and WARNING in result.warnings


def test_the_trees_are_legal() -> None:
    legality.check_model(model.build(Slow()))


def test_a_wrong_tree_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "bounded", lambda pool, state, tree, bounds: tree)
    with pytest.raises(EverystateError, match="E217 go differs between compiled code and plain Python"):
        exhaustive.check(model.build(Slow()))


def test_what_may_be_wrong_with_one_is_told() -> None:
    class Without(Free):
        @action_constraint
        def alone(self) -> bool:
            return True

    class Number(Free):
        @action_constraint
        def number(self, before: Self) -> bool:
            return self.x  # type: ignore[return-value]  # what is refused

    with pytest.raises(
        EverystateError, match=r"E121 Without\.alone takes nothing after self, but an action constraint"
    ):
        Without()
    with pytest.raises(EverystateError, match="E209 number must be a condition"):
        model.build(Number())
