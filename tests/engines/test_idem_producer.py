"""The peer model: counts that TLC and SPIN agree on, state for state, and the law of the shortest counterexample."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict
from everystate.specs.idem_producer import IdempotentProducer
from tests.selection import quick

NAMES = ("batches", "max_in_flight", "window", "max_sends", "resets", "bumps", "leader_changes")
# N F W R L E C | distinct, generated, levels, violating states, steps of the shortest counterexample
ROWS = [
    ("3 2 2 3 1 1 1", 484, 805, 16, 0, None),
    ("4 3 3 3 2 1 1", 4_749, 9_832, 23, 0, None),
    ("2 2 1 3 1 1 0", 73, 98, 18, 15, 10),
    ("4 3 2 4 2 2 1", 13_022, 25_786, 41, 5_481, 12),
    ("6 6 5 3 1 1 0", 3_031, 6_118, 50, 602, 18),
    ("6 6 5 2 1 1 0", 2_233, 4_375, 32, 0, None),
    ("6 6 5 3 1 0 0", 2_541, 5_033, 35, 0, None),
    ("5 3 3 4 2 1 1", 14_109, 27_511, None, 0, None),
    ("6 5 5 4 2 1 1", 83_611, 180_775, 40, 0, None),
    ("8 5 5 4 3 1 1", 1_161_192, 2_648_896, 49, 0, None),
]
TRACED = [ROWS[2], ROWS[3], ROWS[4]]
"""Rows that are violated."""
SMALL = [row for row in ROWS if row[1] < 10_000]
"""Rows for plain Python, which takes half a millisecond for a state."""


def producer(text: str) -> IdempotentProducer:
    return IdempotentProducer(**dict(zip(NAMES, map(int, text.split()), strict=True)))


def agrees(row: tuple[Any, ...], result: Any) -> None:
    _, distinct, generated, levels, violating, steps = row
    assert (result.distinct, result.generated) == (distinct, generated)
    assert levels is None or result.depth == levels
    if steps is None:
        assert result.verdict is Verdict.PROVED
        assert set(result.held) == {"NoDup", "InOrder", "AckedInLog"}
    else:
        assert result.verdict is Verdict.VIOLATED
        found = [(v.property, v.length, v.states) for v in result.violations]
        assert found == [("NoDup", steps, violating), ("InOrder", steps, violating)]


@pytest.mark.parametrize("workers", quick([2], [1, 2, 4]))
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_native_engine_agrees_with_tlc_and_spin(row: tuple[Any, ...], workers: int) -> None:
    agrees(row, exhaustive.check(model.build(producer(row[0])), Limits(workers=workers)))


@pytest.mark.parametrize("row", quick(SMALL[:1], [row for row in SMALL if row not in TRACED]), ids=lambda row: row[0])
def test_python_engine_agrees_with_tlc_and_spin(row: tuple[Any, ...]) -> None:
    agrees(row, python.check(producer(row[0])))


@pytest.mark.parametrize("window", [1, 2, 3, 4, 5])
def test_one_in_flight_more_than_remembered_fails_after_2w_plus_8_steps(window: int) -> None:
    spec = producer(f"{window + 1} {window + 1} {window} 3 1 1 0")
    result = exhaustive.check(model.build(spec))
    assert [(v.property, v.length) for v in result.violations] == [
        ("NoDup", 2 * window + 8),
        ("InOrder", 2 * window + 8),
    ]
    shortest = result.violations[0].trace
    assert shortest is not None
    sent, appended = ["send"] * (window + 1), ["broker"] * (window + 1)
    assert [s.action for s in shortest.steps] == [
        *sent,
        *appended,
        "reset",
        "send",
        "broker",
        "answer",
        "send",
        "broker",
    ]


@pytest.mark.parametrize("window", [1, 2, 3, 4, 5])
def test_as_many_in_flight_as_remembered_is_safe(window: int) -> None:
    result = exhaustive.check(model.build(producer(f"{window + 1} {window} {window} 3 1 1 1")))
    assert result.verdict is Verdict.PROVED


def same_trace(a: Any, b: Any) -> bool:
    return a.states == b.states and [s.label for s in a.steps] == [s.label for s in b.steps]


@pytest.mark.parametrize("row", TRACED, ids=lambda row: row[0])
def test_traces_do_not_depend_on_workers_nor_on_the_engine(row: tuple[Any, ...]) -> None:
    """The engine of plain Python agrees with TLC and SPIN here, too: what it finds is searched for once."""
    traced = model.build(producer(row[0]))
    one, *others = (exhaustive.check(traced, Limits(workers=n)) for n in (1, 2, 3, 4))
    if row in SMALL:
        others.append(python.check(producer(row[0])))
    for other in others:
        agrees(row, other)
        assert other.coverage == one.coverage
        for mine, theirs in zip(one.violations, other.violations, strict=True):
            assert same_trace(mine.trace, theirs.trace)


def test_running_out_of_states_is_undecided_and_says_what_was_covered() -> None:
    result = exhaustive.check(model.build(producer("8 5 5 4 3 1 1")), Limits(max_states=100_000))
    assert result.verdict is Verdict.UNDECIDED
    assert result.stopped == "the limit of 100,000 states is reached"
    assert 100_000 <= result.distinct < 105_000
    assert result.held == ()


def test_a_violation_in_the_level_in_which_states_run_out_has_its_trace() -> None:
    traced = model.build(producer("2 2 1 3 1 1 0"))
    whole = exhaustive.check(traced)
    lengths = {v.property: v.length for v in whole.violations}
    assert set(lengths.values()) == {10}
    cut = [exhaustive.check(traced, Limits(max_states=most)) for most in range(1, 74)]
    assert {result.depth for result in cut if result.violations} >= {10, 11}, "some stop in the level, some behind it"
    for result in cut:
        assert {v.property: v.length for v in result.violations} in ({}, lengths)


def test_running_out_of_memory_is_undecided() -> None:
    result = exhaustive.check(model.build(producer("8 5 5 4 3 1 1")), Limits(max_memory=8 << 20))
    assert result.verdict is Verdict.UNDECIDED
    needs = "7.0 MiB are used, twice as many states need about 14.7 MiB"
    assert result.stopped == f"the memory limit of 8.0 MiB is reached ({needs})"
    assert result.distinct > 0.94 * (1 << 19) and result.distinct * result.bytes_per_state <= 8 << 20


def test_a_state_of_three_words_costs_at_most_forty_bytes() -> None:
    result = exhaustive.check(model.build(producer("8 5 5 4 3 1 1")))
    assert 24 < result.bytes_per_state <= 40
