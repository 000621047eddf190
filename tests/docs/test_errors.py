"""docs/reference/errors.md is what the catalogue and the transcripts of bad input make of it."""

from __future__ import annotations

import os
import re

from everystate.checker.errors import CATALOGUE, address
from tests.cli.transcript import Run

from . import error_page


def test_the_page_is_made_from_the_catalogue() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        error_page.PATH.write_text(error_page.page(), "utf-8")
    again = "UPDATE_TRANSCRIPTS=1 pytest tests/docs/test_errors.py writes it anew"
    assert error_page.PATH.read_text("utf-8") == error_page.page(), again


def test_every_code_has_an_example_or_a_reason_why_it_has_none() -> None:
    assert set(CATALOGUE) - set(error_page.examples()) == set(error_page.UNSHOWN)


def test_every_address_is_a_heading_of_the_page() -> None:
    headings = re.findall(r"^### (\S+)$", error_page.PATH.read_text("utf-8"), re.MULTILINE)
    assert sorted(f"docs/reference/errors.md#{heading.lower()}" for heading in headings) == sorted(
        map(address, CATALOGUE)
    )


def test_the_prompt_lists_all_codes_and_shows_each_entry(run: Run) -> None:
    listed, code = run(["errors"])
    assert (code, [line.split()[0] for line in listed.splitlines()]) == (0, sorted(CATALOGUE))
    for name in CATALOGUE:
        shown, code = run(["errors", name])
        assert (code, shown.splitlines()[0]) == (0, next(line for line in listed.splitlines() if line[:4] == name))


def test_the_prompt_shows_an_entry_with_its_example(run: Run) -> None:
    assert run(["errors", "E104"])[0].splitlines()[5:11] == [
        "empty.py:",
        "    lamp = True",
        "",
        "    $ everystate check empty.py",
        "    error E104: empty.py holds no spec",
        "      why: a spec is a class that derives from everystate.checker.Spec and is defined in this file",
    ]
