"""The page of the command line has every command with its options."""

from __future__ import annotations

import os

from . import cli_page


def test_the_page_has_every_command() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        cli_page.PATH.write_text(cli_page.page(), "utf-8")
    again = "UPDATE_TRANSCRIPTS=1 pytest tests/docs/test_cli.py writes it anew"
    assert cli_page.PATH.read_text("utf-8") == cli_page.page(), again
