"""docs/how-to/safe-settings.md: the command is executed, and the tables are those of the program."""

from __future__ import annotations

import pytest

from everystate.model.assess import FAILURES, PROMISES
from tests.cli.transcript import Run, play

from .page import ROOT

PAGE = ROOT / "docs" / "how-to" / "safe-settings.md"


@pytest.mark.thorough
def test_the_example_is_as_printed(run: Run) -> None:
    text, played = play(PAGE, run)
    assert text == played


def test_the_page_names_every_promise_and_failure() -> None:
    text = PAGE.read_text("utf-8")
    for name, (prop, sentence) in PROMISES.items():
        assert f"| {name} | {sentence} | {prop} |" in text
    for name in FAILURES:
        assert f"| {name} | " in text
