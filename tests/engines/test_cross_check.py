"""Wrong code is planted, in the model or in what is compiled of it, and every run notices (E217)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everystate.checker import AnyOf, Bool, Int, Spec, action, invariant, require
from everystate.checker.backends.native import Program, context, insertion
from everystate.checker.backends.native.builder import I1
from everystate.checker.backends.native.initial_states import InitialStates
from everystate.checker.backends.native.program import _chunks
from everystate.checker.backends.native.terms import Terms
from everystate.checker.engines.crosscheck import allowance, crosscheck
from everystate.checker.engines.crosscheck.selection import least_hashes, quotas
from everystate.checker.engines.expansion import Expansion
from everystate.checker.engines.explicit import count_check, exhaustive, history
from everystate.checker.engines.explicit.findings import Findings
from everystate.checker.engines.explicit.store import Store
from everystate.checker.engines.limits import VARIABLE, Limits
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.stopwatch import Stopwatch
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir import layout
from everystate.checker.ir.expr import Expr
from tests.plain import miscount
from tests.planted import PLANTED, Everything


class Wide(Spec):
    """Ten levels, each as wide as all before, and states of the last level that one may miss."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 20_000)

    @action
    def double(self) -> None:
        require(self.n < 5000)
        self.n = 2 * self.n + 1

    @action
    def more(self) -> None:
        require(self.n < 5000)
        self.n = 2 * self.n + 2

    @invariant
    def holds_all(self) -> bool:
        return self.n >= 0


@pytest.fixture(autouse=True)
def as_many_as_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1000")


@pytest.mark.parametrize("name", PLANTED)
def test_wrong_code_is_noticed_in(name: str) -> None:
    cls, plant, called, said = PLANTED[name]
    with pytest.raises(EverystateError, match="E217") as found:
        exhaustive.check(plant(model.build(cls())))
    assert found.value.what.startswith(f"{called} differs between compiled code and plain Python: {said}")
    assert ", with n = " in found.value.what or "and values" in found.value.what


@pytest.mark.parametrize("name", ["an assignment", "a guard", "an invariant", "a step invariant", "a goal"])
def test_walks_notice_it_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls, plant, called, said = PLANTED[name]
    monkeypatch.setattr("everystate.checker.engines.sampling.walk.traced", lambda spec, *_: plant(model.build(spec)))
    with pytest.raises(EverystateError, match=f"E217 {called} differs between compiled code and plain Python: {said}"):
        walk(cls(), 3, 20, seed=1)


@pytest.mark.parametrize(("op", "wrong"), [("_lt", "icmp_unsigned"), ("_add", "sub"), ("_eq", "icmp_signed")])
def test_a_wrong_instruction_is_noticed(op: str, wrong: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))

    class Signed(Spec):
        def variables(self) -> None:
            self.n = Int(-3, 3)

        @action
        def go(self) -> None:
            self.n = 0 - self.n if self.n < 2 else self.n - 3

        @invariant
        def low(self) -> bool:
            return self.n + self.n < 5 or self.n == self.n * self.n

    def emit(self: Terms, term: Expr) -> Any:
        a, b = map(self, term.args)
        if op == "_add":
            return self.fn.b.sub(a, b)
        return getattr(self.fn.b, wrong)("<" if op == "_lt" else "!=", a, b)

    monkeypatch.setattr(Terms, op, emit)
    with pytest.raises(EverystateError, match="E217"):
        exhaustive.check(model.build(Signed()), Limits(max_states=500))


def refused(said: str, cls: type[Spec] = Everything, **limits: Any) -> None:
    with pytest.raises(EverystateError, match=f"E217 {said}"):
        exhaustive.check(model.build(cls()), Limits(**limits))


@pytest.mark.parametrize(
    ("counter", "said"),
    [
        ("taken", "up .*: 2 steps are counted where there are 1"),
        ("enabled", "up .*: 1 steps are counted where there are 1"),
        ("generated", "Everything .*: 2 successors are counted where there are 1"),
        ("deadlocks", "Everything .*: 1 deadlocks are counted where there are 0"),
        ("faults", "Everything .*: on symbols 1 of its steps fail, on values 0"),
    ],
)
def test_what_is_counted_of_a_state_is_compared(counter: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Expansion.expand

    def miscounted(self: Any, block: Any) -> Any:
        counters, found = self.program.counters, plain(self, block)
        at = getattr(counters, counter)
        self.counters[at(0) if callable(at) else at] += np.uint64(1)
        return found

    monkeypatch.setattr(Expansion, "expand", miscounted)
    refused(said)


@pytest.mark.parametrize(
    ("counter", "said"),
    [
        (lambda c: c.taken(0), "steps of up: 37 counted, 36 found again"),
        (lambda c: c.enabled(1), "states in which down is enabled: 5 counted, 4 found again"),
        (lambda c: c.generated, "successors: 49 counted, 48 found again"),
        (lambda c: c.outside, "successors outside the constraints: 1 counted, 0 found again"),
        (lambda c: c.first(1), "new states by down: 4 counted, 3 found again"),
        (lambda c: c.hits(0), "invariant small: 1 counted, 0 found again"),
    ],
)
def test_what_a_report_counts_is_compared(
    counter: Callable[[Any], int], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    miscount(counter, monkeypatch)
    refused(f"Everything differs between compiled code and plain Python: {said}")


def test_too_few_are_noticed_in_a_space_of_which_a_part_is_cross_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Findings.level_done

    def miscounted(self: Any, *args: Any, **more: Any) -> None:
        plain(self, *args, **more)
        self.totals[self.program.counters.taken(0)] //= np.uint64(20)

    monkeypatch.setattr(Findings, "level_done", miscounted)
    refused("Wide .*: steps of double: 250 counted, at least 696 found again", Wide)


@pytest.mark.parametrize(("cls", "whole"), [(Everything, True), (Wide, False)], ids=["a whole space", "a large one"])
def test_lost_states_are_noticed(cls: type[Spec], whole: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """states of one bucket are taken for one"""
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    monkeypatch.setattr(
        context.Probe, "home", lambda self, value: self.fn.b.and_(value, self.fn.const(7 if whole else 1023))
    )
    monkeypatch.setattr(context.Probe, "tag", lambda self, value: self.fn.const(0))
    monkeypatch.setattr(insertion, "same", lambda fn, a, b: fn.const(1, I1))
    refused(r"(up|down|double|more) .*: its successor is (not among the states|on level \d+, not \d+), with n = ", cls)


def test_a_lost_initial_state_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = InitialStates.rows
    monkeypatch.setattr(InitialStates, "rows", lambda self, *given: whole(self, *given)[1:])

    class Two(Everything):
        def variables(self) -> None:
            super().variables()
            self.on = Bool(init=AnyOf(False, True))

        @action
        def down(self) -> None:
            require(self.n == 9)
            self.n = 1

    refused("Two .*: an initial state is not among the states, with n = 0, on = False", Two)


def test_a_property_that_is_not_evaluated_where_it_changes_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Program, "_group_by_needs", lambda self: _chunks(range(len(self.state_watches)), frozenset()))

    class Rises(Everything):
        @invariant
        def low(self) -> bool:
            return self.n < 8

    refused("(low|full) .*: after (up|down) its value is taken to be that of before, with n = ", Rises)


def test_a_state_that_does_not_fit_its_words_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "bits", lambda cell: max(0, (cell.hi - cell.lo).bit_length() - 1))
    refused(r"divides .*: cells becomes \[1, 1, 0\] on symbols, \[3, 0, 0\] on values")


# -- which states, and how many --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [(0, 0), (None, 1000), (50, 50), (2500, 2500), pytest.param(allowance.ALL, 10_001, marks=pytest.mark.thorough)],
)
def test_so_many_states_are_cross_checked(asked: int | None, told: int) -> None:
    found = exhaustive.check(model.build(Wide()), Limits(cross_check=asked))
    assert (found.distinct, found.cross_checked) == (10_001, told)


@pytest.mark.thorough
def test_all_states_are_cross_checked_where_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    assert exhaustive.check(model.build(Wide()), Limits(cross_check_seconds=1e9)).cross_checked == 10_001


def test_a_cross_check_takes_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    now = iter(range(1_000_000))
    monkeypatch.setattr(allowance, "perf_counter", lambda: next(now))
    limits = Limits(stopwatch=Stopwatch(-9_000), cross_check_seconds=0.0)
    found = exhaustive.check(model.build(Wide()), limits)
    assert found.cross_checked == 938  # before each one a second of this clock passes, and four more with the samples


def test_a_sample_of_fewer_states_than_levels_is_spread_over_the_levels() -> None:
    assert quotas([1] * 9, 3) == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert quotas([1] * 9, 5) == [1, 0, 1, 0, 1, 0, 1, 0, 1]
    samples = [quotas([2] * 100, number) for number in range(250)]
    assert [sum(found) for found in samples] == [*range(201), *[200] * 49]
    assert all(a <= b for one, two in itertools.pairwise(samples) for a, b in zip(one, two, strict=True))


LAST = (8892, 9197, 9502, 8368, 9807)
"""The last five of 200 states that are cross-checked: the multiplication of the hash decides."""


@pytest.mark.parametrize("workers", [1, 2])
def test_which_states_does_not_depend_on_workers(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the states for conditions: those are the first ones in the store, whose order depends on the workers."""
    monkeypatch.setattr(count_check.CountCheck, "take_conditions", lambda self, *given: None)
    seen = states_compared(workers, monkeypatch)
    assert len(seen) == 200 and seen[-5:] == [*LAST]
    levels = [(n + 1).bit_length() for n in seen]
    assert levels == sorted(levels) and len(set(levels)) == 14
    assert [levels.count(level) for level in range(1, 6)] == [1, 2, 4, 8, 16] and levels.count(14) == 34
    assert {levels.count(level) for level in range(6, 14)} == {16, 17}


@pytest.mark.parametrize("workers", [1, 2])
def test_conditions_come_before_the_sample(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = states_compared(workers, monkeypatch)
    assert len(seen) == 200
    assert seen[1] == 5000 if workers == 1 else seen[1] >= 5000  # where guards are false


def states_compared(workers: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The values of the states that are cross-checked, 200 of them, in order."""
    seen: list[int] = []
    plain = crosscheck.CrossCheck.compare_answer

    def compare(self: Any, said: Any) -> None:
        if said.row.tobytes() not in self._done:
            seen.extend(self.model.layout.unpack(said.row[0]))
        plain(self, said)

    monkeypatch.setattr(crosscheck.CrossCheck, "compare_answer", compare)
    exhaustive.check(model.build(Wide()), Limits(workers=workers, cross_check=200))
    return seen


def test_shares_are_even_and_the_last_level_has_twice_as_many() -> None:
    assert quotas([1, 2, 4, 100, 1000, 1000], 107) == [1, 2, 4, 25, 25, 50]
    assert quotas([5, 5], 100) == [5, 5]
    assert quotas([], 10) == []


def test_the_least_hashes_of_a_level_do_not_depend_on_its_order() -> None:
    states = np.arange(50_000, dtype=np.uint64).reshape(-1, 2)
    first = least_hashes(lambda: [states], len(states), 0, 100)
    mixed = np.random.default_rng(1).permutation(states)
    again = least_hashes(lambda: np.array_split(mixed, 7), len(states), 0, 100)
    assert (first == again).all()
    assert (least_hashes(lambda: [mixed], len(states), 40, 100) == first[40:]).all()


def test_of_a_level_with_millions_of_states_only_some_blocks_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "ROWS_AT_ONCE", 16)
    monkeypatch.setattr(history, "BLOCKS", 4)
    monkeypatch.setattr(history, "SPARE", 2)
    monkeypatch.setattr(history, "KEPT", 8)
    read, plain = list[tuple[int, int]](), Store.block

    def block(self: Any, start: int, end: int, step: int = 1) -> Any:
        read.append((start, end))
        return plain(self, start, end, step)

    monkeypatch.setattr(Store, "block", block)
    monkeypatch.setattr(history.History, "levels_of", lambda self, keys: {})
    monkeypatch.setattr(count_check.CountCheck, "judge", lambda self, findings: None)
    monkeypatch.setattr(count_check.CountCheck, "take_conditions", lambda self, *given: None)
    found = exhaustive.check(model.build(Wide()), Limits(cross_check=50))
    assert found.cross_checked == 50 and sum(end - start for start, end in read) < 2_000 < found.distinct
