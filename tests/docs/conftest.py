"""What the tests of the documentation have in common."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.transcript import Run, runner

from .page import ROOT


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs command lines in an empty folder that has the docs and specs of the repository in it, and recorded logs."""
    (tmp_path / "tests" / "follow").mkdir(parents=True)
    for folder in ("docs", "specs", "tests/follow/recorded"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("PATIENCE", "SPEAK"):
        monkeypatch.setattr(f"everystate.checker.cli.progress.{name}", 1000.0)
    monkeypatch.setattr("everystate.checker.cli.sweeps.SPEAK", 1000.0)

    def printed() -> tuple[str, str]:
        said = capsys.readouterr()
        return said.out, said.err

    return runner(printed)
