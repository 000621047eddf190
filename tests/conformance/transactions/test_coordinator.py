"""The coordinator of transactions and the leaders in the model, beside Kafka's own: walks agree, mistakes are found."""

from __future__ import annotations

import pytest

from everystate.checker import java
from everystate.checker.errors import EverystateError
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import run
from everystate.model.conformance.transactions.coordinator_rules import SHOWN
from everystate.model.conformance.transactions.coordinator_walks import WORLD, Account, Course, courses, drive
from everystate.model.conformance.transactions.releases import PINNED, generation_of
from tests.conformance.conftest import MISSING
from tests.conformance.transactions.coordinator_mistakes import MISTAKES

SEED = 1


def driven(version: str, asked: list[Course]) -> list[Account]:
    """What the walks gave on a release, or the reason why it cannot be had."""
    try:
        java.find("Kafka", 17, "kafka")
        kafka, paths = provide(version, pinned=PINNED)
    except EverystateError as error:
        if error.code not in MISSING:
            raise
        pytest.skip(f"real Kafka cannot be had here: {error}")
    found: list[Account] = run(kafka, paths, drive, asked)
    return found


@pytest.mark.kafka
def test_walks_agree_and_find_every_mistake() -> None:
    asked = courses("4.3", 4, SEED)
    mistaken = [
        Course(m.cls, {"generation": "4.3", "start_epoch": m.start, **WORLD}, range(m.walk, m.walk + 1), SEED)
        for m in MISTAKES
    ]
    accounts = driven("4.4.0", [*asked, *mistaken])
    right, wrong = accounts[: len(asked)], accounts[len(asked) :]
    assert [str(account.difference) for account in right if account.difference] == []
    assert sum(account.walks for account in right) == 12
    found = [next(iter(account.difference.values)) if account.difference else "" for account in wrong]
    assert found == [mistake.differs for mistake in MISTAKES]
    shown = {rule for account in right for rule in account.rules}
    assert shown <= set(SHOWN)
    assert {"T1.8", "T2.6", "T3.3", "T4.5", "T5.6", "T6.3", "T7.5", "T7.16"} <= shown


def test_every_release_has_its_generation() -> None:
    assert {version: generation_of(kafka) for version, kafka in PINNED.items()} == {
        "3.9.1": "part-1",
        "4.0.0": "4.0.0",
        "4.1.2": "4.1",
        "4.2.2": "4.2",
        "4.3.1": "4.3",
        "4.4.0": "4.3",
    }
