"""Deliberate mistakes in the models, as a slip in the protocol's code would make them: each replaces one method.

Every mistake names the scenario that is about it, and what the matrix must say of that scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everystate.model import KafkaProducer
from everystate.model.records import APPENDED, FENCED, NO_SEQUENCE, OUT_OF_ORDER
from everystate.specs.idem_producer import IdempotentProducer


@dataclass(frozen=True)
class Mistake:
    """What is wrong, the method that is replaced and by what, the scenario that must say so, and what it says."""

    name: str
    cls: type
    method: str
    replacement: Callable[..., Any]
    caught_by: str
    saying: str


def nothing(self: Any, *arguments: Any) -> None:
    """Forget to do it."""


def success(self: Any, batch: int, *arguments: Any) -> None:
    """Whatever the answer was, it counts as a success."""
    self.completed(batch, -1)


def no_epoch_check(self: Any, broker: int, request: Any) -> Any:
    """Without B3 a request of an old epoch is judged like one that begins an epoch."""
    found = KAFKA_REFUSAL(self, broker, request)
    if found != FENCED:
        return found
    return APPENDED if request.sequence == 0 else OUT_OF_ORDER


def oldest_kept(self: Any, broker: int, request: Any) -> Any:
    """A full cache drops the newest batch: what is remembered is the oldest of the epoch."""
    partition = self.partition_of(request.batch)
    found, older = -1, 0
    for at in range(self.log_capacity):
        entry = self.log[partition].entries[at]
        known = self.is_known(broker, partition, at, request.pid) and entry.epoch == request.epoch
        if known:
            if entry.sequence == request.sequence and older < self.retained:
                found = at
            older += 1
    return found


def newest_offset(self: Any, broker: int, request: Any) -> Any:
    """The answer to a duplicate carries the offset of the newest batch."""
    newest = self.log[self.partition_of(request.batch)].end - 1
    return newest if KAFKA_DUPLICATE_OF(self, broker, request) >= 0 else -1


def backwards(self: Any, partition: int, wanted: bool) -> None:
    """A bump gives 0 to the newest batch in flight."""
    entry, batches = self.partition[partition], self.batches_of(partition)
    live = {b: self.in_flight(b) & wanted for b in batches}
    for b in batches:
        later = sum(live[other] for other in batches if other > b)
        if live[b]:
            self.batch[b].sequence = later
        self.batch[b].reopened = live[b] or self.batch[b].reopened == 1
    after = min(sum(live[b] for b in batches), self.written_at_most)
    if wanted:
        entry.next_sequence = after
        entry.last_acked = NO_SEQUENCE


def bump_at_every_error(self: Any, batch: int) -> None:
    """A retriable error bumps the epoch."""
    KAFKA_RETRIABLE(self, batch)
    self.request_bump(self.partition_of(batch), True)


def one_behind(self: Any, batch: int, sequence: int) -> None:
    """The peer broker expects the number that it has just seen."""
    self.log.append(batch)
    self.next_expected = sequence


def only_emptied(self: Any) -> None:
    """The peer producer drops its connection and forgets what was on it."""
    self.requests.clear()
    self.answers.clear()


KAFKA, PEER = KafkaProducer, IdempotentProducer
KAFKA_REFUSAL, KAFKA_DUPLICATE_OF, KAFKA_RETRIABLE = KAFKA.refusal, KAFKA.duplicate_of, KAFKA.retriable
REFUSED, FAILED, LATE = "current/error-before-append", "current/definite-error", "current/error-after-append"
SAME, ABOVE = "window/2-in-flight-2-remembered", "window/2-in-flight-1-remembered"
COLD, UNCLEAN = "current/cold-start-lost-connection", "current/unclean-election-min-insync-2"
MOVES = "current-first/two-clean-leader-changes"
SURVIVOR, CRASH, UNSAFE = "window/request-outlives-its-epoch", "current/leader-crash", "idem-producer/unsafe"

BROKER = [
    Mistake(
        "no duplicate is looked up", KAFKA, "duplicate_of", lambda *_: -1, SAME, "NoDuplicate violated after 9 steps"
    ),
    Mistake(
        "one batch less is remembered",
        KAFKA,
        "remembers",
        lambda self, *_: self.retained - 1,
        SAME,
        "NoDuplicate violated after 11 steps",
    ),
    Mistake(
        "the cache drops the newest", KAFKA, "duplicate_of", oldest_kept, SAME, "NoDuplicate violated after 12 steps"
    ),
    Mistake(
        "a duplicate is answered with a wrong offset",
        KAFKA,
        "duplicate_of",
        newest_offset,
        SAME,
        "TruthfulOffset violated after 8 steps",
    ),
    Mistake("the epoch is not checked", KAFKA, "refusal", no_epoch_check, SURVIVOR, "InOrder violated after 9 steps"),
    Mistake(
        "gaps are accepted",
        KAFKA,
        "out_of_order_answer",
        lambda *_: APPENDED,
        REFUSED,
        "NoGap violated after 6 steps",
    ),
    Mistake(
        "the answer does not wait for the high watermark",
        KAFKA,
        "high_watermark_passed",
        nothing,
        CRASH,
        "AckedIsPersisted violated after 4 steps",
    ),
    Mistake(
        "min.insync.replicas is not asked",
        KAFKA,
        "too_few_in_sync",
        lambda _: False,
        UNCLEAN,
        "AckedIsPersisted violated after 5 steps",
    ),
]
PRODUCER = [
    Mistake(
        "a retriable error counts as success",
        KAFKA,
        "retriable",
        success,
        REFUSED,
        "AckedIsPersisted violated after 3 steps",
    ),
    Mistake(
        "a definite error counts as success",
        KAFKA,
        "definite",
        success,
        FAILED,
        "AckedIsPersisted violated after 3 steps",
    ),
    Mistake(
        "retries go out in any order",
        KAFKA,
        "is_first_in_flight",
        lambda *_: True,
        COLD,
        "NoGap violated after 6 steps",
    ),
    Mistake(
        "sequences do not advance",
        KAFKA,
        "following",
        lambda self, sequence, size: sequence,
        ABOVE,
        "AckedIsPersisted violated after 6 steps",
    ),
    Mistake("a bump renumbers backwards", KAFKA, "restamp", backwards, FAILED, "InOrder violated after 15 steps"),
    Mistake(
        "a bump renumbers nothing", KAFKA, "restamp", nothing, FAILED, "goal_renumbered_on_the_wire is never reached"
    ),
    Mistake(
        "any retriable error bumps the epoch",
        KAFKA,
        "retriable",
        bump_at_every_error,
        LATE,
        "NoDuplicate violated after 7 steps",
    ),
    Mistake(
        "any 45 bumps the epoch", KAFKA, "next_in_line", lambda *_: True, MOVES, "NoDuplicate violated after 12 steps"
    ),
    Mistake(
        "no 45 bumps the epoch",
        KAFKA,
        "next_in_line",
        lambda *_: False,
        ABOVE,
        "NoDuplicate holds, it should be violated after 11 steps",
    ),
]
PEERS = [
    Mistake(
        "the next expected number is one behind",
        PEER,
        "append",
        one_behind,
        "idem-producer",
        "NoDup violated after 5 steps",
    ),
    Mistake(
        "what was on a lost connection is not sent again",
        PEER,
        "drop_connection",
        only_emptied,
        UNSAFE,
        "NoDup holds, it should be violated after 18 steps",
    ),
    Mistake(
        "no refused batch bumps the epoch",
        PEER,
        "all_acked_before",
        lambda *_: False,
        UNSAFE,
        "NoDup holds, it should be violated after 18 steps",
    ),
]
MISTAKES = [*BROKER, *PRODUCER, *PEERS]
