"""Searches from a state against a plain search over the concrete run: lengths of ways, and what is out of reach."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest

from everystate.checker import Int, Spec, action, choose, constraint, invariant, require, step_invariant
from everystate.checker.engines.explicit.from_state import NearestTraces, Search, for_state, for_violations, length
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build, with_goal
from everystate.checker.language.goals import condition
from everystate.checker.language.state import State
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.idem_producer import IdempotentProducer


class Hops(Spec):
    """Two counters, a step of one by itself or of both, and a trap from which nothing leads back."""

    def variables(self) -> None:
        self.a = Int(0, 9)
        self.b = Int(0, 9)
        self.trap = Int(0, 1)

    may_terminate = True

    @action
    def up(self) -> None:
        require(self.trap == 0)
        self.a = (self.a + choose([1, 3])) % 10

    @action
    def along(self) -> None:
        require(self.trap == 0 and self.a == self.b)
        self.b = (self.b + 1) % 10

    @action
    def fall(self) -> None:
        require(self.b == 7)
        self.trap = 1


def distances(spec: Spec, start: State) -> dict[State, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        state = waiting.popleft()
        for step in spec.successors(state):
            if step.state not in found:
                found[step.state] = found[state] + 1
                waiting.append(step.state)
    return found


def reach(spec: Spec, start: State, text: str, **limits: Any) -> NearestTraces:
    model = with_goal(build(spec), *condition(spec, text))
    return Search(model, start.cells, Limits(**limits), target="it").answer()


@pytest.mark.parametrize("spec", [Hops(), DieHard()], ids=lambda s: type(s).__name__)
def test_to_every_state_by_a_shortest_way(spec: Spec) -> None:
    dice = random.Random(17)
    everything = list(distances(spec, spec.initial_states()[0]))
    model = build(spec)
    for start in dice.sample(everything, 2):
        near = distances(spec, start)
        for end in dice.sample(everything, 3):
            found = Search(for_state(model, end.cells), start.cells, Limits()).answer()
            if end in near:
                assert found.trace is not None
                assert (found.trace.initial, found.trace.states[-1]) == (start, end)
                assert found.trace.length == near[end]
            else:
                assert (found.trace, found.stopped, found.distinct) == (None, "", len(near))
                assert found.cross_checked == len(near)


@pytest.mark.thorough
def test_conditions_from_a_state_in_the_middle() -> None:
    spec = Hops()
    start = State.of(spec, {"a": 3, "b": 5, "trap": 0})
    near = distances(spec, start)
    for text in ("a == b", "self.b == 7 and a == 0", "b == 5", "a + b == 12 and trap == 1"):
        found = reach(spec, start, text)
        fitting = [steps for state, steps in near.items() if condition(spec, text)[0].property_holds(text, state)]
        assert found.trace is not None and found.trace.length == min(fitting), text
    fallen = State.of(spec, {"a": 3, "b": 7, "trap": 1})
    none = reach(spec, fallen, "trap == 0")
    assert (none.trace, none.stopped, none.distinct, none.levels) == (None, "", 1, 1)


def test_a_limit_is_told_and_is_no_proof() -> None:
    spec = IdempotentProducer(max_in_flight=6)
    start = spec.initial_states()[0]
    found = reach(spec, start, "len(log) == 7", max_states=100)
    assert found.trace is None
    assert found.stopped == "the limit of 100 states is reached"
    assert 100 <= found.distinct < 3031
    assert reach(spec, start, "len(log) == 7").trace.length == 18  # type: ignore[union-attr]


@pytest.mark.thorough
def test_the_nearest_violation_from_each_step_of_the_way() -> None:
    spec = IdempotentProducer(max_in_flight=6)
    model = for_violations(build(spec))
    first = Search(model, spec.initial_states()[0].cells, Limits(stop_early=True)).answer()
    assert first.violation is not None and first.violation.property == "NoDup"
    assert first.trace is not None and first.trace.length == 18
    for taken, state in list(enumerate(first.trace.states))[1::8]:
        found = Search(model, state.cells, Limits(stop_early=True)).answer()
        assert length(found.trace) == 18 - taken
    safe = IdempotentProducer()
    none = Search(for_violations(build(safe)), safe.initial_states()[0].cells, Limits(stop_early=True)).answer()
    assert (none.violation, none.stopped, none.distinct) == (None, "", 1813)


class Steps(Spec):
    """A step that must not be taken, a state that must not be, an error and a deadlock, each at its own distance."""

    def variables(self) -> None:
        self.n = Int(0, 20)

    @action
    def up(self) -> None:
        require(self.n < 12)
        self.n += 1

    @action
    def fail(self) -> None:
        require(self.n == 9)
        self.n = 20 // (self.n - 9)

    @step_invariant
    def no_leap_to_five(self, before: Any) -> bool:
        """five is never reached"""
        return not (before.n == 4 and self.n == 5)

    @invariant
    def not_seven(self) -> bool:
        """n is not seven"""
        return self.n != 7


@pytest.mark.parametrize(
    ("start", "shows", "steps"),
    [(0, "no_leap_to_five", 5), (5, "not_seven", 2), (7, "not_seven", 0), (8, "error", 2), (10, "deadlock", 2)],
)
def test_each_kind_of_violation(start: int, shows: str, steps: int) -> None:
    spec = Steps()
    state = State.of(spec, {"n": start})
    found = Search(for_violations(build(spec)), state.cells, Limits(stop_early=True)).answer()
    assert found.violation is not None
    assert (found.violation.property, length(found.trace)) == (shows, steps)


def test_an_error_on_the_way_does_not_end_a_search_for_a_state() -> None:
    spec = Steps()
    found = reach(spec, spec.initial_states()[0], "n == 12")
    assert found.trace is not None and found.trace.length == 12


class Fenced(Spec):
    """A counter that a constraint stops."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < 9)
        self.n += 1

    @constraint
    def small(self) -> bool:
        return self.n < 5


def test_what_a_constraint_cuts_off_is_counted() -> None:
    spec = Fenced()
    start = spec.initial_states()[0]
    beyond = reach(spec, start, "n == 7")
    assert (beyond.trace, beyond.stopped, beyond.distinct, beyond.outside) == (None, "", 5, 1)
    edge = reach(spec, start, "n == 5")
    assert edge.trace is not None and edge.trace.length == 5
    outside = reach(spec, State.of(spec, {"n": 6}), "n == 7")
    assert (outside.trace, outside.distinct, outside.outside) == (None, 0, 1)
    here = reach(spec, State.of(spec, {"n": 6}), "n == 6")
    assert here.trace is not None and here.trace.length == 0


def test_a_search_that_is_cancelled_says_so() -> None:
    spec = IdempotentProducer(max_in_flight=6)
    model = with_goal(build(spec), *condition(spec, "len(log) == 7"))
    search = Search(model, spec.initial_states()[0].cells, Limits())
    search.cancel()
    found = search.answer()
    assert (found.trace, found.stopped) == (None, "it was cancelled")
