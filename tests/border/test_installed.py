"""A spec that is installed beside libraries is its author's, like one in a folder of his; and so is what an executor of
Spark unpacks below PySpark."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.border import bytecode
from everystate.checker.errors import WRITTEN, EverystateError
from everystate.checker.ir.model import traced
from everystate.checker.ir.reproducibility import recipe
from everystate.checker.spark import shipping

SPEC = """
import os

from everystate.checker import *

NAMES = {{"ann", "bob", "cid"}}
MOST = {most}


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < MOST)
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7
"""
ASKS = 'int(os.environ.get("MOST", "5"))'


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    found = (*bytecode._libraries(), f"{folder}{os.sep}")
    monkeypatch.setattr(bytecode, "_libraries", lambda: found)
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(folder)):
            del sys.modules[name]
    WRITTEN.difference_update([place for place in WRITTEN if place.startswith(str(folder))])
    bytecode._specs.cache_clear()
    bytecode._installed.cache_clear()


def written(folder: Path, name: str, text: str) -> Any:
    """The spec of a module that is installed."""
    path = folder / f"{name.replace('.', '/')}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return importlib.import_module(name).Generated()


@pytest.mark.parametrize("name", ["locks_of_ours", "packed_locks.specs"])
def test_an_installed_spec_may_not_ask_the_environment(name: str, libraries: Path) -> None:
    """It was taken for a library, of which nobody asks that, nor in which orders it goes through sets."""
    spec = written(libraries, name, SPEC.format(most=ASKS))
    with pytest.raises(EverystateError, match="E138"):
        traced(spec)
    place = libraries / (f"{name}.py" if "." not in name else "packed_locks")
    assert [each for each in recipe(spec)[0]["written"] if each.startswith(str(libraries))] == [
        str(place) + ("" if "." not in name else os.sep)
    ]
    assert not bytecode.of_library(str(place / "sizes.py" if "." in name else place))
    assert bytecode.of_library(str(libraries / "another.py"))


def test_files_of_a_user_that_an_executor_has_below_a_library(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "BASE", str(libraries / "pyspark" / "work"))
    there = shipping.Mirror("/me", (("/me/sizes.py", b"MOST = 5"),)).unpacked()
    assert not bytecode.of_library(str(there / "sizes.py"))
