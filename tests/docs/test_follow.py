"""docs/how-to/follow-a-log.md: every command on the page is executed as it is printed."""

from __future__ import annotations

import pytest

from tests.cli.transcript import Run

from .page import ROOT, Page

pytestmark = pytest.mark.thorough


def test_every_command_of_the_page_is_as_printed(run: Run) -> None:
    text, played = Page(ROOT / "docs" / "how-to" / "follow-a-log.md", run).play()
    assert text == played
