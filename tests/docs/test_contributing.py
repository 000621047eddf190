"""CONTRIBUTING.md: every file that it names is there, and so is every link of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .page import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
NAMED = re.findall(r"`((?:\.ci|checker|model|specs|counterexamples|tests|docs|bench)/[\w./-]*)`", TEXT)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "bench" / "README.md"])


def test_every_file_that_is_named_is_there() -> None:
    assert len(NAMED) >= 40
    assert [name for name in NAMED if not (ROOT / name).exists()] == []


def test_every_test_that_is_to_be_run_is_there() -> None:
    lines = [re.sub(r"-[km] (\"[^\"]*\"|\S+)", "", line) for line in re.findall(r"pytest ([^`]+)`", TEXT)]
    given = [word for line in lines for word in line.split() if word[0] != "-"]
    assert len(given) >= 3
    assert [name for name in given if not (ROOT / name).exists()] == []


def anchors(page: Path) -> set[str]:
    """What a link can lead to in a page: headings, as GitHub names them, and `<a id="...">`."""
    text = page.read_text("utf-8")
    headings = [re.sub(r"[^\w\- ]", "", line.lower()) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {heading.replace(" ", "-") for heading in headings} | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        if "://" not in link:
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_page_installs_is_not_looked_for_on_an_index(page: Path) -> None:
    """Everystate is installed from a clone, a path or an address: no index has it."""
    told = re.findall(r"pip install (?:-\S+ )*['\"]?everystate(?!\S* @ )[^`\n]*", page.read_text("utf-8"))
    assert told == []
