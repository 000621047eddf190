"""Memory ends, and the search goes on with its states on disk: the same counts, verdicts and traces as in memory."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import Spec, eventually
from everystate.checker.cli.main import main
from everystate.checker.engines.explicit import disk, exhaustive, spill
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.traced import Model
from everystate.checker.language import marks
from everystate.specs.idem_producer import IdempotentProducer

from .compressed_and_whole import facts, random_spec
from .test_compression import Alike, Counters, Fenced, Seen
from .test_work_folder import UNSAFE, Ends, Failing

LITTLE = 90_000
"""Bytes in which the first table fits, and about a third of the states of the producer."""


class Lives(Ends):
    @eventually
    def gets_there(self) -> bool:
        return self.n[0] == 3


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "ROWS", 50)
    monkeypatch.setattr(disk, "SHARES", 4)


def search(spec: Spec | Model, folder: Path, **limits: Any) -> spill.SpillingSearch:
    traced = spec if isinstance(spec, Model) else model.build(spec)
    return spill.SpillingSearch(traced, Limits(**limits), None, "", str(folder))


def ends_after(found: spill.SpillingSearch, levels: int) -> spill.SpillingSearch:
    """Memory ends in the middle of a level."""
    plain = found._level

    def level(chunks: Any) -> None:
        plain(chunks)
        if len(found.levels) == levels:
            found.full = True
            found._halt("the memory limit is reached")

    found._level = level  # type: ignore[method-assign]
    return found


def told(found: spill.SpillingSearch) -> Any:
    """What it finds, without that it was on disk."""
    result = found.run()
    assert found.disk is not None and "on disk" in result.warnings[0] and not list(found.folder.iterdir())
    return facts(replace(result, remarks=result.remarks[1:]))


@pytest.mark.parametrize("spec", [Counters, Fenced, Failing, Ends, lambda: IdempotentProducer(**UNSAFE)])
@pytest.mark.parametrize("levels", [1, 3])
def test_states_on_disk_say_what_those_in_memory_say(spec: Any, levels: int, tmp_path: Path) -> None:
    traced = model.build(spec())
    whole = facts(exhaustive.check(traced))
    assert told(ends_after(search(traced, tmp_path, workers=2), levels)) == whole


def test_memory_ends_by_itself_and_shares_are_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """with what the first table takes; a share that has outgrown it is read in halves, and these in halves"""
    monkeypatch.setattr(disk, "SHARES", 1)
    spec = IdempotentProducer(**UNSAFE)
    found = search(spec, tmp_path, max_memory=LITTLE)
    assert told(found) == facts(exhaustive.check(model.build(spec)))
    assert found.disk is not None and found.disk.passes == [4]


@pytest.mark.parametrize("seed", range(3))
def test_random_specs_agree(seed: int, tmp_path: Path) -> None:
    traced = next(filter(None, (random_spec(s, tmp_path) for s in range(900 + 50 * seed, 950 + 50 * seed))))
    if traced.view or any(p.kind in marks.TEMPORAL for p in traced.spec.properties):
        return
    assert told(ends_after(search(traced, tmp_path / "disk"), 1)) == facts(exhaustive.check(traced))


# -- what ends it ----------------------------------------------------------------------------------------------


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """No file of this process may grow beyond that."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def widths(spec: Spec) -> list[int]:
    """States of each level."""
    found = exhaustive.Exhaustive(model.build(spec), Limits())
    found.run()
    return [sum(end - start for start, end in level) for level in found.levels]


@pytest.mark.parametrize("size", [100, 3000, 6000])
def test_a_full_disk_ends_the_search_and_what_is_complete_stands(size: int, tmp_path: Path) -> None:
    """at once, while states are moved, and later"""
    found = ends_after(search(Counters(), tmp_path), 7)
    with small_files(size):
        result = found.run()
    assert result.stopped.startswith("the disk is full or fails: File too large") and str(tmp_path) in result.stopped
    levels = widths(Counters())
    assert result.distinct == sum(levels[: result.depth]) and 7 <= result.depth < len(levels)
    assert (found.disk is None) == (size == 100) and not list(tmp_path.iterdir())


def test_a_disk_that_loses_states_is_noticed(tmp_path: Path) -> None:
    found = ends_after(search(Counters(), tmp_path), 5)
    plain = disk.Disk.build

    def build(self: disk.Disk, *given: Any) -> Any:
        for path in self.folder.iterdir():
            path.write_bytes(path.read_bytes()[:-32])
        return plain(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk.Disk, "build", build)
        with pytest.raises(EverystateError, match=r"E627 level 5 is damaged: .* is shorter than it was"):
            found.run()


def test_limits_are_looked_at_after_each_level(tmp_path: Path) -> None:
    levels = widths(Counters())
    result = ends_after(search(Counters(), tmp_path, max_states=500), 4).run()
    depth = next(n for n in range(20) if sum(levels[:n]) >= 500)
    assert (result.distinct, result.depth) == (sum(levels[:depth]), depth)
    assert result.stopped == "the limit of 500 states is reached"
    early = Limits(stop_early=True)
    spec = IdempotentProducer(**UNSAFE)
    result = ends_after(search(spec, tmp_path, stop_early=True), 4).run()
    whole = exhaustive.check(model.build(spec), early)
    assert [v.trace for v in result.violations] == [v.trace for v in whole.violations] and result.depth == whole.depth


def test_an_interrupt_tells_the_levels_that_are_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = disk.Disk._settle

    def settle(self: disk.Disk, share: int, *given: Any) -> Any:
        if self.depth == 9 and share == 2:
            raise KeyboardInterrupt
        return plain(self, share, *given)

    monkeypatch.setattr(disk.Disk, "_settle", settle)
    result = ends_after(search(Counters(), tmp_path), 6).run()
    assert (result.interrupted, result.depth, result.distinct) == (True, 9, sum(widths(Counters())[:9]))


# -- with a work folder ----------------------------------------------------------------------------------------

KILLS_ITSELF = """
import os, signal, sys
from everystate.checker.engines.explicit import checkpoint, spill
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language import marks
from everystate.specs.idem_producer import IdempotentProducer
plain = spill.Disk._settle
def settle(self, share, *given):
    if self.depth == 20 and share == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, share, *given)
spill.Disk._settle = settle
traced = model.build(IdempotentProducer(**eval(sys.argv[3])))
limits = Limits(work=sys.argv[1], max_memory=int(sys.argv[4]))
spill.SpillingSearch(traced, limits, None, "", sys.argv[2]).run()
"""


def test_a_run_that_was_killed_with_its_states_on_disk_goes_on(tmp_path: Path) -> None:
    """there, and in memory when there is enough of it"""
    given = [str(tmp_path / "run"), str(tmp_path / "disk"), repr(UNSAFE), str(LITTLE)]
    process = subprocess.run([sys.executable, "-c", KILLS_ITSELF, *given], check=False)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "run/levels/00020.json").exists() and not (tmp_path / "run/levels/00021.json").exists()
    spec, limits = IdempotentProducer(**UNSAFE), Limits(work=str(tmp_path / "run"), resume=True, max_memory=LITTLE)
    whole = facts(exhaustive.check(model.build(spec)))
    with pytest.raises(EverystateError, match=r"E504"):
        exhaustive.check(model.build(spec), limits)
    found = spill.SpillingSearch(model.build(spec), limits, None, "", str(tmp_path / "more"))
    assert told(found) == whole
    assert facts(exhaustive.check(model.build(spec), replace(limits, max_memory=None))) == whole


# -- what it is not for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "said"),
    [(Seen, "compared by a view"), (Alike, "by a view or a symmetry"), (Lives, "a temporal property")],
)
def test_what_it_is_not_for_is_refused(spec: type[Spec], said: str, tmp_path: Path) -> None:
    with pytest.raises(EverystateError, match=rf"E142 {spec.__name__} cannot be checked with --spill: .*{said}"):
        spill.check(model.build(spec()), Limits(), None, "", str(tmp_path))


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "idem-producer", "--spill", str(tmp_path), "-q"]) == 0
    assert capsys.readouterr().out.startswith("PROVED")
    (tmp_path / "file").touch()
    assert main(["check", "idem-producer", "--spill", str(tmp_path / "file"), "-q"]) == 2
    assert "E408" in capsys.readouterr().err
    for more in (["--engine", "python"], ["--engine", "z3"], ["--engine", "spark"]):
        assert main(["check", "idem-producer", "--spill", str(tmp_path), *more]) == 2
        assert "--spill is for --engine native" in capsys.readouterr().err
