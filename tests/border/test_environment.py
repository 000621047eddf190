"""A spec that asks its environment is made again in another one: E138 where that is another spec, by whichever way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.border import examine
from everystate.checker.border.environment import Asked, other
from everystate.checker.cli.main import main
from everystate.checker.errors import Where
from tests.agreement.readers import load

pytestmark = pytest.mark.usefixtures("other_orders")

SPEC = """
import os, sys, threading
from everystate.checker import *

{module}


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < {most})
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7
"""
ASK = "(9 if os.environ.get('MOST') else 3)"
WAYS = {
    "a decorator": (f"def deco(cls):\n    cls.most = {ASK}\n    return cls\n@deco\nclass K: pass", "K.most"),
    "a generator": (f"def given():\n    yield {ASK}\nM = next(given())", "M"),
    "a descriptor": (
        f"class D:\n    def __set_name__(self, own, name): own.most = {ASK}\nclass K:\n    d = D()",
        "K.most",
    ),
    "a module by its name": (f"sys.modules[__name__].M = {ASK}", "M"),
    "a thread": (
        f"KEPT = []\nput = threading.Thread(target=lambda: KEPT.append({ASK}))\nput.start(); put.join()",
        "KEPT[0]",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_where_something_is_asked(way: str, tmp_path: Path) -> None:
    """PROVED without the variable, and VIOLATED with it: nobody saw who takes the answer"""
    module, most = WAYS[way]
    asked = examine(load(SPEC.format(module=module, most=most), tmp_path), symbols=True).asked
    assert asked is not None
    assert "MOST" in asked.names and asked.names.isdisjoint(("PATH", "PYTHONHASHSEED"))
    assert asked.place.line == 5 + module[: module.index("os.environ")].count("\n")


def checked(folder: Path, module: str, most: object) -> int:
    path = folder / "asking.py"
    path.write_text(SPEC.format(module=module, most=most))
    return main(["check", str(path)])


def test_another_environment_makes_another_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, *WAYS["a decorator"]) == 150
    told = capsys.readouterr().err
    assert (
        "error E138: the spec is another one each time it is made: the action up() is another one where other "
        "variables of the environment are set, or with the next start\n  where: "
    ) in told
    assert "asking.py:6, in deco\n" in told


def test_a_name_that_is_made_up_is_answered_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PROVED, and VIOLATED with APP_MOST set: no text has that name"""
    module, most = WAYS["a thread"]
    assert checked(tmp_path, "P = 'APP_'\n" + module.replace("'MOST'", "P + 'MOST'"), most) == 150
    assert "error E138" in capsys.readouterr().err


def test_what_no_spec_takes_costs_no_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = "import logging\nlogging.getLogger('asking').setLevel(os.environ.get('LEVEL', 'INFO') and 'INFO')"
    assert checked(tmp_path, module, 5) == 0
    assert "assumes" not in "".join(capsys.readouterr())


def test_where_no_other_environment_can_be_had_that_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = "import logging\nlogging.getLogger('asking').setLevel({'low': 10}[os.environ.get('LEVEL', 'low')])"
    assert checked(tmp_path, module, 5) == 0
    assert re.search(
        r"assumes that it does not matter what is answered \(.*asking\.py:6, in <module>\): "
        r"another process could not make it: KeyError: '1'",
        "".join(capsys.readouterr()),
    )


def test_what_only_runs_as_a_program_asks_nothing(tmp_path: Path) -> None:
    module = """
def main():
    print(os.environ.get('MOST'))
if __name__ == "__main__":
    main()
    MOST = sys.argv[0]
"""
    assert examine(load(SPEC.format(module=module, most=5), tmp_path), symbols=True).asked is None
    for ending in ("main()", "MOST = sys.argv[0]"):
        found = examine(load(SPEC.format(module=f"{module}{ending}", most=5), tmp_path), symbols=True).asked
        assert found is not None and found.names == {"Generated", "MOST", "__main__"}


def test_the_other_environment_has_what_this_one_has_not() -> None:
    asked = Asked(Where("a.py", 1, "b", "c"), frozenset({"A", "B"}))
    assert other(asked, {"A": "x", "HOME": "/h"}) == {"B": "1", "HOME": "/h"}
