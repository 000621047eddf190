"""What a report says: the verdict sentence word for word, the numbers, the table of actions."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.errors import CheckedError
from everystate.checker.results.conditions import Conditions
from everystate.checker.results.report import counts, coverage_table, rate, report, violation_lines
from everystate.checker.results.result import Result, Violation
from everystate.checker.results.trace import Trace, TraceStep
from everystate.checker.results.verdict import ActionCoverage, ExitCode, Kind, Verdict
from everystate.specs.classics.die_hard import DieHard

INITIAL = DieHard().initial_states()[0]


def trace(steps: int, failing: str = "") -> Trace:
    step = TraceStep("go", {}, (), "go()", INITIAL)
    return Trace("t", {}, INITIAL, (step,) * steps, "P", "invariant", failing=failing)


def result(verdict: Verdict, *violations: Violation, **facts: Any) -> Result:
    given: dict[str, Any] = {"distinct": 83_611, "generated": 180_775, "depth": 40, "initial": 1, "seconds": 0.5}
    given["conditions"] = Conditions(("Bounded",)) if facts.get("checked") else Conditions()
    constants = {"batches": 6, "fast": True}
    return Result("t", constants, "native", verdict, violations=violations, **{**given, **facts})


KINDS = {"NoDup": "invariant", "Steady": "step invariant", "Goal": "reachable"}
FULL = Violation("P", Kind.ERROR, trace(4, "push()"), "x", CheckedError("E302", None, capacity=3))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            result(Verdict.PROVED, held=("NoDup", "InOrder"), checked={}),
            "PROVED  NoDup, InOrder hold in all 83,611 reachable states; no action fails "
            "(batches=6, fast=True, exhaustive, exact states)",
        ),
        (
            result(Verdict.PROVED, held=("NoDup", "Steady", "Goal"), checked={**KINDS, "deadlock": "deadlock"}),
            "PROVED  NoDup holds in all 83,611 reachable states; Steady holds in every step; Goal is reachable; "
            "no deadlock, no action fails (batches=6, fast=True, within Bounded, exhaustive, exact states)",
        ),
        (
            result(Verdict.PROVED, distinct=1),
            "PROVED  no action fails in all 1 reachable state (batches=6, fast=True, exhaustive, exact states); "
            "no property: nothing but errors was checked",
        ),
        (
            result(
                Verdict.VIOLATED,
                Violation("NoDup", Kind.INVARIANT, trace(18)),
                Violation("InOrder", Kind.INVARIANT, trace(1)),
                Violation("deadlock", Kind.DEADLOCK, trace(3)),
                Violation("Goal", Kind.UNREACHED, None),
            ),
            "VIOLATED  NoDup violated after 18 steps, InOrder after 1 step, deadlock after 3 steps, "
            "Goal is never reached; all 83,611 reachable states were visited",
        ),
        (
            result(Verdict.VIOLATED, Violation("NoDup", Kind.INVARIANT, trace(0)), stopped="interrupted"),
            "VIOLATED  NoDup violated in an initial state; interrupted; 83,611 states were visited",
        ),
        (
            result(Verdict.VIOLATED, FULL, stopped="an action failed"),
            "VIOLATED  push() fails in step 5: x (E302); the search ended there, 83,611 states were visited",
        ),
        (
            result(
                Verdict.UNDECIDED,
                stopped="the limit of 1,000 states is reached",
                distinct=1003,
                depth=12,
                checked=KINDS,
            ),
            "UNDECIDED  the limit of 1,000 states is reached: no violation in 1,003 states; "
            "the first 12 levels are complete (within Bounded)",
        ),
    ],
)
def test_the_last_line_says_what_was_proved(found: Result, sentence: str) -> None:
    assert found.statement == sentence


def test_exit_codes() -> None:
    assert result(Verdict.PROVED).exit_code is ExitCode.SUCCESS
    assert result(Verdict.VIOLATED, FULL).exit_code is ExitCode.ASSERTION
    assert result(Verdict.UNDECIDED).exit_code is ExitCode.UNDECIDED
    assert result(Verdict.UNDECIDED, interrupted=True).exit_code is ExitCode.INTERRUPTED


def test_one_line_for_each_violation() -> None:
    violations = (
        Violation("NoDup", Kind.INVARIANT, trace(18), "no batch twice", states=602),
        Violation("Steady", Kind.STEP_INVARIANT, trace(2), "it stays", states=1),
        Violation("Goal", Kind.UNREACHED, None, "the end"),
    )
    assert violation_lines(result(Verdict.VIOLATED, *violations)) == [
        "NoDup violated after 18 steps (in 602 states). Expected: no batch twice",
        "Steady violated after 2 steps (in 1 step). Expected: it stays",
        "Goal is never reached. Expected: the end",
    ]


def test_the_report_counts_the_failing_step() -> None:
    found = report(result(Verdict.VIOLATED, FULL), ["a.itf.json"])
    assert found["violations"] == [{"property": "P", "kind": "error in an action", "length": 5, "trace": "a.itf.json"}]
    assert (found["exit_code"], found["states_per_second"]) == (14, 167_222)


def test_speed_and_size_are_told_where_they_mean_something() -> None:
    assert counts(result(Verdict.PROVED, bytes_per_state=31.6)) == (
        "83,611 distinct, 180,775 generated, depth 40, 0.50 s, 167.2k states/s, 32 bytes/state"
    )
    assert counts(result(Verdict.PROVED, distinct=9)) == "9 distinct, 180,775 generated, depth 40, 0.50 s"
    times = {"command": 1.25, "tracing": 0.5, "search": 0.5}
    told = "9 distinct, 180,775 generated, depth 40"
    assert counts(result(Verdict.PROVED, distinct=9, times=times)) == told
    assert [rate(950), rate(12_300), rate(4_560_000)] == ["950", "12.3k", "4.6M"]


def test_the_table_of_actions() -> None:
    coverage = {"send": ActionCoverage(1000, 2000, 3), "lose": ActionCoverage(0, 0, 0)}
    assert coverage_table(result(Verdict.PROVED, coverage=coverage)) == [
        "action  enabled in  steps  new states",
        "send         1,000  2,000           3",
        "lose             0      0           0",
    ]
