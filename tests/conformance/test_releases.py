"""Releases before 4.1: their own client and logs, and the border between two generations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.kafka_golden import OLD_FAULTS, plans_of_old_releases
from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import Behaviour, NamedStep
from everystate.model.conformance.compare import Difference
from everystate.model.conformance.difference_text import text
from everystate.model.conformance.drivable import generation_of, obstacles
from everystate.model.conformance.driver import OPEN
from everystate.model.conformance.jobs import Job, Plan, work, work_all
from everystate.model.conformance.known_differences import known
from everystate.model.conformance.mapping import NEXT_PASS, SWEEPS
from everystate.model.conformance.report import Report
from everystate.model.conformance.versions import PINNED, Kafka
from everystate.model.conformance.walks import WalkShape
from everystate.model.records import FAILED, UNKNOWN
from everystate.specs.kafka.common import TARGET
from tests.conformance import jobs
from tests.conformance.conftest import provided
from tests.selection import quick

LATE = {"batches": 4, "max_in_flight": 3, "epochs": 8, "replicas": 1, "faults": 6, "deadlines": 2, "refusals": 3}


def test_each_release_is_of_one_generation() -> None:
    found: dict[str, list[str]] = {}
    for version, kafka in PINNED.items():
        found.setdefault(generation_of(kafka), []).append(version)
    ends = {name: (versions[0], versions[-1]) for name, versions in found.items()}
    assert ends == {
        "kip-98": ("0.11.0.3", "0.11.0.3"),
        "1.0.0": ("1.0.1", "1.0.1"),
        "kafka-5494": ("1.0.2", "2.0.1"),
        "kafka-5886": ("2.1.1", "2.2.2"),
        "kafka-8484": ("2.3.1", "2.3.1"),
        "2.4": ("2.4.1", "2.4.1"),
        "kip-360": ("2.5.1", "2.7.0"),
        "kafka-12152": ("2.7.2", "3.5.2"),
        "current": ("3.6.2", "4.4.0"),
    }


def test_a_replica_remembers_five_batches_and_in_0_11_one() -> None:
    spec = KafkaProducer(window=2)
    reasons = ["a replica of Kafka remembers 5 batches, not 2, and that cannot be changed"]
    assert (list(obstacles(spec, PINNED["4.1.2"])), list(obstacles(spec, PINNED["4.0.2"]))) == (reasons, reasons)
    oldest = KafkaProducer(generation="kip-98", max_in_flight=1, pids=2)
    assert (oldest.retained, list(obstacles(oldest, PINNED["0.11.0.3"]))) == (1, [])


def test_a_client_alone_is_driven_with_brokers_of_the_model() -> None:
    """A folder of the user's own may have no more."""
    assert list(obstacles(KafkaProducer(window=2), Kafka("4.4.0", False, {}))) == []


@pytest.mark.thorough
@pytest.mark.kafka
@pytest.mark.parametrize("version", OLD_FAULTS)
def test_recorded_faults_of_old_releases_agree(release: Callable[..., Any], version: str) -> None:
    """with these faults, which meet no known difference"""
    plan = replace(plans_of_old_releases()[version], walks=range(20))
    report: Report = release(version)(work, Job(version, (plan,), load, WalkShape(40, 1, 0.4), shrinks=False))
    assert (report.behaviours["walk"], report.found) == (20, [])


@pytest.mark.thorough
@pytest.mark.kafka
@pytest.mark.parametrize("version", ["1.0.1", "2.1.1", "2.3.1"])
def test_old_releases_differ_as_is_known(version: str, tmp_path: Path) -> None:
    """docs/how-to/conformance.md"""
    provided(version)
    walks = ["--walks", "114", "--steps", "60", "--seed", "777", "--no-shrink", "--kafka", version]
    main(["conform", "environments", *walks, "--json", str(tmp_path / "report.json"), "-q"])
    [report] = json.loads((tmp_path / "report.json").read_text())
    assert report["driven"]["walk"] > 20 and report["differing"] > 2
    assert [each for each in report["found"] if not each["known"]] == []


@pytest.mark.thorough
@pytest.mark.kafka
def test_0_11_keeps_no_last_acknowledged_sequence_before_its_first_batch_either(release: Callable[..., Any]) -> None:
    constants = {"generation": "kip-98", "max_in_flight": 1, "pids": 3, "warm": 0, "replicas": 1}
    plan = Plan("cold", TARGET, constants, walks=range(2))
    report: Report = release("0.11.0.3")(work, Job("0.11.0.3", (plan,), load, shrinks=False))
    assert (report.behaviours["walk"], report.found) == (2, [])


@pytest.mark.kafka
@pytest.mark.parametrize("version", quick(["4.4.0"], ["2.5.1", "4.4.0"]))
def test_one_in_flight(release: Callable[..., Any], version: str) -> None:
    assert release(version)(jobs.one_in_flight) == [0, None, 1]


@pytest.mark.thorough
@pytest.mark.kafka
@pytest.mark.parametrize(("version", "other"), [("3.5.2", "current"), ("3.6.2", "kafka-12152")])
def test_3_6_is_a_border(release: Callable[..., Any], version: str, other: str) -> None:
    """KAFKA-14831: until then a finished batch's late error requests a bump."""
    own = generation_of(PINNED[version])
    reports: list[Report] = release(version)(work_all, [late_errors(own), late_errors(other)])
    assert [(report.behaviours["walk"], report.differing) for report in reports] == [(10, 0), (10, 2)]
    assert {next(iter(found.difference.values)) for found in reports[1].found} == {"bump requested for partition 0"}


def late_errors(generation: str) -> Job:
    plan = Plan("late errors", TARGET, {**LATE, "generation": generation}, walks=range(10))
    return Job("", (plan,), load, shrinks=False)


OLD_PAIRS = {**LATE, "replicas": 2, "leader_changes": 2, "partitions": 2}


@pytest.mark.thorough
@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "other"), [("2.5.1", ""), ("2.6.3", ""), ("2.7.0", "kafka-12152"), ("2.7.2", "kip-360")]
)
def test_2_7_1_is_a_border(release: Callable[..., Any], version: str, other: str) -> None:
    """KAFKA-12152: until then a batch has its own id and epoch, and a partition has none (C2.3, C6, C9.4)."""
    own = generation_of(PINNED[version])
    jobs = [
        Job("", (Plan("old pairs", TARGET, {**OLD_PAIRS, "generation": name}, walks=range(15)),), load, shrinks=False)
        for name in (own, other)
        if name
    ]
    reports: list[Report] = release(version)(work_all, jobs)
    assert [report.behaviours["walk"] for report in reports] == [15] * len(jobs)
    assert [report.differing for report in reports] == ([0, 7] if other else [0])


RETRIED_LATE = (
    NamedStep("send", (("batch", 0),)),
    NamedStep("refuse", (("broker", 0), ("batch", 0))),
    NamedStep("read_answer", (("broker", 0), ("batch", 0))),
    NamedStep("send_again", (("batch", 0),)),
    NamedStep("delivery_timeout", (("batch", 0),)),
    NamedStep("expire_batches", (("sweep", 0),)),
    NamedStep("start_loop", (("loop", 0),)),
    NamedStep("send", (("batch", 1),)),
    NamedStep("handle", (("broker", 0), ("batch", 0))),
    NamedStep("read_answer", (("broker", 0), ("batch", 0))),
)
"""b0 is answered when it has expired, and b1 has its sequence in the next epoch."""


@pytest.mark.thorough
@pytest.mark.kafka
def test_a_known_difference_is_told_by_its_name(release: Callable[..., Any]) -> None:
    constants = {"warm": 0, "replicas": 1, "refusals": 1, "deadlines": 1, "faults": 2, "generation": "kafka-12152"}
    plan = Plan("", TARGET, constants, (Behaviour("late", RETRIED_LATE),))
    report: Report = release("2.7.2")(work, Job("2.7.2", (plan,), load, shrinks=False))
    [found] = report.found
    assert found.difference.values == {"in flight of partition 0": (((1, 0, 0, False),), ())}
    assert found.known.startswith("KAFKA-13794: ")
    assert text(found, "2.7.2").splitlines()[1] == f"known, and not modelled: {found.known}"
    assert (report.verdict, report.exit_code) == ("DIFFERENT", 12)


REFUSED = (
    NamedStep("send", (("batch", 0),)),
    NamedStep("handle", (("broker", 0), ("batch", 0))),
    NamedStep("read_answer", (("broker", 0), ("batch", 0))),
    NamedStep("send", (("batch", 1),)),
    NamedStep("refuse", (("broker", 0), ("batch", 1))),
    NamedStep("read_answer", (("broker", 0), ("batch", 1))),
)
"""b1 is to be sent again; it ends in the action, and in the observable, of the known difference."""


@pytest.mark.thorough
@pytest.mark.kafka
def test_no_other_difference_hides_behind_a_known_one(release: Callable[..., Any]) -> None:
    """Neither one of the same action and observable, nor one in the same step."""
    place = f"{Path(__file__).with_name('mistakes.py')}:BesideAKnownDifference"
    constants = {"warm": 0, "replicas": 1, "deadlines": 1, "faults": 3, "generation": "kafka-12152"}
    late, refused = Behaviour("late", RETRIED_LATE), Behaviour("refused", REFUSED)
    first = Plan("", place, {**constants, "refusals": 2}, (late, late, refused))
    second = Plan("", place, {**constants, "refusals": 3}, (late,))
    gone = {"in flight of partition 0": (((1, 0, 0, False),), ())}
    bump = {"bump requested for partition 0": (True, False)}
    second_alone = {False: {**gone, **bump, NEXT_PASS: ("resolves or bumps", "sends b2")}}
    second_alone[True] = {**bump, NEXT_PASS: ("resolves or bumps", "sends b1")}
    for shrinks in (False, True):
        [report] = release("2.7.2")(work_all, [Job("2.7.2", (first, second), load, shrinks=shrinks)])
        told = [(found.behaviour, found.known[:11], found.times, found.difference.values) for found in report.found]
        assert told == [
            ("late", "KAFKA-13794", 2, gone),
            ("refused", "", 1, {"in flight of partition 0": (((1, 1, 0, False),), ((1, 1, 1, False),))}),
            ("late", "", 1, second_alone[shrinks]),
        ]
        assert (report.differing, report.exit_code) == (4, 12)


IN_FLIGHT, NEXT, LAST = (
    f"{what} of partition 0" for what in ("in flight", "next sequence", "last acknowledged sequence")
)
ONE, TWO = (1, 0, 0, False), (2, 1, 0, False)
GONE = {IN_FLIGHT: ((ONE, TWO), (TWO,))}


SPLIT = NamedStep("find_too_large", (("broker", 0), ("batch", 0)))
RESULT, ANSWER = "result of record 1", NamedStep("read_answer", (("broker", 0), ("batch", 1)))
SNAPSHOTS = "snapshots of broker 0 of partition 0"
ANEW = {IN_FLIGHT: (((1, 0, 0, True), (2, 1, 0, True)), ((2, 0, 0, True), (1, 1, 0, True)))}


@pytest.mark.parametrize(
    ("version", "name", "following", "values"),
    [
        ("2.2.2", "KAFKA-8484", 0, {RESULT: (FAILED, OPEN)}),
        ("2.3.1", "", 0, {RESULT: (FAILED, OPEN)}),
        ("2.2.2", "", 1, {RESULT: (FAILED, OPEN)}),
        ("2.2.2", "", 0, {RESULT: (FAILED, OPEN), NEXT: (0, 1)}),
        ("2.2.2", "", 1, {NEXT_PASS: ("sends b1, b2", "sends b2")}),
        ("2.2.2", "KAFKA-8483", 2, ANEW),
        ("2.3.1", "", 2, ANEW),
        ("2.2.2", "", 2, {**ANEW, NEXT: (0, 1)}),
        ("2.2.2", "", 2, {IN_FLIGHT: ((ONE,), (TWO,))}),
        ("2.7.2", "KAFKA-9393", 2, {SNAPSHOTS: ((2,), (1, 2))}),
        ("2.7.2", "", 2, {SNAPSHOTS: ((1, 2), (2,))}),
        ("2.8.2", "", 2, {SNAPSHOTS: ((2,), (1, 2))}),
        ("2.7.2", "", 2, {NEXT: (0, 1), SNAPSHOTS: ((2,), (1, 2))}),
        ("1.1.1", "D4 in 1.0 and 1.1", 2, {SNAPSHOTS: ((1, 2), (2,))}),
        ("1.1.1", "", 2, {SNAPSHOTS: ((1,), (2,))}),
        ("2.2.2", "KAFKA-8325", 2, {SWEEPS: ((0, 1), (0, 0, 1))}),
        ("2.2.2", "KAFKA-8325", 2, {SWEEPS: ((1,), (0, 1))}),
        ("2.2.2", "", 2, {SWEEPS: ((0, 1), (0,))}),
        ("2.2.2", "", 2, {SWEEPS: ((0,), (0, 1))}),
        ("2.2.2", "", 2, {SWEEPS: ((0, 1), (0, 0, 1)), NEXT: (0, 1)}),
        ("2.3.1", "", 2, {SWEEPS: ((0, 1), (0, 0, 1))}),
        ("2.0.1", "", 2, {SWEEPS: ((0, 1), (0, 0, 1))}),
    ],
)
def test_what_is_known_until_2_2(version: str, name: str, following: int, values: dict[str, Any]) -> None:
    """A failure of an old id that finds no sequence to take, and batches that are numbered anew in another order."""
    before = SimpleNamespace(kafka={NEXT: following, "result of record 1": OPEN})
    sides = SimpleNamespace(
        setup=SimpleNamespace(partitions=1), turns=[SPLIT, ANSWER], seen=[before, before], difference=Difference(values)
    )
    assert known(version, sides).partition(":")[0] == name  # type: ignore[arg-type]
    before.kafka[IN_FLIGHT] = (ONE, (2, 0, 0, True))  # with the same sequence
    sides.difference = Difference({NEXT_PASS: ("sends b1, b2", "sends b2")})
    shared = "KAFKA-8484" if version in ("1.1.1", "2.0.1", "2.2.2") else ""
    assert known(version, sides).partition(":")[0] == shared  # type: ignore[arg-type]
    sides.seen.append(SimpleNamespace(kafka={NEXT: following, IN_FLIGHT: ()}))  # their producer id is reset
    assert known(version, sides).partition(":")[0] == shared  # type: ignore[arg-type]
    before.kafka[IN_FLIGHT] = (ONE, TWO)
    assert not known(version, sides)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("version", "told", "values"),
    [
        ("2.7.2", True, GONE),
        ("3.0.2", False, GONE),
        ("2.7.2", False, {IN_FLIGHT: ((ONE, TWO), (ONE,))}),
        ("2.7.2", False, {IN_FLIGHT: ((ONE, TWO), ())}),
        ("2.7.2", False, {IN_FLIGHT: ((ONE, TWO), ((2, 1, 1, False),))}),
        ("2.7.2", False, {**GONE, LAST: (1, -1)}),
        ("2.5.1", False, {**GONE, NEXT: (2, 0)}),
        ("2.5.1", True, {NEXT: (1, 0), LAST: (0, -1), IN_FLIGHT: ((ONE,), ())}),
        ("2.5.1", False, {NEXT: (1, 2), LAST: (0, -1), IN_FLIGHT: ((ONE,), ())}),
        ("2.7.2", False, {NEXT: (1, 0), LAST: (0, -1), IN_FLIGHT: ((ONE,), ())}),
        ("2.7.2", True, {**GONE, NEXT_PASS: ("sends b1", "sends b2")}),
        ("2.7.2", False, {IN_FLIGHT: ((TWO, ONE), (TWO,)), NEXT_PASS: ("sends b1", "sends b2")}),
    ],
)
def test_what_is_known_as_kafka_13794(version: str, told: bool, values: dict[str, Any]) -> None:
    """b0 has expired with sequence 0; its late answer, or the loss of its connection, takes b1 out of the flight."""
    model, kafka = ({name: pair[side] for name, pair in values.items()} for side in (0, 1))
    old = {IN_FLIGHT: ((0, 0, 0, False),)}
    seen = [
        SimpleNamespace(kafka=old),
        SimpleNamespace(kafka={"result of record 0": UNKNOWN, IN_FLIGHT: model[IN_FLIGHT]}),
    ]
    sides = SimpleNamespace(
        setup=SimpleNamespace(partitions=1),
        turns=[*RETRIED_LATE],
        seen=[*seen, SimpleNamespace(model=model, kafka=kafka)],
        difference=Difference(values),
    )
    assert bool(known(version, sides)) == told  # type: ignore[arg-type]
    sides.turns[-1] = NamedStep("disconnect", (("broker", 0),))
    assert not known(version, sides)  # type: ignore[arg-type]
    link = "connection to broker 0"
    sides.seen[-2].kafka[link] = (((0,), 1000, 0, 0),)
    assert not known(version, sides)  # type: ignore[arg-type]
    kafka[link] = ()
    assert bool(known(version, sides)) == told  # type: ignore[arg-type]
    sides.seen[-2].kafka[link] = (((1,), 1000, 1, 0),)
    assert not known(version, sides)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("turn", "result", "wrong", "told"),
    [
        (NamedStep("read", (("node", 0),)), "expired", {}, True),
        (NamedStep("lose", (("node", 0),)), "expired", {}, True),
        (NamedStep("read", (("node", 0),)), "open", {}, False),
        (NamedStep("lose", (("node", 1),)), "expired", {}, False),
        (NamedStep("settle", ()), "expired", {}, False),
        (NamedStep("read", (("node", 0),)), "expired", {"next sequence of partition 0": (1, 0)}, False),
    ],
)
def test_what_is_known_as_kafka_13794_of_the_drain(
    turn: NamedStep, result: str, wrong: dict[str, Any], told: bool
) -> None:
    """b0 of partition 0 has expired with sequence 0, and a bump has given that to b1; then its late answer comes."""
    sent, waits = "sequenced batches of partition 0", "partition 0 must wait"
    one, two = (1, 1, 0, True, True), (2, 1, 1, True, True)
    earlier = SimpleNamespace(kafka={sent: ((0, 0, 0, False, False),)})
    before = SimpleNamespace(
        kafka={
            "requests to node 0": (((0, 0, "NOT_LEADER_OR_FOLLOWER"),),),
            "results of partition 0": (result, "open", "open"),
            sent: (one, two),
        }
    )
    values = {sent: ((one, two), (two,)), waits: (False, True), **wrong}
    sides = SimpleNamespace(
        turns=[turn], seen=[earlier, before, SimpleNamespace(kafka={})], difference=Difference(values)
    )
    assert bool(known("2.8.2", sides)) == told  # type: ignore[arg-type]
    assert not known("3.5.2", sides)  # type: ignore[arg-type]
