"""Who leads after each event, in the model of eligible replicas and in the controllers of some releases.

    python bench/elections.py [VERSION...]

Every step of every state of EligibleReplicas in which the controller changes the partition is given to the release's
PartitionChangeBuilder, and leader, in-sync set, eligible replicas and last known leader are compared.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from everystate.model.cluster.releases import BROKERS
from everystate.model.conformance import jvm
from everystate.model.conformance.jars import provide
from everystate.model.eligible import NONE, EligibleReplicas

FOLDERS = "org.apache.kafka.metadata.placement.DefaultDirProvider"
VERSIONS = {"4.0.2": "4.0", "4.1.2": "4.1", "4.2.2": "4.1", "4.3.1": "4.1", "4.4.0": "4.1"}
"""The releases, and what the model calls their controllers."""
SMALL = {"writes": 0, "stops": 2, "power_cuts": 2, "shrinks": 1}
CONTROLLER = "org.apache.kafka.controller.PartitionChangeBuilder"


class Controller:
    """PartitionChangeBuilder of a release, with or without KIP-966."""

    def __init__(self, spec: EligibleReplicas) -> None:
        import jpype

        self.jpype, self.spec, self.eligible = jpype, spec, spec.rules.eligible
        self.of = jpype.JClass
        self.builder = self.of(CONTROLLER)
        self.version = self.of("org.apache.kafka.server.common.MetadataVersion").LATEST_PRODUCTION
        self.id = self.of("org.apache.kafka.common.Uuid")(1, 1)

    def ints(self, numbers: list[int]) -> Any:
        return self.jpype.JArray(self.jpype.JInt)(numbers)

    def boxed(self, numbers: list[int]) -> Any:
        return self.of("java.util.ArrayList")([self.of("java.lang.Integer")(n) for n in numbers])

    def before(self, state: Any) -> Any:
        """The partition as it is registered."""
        number = self.of("java.lang.Integer")
        folder = self.of("org.apache.kafka.common.Uuid")
        replicas = list(self.spec.brokers)
        builder = self.of("org.apache.kafka.metadata.PartitionRegistration$Builder")()
        builder.setReplicas(self.ints(replicas))
        builder.setDirectories(self.jpype.JArray(folder)([folder(1, 2 + b) for b in replicas]))
        builder.setIsr(self.ints([b for b in replicas if state.in_sync[b]]))
        builder.setElr(self.ints([b for b in replicas if state.eligible[b]]))
        builder.setLastKnownElr(self.ints([state.last_known] if state.last_known != NONE else []))
        builder.setLeader(number(state.leader))
        builder.setLeaderRecoveryState(self.of("org.apache.kafka.metadata.LeaderRecoveryState").RECOVERED)
        return builder.setLeaderEpoch(number(1)).setPartitionEpoch(number(1)).build()

    def change(self, state: Any, in_sync: list[int], crashed: int, alive: list[int]) -> tuple[Any, ...]:
        """What the release makes of a change of the in-sync set, or of a broker that comes back after a crash."""
        before = self.before(state)
        acceptable = self.jpype.JProxy("java.util.function.IntPredicate", dict={"test": lambda b: b in alive})
        given = (before, self.id, 0, acceptable, self.version, self.spec.min_insync)
        try:
            builder = self.builder(*given, self.eligible)
        except TypeError:  # until 4.2
            builder = self.builder(*given)
            builder.setEligibleLeaderReplicasEnabled(self.eligible)
        folder = self.jpype.JProxy(FOLDERS, dict={"defaultDir": lambda b: self.id})
        builder.setTargetIsr(self.boxed(in_sync)).setDefaultDirProvider(folder)
        if self.spec.unclean:
            builder.setElection(self.of(CONTROLLER + "$Election").UNCLEAN)
        if crashed != NONE:
            builder.setUncleanShutdownReplicas(self.boxed([crashed]))
        record = builder.build()
        after = before.merge(record.get().message()) if record.isPresent() else before
        last = [int(b) for b in after.lastKnownElr]
        return int(after.leader), sorted(map(int, after.isr)), sorted(map(int, after.elr)), last or [NONE]


def registered(spec: EligibleReplicas, state: Any) -> tuple[Any, ...]:
    """The same of the model."""
    in_sync = [b for b in spec.brokers if state.in_sync[b]]
    return state.leader, in_sync, [b for b in spec.brokers if state.eligible[b]], [state.last_known]


Change = tuple[list[int], int, list[int]]
"""The in-sync set that the controller is asked for, the broker that has crashed, and those that may lead."""


def asked(spec: EligibleReplicas, state: Any, step: str) -> Change | None:
    """What a step asks of the controller; None: nothing."""
    found = re.match(r"(\w+)\(broker=(\d)", step)
    name, broker = (found[1], int(found[2])) if found else (step, NONE)
    in_sync = [b for b in spec.brokers if state.in_sync[b]]
    alive = [b for b in spec.brokers if state.alive[b]]
    others = [b for b in in_sync if b != broker]
    living = [b for b in alive if b != broker]
    match name:
        case "stop" | "cut_power" | "shrink":
            return (others, NONE, living) if broker in in_sync else None
        case "join":
            return sorted([*others, broker]), NONE, alive
        case "register":
            if spec.rules.eligible and state.crashed[broker]:
                return (others, broker, alive) if broker in in_sync or state.eligible[broker] else None
            return (others, NONE, living) if broker in in_sync else None
        case "unfence":
            return (in_sync, NONE, [*alive, broker]) if state.leader == NONE else None
    return None


def compare(spec: EligibleReplicas) -> tuple[int, int]:
    """How many changes of the controller are compared in all states, and how many differ."""
    controller = Controller(spec)
    new = list(spec.initial_states())
    states, changes, differences = {str(state) for state in new}, 0, 0
    while new:
        state = new.pop()
        for step in spec.successors(state):
            after = step.state
            question = asked(spec, state, step.label)
            if question is not None:
                found, model = controller.change(state, *question), registered(spec, after)
                changes += 1
                if found != model:
                    differences += 1
                    print(f"{state}\n{step.label}: model {model}, Kafka {found}")
            if str(after) not in states:
                states.add(str(after))
                new.append(after)
    return changes, differences


def of_release(version: str) -> None:
    """Compare with the classes of a release, which this process can load once."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = provide(version, pinned=BROKERS if version in BROKERS else None)[1]
        jvm.start(version, paths, Path(scratch))
        for generation in ("without", VERSIONS[version]):
            total = different = 0
            for unclean, least in itertools.product((False, True), (1, 2, 3)):
                changes, differences = compare(
                    EligibleReplicas(generation=generation, unclean=unclean, min_insync=least, **SMALL)
                )
                total, different = total + changes, different + differences
            print(f"{version}, {generation}: {total} changes, {different} differences", flush=True)


def main() -> None:
    given = sys.argv[1:]
    if len(given) == 1:
        of_release(given[0])
        return
    for version in given or VERSIONS:
        subprocess.run([sys.executable, __file__, version], check=True)


if __name__ == "__main__":
    main()
