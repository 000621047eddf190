"""A kept result is not told of a checker that has changed since, wherever it has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from everystate import check
from everystate.checker import Constant, Int, Spec, action, require
from everystate.checker.api.fingerprint import CHECKER, engine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the checker."""
    return Path(shutil.copytree(CHECKER, tmp_path / "checker", ignore=shutil.ignore_patterns("__pycache__")))


def rooms() -> list[str]:
    return sorted(path.name for path in CHECKER.iterdir() if path.is_dir() and path.name != "__pycache__")


def test_a_change_in_any_room_is_another_checker(folder: Path) -> None:
    assert "frontend" in rooms() and len(rooms()) >= 9
    seen = {engine(folder)}
    assert seen == {engine()}
    for room in (*rooms(), "."):
        file = min((folder / room).glob("*.py"))
        engine.cache_clear()
        file.write_text(file.read_text() + "\n# mended\n")
        seen.add(engine(folder))
    assert len(seen) == 2 + len(rooms())


def test_a_room_that_is_added_counts(folder: Path) -> None:
    before = engine(folder)
    (folder / "another").mkdir()
    (folder / "another" / "rule.py").write_text("")
    engine.cache_clear()
    assert engine(folder) != before


def test_the_place_of_a_file_counts(folder: Path) -> None:
    before = engine(folder)
    (folder / "frontend" / "conditional_elements.py").rename(folder / "frontend" / "conditional_elements_otherwise.py")
    engine.cache_clear()
    assert engine(folder) != before


class Idle(Spec):
    """An action that may have nothing to execute, which a result warns of."""

    most = Constant(0)
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 2)

    @action
    def up(self) -> None:
        require(self.n < 2)
        self.n += 1


class More(Idle):
    @action(i="most")
    def never(self, i: int) -> None:
        self.n = i


def test_a_kept_result_warns_of_what_has_nothing_to_execute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    assert check(Idle, cache=True).result.warnings == ()
    warned = check(More, cache=True).result.warnings
    assert warned == check(More, cache=True).result.warnings == check(More).result.warnings
    assert warned == ("action never is disabled by the constants: there are no values for i",)
