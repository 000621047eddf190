"""What a transaction that is aborted leaves behind for the next one: Kafka's own client, findings 21 to 23.

    python bench/left_behind.py [VERSION] ...

Prints after each step the client's state, its request to the coordinator, and what it has on the wire to the leader as
producer id and epoch (2.5 to 4.4; with TV2, too, where a release has it).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from everystate.model.conformance.classes import has, java
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run
from everystate.model.conformance.real_client import COORDINATOR
from everystate.model.conformance.transactions.client import UPDATES, TransactionalClient

OLD, NEXT, FRESH = (1000, 5), (1000, 6), (2000, 0)


class Told(NamedTuple):
    """What is seen after a step: the client's state, its request to the coordinator, and the pairs on the wire."""

    step: str
    state: str
    request: str
    sent: tuple[tuple[int, int], ...]


class Story:
    """A client in its first transaction, and what was seen so far."""

    def __init__(self, tv2: bool) -> None:
        self.tv2, self.told = tv2, list[Told]()
        self.client = TransactionalClient(1, tv2, Clock(1_000_000_000))
        self.client.init_transactions()
        self.client.told("NONE", OLD)
        self.client.begin_transaction()

    def see(self, step: str) -> None:
        """Note what is seen."""
        batches = [frame.batch for frame in self.client.frames[0]]
        sent = tuple((batch.pid, batch.epoch) for batch in batches if batch is not None)
        self.told.append(Told(step, self.client.state(), str(self.client.asked() or "-"), sent))

    def send(self, record: int) -> None:
        """A record is on the wire; without TV2 its partition has joined before, if the client asks for that."""
        self.client.send(record, 0)
        if self.client.asked() is not None:
            self.client.told("NONE")
        self.client.drain(0)

    def commit_offset(self, partition: int, offset: int) -> None:
        """sendOffsetsToTransaction, up to where the group's coordinator is asked."""
        self.client.send_offset(partition, offset)
        if not self.tv2:
            self.client.told("NONE")


def offsets(tv2: bool) -> list[Told]:
    """An offset is on the way, a record is refused, the connection of the offset is lost: the next one (T9.14)."""
    return offset_behind_another(tv2).told


def answered(tv2: bool) -> list[Told]:
    """The same, and the next one is answered: the client asks again, though it has nothing to ask for (T9.14)."""
    story = offset_behind_another(tv2)
    story.client.told("NONE")
    story.see("that is answered")
    return story.told


def offset_behind_another(tv2: bool) -> Story:
    """The second transaction has sent its offset; that of the first one had no answer when it was aborted."""
    story = Story(tv2)
    client = story.client
    story.send(0)
    story.commit_offset(0, 10)
    story.see("offset 10 of partition 0 is sent")
    client.hear(0, "MESSAGE_TOO_LARGE", 0)
    client.lose(COORDINATOR)
    client.abort()
    client.told("NONE", NEXT if tv2 else None)
    if not tv2:
        client.told("NONE", NEXT)
    story.see("the transaction is aborted")
    client.begin_transaction()
    story.commit_offset(1, 3)
    story.see("offset 3 of partition 1 is sent")
    return story


def joined(tv2: bool) -> list[Told]:
    """A partition joins, its answer is lost, and send has failed for another record before (T9.15)."""
    story = Story(tv2)
    client = story.client
    client.send(0, 0)
    client.manager.maybeTransitionToErrorState(java("org.apache.kafka.common.errors.RecordTooLargeException")(""))
    story.see("a record is sent, another one is too large")
    client.lose(COORDINATOR)
    client.abort()
    story.see("the answer is lost, abortTransaction is called")
    return story.told


def unknown(tv2: bool) -> list[Told]:
    """The coordinator has forgotten the transactional id when the transaction is committed (T9.16)."""
    import jpype

    story = Story(tv2)
    client = story.client
    story.send(0)
    client.hear(0, "NONE", 0)
    client.commit()
    client.told("INVALID_PRODUCER_ID_MAPPING")
    story.see("EndTxn is refused")
    if client.state() == "FATAL_ERROR":
        return story.told
    client.abort()
    client.told("INVALID_PRODUCER_ID_MAPPING")
    client.told("NONE", FRESH)
    story.see("it aborts, and has a fresh id")
    client.begin_transaction()
    try:
        story.send(1)
        story.see("its next record is sent")
    except jpype.JException as error:
        cause = error.getCause() or error
        story.see(f"its next record is {cause.getClass().getSimpleName()}")
    return story.told


def stories(line: Line) -> dict[str, list[Told]]:
    """All that a release tells."""
    told: dict[str, list[Told]] = {}
    for tv2 in (False, True) if has("TransactionManager", UPDATES) else (False,):
        wanted: list[Callable[[bool], list[Told]]] = [offsets, answered, unknown]
        if _send_may_fail():
            wanted.append(joined)
        told |= {f"{each.__name__}{', TV2' * tv2}": each(tv2) for each in wanted}
    return told


def _send_may_fail() -> bool:
    """Whether KafkaProducer.send tells the manager what it has failed with, as from 3.2 on."""
    import jpype

    kind: Any = jpype.JClass("org.apache.kafka.clients.producer.internals.TransactionManager")
    return any(str(each.getName()) == "maybeTransitionToErrorState" for each in kind.class_.getMethods())


def main(*versions: str) -> None:
    """Every release in a process of its own."""
    for version in versions or ("3.9.2",):
        kafka, paths = provide(version)
        for name, told in run(kafka, paths, stories).items():
            print(f"Kafka {version}: {name}")
            for step, state, request, sent in told:
                print(f"  {step:<48}{state:<22}{request:<72}{', '.join(map(str, sent))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
