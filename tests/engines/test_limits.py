"""A limit on states is hardly overrun, and what a search that it ends has seen says what grows."""

from __future__ import annotations

import pytest

from everystate.checker import AnyOf, Array, Bool, Int, Seq, Spec, action, require
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict


class Wide(Spec):
    """48 successors of a state."""

    may_terminate = True

    def variables(self) -> None:
        self.cells = Array(6, Int(0, 99))

    @action(i=range(6), by=range(1, 9))
    def go(self, i: int, by: int) -> None:
        require(self.cells[i] + by < 100)
        self.cells[i] += by


class Clock(Spec):
    """Nobody takes anything from the queue, and the clock never stops."""

    def variables(self) -> None:
        self.lamp = Bool()
        self.now = Int(0, 1_000_000)
        self.queue = Seq(Int(0, 1), 30)

    @action
    def tick(self) -> None:
        self.now += 1

    @action
    def put(self) -> None:
        self.queue.append(0)

    @action
    def switch(self) -> None:
        self.lamp = not self.lamp


@pytest.mark.parametrize("most", [1, 100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_stops_near_the_limit_on_states(most: int, workers: int) -> None:
    limits = Limits(workers=workers, max_states=most)
    result = exhaustive.check(model.build(Wide()), limits)
    assert result.verdict is Verdict.UNDECIDED
    assert most <= result.distinct <= 1.1 * most + 48 * workers


class Many(Spec):
    """Nearly 200,000 initial states."""

    def variables(self) -> None:
        self.cells = Array(2, Int(0, 440, init=AnyOf(range(440))))

    @action
    def go(self) -> None:
        self.cells[0] += 1


def test_initial_states_are_all_stored_and_a_limit_below_them_is_told() -> None:
    for workers in (1, 2):
        result = exhaustive.check(model.build(Many()), Limits(workers=workers, max_states=1000))
        assert (result.distinct, result.depth) == (440 * 440, 1)
        assert result.stopped == "the limit of 1,000 states is reached"


@pytest.mark.parametrize(("most", "compress"), [(1 << 20, False), (2 << 20, False), (1 << 20, True)])
def test_a_memory_limit_below_the_initial_states_is_told(most: int, compress: bool) -> None:
    """their words alone are 1.5 MiB, and more with a table of them"""
    with pytest.raises(EverystateError, match=r"E504 a memory limit of .* MiB is too small") as told:
        exhaustive.check(model.build(Many()), Limits(max_memory=most, compress=compress))
    assert told.value.why.endswith("take more with all its initial states")


@pytest.mark.parametrize("most", [1, 100, 1_000])
def test_the_python_engine_stops_near_the_limit_on_states(most: int) -> None:
    result = python.check(Wide(), Limits(max_states=most))
    assert result.verdict is Verdict.UNDECIDED and most <= result.distinct <= most + 48


def test_an_undecided_run_says_which_variables_grow() -> None:
    limits = Limits(max_states=800)
    native, concrete = exhaustive.check(model.build(Clock()), limits), python.check(Clock(), limits)
    assert native.statement == (
        "UNDECIDED  the limit of 800 states is reached: no violation in 801 states; the first 28 levels are complete; "
        "still growing: now 0..28, queue.length 0..27; no property: nothing but deadlock and errors was checked"
    )
    assert concrete.growing == "queue.length 0..28, now 0..27"
