"""The pages about transactions: every rule has its place, every cited method exists, every scenario its numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from everystate import specs
from everystate.model.transactions import coordinator, faults, groups, leader, liveness, producer, world
from everystate.specs.transactions import SCENARIOS

DOCS = Path(__file__).resolve().parents[3] / "docs"
RULES = (DOCS / "rules-transactions.md").read_text("utf-8")
FIDELITY = (DOCS / "fidelity-transactions.md").read_text("utf-8")
FINDINGS = (DOCS / "findings-transactions.md").read_text("utf-8")
BASELINE = json.loads((Path(specs.__file__ or "").with_name("baseline.json")).read_text("utf-8"))["variants"]
MODULES = (coordinator, faults, groups, leader, liveness, producer, world)
CLASSES = {
    name: found
    for module in MODULES
    for name, found in vars(module).items()
    if isinstance(found, type) and found.__module__ == module.__name__
}


def rules(text: str) -> list[str]:
    """The rule ids that head a row."""
    return re.findall(r"^\| (T\d+\.\d+) ", text, re.MULTILINE)


def test_every_rule_has_its_place_and_none_is_invented() -> None:
    assert len(rules(RULES)) > 70
    assert rules(FIDELITY) == rules(RULES)
    assert len(set(rules(RULES))) == len(rules(RULES))


def test_every_cited_method_exists() -> None:
    cited = re.findall(r"`([A-Z]\w+)\.(\w+)`", FIDELITY)
    assert len(cited) > 70
    assert [f"{owner}.{name}" for owner, name in cited if not hasattr(CLASSES.get(owner), name)] == []


def test_every_rule_without_a_method_has_a_reason() -> None:
    for row in re.findall(r"^\| T\d.*$", FIDELITY, re.MULTILINE):
        _, _, where, reason, _ = (cell.strip() for cell in row.split("|"))
        assert where != "-" or reason, row


def test_rules_that_are_cited_exist() -> None:
    sources = [path.read_text("utf-8") for module in (*MODULES, specs) for path in folder_of(module).rglob("*.py")]
    cited = {rule for text in (FINDINGS, FIDELITY, *sources) for rule in re.findall(r"\bT\d+\.\d+\b", text)}
    assert cited - set(rules(RULES)) == set()


def folder_of(module: object) -> Path:
    return Path(str(getattr(module, "__file__", ""))).parent


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
