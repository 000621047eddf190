"""A step of the model of transactions as coordinator and leaders see it: its request, in Kafka's numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

START, RENEW, JOIN, VERIFY, END = "start", "renew", "join", "verify", "end"
"""Requests to a coordinator: InitProducerId without a pair and with one, AddPartitionsToTxn, to verify, EndTxn."""
MARKER, BATCH = "marker", "batch"
"""Requests to a leader."""
BUSY = "CONCURRENT_TRANSACTIONS"
UNKNOWN = "UNKNOWN_SERVER_ERROR"
"""The answer to a client when the coordinator throws."""

TO_INIT, TO_JOIN = "answer to InitProducerId", "answer to AddPartitionsToTxn"
TO_VERIFY, TO_END, NEXT_PAIR = "answer to the verification", "answer to EndTxn", "pair of the answer to EndTxn"
TO_MARKER, TO_BATCH, DELAYED = "answer to the marker", "answer to the batch", "the delayed marker"
ASKED, TO_CLIENT = "question to the coordinator", "answer to the client before an append"
WAITS, EARLY = "the request waits for the coordinator", "refused before a guard is taken"
ANSWERS = {START: TO_INIT, RENEW: TO_INIT, JOIN: TO_JOIN, VERIFY: TO_VERIFY, END: TO_END, MARKER: TO_MARKER}
ANSWERS[BATCH] = TO_BATCH
"""The observable of each answer; each is there in the step of its request only."""
WHILE_WRITING, NOT_WRITTEN = "what is not CONCURRENT_TRANSACTIONS while it is being written", "after a write that fails"
WRITTEN, AT_MOST_ONE = "records written", "at most one record is written"
COMPLETING = "the record of the Complete state is being written"
ASKED_AGAIN = "requests about which the coordinator is asked again"

COORDINATOR, LEADERS = "coordinator", "leaders"
"""The observables: leaders only where the log layer can be driven."""


@dataclass(frozen=True)
class Question:
    """A request of any sender, without a step of its own."""

    kind: str
    pair: tuple[int, int] | None = None
    partition: int = 0
    commit: bool = False

    def __str__(self) -> str:
        of = {
            END: " commit" if self.commit else " abort",
            JOIN: f" of {self.partition}",
            VERIFY: f" of {self.partition}",
        }
        return f"{self.kind}{'' if self.pair is None else ' {} {}'.format(*self.pair)}{of.get(self.kind, '')}"


def exceptions(answers: Iterable[tuple[Question, str]]) -> tuple[str, ...]:
    """The answers other than BUSY while a record is being written (T1.4)."""
    return tuple(f"{question}: {answer}" for question, answer in answers if answer != BUSY)


@dataclass(frozen=True)
class Setup:
    """The initial state of coordinator and leaders: the transaction versions of clients and cluster, and a known pair.

    `log_has_ids`: whether records of the log have the next producer id (T1.11). `late` is the slot of a request on a
    closed connection. `verifies`: whether leaders ask about transactions that are not open (T7.8).
    """

    partitions: int
    pids: tuple[int, ...]
    tv: int
    cluster: int
    seed: tuple[int, int] | None
    late: int
    log_has_ids: bool
    verifies: bool = True


@dataclass(frozen=True)
class CoordinatorMove:
    """An action with its arguments, and the request in it, if there is one.

    `next_pid` is the producer id that is generated next. `answer` is the answer of the model's leader to a marker, used
    where no log is driven. `meanwhile` has the requests while the decision of the step is being written; it is empty
    where nothing is written. `fails_first` means that the write fails, and the request is repeated.
    """

    action: str
    arguments: dict[str, Any]
    next_pid: int
    kind: str = ""
    pair: tuple[int, int] | None = None
    partition: int = -1
    commit: bool = False
    term: int = 0
    tv2: bool = False
    sequence: int = -1
    answer: str = ""
    meanwhile: tuple[Question, ...] = ()
    fails_first: bool = False
