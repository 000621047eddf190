"""An interrupt after the search: what was searched is told, and nothing more."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.engines.sampling import walk_loop
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.temporal import liveness
from everystate.checker.frontend import model
from everystate.checker.results.verdict import ExitCode, Verdict
from everystate.specs.classics.live_hour_clock import LiveHourClock
from everystate.specs.idem_producer import IdempotentProducer


class Impatient(Silent):
    """Presses Ctrl-C when so many states were cross-checked."""

    def __init__(self, after: int) -> None:
        self.after = after

    def part(self, text: str, done: int, total: int) -> None:
        if text == "cross-checking" and done >= self.after:
            self.after = 1 << 62
            raise KeyboardInterrupt


def interrupted(**constants: int) -> Any:
    traced = model.build(IdempotentProducer(**constants))
    return exhaustive.check(traced, Limits(cross_check=1_000), Impatient(100), "idem-producer")


def test_a_search_that_found_nothing_is_undecided() -> None:
    """It ended with the one word "interrupted"."""
    result = interrupted()
    assert (result.verdict, result.exit_code) == (Verdict.UNDECIDED, ExitCode.INTERRUPTED)
    assert (result.distinct, result.depth, result.held) == (1_813, 28, ())
    assert str(result.statement).startswith("UNDECIDED  interrupted: no violation in 1,813 states")


def test_a_violation_that_was_found_is_told_with_its_trace() -> None:
    result = interrupted(max_in_flight=6)
    assert (result.verdict, result.exit_code) == (Verdict.VIOLATED, ExitCode.SAFETY)
    assert [(v.property, v.length) for v in result.violations] == [("NoDup", 18), ("InOrder", 18)]


def test_temporal_properties_that_were_not_judged_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(liveness, "violations", press)
    result = exhaustive.check(model.build(LiveHourClock()))
    assert (result.verdict, result.exit_code) == (Verdict.UNDECIDED, ExitCode.INTERRUPTED)
    assert (result.distinct, result.held) == (12, ())


class Weary(Silent):
    """Presses Ctrl-C when so many states were seen on walks."""

    def progress(self, progress: Progress) -> None:
        if progress.generated > 5_000:
            raise KeyboardInterrupt


def test_walks_that_were_interrupted_say_how_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """They said "no violation on interrupted"."""
    monkeypatch.setattr(walk_loop, "ROUND", 1)
    result = walk(IdempotentProducer(), 1_000_000, 3, seed=0, observer=Weary(), cross_check=1)
    assert (result.verdict, result.exit_code, result.generated) == (Verdict.SAMPLED, ExitCode.INTERRUPTED, 5_120)
    told = "SAMPLED  no violation on 1,280 of 1,000,000 walks of up to 3 steps, seed 0, interrupted (5,120 states"
    assert str(result.statement).startswith(told)
