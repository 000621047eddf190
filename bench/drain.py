"""The model of the drain against Kafka's own RecordAccumulator, Sender and TransactionManager, step by step.

    python bench/drain.py [VERSION] [WALKS]

Random walks (with a fixed seed) of three partitions on two nodes, through all faults. What a step does to the client is
done to Kafka's objects; the leaders are the model's. After each step these are compared: which nodes are ready, what is
drained with which epoch and sequence, the drain indexes, the queues, what is in flight, the marks of all partitions.
Says how many steps agreed; exit code 1 at the first that does not.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from everystate.checker import invariant
from everystate.model.conformance import jvm
from everystate.model.conformance.classes import field, has, java, kafka, method
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.codec import TOPIC, topic_id, value
from everystate.model.conformance.jars import provide
from everystate.model.conformance.signatures import call, construct
from everystate.model.drain import Drain
from everystate.model.drain.records import AGAIN, QUEUED, RESULTS, SENT

DELIVERY_TIMEOUT, PID, LENGTH = 1_000_000, 7, 80
ERRORS = {name: name for name in RESULTS} | {"LOST": "NETWORK_EXCEPTION"}


class Asked(Drain):
    """The model, which can be asked of a state which nodes are ready."""

    @invariant
    def Ready0(self) -> bool:
        """node 0 is ready"""
        return self.is_ready(0)

    @invariant
    def Ready1(self) -> bool:
        """node 1 is ready"""
        return self.is_ready(1)


class Client:
    """The real objects; a partition in backoff is muted instead, which the drain treats alike (P1.3, P1.4)."""

    def __init__(self, spec: Drain, state: Any, jpype: Any) -> None:
        self.jpype, self.clock, self.epoch = jpype, Clock(10_000_000), 0
        self.parts, self.nodes = spec.partitions, spec.nodes
        self.tps = [kafka("TopicPartition")(TOPIC, p) for p in range(self.parts)]
        metrics = kafka("Metrics")()
        given = {
            "batch_size": 1,
            "codec": lambda: kafka("CompressionType").NONE,
            "compression": lambda: kafka("Compression").NONE,
            "delivery_timeout": DELIVERY_TIMEOUT,
            "guarantee_order": False,
            "log": kafka("LogContext")(),
            "metrics": metrics,
            "network": None,
            "retries": 1 << 30,
            "sender_metrics": kafka("SenderMetricsRegistry")(metrics),
            "time": self.clock.java,
            "versions": kafka("ApiVersions")(),
        }
        self.metadata = given["topics"] = given["producer_metadata"] = construct("ProducerMetadata", **given)
        self.metadata.add(TOPIC, self.clock.now)
        self.manager = given["manager"] = construct("TransactionManager", **given)
        given["pool"] = construct("BufferPool", **given)
        self.accumulator = given["accumulator"] = construct("RecordAccumulator", **given)
        self.sender = construct("Sender", **given)
        pairs = field("TransactionManager", "producerIdAndEpoch")
        pairs.set(self.manager, jpype.JClass(pairs.getType())(jpype.JLong(PID), jpype.JShort(0)))
        self.learn(state)
        if not self.is_in_order():
            self.tps.reverse()
            self.learn(state)
            assert self.is_in_order()
        self.names: dict[int, tuple[int, int]] = {}
        self.batches: dict[tuple[int, int], Any] = {}
        for p in range(self.parts):
            for b in range(spec.batches[p]):
                self.append(p, b)
        self.size = int(self.batches[0, 0].estimatedSizeInBytes())

    def append(self, partition: int, number: int) -> None:
        now = self.clock.now
        call(
            self.accumulator,
            "RecordAccumulator",
            "append",
            topic=TOPIC,
            partition=self.tps[partition].partition(),
            topic_partition=self.tps[partition],
            timestamp=now,
            value=value(number, 40),
            now=now,
            cluster=self.metadata.fetch(),
        )
        batch = self.queue(partition).peekLast()
        self.batches[partition, number] = batch
        self.names[int(java("java.lang.System").identityHashCode(batch))] = partition, number

    def learn(self, state: Any) -> None:
        """Metadata: who leads which partition."""
        self.epoch += 1
        lists, data = java("java.util.Arrays"), kafka("MetadataResponseData")()
        ids = [self.jpype.JObject(n, self.jpype.JInt) for n in range(self.nodes)]
        for n in range(self.nodes):
            broker = kafka("MetadataResponseData$MetadataResponseBroker")()
            data.brokers().add(broker.setNodeId(n).setHost("localhost").setPort(9092))
        topic = kafka("MetadataResponseData$MetadataResponseTopic")().setName(TOPIC)
        if hasattr(topic, "setTopicId"):
            topic.setTopicId(topic_id())
        for p in range(self.parts):
            found = kafka("MetadataResponseData$MetadataResponsePartition")().setPartitionIndex(self.tps[p].partition())
            found.setLeaderId(int(state.entry[p].known_leader)).setLeaderEpoch(self.epoch)
            topic.partitions().add(found.setReplicaNodes(lists.asList(ids)).setIsrNodes(lists.asList(ids)))
        data.topics().add(topic)
        answer = construct("MetadataResponse", message=data, api_version=kafka("ApiKeys").METADATA.latestVersion())
        self.metadata.updateWithCurrentRequestVersion(answer, False, self.clock.now)

    def is_in_order(self) -> bool:
        """Whether the cluster lists the partitions of each node as the model numbers them."""
        listed = [[int(p.partition()) for p in self.metadata.fetch().partitionsForNode(n)] for n in range(self.nodes)]
        numbers = [int(tp.partition()) for tp in self.tps]
        return all(each == [n for n in numbers if n in each] for each in listed)

    # -- what a pass and an answer do ----------------------------------------------------------------------

    def known(self) -> Any:
        """What the accumulator is told of the cluster: a snapshot since 3.7."""
        found = self.metadata
        return found.fetchMetadataSnapshot() if hasattr(found, "fetchMetadataSnapshot") else found.fetch()

    def ready(self) -> list[int]:
        """RecordAccumulator.ready."""
        return sorted(int(node.id()) for node in self.accumulator.ready(self.known(), self.clock.now).readyNodes)

    def drain(self, node: int, room: int) -> list[tuple[int, int, int, int]]:
        """RecordAccumulator.drain, and what Sender does with it; partition, batch, epoch and sequence of each."""
        one = java("java.util.Collections").singleton(self.metadata.fetch().nodeById(node))
        limit = self.jpype.JInt(room * self.size + self.size // 2)
        drained = self.accumulator.drain(self.known(), one, limit, self.clock.now)
        self.sender.addToInflightBatches(drained)
        batches = list(drained.get(self.jpype.JInt(node)))
        return sorted((*self.name(b), int(b.producerEpoch()), int(b.baseSequence())) for b in batches)

    def settle(self) -> None:
        """C8, C9."""
        method("TransactionManager", "maybeResolveSequences", 0).invoke(self.manager)
        method("TransactionManager", "bumpIdempotentEpochAndResetIdIfNeeded", 0).invoke(self.manager)

    def complete(self, partition: int, number: int, result: str) -> None:
        """Sender.completeBatch."""
        batch, error = self.batches[partition, number], getattr(kafka("Errors"), ERRORS[result])
        answer = self.jpype.JClass(str(kafka("ProduceResponse").class_.getName()) + "$PartitionResponse")(error)
        rest = [self.jpype.JLong(1), self.jpype.JLong(self.clock.now)]
        if has_map():
            rest.append(java("java.util.HashMap")())
        was = str(batch.isDone())
        again = result not in ("NONE", "INVALID_RECORD", "INVALID_PRODUCER_EPOCH") and was == "False"
        method("Sender", "completeBatch", 2 + len(rest)).invoke(self.sender, batch, answer, *rest)
        if again:
            self.accumulator.mutePartition(self.tps[partition])

    def unmute(self, partition: int) -> None:
        """The backoff of a partition is over."""
        call(
            self.accumulator,
            "RecordAccumulator",
            "unmutePartition",
            topic_partition=self.tps[partition],
            now=self.clock.now,
        )

    def expire(self, partition: int, number: int) -> None:
        """C7, of one batch: its creation is put back by the delivery timeout; the sweep must find it and no other."""
        batch, now = self.batches[partition, number], self.jpype.JLong(self.clock.now)
        field("ProducerBatch", "createdMs").setLong(batch, self.jpype.JLong(self.clock.now - DELIVERY_TIMEOUT))
        found = [
            *self.accumulator.expiredBatches(now),
            *method("Sender", "getExpiredInflightBatches", 1).invoke(self.sender, now),
        ]
        assert [self.name(each) for each in found] == [(partition, number)], found
        fail(self.sender, batch)
        if batch.inRetry():
            method("TransactionManager", "markSequenceUnresolved", 1).invoke(self.manager, batch)

    # -- what is seen --------------------------------------------------------------------------------------

    def name(self, batch: Any) -> tuple[int, int]:
        return self.names[int(java("java.lang.System").identityHashCode(batch))]

    def queue(self, partition: int) -> Any:
        return method("RecordAccumulator", "getDeque", 1).invoke(self.accumulator, self.tps[partition])

    def indexes(self) -> list[int]:
        """The drain indexes: of each node, or the one of all."""
        if has("RecordAccumulator", "drainIndex"):
            return [int(field("RecordAccumulator", "drainIndex").getInt(self.accumulator))]
        stored = field("RecordAccumulator", "nodesDrainIndex").get(self.accumulator)
        return [int(stored.get(str(n)) or 0) for n in range(self.nodes)]

    def seen(self) -> dict[str, Any]:
        """Everything that is compared."""
        pair = field("TransactionManager", "producerIdAndEpoch").get(self.manager)
        marks = field("TransactionManager", "partitionsWithUnresolvedSequences").get(self.manager)
        rewrite = field("TransactionManager", "partitionsToRewriteSequences").get(self.manager)
        return {
            "ready": self.ready(),
            "index": self.indexes(),
            "epoch": int(pair.epoch),
            "queues": [[self.name(each) for each in self.queue(p)] for p in range(self.parts)],
            "marks": [-1 if marks.get(tp) is None else int(marks.get(tp)) for tp in self.tps],
            "rewrite": [bool(rewrite.contains(tp)) for tp in self.tps],
            "entries": [self.entry(tp) for tp in self.tps],
        }

    def entry(self, tp: Any) -> tuple[Any, ...] | None:
        """TxnPartitionEntry; None before the first drain, which gives it a pair."""
        entries = field("TransactionManager", "txnPartitionMap").get(self.manager)
        found = field("TxnPartitionMap", "topicPartitions").get(entries).get(tp)
        if found is None:
            return None
        flying = field("TxnPartitionEntry", "inflightBatchesBySequence").get(found)
        epoch = int(field("TxnPartitionEntry", "producerIdAndEpoch").get(found).epoch)
        if epoch < 0:
            return None
        return (
            epoch,
            int(field("TxnPartitionEntry", "nextSequence").getInt(found)),
            int(field("TxnPartitionEntry", "lastAckedSequence").getInt(found)),
            [
                (*self.name(b), int(b.producerEpoch()), int(b.baseSequence()), bool(b.sequenceHasBeenReset()))
                for b in flying
            ],
        )


def has_map() -> bool:
    """Whether completeBatch is told of new leaders (3.7 and later)."""
    declared = kafka("Sender").class_.getDeclaredMethods()
    return any(str(m.getName()) == "completeBatch" and len(m.getParameterTypes()) == 5 for m in declared)


def fail(sender: Any, batch: Any) -> None:
    """Sender.failBatch, of a batch that is too late: with an exception, and without adjusting sequences."""
    late = java("org.apache.kafka.common.errors.TimeoutException")("late")
    for each in kafka("Sender").class_.getDeclaredMethods():
        kinds = [str(kind.getSimpleName()) for kind in each.getParameterTypes()]
        if str(each.getName()) == "failBatch" and kinds[:3] == ["ProducerBatch", "RuntimeException", "boolean"]:
            each.setAccessible(True)
            each.invoke(sender, batch, late, *[False] * (len(kinds) - 2))
            return
    raise AssertionError("no failBatch")


def expected(spec: Drain, state: Any, met: set[int]) -> dict[str, Any]:
    """The same of a state of the model."""
    parts = range(spec.partitions)
    return {
        "ready": [n for n in range(spec.nodes) if spec.holds(f"Ready{n}", state)],
        "index": [int(i) for i in state.index],
        "epoch": int(state.epoch),
        "queues": [[(p, b) for b in spec.of(p) if state.batch[p][b].place in (QUEUED, AGAIN)] for p in parts],
        "marks": [int(state.entry[p].unresolved) for p in parts],
        "rewrite": [bool(state.entry[p].rewrite) for p in parts],
        "entries": [entry(spec, state, p) if p in met else None for p in parts],
    }


def entry(spec: Drain, state: Any, p: int) -> tuple[Any, ...]:
    it = state.entry[p]
    flying = [(b, state.batch[p][b]) for b in spec.of(p) if state.batch[p][b].place in (AGAIN, SENT)]
    stamped = [(p, b, int(each.epoch), int(each.sequence), bool(each.reopened)) for b, each in flying]
    return int(it.epoch), int(it.next), int(it.acked), stamped


def follow(client: Client, spec: Drain, step: Any, before: Any, met: set[int]) -> Any:
    """Do to Kafka's objects what a step did to the client; what a drain must take, and what it took."""
    name, given, after = step.action.name, dict(step.action.arguments), step.state
    if name == "drain":
        node, old = given["node"], len(before.wire[given["node"]])
        new = after.wire[node][old].items if len(after.wire[node]) > old else []
        wanted = sorted(
            (p, int(i.batch), int(i.epoch), int(i.sequence)) for p, i in enumerate(new) if i.result == "unread"
        )
        found = client.drain(node, spec.room)
        met |= {p for p, tp in enumerate(client.tps) if client.entry(tp) is not None}
        return wanted, found
    if name == "settle":
        client.settle()
    elif name == "read":
        for p, item in enumerate(before.wire[given["node"]][0].items):
            if item.result != "-":
                client.complete(p, int(item.batch), str(item.result))
    elif name in ("lose", "time_out"):
        for request in before.wire[given["node"]]:
            for p, item in enumerate(request.items):
                if item.result != "-":
                    client.complete(p, int(item.batch), "LOST")
    elif name == "learn_leader":
        client.learn(after)
    elif name == "back_off_no_more":
        client.unmute(given["partition"])
    elif name == "expire":
        p = given["partition"]
        client.expire(p, next(b for b in spec.of(p) if before.batch[p][b].place in (QUEUED, AGAIN, SENT)))
    return None


def walk(dice: random.Random, jpype: Any, version: str, kinds: Counter[str]) -> None:
    """One random behaviour."""
    generation = "3.2" if tuple(map(int, version.split("."))) < (3, 3) else "3.3"
    faults = dict.fromkeys(("refusals", "failures", "moves", "losses", "deadlines"), 3)
    spec = Asked(
        generation=generation,
        leaders=dice.choice([(0, 0, 1), (0, 1, 1), (0, 0, 0), (0, 1, 0)]),
        room=dice.choice([1, 2, 8]),
        batches=(4, 4, 3),
        max_in_flight=3,
        faulty=(0, 1, 2),
        faults=6,
        epochs=12,
        **faults,
    )
    [state] = spec.initial_states()
    client, met = Client(spec, state, jpype), set()
    for _ in range(LENGTH):
        steps = list(spec.successors(state))
        if not steps:
            return
        step = dice.choice(steps)
        drained = follow(client, spec, step, state, met)
        kinds[step.action.name] += 1
        if drained is not None:
            kinds["batches drained"] += len(drained[1])
            kinds["drains that take nothing"] += not drained[1]
            if drained[0] != drained[1]:
                sys.exit(f"{step.label}: Kafka drains {drained[1]}, the model {drained[0]}")
        state = step.state
        seen, wanted = client.seen(), expected(spec, state, met)
        if seen != wanted:
            parts = [f"{key}: Kafka {seen[key]}, the model {wanted[key]}" for key in seen if seen[key] != wanted[key]]
            sys.exit(f"{step.label}: " + "; ".join(parts))


def main(version: str = "4.4.0", walks: str = "50") -> None:
    """Compare; print what was compared."""
    import jpype

    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        jvm.start(version, provide(version)[1], Path(scratch))
        dice = random.Random(7)
        for _ in range(int(walks)):
            walk(dice, jpype, version, kinds)
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    print(f"Kafka {version}: {walks} walks agree: {told}")


if __name__ == "__main__":
    main(*sys.argv[1:])
