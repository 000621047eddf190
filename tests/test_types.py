"""The types of all modules and of the tests, by mypy; a test like the others, so that it runs beside them."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import BLOCK, Page

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.xdist_group("mypy")  # two runs at a time would write into one cache
PACKAGES = ("checker", "model", "specs", "counterexamples")
MODULES = ("__main__", "parts", "plugin")


def test_mypy_finds_nothing() -> None:
    packages = (word for name in PACKAGES for word in ("-p", f"everystate.{name}"))
    modules = (word for name in MODULES for word in ("-m", f"everystate.{name}"))
    assert mypy(*packages, *modules) == ""


@pytest.mark.thorough
def test_mypy_finds_nothing_in_the_tests() -> None:
    """A test that passes an argument of a wrong type, or compares what is never equal, can check nothing."""
    assert mypy("tests") == ""


def test_the_page_of_the_api_is_typed(tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "reference" / "api.md").read_text("utf-8"))
    sources = [
        part.source
        for kind, _, text in blocks
        if kind == "pycon"
        for part in doctest.DocTestParser().get_examples(text)
    ]
    (tmp_path / "page.py").write_text("".join(sources), "utf-8")
    assert len(sources) > 20 and mypy(str(tmp_path / "page.py")) == ""


def test_the_specs_of_both_tutorials_are_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first-spec", "lock-to-lease"):
        Page(ROOT / "docs" / "tutorials" / f"{name}.md", run=lambda _: ("", 0)).write_files()
        specs = sorted(map(str, tmp_path.glob("*.py")))
        assert specs and mypy("--strict", *specs) == ""


def mypy(*what: str) -> str:
    """What mypy finds; nothing where all is well."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *what]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout + done.stderr
