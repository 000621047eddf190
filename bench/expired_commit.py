"""Which requests end a transaction whose record expires before, during or after commitTransaction: Kafka's own client.

    python bench/expired_commit.py [VERSION]

A TransactionManager of the release (3.0 to 3.9) is in a transaction with producer id 7, epoch 0. Its record fails with
a TimeoutException, as Sender.failBatch tells it, and the application aborts. Printed is what the class then has to
send: InitProducerId is the bump of the epoch (T9.3).
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from everystate.model.conformance import jvm
from everystate.model.conformance.jars import provide

MANAGER = "org.apache.kafka.clients.producer.internals.TransactionManager"


class Client:
    """A TransactionManager in a transaction; its private members are reached by reflection."""

    def __init__(self, jpype: Any) -> None:
        self.of, self.kind = jpype.JClass, jpype.JClass(MANAGER).class_
        log = self.of("org.apache.kafka.common.utils.LogContext")()
        versions = self.of("org.apache.kafka.clients.ApiVersions")()
        self.it = self.of(MANAGER)(log, "id", 60_000, 100, versions)
        states = self.of(MANAGER + "$State").class_.getEnumConstants()
        self.set("currentState", next(state for state in states if str(state) == "READY"))
        self.set("producerIdAndEpoch", self.of("org.apache.kafka.common.utils.ProducerIdAndEpoch")(7, 0))
        self.set("coordinatorSupportsBumpingEpoch", True)
        self.it.beginTransaction()
        self.set("transactionStarted", True)

    def member(self, found: Any) -> Any:
        found.setAccessible(True)
        return found

    def set(self, name: str, value: Any) -> None:
        value = self.of("java.lang.Boolean")(value) if isinstance(value, bool) else value
        self.member(self.kind.getDeclaredField(name)).set(self.it, value)

    def expire(self) -> None:
        """The record fails."""
        error = self.of("org.apache.kafka.common.errors.TimeoutException")("expired")
        kind = self.of("java.lang.RuntimeException")
        self.member(self.kind.getDeclaredMethod("maybeTransitionToErrorState", kind)).invoke(self.it, error)

    def fail_commit(self, result: Any) -> None:
        """The sender finds the error before EndTxn(commit) goes out; commitTransaction throws it."""
        boolean = self.of("java.lang.Boolean")
        self.member(self.kind.getDeclaredMethod("nextRequest", boolean.TYPE)).invoke(self.it, boolean(False))
        with contextlib.suppress(self.of("org.apache.kafka.common.errors.TimeoutException")):
            result.await_()

    def requests(self) -> str:
        """What it has to send, in its order."""
        waiting = self.member(self.kind.getDeclaredField("pendingRequests")).get(self.it)
        names = []
        while not waiting.isEmpty():
            names.append(str(waiting.poll().getClass().getSimpleName()).removesuffix("Handler"))
        return ", ".join(names)


def main(version: str = "3.9.2") -> None:
    """The three ways."""
    import jpype

    with tempfile.TemporaryDirectory() as scratch:
        jvm.start(version, provide(version)[1], Path(scratch))
        told = Client(jpype)
        told.expire()
        told.it.beginAbort()
        print(f"Kafka {version}: expired, abortTransaction: {told.requests()}")
        told = Client(jpype)
        commit = told.it.beginCommit()
        told.expire()
        told.fail_commit(commit)
        told.it.beginAbort()
        print(f"Kafka {version}: commitTransaction, expired, abortTransaction: {told.requests()}")
        told = Client(jpype)
        told.it.beginAbort()
        told.expire()
        print(f"Kafka {version}: abortTransaction, expired: {told.requests()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
