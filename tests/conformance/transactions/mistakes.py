"""Mistakes in the producers of the model of transactions, and the walk that finds each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everystate.checker import action, fair, require
from everystate.model.transactions import KafkaTransactions
from everystate.model.transactions.records import (
    ABORT,
    ABORTABLE,
    ABORTING,
    ACKED,
    COMMITTING,
    GONE,
    NONE,
    OPEN,
    READY,
    SENT,
    WAITING,
)

BUSY = {"sessions": 3, "transactions": 5, "epochs": 14, "faults": 8, "takeovers": 2, "failovers": 2}
ENVIRONMENT: dict[str, Any] = {
    **BUSY,
    "aborts": 3,
    "deadlines": 3,
    "disconnects": 3,
    "late_ends": 3,
    "timeouts": 3,
    "late_markers": 2,
}
"""Much of everything; the generation and `hasty` are chosen by each walk."""


class SendsAtOnce(KafkaTransactions):
    """T9.1: a record is sent before its partition is in the transaction."""

    @fair
    @action(session="sessions", partition="partitions")
    def send(self, session: int, partition: int) -> None:
        me = self.producer[session]
        require(me.status == OPEN)
        require(me.parts[partition] == WAITING)
        me.parts[partition] = SENT
        self.put_on_the_wire(session, partition)


class EndsTooEarly(KafkaTransactions):
    """T9.2: EndTxn does not wait for the records."""

    @fair
    @action(session="sessions")
    def end_transaction(self, session: int) -> None:
        me = self.producer[session]
        require(me.status == COMMITTING or me.status == ABORTING)
        answer = self.end(me.pid, me.epoch, bool(me.status == COMMITTING))
        require(answer == NONE)
        self.go_on(session)


class NeverBumps(KafkaTransactions):
    """T9.3: a failed record asks for no new epoch."""

    def give_up(self, session: int, partition: int, expired: bool) -> None:
        super().give_up(session, partition, expired)
        self.producer[session].bump = False


class FailsAloud(KafkaTransactions):
    """T9.3: a failed record ends the producer."""

    def give_up(self, session: int, partition: int, expired: bool) -> None:
        self.die(session)


class BumpsFirst(KafkaTransactions):
    """T9.4: an abort does not come before the bump."""

    @fair
    @action(session="sessions")
    def abort_failed(self, session: int) -> None:
        me = self.producer[session]
        require(me.status == ABORTABLE)
        require(SENT not in me.parts)
        me.status = "bumping its epoch" if me.bump == 1 else ABORTING
        self.asked[me.transaction] = ABORT


class SurvivesFencing(KafkaTransactions):
    """T9.6: a refusal of the coordinator is nothing fatal."""

    def die(self, session: int) -> None:
        self.producer[session].status = ABORTABLE


class EndsAtAnOldEpoch(KafkaTransactions):
    """T9.7: INVALID_PRODUCER_EPOCH as the answer to a produce request is fatal, as before 2.7."""

    def hear_answer(self, session: int, partition: int, answer: str) -> None:
        super().hear_answer(session, partition, answer)
        if answer == "INVALID_PRODUCER_EPOCH":
            self.die(session)


class CountsOn(KafkaTransactions):
    """T9.8: sequences go on in a new epoch."""

    def take_pair(self, session: int, pid: int, epoch: int) -> None:
        before = [self.producer[session].next_sequence[p] for p in self.places]
        super().take_pair(session, pid, epoch)
        for p in self.places:
            self.producer[session].next_sequence[p] = before[p]


class KeepsItsEpoch(KafkaTransactions):
    """T4.6: a transaction of TV2 ends, and the producer goes on with its epoch."""

    def go_on(self, session: int) -> None:
        self.producer[session].status = READY


class EndsNothing(KafkaTransactions):
    """T9.9: EndTxn is sent where nothing was added."""

    @action(session="sessions")
    def abort(self, session: int) -> None:
        me = self.producer[session]
        require(me.status == OPEN)
        require(SENT not in me.parts)
        self.spend("aborts")
        me.status = ABORTING
        self.asked[me.transaction] = ABORT


class UsesUpEverySequence(KafkaTransactions):
    """T9.11: the sequence of a refused record is used up, too."""

    def give_up(self, session: int, partition: int, expired: bool) -> None:
        super().give_up(session, partition, True)


class ComesBack(KafkaTransactions):
    """T9.12: a late answer brings a producer back that was at its end."""

    def hear_answer(self, session: int, partition: int, answer: str) -> None:
        ended = self.producer[session].status == "at its end"
        super().hear_answer(session, partition, answer)
        me = self.producer[session]
        if ended and answer != NONE:
            me.parts[partition], me.status = GONE, ABORTABLE


class SendsAgainUnderAnotherSequence(KafkaTransactions):
    """C9.1: a record that is sent again takes the sequence that comes next."""

    @fair
    @action(session="sessions", partition="partitions")
    def send_again(self, session: int, partition: int) -> None:
        super().send_again(session, partition)
        self.request[partition][session].sequence += 1


class CommitsWhatFailed(KafkaTransactions):
    """T9.3: abortTransaction asks for a commit."""

    @fair
    @action(session="sessions")
    def abort_failed(self, session: int) -> None:
        super().abort_failed(session)
        self.producer[session].status = COMMITTING


class TakesALostConnectionForAnAnswer(KafkaTransactions):
    """T9.5: a record whose connection is lost counts as written."""

    def delay(self, session: int, partition: int) -> None:
        super().delay(session, partition)
        self.producer[session].parts[partition] = ACKED


class KeepsItsOldPair(KafkaTransactions):
    """T9.8: the epoch of the answer to InitProducerId is taken once only."""

    def take_pair(self, session: int, pid: int, epoch: int) -> None:
        kept = self.producer[session].epoch
        super().take_pair(session, pid, epoch)
        if kept > 0:
            self.producer[session].epoch = kept


@dataclass(frozen=True)
class Mistake:
    """A mistake, the generation in which a walk finds it, what differs then, and that walk."""

    cls: type[KafkaTransactions]
    generation: str
    differs: str
    walk: int
    hasty: bool = False

    @property
    def constants(self) -> dict[str, Any]:
        """Those of its environment."""
        return {**ENVIRONMENT, "generation": self.generation, "hasty": self.hasty}


MISTAKES = [
    Mistake(SendsAtOnce, "part-1", "request of", 0),
    Mistake(EndsTooEarly, "part-1", "request of", 0, hasty=True),
    Mistake(NeverBumps, "part-1", "next sequence of", 2),
    Mistake(FailsAloud, "4.3", "state of", 0),
    Mistake(BumpsFirst, "part-1", "state of", 2),
    Mistake(SurvivesFencing, "4.3", "state of", 0),
    Mistake(EndsAtAnOldEpoch, "4.3", "state of", 2),
    Mistake(CountsOn, "4.3", "next sequence of", 0),
    Mistake(KeepsItsEpoch, "4.3", "pair of", 0),
    Mistake(EndsNothing, "4.3", "state of", 0),
    Mistake(UsesUpEverySequence, "part-1", "next sequence of", 0, hasty=True),
    Mistake(ComesBack, "part-1", "state of", 7),
    Mistake(SendsAgainUnderAnotherSequence, "part-1", "request of", 0),
    Mistake(CommitsWhatFailed, "part-1", "state of", 2),
    Mistake(TakesALostConnectionForAnAnswer, "part-1", "next sequence of", 0),
    Mistake(KeepsItsOldPair, "part-1", "pair of", 12),
]
