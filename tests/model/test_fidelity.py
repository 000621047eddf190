"""docs/fidelity.md speaks of every rule of the reference, and cites methods that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.model import (
    broker,
    connection,
    faults,
    partition,
    producer,
    properties,
    snapshots,
    transaction_manager,
    world,
)

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared" / "reference" / "kafka-idempotence.md"
FIDELITY = (ROOT / "docs" / "fidelity.md").read_text()
MODULES = (broker, connection, faults, partition, producer, properties, snapshots, transaction_manager, world)
CLASSES = {name: found for module in MODULES for name, found in vars(module).items() if isinstance(found, type)}


def rules(text: str) -> set[str]:
    """The rule ids that head a row or a section."""
    return set(re.findall(r"^(?:\| |### )([BCDK]\d+(?:\.\d+)?)\b", text, re.MULTILINE))


def test_every_rule_of_the_reference_is_listed() -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference is not beside this repository")
    reference = rules(REFERENCE.read_text())
    assert len(reference) > 80
    assert reference - rules(FIDELITY) == set()


def test_no_rule_is_invented() -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference is not beside this repository")
    assert rules(FIDELITY) - rules(REFERENCE.read_text()) == set()


def test_every_cited_method_exists() -> None:
    cited = re.findall(r"`([A-Z]\w+)\.(\w+)`", FIDELITY)
    assert len(cited) > 60
    missing = [f"{owner}.{name}" for owner, name in cited if not hasattr(CLASSES.get(owner), name)]
    assert missing == []


def test_every_rule_without_a_method_has_a_reason() -> None:
    for row in re.findall(r"^\| [BCDK]\d.*$", FIDELITY, re.MULTILINE):
        _, _, where, reason, _ = (cell.strip() for cell in row.split("|"))
        assert where != "-" or reason, row
