"""The coordinator of transactions and the leaders in the model, beside Kafka's own: walks agree, mistakes are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.model.conformance.behaviour import of_violations
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.process import run
from everystate.model.conformance.transactions.client_drivable import generation_of
from everystate.model.conformance.transactions.coordinator_drivable import fitting, obstacles
from everystate.model.conformance.transactions.coordinator_rules import SHOWN
from everystate.model.conformance.transactions.releases import PINNED
from everystate.model.conformance.versions import PINNED as CLIENTS
from everystate.model.conformance.walks import WalkShape
from everystate.model.transactions import GENERATIONS, KafkaTransactions
from everystate.model.transactions.records import CONCURRENT, RETRIABLE
from everystate.specs.transactions.environments import ENVIRONMENTS
from tests.conformance.conftest import provided
from tests.conformance.transactions.coordinator_mistakes import MISTAKES, OF_OLDER_CLIENTS, OLD_CLIENTS, WITHOUT_TV2
from tests.conformance.transactions.stories import (
    REFUSALS,
    admissions,
    elected_again,
    marker_too_large,
    only_fence,
    prepared_is_kept,
    second_before_first,
)

pytestmark = pytest.mark.thorough

MODEL = "everystate.model.transactions:KafkaTransactions"
PLACE = Path(__file__).with_name("coordinator_mistakes.py")
COURSE = WalkShape(steps=60, seed=1, faults=0.3)


def driven(version: str, jobs: list[Job], what: Callable[..., Any] = work_all) -> Any:
    """What jobs gave on a release, their reports unless `what` says more, or the reason why it cannot be had."""
    return run(*provided(version, pinned=PINNED), what, jobs)


def walks(place: str, environment: str, numbers: range, generation: str = "") -> Job:
    """Some walks through an environment, of the newest generation or another one."""
    given = {**ENVIRONMENTS[environment], **({"generation": generation} if generation else {})}
    plan = Plan(f"txn-environments/{environment}", place, given, walks=numbers, beside="coordinator")
    return Job("", (plan,), load, COURSE, shrinks=False, most=1)


@pytest.mark.kafka
def test_walks_agree_and_find_every_mistake() -> None:
    mistaken = [walks(f"{PLACE}:{m.cls.__name__}", m.environment, range(m.walk, m.walk + 1)) for m in MISTAKES]
    right = [
        *(walks(MODEL, environment, range(2)) for environment in ENVIRONMENTS),
        walks(MODEL, "markers-left-behind", range(19, 20)),
    ]
    told, reports = driven("4.4.0", [*mistaken, *right], admissions)

    queued = [
        ("NOT_ENOUGH_REPLICAS", "", [3]),
        ("INVALID_PRODUCER_EPOCH", "", [4]),
        ("", "INVALID_PRODUCER_EPOCH", [4]),
    ]
    assert told == {
        0: (REFUSALS, True, [RETRIABLE], queued),
        2: (REFUSALS, True, ["join 1000 3", "join 1000 3", CONCURRENT], queued),
    }
    found = [report.found[0].difference.sort if report.found else "" for report in reports[: len(MISTAKES)]]
    assert found == [mistake.differs for mistake in MISTAKES]
    agreed = reports[len(MISTAKES) :]
    assert [found for report in agreed for found in report.found] == []
    assert [report.exit_code for report in agreed] == [0] * (len(ENVIRONMENTS) + 1)
    shown = sum((report.rules for report in agreed), Counter[str]())
    assert set(shown) <= set(SHOWN)
    assert {"T1.4", "T1.6", "T1.8", "T1.9", "T3.3", "T4.5", "T5.6", "T5.10", "T6.3", "T7.5", "T7.12", "T7.15"} <= set(
        shown
    )


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "generation", "waits", "behind"),
    [
        ("2.8.2", "classic", False, ""),
        ("3.7.2", "part-1", False, "INVALID_TXN_STATE"),
        ("3.8.1", "part-1", True, "INVALID_TXN_STATE"),
        ("3.9.2", "3.9.2", True, "INVALID_PRODUCER_EPOCH"),
    ],
)
def test_coordinators_before_4_0(version: str, generation: str, waits: bool, behind: str) -> None:
    """KAFKA-16352 (3.8): until then an answer to the term before made the same broker forget that it waits (T1.9).

    T5.10: a fence at the highest epoch that was not written cannot be repeated, but by another coordinator.
    """
    environments = {
        environment: {**ENVIRONMENTS[environment], "generation": generation}
        for environment in ("new", "at-the-highest-epoch")
    }
    plans = [Plan(name, MODEL, environments[name], walks=range(3), beside="coordinator") for name in environments]
    jobs = [Job("", (plan,), load, COURSE, shrinks=False) for plan in plans]
    found, told, reports = driven(version, jobs, elected_again)
    assert found == [waits, True]
    stuck = ["COORDINATOR_NOT_AVAILABLE", "UNKNOWN_SERVER_ERROR", "PRODUCER_FENCED", ("Ongoing", 32767)]
    assert told == [[*stuck, CONCURRENT, ("PrepareAbort", 32767)], behind]
    assert [(each.behaviours["walk"], each.found, each.exit_code) for each in reports] == [(3, [], 0)] * 2
    shown = sum((report.rules for report in reports), Counter[str]())
    assert {"T1.7", "T1.8"} <= set(shown)
    assert [name in shown for name in ("T3.5", "T7.9", "T7.13")] == [bool(behind)] * 3


@pytest.mark.kafka
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2", "4.4.0"])
def test_a_marker_that_is_too_large(version: str) -> None:
    """T6.2: as with a max.message.bytes below 78; after it AddPartitionsToTxn is repeated without an end"""
    assert run(*provided(version, pinned=PINNED), marker_too_large) == (True, False, CONCURRENT, True)


@pytest.mark.thorough
@pytest.mark.kafka
@pytest.mark.parametrize("version", ["4.1.2", "4.4.0"])
def test_no_coordinator_keeps_a_prepared_transaction(version: str) -> None:
    """T2.10; InitProducerId as usual aborts it (T2.5)"""
    found = run(*provided(version, pinned=PINNED), prepared_is_kept)
    assert found == ["UNSUPPORTED_VERSION", CONCURRENT, "PrepareAbort"]


OUT_OF_ORDER = "OUT_OF_ORDER_SEQUENCE_NUMBER"


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "tv", "unguarded"),
    [
        ("3.6.2", 0, ("NONE", OUT_OF_ORDER)),
        ("3.9.2", 0, ("NONE", OUT_OF_ORDER)),
        ("4.0.2", 2, ("NONE", OUT_OF_ORDER)),
        ("4.4.0", 0, ("NONE", OUT_OF_ORDER)),
        ("4.4.0", 2, (OUT_OF_ORDER, "NONE")),
    ],
)
def test_the_second_record_before_the_first(version: str, tv: int, unguarded: tuple[str, str]) -> None:
    """as `Several` has it: T7.17 alone, until 4.0 and without TV2, does not help where no guard was taken"""
    found = run(*provided(version, pinned=PINNED), second_before_first, tv)
    assert found == [(OUT_OF_ORDER, "NONE"), unguarded]


@pytest.mark.kafka
def test_older_clients_of_4_3() -> None:
    """EndTxn follows the client's transaction version, fences and timeouts that of the cluster (T4.3, T5.1, T5.4)."""
    mistaken = [
        walks(f"{PLACE}:{m.cls.__name__}", m.environment, range(m.walk, m.walk + 1), m.generation)
        for m in OF_OLDER_CLIENTS
    ]
    right = [
        walks(MODEL, "new", range(2, 4), WITHOUT_TV2),
        walks(MODEL, "at-the-highest-epoch", range(4, 6), WITHOUT_TV2),
        walks(MODEL, "new", range(2, 4), OLD_CLIENTS),
        walks(MODEL, "at-the-highest-epoch", range(6, 8), OLD_CLIENTS),
    ]
    reports = driven("4.3.1", [*mistaken, *right])

    found = [report.found[0].difference.sort if report.found else "" for report in reports[: len(mistaken)]]
    assert found == [mistake.differs for mistake in OF_OLDER_CLIENTS]
    agreed = reports[len(mistaken) :]
    assert [(report.found, report.behaviours["walk"], report.exit_code) for report in agreed] == [([], 2, 0)] * 4
    without, mixed = (sum((each.rules for each in some), Counter[str]()) for some in (agreed[:2], agreed[2:]))
    assert {"T4.3", "T5.1", "T5.9", "T7.15"} <= set(without)
    assert {"T4.3", "T5.4", "T5.6", "T7.15"} <= set(mixed)
    assert {"T4.5", "T4.6", "T5.3", "T5.7"}.isdisjoint({*without, *mixed}) and "T5.1" not in mixed


@pytest.mark.kafka
def test_4_0_2_is_a_border() -> None:
    """KAFKA-19690: from then on a lower epoch is told before the guard is compared (T7.15), by a log of Scala here."""
    environments = {name: {**ENVIRONMENTS["markers-left-behind"], "generation": name} for name in ("4.0.2", "4.0.1")}
    plans = [Plan(name, MODEL, environments[name], walks=range(1), beside="coordinator") for name in environments]
    right, wrong = driven("4.0.2", [Job("", (plan,), load, COURSE, shrinks=False) for plan in plans])
    assert (right.found, right.behaviours["walk"], right.exit_code) == ([], 1, 0)
    [found] = wrong.found
    assert found.difference.values == {"answer to the batch": ("INVALID_TXN_STATE", "INVALID_PRODUCER_EPOCH")}


@pytest.mark.kafka
def test_a_counterexample_is_reproduced_by_the_coordinator() -> None:
    """KAFKA-20310: a coordinator that loads its log has forgotten the next producer id."""
    target = "txn-4.2/repeated-end-at-the-highest-epoch"
    spec = load(target, {})
    behaviours, _ = of_violations(spec, exhaustive.check(model.build(spec), target=target).violations)
    plan = Plan(target, target, spec.constants, tuple(behaviours), beside="coordinator", part="Kafka's coordinator")
    [report] = driven("4.2.2", [Job("", (plan,), load)])
    assert report.shown == [f"{target}: NoNeedlessEnd, with Kafka's coordinator"]
    assert (report.steps, report.exit_code) == (13, 0)


def make(given: dict[str, Any]) -> KafkaTransactions:
    """A spec of the newest generation, unless one is given."""
    return KafkaTransactions(**{"generation": "4.3", **given})


def test_the_brokers_of_a_release_are_taken_with_their_generation() -> None:
    assert {generation_of(kafka) for kafka in PINNED.values()} <= set(GENERATIONS)
    assert [fitting(make, {}, PINNED[version])[1] for version in ("4.0.0", "4.1.2", "4.4.0")] == ["4.0.0", "4.1", ""]
    assert list(obstacles(make({"generation": "4.1"}), PINNED["4.1.2"], {})) == []
    older = [make({"generation": name}) for name in (WITHOUT_TV2, OLD_CLIENTS)]
    assert [list(obstacles(spec, PINNED[version], {})) for spec in older for version in ("4.3.1", "4.4.0")] == [[]] * 4
    assert [len(list(obstacles(spec, PINNED["4.2.2"], {}))) for spec in older] == [1, 1]


def test_the_model_words_refusals_as_a_leader_does() -> None:
    spec = make({})
    known = ("PRODUCER_FENCED", "INVALID_PRODUCER_ID_MAPPING", "INVALID_TXN_STATE", "TRANSACTION_ABORTABLE")
    assert {error: spec.to_client(error) for error in known} == {error: REFUSALS[error] for error in known}
    assert spec.to_client(CONCURRENT) == RETRIABLE


def test_what_is_not_driven() -> None:
    older = "its generation is 4.1, and the brokers of this release are of the generation 4.3"
    assert list(obstacles(make({"generation": "4.1"}), PINNED["4.4.0"], {})) == [
        f"{older}; -c generation=4.3 drives it so"
    ]
    unpinned = CLIENTS["3.1.2"]
    told = f"the coordinator of this release cannot be driven, those of {', '.join(PINNED)} can"
    assert list(obstacles(make({"generation": "classic"}), unpinned, {})) == [told]


@pytest.mark.kafka
@pytest.mark.parametrize(("version", "is_stuck"), [("4.0.2", True), ("4.2.2", True), ("4.3.1", False)])
def test_a_fence_that_is_not_written_without_tv2(version: str, is_stuck: bool) -> None:
    """T5.8: until KAFKA-20090 (4.3) clusters of 4.x whose transaction.version is below 2 throw at the highest epoch."""
    told = driven(version, [], only_fence)
    again, state = ("UNKNOWN_SERVER_ERROR", "Ongoing") if is_stuck else (CONCURRENT, "PrepareAbort")
    assert told[:4] == ["COORDINATOR_NOT_AVAILABLE", again, "PRODUCER_FENCED", (state, 32767)]
