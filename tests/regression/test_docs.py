"""docs/how-to/ci.md: its example runs and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcript import play, runner

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "ci.md"


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("everystate.checker.cli.sweeps.SPEAK", 1000.0)
    text, played = play(PAGE, runner(lambda: tuple(capsys.readouterr())))
    assert text == played
