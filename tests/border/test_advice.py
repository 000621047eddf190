"""What good Python is refused for says what to write instead, and that is taken."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from everystate.checker.border.hidden_state import told_of
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError, Where
from everystate.checker.ir.model import build
from tests.agreement.readers import load

SPEC = """
import copy
import numpy as np
from everystate.checker import *

MOST = {most}


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, np.int64(3), init={init})
        self.row = Array(2, Int(0, 3))

    @action
    def go(self):
        require(self.n < 3)
        {action}
        self.n += 1
"""
INT = "write int(...) around the value" if sys.version_info < (3, 14) else "multiply, or look the value up in a list"
ADVICE = {
    # refused, what it says to write, what is taken
    "a number of numpy": (
        {"most": "np.int64(3)", "action": "require(self.n < MOST)"},
        "int(MOST)",
        {"most": "int(np.int64(3))"},
    ),
    "pow of three": (
        {"action": "self.row[0] = pow(2, self.n, 5) % 4"},
        INT,
        {"action": "self.row[0] = pow(2, int(self.n), 5) % 4"},
    ),
    "a slice": ({"action": "self.row[0:2] = [1, 2]"}, "a whole list", {"action": "self.row = [1, 2]"}),
    "copy.copy": (
        {"action": "row = copy.copy(self.row); row[0] = 1"},
        "write .copy()",
        {"action": "row = self.row.copy(); row[0] = 1"},
    ),
}


@pytest.mark.parametrize("name", ADVICE)
def test_what_is_advised_is_taken(name: str, tmp_path: Path) -> None:
    refused, said, instead = ADVICE[name]
    parts = {"most": "3", "init": "0", "action": "pass"}
    with pytest.raises(EverystateError) as found:
        build(load(SPEC.format(**parts | refused), tmp_path))
    assert found.value.code in ("E215", "E232")
    assert said in found.value.explain()
    assert exhaustive.check(build(load(SPEC.format(**parts | refused | instead), tmp_path))).distinct == 4


def test_bounds_of_numpy_are_bounds(tmp_path: Path) -> None:
    """They were no integers (E202)."""
    spec = load(SPEC.format(most=3, init=2, action="pass"), tmp_path)
    assert repr(spec.domains["n"]) == "Int(0, 3)"
    assert exhaustive.check(build(spec)).distinct == 2


def test_case_true_is_told_as_what_it_asks(tmp_path: Path) -> None:
    spec = load(SPEC.format(most=3, init=0, action="match self.n > 1:\n            case True: pass"), tmp_path)
    with pytest.raises(EverystateError, match=r"E230 `is True` \(and so `case True`\) cannot be used on state"):
        build(spec)


def test_of_several_refusals_that_is_told_which_an_author_finds() -> None:
    """A `with` of a contextmanager was told as an E232 at a line of Python's library."""
    here, there = Where("spec.py", 3, "go"), Where(contextlib.__file__, 99, "register")
    frozen = Where("<frozen _collections_abc>", 82, "_check_methods")
    refused = [
        (EverystateError("E232", frozen, expression=".__dict__", reason="", remedy=""), True),
        (EverystateError("E232", there, expression="register", reason="", remedy=""), True),
        (EverystateError("E230", Where("other.py", 3, "go"), expression="`with`", reason="", remedy=""), False),
        (EverystateError("E232", here, expression="turn", reason="", remedy=""), True),
        (EverystateError("E230", here, expression="`with`", reason="", remedy=""), False),
    ]
    for left in (4, 3, 2, 0):
        assert told_of(refused) is refused.pop(left)[0]
    assert told_of(refused) is refused[0][0]
