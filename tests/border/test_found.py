"""Specs that were once proved wrongly (found.md), and what ordinary authors write (everyday.md): refused, or the
verdict of plain Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.border.verdicts import outcome, outcome_apart

PAGES = [Path(__file__).with_name(name) for name in ("found.md", "everyday.md")]
OUTCOME = r"outcome: (?P<outcome>\w+)(?P<apart>, in a process of its own)?"
SECTION = re.compile(rf"^## (?P<title>.*?)\n\n```python\n(?P<source>.*?)```\n\n{OUTCOME}$", re.S | re.M)
SPECS = [m for page in PAGES for m in SECTION.finditer(page.read_text())]


@pytest.mark.parametrize("found", [pytest.param(m, id=m["title"]) for m in SPECS])
def test_a_spec_is_refused_or_means_what_it_means(
    found: re.Match[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own where it would change what other tests use."""
    source, expected = found["source"], found["outcome"]
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    compiled = (outcome_apart if found["apart"] else outcome)(source, "native", tmp_path)
    if expected != "same":
        assert compiled == ("refused", expected)
    else:
        assert compiled[0] != "refused" and compiled == outcome(source, "python", tmp_path)
