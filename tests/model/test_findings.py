"""The table of docs/findings.md says of every scenario what its baseline and the scenario itself say."""

from __future__ import annotations

import json
import re
from pathlib import Path

from everystate import specs
from everystate.model.conformance.versions import PINNED
from everystate.specs.kafka import SCENARIOS

from .vacuity import NEVER_ENABLED

DOCS = Path(__file__).resolve().parents[2] / "docs"
FINDINGS = (DOCS / "findings.md").read_text("utf-8")
VERSIONS = (DOCS / "conformance-versions.md").read_text("utf-8")
SIGNS = re.compile(r"^\| `([^`]+)` \| ([✓≠·-](?: \| [✓≠·-])+) \|$", re.MULTILINE)
RELEASES = re.compile(r"^\| [^|]+ \| `everystate conform (\S+) --kafka all` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
BASELINE = json.loads((Path(specs.__file__ or "").with_name("baseline.json")).read_text("utf-8"))["variants"]
CITED = re.compile(r"`(?:everystate check )?([\w.-]+/[\w-]+)`(?: \(|, |; )([\d,]+) states")
ROW = re.compile(r"^\| `([^`]+)` \| ([\d,]+) \| (.*?)( \*)? \| (.*?) ?\|$", re.MULTILINE)


def test_the_table_has_every_scenario_with_its_states_and_lengths() -> None:
    table = FINDINGS[FINDINGS.index("## Every scenario, measured") :]
    written = {name: (states, verdict, never) for name, states, verdict, _, never in ROW.findall(table)}
    expected = {
        s.name: (
            f"{BASELINE[s.name]['distinct']:,}",
            ", ".join(f"{name} {steps}" for name, steps in s.expected.items()) or "proved",
            ", ".join(sorted(NEVER_ENABLED.get(s.name, ()))),
        )
        for s in SCENARIOS
    }
    assert written == expected


def test_scenarios_that_are_cited_exist() -> None:
    families = {s.name.split("/")[0] for s in SCENARIOS}
    cited = set(re.findall(r"`(?:everystate check )?([a-z0-9.-]+/[a-z0-9-]+)", FINDINGS))
    assert {name for name in cited if name.split("/")[0] in families} - {s.name for s in SCENARIOS} == set()


def test_a_page_cites_the_states_of_the_baseline() -> None:
    """Of a scenario with its states behind it, `family/name` (1,234 states): prose grows old as a table does."""
    pages = [page for kind in ("findings", "kip-1269") for page in sorted(DOCS.glob(f"{kind}*.md"))]
    cited = [found for page in pages for found in CITED.findall(page.read_text("utf-8"))]
    assert len(cited) == 27
    assert [(name, states) for name, states in cited if states != f"{BASELINE[name]['distinct']:,}"] == []


def test_the_releases_of_each_finding_are_those_of_the_page_of_releases() -> None:
    """docs/conformance-versions.md is written by what was driven; findings.md tells the same by finding."""
    releases = re.findall(r"\d+\.\d+\.\d+", VERSIONS[VERSIONS.index("| scenario |") :].partition("\n")[0])
    assert releases == list(PINNED)
    signs = {name: dict(zip(releases, cells.split(" | "), strict=True)) for name, cells in SIGNS.findall(VERSIONS)}
    told = RELEASES.findall(FINDINGS)
    assert len(told) == 23
    for name, client, whole in told:
        assert [*_span(client), *_span(whole)] == [version for version, sign in signs[name].items() if sign == "✓"], (
            name
        )
        assert all(PINNED[version].whole for version in _span(whole)), name
        assert not any(PINNED[version].whole for version in _span(client)), name


def _span(text: str) -> list[str]:
    """Releases from first to last."""
    if text == "-":
        return []
    known, (first, last) = list(PINNED), text.split(" to ")
    return known[known.index(first) : known.index(last) + 1]
