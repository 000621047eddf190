"""Partial-order reduction: the verdict of a full search from fewer states, and refused where that is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Int,
    Interchangeable,
    Map,
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
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive, reduced, reduced_levels
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir import independence, stubborn
from everystate.checker.ir.stubborn import Reduction, reduction
from everystate.checker.ir.traced import Model
from everystate.checker.results.report import report
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Verdict
from tests.agreement import reduced as agreement

ALL = 1 << 40


class Alone(Spec):
    """Processes that know nothing of each other count to 3 and stop."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Array(4, Int(0, 3))

    @action(i=range(4))
    def step(self, i: int) -> None:
        require(self.n[i] < 3)
        self.n[i] += 1


class Stuck(Alone):
    may_terminate = False


class Watched(Alone):
    """The first two processes are looked at together."""

    @invariant
    def apart(self) -> bool:
        return not (self.n[0] == 1 and self.n[1] == 2)


class Lock(Spec):
    """Processes work on their own, then one at a time; the last one of them fails."""

    def variables(self) -> None:
        self.at = Array(3, Int(0, 5))
        self.held = Bool()
        self.done = Int(0, 2)

    @action(i=range(3))
    def work(self, i: int) -> None:
        require(self.at[i] < 3)
        self.at[i] += 1

    @action(i=range(3))
    def enter(self, i: int) -> None:
        require(self.at[i] == 3)
        require(not self.held)
        self.held = True
        self.at[i] = 4

    @action(i=range(3))
    def leave(self, i: int) -> None:
        require(self.at[i] == 4)
        self.held = False
        self.done += 1
        self.at[i] = 5


class Within(Alone):
    @constraint
    def few(self) -> bool:
        return self.n[0] < 2

    @reachable
    def outside(self) -> bool:
        return self.n[0] == 2 and self.n[1] == 3


class Stepped(Alone):
    """The step of process 1 is only wrong after process 0 has stopped."""

    @step_invariant
    def in_order(self, before: Any) -> bool:
        return not (before.n[0] == 3 and before.n[1] == 0 and self.n[1] == 1)


class Round(Spec):
    """Process 0 goes round for ever: without the proviso nothing else would ever happen."""

    def variables(self) -> None:
        self.n = Int(0, 3)
        self.other = Int(0, 3)

    @action
    def around(self) -> None:
        self.n = (self.n + 1) % 4

    @action
    def up(self) -> None:
        require(self.other < 3)
        self.other += 1

    @invariant
    def low(self) -> bool:
        return self.other < 3


class Liveness(Alone):
    @eventually
    def ends(self) -> bool:
        return self.n[0] == 3


class Viewed(Alone):
    @view
    def seen(self) -> Any:
        return self.n


class Nodes(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.up = Map(Interchangeable(3, "nodes"), Bool())

    @action(n=Interchangeable(3, "nodes"))
    def start(self, n: int) -> None:
        self.up[n] = True


def both(spec: type[Spec], **limits: Any) -> tuple[Result, Result]:
    traced = model.build(spec())
    found = (
        search(traced, Limits(cross_check=n, **limits)) for search, n in ((exhaustive.check, 10), (reduced.check, ALL))
    )
    one, other = found
    return one, other


@pytest.mark.parametrize(
    ("spec", "full", "fewer", "violations"),
    [
        pytest.param(Alone, 256, 13, [], marks=pytest.mark.thorough),
        (Stuck, 256, 13, [("deadlock", 12)]),
        pytest.param(Watched, 256, 22, [("apart", 3)], marks=pytest.mark.thorough),
        pytest.param(Stepped, 256, 22, [("in_order", 4)], marks=pytest.mark.thorough),
        (Within, 128, 128, []),
        (Round, 16, 16, [("low", 3)]),
    ],
)
def test_fewer_states_say_the_same(spec: type[Spec], full: int, fewer: int, violations: list[tuple[str, int]]) -> None:
    one, other = both(spec)
    assert (one.distinct, other.distinct) == (full, fewer)
    assert [(v.property, v.length) for v in other.violations] == violations
    assert agreement.told(one) == agreement.told(other)
    assert other.cross_checked >= fewer


def test_counts_do_not_depend_on_the_number_of_workers() -> None:
    scenario = model.build(resolve("paxos").spec())
    one, two = (reduced.check(scenario, Limits(workers=workers, cross_check=0)) for workers in (1, 2))
    assert (one.distinct, one.generated, one.depth, one.coverage) == (
        two.distinct,
        two.generated,
        two.depth,
        two.coverage,
    )
    assert one.details == two.details and one.distinct < 3921


@pytest.mark.thorough
def test_an_error_is_told_as_the_full_search_tells_it() -> None:
    one, other = both(Lock)
    [failed], [told] = one.violations, other.violations
    assert failed.length == told.length == 15 and failed.trace == told.trace
    assert failed.error is not None and told.error is not None and failed.error.code == told.error.code == "E301"


class Hidden(Spec):
    """What fails at once is reached last by a reduced search."""

    def variables(self) -> None:
        self.n = Int(0, 9)
        self.m = Int(0, 1)

    @action
    def step(self) -> None:
        require(self.n < 9)
        self.n += 1

    @action
    def fail(self) -> None:
        self.m += 2

    @invariant
    def low(self) -> bool:
        return self.n < 2


def test_a_reduced_search_that_is_cut_may_miss_what_the_full_one_meets_before() -> None:
    found = reduced.check(model.build(Hidden()), Limits(max_states=4))
    assert [(v.property, v.length) for v in found.violations] == [("error", 1)]


@pytest.mark.thorough
def test_what_is_printed_and_written_says_that_it_is_reduced() -> None:
    found = reduced.check(model.build(Alone()), Limits())
    assert found.statement == (
        "PROVED  no action fails in all reachable states, of which 13 were visited (partial-order reduction, "
        "exhaustive, exact states); no property: nothing but errors was checked"
    )
    assert found.warnings == ("steps whose order does not matter were left out: counts are of the reduced space",)
    assert report(found)["reduction"] == {
        "states_with_steps_left_out": 9,
        "levels_searched_whole": 0,
        "searched_again": None,
    }
    found = reduced.check(model.build(Watched()), Limits())
    assert found.statement == (
        "VIOLATED  apart violated after 3 steps; 22 states were visited, all that partial-order reduction leaves"
    )
    again = report(found)["reduction"]["searched_again"]
    assert (again["distinct"], again["depth"]) == (35, 4)


def test_traces_of_the_reduced_search_are_told_where_the_full_one_is_cut() -> None:
    found = reduced.check(model.build(Watched()), Limits(max_states=30))
    assert found.warnings[0] == "a full search for shorter traces ended early: the limit of 30 states is reached"
    assert found.violation("apart").length == 9 and found.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (Liveness, "ends is an `eventually` property"),
        (Viewed, "seen is a view, which takes different states for one"),
        (Nodes, "nodes are interchangeable values"),
    ],
)
def test_what_is_not_covered_is_refused(spec: type[Spec], reason: str) -> None:
    with pytest.raises(EverystateError, match="E141") as found:
        reduced.check(model.build(spec()))
    assert reason in str(found.value)


# -- levels searched whole ---------------------------------------------------------------------------------


class Late(Spec):
    """Two that read each other go on for a while; then four that know nothing of each other count."""

    may_terminate = True

    def variables(self) -> None:
        self.near = Array(2, Int(0, 9))
        self.n = Array(4, Int(0, 3))

    @action(i=range(2))
    def together(self, i: int) -> None:
        require(self.near[i] < 9)
        require(self.near[i] <= self.near[1 - i] + 1)
        self.near[i] += 1

    @action(i=range(4))
    def step(self, i: int) -> None:
        require(self.near[0] == 9)
        require(self.near[1] == 9)
        require(self.n[i] < 3)
        self.n[i] += 1


@pytest.fixture
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduced_levels, "ENOUGH", 8)


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [1, 2])
def test_where_hardly_anything_is_left_out_levels_are_searched_whole(workers: int, few_are_enough: None) -> None:
    traced = model.build(Late())
    full = exhaustive.check(traced, Limits(cross_check=0))
    found = reduced.check(traced, Limits(workers=workers, cross_check=ALL))
    assert (full.distinct, found.distinct, found.depth, found.cross_checked) == (299, 194, 31, 194)
    assert report(found)["reduction"] == {
        "states_with_steps_left_out": 109,
        "levels_searched_whole": 18,
        "searched_again": None,
    }
    assert agreement.told(full) == agreement.told(found)
    assert found.statement == (
        "PROVED  no action fails in all reachable states, of which 194 were visited (partial-order reduction on 13 of "
        "31 levels, exhaustive, exact states); no property: nothing but errors was checked"
    )
    assert found.warnings == (
        "steps whose order does not matter were left out on 13 of 31 levels, for hardly any could be: counts are of "
        "the reduced space",
    )


@pytest.mark.thorough
def test_the_cross_check_knows_which_levels_were_searched_whole(
    few_are_enough: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduced_levels, "FEW", 0)
    traced = model.build(Alone())
    found = reduced.check(traced, Limits(cross_check=ALL))
    assert (found.distinct, found.cross_checked, found.details["reduction"]["levels_searched_whole"]) == (16, 16, 5)
    search = reduced.ReducedSearch(traced, Limits(cross_check=ALL), None, "", reduction(traced))
    search.asking.whole = Forgetful()
    with pytest.raises(EverystateError, match="E217") as wrong:
        search.run()
    assert "successors: 18 counted, 15 found again" in str(wrong.value)


class Forgetful(list[int]):
    """Levels that are forgotten at once."""

    def append(self, level: int) -> None:
        pass


def test_it_is_asked_again_each_time_there_are_twice_as_many_states() -> None:
    decided = reduced_levels.LevelDecisions()
    asked: list[int] = []

    def says(answer: int) -> Callable[[], tuple[int, int]]:
        def sample() -> tuple[int, int]:
            asked.append(level)
            return 256, answer

        return sample

    told = []
    for level, expanded, fewer, answer in [
        (1, 0, 0, 0),  # none was asked before
        (2, 16_383, 0, 0),  # nor enough
        (3, 16_384, 656, 0),  # one of 25
        (4, 40_000, 1_600, 0),  # one of 25, almost
        (5, 79_999, 1_600, 256),  # no question before there are twice as many
        (6, 80_000, 1_600, 10),
        (7, 160_000, 1_600, 11),
        (8, 170_000, 1_600, 0),  # not enough since then
        (9, 180_000, 2_399, 0),  # one of 25, almost, of those since then
    ]:
        told.append(decided.begin(level, expanded, fewer, says(answer)))
    assert told == [True, True, True, False, False, False, True, True, False]
    assert (asked, decided.whole) == ([6, 7], [4, 5, 6, 9])


# -- the relations ----------------------------------------------------------------------------------------


def test_the_tables_of_a_lock() -> None:
    traced = model.build(Lock())
    tables = reduction(traced)
    names = [str(traced.actions[part.action].instance) for part in tables.parts]
    ways = [f"{name}(i={i})" for name in ("work", "enter", "leave") for i in range(3)]
    assert names == [*ways[:6], *(name for name in ways[6:] for _ in range(2))]  # a leave may fail, too

    def with_(name: str) -> set[str]:
        return {names[i] for i in stubborn.bits(tables.dependent[names.index(name)])}

    assert with_("work(i=0)") == {"work(i=0)"}
    assert with_("enter(i=0)") == {*(f"enter(i={i})" for i in range(3)), "leave(i=1)", "leave(i=2)"}
    held = next(i for i, guard in enumerate(tables.guards) if guard.op == "not" and guard.args[0].op == "var")
    assert {names[i] for i in stubborn.bits(tables.enabling[held])} == {f"leave(i={i})" for i in range(3)}


def test_the_ways_through_an_instance_are_parts_of_their_own() -> None:
    traced = model.build(resolve("chameneos").spec())
    assert reduced.check(traced, Limits(cross_check=100)).distinct == 23_629
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(independence, "MOST", 0)
        assert reduced.check(traced, Limits(cross_check=100)).distinct == 34_534


@pytest.mark.thorough
def test_random_specs_say_the_same_in_python(tmp_path: Path) -> None:
    """python -m tests.agreement.reduced compares thousands."""
    tally = agreement.Tally()
    for seed in range(500, 525):
        traced = agreement.traced_of(agreement.random_source(seed), tmp_path)
        if traced is not None:
            agreement.compare_in_python(traced, tally)
    assert tally.specs > 15 and tally.smaller > 5, str(tally)


@pytest.mark.parametrize("name", ["ewd840", "simple"])
def test_scenarios_say_the_same(name: str) -> None:
    tally = agreement.Tally()
    agreement.compare(model.build(resolve(name).spec()), tally)
    assert tally.compiled == 1


# -- mistakes ---------------------------------------------------------------------------------------------


def no_dependency(traced: Model, tables: Reduction) -> Reduction:
    return replace(tables, dependent=tuple(1 << i for i in range(len(tables.parts))))


def one_dependency_less(traced: Model, tables: Reduction) -> Reduction:
    """Each part forgets the first other one that it depends on."""
    others = [found & ~(1 << i) for i, found in enumerate(tables.dependent)]
    return replace(tables, dependent=tuple(d & ~(o & -o) for d, o in zip(tables.dependent, others, strict=True)))


def nothing_enables(traced: Model, tables: Reduction) -> Reduction:
    return replace(tables, enabling=(0,) * len(tables.guards))


def nothing_is_looked_for(traced: Model, tables: Reduction) -> Reduction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stubborn, "sought", lambda model: [])
        return reduction(traced)


@pytest.mark.parametrize(
    ("plant", "seed"),
    [(no_dependency, 10), (one_dependency_less, 10), (nothing_enables, 113), (nothing_is_looked_for, 19)],
)
def test_a_planted_mistake_is_found_by_random_specs(
    plant: Callable[[Model, Reduction], Reduction], seed: int, tmp_path: Path
) -> None:
    traced = agreement.traced_of(agreement.random_source(seed), tmp_path)
    assert traced is not None
    agreement.compare_in_python(traced, agreement.Tally())
    with pytest.raises(AssertionError, match=r"full, .* reduced"):
        agreement.compare_in_python(traced, agreement.Tally(), plant)


def test_a_missing_proviso_is_found(tmp_path: Path) -> None:
    traced = model.build(Round())
    agreement.compare_in_python(traced, agreement.Tally())
    with pytest.raises(AssertionError, match=r"full, .* reduced"):
        agreement.compare_in_python(traced, agreement.Tally(), proviso=False)


@pytest.mark.parametrize(
    ("plant", "spec", "said"),
    [
        (no_dependency, Lock, "enter(i=2) was left out beside enter(i=1): the two orders lead elsewhere"),
    ],
)
def test_a_planted_mistake_is_found_by_the_cross_check(
    plant: Callable[[Model, Reduction], Reduction], spec: type[Spec], said: str
) -> None:
    traced = model.build(spec())
    tables = plant(traced, reduction(traced))
    with pytest.raises(EverystateError, match="E217") as found:
        reduced.ReducedSearch(traced, Limits(cross_check=ALL), None, "", tables).run()
    assert said in str(found.value)


def test_a_planted_mistake_is_found_by_random_behaviours() -> None:
    traced = model.build(Watched())
    tables = nothing_is_looked_for(traced, reduction(traced))
    with pytest.raises(EverystateError, match="E505") as found:
        reduced.ReducedSearch(traced, Limits(cross_check=10), None, "", tables).run()
    assert "shows invariant apart, which the reduced search has not found" in str(found.value)
