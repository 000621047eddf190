"""The pages of findings say what scenarios, baseline and rules say."""

from __future__ import annotations

import re
from pathlib import Path

from bench.kafka_versions import REPRODUCED, results_of
from everystate.model.conformance.versions import PINNED
from everystate.specs import registry
from tests.baseline import states

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLAIMS = (DOCS / "explanation" / "findings.md").read_text("utf-8")
PAGES = {path.stem: path.read_text("utf-8") for path in sorted((DOCS / "explanation" / "findings").glob("*.md"))}
VERSIONS = (DOCS / "reference" / "conformance-versions.md").read_text("utf-8")
RELEASES = re.compile(r"^\*\*Classes:\*\* `everystate conform (\S+) --kafka all`: ([\d.]+ to [\d.]+\d)", re.MULTILINE)
CITED = re.compile(r"`(?:everystate check )?([\w.-]+/[\w-]+)`(?: \(|, |; |: )([\d,]+) states")
LENGTHS = re.compile(r"`(?:everystate check )?([\w.-]+/[\w-]+)`: ((?:(?:\w+, )*\w+ \d+(?:; |, )?)+)")
FIELDS = ("**Affects:** ", "**Effect:** ", "\n1. ", "**Model:** ", "**Rules:** ")


def test_each_page_has_every_field() -> None:
    assert len(PAGES) == 17 + 29 + 5
    for name, page in PAGES.items():
        places = [page.find(field) for field in FIELDS]
        assert places == sorted(places) and places[0] > 0, name


def test_the_list_of_claims_has_every_page() -> None:
    """The claim is the title of the page."""
    rows = re.findall(r"^- \[(\d+)\]\(findings/([\w.-]+)\.md\)[○●◆]+ (.+)$", CLAIMS, re.MULTILINE)
    titles = {name: re.match(r"# .*inding (\d+): (.*)\n", page) for name, page in PAGES.items()}
    assert sorted(name for _, name, _ in rows) == sorted(PAGES)
    for number, name, claim in rows:
        title = titles[name]
        assert title is not None and title.groups() == (number, claim), name


def test_scenarios_that_are_cited_exist() -> None:
    known = {s.name for s in registry.scenarios()}
    families = {name.split("/")[0] for name in known}
    for name, page in {"": CLAIMS, **PAGES}.items():
        cited = set(re.findall(r"`(?:everystate check )?([a-z0-9.-]+/[a-z0-9-]+)", page))
        assert {text for text in cited if text.split("/")[0] in families} - known == set(), name


def test_a_page_cites_the_states_of_the_baseline() -> None:
    """Of a scenario with its states behind it, `family/name` (1,234 states): prose grows old as a table does."""
    pages = [
        *PAGES.values(),
        CLAIMS,
        (DOCS / "explanation" / "kip-1269.md").read_text("utf-8"),
    ]
    cited = [found for page in pages for found in CITED.findall(page)]
    assert len(cited) == 41
    assert [(name, found) for name, found in cited if found != f"{states(name):,}"] == []


def test_a_page_cites_the_lengths_of_the_scenarios() -> None:
    """As in `family/name`: NoDuplicate 11, NoGap 7, where several properties may share a length."""
    expected = {s.name: s.expected for s in registry.scenarios()}
    cited = [found for page in PAGES.values() for found in LENGTHS.findall(page)]
    assert len(cited) == 73
    for name, text in cited:
        for properties, steps in re.findall(r"((?:\w+, )*\w+) (\d+)", text):
            for prop in properties.split(", "):
                lengths = {length for key, length in expected[name].items() if key.partition("(")[0] == prop}
                assert lengths == {int(steps)}, (name, prop)


def test_the_releases_of_each_finding_are_those_of_the_page_of_releases() -> None:
    """docs/reference/conformance-versions.md is written by what was driven."""
    results = results_of(VERSIONS)
    cited = [found for page in PAGES.values() for found in RELEASES.findall(page)]
    assert len(cited) == 9
    for name, span in cited:
        assert _span(span) == [version for version, sign in results[name].items() if sign == REPRODUCED], name
    assert all(kafka.whole for kafka in PINNED.values())


def _span(text: str) -> list[str]:
    """Releases from first to last."""
    known, (first, last) = list(PINNED), text.split(" to ")
    return known[known.index(first) : known.index(last) + 1]
