"""The coordinator of the model of transactions against Kafka's own TransactionMetadata, step by step.

    python bench/transaction_metadata.py [VERSION] [WALKS]

Random walks (with a fixed seed) through all faults of TV2 near the highest epoch. What a step does to the coordinator
is done to a TransactionMetadata of Kafka, as TransactionCoordinator would; then state, ids, epochs and partitions are
compared. Says how many steps agreed, of which kinds; exit code 1 at the first that does not.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from everystate.model.cluster.releases import BROKERS
from everystate.model.conformance import jvm
from everystate.model.conformance.jars import provide
from everystate.model.transactions import KafkaTransactions
from everystate.model.transactions.records import FAULTS

PACKAGE = "org.apache.kafka.coordinator.transaction."
HIGHEST, EPOCHS, LENGTH = 32_767, 4, 60
TIMEOUT, NOW, NO_ID = 60_000, 1, -1


def real(epoch: int) -> int:
    """An epoch of the model as one of Kafka: the highest stays the highest."""
    return epoch if epoch < 0 else HIGHEST - EPOCHS + epoch


class Metadata:
    """A TransactionMetadata, driven as TransactionCoordinator and TransactionStateManager do it."""

    def __init__(self, start: int, jpype: Any) -> None:
        self.jpype, self.of = jpype, jpype.JClass
        self.states = self.of(PACKAGE + "TransactionState")
        self.tv2 = self.of("org.apache.kafka.server.common.TransactionVersion").TV_2
        none, epoch = jpype.JShort(-1), jpype.JShort(start)
        nothing, empty = self.of("java.util.Set").of(), self.states.EMPTY
        self.it = self.of(PACKAGE + "TransactionMetadata")(
            "id", 0, NO_ID, NO_ID, epoch, none, TIMEOUT, empty, nothing, -1, NOW, self.tv2
        )
        self.pending: Any = None

    def partition(self, number: int) -> Any:
        return self.of("org.apache.kafka.common.TopicPartition")("t", number)

    def initialize(self, fresh: int) -> None:
        """T2.2, T2.6."""
        if self.it.isProducerEpochExhausted():
            self.it.completeTransitionTo(self.it.prepareProducerIdRotation(fresh, TIMEOUT, NOW, False))
        else:
            nobody = self.of("java.util.Optional").empty()
            self.it.completeTransitionTo(self.it.prepareIncrementProducerEpoch(TIMEOUT, nobody, NOW))

    def join(self, partition: int) -> None:
        """T3.1."""
        added = self.of("java.util.Set").of(self.partition(partition))
        self.it.completeTransitionTo(self.it.prepareAddPartitions(added, NOW, self.tv2))

    def end(self, commit: bool, fresh: int, fence: bool = False) -> None:
        """T4.6, T5.4, T5.6; then the transition to Complete is pending (T1.10)."""
        if fence:
            self.it.prepareFenceProducerEpoch()
            self.it.pendingState(self.of("java.util.Optional").empty())
        fresh = fresh if self.it.isProducerEpochExhausted() else NO_ID
        target = self.states.PREPARE_COMMIT if commit else self.states.PREPARE_ABORT
        alone = self.it.state() != self.states.ONGOING
        self.it.completeTransitionTo(self.it.prepareAbortOrCommit(target, self.tv2, fresh, NOW, alone))
        self.pending = self.it.prepareComplete(NOW)

    def skip_epochs(self) -> None:
        """A fresh producer id begins with epoch 0, in the model shortly before the highest one."""
        if self.it.producerEpoch() != 0:
            sys.exit(f"a fresh producer id begins with epoch {self.it.producerEpoch()}")
        self.it.setProducerEpoch(self.jpype.JShort(real(0)))

    def seen(self) -> tuple[Any, ...]:
        it = self.it
        there = it.topicPartitions()
        return (
            str(it.state().stateName()),
            int(it.producerId()),
            int(it.producerEpoch()),
            int(it.lastProducerEpoch()),
            [bool(there.contains(self.partition(p))) for p in range(2)],
        )


def expected(spec: Any) -> tuple[Any, ...]:
    """The same of a state of the model; in a Prepare state Kafka's list is what has no marker yet."""
    tc = spec.coordinator
    left = tc.unmarked if str(tc.state).startswith("Prepare") else tc.partitions
    return str(tc.state), tc.pid, real(tc.epoch), real(tc.last_epoch), [bool(p) for p in left]


def follow(metadata: Metadata, action: str, before: Any, after: Any) -> str:
    """Do to Kafka's object what a step did to the coordinator; what that was."""
    old, new, fresh = before.coordinator, after.coordinator, after.pids_used
    was, now = str(old.state), str(new.state)
    if action == "initialize":
        metadata.initialize(fresh)
        return "InitProducerId"
    if now.startswith("Prepare") and not was.startswith("Prepare"):
        fence = action in ("time_out", "initialize_over")
        metadata.end(now == "PrepareCommit", fresh, fence)
        return "fence" if fence else now
    if now.startswith("Complete") and was.startswith("Prepare"):
        metadata.it.completeTransitionTo(metadata.pending)
        return now
    if now.startswith("Prepare"):
        return mark(metadata, old, new)
    for p in range(2):
        if new.partitions[p] and not old.partitions[p]:
            metadata.join(p)
            return "AddPartitionsToTxn"
    return "nothing"


def mark(metadata: Metadata, old: Any, new: Any) -> str:
    """T6.2: a marker was written; T1.8: a new coordinator has all partitions again."""
    for p in range(2):
        if old.unmarked[p] and not new.unmarked[p]:
            metadata.it.removePartition(metadata.partition(p))
            return "marker"
        if new.unmarked[p] and not old.unmarked[p]:
            metadata.it.addPartitions(metadata.of("java.util.Set").of(metadata.partition(p)))
    return "nothing"


def walk(dice: random.Random, jpype: Any, start: int, kinds: Counter[str]) -> None:
    """One random behaviour."""
    every = dict.fromkeys(FAULTS, 3)
    spec = KafkaTransactions(
        generation="4.3", sessions=2, epochs=EPOCHS, start_epoch=start, pids=6, faults=6, transactions=4, **every
    )
    [state] = spec.initial_states()
    metadata = Metadata(real(start), jpype)
    for _ in range(LENGTH):
        steps = list(spec.successors(state))
        if not steps:
            return
        step = dice.choice(steps)
        kind = follow(metadata, step.action.name, state, step.state)
        kinds[kind] += 1
        if step.state.coordinator.pid != state.coordinator.pid:
            metadata.skip_epochs()
        if metadata.seen() != expected(step.state):
            sys.exit(f"{step.label}: Kafka has {metadata.seen()}, the model {expected(step.state)}")
        state = step.state


def main(version: str = "4.4.0", walks: str = "100") -> None:
    """Compare; print what was compared."""
    import jpype

    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        jvm.start(version, provide(version, pinned=BROKERS)[1], Path(scratch))
        dice = random.Random(7)
        for number in range(int(walks)):
            walk(dice, jpype, number % 3, kinds)
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common() if kind != "nothing")
    print(f"Kafka {version}: {walks} walks agree, {sum(kinds.values()):,} steps: {told}")


if __name__ == "__main__":
    main(*sys.argv[1:])
