"""Specs that were once proved wrongly, in found.md: refused, or the verdict of plain Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .verdicts import outcome

PAGE = Path(__file__).with_name("found.md")
SECTION = re.compile(r"^## (?P<title>.*?)\n\n```python\n(?P<source>.*?)```\n\noutcome: (?P<outcome>\w+)$", re.S | re.M)
SPECS = [(m["title"], m["source"], m["outcome"]) for m in SECTION.finditer(PAGE.read_text())]


@pytest.mark.parametrize(("source", "expected"), [pytest.param(s, o, id=t) for t, s, o in SPECS])
def test_a_spec_that_was_once_proved_wrongly(
    source: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    compiled = outcome(source, "native", tmp_path)
    if expected != "same":
        assert compiled == ("refused", expected)
    else:
        assert compiled == outcome(source, "python", tmp_path)
