"""Records what Kafka's own classes show: the golden transcripts of tests/conformance and its folder transactions.

    python bench/kafka_golden.py

Needs jars and a Java. On the newest pinned release: the counterexamples of every violated scenario of the current
generation that it can be driven to, some walks through each test environment, and the behaviours of rare.py;
walks through each one of transactions beside Kafka's producers and its coordinator, and the behaviours of
specs/transactions/rare.py, each on its release; walks through each test environment of the drain, and the behaviours of
specs/drain/rare.py; and walks of old releases.

A step at which the model is not as Kafka is ends the recording with an error: `everystate conform`
prints the steps of such a difference.
"""

from __future__ import annotations

import sys
from pathlib import Path

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.language.scenario import Scenario
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import Behaviour, of_trace
from everystate.model.conformance.drivable import generation_of, obstacles
from everystate.model.conformance.golden import Transcript, record, write
from everystate.model.conformance.jars import provide
from everystate.model.conformance.jobs import Plan
from everystate.model.conformance.process import run
from everystate.model.conformance.transactions.releases import PINNED as COORDINATORS
from everystate.model.conformance.versions import PINNED, Kafka
from everystate.model.conformance.walks import WalkShape
from everystate.specs.drain.common import MODEL as OF_MANY
from everystate.specs.drain.environments import ENVIRONMENTS as DRAIN_WORLDS
from everystate.specs.drain.rare import RARE as RARE_OF_DRAIN
from everystate.specs.kafka import SCENARIOS
from everystate.specs.kafka.common import TARGET
from everystate.specs.kafka.environments import ENVIRONMENTS
from everystate.specs.kafka.rare import RARE
from everystate.specs.transactions.common import SAFETY
from everystate.specs.transactions.environments import ENVIRONMENTS as OF_TRANSACTIONS
from everystate.specs.transactions.environments import OF_OLDER_CLIENTS
from everystate.specs.transactions.rare import RARE as RARE_OF_TRANSACTIONS

FOLDER = Path(__file__).parents[1] / "tests" / "conformance"
FILE, TRANSACTIONS = FOLDER / "golden.jsonl.gz", FOLDER / "transactions" / "golden.jsonl.gz"
DRAIN, OLD = FOLDER / "drain_golden.jsonl.gz", FOLDER / "old_golden.jsonl.gz"
NEWEST = list(PINNED)[-1]
DRAINS = f"{OF_MANY}:Drain"
WALKS, OF_DRAIN, COURSE = 3, 2, WalkShape(steps=45, seed=20, faults=0.25)
"""Walks through each test environment, and through each of the drain; and what they are like."""
BESIDE = {"producers": 4, "coordinator": 10}
"""Walks through each test environment of transactions, beside each part of Kafka."""
OF_OLD = 5
"""Walks of each old release."""
OF_OLDER = 3
"""Walks through each test environment of older clients."""


def main() -> None:
    save(FILE, driven(NEWEST, None, plans_of_producers()))
    save(DRAIN, driven(NEWEST, None, plans_of_drain()))
    save(OLD, [each for release, plan in plans_of_old_releases().items() for each in driven(release, None, [plan])])
    of_releases = plans_of_transactions().items()
    save(TRANSACTIONS, [each for release, plans in of_releases for each in driven(release, COORDINATORS, plans)])


def plans_of_producers() -> list[Plan]:
    """The counterexamples of the idempotent producer, walks through its environments, and what these hardly meet."""
    newest = list(PINNED.values())[-1]
    violated = [s for s in SCENARIOS if s.expected and not s.slow]
    plans = [counterexamples(s) for s in violated if not list(obstacles(KafkaProducer(**s.constants), newest))]
    plans += [Plan(f"environments/{name}", TARGET, ENVIRONMENTS[name], walks=range(WALKS)) for name in ENVIRONMENTS]
    return plans + [Plan(f"rare/{r.name}", TARGET, r.constants, (Behaviour(r.rule, r.turns),)) for r in RARE]


OLD_FAULTS: dict[str, dict[str, int]] = {
    "0.11.0.3": {"max_in_flight": 1, "disconnects": 1, "refusals": 1, "invalid_records": 1},
    "1.0.1": {"leader_changes": 1, "disconnects": 2},
    "2.0.1": {"replicas": 1, "clean_restarts": 1, "retentions": 1, "disconnects": 1, "expiries": 1, "power_cuts": 1},
    "2.2.2": {"replicas": 1, "deadlines": 1, "disconnects": 1, "expiries": 1, "power_cuts": 1, "invalid_records": 1},
    "2.3.1": {"deadlines": 1, "disconnects": 1, "leader_changes": 1, "refusals": 1, "expiries": 1},
    "2.4.1": {"deadlines": 1, "disconnects": 1, "expiries": 1, "retentions": 1, "leader_changes": 1, "late_errors": 1},
    "2.8.2": {"clean_restarts": 1, "rolls": 1, "crashes": 1, "deadlines": 1},
    "3.5.2": {"replicas": 1, "expiries": 2, "clean_restarts": 1, "power_cuts": 1, "disconnects": 1},
}
"""Faults by release: one of each version of the protocol before 2.5, and two Scala logs after it.

They are mixes in which the model agrees: walks of 1.0 to 2.3 with other faults still differ (docs/how-to/
conformance.md), and no transcript covers these.
"""


def plans_of_old_releases() -> dict[str, Plan]:
    """Walks of old releases, with their own producers and logs."""
    return {
        release: Plan(
            f"old/{release}",
            TARGET,
            {"generation": generation_of(PINNED[release]), "faults": 3, "pids": 4, **faults},
            walks=range(OF_OLD),
        )
        for release, faults in OLD_FAULTS.items()
    }


def plans_of_drain() -> list[Plan]:
    """Walks through each test environment of the drain, and what these hardly meet."""
    walked = [
        Plan(f"drain-environments/{name}", DRAINS, DRAIN_WORLDS[name], walks=range(OF_DRAIN)) for name in DRAIN_WORLDS
    ]
    return walked + [
        Plan(f"drain-rare/{r.name}", DRAINS, r.constants, (Behaviour(r.rule, r.turns),)) for r in RARE_OF_DRAIN
    ]


def plans_of_transactions() -> dict[str, list[Plan]]:
    """By release, walks through each test environment of transactions, and what these hardly meet."""
    walked = [
        Plan(f"txn-environments/{name}", SAFETY, OF_TRANSACTIONS[name], walks=range(walks), beside=part)
        for part, walks in BESIDE.items()
        for name, constants in OF_TRANSACTIONS.items()
        if not {"late_joins", "elections"} & set(constants)  # driven by their own tests
    ]
    walked += [
        Plan(f"txn-{name}", SAFETY, constants, walks=range(OF_OLDER), beside="coordinator")
        for name, constants in OF_OLDER_CLIENTS.items()
    ]
    plans = {NEWEST: walked}
    for r in RARE_OF_TRANSACTIONS:
        behaviours = (Behaviour(r.rule, r.turns),)
        plan = Plan(f"txn-rare/{r.name}", SAFETY, r.constants, behaviours, beside=r.beside)
        plans.setdefault(r.kafka or NEWEST, []).append(plan)
    return plans


def driven(release: str, pinned: dict[str, Kafka] | None, plans: list[Plan]) -> list[Transcript]:
    """What a release shows."""
    kafka, paths = provide(release, pinned=pinned)
    transcripts: list[Transcript]
    transcripts, differing = run(kafka, paths, record, kafka.version, plans, load, COURSE)
    if differing:
        sys.exit(f"nothing is written, as model and Kafka {kafka.version} differ in: {'; '.join(differing)}")
    return transcripts


def save(file: Path, transcripts: list[Transcript]) -> None:
    """Write."""
    write(file, transcripts)
    releases = ", ".join(dict.fromkeys(each.kafka for each in transcripts))
    steps = sum(len(each.steps) for each in transcripts)
    print(f"Kafka {releases}: {len(transcripts)} behaviours, {steps:,} steps, {file.stat().st_size:,} bytes")


def counterexamples(scenario: Scenario) -> Plan:
    """The shortest traces of a scenario's violations."""
    found = exhaustive.check(model.build(KafkaProducer(**scenario.constants)), target=scenario.name).violations
    behaviours = tuple(of_trace(KafkaProducer(**scenario.constants), v.property, v.trace) for v in found if v.trace)
    return Plan(scenario.name, TARGET, dict(scenario.constants), behaviours)


if __name__ == "__main__":
    main()
