"""`make site`: the static site is built of the same pages without a warning, and needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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
