"""Each check of a program is of the spec that it is alone, whatever the making of others has left in its module."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import everystate
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
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


DRAWN = """\
    @display
    def drawn(self):
        told(self.n, self.c)
        return {}

    @invariant
"""


def test_what_a_text_for_readers_has_changed_is_refused_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """one is made when a step is told, another when a violation is saved: the next check was PROVED.

    What nobody reads is nobody's matter, and what a test changes in the same module beside it stays its own.
    """
    text = SPEC.format(**PLAIN | {"module": "MOST, TOLD = [9], []", "read": "MOST[0]", "told": "{told}"})
    drawn = text.replace("lambda: told(self.n, self.c)", "'up'").replace("    @invariant\n", DRAWN)
    (tmp_path / "told_by_a_text.py").write_text(text.replace("{told}", "MOST[0] = 3"))
    (tmp_path / "told_on_a_page.py").write_text(drawn.replace("{told}", "MOST[0] = 3"))
    (tmp_path / "told_to_nobody.py").write_text(text.replace("{told}", "TOLD.append(n)"))
    monkeypatch.syspath_prepend(tmp_path)
    by_a_text, on_a_page, to_nobody = map(
        importlib.import_module, ("told_by_a_text", "told_on_a_page", "told_to_nobody")
    )
    with pytest.raises(EverystateError):
        everystate.check(by_a_text.Left)
    everystate.check(on_a_page.Left).violations[0].trace.save(tmp_path / "page.html")
    for left in (by_a_text, on_a_page):
        for _ in range(2):
            with pytest.raises(EverystateError, match="E232 MOST lies outside of the state: it is not what it was"):
                everystate.check(left.Left)
    assert everystate.check(to_nobody.Left).violations[0].length == 7
    monkeypatch.setattr(to_nobody, "MOST", [5])
    assert everystate.check(to_nobody.Left).proved
