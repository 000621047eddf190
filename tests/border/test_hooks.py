"""What an author puts where Python calls it unasked is refused: it could tell symbols from values."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest

from .verdicts import outcome

SPEC = """
import builtins
import sys

from everystate.checker import *


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < 9)
        self.n += 1

    @invariant
    def fine(self):
        shift = 0
        found = self.n != 7 + shift
        return found


def spy(frame, event, _):
    if frame.f_code.co_name == "fine" and "Symbolic" in type(frame.f_locals["self"]._frame).__name__:
        frame.f_locals["shift"] = 100
    return spy


def always(conditions):
    return True
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("hook", ["sys.settrace(spy)", "sys.setprofile(spy)", "builtins.all = always"])
def test_a_hook_is_refused(hook: str, engine: str, tmp_path: Path) -> None:
    trace, profile, every = sys.gettrace(), sys.getprofile(), builtins.all
    try:
        found = outcome(f"{SPEC}\n\n{hook}\n", engine, tmp_path)
    finally:
        sys.settrace(trace)
        sys.setprofile(profile)
        builtins.all = every
    assert found == ("refused", "E232")
