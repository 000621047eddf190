"""Assess in the documentation: the commands are executed, and the tables are those of the program."""

from __future__ import annotations

import pytest

from everystate.model.assess import FAILURES
from everystate.model.assess.assessment import SCOPES
from tests.cli.transcript import Run, play

from .page import ROOT

PAGE = ROOT / "docs" / "how-to" / "safe-settings.md"
REFERENCE = ROOT / "docs" / "reference" / "assess.md"


@pytest.mark.thorough
def test_the_example_is_as_printed(run: Run) -> None:
    text, played = play(PAGE, run)
    assert text == played


def test_the_page_names_every_promise_and_failure() -> None:
    text = REFERENCE.read_text("utf-8")
    for scope in SCOPES:
        for name, promise in scope.promises.items():
            assert f"| {name} | {promise.text} | {promise.property} |" in text
    for name in FAILURES:
        assert f"| {name} | " in text
