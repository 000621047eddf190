"""Kafka's TransactionCoordinator with its TransactionStateManager and TransactionMarkerChannelManager.

Real are these three and all that they use of Kafka. Simulated are the log of `__transaction_state`, the scheduler, the
clock, the generator of producer ids, the leaders of partitions, and the network to the leaders: the driver takes
requests with markers from the manager, and answers them. Every partition is led by a broker of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..by_kind import (
    as_java,
    call,
    client_response,
    declared,
    function,
    newest_version,
    optional,
    part,
    request_local,
    some,
    stand_in,
)
from ..classes import has, has_class, java, kafka, place
from ..clock import Clock
from .coordinator_log import CoordinatorLog, first_record

NAME, TOPIC, TIMEOUT = "id", "t", 60_000
EXPIRATION = 7 * 24 * 60 * TIMEOUT
"""transactional.id.expiration.ms, by default."""
FIRST_PID = 1000
LEADERS = 10
"""The broker of partition p is 10 + p."""
NO_ID = -1
MARKERS = "WRITE_TXN_MARKERS"
NOT_IN_IT, OLDER_NOT_IN_IT = "TRANSACTION_ABORTABLE", "INVALID_TXN_STATE"
"""The result of a verification for a partition that is not in the transaction, from 3.8 on and before (T3.5)."""


@dataclass(frozen=True)
class Metadata:
    """The content of a TransactionMetadata; ids and epochs are -1 where there are none."""

    state: str
    pending: str
    pid: int
    epoch: int
    last_epoch: int
    previous_pid: int
    next_pid: int
    partitions: tuple[int, ...]


NOBODY = Metadata("Empty", "", NO_ID, -1, -1, NO_ID, NO_ID, ())
"""The value for a transactional id that is not known."""


@dataclass(frozen=True)
class Marker:
    """A request with one marker, of one partition; `handler` gets the answer."""

    pid: int
    epoch: int
    commit: bool
    term: int
    partition: int
    version: int
    handler: Any


class RealCoordinator:
    """A coordinator with one transactional id; `next_pid` is the producer id that is generated next."""

    def __init__(self, tv: int, cluster: int, seed: tuple[int, int] | None) -> None:
        """`tv`, `cluster` are the transaction versions of clients and cluster; `seed` a pair that is known."""
        named = has_class("TransactionVersion") and has("TransactionVersion", "fromFeatureLevel")  # from 4.0 on
        self.tv = kafka("TransactionVersion").fromFeatureLevel(tv) if named else None
        self.clock, self.next_pid, self.term = Clock(1_000_000), FIRST_PID, -1
        self.scheduled: dict[str, Callable[[], None]] = {}
        self.log = CoordinatorLog()
        if seed is not None:
            self.log.add(first_record(NAME, *seed, TIMEOUT, 1 if cluster else 0))
        self.sent: dict[int, Marker] = {}
        self.metadata_cache = stand_in(kafka("MetadataCache"), _metadata(cluster))
        self.start_broker()
        self.elect()

    def start_broker(self) -> None:
        """A broker that has never been the coordinator, and is not yet."""
        config = stand_in(
            kafka("KafkaConfig"),
            {
                "brokerId": lambda: 0,
                "requestTimeoutMs": lambda: 30_000,
                "interBrokerListenerName": lambda: kafka("ListenerName")("PLAINTEXT"),
                "interBrokerProtocolVersion": newest_version,
            },
        )
        scheduler, txn_config = self._scheduler(), _config()
        surroundings = {
            "int": 0,
            "Scheduler": scheduler,
            "ReplicaManager": self.log.replica_manager,
            "MetadataCache": self.metadata_cache,
            "TransactionConfig": txn_config,
            "Time": self.clock.java,
            "Metrics": kafka("Metrics")(),
            "KafkaConfig": config,
            "NetworkClient": stand_in(kafka("NetworkClient"), {"wakeup": lambda: None}),
            "LogContext": kafka("LogContext")(),
            "Function0": function(self._ids, 0),
        }
        self.state = call(None, kafka("TransactionStateManager"), "new", surroundings)
        surroundings["TransactionStateManager"] = self.state
        self.markers = call(None, kafka("TransactionMarkerChannelManager"), "new", surroundings)
        surroundings["TransactionMarkerChannelManager"] = self.markers
        self.coordinator = call(None, kafka("TransactionCoordinator"), "new", surroundings)
        self.markers.initiateShutdown()  # its thread ends at once: the driver generates the requests
        self.coordinator.startup(function(lambda: java("java.lang.Integer").valueOf(50), 0), True)
        self.partition = int(self.coordinator.partitionFor(NAME))

    def _ids(self) -> Any:
        return stand_in(kafka("ProducerIdManager"), {"generateProducerId": lambda: self.next_pid})

    def _scheduler(self) -> Any:
        """Work that is due at once is done at once; periodic work is stored under its name."""
        import jpype

        def schedule(name: Any, task: Any, *when: Any) -> Any:
            self.scheduled[str(name)] = due = task.run if hasattr(task, "run") else task.apply  # Scala's, before 3.5
            if len(when) < 2 or int(when[1]) < 0:
                due()

        handlers = {"schedule": schedule, "scheduleOnce": schedule, "startup": lambda: None, "shutdown": lambda: None}
        return jpype.JProxy(place("Scheduler"), dict=handlers)

    # -- requests ------------------------------------------------------------------------------------------

    def initialize(self, expected: tuple[int, int] | None = None) -> tuple[str, int, int]:
        """InitProducerId, with the pair that the producer has or without: error, producer id and epoch."""
        heard: list[Any] = []
        pair = None if expected is None else kafka("ProducerIdAndEpoch")(*expected)
        given = {"String": NAME, "int": TIMEOUT, "boolean": False, "Option": some(pair)}
        self._ask("handleInitProducerId", {**given, "Function1": function(heard.append, 1)})
        [result] = heard
        return str(result.error().name()), int(result.producerId()), int(result.producerEpoch())

    def add_partition(self, pid: int, epoch: int, partition: int) -> str:
        """AddPartitionsToTxn of one partition."""
        return self._ask_about("handleAddPartitionsToTransaction", pid, epoch, partition)

    def verify_partition(self, pid: int, epoch: int, partition: int) -> str:
        """AddPartitionsToTxn that only verifies: the error of its partition."""
        heard: list[Any] = []
        given = self._about(pid, epoch, partition)
        self._ask("handleVerifyPartitionsInTransaction", {**given, "Function1": function(heard.append, 1)})
        [result] = heard
        code = result.topicResults().find(TOPIC).resultsByPartition().find(partition).partitionErrorCode()
        error = str(kafka("Errors").forCode(code).name())
        return NOT_IN_IT if error == OLDER_NOT_IN_IT and not has("Errors", NOT_IN_IT) else error

    def _ask_about(self, method: str, pid: int, epoch: int, partition: int) -> str:
        heard: list[Any] = []
        self._ask(method, {**self._about(pid, epoch, partition), "Function1": function(heard.append, 1)})
        [error] = heard
        return str(error.name())

    def _about(self, pid: int, epoch: int, partition: int) -> dict[str, Any]:
        return {
            "String": NAME,
            "long": pid,
            "short": epoch,
            "Set": java("java.util.HashSet")(java("java.util.Set").of(topic_partition(partition))),
        }

    def end(self, pid: int, epoch: int, commit: bool) -> tuple[str, int, int]:
        """EndTxn: error, and the pair with which the producer continues (-1 where the release reports none)."""
        heard: list[tuple[Any, ...]] = []

        def hear(*answer: Any) -> None:
            heard.append(answer)

        result = kafka("TransactionResult").COMMIT if commit else kafka("TransactionResult").ABORT
        given = {"String": NAME, "long": pid, "short": epoch, "TransactionResult": result}
        functions = {"Function1": function(hear, 1), "Function3": function(hear, 3)}
        self._ask("handleEndTransaction", {**given, **functions})
        [(error, *pair)] = heard
        told = [int(each) for each in pair] or [NO_ID, -1]
        return str(error.name()), told[0], told[1]

    def _ask(self, method: str, given: dict[str, Any]) -> None:
        surroundings = {"TransactionVersion": self.tv}
        if has_class("RequestLocal"):  # from 3.0 on
            surroundings["RequestLocal"] = request_local()
        call(self.coordinator, kafka("TransactionCoordinator"), method, {**surroundings, **given})

    # -- what it does by itself ----------------------------------------------------------------------------

    def time_out(self) -> None:
        """Time passes, and the round that aborts what is ongoing for too long."""
        self.clock.forward(TIMEOUT + 1)
        self.scheduled["transaction-abort"]()

    def expire_id(self) -> None:
        """Time passes, and the round that removes unused transactional ids."""
        self.clock.forward(EXPIRATION + 1)
        self.scheduled["transactionalId-expiration"]()

    def elect(self) -> None:
        """It becomes the coordinator, and loads the log."""
        self.term += 1
        self.coordinator.onElection(self.partition, self.term)

    def fail_over(self, batches: int | None = None) -> list[Marker]:
        """It resigns, and is elected again; returns the requests on their way, whose answers come too late.

        Its log has so many batches then, or all of them. Until 3.7 another broker is elected, as in the model: those
        answers would confuse the same one (T1.9).
        """
        late = self.resign()
        if batches is not None:
            del self.log.batches[batches:]
        if has("TransactionMarkerChannelManager", "removeMarkersForTxnId"):
            self.start_broker()
        self.elect()
        return late

    def resign(self) -> list[Marker]:
        """It is the coordinator no more; returns the requests on their way."""
        kind = declared(kafka("TransactionCoordinator"), "onResignation").getParameterTypes()[1]
        before = java("java.lang.Integer").valueOf(self.term)
        wanted = {
            "scala.Option": lambda: some(before),
            "java.util.OptionalInt": lambda: java("java.util.OptionalInt").of(self.term),
        }
        self.coordinator.onResignation(self.partition, wanted[str(kind.getName())]())
        self.log.lose()
        late, self.sent = list(self.sent.values()), {}
        return late

    # -- markers -------------------------------------------------------------------------------------------

    def wanted(self) -> dict[int, Marker]:
        """The markers on their way, by partition; those that the manager wants to send are sent."""
        for request in as_java(self.markers.generateRequests()):
            data = part(part(request, "request"), "data")
            [marker] = list(data.markers())
            [topic] = list(marker.topics())
            [partition] = list(topic.partitionIndexes())
            assert int(part(request, "destination").id()) == LEADERS + int(partition), "a marker goes to another broker"
            self.sent[int(partition)] = Marker(
                int(marker.producerId()),
                int(marker.producerEpoch()),
                bool(marker.transactionResult()),
                int(marker.coordinatorEpoch()),
                int(partition),
                int(marker.transactionVersion()) if hasattr(marker, "transactionVersion") else 0,
                part(request, "handler"),
            )
        return self.sent

    def hear(self, marker: Marker, error: str) -> None:
        """The leader answers."""
        errors = java("java.util.HashMap")()
        of_partition = java("java.util.HashMap")()
        of_partition.put(topic_partition(marker.partition), getattr(kafka("Errors"), error))
        errors.put(java("java.lang.Long").valueOf(marker.pid), of_partition)
        if self.sent.get(marker.partition) is marker:
            del self.sent[marker.partition]
        marker.handler.onComplete(client_response(MARKERS, kafka("WriteTxnMarkersResponse")(errors), False))

    def lose(self, partition: int) -> Marker:
        """The connection is lost with its marker, which is returned."""
        marker = self.wanted().pop(partition)
        marker.handler.onComplete(client_response(MARKERS, None, True))
        return marker

    # -- observations --------------------------------------------------------------------------------------

    def waiting(self) -> bool:
        """Whether the transaction completes when all markers are written, or its completion is being written."""
        return int(self.markers.numTxnsWithPendingMarkers()) > 0 or bool(self.log.held)

    def metadata(self) -> Metadata:
        """What the coordinator knows of the transactional id."""
        found = self.state.getTransactionState(NAME)
        assert found.isRight(), f"the coordinator has no state: {found}"
        known = optional(found.getOrElse(None) if hasattr(found, "nothing") else found.value())
        if known is None:
            return NOBODY
        it = known.transactionMetadata()
        pending = optional(it.pendingState())
        return Metadata(
            state_name(it.state()),
            "" if pending is None else state_name(pending),
            int(it.producerId()),
            int(it.producerEpoch()),
            int(it.lastProducerEpoch()),
            _field(it, "prevProducerId", "previousProducerId", "lastProducerId"),
            _field(it, "nextProducerId"),
            tuple(sorted(int(each.partition()) for each in as_java(it.topicPartitions()))),
        )


def state_name(state: Any) -> str:
    """The name of a TransactionState, of Java or Scala."""
    return str(state.stateName() if hasattr(state, "stateName") else state.toString())


def _field(it: Any, *names: str) -> int:
    declared_ = {str(each.getName()): each for each in it.getClass().getDeclaredFields()}
    found = next((declared_[name] for name in names if name in declared_), None)
    if found is None:
        return NO_ID
    found.setAccessible(True)
    return int(found.get(it))


def topic_partition(partition: int) -> Any:
    """A partition of the topic."""
    return kafka("TopicPartition")(TOPIC, partition)


def _config() -> Any:
    """TransactionConfig with its defaults."""
    kind = kafka("TransactionConfig")
    if any(not each.getParameterTypes() for each in kind.class_.getConstructors()):
        return kind()
    number = len(declared(kind, "new").getParameterTypes())
    return kind(*(getattr(kind, f"$lessinit$greater$default${at}")() for at in range(1, number + 1)))


def _metadata(cluster: int) -> dict[str, Callable[..., Any]]:
    """The queries to the metadata cache."""
    import jpype

    def leader(_: Any, partition: int, *__: Any) -> Any:
        return kafka("Node")(LEADERS + int(partition), "localhost", 9092)

    def features() -> Any:
        levels = java("java.util.Map").of("transaction.version", java("java.lang.Short").valueOf(jpype.JShort(cluster)))
        given, kind = (
            {"MetadataVersion": newest_version(), "Map": levels, "long": 0, "boolean": True},
            kafka("FinalizedFeatures"),
        )
        return call(None, kind, "of" if has("FinalizedFeatures", "of") else "new", given)

    return {
        "getPartitionLeaderEndpoint": leader,
        "getTopicId": lambda _: kafka("Uuid")(7, 7),
        "features": features,
        "metadataVersion": newest_version,
    }
