"""Random walks: exact for a seed, real steps of the spec, and the same however they are made."""

from __future__ import annotations

import itertools
import random
from collections import Counter as Counted
from typing import Any

import numpy as np
import pytest

from everystate.checker import (
    AnyOf,
    Int,
    Seq,
    Spec,
    action,
    constraint,
    implies,
    invariant,
    reachable,
    require,
    step_invariant,
)
from everystate.checker.backends.native.interface import EVERY_WALK
from everystate.checker.engines.hashing import digests
from everystate.checker.engines.sampling import sketch, walk_loop, walker
from everystate.checker.engines.sampling.sample import WalkSettings, WalkSummary
from everystate.checker.engines.sampling.sketch import Sketch
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.sampling.walker import Walker
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.concrete import StepFailed, attempts
from everystate.checker.language.state import State
from everystate.checker.results.verdict import Kind, Verdict
from everystate.specs.idem_producer import IdempotentProducer

COURSE = WalkSettings(steps=40, seed=7)


def duplicating() -> Spec:
    return IdempotentProducer(max_in_flight=3, window=1, batches=4)


def facts(result: Any) -> Any:
    seen = [(v.property, v.length, v.states, v.trace.states) for v in result.violations]
    return result.verdict, result.distinct, result.generated, result.depth, result.coverage, seen


def test_a_seed_says_everything() -> None:
    found = walk(duplicating(), 60, COURSE.steps, COURSE.seed)
    assert (found.generated, found.distinct, found.depth) == (987, 204, 27)
    assert [(v.property, v.length, v.states) for v in found.violations] == [("NoDup", 12, 31), ("InOrder", 12, 31)]
    assert facts(walk(duplicating(), 60, COURSE.steps, COURSE.seed)) == facts(found)
    assert facts(walk(duplicating(), 60, COURSE.steps, 8)) != facts(found)


def test_the_same_walks_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = facts(walk(duplicating(), 600, COURSE.steps, COURSE.seed))
    monkeypatch.setattr(walk_loop, "ROUND", 1)
    for chunk, workers in ((1, 1), (7, 2), (50, 5)):
        monkeypatch.setattr(walker, "CHUNK", chunk)
        monkeypatch.setattr(walker, "WORTH", chunk)
        assert facts(walk(duplicating(), 600, COURSE.steps, COURSE.seed, workers=workers)) == alone


@pytest.mark.parametrize("spec", [duplicating, lambda: Negated(), lambda: Corridor()])
def test_the_loop_in_machine_code_makes_the_walks_that_can_be_repeated(spec: Any) -> None:
    walker = Walker(model.build(spec()), WalkSettings(steps=30, seed=5))
    seen, repeated = walker.sample(range(100)), Sketch()
    for stage in walker.stages(range(100), 30):
        repeated.add(digests(stage.states), np.ones(len(stage.walks), np.uint64), stage.walks)
    assert seen.walks == 100 and seen.visited == repeated


def test_optimised_code_makes_the_same_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = facts(walk(duplicating(), 200, COURSE.steps, COURSE.seed))
    monkeypatch.setattr(walker, "LONG", 1)
    monkeypatch.setattr(walk_loop, "ROUND", 1)
    assert facts(walk(duplicating(), 200, COURSE.steps, COURSE.seed)) == quick


def test_samples_merge_in_any_order() -> None:
    walker = Walker(model.build(duplicating()), COURSE)
    whole = walker.sample(range(20))
    for seed in range(5):
        draw = random.Random(seed)
        cuts = sorted(draw.sample(range(1, 20), 4))
        parts = [walker.sample(range(a, b)) for a, b in itertools.pairwise([0, *cuts, 20])]
        draw.shuffle(parts)
        merged = WalkSummary()
        for part in parts:
            merged.merge(part)
        assert merged == whole


def concrete_steps(spec: Spec, state: State) -> list[State]:
    found = [step for instance in spec.instances for step in attempts(spec, state, instance)]
    return [step.state for step in found if not isinstance(step, StepFailed)]


def test_a_walk_is_a_behaviour_of_the_concrete_spec() -> None:
    spec = duplicating()
    walker = Walker(model.build(spec), COURSE)
    for number in range(20):
        cells = [walker.model.layout.unpack(words) for words in walker.path(number, COURSE.steps)]
        states = [State(spec.domains, c) for c in cells]
        for before, after in itertools.pairwise(states):
            assert after in concrete_steps(spec, before)
        assert len(states) == COURSE.steps + 1 or not concrete_steps(spec, states[-1])


class Fork(Spec):
    """Five ways out of two initial states."""

    def variables(self) -> None:
        self.start = Int(0, 1, init=AnyOf(0, 1))
        self.n = Int(0, 5)

    @action(way=range(1, 6))
    def go(self, way: int) -> None:
        require(self.n == 0)
        self.n = way


def test_all_successors_and_all_initial_states_are_as_likely() -> None:
    walker = Walker(model.build(Fork()), WalkSettings(1, 3, deadlock=False))
    ends = Counted(walker.path(number, 1)[-1] for number in range(2000))
    assert len(ends) == 10 and sum(ends.values()) == 2000
    assert sorted(ends.values()) == [191, 192, 196, 196, 197, 199, 203, 207, 209, 210]


class Corridor(Spec):
    """One way, with everything on it that can be told of a walk."""

    def variables(self) -> None:
        self.n = Int(0, 9)
        self.seen = Seq(Int(0, 9), 3)

    @action
    def go(self) -> None:
        self.n += 1

    @action
    def note(self) -> None:
        require(self.n == 4)
        self.seen.append(self.seen[0])

    @constraint
    def short(self) -> bool:
        return self.n < 8

    @invariant
    def below_six(self) -> bool:
        """n stays below 6"""
        return self.n < 6

    @invariant
    def readable(self) -> bool:
        return self.n != 3 or self.seen[0] == 0

    @step_invariant
    def from_seven_no_further(self, before: Any) -> bool:
        return before.n != 7 or self.n == 7

    @reachable
    def five(self) -> bool:
        return self.n == 5

    @reachable
    def nine(self) -> bool:
        return self.n == 9


def test_everything_that_a_walk_meets_is_told() -> None:
    found = walk(Corridor(), 3, 20, 0)
    assert found.verdict is Verdict.VIOLATED
    assert (found.generated, found.distinct, found.depth) == (27, 9, 9)
    assert {(v.property, v.kind, v.length, v.states) for v in found.violations} == {
        ("error", Kind.ERROR, 5, 3),
        ("readable", Kind.PROPERTY_ERROR, 3, 3),
        ("below_six", Kind.INVARIANT, 6, 9),
        ("from_seven_no_further", Kind.STEP_INVARIANT, 8, 3),
    }
    assert found.warnings == (
        "State constraint short pruned 3 successors and ended 3 of 3 walks early; states beyond it were not explored",
        "nine is a goal: the walks did not see it, so it is not known whether it is reachable",
    )
    assert {name: c.taken for name, c in found.coverage.items()} == {"go": 24, "note": 0}


def test_a_dead_end_is_a_violation_unless_it_may_be() -> None:
    found = walk(Fork(), 10, 5, 0)
    assert [(v.property, v.length, v.states) for v in found.violations] == [("deadlock", 1, 10)]
    assert walk(Fork(), 10, 5, 0, deadlock=False).verdict is Verdict.SAMPLED


class Negated(Spec):
    """Half of all steps lead outside the constraint, as in tlaplus#602."""

    def variables(self) -> None:
        self.x = Int(-40, 40, init=0)

    @action
    def negate(self) -> None:
        require(self.x >= 0)
        self.x = -self.x

    @action
    def up(self) -> None:
        require(self.x < 20)
        self.x += 1

    @action
    def never(self) -> None:
        require(self.x == 40)

    @constraint
    def natural(self) -> bool:
        return self.x >= 0

    @invariant
    def late(self) -> bool:
        return implies(self.x == 30, self.x == 31)


def test_walks_choose_among_the_successors_inside_a_constraint() -> None:
    found = walk(Negated(), 50, 30, 0)
    assert {name: (c.enabled, c.taken, c.new) for name, c in found.coverage.items()} == {
        "negate": (1103, 103, None),
        "up": (1053, 1000, None),
        "never": (0, 0, None),
    }
    assert found.warnings == (
        "action never was never enabled on the walks",
        "late holds vacuously at line 226 on the walks: the left side of "
        "`return implies(self.x == 30, self.x == 31)` was never true",
        "State constraint natural pruned 1,000 successors and ended 50 of 50 walks early; states beyond it were not "
        "explored",
    )


def test_walks_that_end_without_a_successor_are_counted() -> None:
    assert walk(Fork(), 10, 5, 0, deadlock=False).warnings == (
        "10 of 10 walks ended early, in states without successors",
    )


def sketched(numbers: Any, walks: Any) -> Sketch:
    """Walks that visit states, each a number."""
    found = Sketch()
    found.add(digests(numbers.reshape(-1, 1)), np.ones(len(numbers), np.uint64), walks.astype(np.uint64))
    return found


def test_few_states_are_counted() -> None:
    numbers = np.arange(1000, dtype=np.uint64)
    found, rest = sketched(numbers[:700], numbers[:700] // 100), sketched(numbers[300:], numbers[300:] // 100)
    found.merge(rest)
    assert (len(found), found.exact, found.error) == (1000, True, 0.0)
    assert found.visits.sum() == 1400 and EVERY_WALK not in found.walks
    assert Sketch() != found and len(Sketch()) == 0


def test_what_only_one_walk_visited_says_what_another_walk_would_find() -> None:
    """three walks of four states: two states are of one walk only, which visited one of them twice"""
    found = sketched(np.array([0, 1, 2, 3, 0, 1, 4, 4, 0, 1, 2, 3], np.uint64), np.arange(12) // 4)
    assert sorted(zip(found.visits.tolist(), (found.walks == EVERY_WALK).tolist(), strict=True)) == [
        (2, False),
        *[(2, True)] * 2,
        *[(3, True)] * 2,
    ]
    assert found.new(12) == 2 / 12


def test_further_walks_find_about_what_was_estimated() -> None:
    walker = Walker(model.build(IdempotentProducer()), WalkSettings(steps=100, seed=5))
    seen = walker.sample(range(200))
    further = np.concatenate([digests(stage.states) for stage in walker.stages(range(1000, 3000), 100)])
    new = 1 - np.isin(further, seen.visited.digests).mean()
    assert (len(seen.visited), seen.visited.exact) == (713, True)
    assert seen.visited.new(seen.generated) == pytest.approx(0.058, abs=0.001)
    assert new == pytest.approx(0.058, abs=0.005)


def test_many_states_are_estimated_and_the_order_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.arange(1 << 20, dtype=np.uint64)
    whole = sketched(numbers, numbers // 64)
    assert not whole.exact and abs(len(whole) / len(numbers) - 1) < 2 * whole.error < 0.012
    assert whole.new(len(numbers)) == pytest.approx(1, abs=0.012)
    parts = [sketched(numbers[k::3], numbers[k::3] // 64) for k in range(3)]
    for order in ((0, 1, 2), (2, 0, 1)):
        merged = Sketch()
        for k in order:
            merged.merge(parts[k])
        assert merged == whole and len(merged) == len(whole)


def test_a_full_table_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """walks of a model with 204 states, of which the sample has 64 places"""
    whole = walk(duplicating(), 60, COURSE.steps, COURSE.seed)
    monkeypatch.setattr(sketch, "MOST", 64)
    for name, size in (("TABLE", 512), ("FULL", 320), ("ROUND", 1)):
        monkeypatch.setattr(walk_loop, name, size)
    found = walk(duplicating(), 60, COURSE.steps, COURSE.seed)
    assert (found.generated, found.violations) == (whole.generated, whole.violations)
    assert whole.distinct == 204 and found.distinct == 225 and found.sampled and found.sampled.error == 62**-0.5


def test_a_lost_violation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """the first walks are repeated, and plain Python judges each of their states"""
    plain = Walker.sample

    def sample(self: Walker, numbers: Any) -> WalkSummary:
        seen = plain(self, numbers)
        del seen.found[0]
        return seen

    monkeypatch.setattr(Walker, "sample", sample)
    with pytest.raises(EverystateError, match=r"E217 .*plain Python saw a violation \(invariant below_six\)"):
        walk(Corridor(), 6, 20, 0, cross_check=1000)
    assert walk(Corridor(), 6, 20, 0, cross_check=0).verdict is Verdict.VIOLATED
