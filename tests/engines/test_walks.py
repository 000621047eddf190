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
from everystate.checker.engines.hashing import digests
from everystate.checker.engines.sampling import walker
from everystate.checker.engines.sampling.sample import Digests, WalkSettings, WalkSummary
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


def test_walks_that_advance_together_are_those_that_go_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    together = facts(walk(duplicating(), 60, COURSE.steps, COURSE.seed))
    for group in (1, 7):
        monkeypatch.setattr(walker, "GROUP", group)
        assert facts(walk(duplicating(), 60, COURSE.steps, COURSE.seed)) == together


def test_optimised_code_makes_the_same_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = facts(walk(duplicating(), 200, COURSE.steps, COURSE.seed))
    monkeypatch.setattr(walker, "LONG", 1)
    monkeypatch.setattr(walker, "GROUP", 1)
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
        "late holds vacuously at line 213 on the walks: the left side of "
        "`return implies(self.x == 30, self.x == 31)` was never true",
        "State constraint natural pruned 1,000 successors and ended 50 of 50 walks early; states beyond it were not "
        "explored",
    )


def test_walks_that_end_without_a_successor_are_counted() -> None:
    assert walk(Fork(), 10, 5, 0, deadlock=False).warnings == (
        "10 of 10 walks ended early, in states without successors",
    )


def test_digests_are_counted_once() -> None:
    words = digests(np.arange(3000, dtype=np.uint64).reshape(1000, 3))
    found = Digests(words[:700])
    found.add(words[300:])
    assert len(found) == 1000 == len(Digests(words)) and found == Digests(words[::-1])
    assert len(Digests()) == 0 and Digests() != found


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
