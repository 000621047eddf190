"""What lies beside a file belongs to that file: two specs with neighbours of one name do not get each other's."""

from __future__ import annotations

import importlib
import os
import py_compile
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
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


def forget_sizes() -> None:
    for name in ("sizes", "sizes.most"):
        sys.modules.pop(name, None)


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


@pytest.mark.parametrize("before", [True, False], ids=["imported before", "found there"])
def test_a_neighbour_that_another_file_hides_is_told(
    before: bool, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the current folder, which Python puts first under `python -m`: the spec was checked with that file."""
    first, second, _ = folders
    monkeypatch.chdir(first)
    monkeypatch.syspath_prepend(first)
    if before:
        importlib.import_module("sizes")
    with pytest.raises(EverystateError, match=r"E148 `import sizes` beside .* finds sizes\.py, not what lies"):
        states(second)
    (first / "sizes.py").write_text((second / "sizes.py").read_text())
    assert states(second) in (4, 8)
    forget_sizes()


SOURCES = {3: "def limit():\n    return 3\n", 7: "def limit():\n    return 7\n"}


def written(folder: Path, form: str, limit: int) -> str:
    """`sizes` as a module, a package, a part of a package, compiled alone, or in C; what a spec imports of it."""
    (folder / "sizes.py").unlink(missing_ok=True)
    path = folder / {"package": "sizes/__init__.py", "part": "sizes/most.py", "namespace": "sizes/most.py"}.get(
        form, "sizes.py"
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text(SOURCES[limit])
    if form == "part":
        (folder / "sizes" / "__init__.py").write_text("")
    if form == "compiled":
        py_compile.compile(str(path), cfile=str(folder / "sizes.pyc"))
        path.unlink()
    if form == "C":
        path.rename(folder / f"sizes{EXTENSION_SUFFIXES[0]}")
    return "from sizes import most as sizes" if form in ("part", "namespace") else "import sizes"


@pytest.mark.parametrize(
    ("hiding", "hidden"),
    [
        ("package", "module"),
        ("module", "package"),
        ("package", "package"),
        ("part", "part"),
        ("namespace", "namespace"),
        ("compiled", "module"),
        ("module", "compiled"),
        ("compiled", "package"),
        ("module", "C"),
    ],
)
def test_so_is_a_package_or_compiled_code(
    hiding: str, hidden: str, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROVED without a word, with what lies in the current folder"""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else what is written within a second is taken for the same
    first, second, _ = folders
    written(second, hidden, 7)
    line = written(first, hiding, 3)
    (second / "counter.py").write_text(SPEC.replace("import sizes", line))
    monkeypatch.chdir(first)
    monkeypatch.syspath_prepend(first)
    try:
        with pytest.raises(EverystateError, match=r"E148 `import sizes` beside .* finds sizes\S*, not what lies"):
            states(second)
        if hiding == hidden:
            forget_sizes()
            written(first, hiding, 7)
            importlib.invalidate_caches()
            assert states(second) == 8, "they are the same"
    finally:
        forget_sizes()


@pytest.mark.parametrize("late", [False, True], ids=["a package beside the spec", "variables"])
def test_so_is_one_that_something_beside_imports(
    late: bool, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the folder of the spec, or later: PROVED without a word"""
    first, second, _ = folders
    text = SPEC.replace("import sizes", "from pack.deep import sizes")
    if late:
        text = SPEC.replace("import sizes\n", "").replace("sizes.limit()", "self.most")
        text = text.replace("self.n = Int(0, 9)", "import sizes; self.most = sizes.limit(); self.n = Int(0, 9)")
    (second / "pack").mkdir()
    (second / "pack" / "deep.py").write_text("import sizes\n")
    (second / "counter.py").write_text(text)
    monkeypatch.chdir(first)
    monkeypatch.syspath_prepend(first)
    with pytest.raises(EverystateError, match=r"E148 `import sizes` beside .* finds sizes\.py, not what lies"):
        states(second)
    forget_sizes()


def test_what_hides_nothing_is_not_told(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without modules beside a spec is no package; `.sizes` is the one beside, whatever lies elsewhere."""
    first, second, third = folders
    (third / "sizes").mkdir()
    (third / "sizes" / "table.csv").write_text("1,2\n")
    (second / "counter.py").write_text(SPEC.replace("import sizes", "from . import sizes"))
    monkeypatch.chdir(first)
    monkeypatch.syspath_prepend(first)
    importlib.import_module("sizes")
    assert [states(third), states(second)] == [4, 8]
    forget_sizes()
