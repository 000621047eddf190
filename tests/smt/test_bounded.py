"""The bounded engine: least depths, checked errors, deadlocks, goals, limits, and constants left open."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import (
    Constant,
    Int,
    Seq,
    Spec,
    action,
    constraint,
    eventually,
    invariant,
    reachable,
    require,
    step_invariant,
    view,
)
from everystate.checker.backends.smt import INTEGERS
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symbolic import bounded, parametric
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict
from everystate.model.kafka import KafkaProducer
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.classics.tcommit import TCommit
from everystate.specs.idem_producer import IdempotentProducer
from everystate.specs.kafka.state import on_independent_partitions


class Counter(Spec):
    """Counts to `limit`, and fails in many ways on the way there."""

    limit = Constant(5)

    def variables(self) -> None:
        self.n = Int(0, 3)
        self.seen = Seq(Int(0, 3), 9)

    @action
    def up(self) -> None:
        self.n += 1

    @constraint
    def small(self) -> bool:
        return self.n <= self.limit

    @step_invariant
    def grows(self, before: Any) -> bool:
        return self.n != 2

    @reachable
    def two(self) -> bool:
        return self.n == 2

    @invariant
    def in_range(self) -> bool:
        return self.seen[0] == 0 if self.n > 1 else True


class Blind(Spec):
    """Its goal, its constraint and its view cannot be evaluated in some states, the invariant in two places."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        self.n = (self.n + 1) % 10

    @invariant
    def divides(self) -> bool:
        return 6 // (self.n - 4) < 9 and 6 // (self.n - 3) < 9

    @reachable
    def third(self) -> bool:
        return 9 // (self.n - 3) == 9

    @constraint
    def bounded(self) -> bool:
        return 9 % (self.n - 3) < 9

    @view
    def seen(self) -> int:
        return self.n // (self.n - 3)


def producer(window: int, **more: int) -> IdempotentProducer:
    return IdempotentProducer(**{"batches": window + 1, "max_in_flight": window + 1, "window": window, **more})


def told(result: Any) -> list[tuple[str, Any, Any]]:
    return [(v.property, v.kind, v.length) for v in result.violations]


@pytest.mark.parametrize("window", [1, 2])
def test_one_in_flight_more_than_remembered_fails_at_2w_plus_8(window: int) -> None:
    traced = model.build(producer(window))
    found = bounded.check(traced, Question(2 * window + 8))
    assert told(found) == told(exhaustive.check(traced))
    assert [v.length for v in found.violations] == [2 * window + 8] * 2
    assert bounded.check(traced, Question(2 * window + 7)).verdict is Verdict.BOUNDED


@pytest.mark.parametrize(
    "spec",
    [DieHard(), TCommit(), Counter(), Counter(limit=1), Blind()],
    ids=["jugs", "commit", "counter", "cut", "blind"],
)
def test_the_same_violations_as_the_explicit_engine(spec: Spec) -> None:
    traced = model.build(spec)
    explicit, found = exhaustive.check(traced), bounded.check(traced, Question(12))
    least = min(v.length for v in explicit.violations if v.length is not None)
    assert set(told(found)) == {v for v in told(explicit) if v[2] == least}
    assert found.exit_code == bounded.check(traced, Question(12, arithmetic=INTEGERS)).exit_code


def test_who_asks_for_one_property_is_told_of_that_one_only() -> None:
    found = bounded.check(model.build(Counter()), Question(12, ("grows",)))
    assert found.statement == (
        "VIOLATED  grows violated after 2 steps; no shorter behaviour violates grows, the search ended there"
    )
    assert "no shorter behaviour violates anything" in bounded.check(model.build(Counter()), Question(12)).statement


@pytest.mark.thorough
def test_independent_partitions_of_kafka_fail_after_six_steps() -> None:
    """The small form of the space that the explicit engine cannot hold (docs/how-to/proofs.md)."""
    traced = model.build(KafkaProducer(**on_independent_partitions(6)))
    explicit = exhaustive.check(traced, Limits(stop_early=True))
    found = bounded.check(traced, Question(6, ("NoDuplicate", "SequencesContiguous")))
    assert told(found) == told(explicit)
    assert [(v.property, v.length) for v in found.violations] == [("NoDuplicate", 6), ("SequencesContiguous", 6)]
    assert bounded.check(traced, Question(5)).verdict is Verdict.BOUNDED


def test_only_the_wanted_property() -> None:
    traced = model.build(Counter())
    assert told(bounded.check(traced, Question(9, ("error",))))[0][2] == 4
    with pytest.raises(EverystateError, match="E511"):
        bounded.check(traced, Question(9, ("grow",)))


def test_behaviours_that_end_are_a_proof() -> None:
    result = bounded.check(model.build(IdempotentProducer(batches=1, max_in_flight=1, window=1)), Question(30))
    assert result.verdict is Verdict.PROVED and "no behaviour has more than" in result.statement


def test_the_shortest_way_to_a_state() -> None:
    result, witness = bounded.reach(model.build(Counter()), "two", Question(5))
    assert witness is not None and witness.length == 2 and result.verdict is Verdict.REACHED
    assert result.statement.startswith("REACHED  two in 2 steps (shortest)") and result.exit_code == 0
    none, nothing = bounded.reach(model.build(Counter()), "two", Question(1))
    assert nothing is None and none.verdict is Verdict.BOUNDED


def test_a_time_limit_is_undecided() -> None:
    result = bounded.check(model.build(producer(5)), Question(18, seconds=1.0))
    assert result.verdict is Verdict.UNDECIDED and result.exit_code == 3
    assert result.stopped == "the time limit of 1 s is reached"


def test_the_boundary_of_open_constants_is_that_of_explicit_checks() -> None:
    values = {"window": range(1, 3), "max_in_flight": range(1, 3)}
    traced = parametric.trace_all(lambda chosen: IdempotentProducer(batches=2, **chosen), values)
    found = parametric.check(traced, Question(10, ("NoDup",)), boundary=True)
    explicit = [(choice, exhaustive.check(one).violations) for choice, one in traced]
    assert found.violating == tuple((c, ("NoDup",), v[0].length) for c, v in explicit if v)
    assert found.relation == "max_in_flight <= window"
    assert found.result.verdict is Verdict.VIOLATED


class Together(Spec):
    """For each choice several things go wrong at once."""

    top = Constant(1)
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < 9)
        self.n += 1

    @action
    def fail(self) -> None:
        assert self.n + 1 != 2 * self.top, "it fails"

    @invariant
    def below(self) -> bool:
        return self.n < 2 * self.top

    @invariant
    def other(self) -> bool:
        return self.n != 2 * self.top

    @invariant
    def only_of_two(self) -> bool:
        return self.top != 2 or self.n != 4


@pytest.mark.parametrize("boundary", [False, True])
def test_open_constants_tell_all_that_a_choice_violates_at_its_least_length(boundary: bool) -> None:
    traced = parametric.trace_all(lambda chosen: Together(**chosen), {"top": range(1, 4)})
    found = parametric.check(traced, Question(8), boundary)
    one, two = ({"top": 1}, {"error", "below", "other"}, 2), ({"top": 2}, {"error", "below", "other", "only_of_two"}, 4)
    three = ({"top": 3}, {"error", "below", "other"}, 6)
    assert [(c, set(names), n) for c, names, n in found.violating] == ([one, two, three] if boundary else [one])


class Ending(Spec):
    """Ends where it is allowed to, and has as many temporal properties as its constant says."""

    most = Constant(1)

    @property
    def may_terminate(self) -> bool:  # type: ignore[override]  # what a constant decides is no plain attribute
        return self.most == 1

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < self.most)
        self.n += 1

    @eventually(i="most")
    def gets_there(self, i: int) -> bool:
        return self.n >= 0

    @invariant
    def small(self) -> bool:
        return self.n < 4

    @reachable
    def nine(self) -> bool:
        return self.n == 9


def of_ending(values: range, *properties: str) -> parametric.OpenConstantsResult:
    traced = parametric.trace_all(lambda choice: Ending(**choice), {"most": values})
    return parametric.check(traced, Question(9, properties), boundary=True)


def test_each_choice_of_constants_ends_or_stops_as_it_says() -> None:
    found = of_ending(range(1, 4))
    assert found.violating == (({"most": 2}, ("deadlock",), 2), ({"most": 3}, ("deadlock",), 3))
    one = of_ending(range(1, 2)).result
    assert one.verdict is Verdict.BOUNDED and one.statement.endswith("; nine, gets_there(i=0) are not judged")


def test_properties_stand_in_the_same_place_however_many_temporal_ones_a_choice_has() -> None:
    found = of_ending(range(3, 6), "small")
    assert found.violating == (({"most": 4}, ("small",), 4), ({"most": 5}, ("small",), 4))
    assert found.safe == ({"most": 3},)


def test_a_goal_is_not_passed_over_without_a_word() -> None:
    warnings = of_ending(range(1, 2)).result.warnings
    assert warnings[1] == "nine is a goal: a proof with open constants does not say whether it is reached"
    for name, what in (("nine", "a goal"), ("gets_there(i=0)", "a temporal property")):
        with pytest.raises(EverystateError, match=f"{re.escape(name)} is {what}: a proof with open constants"):
            of_ending(range(1, 2), name)
    with pytest.raises(EverystateError, match=r"gets_there\(i=0\) is a temporal property: z3 cannot check that"):
        bounded.check(model.build(Ending()), Question(9, ("gets_there(i=0)",)))
