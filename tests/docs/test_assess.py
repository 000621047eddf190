"""docs/reference/assess.md: its tables are those of the program."""

from __future__ import annotations

from everystate.model.assess import FAILURES
from everystate.model.assess.assessment import SCOPES

from .page import ROOT

REFERENCE = ROOT / "docs" / "reference" / "assess.md"


def test_the_page_names_every_promise_and_failure() -> None:
    text = REFERENCE.read_text("utf-8")
    for scope in SCOPES:
        for name, promise in scope.promises.items():
            assert f"| {name} | {promise.text} | {promise.property} |" in text
    for name in FAILURES:
        assert f"| {name} | " in text
