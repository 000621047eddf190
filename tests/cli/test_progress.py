"""What is told while a run goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from everystate.checker import AnyOf, Int, Spec, action, eventually, fair, initial, require
from everystate.checker.cli import sweeps
from everystate.checker.cli.output import draw, note
from everystate.checker.cli.progress import Lines, Live, line, shown_bytes, shown_time, walk_line, watcher
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.frontend import model
from everystate.checker.regression.runners.job import Job
from everystate.specs.idem_producer import IdempotentProducer

NOW = Progress(level=23, distinct=1_161_192, generated=2_648_896, queue=12_345, bytes=41 << 20, seconds=61.0)


def test_the_line_of_a_search() -> None:
    assert line(NOW) == "level 23  1,161,192 distinct  2,648,896 generated  12,345 queued  19.0k/s  41.0 MiB  1:01"


def test_the_line_of_walks() -> None:
    assert walk_line(NOW) == "walk 23 of 12,368  2,648,896 states  1:01"


def test_sizes_and_times() -> None:
    assert [shown_bytes(n) for n in (12, 2048, 3 << 29)] == ["12 B", "2.0 KiB", "1.5 GiB"]
    assert [shown_time(s) for s in (7.9, 754, 3723)] == ["0:07", "12:34", "1:02:03"]


def test_a_terminal_has_one_line_that_is_erased(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "81")
    live = Live()
    live.phase("compiling")
    live.progress(NOW)
    live.violation("NoDup", 19)
    live.finish()
    drawn = capsys.readouterr().err.split("\r\x1b[K")
    assert drawn == [
        "",
        "compiling the spec to machine code (kept for the next run) ...",
        "level 23  1.2M distinct  2.6M generated  12.3k queued  19.0k/s  41.0 MiB  1:01",
        "",
    ]


class Thousand(Spec):
    """A thousand action instances."""

    def variables(self) -> None:
        self.chosen = Int(0, 999, init=0)

    @action(i=range(1000))
    def choose_one(self, i: int) -> None:
        require(self.chosen == 0)
        self.chosen = i


@pytest.mark.thorough
def test_a_thousand_instances_are_counted_while_they_are_traced_compiled_and_cross_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    monkeypatch.setattr("everystate.checker.cli.progress.REDRAW", 0.0)
    live, limits = Live(), Limits(deadlock=False, cross_check=2)
    traced = model.build(Thousand(), lambda done, total: live.part("tracing", done, total))
    exhaustive.check(traced, limits, live)
    drawn = capsys.readouterr().err.split("\r\x1b[K")
    assert [n for n in range(1000) if f"tracing the spec: {n:,} of 1,000" in drawn] == [*range(1000)]
    compiling = "compiling the spec to machine code (kept for the next run)"
    assert [n for n in range(1000) if f"{compiling}: {n:,} of 1,000" in drawn] == [*range(1000)]
    assert "cross-checking states in plain Python: 1 of 2" in drawn


def test_the_line_names_what_is_violated() -> None:
    live = Live()
    live.violation("NoDup", 19)
    live.violation("NoDup", 19)
    assert live.progress_text(NOW).endswith("1:01  violated: NoDup")


@pytest.fixture
def at_leisure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing takes so long on a busy machine that it would be told."""
    for name in ("PATIENCE", "SPEAK"):
        monkeypatch.setattr(f"everystate.checker.cli.progress.{name}", 3600.0)


@pytest.mark.usefixtures("at_leisure")
def test_elsewhere_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.phase("tracing")
    lines.progress(NOW)
    lines.finish()
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("at_leisure")
def test_elsewhere_a_long_run_says_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.spoken -= 3601
    lines.progress(NOW)
    lines.progress(NOW)
    assert capsys.readouterr().err == line(NOW) + "\n"


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = watcher(quiet=True)
    quiet.phase("tracing")
    quiet.progress(NOW)
    quiet.finish()
    assert capsys.readouterr().err == ""


@pytest.mark.thorough
def test_walks_and_proofs_count_what_they_trace_and_execute_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    pytest.importorskip("z3", reason="z3 is not installed")
    from everystate.checker.engines.symbolic import bounded
    from everystate.checker.engines.symbolic.search import Question

    monkeypatch.setattr("everystate.checker.cli.progress.REDRAW", 0.0)
    live = Live()
    walk(Thousand(), 4, 1, 1, live, deadlock=False, cross_check=3)
    drawn = capsys.readouterr().err.split("\r\x1b[K")
    assert [n for n in range(1000) if f"tracing the spec: {n:,} of 1,000" in drawn] == [*range(1000)]
    assert "cross-checking states in plain Python: 2 of 3" in drawn
    bounded.check(model.build(Coin()), Question(2, deadlock=False, cross_check=8), live)
    drawn = capsys.readouterr().err.split("\r\x1b[K")
    assert "cross-checking states in plain Python: 1 of 8" in drawn


class Coin(Spec):
    def variables(self) -> None:
        self.up = Int(0, 1, init=0)

    @action
    def turn(self) -> None:
        self.up = 1 - self.up


def test_a_sweep_tells_of_checks_that_take_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("everystate.checker.cli.sweeps.SPEAK", 0.01)
    told = threading.Event()
    monkeypatch.setattr("everystate.checker.cli.sweeps.note", lambda text: (print(text), told.set()))
    teller = sweeps.ProgressLine(2)
    teller(Job("a slow one", "die-hard", {}), None)
    told.clear()
    assert told.wait(60)
    teller.finish()
    assert "0 of 2 checked; at work: a slow one (0:00)" in capsys.readouterr().out.splitlines()


class Slow:
    """A standard error that is slow: `entered` when a line begins, which ends when it is `released`."""

    def __init__(self) -> None:
        self.entered, self.released = threading.Event(), threading.Event()
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        self.entered.set()
        assert self.released.wait(60)
        self.lines.append(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def end(finish: Callable[[], None], slow: Slow) -> list[str]:
    """End it while a line is being written; the lines that were there when it had ended."""
    found: list[list[str]] = []
    ending = threading.Thread(target=lambda: (finish(), found.append([*slow.lines])))
    ending.start()
    ending.join(0.2)
    assert ending.is_alive(), "a line is still to come"
    slow.released.set()
    ending.join(60)
    return found[0]


def test_no_line_of_a_sweep_comes_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr("sys.stderr", slow)
    monkeypatch.setattr("everystate.checker.cli.sweeps.SPEAK", 0.0)
    teller = sweeps.ProgressLine(2)
    teller.at_work["a slow one"] = time.monotonic()
    assert slow.entered.wait(60)
    lines = end(teller.finish, slow)
    teller(Job("one that was interrupted", "die-hard", {}), None)
    assert slow.lines == lines and lines[0].startswith("0 of 2 checked; at work: a slow one (0:00)")


def test_no_line_of_a_check_comes_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr("sys.stderr", slow)
    monkeypatch.setattr("everystate.checker.cli.progress.PATIENCE", 0.0)
    lines = Lines()
    lines.phase("tracing")
    assert slow.entered.wait(60)
    assert end(lines.finish, slow) == slow.lines == ["tracing the spec ...\n"]


class Phases(Silent):
    """Keeps what it is told of phases."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.parts: list[tuple[str, int, int]] = []

    def phase(self, text: str) -> None:
        self.told.append(text)

    def part(self, text: str, done: int, total: int) -> None:
        self.parts.append((text, done, total))


@pytest.mark.parametrize(("remembered", "rebuilt"), [(2, 0), (1, 1)])
def test_traces_are_rebuilt_where_something_fails_and_not_where_a_condition_was_met(
    remembered: int, rebuilt: int
) -> None:
    phases = Phases()
    spec = IdempotentProducer(batches=3, max_in_flight=2, window=remembered)
    result = exhaustive.check(model.build(spec), Limits(cross_check=1), phases)
    assert (bool(result.violations), phases.told.count("rebuilding traces")) == (bool(rebuilt), rebuilt)


class Combined(Spec):
    """40,000 combinations of initial values, of which 200 are kept."""

    may_terminate = True

    def variables(self) -> None:
        self.one = Int(0, 199, init=AnyOf())
        self.two = Int(0, 199, init=AnyOf())

    @initial
    def begin(self) -> None:
        require(self.one == self.two)

    @action
    def stay(self) -> None:
        require(self.one > 199)


def test_combinations_of_initial_values_are_counted() -> None:
    phases = Phases()
    assert exhaustive.check(model.build(Combined()), Limits(cross_check=0), phases).distinct == 200
    assert [part for part in phases.parts if part[0] == "initial values"] == [
        ("initial values", 16_384, 40_000),
        ("initial values", 32_768, 40_000),
    ]


class UpAndDown(Spec):
    """Ten floors, from each of which a lift goes up or down."""

    def variables(self) -> None:
        self.floor = Int(0, 9, init=0)

    @fair
    @action
    def up(self) -> None:
        require(self.floor < 9)
        self.floor += 1

    @action
    def down(self) -> None:
        require(self.floor > 0)
        self.floor -= 1

    @eventually
    def top(self) -> bool:
        """the lift comes to the top"""
        return self.floor == 9


@pytest.mark.parametrize("engine", ["native", "python"])
def test_judging_temporal_properties_reports_how_far_it_is(engine: str) -> None:
    phases, limits = Phases(), Limits(cross_check=0)
    if engine == "native":
        exhaustive.check(model.build(UpAndDown()), limits, phases)
    else:
        python.check(UpAndDown(), limits, phases)
        assert [*limits.stopwatch.spent] == ["liveness"]
    assert [part for part in phases.parts if part[0] not in ("compiling", "cross-checking")] == [
        ("collecting the steps of all states", 0, 10),
        ("looking for fair cycles, round 1, 1 component, states", 9, 9),
    ]


def test_a_message_replaces_the_live_line(capsys: pytest.CaptureFixture[str]) -> None:
    draw("level 3")
    note("Spark was not used")
    note("again")
    assert capsys.readouterr().err == "\r\x1b[Klevel 3\r\x1b[KSpark was not used\nagain\n"
