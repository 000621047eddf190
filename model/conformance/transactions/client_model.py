"""The model of transactions as a driver: it runs in plain Python, and gives the observables of its producers.

What the model keeps for longer than Kafka, or not at all, is UNTOLD: the sequence of a record that was given up while
its numbers are about to begin at 0, and the pair of a producer that has none yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....checker.language.concrete import Step
from ....checker.language.state import State
from ...transactions.properties import Properties
from ...transactions.records import (
    ABORTABLE,
    ABORTING,
    ACKED,
    BUMPING,
    COMMITTING,
    FATAL,
    GONE,
    JOINED,
    NEW,
    NOWHERE,
    OPEN,
    READY,
    RENEWING,
    SENT,
    STARTING,
    STUCK,
    WAITING,
)
from ..driver import OPEN as STILL_OPEN
from ..driver import UNTOLD, Observation
from ..stepping import NamedStepper
from .client_moves import ClientMove, move_of
from .client_side import ClientSetup
from .client_wire import END_TXN, INIT_PRODUCER_ID, CoordinatorRequest

STATES = {
    STARTING: "INITIALIZING",
    READY: "READY",
    OPEN: "IN_TRANSACTION",
    ABORTABLE: "ABORTABLE_ERROR",
    COMMITTING: "COMMITTING_TRANSACTION",
    ABORTING: "ABORTING_TRANSACTION",
    BUMPING: "INITIALIZING",
    FATAL: "FATAL_ERROR",
    RENEWING: "ABORTING_TRANSACTION",
    STUCK: "ABORTING_TRANSACTION",
}
"""TransactionManager.State of each status."""
FAILED = "failed"
SENDS = ("send", "send_again")


class ClientModel(NamedStepper):
    """The model in one state; `sent` is by producer and partition the last action that put its record on the wire."""

    def __init__(self, spec: Properties) -> None:
        super().__init__(spec)
        self.sent: dict[tuple[int, int], str] = {}

    def setup(self) -> ClientSetup:
        """How Kafka begins."""
        spec = self.spec
        rules = spec.rules
        return ClientSetup(
            spec.sessions, spec.partitions, spec.epochs, rules.epoch_per_transaction, not rules.fails_again
        )

    def take(self, step: Step) -> ClientMove:
        """Take a step; returns its move for Kafka."""
        given = dict(step.action.arguments)
        if step.action.name in SENDS:
            self.sent[given["session"], given["partition"]] = step.action.name
        return move_of(self.spec, self.advance(step), step)

    def twin(self) -> ClientModel:
        """Another one in the same state."""
        found: Any = super().twin()
        found.sent = dict(self.sent)
        return found

    def misfit(self, step: Step) -> str:
        """A record expires that was sent again, while its transaction is being ended: its bump is not modelled.

        Kafka then marks the sequence as unresolved (C7.2), and bumps the epoch although it is ending already (T9.3).
        """
        if step.action.name != "deadline":
            return ""
        given = dict(step.action.arguments)
        ending = self.state.producer[given["session"]].status in (COMMITTING, ABORTING)
        again = ending and self.sent[given["session"], given["partition"]] == "send_again"
        return "a record that was sent again expires while its transaction is being ended (T9.3)" if again else ""

    def observe(self, seen: Sequence[Any] = ()) -> Observation:
        """Every observable."""
        return dict(Producers(self.spec, self.setup(), self.state, self._may_end).observed())

    def _may_end(self, session: int) -> bool:
        """Whether the model lets a producer end its transaction."""
        return any(self.steps(self.instances["end_transaction", (("session", session),)]))


class Producers:
    """The producers in one state of the model, in Kafka's terms; `may_end` is which ones may end a transaction."""

    def __init__(self, spec: Properties, setup: ClientSetup, state: State, may_end: Callable[[int], bool]) -> None:
        self.spec, self.setup, self.values, self.may_end = spec, setup, state.values(), may_end

    def observed(self) -> Iterator[tuple[str, Any]]:
        """Every observable."""
        for session, me in enumerate(self.values["producer"]):
            if me.status != NEW:
                yield from self.producer(f"producer {session}", session, me)

    def producer(self, who: str, session: int, me: Any) -> Iterator[tuple[str, Any]]:
        """The observables of one producer."""
        yield f"state of {who}", STATES[str(me.status)]
        yield f"pair of {who}", UNTOLD if self.has_none(me) else self.pair(me)
        yield f"request of {who} to the coordinator", self.asks(session, me)
        yield f"call of {who}", self.call(me)
        for partition in range(self.spec.partitions):
            request = self.values["request"][partition][session]
            pair = self.setup.pair(request.pid, request.epoch)
            sent = () if request.stage == NOWHERE else ((*pair, request.sequence, request.transaction),)
            yield f"request of {who} to the leader of {partition}", sent
            yield f"next sequence of {who} for {partition}", self.sequence(me, partition)
            yield f"record of {who} for {partition}", self.record(me, partition)

    def pair(self, me: Any) -> tuple[int, int]:
        """Producer id and epoch in use."""
        return self.setup.pair(me.pid, me.epoch)

    def has_none(self, me: Any) -> bool:
        """Whether a producer has no pair yet."""
        return bool(me.status == STARTING)

    def asks(self, session: int, me: Any) -> str:
        """The request to the coordinator that a producer has on the wire: all go out as soon as they may.

        A busy coordinator answers no EndTxn, so that one may be on the wire which the model does not allow yet.
        """
        if me.status == STARTING:
            return str(CoordinatorRequest(INIT_PRODUCER_ID))
        if me.status in (BUMPING, RENEWING):
            return str(CoordinatorRequest(INIT_PRODUCER_ID, self.pair(me)))
        ending = me.status == COMMITTING or me.status == ABORTING
        if ending and (not any(part == SENT for part in me.parts) or self.may_end(session)):
            return str(CoordinatorRequest(END_TXN, self.pair(me), commit=bool(me.status == COMMITTING)))
        return ""

    def call(self, me: Any) -> str:
        """How the last call of the application that waits has ended; exceptions are compared with the answers."""
        if me.status in (STARTING, COMMITTING, ABORTING, BUMPING, RENEWING):
            return STILL_OPEN
        return "ok" if me.status in (READY, OPEN) else UNTOLD

    def sequence(self, me: Any, partition: int) -> Any:
        """The sequence of the next record: Kafka counts when one is sent, the model when it is acknowledged."""
        part = me.parts[partition]
        restarts = me.bump or self.spec.rules.epoch_per_transaction
        if me.status == FATAL or (part == GONE and restarts and me.status not in (READY, OPEN)):
            return UNTOLD
        return int(me.next_sequence[partition]) + (part == SENT)

    def record(self, me: Any, partition: int) -> str:
        """What the application knows of the last record of a partition; another observable has the exception."""
        part = me.parts[partition]
        if part == WAITING:
            return UNTOLD
        if part == ACKED:
            return "ok"
        ended = part == GONE or me.status == FATAL or (part == JOINED and me.status != OPEN)
        return FAILED if ended else STILL_OPEN
