"""Tutorials, how-to and explanation: every command, output, session and file of a page is executed as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcript import Run

from .page import BLOCK, ROOT, Page

ELSEWHERE = {
    "how-to/audit": "tests/spark/test_audit_page.py",
    "how-to/explore": "tests/explore/test_session.py",
    "how-to/replay-on-brokers": "starts brokers",
}
"""Pages that this test does not execute, and who does."""
LONG = ("how-to/ci", "how-to/kafka-commands", "how-to/safe-settings", "tutorials/reading-a-counterexample")
PAGES = {
    f"{path.parent.name}/{path.stem}": path
    for kind in ("tutorials", "how-to", "explanation")
    for path in sorted((ROOT / "docs" / kind).glob("*.md"))
    if any(block[1] in ("console", "pycon", "python") for block in BLOCK.finditer(path.read_text("utf-8")))
}
"""Pages with something to execute."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough if name in LONG else ()) for name in PAGES if name not in ELSEWHERE],
)
def test_every_block_of_a_page_is_as_printed(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "everystate matrix" in PAGES[name].read_text("utf-8"):  # it says what is known from before
        monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    text, played = Page(PAGES[name], run).play()
    assert text == played
