"""The page of the scenarios names all of them."""

from __future__ import annotations

import os

from . import scenario_page


def test_the_page_has_every_scenario() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        scenario_page.PATH.write_text(scenario_page.page(), "utf-8")
    again = "UPDATE_TRANSCRIPTS=1 pytest tests/docs/test_scenarios.py writes it anew"
    assert scenario_page.PATH.read_text("utf-8") == scenario_page.page(), again
