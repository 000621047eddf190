"""Records what Kafka's own classes show: writes tests/conformance/golden.jsonl.gz, which needs jars and a Java.

    python bench/kafka_golden.py

On the newest pinned release: the counterexamples of every violated scenario of the current generation that it can be
driven to, and some walks through each world. A step at which the model is not as Kafka is ends the recording with an
error: `everystate conform` tells such a difference as a story.
"""

from __future__ import annotations

import sys
from pathlib import Path

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.ir import model
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.drivable import obstacles
from everystate.model.conformance.golden import record, write
from everystate.model.conformance.jars import provide
from everystate.model.conformance.jobs import Plan
from everystate.model.conformance.process import run
from everystate.model.conformance.versions import PINNED
from everystate.model.conformance.walks import Course
from everystate.specs.kafka import SCENARIOS
from everystate.specs.kafka.common import TARGET
from everystate.specs.kafka.worlds import WORLDS
from everystate.specs.scenario import Scenario

FILE = Path(__file__).parents[1] / "tests" / "conformance" / "golden.jsonl.gz"
WALKS, COURSE = 3, Course(steps=45, seed=20, faults=0.25)
"""Walks through each world, and what they are like."""


def main() -> None:
    newest = list(PINNED.values())[-1]
    violated = [s for s in SCENARIOS if s.expected and not s.slow]
    plans = [counterexamples(s) for s in violated if not list(obstacles(KafkaProducer(**s.constants), newest))]
    plans += [Plan(f"worlds/{name}", TARGET, WORLDS[name], walks=range(WALKS)) for name in WORLDS]
    transcripts, differing = run(*provide(newest.version), record, newest.version, plans, load, COURSE)
    if differing:
        sys.exit(f"nothing is written, as model and Kafka {newest.version} differ in: {'; '.join(differing)}")
    write(FILE, transcripts)
    steps = sum(len(each.steps) for each in transcripts)
    print(f"Kafka {newest.version}: {len(transcripts)} behaviours, {steps:,} steps, {FILE.stat().st_size:,} bytes")


def counterexamples(scenario: Scenario) -> Plan:
    """The shortest traces of a scenario's violations."""
    found = exhaustive.check(model.build(KafkaProducer(**scenario.constants)), target=scenario.name).violations
    behaviours = tuple(of_trace(KafkaProducer(**scenario.constants), v.property, v.trace) for v in found if v.trace)
    return Plan(scenario.name, TARGET, dict(scenario.constants), behaviours)


if __name__ == "__main__":
    main()
