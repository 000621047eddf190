"""Which parts of Kafka are real and which are simulated: a verdict is about the real classes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """A part of Kafka: its name in a verdict, its real classes, and what the model and the driver simulate.

    What the model simulates is taken from the model, so it is not compared with Kafka. What the driver simulates is a
    second implementation, in Python, beside the model's.
    """

    name: str
    real: tuple[str, ...]
    by_model: tuple[str, ...]
    by_driver: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What agrees with the model where nothing differs."""
        return f"{self.name} ({and_(self.by_model)} simulated by the model)" if self.by_model else self.name

    def __str__(self) -> str:
        played = {"model": self.by_model, "driver": self.by_driver}
        simulated = [f"the {who} simulates {and_(what)}" for who, what in played.items() if what]
        return f"{self.name}: the real classes are {and_(self.real)}; {', '.join(simulated)}"


def and_(names: tuple[str, ...]) -> str:
    """Names as a text."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


PRODUCER = ("Sender", "TransactionManager", "RecordAccumulator", "NetworkClient")
COORDINATOR = ("TransactionCoordinator", "TransactionStateManager", "TransactionMarkerChannelManager")
WIRE = ("network", "clock")

PRODUCER_AND_LOGS = Parts(
    "Kafka's producer and logs", (*PRODUCER, "UnifiedLog"), (), (*WIRE, "leadership", "replication", "other answers")
)
PRODUCER_ALONE = Parts("Kafka's producer", PRODUCER, ("brokers", "logs"), WIRE)
PRODUCER_OF_MANY = Parts("Kafka's producer", PRODUCER, ("leaders", "logs"), WIRE)
PRODUCER_OF_MANY_AND_LOGS = Parts(
    "Kafka's producer and logs", (*PRODUCER, "UnifiedLog"), (), (*WIRE, "leadership", "other answers")
)
CLIENTS = Parts("Kafka's producers", PRODUCER, ("coordinator", "leaders"), WIRE)
COORDINATOR_AND_LOGS = Parts(
    "Kafka's coordinator and logs",
    (*COORDINATOR, "AddPartitionsToTxnManager", "handleProduceAppend of ReplicaManager", "UnifiedLog"),
    ("producers",),
    (*WIRE, "scheduler", "producer ids", "the log of __transaction_state", "the rest of ReplicaManager"),
)
COORDINATOR_AND_OLD_LOGS = Parts(
    "Kafka's coordinator and logs",
    (*COORDINATOR, "UnifiedLog"),
    ("producers",),
    (*WIRE, "scheduler", "producer ids", "the log of __transaction_state", "ReplicaManager"),
)
COORDINATOR_ALONE = Parts(
    "Kafka's coordinator",
    COORDINATOR,
    ("producers", "leaders"),
    (*WIRE, "scheduler", "producer ids", "the log of __transaction_state"),
)
