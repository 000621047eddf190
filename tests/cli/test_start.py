"""The command while it is still loading: an interrupt then ends it as later, without a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everystate.__main__ import main

RUN = "everystate.checker.cli.main"
TINY = """
from everystate.checker import *


class Tiny(Spec):
    def variables(self):
        self.n = Int(0, 3)

    @action
    def go(self):
        self.n = (self.n + 1) % 4
"""
LOADED = """
import sys
from everystate.__main__ import main
assert main() == 0
print(sorted(name for name in sys.modules if name.startswith(("everystate.model", "everystate.specs"))))
"""


class Interrupting:
    """What loads modules, interrupted at one of them."""

    def find_spec(self, name: str, *given: Any) -> None:
        if name == RUN:
            raise KeyboardInterrupt


def test_ctrl_c_while_it_loads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, RUN, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert main() == 130
    assert capsys.readouterr().err == "\ninterrupted\n"


def test_it_is_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["everystate", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("everystate ")


def test_a_spec_file_is_checked_without_the_models_of_the_registry(tmp_path: Path) -> None:
    """They take as long to load as all else."""
    (tmp_path / "tiny.py").write_text(TINY)
    command = [sys.executable, "-c", LOADED, "check", "tiny.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
