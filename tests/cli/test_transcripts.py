"""The command line as its documentation shows it: every command, output and exit code of the transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from .transcript import play, runner

FOLDER = Path(__file__).parent
FILES = sorted([*FOLDER.glob("transcripts/*.md"), *FOLDER.glob("bad_input/*.md")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_transcript(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("everystate.checker.ir.tracer.SECONDS_PER_PATH", 1.0)
    monkeypatch.setattr("everystate.checker.cli.progress.PATIENCE", 1000.0)
    text, played = play(path, runner(lambda: tuple(capsys.readouterr())))
    assert text == played
