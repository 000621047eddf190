"""docs/findings-transactions.md: every scenario has its numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from everystate import specs
from everystate.specs.transactions import SCENARIOS

DOCS = Path(__file__).resolve().parents[3] / "docs"
FINDINGS = (DOCS / "findings-transactions.md").read_text("utf-8")
BASELINE = json.loads((Path(specs.__file__ or "").with_name("baseline.json")).read_text("utf-8"))["variants"]


def test_the_table_has_every_scenario_with_its_states_and_lengths() -> None:
    table = FINDINGS[FINDINGS.index("## Every scenario, measured") :]
    written = re.findall(r"^\| `(txn-[^`]+)`( \*)? \| ([\d,]+) \| (.*?) \|$", table, re.MULTILINE)
    expected = [
        (
            s.name,
            " *" if s.slow else "",
            f"{BASELINE[s.name]['distinct']:,}",
            ", ".join(f"{name} {steps}" for name, steps in s.expected.items()) or "proved",
        )
        for s in SCENARIOS
    ]
    assert written == expected


def test_scenarios_and_states_that_are_cited_are_right() -> None:
    cited = set(re.findall(r"`(?:everystate check )?(txn-[a-z0-9.-]+/[a-z0-9-]+)`", FINDINGS))
    assert cited - {s.name for s in SCENARIOS} == set()
    for name, states in re.findall(r"`(txn-[a-z0-9.-]+/[a-z0-9-]+)` \(([\d,]+)(?: states)?\)", FINDINGS):
        assert f"{BASELINE[name]['distinct']:,}" == states, name
