"""The commands of the page for TLA+ users do what it says, on a module with a bug."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.transcript import Run, runner
from tests.docs.page import ROOT

PAGE = (ROOT / "docs" / "how-to" / "tla-plus.md").read_text("utf-8").partition("## Equivalents")[0]
COMMANDS = re.findall(r"^ {4}everystate (.*)$", PAGE, re.MULTILINE)
MODELS = Path(__file__).parent / "models"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs command lines in a folder with the module, under the names of the page."""
    module, config = ((MODELS / f"Counter.{kind}").read_text("utf-8") for kind in ("tla", "cfg"))
    (tmp_path / "Spec.tla").write_text(re.sub(r"MODULE Counter|^Spec ==", _renamed, module, flags=re.MULTILINE))
    for name in ("Spec.cfg", "MC.cfg"):
        (tmp_path / name).write_text(config.replace("SPECIFICATION Spec", "SPECIFICATION Behaviour"))
    monkeypatch.chdir(tmp_path)

    def printed() -> tuple[str, str]:
        said = capsys.readouterr()
        return said.out, said.err

    return runner(printed)


def _renamed(found: re.Match[str]) -> str:
    return "MODULE Spec" if found.group().startswith("MODULE") else "Behaviour =="


def test_the_commands_of_the_page(run: Run, tmp_path: Path) -> None:
    wanted = {"check": "VIOLATED  Invariant AllCounted, 4 steps", "import": "", "explain": "AllCounted"}
    assert len(COMMANDS) == 5
    for line in COMMANDS:
        text, code = run(line.split())
        word = line.split()[0]
        assert wanted[word] in text, (line, text)
        assert code == (12 if word == "check" else 0), (line, code)
    assert "class Spec" in (tmp_path / "spec.py").read_text("utf-8")
