"""The errors page and the examples are what the catalogue and the transcripts of bad input make of them."""

from __future__ import annotations

import os

from everystate.checker.errors import as_sentence, catalogue, examples
from everystate.checker.errors.examples import PATH
from tests.cli.transcript import Run

from . import error_page

AGAIN = "UPDATE_TRANSCRIPTS=1 pytest tests/docs/test_errors.py writes it anew"


def test_the_page_is_made_from_the_catalogue() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        error_page.PATH.write_text(error_page.page(), "utf-8")
    assert error_page.PATH.read_text("utf-8") == error_page.page(), AGAIN
    assert len(error_page.page().split()) <= 3500


def test_the_examples_are_those_of_the_transcripts() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        PATH.write_text(error_page.stored_examples(), "utf-8")
        examples.cache_clear()
    assert PATH.read_text("utf-8") == error_page.stored_examples(), AGAIN
    assert sorted(examples()) == sorted(catalogue())


def test_every_code_has_an_example_or_a_reason_why_it_has_none() -> None:
    assert set(catalogue()) - set(error_page.examples()) == set(error_page.UNSHOWN)


def test_the_prompt_lists_all_codes_and_shows_each_entry(run: Run) -> None:
    listed, code = run(["errors"])
    assert (code, [line.split()[0] for line in listed.splitlines()]) == (0, sorted(catalogue()))
    for name, entry in catalogue().items():
        shown, code = run(["errors", name])
        assert (code, shown.splitlines()[0]) == (0, f"{name}  {as_sentence(entry.what)}")
        assert examples()[name] in shown


def test_the_prompt_shows_an_entry_with_its_example(run: Run) -> None:
    assert run(["errors", "E104"])[0].splitlines()[2:] == [
        "  why: a spec is a class that derives from everystate.checker.Spec and is defined in this file",
        "  do: define `class MySpec(Spec)` in it",
        "  exit code: 150",
        "",
        "empty.py:",
        "    lamp = True",
        "",
        "    $ everystate check empty.py",
        "    error E104: empty.py contains no spec",
        "      why: a spec is a class that derives from everystate.checker.Spec and is defined in this file",
        "      do: define `class MySpec(Spec)` in it",
        "      see: everystate errors E104",
        "    [exit 150]",
    ]
