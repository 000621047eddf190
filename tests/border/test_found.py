"""Specs that were once proved wrongly (found.md), and what ordinary authors write (everyday.md): refused, or the
verdict of plain Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .verdicts import outcome

PAGES = [Path(__file__).with_name(name) for name in ("found.md", "everyday.md")]
SECTION = re.compile(r"^## (?P<title>.*?)\n\n```python\n(?P<source>.*?)```\n\noutcome: (?P<outcome>\w+)$", re.S | re.M)
SPECS = [(m["title"], m["source"], m["outcome"]) for page in PAGES for m in SECTION.finditer(page.read_text())]


@pytest.mark.parametrize(("source", "expected"), [pytest.param(s, o, id=t) for t, s, o in SPECS])
def test_a_spec_is_refused_or_means_what_it_means(
    source: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    compiled = outcome(source, "native", tmp_path)
    if expected != "same":
        assert compiled == ("refused", expected)
    else:
        assert compiled[0] != "refused" and compiled == outcome(source, "python", tmp_path)
