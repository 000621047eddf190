"""The command line as its documentation shows it: every command, output and exit code of the transcripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .transcript import play, runner

FOLDER = Path(__file__).parent
ELSEWHERE = {
    "E520",
    "E521",
    "E600",
    "E603",
    "E606",
    "E607",
    *(f"E{n}" for n in range(620, 629)),
    *(f"E{n}" for n in range(701, 711)),
}
FILES = sorted([*FOLDER.glob("transcripts/*.md"), *FOLDER.glob("bad_input/*.md")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_transcript(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("EVERYSTATE_DOUBLECHECK", raising=False)
    monkeypatch.setattr("everystate.checker.ir.tracer.SECONDS_PER_PATH", 1.0)
    for place in ("progress.PATIENCE", "progress.SPEAK", "parallel.SPEAK"):
        monkeypatch.setattr(f"everystate.checker.cli.{place}", 1000.0)
    text, played = play(path, runner(lambda: tuple(capsys.readouterr())))
    assert text == played


def test_every_kind_of_bad_input_is_there() -> None:
    """At least 25 kinds; only what needs a huge spec, little memory, a mistake of ours, or another machine (a Java, a
    file system; those are met in tests/spark) is missing."""
    from everystate.checker.errors import CATALOGUE

    texts = [path.read_text() for path in FILES if path.parent.name == "bad_input"]
    shown = {code for text in texts for code in re.findall(r"^error (E\d+):", text, re.MULTILINE)}
    assert sum(text.count("\n$ ") for text in texts) >= 50
    assert set(CATALOGUE) - shown <= {"E115", "E207", "E217", "E404", "E502", "E503", "E510", *ELSEWHERE}
