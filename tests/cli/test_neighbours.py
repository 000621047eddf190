"""What lies beside a file belongs to that file: two specs with neighbours of one name do not get each other's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everystate.checker.cli import targets
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build

SPEC = """
import sizes
from everystate.checker import *


class Counter(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < sizes.limit())
        self.n += 1

    @invariant
    def small(self):
        return self.n < 5
"""


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[list[Path]]:
    """Specs that only differ in a neighbour, which `third` lacks."""
    made = [tmp_path / name for name in ("first", "second", "third")]
    for folder, limit in zip(made, (3, 7, None), strict=True):
        folder.mkdir()
        (folder / "counter.py").write_text(SPEC)
        if limit is not None:
            (folder / "sizes.py").write_text(f"def limit():\n    return {limit}\n")
    yield made
    targets._leave(set(targets._BESIDE.folders))


def states(folder: Path) -> int:
    return exhaustive.check(build(resolve(str(folder / "counter.py")).spec({}))).distinct


def test_each_file_gets_its_own_neighbours(folders: list[Path]) -> None:
    first, second, third = folders
    assert [states(first), states(second), states(first), states(first)] == [4, 8, 4, 4]
    with pytest.raises(EverystateError, match="E103") as raised:
        states(third)
    assert "No module named 'sizes'" in str(raised.value)
    assert states(second) == 8
    assert str(first) not in sys.path and sys.path.count(str(second)) == 1


def test_what_was_on_the_path_before_stays(folders: list[Path]) -> None:
    first, second, _ = folders
    sys.path.insert(0, str(first))
    try:
        assert [states(first), states(second)] == [4, 4], "first hides what second has, as PYTHONPATH asks for"
        assert str(first) in sys.path
    finally:
        sys.path.remove(str(first))
        del sys.modules["sizes"]


def test_nothing_else_is_forgotten(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folders[0])
    before = {name for name in sys.modules if not name.startswith(("sizes", "everystate_target_"))}
    assert states(folders[0]) == 4 and os.getcwd() == str(folders[0])
    assert states(folders[1]) == 8
    assert before <= set(sys.modules)


WORDS = "import sizes\n\nLIMIT = sizes.limit()\n\n\ndef line(text):\n    from . import later\n    return later.WORDS\n"


def test_what_translates_a_log_has_neighbours_of_its_own(folders: list[Path]) -> None:
    """The target keeps its own: what is forgotten is not examined, and what asked the environment followed a log."""
    first, second, _ = folders
    (second / "words.py").write_text(WORDS)
    (second / "later.py").write_text("WORDS = {}\n")
    spec = resolve(str(first / "counter.py")).spec({})
    limits = sys.modules["sizes"]
    words = targets.module_of(str(second / "words.py"))
    assert (words.LIMIT, words.line(""), exhaustive.check(build(spec)).distinct) == (7, {}, 4)
    assert sys.modules["sizes"] is limits and vars(sys.modules[type(spec).__module__])["Counter"] is type(spec)
    assert [sys.path.index(str(folder)) - len(sys.path) for folder in (first, second)] == [-2, -1]
    assert states(second) == 8 and str(first) not in sys.path
