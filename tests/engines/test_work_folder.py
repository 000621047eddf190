"""A search with a work folder: killed at any moment it goes on to the same numbers, or says why it cannot."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import Spec, action, choose, initial, invariant, require
from everystate.checker.engines.explicit import checkpoint, exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.ir import model
from everystate.specs.idem_producer import IdempotentProducer

from .folded_and_whole import at_once, facts
from .test_compression import Counters, Fenced, Seen

UNSAFE = {"batches": 5, "max_in_flight": 4, "window": 3, "max_sends": 2, "resets": 1, "bumps": 1, "leader_changes": 1}


class Killed(BaseException):
    """What a kill looks like to the files: nothing that follows is done."""


class Failing(Counters):
    """An action fails, and initial states lie outside a constraint of the invariant's kind."""

    @action
    def break_it(self) -> None:
        require(self.n[0] == 2)
        self.n[1] = self.n[1] - 10

    @initial
    def anywhere(self) -> None:
        self.n[3] = 1


def search(spec: Spec, folder: Path, resume: bool = False, **limits: Any) -> Any:
    return exhaustive.check(model.build(spec), Limits(work=str(folder), resume=resume, **limits))


@contextmanager
def killed(level: int, name: str) -> Any:
    """The process ends while a level is written: before the named step of `Work`."""
    plain = getattr(checkpoint, name) if hasattr(checkpoint, name) else getattr(checkpoint.Work, name)
    calls = [0]

    def step(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] >= level:
            raise Killed
        return plain(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint if hasattr(checkpoint, name) else checkpoint.Work, name, step)
        with pytest.raises(Killed):
            yield


@pytest.mark.parametrize("spec", [Counters, Fenced, Seen, Failing, lambda: IdempotentProducer(**UNSAFE)])
def test_a_run_that_was_killed_goes_on_to_the_same_numbers(spec: Callable[[], Spec], tmp_path: Path) -> None:
    """killed before a manifest, in the middle of writing files, and again after it went on"""
    whole = facts(exhaustive.check(model.build(spec())))
    with killed(3, "_sealed"):
        search(spec(), tmp_path / "run")
    with killed(4, "_to_disk"):
        search(spec(), tmp_path / "run", resume=True)
    for workers in (1, 3):
        assert facts(search(spec(), tmp_path / "run", resume=True, workers=workers)) == whole


def test_a_run_goes_on_folded_and_where_memory_gets_short(tmp_path: Path) -> None:
    spec = IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2, bumps=1, leader_changes=1)
    whole = facts(exhaustive.check(model.build(spec)))
    with at_once(), killed(20, "_sealed"):
        search(spec, tmp_path / "run", compress=True, workers=2)
    assert facts(search(spec, tmp_path / "run", resume=True, max_memory=4 << 20, workers=2)) == whole


def test_a_limit_ends_a_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    whole = facts(exhaustive.check(model.build(Counters())))
    assert search(Counters(), tmp_path / "run", max_states=200).stopped == "the limit of 200 states is reached"
    assert facts(search(Counters(), tmp_path / "run", resume=True)) == whole


KILLS_ITSELF = """
import os, signal, sys
from everystate.checker.engines.explicit import checkpoint, exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.ir import model
from everystate.specs.idem_producer import IdempotentProducer
plain = checkpoint._to_disk
def to_disk(file):
    if file.name.endswith("00009"):
        os.kill(os.getpid(), signal.SIGKILL)
    plain(file)
checkpoint._to_disk = to_disk
exhaustive.check(model.build(IdempotentProducer(**eval(sys.argv[2]))), Limits(work=sys.argv[1], workers=2))
"""


def test_kill_9(tmp_path: Path) -> None:
    """a process of its own, killed while a level is written"""
    given = [str(tmp_path / "run"), repr(UNSAFE)]
    process = subprocess.run([sys.executable, "-c", KILLS_ITSELF, *given], check=False)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "run/levels/00009").exists() and not (tmp_path / "run/levels/00009.json").exists()
    spec = IdempotentProducer(**UNSAFE)
    assert facts(search(spec, tmp_path / "run", resume=True)) == facts(exhaustive.check(model.build(spec)))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: flip(run / "levels/00003", 5), "E627 level 3 is damaged: its states do not have the digest"),
        (lambda run: os.truncate(run / "levels/00003", 96), "E627 level 3 is damaged: .* bytes were written"),
        (lambda run: (run / "levels/00002").unlink(), "E627 level 2 is damaged: its states cannot be read"),
        (lambda run: (run / "levels/00002.json").unlink(), "E627 level 2 is damaged: its manifest cannot be read"),
        (lambda run: flip(run / "levels/00002.json", 40), "E627 level 2 is damaged: its manifest"),
        (lambda run: os.truncate(run / "levels/00004.json", 40), "E627 level 4 is damaged: its manifest cannot"),
        (
            lambda run: (run / "levels/00003.json").write_bytes((run / "levels/00002.json").read_bytes()),
            "E627 level 3 is damaged: its manifest does not have the seal",
        ),
        (lambda run: os.truncate(run / "run.json", 10), "E620 .*its run.json cannot be read"),
    ],
)
def test_a_damaged_folder_is_refused(damage: Callable[[Path], Any], said: str, tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    damage(tmp_path / "run")
    with pytest.raises(EverystateError, match=said):
        search(Counters(top=2), tmp_path / "run", resume=True)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(EverystateError, match=r"E623"):
        search(Counters(), run, resume=True)
    search(Counters(top=2), run)
    with pytest.raises(EverystateError, match=r"E621"):
        search(Counters(top=2), run)
    with pytest.raises(EverystateError, match=r"E624 .*: the constants differ: it had top=2, this command has top=3"):
        search(Counters(top=3), run, resume=True)
    with pytest.raises(EverystateError, match=r"E624 .*: --no-deadlock differ"):
        search(Counters(top=2), run, resume=True, deadlock=False)

    class Changed(Counters):
        @invariant
        def not_all(self) -> bool:
            return self.n[0] < 2

    with pytest.raises(EverystateError, match=r"E624 .*: the spec differ"):
        exhaustive.check(model.build(Changed(top=2)), Limits(work=str(run), resume=True), target="Counters")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").touch()
    with pytest.raises(EverystateError, match=r"E622 .*it holds file"):
        search(Counters(), tmp_path / "other")


def test_other_initial_states_are_refused(tmp_path: Path) -> None:
    """fewer of them: what was reached from the others must not be told, nor counted"""

    class Begun(Counters):
        least = 0

        @initial
        def anywhere(self) -> None:
            self.n[3] = choose([0, 1])
            require(self.n[3] >= self.least)

    class Fewer(Begun):
        least = 1

    search(Begun(top=2), tmp_path / "run")
    with pytest.raises(EverystateError, match=r"E624 .*: the initial states differ"):
        exhaustive.check(model.build(Fewer(top=2)), Limits(work=str(tmp_path / "run"), resume=True), target="Begun")


def test_a_run_that_was_killed_before_it_had_begun_begins_anew(tmp_path: Path) -> None:
    with killed(1, "_to_disk"):
        search(Counters(top=2), tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["levels", "lock", "run.part"]
    assert search(Counters(top=2), tmp_path / "run").distinct == 81


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    traced = model.build(Counters(top=2))
    first = exhaustive.Exhaustive(traced, Limits(work=str(tmp_path / "run"), resume=True))
    told: list[str] = []

    def meanwhile(*given: Any) -> Any:
        with pytest.raises(EverystateError, match=r"E620 .*another run works in it"):
            search(Counters(top=2), tmp_path / "run", resume=True)
        told.append("refused")
        return exhaustive.Exhaustive._conclude(first, *given)

    first._conclude = meanwhile  # type: ignore[method-assign]
    assert first.run().distinct == 81 and told == ["refused"]


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, calls = checkpoint._to_disk, []

    def full(file: Any) -> None:
        calls.append(file)
        if len(calls) > 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        plain(file)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_to_disk", full)
        with pytest.raises(EverystateError, match=r"E626 a disk is full: No space left on device \(.*run\)"):
            search(Counters(), tmp_path / "run")
    whole = facts(exhaustive.check(model.build(Counters())))
    assert facts(search(Counters(), tmp_path / "run", resume=True)) == whole
