"""Every kind of property and bound, on both engines, with exact counts and lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Int,
    Seq,
    Spec,
    action,
    choose,
    constraint,
    eventually,
    implies,
    initial,
    invariant,
    reachable,
    require,
    step_invariant,
    view,
)
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.report import violation_lines
from everystate.checker.results.verdict import ActionCoverage, ExitCode, Kind, Verdict

Engine = Callable[..., Any]


class Counter(Spec):
    """Counts up to 5 and stops."""

    def variables(self) -> None:
        self.n = Int(0, 5)

    @action
    def up(self) -> None:
        require(self.n < 5)
        self.n += 1


def test_a_state_without_successor_is_a_deadlock_unless_it_is_an_end(check: Engine) -> None:
    result = check(Counter())
    [found] = result.violations
    assert (found.kind, found.length, result.exit_code) == (Kind.DEADLOCK, 5, ExitCode.DEADLOCK)
    assert check(Counter(), deadlock=False).verdict is Verdict.PROVED


def test_a_self_loop_is_no_deadlock(check: Engine) -> None:
    class Stutter(Counter):
        @action
        def rest(self) -> None:
            require(self.n == 5)

    result = check(Stutter())
    assert (result.verdict, result.distinct, result.generated) == (Verdict.PROVED, 6, 7)


def test_a_step_invariant_sees_both_ends_of_a_step(check: Engine) -> None:
    class Jumps(Counter):
        may_terminate = True

        @action
        def back(self) -> None:
            require(self.n == 3)
            self.n = 1

        @step_invariant
        def never_backwards(self, before: Any) -> bool:
            """n never decreases"""
            return self.n >= before.n

    [found] = check(Jumps()).violations
    assert (found.property, found.kind, found.length, found.states) == ("never_backwards", Kind.STEP_INVARIANT, 4, 1)
    assert [s.n for s in found.trace.states] == [0, 1, 2, 3, 1]


def test_a_goal_that_is_never_reached_fails(check: Engine) -> None:
    class Goals(Counter):
        may_terminate = True

        @reachable
        def four(self) -> bool:
            """n can be 4"""
            return self.n == 4

        @reachable
        def six(self) -> bool:
            """n can be 6"""
            return self.n == 6

    result = check(Goals())
    assert [(v.property, v.kind, v.trace) for v in result.violations] == [("six", Kind.UNREACHED, None)]
    assert result.held == ("four",)


def test_a_state_outside_a_constraint_is_checked_but_neither_counted_nor_expanded(check: Engine) -> None:
    class Bounded(Counter):
        @constraint
        def small(self) -> bool:
            return self.n <= 2

        @invariant
        def below_three(self) -> bool:
            """n stays below 3"""
            return self.n < 3

    result = check(Bounded())
    assert (result.distinct, result.generated, result.depth) == (3, 4, 3)
    [found] = result.violations
    assert (found.property, found.length) == ("below_three", 3)
    assert any("pruned 1 successor;" in w for w in result.warnings)


def test_a_view_merges_states(check: Engine) -> None:
    class Clock(Spec):
        """Ticks; the hand that nobody looks at doubles the states."""

        def variables(self) -> None:
            self.hour = Int(0, 11)
            self.hand = Bool()

        @action
        def tick(self) -> None:
            self.hour = (self.hour + 1) % 12
            self.hand = self.hour % 5 == 0

        @view
        def hour_only(self) -> int:
            return self.hour

    result = check(Clock())
    assert (result.verdict, result.distinct, result.generated) == (Verdict.PROVED, 12, 13)
    assert result.warnings == (
        "states with equal views were explored once: the verdict holds if the view keeps all that matters",
    )  # the engine in plain Python did not say so


def test_all_violated_properties_are_reported_each_with_a_shortest_trace(check: Engine) -> None:
    class Three(Counter):
        @invariant
        def below_four(self) -> bool:
            """n stays below 4"""
            return self.n < 4

        @invariant
        def below_two(self) -> bool:
            """n stays below 2"""
            return self.n < 2

        @invariant
        def natural(self) -> bool:
            """n is not negative"""
            return self.n >= 0

    result = check(Three())
    found = {v.property: (v.length, v.states) for v in result.violations}
    assert found == {"below_four": (4, 2), "below_two": (2, 4), "deadlock": (5, 1)}
    assert result.held == ("natural",)
    assert result.exit_code is ExitCode.SAFETY


@pytest.mark.parametrize(
    ("body", "code", "what"),
    [
        (lambda s: setattr(s, "n", s.n + 1), "E301", "n = 6 is outside Int(0, 5)"),
        (lambda s: s.log.append(1), "E302", "a sequence, set or bag grew past its capacity of 2"),
        (lambda s: s.cells.__setitem__(s.n, True), "E303", "index 3 is outside 0..2"),
        (lambda s: s.log.popleft(), "E304", "an element was taken from an empty sequence"),
        (lambda s: setattr(s, "n", 4 // s.n), "E306", "division by zero"),
    ],
)
def test_an_error_in_an_action_is_found_with_the_trace_that_leads_there(
    check: Engine, body: Callable[[Any], None], code: str, what: str
) -> None:
    class Faulty(Spec):
        """Fails."""

        may_terminate = True

        def variables(self) -> None:
            self.n = Int(0, 5)
            self.log = Seq(Int(0, 3), 2)
            self.cells = Array(3, Bool())

        @action
        def up(self) -> None:
            require(self.n < 5)
            self.n += 1

        @action
        def fail(self) -> None:
            body(self)

    result = check(Faulty())
    [found] = result.violations
    assert (found.kind, result.exit_code) == (Kind.ERROR, ExitCode.ASSERTION)
    assert found.error.code == code
    assert found.error.what == what
    assert found.trace.failing == "fail()"


def test_an_assert_that_fails_is_an_error_of_the_spec(check: Engine) -> None:
    class Asserts(Counter):
        @action
        def look(self) -> None:
            assert self.n < 3, "n is small"

    result = check(Asserts())
    [found] = [v for v in result.violations if v.kind is Kind.ERROR]
    assert (found.error.code, found.error.what, found.length) == ("E307", "an assert failed: n is small", 4)
    assert "assert self.n < 3" in str(found.error.where)


def test_an_error_in_a_property_is_reported_with_its_state(check: Engine) -> None:
    class Looks(Spec):
        """A property that looks past the end."""

        may_terminate = True

        def variables(self) -> None:
            self.n = Int(0, 3)
            self.cells = Array(3, Bool())

        @action
        def up(self) -> None:
            require(self.n < 3)
            self.n += 1

        @invariant
        def cell_is_off(self) -> bool:
            """the cell under n is off"""
            return not self.cells[self.n]

    result = check(Looks())
    [found] = result.violations
    assert (found.kind, found.length, found.error.code) == (Kind.PROPERTY_ERROR, 3, "E303")
    assert result.exit_code is ExitCode.PROPERTY_EVALUATION


def test_choices_and_dependent_initial_states_count_as_tlc_counts_them(check: Engine) -> None:
    class Chooses(Spec):
        """Two numbers below three, in order, then any member of a list."""

        may_terminate = True

        def variables(self) -> None:
            self.low = Int(0, 2, init=AnyOf())
            self.high = Int(0, 2)
            self.done = Bool()

        @initial
        def in_order(self) -> None:
            self.high = choose(range(3))
            require(self.low <= self.high)

        @action
        def pick(self) -> None:
            require(not self.done)
            self.low = choose([0, 2, 0])
            self.done = True

    result = check(Chooses())
    assert (result.initial, result.distinct, result.generated) == (6, 12, 18)


def test_coverage_counts_enabled_taken_and_new(check: Engine) -> None:
    class Pair(Counter):
        may_terminate = True

        @action(by=[1, 2])
        def jump(self, by: int) -> None:
            require(self.n + by <= 5)
            self.n += by

    result = check(Pair())
    assert result.coverage == {"up": ActionCoverage(5, 5, 3), "jump": ActionCoverage(5, 9, 2)}


def test_a_green_run_warns_of_what_never_happened() -> None:
    class Idle(Counter):
        may_terminate = True

        @action
        def never(self) -> None:
            require(self.n > 5)

        @invariant
        def vacuous(self) -> bool:
            """beyond five everything is zero"""
            return implies(self.n == 7, self.n == 0)

        @invariant
        def vacuous_for_all(self) -> bool:
            """beyond five everything is zero"""
            return all(implies(self.n > k, self.n == 0) for k in (5, 6))

    apart, never, *vacuous = exhaustive.check(model.build(Idle())).warnings
    assert ": 7 can never be equal to a number from 0 to 5: " in apart
    assert never.startswith("action never was never enabled; line ")
    assert never.endswith(": require(self.n > 5) (stopped 6 attempts)")
    assert [w.split(" at line")[0] for w in vacuous] == ["vacuous holds vacuously", "vacuous_for_all holds vacuously"]


def test_a_property_that_fails_in_two_places_is_told_by_a_shortest_trace(check: Engine) -> None:
    """the place that comes first in the text is reached later; all states in which it fails are counted"""

    class Twice(Counter):
        @invariant
        def divides(self) -> bool:
            """both quotients exist"""
            return 6 // (self.n - 4) < 9 and 6 // (self.n - 2) < 9

    found = next(v for v in check(Twice()).violations if v.kind is Kind.PROPERTY_ERROR)
    assert (found.property, found.length, found.states) == ("divides", 2, 2)


@pytest.mark.parametrize("temporal", [False, True])
def test_a_constraint_that_excludes_every_initial_state_is_refused(check: Engine, temporal: bool) -> None:
    class Outside(Counter):
        @constraint
        def started(self) -> bool:
            return self.n > 0

    class Ends(Outside):
        @eventually
        def full(self) -> bool:
            return self.n == 5

    with pytest.raises(EverystateError, match="E134") as found:
        check(Ends() if temporal else Outside())
    assert (
        found.value.what
        == f"the constraint started excludes every initial state of {'Ends' if temporal else 'Outside'}"
    )
    assert found.value.where is not None and found.value.where.function == "started"


def test_constraints_that_exclude_every_initial_state_together_are_refused(check: Engine) -> None:
    class Apart(Spec):
        def variables(self) -> None:
            self.n = Int(0, 3, init=AnyOf(1, 2))

        @action
        def stay(self) -> None:
            require(self.n == 3)

        @constraint
        def low(self) -> bool:
            return self.n < 2

        @constraint
        def high(self) -> bool:
            return self.n > 1

    with pytest.raises(EverystateError, match="low and high together exclude every initial state of Apart"):
        check(Apart())


def test_an_initial_state_outside_a_constraint_is_checked_though_others_are_inside(check: Engine) -> None:
    class Some(Counter):
        def variables(self) -> None:
            self.n = Int(0, 5, init=AnyOf(0, 5))

        @constraint
        def below(self) -> bool:
            return self.n < 2

        @invariant
        def small(self) -> bool:
            return self.n < 5

    result = check(Some())
    assert [(v.property, v.length, v.states, v.beyond) for v in result.violations] == [("small", 0, 0, True)]
    assert (result.distinct, result.generated) == (2, 4)
    assert result.conditions.pruned == "pruned 1 successor and 1 initial state"


def test_states_beyond_a_constraint_are_not_counted(check: Engine) -> None:
    """They are not stored: each of the 32 steps there would count as a state."""

    class Cut(Spec):
        def variables(self) -> None:
            self.a = Int(0, 9)
            self.b = Bool()

        @action(x=range(10))
        def go(self, x: int) -> None:
            self.a = x

        @action
        def flip(self) -> None:
            self.b = not self.b

        @constraint
        def small(self) -> bool:
            return self.a < 2

        @invariant
        def outside(self) -> bool:
            return self.a < 2

        @invariant
        def inside(self) -> bool:
            return self.a != 1

        @invariant
        def both(self) -> bool:
            return self.a == 0

    result = check(Cut())
    found = {v.property: (v.length, v.states, v.beyond) for v in result.violations}
    assert found == {"outside": (1, 0, True), "inside": (1, 2, False), "both": (1, 2, True)}
    assert (result.distinct, result.generated) == (4, 45)
    assert [line.partition(" step")[2] for line in violation_lines(result)] == [
        " (beyond a constraint)",
        " (in 2 states)",
        " (in 2 states and beyond a constraint)",
    ]


def test_a_constraint_that_cannot_be_evaluated_is_a_violation(check: Engine) -> None:
    """such a state is not explored further"""

    class Fails(Counter):
        at = Constant(2)

        @constraint
        def divides(self) -> bool:
            return 6 // (self.n - self.at) < 7

        @eventually
        def full(self) -> bool:
            return self.n == 5

    for at, length, distinct in ((2, 2, 2), (0, 0, 0)):
        result = check(Fails(at=at))
        found = result.violations[0]
        assert (found.property, found.kind, found.length) == ("divides", Kind.PROPERTY_ERROR, length)
        assert (result.verdict, result.distinct) == (Verdict.VIOLATED, distinct)
