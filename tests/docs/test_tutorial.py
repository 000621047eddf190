"""The tutorial: every command, output, session and file of it is executed as it is printed."""

from __future__ import annotations

import pytest

from tests.cli.transcript import Run

from .page import ROOT, Page


@pytest.mark.thorough
def test_every_block_of_the_tutorial_is_as_printed(run: Run) -> None:
    text, played = Page(ROOT / "docs" / "tutorials" / "first-spec.md", run).play()
    assert text == played


def test_every_spec_of_the_tutorial_is_checked_in_its_text() -> None:
    text = (ROOT / "docs" / "tutorials" / "first-spec.md").read_text("utf-8")
    for path in (ROOT / "docs" / "tutorials").glob("*.py"):
        assert f"$ everystate check docs/tutorials/{path.name}" in text
