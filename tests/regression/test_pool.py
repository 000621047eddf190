"""What can befall a check in its process: it is killed, overstays, meets a limit, or is interrupted."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.api.engines import search
from everystate.checker.cli import sweeps
from everystate.checker.cli.main import main
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.checker.language.spec import Spec
from everystate.checker.regression.runners import pool
from everystate.checker.regression.runners.job import Allowance, Job, run
from everystate.checker.regression.runners.outcome import PROVED, UNDECIDED, Outcome, outcome_of, remarks
from everystate.checker.regression.runners.pool import Pool
from everystate.checker.regression.runners.runner import Begin, Ended, make
from everystate.specs.classics.hour_clock import HourClock
from tests.regression.perils import load

ENDLESS = '''
import pathlib
from everystate.checker import Constant, Int, Spec, action, invariant


class Endless(Spec):
    """More states than anybody has time for."""

    name = Constant("", "whose beginning is marked by a file")

    def variables(self):
        pathlib.Path(f"started-{self.name}").touch()
        for name in "abcdefgh":
            setattr(self, name, Int(0, 999))

    @action(n=range(8))
    def count(self, n):
        name = "abcdefgh"[n]
        setattr(self, name, (getattr(self, name) + 1) % 1000)

    @invariant
    def fine(self):
        return self.a < 1000
'''
VARIANT = '[[variant]]\nname = "{name}"\ntarget = "{target}"\n{more}\n'


def jobs(*targets: str) -> list[Job]:
    return [
        Job(target, target, allowance=Allowance(seconds=0.1 if target == "sleeps" else None), cache=False)
        for target in targets
    ]


@pytest.mark.parametrize("target", ["die-hard", "idem-producer/unsafe", "current/clean-restart"])
def test_a_check_leaves_nothing_to_the_garbage_collector(
    target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    specs: list[weakref.ref[Spec]] = []

    def loaded(name: str, constants: dict[str, Any]) -> Spec:
        spec = sweeps.load(name, constants)
        specs.append(weakref.ref(spec))
        return spec

    gc.disable()
    try:
        for _ in ("traced and compiled", "from the cache"):
            run(Job(target, target, cache=False), loaded)
    finally:
        gc.enable()
    assert [spec() for spec in specs] == [None, None]


def test_traces_are_rendered_in_the_wanted_forms() -> None:
    outcome = run(Job("die-hard", "die-hard", cache=False, forms=("itf",)), sweeps.load)
    trace = outcome.traces["goal_not_reached"]
    assert (trace.text, trace.mermaid, json.loads(trace.itf)["#meta"]["length"]) == ("", "", 6)


def test_a_killed_process_costs_its_own_check_only() -> None:
    told: list[tuple[str, bool]] = []
    found = make(Pool(load, 2), jobs("one", "dies", "two", "three"), lambda job, o: told.append((job.name, o is None)))
    assert [outcome.of("one_hour_at_a_time").status for outcome in found] == [PROVED, UNDECIDED, PROVED, PROVED]
    assert found[1].stopped == "its process was ended by signal 9, perhaps for lack of memory"
    assert sorted(told) == sorted(
        (name, begins) for name in ("one", "dies", "two", "three") for begins in (True, False)
    )


def test_a_process_that_overstays_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "GRACE", 0.8)
    found = make(Pool(load, 2), jobs("sleeps", "sleeps"), lambda *_: None)
    assert [outcome.stopped for outcome in found] == ["its process did not end within 1 s"] * 2


def test_its_processes_stay_for_the_next_jobs() -> None:
    with Pool(load, 2) as kept:
        make(kept, jobs("one", "two"), lambda *_: None)
        first = {worker.process.pid for worker in kept.idle}
        make(kept, jobs("three", "one"), lambda *_: None)
        assert {worker.process.pid for worker in kept.idle} == first
    assert len(first) == 2 and kept.idle == []


class Interrupted:
    """A runner that is interrupted after its first outcome."""

    def __init__(self) -> None:
        self.closed = False

    def outcomes(self, jobs: list[Job], begin: Begin) -> Ended:
        try:
            begin(0)
            yield 0, Outcome({"exit_code": 0, "violations": []})
            raise KeyboardInterrupt
        finally:
            self.closed = True


def test_any_runner_may_be_interrupted() -> None:
    runner = Interrupted()
    found = make(runner, jobs("one", "two"), lambda *_: None)  # type: ignore[arg-type]
    assert [outcome.report["exit_code"] for outcome in found] == [0, 130]
    assert runner.closed


# -- the command -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "endless.py").write_text(ENDLESS)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def variant(name: str, target: str, more: str = "") -> str:
    return VARIANT.format(name=name, target=target, more=more)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_limits_hold_for_each_cell(workers: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        variant("late", "endless.py", "time = 0.3"),
        variant("large", "endless.py", "memory = 0.02"),
        variant("many", "endless.py", "states = 5000"),
        variant("clock", "hour-clock"),
    ]
    (folder / "m.toml").write_text("\n".join(cells))
    assert main(["matrix", "m.toml", "--no-cache", "--workers", workers]) == 3
    said = capsys.readouterr().out
    assert "fine is undecided: the time limit of 0.3 s is reached" in said
    assert "fine is undecided: the memory limit of 20.5 MiB is reached" in said
    assert "fine is undecided: the limit of 5,000 states is reached" in said
    assert "NOT AS EXPECTED  3 of 4 variants" in said


def group_is_gone(group: int, patience: float = 20.0) -> bool:
    """Whether no process of a group is left, after a while."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


@pytest.mark.parametrize(
    ("number", "code", "workers"), [(signal.SIGINT, 130, "1"), (signal.SIGINT, 130, "2"), (signal.SIGTERM, 143, "2")]
)
def test_after_an_interrupt_there_is_a_partial_table_and_no_process(
    number: int, code: int, workers: str, folder: Path
) -> None:
    cells = [
        variant("clock", "hour-clock"),
        variant("long", "endless.py", 'constants = { name = "a" }'),
        variant("also long", "endless.py", 'constants = { name = "b" }'),
    ]
    (folder / "m.toml").write_text("\n".join(cells))
    line = [sys.executable, "-m", "everystate.checker.cli.main", "matrix", "m.toml", "--no-cache", "--workers", workers]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        while (
            not all((folder / f"started-{name}").exists() for name in "ab"[: int(workers)]) and process.poll() is None
        ):
            time.sleep(0.05)
        time.sleep(0.5)
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert group_is_gone(process.pid)
    assert "Traceback" not in err, err
    assert re.search(r"^clock +12 +ok +ok$", out, re.MULTILINE)
    assert "long" not in out
    assert "INTERRUPTED  1 of 3 variants judged, 1 as expected (" in out


def test_a_table_says_what_a_verdict_assumes() -> None:
    """a matrix and a map said `ok` and AS EXPECTED, and left that out"""
    spec = HourClock()
    model = build(spec)
    spec._assumed = ("assumes this",)
    found = search(spec, limits=Limits(), name="a clock", model=model)
    assert remarks([outcome_of(found, spec)]) == ["a clock: assumes this"]
