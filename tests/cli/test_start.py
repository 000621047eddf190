"""The command while it is still loading: an interrupt then ends it as later, without a traceback."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from everystate.__main__ import main

RUN = "everystate.checker.cli.main"


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
