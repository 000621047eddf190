"""docs/reference/scenarios.md has every scenario of transactions with its numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from everystate import specs
from everystate.specs.transactions import SCENARIOS

DOCS = Path(__file__).resolve().parents[3] / "docs"
FINDINGS = (DOCS / "reference" / "scenarios.md").read_text("utf-8")
BASELINE = json.loads((Path(specs.__file__ or "").with_name("baseline.json")).read_text("utf-8"))["variants"]


def test_the_table_has_every_scenario_with_its_states_and_lengths() -> None:
    table = FINDINGS[FINDINGS.index("## Every scenario of transactions") :]
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
