"""The model of transactions against what Kafka's producers and coordinator showed: no Java, no jars, no JPype."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from everystate.checker.cli.sweeps import load
from everystate.model.conformance.golden import parting, read
from everystate.model.conformance.versions import PINNED
from everystate.specs.transactions.environments import ENVIRONMENTS, OF_OLDER_CLIENTS
from everystate.specs.transactions.rare import RARE
from tests.conformance.transactions.coordinator_mistakes import KeepsItsPartitions
from tests.conformance.transactions.mistakes import KeepsItsEpoch
from tests.selection import quick

WANTED = {
    name: constants for name, constants in ENVIRONMENTS.items() if not {"late_joins", "elections"} & set(constants)
}
RECORDED = list(read(Path(__file__).with_name("golden.jsonl.gz")))
WALKED = [each for each in RECORDED if each.target.startswith("txn-environments/")]
NEWEST = list(PINNED)[-1]
ANEW = "record anew: python bench/kafka_golden.py"


@pytest.fixture(autouse=True)
def without_jpype(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever imports JPype gets an ImportError."""
    monkeypatch.setitem(sys.modules, "jpype", None)


@pytest.mark.parametrize("beside", quick(["producers"], ["producers", "coordinator"]))
def test_the_model_does_what_kafka_did(beside: str) -> None:
    mine = [each for each in WALKED if each.beside == beside]
    assert {each.target.removeprefix("txn-environments/"): each.constants for each in mine} == WANTED, ANEW
    assert {each.kafka for each in mine} == {NEWEST}, ANEW
    found = [parting(load(each.place, each.constants), each) for each in mine]
    assert [str(each) for each in found if each is not None] == []


@pytest.mark.thorough
def test_brokers_do_for_older_clients_what_kafkas_did() -> None:
    mine = [each for each in RECORDED if each.target.startswith("txn-4.3-")]
    walked = [(f"txn-{name}", constants) for name, constants in OF_OLDER_CLIENTS.items() for _ in range(3)]
    assert [(each.target, each.constants) for each in mine] == walked, ANEW
    assert {(each.kafka, each.beside) for each in mine} == {(NEWEST, "coordinator")}, ANEW
    found = [parting(load(each.place, each.constants), each) for each in mine]
    assert [str(each) for each in found if each is not None] == []


@pytest.mark.thorough
def test_the_model_does_what_kafka_did_where_walks_hardly_come() -> None:
    rare = [each for each in RECORDED if each.target.startswith("txn-rare/")]
    wanted = [(f"txn-rare/{r.name}", r.rule, r.beside, r.constants, r.kafka or NEWEST) for r in RARE]
    assert [(t.target, t.name, t.beside, t.constants, t.kafka) for t in rare] == wanted, ANEW
    assert [tuple(step.turn for step in each.steps) for each in rare] == [r.turns for r in RARE], ANEW
    found = [parting(load(each.place, each.constants), each) for each in rare]
    assert [str(each) for each in found if each is not None] == []


def test_leaders_are_part_of_what_was_recorded() -> None:
    seen = Counter(
        name.partition(" at the leader")[1]
        for each in WALKED
        for name in each.beginning
        if each.beside == "coordinator"
    )
    assert seen[" at the leader"] == 10 * 2 * sum(constants["pids"] for constants in WANTED.values())


@pytest.mark.thorough
def test_a_mistake_is_found() -> None:
    for kind, beside, name in (
        (KeepsItsEpoch, "producers", "pair of producer"),
        (KeepsItsPartitions, "coordinator", "partitions"),
    ):
        mine = [each for each in WALKED if each.beside == beside]
        found = [each for each in (parting(kind(**t.constants), t) for t in mine) if each is not None]
        assert found
        assert any(value.startswith(name) for value in found[0].values)
