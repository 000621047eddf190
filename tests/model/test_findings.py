"""The table of docs/findings.md says of every scenario what its baseline and the scenario itself say."""

from __future__ import annotations

import json
import re
from pathlib import Path

from everystate import specs
from everystate.specs.kafka import SCENARIOS

from .vacuity import NEVER_ENABLED

FINDINGS = (Path(__file__).resolve().parents[2] / "docs" / "findings.md").read_text("utf-8")
BASELINE = json.loads((Path(specs.__file__ or "").with_name("baseline.json")).read_text("utf-8"))["variants"]
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
