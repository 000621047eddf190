"""`make site`: the static site is built of the same pages without a warning, and needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.counterexamples.browser import chromium, complaints, open_page

from .page import ROOT

pytestmark = pytest.mark.thorough


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(module, reason="needs the extra docs: pip install -e '.[docs]'")
    words = ["-q", "-W", "--keep-going", "-c", ".ci/site", "-d", str(tmp_path / "trees"), ".", str(tmp_path / "site")]
    built = subprocess.run([sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")

    pages = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.html")}
    written = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert written <= pages
    finding = (tmp_path / "site/docs/explanation/findings/producer-01-restart.html").read_text("utf-8")
    assert 'href="../../reference/rules-producer.html#b4.4"' in finding
    loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(\w+:[^"]+)"', finding)
    assert loaded == []
    linked = [
        page for page in pages if 'href="https://github.com/OWNER' in (tmp_path / "site" / page).read_text("utf-8")
    ]
    assert linked == []
    with chromium() as browser:
        first = {word: _first(browser, tmp_path / "site" / "search.html", word) for word in FOUND}
        assert first == FOUND
        assert complaints(browser) == []


FOUND = {
    "CHOOSE": ("Everystate for TLA+ users", "CHOOSE"),
    "ENABLED": ("Everystate for TLA+ users", "ENABLED"),
    "float": ("The language", "float"),
    "macOS": ("Install with pip or uv", "macOS"),
}
"""Words, each with the page of the first result and what is marked in its excerpt."""


def _first(browser: Any, page: Path, word: str) -> tuple[str, str]:
    """The first result of a search."""
    open_page(browser, page, f"?q={word}")
    [title, mark] = browser.execute_script(
        "const first = document.querySelector('#results li');"
        "return [first.querySelector('a').textContent, first.querySelector('mark').textContent]"
    )
    return str(title).partition(":")[0], str(mark)
