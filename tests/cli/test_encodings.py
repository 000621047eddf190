"""What standard output or a file cannot hold is written as an escape: no verdict is lost for an encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EVERYSTATE = str(Path(sys.executable).with_name("everystate"))
SPEC = r'''
from everystate.checker import *


class Höhe(Spec):
    def variables(self):
        self.größe = Int(0, 3)

    @action
    def höher(self):
        narrate("🔒 \udce9")
        self.größe += 1

    @invariant
    def klein(self):
        """größe < 2"""
        return self.größe < 2
'''
ENCODINGS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "the locale C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "utf-8": {"PYTHONIOENCODING": "utf-8"},
}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / os.fsdecode(b"caf\xe9.py")  # a name that is no UTF-8
    path.write_text(SPEC, "utf-8")
    return path


def check(spec: Path, encoding: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    line = [EVERYSTATE, "check", spec.name, *words]
    return subprocess.run(line, cwd=spec.parent, env=os.environ | ENCODINGS[encoding], capture_output=True, check=False)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_verdict_is_told_in_any_encoding(encoding: str, spec: Path) -> None:
    """It ended as E503, without a verdict."""
    found = check(spec, encoding)
    assert (found.returncode, b"\nerror" in b"\n" + found.stderr) == (14, False), found.stderr
    told, narrated = ("höher", '"🔒 \\udce9"') if encoding == "utf-8" else ("h\\u00f6her", '"\\ud83d\\udd12 \\udce9"')
    assert f"\nVIOLATED  {told}() fails, 4 steps" in found.stdout.decode()
    assert f"  1. {told}()  {narrated}" in found.stdout.decode().splitlines()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_report_is_json_in_any_encoding(encoding: str, spec: Path) -> None:
    found = check(spec, encoding, "--json", "-")
    assert found.returncode == 14, found.stderr
    assert json.loads(found.stdout)["target"] == spec.name


def test_files_hold_what_utf_8_cannot(spec: Path) -> None:
    found = check(spec, "utf-8", "--out", "traces", "--json", "report.json")
    assert found.returncode == 14, found.stderr
    report = json.loads((spec.parent / "report.json").read_text("utf-8"))
    assert report["target"] == spec.name
    assert len(list((spec.parent / "traces").iterdir())) == 2
    for violation in report["violations"]:
        line = [EVERYSTATE, "show", violation["trace"], "--spec", spec.name, "--as", "html", "-o", "page.html"]
        shown = subprocess.run(line, cwd=spec.parent, capture_output=True, check=False)
        assert (shown.returncode, shown.stderr) == (0, b"")
