"""Each check of a program is of the spec that it is alone, whatever the making of others has left in its module."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import everystate
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from tests.border.test_as_loaded import LEFT, PLAIN, SPEC


def test_what_another_check_has_left_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """which may change its modules itself between two checks, as a test does by monkeypatch"""
    (tmp_path / "left_in_a_program.py").write_text(SPEC.format(**PLAIN | LEFT["a list"]))
    monkeypatch.syspath_prepend(tmp_path)
    left = importlib.import_module("left_in_a_program")
    assert everystate.check(left.Left).violations[0].length == 7
    monkeypatch.setattr(left, "MOST", [5])
    assert everystate.check(left.Left).proved
    monkeypatch.undo()
    assert len(build(left.Left()).actions) == 1  # through a door at which nobody notes what there was
    for c in (1, 2):
        with pytest.raises(EverystateError, match="E232 MOST lies outside of the state: it is not what it was"):
            everystate.check(left.Left, c=c)
