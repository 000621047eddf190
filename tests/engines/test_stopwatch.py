"""How long a command takes, and its parts."""

from __future__ import annotations

import re

import pytest

from everystate.checker.api.engines import search
from everystate.checker.cli.main import main
from everystate.checker.engines import stopwatch
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.stopwatch import Stopwatch
from everystate.specs.idem_producer import IdempotentProducer


def test_a_part_does_not_count_what_is_measured_within(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 1.0, 3.0, 6.0, 10.0, 15.0])
    monkeypatch.setattr(stopwatch, "perf_counter", lambda: next(seconds))
    watch = Stopwatch()
    with watch.measuring("outer"), watch.measuring("inner"):
        pass
    assert watch.times == {"command": 15.0, "inner": 3.0, "outer": 6.0, "rest": 6.0}


def test_a_search_measures_its_parts_and_their_sum_is_the_whole() -> None:
    times = search(IdempotentProducer(max_in_flight=6), limits=Limits(cross_check=5)).times
    assert list(times) == ["command", "tracing", "compiling", "search", "cross-check", "traces", "rest"]
    assert sum(times.values()) == pytest.approx(2 * times["command"])


def test_walks_measure_their_parts() -> None:
    watch = Stopwatch()
    walk(IdempotentProducer(max_in_flight=6), 100, 50, 0, cross_check=5, stopwatch=watch)
    assert list(watch.times) == ["command", "tracing", "compiling", "walking", "cross-check", "rest"]
    assert list(watch.times.values())[-1] >= 0


@pytest.mark.parametrize("options", [[], ["--depth", "3"], ["--inductive"]])
def test_a_proof_prints_what_the_command_took(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["prove", "hour-clock", *options])
    assert re.search(r"\n  time +\d+\.\d\d s: tracing \d.*, search \d", capsys.readouterr().out)
