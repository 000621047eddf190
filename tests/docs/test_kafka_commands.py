"""docs/how-to/kafka-commands.md: every command on the page is executed as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcript import Run

from .page import ROOT, Page

pytestmark = pytest.mark.thorough


def test_every_command_of_the_page_is_as_printed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("everystate.checker.cli.sweeps.SPEAK", 1000.0)
    text, played = Page(ROOT / "docs" / "how-to" / "kafka-commands.md", run).play()
    assert text == played
