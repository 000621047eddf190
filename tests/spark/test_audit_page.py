"""docs/how-to/audit.md: its example prints what the page shows, and it explains every kind of finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from everystate.model.audit.finding_kinds import KINDS
from tests.cli.transcript import runner
from tests.docs.page import ROOT, Page

PAGE = ROOT / "docs" / "how-to" / "audit.md"


def test_the_page(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def opened(given: dict[str, Any], app: str) -> Iterator[Any]:
        yield spark

    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("everystate.model.commands.audit.opened", opened)
    monkeypatch.setattr("everystate.model.commands.audit.note", lambda text: None)
    text, played = Page(PAGE, runner(capsys.readouterr)).play()
    assert text == played


def test_every_kind_is_explained_with_its_level() -> None:
    rows = [line for line in PAGE.read_text("utf-8").split("\n") if line.startswith("| `")]
    told = {
        name: row.rstrip(" |").rpartition("| ")[2]
        for row in rows
        for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])
    }
    assert told == {name: kind.level.value for name, kind in KINDS.items()}
