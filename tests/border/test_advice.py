"""What good Python is refused for says what to write instead, and that is taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
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
