"""docs/reference/verdicts.md: its block is as printed, and the page is short."""

from __future__ import annotations

from tests.cli.transcript import Run

from .page import ROOT, Page

PATH = ROOT / "docs" / "reference" / "verdicts.md"


def test_the_block_is_as_printed(run: Run) -> None:
    text, played = Page(PATH, run).play()
    assert text == played


def test_the_page_is_short() -> None:
    assert len(PATH.read_text("utf-8").split()) <= 900
