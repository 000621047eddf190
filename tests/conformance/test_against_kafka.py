"""The model against Kafka's own classes: counterexamples are reproduced, walks agree, and what is wrong is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.cover import cover
from everystate.model.conformance.difference_text import text
from everystate.model.conformance.jobs import Job, Plan, work_all
from everystate.model.conformance.page import page
from everystate.model.conformance.report import Report, as_json
from everystate.model.conformance.walks import WalkShape
from everystate.specs.kafka.environments import ENVIRONMENTS
from everystate.specs.replication.environments import ENVIRONMENTS as OF_THREE

pytestmark = [pytest.mark.kafka, pytest.mark.thorough]
MODEL = "everystate.model.kafka:KafkaProducer"


def counterexamples(target: str, constants: dict[str, Any] | None = None) -> Plan:
    """The counterexamples of a scenario."""
    spec = load(target, constants or {})
    found = exhaustive.check(model.build(spec), target=target).violations
    behaviours = tuple(of_trace(spec, v.property, v.trace) for v in found if v.trace is not None)
    return Plan(target, target, spec.constants, behaviours)


def every_step(target: str) -> Plan:
    """Behaviours that take every step of the graph of a scenario."""
    spec = load(target, {})
    assert isinstance(spec, KafkaProducer)
    return Plan(target, target, spec.constants, tuple(cover(spec, 100)))


def skipping(plan: Plan) -> Plan:
    """The same behaviour without its third step."""
    [whole] = plan.behaviours
    return replace(plan, behaviours=(replace(whole, turns=(*whole.turns[:2], *whole.turns[3:])),))


def job(*plans: Plan, **course: Any) -> Job:
    return Job("", plans, load, WalkShape(**course))


RESTART = "current/clean-restart"
ROUND = "everystate.model.liveness:Delivering"
GRAPHS = ("current/cold-start-refused", "current/no-fault")


@pytest.fixture(scope="module")
def reports(kafka: Callable[..., Any]) -> dict[str, Report]:
    """What came of all that is driven here, by name, in one process."""
    restart = counterexamples(RESTART)
    environments = [
        Plan(f"environments/{name}", MODEL, ENVIRONMENTS[name], walks=range(8))
        for name in ("requests", "two-partitions", "wrap")
    ]
    three = [
        Plan(f"three-replica-environments/{name}", MODEL, environment, walks=range(3))
        for name, environment in OF_THREE.items()
    ]
    follower = {"batches": 2, "warm": 0, "clean_restarts": 1, "retentions": 1, "deadlines": 1, "faults": 3}
    mistake = f"{Path(__file__).with_name('mistakes.py')}:RefusesUnknown"
    constants = {"batches": 4, "max_in_flight": 3, "expiries": 1, "disconnects": 1, "faults": 2}
    jobs = {
        "restart": job(restart),
        "walks": job(*environments, steps=40),
        "three replicas": job(*three, steps=45, faults=0.3, seed=3),
        "follower": job(Plan("follower", MODEL, follower, walks=range(76, 78)), steps=60, faults=0.5, seed=1),
        "round": job(counterexamples(ROUND, {"warm": 0, "refusals": 1, "batches": 2})),
        "mistake": job(Plan("mistakes", mistake, constants, walks=range(12)), faults=0.3, seed=2),
        "skipping": job(skipping(restart)),
        **{target: job(every_step(target)) for target in GRAPHS},
    }
    return dict(zip(jobs, kafka(work_all, list(jobs.values())), strict=True))


def test_a_clean_restart_duplicates_on_kafka_as_in_the_model(reports: dict[str, Report]) -> None:
    report = reports["restart"]
    assert report.found == []
    assert report.shown == ["current/clean-restart: NoDuplicate, with Kafka"]
    assert (report.steps, report.exit_code) == (11, 0)
    rules = {"B1.8", "B1.11", "B4.2", "B4.4", "C2.6", "C4.2", "C5.4", "C9.1", "C9.3", "D5"}
    assert rules - set(report.rules) == {"B1.8"}  # the second batch is not sent again in this behaviour


def test_walks_agree_after_every_step(reports: dict[str, Report]) -> None:
    report = reports["walks"]
    assert report.found == []
    assert report.behaviours == {"walk": 24}
    assert report.exit_code == 0


def test_walks_with_three_replicas_agree_after_every_step(reports: dict[str, Report]) -> None:
    """Three of these differed when an election cleared what the new leader had, in the state of the old one."""
    report = reports["three replicas"]
    assert report.found == []
    assert report.behaviours == {"walk": 24}
    assert {"B6.1", "D1", "D3", "D4", "D6"} - set(report.rules) == set()


def test_what_the_model_does_not_track_is_not_compared(reports: dict[str, Report]) -> None:
    """A follower that may never lead: where its log begins after retention, and so what it remembers."""
    report = reports["follower"]
    assert (report.found, report.behaviours) == ([], {"walk": 2})


def test_a_behaviour_that_goes_on_for_ever_goes_round_on_kafka_too(reports: dict[str, Report]) -> None:
    report = reports["round"]
    assert report.shown == [
        f"{ROUND}: {name}, with Kafka" for name in ("NoGap", "every_record_has_a_result, twice round")
    ]
    assert report.rules["C5.3"] == 2


def test_a_mistake_in_the_model_is_found_shrunk_and_told(reports: dict[str, Report]) -> None:
    report = reports["mistake"]
    assert report.exit_code == 12
    found = report.found[0]
    expected = {"send(batch=0)", "expire_producers(broker=0, partition=0)", "handle(broker=0, batch=0)"}
    assert (set(found.turns), len(found.turns)) == (expected, 3)
    assert found.length > 3
    told = text(found, "4.3.1")
    assert "  ! log of partition 0:\n      another (id 1000 epoch 0 seq 0)                         another" in told
    assert page([report]).count('<tr class="differs">') == len(found.difference.values)
    assert as_json(report)["found"][0]["turns"] == found.turns


@pytest.mark.parametrize(("target", "behaviours", "steps"), [(GRAPHS[0], 16, 178), (GRAPHS[1], 15, 213)])
def test_every_step_of_a_small_graph(reports: dict[str, Report], target: str, behaviours: int, steps: int) -> None:
    report = reports[target]
    assert (report.found, report.behaviours, report.steps) == ([], {"behaviour": behaviours}, steps)


def test_a_behaviour_that_cannot_be_taken_as_it_is_was_not_reproduced(reports: dict[str, Report]) -> None:
    report = reports["skipping"]
    cannot = "NoDuplicate, with Kafka: step 3, handle(broker=0, batch=1), cannot be taken"
    assert (report.shown, report.obstacles, report.exit_code) == ([], {RESTART: [cannot]}, 3)
