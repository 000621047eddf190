"""How a transactional batch reaches its log: ReplicaManager.handleProduceAppend and AddPartitionsToTxnManager.

Both methods run on their real classes; no constructor of ReplicaManager runs. The driver (`DriverAdmission`) simulates
the partition, which gets a guard from its log, the append behind it, the scheduler, and the network to the coordinator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..by_kind import as_java, call, client_response, declared, function, part, some, stand_in
from ..classes import java, kafka, place
from ..clock import Clock
from .coordinator_moves import BUSY, JOIN, VERIFY

TOPIC = "t"
SETTINGS = {
    "process.roles": "broker",
    "node.id": "0",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://localhost:9092",
}
Guard = Callable[[int, int, int, bool], Any]
"""The guard of a log, of producer id, sequence, epoch and whether the producer bumps its epoch at each end (TV2)."""


@dataclass(frozen=True)
class Question:
    """A request to the coordinator: to add a partition (TV2) or to verify it."""

    kind: str
    pid: int
    epoch: int
    partition: int
    handler: Any


class Admission:
    """One produce request with a transactional batch, from its arrival to its append or its answer.

    `question` is on its way to the coordinator, None where there is none. `answer` is the answer to the client without
    an append. `let_in` means that the append may happen, with `guard`, None where the batch needs none. The broker uses
    one connection for this request and the one that it is `beside`.
    """

    def __init__(
        self,
        partition: int,
        tv: int,
        clock: Clock,
        guard: Guard,
        beside: Admission | None = None,
        verifies: bool = True,
    ) -> None:
        self.partition, self.tv, self.clock, self.config = partition, tv, clock, config(verifies)
        self.question: Question | None = None
        self.again: Callable[[], None] | None = None
        self.answer, self.let_in = "", False
        self.guard: Any = None
        self.manager: Any = self._manager() if beside is None else beside.manager
        self._make(guard)

    def _manager(self) -> Any:
        nobody, node = stand_in(kafka("NetworkClient"), {"wakeup": lambda: None}), kafka("Node")(1, "localhost", 9092)
        found = stand_in(kafka("LeaderAndIsr"), {"leader": lambda: 1})
        metadata = {"getLeaderAndIsr": lambda *_: found, "getAliveBrokerNode": lambda *_: node}
        surroundings = {
            "AbstractKafkaConfig": self.config,
            "NetworkClient": nobody,
            "MetadataCache": stand_in(kafka("MetadataCache"), metadata),
            "Function": java_function(lambda _: java("java.lang.Integer").valueOf(0)),
            "Time": self.clock.java,
        }
        return call(None, kafka("AddPartitionsToTxnManager"), "new", surroundings)

    def _make(self, guard: Guard) -> None:
        led = stand_in(kafka("Partition"), {"maybeStartTransactionVerification": guard})
        answers = {"getPartitionOrException": lambda _: led, "appendRecords": self._append}
        self.replicas = stand_in(kafka("ReplicaManager"), answers, others=False)
        fields = {
            "config": self.config,
            "time": self.clock.java,
            "scheduler": self._scheduler(),
            "addPartitionsToTxnManager": some(self.manager),
            "addPartitionsToTxnConfig": kafka("AddPartitionsToTxnConfig")(self.config),
        }
        for name, value in fields.items():
            field = kafka("ReplicaManager").class_.getDeclaredField(name)
            field.setAccessible(True)
            field.set(self.replicas, value)
        kafka("KafkaRequestHandler").setBypassThreadCheck(True)

    def _scheduler(self) -> Any:
        import jpype

        def schedule(name: Any, task: Any, *when: Any) -> None:
            self.again = task.run

        return jpype.JProxy(place("Scheduler"), dict={"schedule": schedule, "scheduleOnce": schedule})

    def receive(self, records: Any) -> None:
        """The request is read, and a request goes to the coordinator."""
        self.queue(records)
        self.ask()

    def queue(self, records: Any) -> None:
        """The request is read; its request to the coordinator waits to be sent."""
        operations = kafka("AddPartitionsToTxnManager$TransactionSupportedOperation")
        topic = kafka("TopicIdPartition")(kafka("Uuid")(7, 7), self.partition, TOPIC)
        given = {
            "long": 30_000,
            "short": -1,
            "boolean": False,
            "String": "id",
            "Map": java("java.util.HashMap")(java("java.util.Map").of(topic, records)),
            "Function1": [function(self._hear, 1), function(lambda _: None, 1)],
            "RequestLocal": kafka("RequestLocal").noCaching(),
            "TransactionSupportedOperation": operations.ADD_PARTITION
            if self.tv == 2
            else operations.GENERIC_ERROR_SUPPORTED,
        }
        call(self.replicas, kafka("ReplicaManager"), "handleProduceAppend", given)

    def ask(self) -> None:
        """What waits is sent."""
        for request in self.manager.generateRequests():
            [asked] = list(part(part(request, "request"), "data").transactions())
            [topic] = list(asked.topics())
            [partition] = list(topic.partitions())
            kind = VERIFY if asked.verifyOnly() else JOIN
            pair = int(asked.producerId()), int(asked.producerEpoch())
            self.question = Question(kind, *pair, int(partition), part(request, "handler"))

    def hear(self, error: str) -> None:
        """The coordinator answers; a retry may follow after a pause (T7.13)."""
        question, self.question = self.question, None
        assert question is not None
        errors = java("java.util.Map").of(kafka("TopicPartition")(TOPIC, self.partition), _error(error))
        data = kafka("AddPartitionsToTxnResponseData")()
        data.resultsByTransaction().add(kafka("AddPartitionsToTxnResponse").resultForTransaction("id", errors))
        body = kafka("AddPartitionsToTxnResponse")(data)
        question.handler.onComplete(client_response("ADD_PARTITIONS_TO_TXN", body, False))

    @property
    def repeats(self) -> bool:
        """Whether there will be another request to the coordinator, after a pause."""
        return self.again is not None

    def ask_again(self) -> None:
        """The pause is over."""
        again, self.again = self.again, None
        assert again is not None
        again()
        self.ask()

    def _append(self, *arguments: Any) -> None:
        """The batch to be appended, with its guard; without one all has been answered."""
        entries, guards = (as_java(each) for each in arguments if isinstance(each, java("scala.collection.Map")))
        if not entries.isEmpty():
            self.let_in, self.guard = True, next(iter(guards.values()), None)
            return
        kind = declared(kafka("ReplicaManager"), "appendRecords").getGenericParameterTypes()[5]
        nothing = java("java.util.HashMap")()
        javas = "java.util.Map" in str(kind.getTypeName())
        arguments[5].apply(nothing if javas else java("scala.jdk.javaapi.CollectionConverters").asScala(nothing))

    def _hear(self, responses: Any) -> None:
        [response] = list(as_java(responses).values())
        self.answer = str(response.error.name())


class DriverAdmission:
    """The same before 4.1, where the driver simulates what is around the log: only the guard is Kafka's."""

    def __init__(self, partition: int, tv: int, guard: Guard, needs_no_word: Callable[[Any], bool]) -> None:
        self.partition, self.kind, self.bumps = partition, JOIN if tv == 2 else VERIFY, tv == 2
        self.take, self.needs_no_word = guard, needs_no_word
        self.question: Question | None = None
        self.answer, self.let_in, self.repeats = "", False, False
        self.guard: Any = None

    def receive(self, records: Any) -> None:
        """The request is read; the log decides whether the coordinator must verify it."""
        [batch] = list(records.batches())
        pid, epoch = int(batch.producerId()), int(batch.producerEpoch())
        self.guard = self.take(pid, int(batch.baseSequence()), epoch, self.bumps)
        self.let_in = self.needs_no_word(self.guard)
        if not self.let_in:
            self.question = Question(self.kind, pid, epoch, self.partition, None)

    def hear(self, error: str) -> None:
        """The coordinator answers (T7.12)."""
        self.question, self.let_in = None, error == "NONE"
        self.repeats = self.kind == JOIN and error == BUSY
        message = {"NONE": "", BUSY: "NOT_ENOUGH_REPLICAS", "PRODUCER_FENCED": "INVALID_PRODUCER_EPOCH"}
        self.answer = message.get(error, error)


def _error(name: str) -> Any:
    return getattr(kafka("Errors"), name)


def java_function(body: Callable[[Any], Any]) -> Any:
    """Wraps a Python function as a java.util.function.Function."""
    import jpype

    return jpype.JProxy("java.util.function.Function", dict={"apply": body})


@cache
def config(verifies: bool) -> Any:
    """The configuration of a broker."""
    properties = java("java.util.Properties")()
    properties.setProperty("transaction.partition.verification.enable", str(verifies).lower())
    for name, value in SETTINGS.items():
        properties.setProperty(name, value)
    return kafka("KafkaConfig").fromProps(properties)
