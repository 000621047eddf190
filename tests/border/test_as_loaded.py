"""Each variant of a matrix is the spec that it is alone, whatever those made before it have left in their modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.cli.main import main

SPEC = """
from everystate.checker import *

{module}


class Left(Spec):
    may_terminate = True
    most = {attribute}
    c = Constant(2)

    def variables(self):
        {variables}
        self.n = Int(0, 20)

    @action
    def up(self):
        require(self.n < {read})
        narrate(lambda: told(self.n, self.c))
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7


def told(n, c):
    {told}
    return f"it is {{n}}"
"""
PLAIN = {"module": "", "attribute": "9", "variables": "pass", "read": "9", "told": "pass"}
MATRIX = """
[[variant]]
name = "one"
target = "left.py"
constants = { c = 1 }
[[variant]]
name = "two"
target = "left.py"
"""
FIRST = "if self.c == 1:\n            "
LEFT = {
    "a list": {"module": "MOST = [9]", "read": "MOST[0]", "variables": FIRST + "MOST[0] = 3"},
    "a list in a dictionary": {"module": "M = {1: [9]}", "read": "M[1][0]", "variables": FIRST + "M[1] = [3]"},
    "a name": {
        "module": "MOST = 9\ndef put(n):\n    global MOST\n    MOST = n",
        "read": "MOST",
        "variables": FIRST + "put(3)",
    },
    "an attribute of the class": {"read": "self.most", "variables": FIRST + "type(self).most = 3"},
    "an attribute of an object": {
        "module": "import types\nKEPT = types.SimpleNamespace(most=9)",
        "read": "KEPT.most",
        "variables": FIRST + "KEPT.most = 3",
    },
    "an outer variable": {
        "module": "def pair(n):\n    def put(m):\n        nonlocal n\n        n = m\n    return put, lambda: n\n"
        "put, most = pair(9)",
        "read": "most()",
        "variables": FIRST + "put(3)",
    },
    "a default value": {
        "module": "def most(n=9):\n    return n",
        "read": "most()",
        "variables": FIRST + "most.__defaults__ = (3,)",
    },
    "a list, by a text for readers": {"module": "MOST = [9]", "read": "MOST[0]", "told": "MOST[0] = 3"},
}


def matrix(folder: Path, **parts: str) -> int:
    (folder / "left.py").write_text(SPEC.format(**PLAIN | parts))
    (folder / "matrix.toml").write_text(MATRIX)
    return main(["matrix", str(folder / "matrix.toml"), "--workers", "1", "--no-cache"])


@pytest.mark.parametrize("kept", LEFT.values(), ids=list(LEFT))
def test_what_another_variant_has_left_is_refused(
    kept: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """the second one was PROVED: it went on to what the first one had put there"""
    assert matrix(tmp_path, **kept) == 12
    said = capsys.readouterr().out
    assert "lies outside of the state: it is not what it was before specs of its file were made" in said


def test_so_it_is_where_choices_of_constants_are_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "left.py"
    path.write_text(SPEC.format(**PLAIN | LEFT["a list"]))
    assert main(["prove", str(path), "--open", "c=1..2", "--depth", "8"]) == 150
    assert "error E232: MOST lies outside of the state" in capsys.readouterr().err


def test_what_only_the_making_of_a_spec_reads_may_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """a table that is filled when it is first asked for, what a text has told, a module that is loaded late"""
    (tmp_path / "late.py").write_text("NUMBER = 9")
    kept = {
        "module": "TABLE, TOLD = {}, []\ndef squared(n):\n    return TABLE.setdefault(n, n * n)",
        "variables": "import late\n        self.top = squared(self.c) + late.NUMBER",
        "told": "TOLD.append(n)",
        "read": "self.top",
    }
    assert matrix(tmp_path, **kept) == 12
    said = capsys.readouterr().out
    assert "one           11     7!\ntwo           14     7!\n" in said and "E232" not in said
