"""The producers of the model of transactions against Kafka's own client: walks agree, and find what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.late_success import stories as late_successes
from bench.left_behind import stories
from everystate.checker.cli.sweeps import load
from everystate.model.conformance.bridges import SINCE_2_5
from everystate.model.conformance.difference_text import text
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.transactions.client_drivable import fitting, generation_of, obstacles
from everystate.model.conformance.versions import PINNED
from everystate.model.conformance.walks import WalkShape
from everystate.model.transactions import GENERATIONS, KafkaTransactions
from tests.conformance.conftest import VERSION
from tests.conformance.transactions.mistakes import ENVIRONMENT, MISTAKES
from tests.conformance.transactions.stories import told

MODEL = "everystate.model.transactions:KafkaTransactions"
PLACE = Path(__file__).with_name("mistakes.py")
COURSE = WalkShape(steps=40, seed=1, faults=0.3)


def walks(place: str, constants: dict[str, Any], numbers: range) -> Job:
    """Some walks through the environment of transactions."""
    return Job("", (Plan(place, place, constants, walks=numbers),), load, COURSE, shrinks=False, most=1)


@pytest.mark.thorough
@pytest.mark.kafka
def test_walks_agree_and_find_every_mistake(kafka: Callable[..., Any]) -> None:
    mistaken = [walks(f"{PLACE}:{m.cls.__name__}", m.constants, range(m.walk, m.walk + 1)) for m in MISTAKES]
    right = [
        walks(MODEL, {**ENVIRONMENT, "generation": generation, "hasty": hasty}, range(6))
        for generation, hasty in (("4.3", False), ("part-1", True))
    ]
    reports = kafka(work_all, [*mistaken, *right])

    for mistake, report in zip(MISTAKES, reports, strict=False):
        assert report.found, mistake.cls.__name__
        found = report.found[0]
        assert found.difference.sort.startswith(mistake.differs), (mistake.cls.__name__, found.difference.sort)
        assert found.turns[-1] in text(found, VERSION)
    agreed = reports[len(MISTAKES) :]
    assert [found for report in agreed for found in report.found] == []
    assert [dict(report.behaviours) for report in agreed] == [{"walk": 6}, {"walk": 6}]
    rules = sum((report.rules for report in agreed), Counter[str]())
    shown = {"T9.1", "T9.2", "T9.3", "T9.5 lost", "T9.6 PRODUCER_FENCED", "T9.7 INVALID_PRODUCER_EPOCH", "T9.8"}
    assert shown - set(rules) == set()


@pytest.mark.thorough
@pytest.mark.kafka
def test_a_late_success_moves_the_next_transaction(kafka: Callable[..., Any]) -> None:
    """T9.17, finding 25: the second record is sent again only where no late success has come."""
    told = {kind: (seen[-1].last_acked, seen[-1].results[1]) for kind, seen in kafka(late_successes).items()}
    failed, again = (0, "OutOfOrderSequenceException"), (-1, "open")
    assert told == {(tv2, late): failed if late else again for tv2 in (False, True) for late in (False, True)}


@pytest.mark.kafka
def test_what_the_model_leaves_out_of_an_abort(
    kafka: Callable[..., Any],
) -> None:
    aborted, with_nothing, left = kafka(told)
    assert [tuple(each) for each in aborted[-3:]] == [
        ("the record expires", "ABORTING_TRANSACTION", "EndTxn(id 1000 epoch 5, abort)", "open"),
        ("EndTxn is answered", "INITIALIZING", "-", "ok"),
        ("beginTransaction", "INITIALIZING", "-", "IllegalStateException"),
    ]
    assert with_nothing == [("READY", "None", "ok")] * 4
    offsets = "TxnOffsetCommit(id 1000 epoch 6, offset 10 of partition 0, offset 3 of partition 1)"
    assert left == {
        "offsets": offsets,
        "answered": "IN_TRANSACTION",
        "unknown": "FATAL_ERROR",
        "joined": "InitProducerId(id 1000 epoch 5)",
        "offsets, TV2": offsets,
        "answered, TV2": "IN_TRANSACTION",
        "unknown, TV2": "FATAL_ERROR",
        "joined, TV2": "EndTxn(id 1000 epoch 5, abort)",
    }


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "offset", "unknown"), [("2.5.1", "10", "IllegalStateException"), ("4.4.0", "", "refused")]
)
def test_offsets_of_an_aborted_transaction_are_committed_until_4_3(
    release: Callable[[str], Callable[..., Any]], version: str, offset: str, unknown: str
) -> None:
    """T9.14, T9.16: the oldest client, and the first that commits them no more."""
    left = release(version)(stories)
    before = f"offset {offset} of partition 0, " if offset else ""
    request = f"TxnOffsetCommit(id 1000 epoch 6, {before}offset 3 of partition 1)"
    assert left["offsets"][-1].request == request
    assert left["answered"][-1].request == ("-" if offset else request), "asks again, for what still waits"
    assert left["unknown"][-1].step.endswith(unknown)


def make(given: dict[str, Any]) -> KafkaTransactions:
    """A spec of the newest generation, unless one is given."""
    return KafkaTransactions(**{"generation": "4.3", **given})


def test_every_release_has_a_generation_and_old_clients_are_taken_with_theirs() -> None:
    found = {version: generation_of(kafka) for version, kafka in SINCE_2_5.items()}
    assert [found[v] for v in ("2.5.1", "2.8.2", "3.9.2", "4.0.2", "4.3.1")] == [
        "2.5",
        "classic",
        "3.9.2",
        "4.0.2",
        "4.3",
    ]
    assert set(found.values()) <= set(GENERATIONS)
    assert fitting(make, {}, PINNED["3.9.2"])[1] == "3.9.2"
    assert fitting(make, {}, PINNED["4.0.2"])[1] == ""
    assert fitting(lambda given: make({"generation": "classic", **given}), {}, PINNED["2.6.3"])[1] == "2.5"


def test_a_client_without_the_transactions_of_a_generation_is_not_driven_with_it() -> None:
    told = "its generation is 4.3, and this release is of the generation 3.9.2"
    assert list(obstacles(make({}), PINNED["3.9.2"])) == [told]
    assert list(obstacles(make({"generation": "part-1"}), PINNED["4.3.1"])) == []
    replaced = {"generation": "part-1", "pids": 2}
    told = "its generation is part-1, and this release is of the generation 4.3"
    assert list(obstacles(make(replaced), PINNED["4.3.1"])) == [told], "T9.6"
    assert list(obstacles(make({**replaced, "generation": "4.3-without-tv2"}), PINNED["4.3.1"])) == []
    hasty = {"generation": "classic", "hasty": True}
    told = "its generation is classic, and this release is of the generation part-1"
    assert list(obstacles(make(hasty), PINNED["3.6.2"])) == [told], "T9.3"
    assert list(obstacles(make(hasty), PINNED["3.5.2"])) == []
    unreleased = make({"generation": "kafka-18660"})
    assert list(obstacles(unreleased, PINNED["4.3.1"])) == ["no release answers as kafka-18660 does"]
    late = KafkaTransactions(generation="part-1", late_joins=1)
    told = "a lost answer to InitProducerId, and an AddPartitionsToTxn that is late, are not driven"
    assert list(obstacles(late, PINNED["3.9.2"])) == [told]
