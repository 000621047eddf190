"""The records that a state is made of, and the words for what can be said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everystate.checker import Record

if TYPE_CHECKING:
    from everystate.checker.language.typed_domains import SeqValue

QUEUED, RETRYING, SENT = "queued", "to be sent again", "sent"
ACKED, MISREPORTED, FAILED, UNKNOWN = "acked", "acked with a wrong offset", "failed", "failed, outcome unknown"
ABSENT = "the second half of the batch before it"

UNREAD, APPENDED, NONE = "unread", "appended", "NONE"
RETRIABLE, OUT_OF_ORDER, UNKNOWN_PRODUCER = "a retriable error", "OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"
FENCED, INVALID, DUPLICATE = "INVALID_PRODUCER_EPOCH", "INVALID_RECORD", "DUPLICATE_SEQUENCE_NUMBER"
TOO_LARGE = "MESSAGE_TOO_LARGE"
OUTCOMES = (UNREAD, APPENDED, NONE, RETRIABLE, OUT_OF_ORDER, FENCED, INVALID, UNKNOWN_PRODUCER, DUPLICATE, TOO_LARGE)

FRESH, DRAINED = 1, 2  # a delivery timeout has passed; and since then a loop pass has begun

NO_PRODUCER_ID = -1
NO_SEQUENCE = -1

ENTRY = ("batch", "pid", "epoch", "sequence", "size")


class Batch(Record):
    """ProducerBatch, and what is on the wire of it: a renumbered batch differs from its request (C9.3)."""

    status: str
    sequence: int
    attempts: int
    reopened: bool
    forgotten: bool
    pid: int
    epoch: int
    position: int
    outcome: str
    carried: bool


class TxnPartitionEntry(Record):
    """What the TransactionManager knows of one partition."""

    pid: int
    epoch: int
    next_sequence: int
    last_acked: int
    last_acked_offset: int
    unresolved: int
    rewrite: bool
    wide: bool


class Connection(Record):
    """InFlightRequests: the batches on the connection to one broker, oldest first; the first `handled` are answered."""

    requests: SeqValue[int]
    handled: int


class Entry(Record):
    """One batch in a log. Records that are none of the model's batches have the number after the last batch"""

    batch: int
    pid: int
    epoch: int
    sequence: int
    size: int


class Log(Record):
    """The leader's log from offset `start` to `end`; retention has deleted what is below

    `high_watermark` is a lower bound of the leader's, as far as answers have told it and one may still be asked of it
    (B6.2).
    """

    entries: list[Entry]
    end: int
    start: int
    high_watermark: int

    def shown(self) -> dict[str, Any]:
        """Without the slots that hold no entry."""
        return {"entries": self.entries[: self.end]}


class DivergentTail(Record):
    """What a deposed leader has in place of the leader's log from `start` on, until it fetches; none if `end` is 0.

    `owner` is that broker; with two replicas it is the one that does not lead, and `owner` is 0.
    """

    entries: list[Entry]
    start: int
    end: int
    owner: int

    def shown(self) -> dict[str, Any]:
        """Without the slots that hold no entry."""
        return {"entries": self.entries[self.start : self.end]}


class Replica(Record):
    """One replica's ProducerStateEntry cache as positions in the log, and its producer snapshots as offsets.

    It remembers what lies at `start` or behind. `snapshots` says at which offsets there is one, `segments` at which of
    them a segment begins. Rows that lie below `lost` are in no snapshot (D11), or are not loaded any more (D8). Of a
    follower, `replicated` is a lower bound of its log end, and `log_start` is where its log begins, as far as it has
    mattered yet (D14); of the leader, whose log is `Log`, both are 0.
    """

    replicated: int
    log_start: int
    start: list[int]
    snapshots: list[bool]
    segments: list[bool]
    lost: int


class Request(Record):
    """What a produce request carries: it keeps its numbers when the batch is renumbered (C9.3)."""

    batch: int
    pid: int
    epoch: int
    sequence: int
    size: int
