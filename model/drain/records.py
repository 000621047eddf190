"""The records that a state of the drain's model is made of, and the words for what can be said of them."""

from __future__ import annotations

from everystate.checker import Record

# -- a batch; QUEUED has no sequence yet, AGAIN is re-enqueued with one, both lie in the accumulator
QUEUED, AGAIN, SENT = "queued", "queued again", "sent"
ACKED, FAILED, EXPIRED = "acked", "failed", "expired"
PLACES = (QUEUED, AGAIN, SENT, ACKED, FAILED, EXPIRED)

# -- what a request says of a partition
ABSENT, UNREAD, NONE, RETRIABLE = "-", "unread", "NONE", "NOT_ENOUGH_REPLICAS"
NOT_LEADER, OUT_OF_ORDER = "NOT_LEADER_OR_FOLLOWER", "OUT_OF_ORDER_SEQUENCE_NUMBER"
OLD_EPOCH, INVALID = "INVALID_PRODUCER_EPOCH", "INVALID_RECORD"
RESULTS = (ABSENT, UNREAD, NONE, RETRIABLE, NOT_LEADER, OUT_OF_ORDER, OLD_EPOCH, INVALID)

FAULTS = ("refusals", "failures", "moves", "losses", "deadlines")


class Batch(Record):
    """ProducerBatch; `sequence` and `epoch` count once it was drained, `reopened` until it is drained again.

    `backoff`: it waits before it goes out again. `turn` is its place among those of its partition that are out, in the
    order in which they were drained (Sender.inFlightBatches).
    """

    place: str
    epoch: int
    sequence: int
    retried: bool
    reopened: bool
    backoff: bool
    turn: int


class Partition(Record):
    """TxnPartitionEntry and the marks of a partition."""

    known_leader: int
    epoch: int
    next: int
    acked: int
    unresolved: int
    rewrite: bool


class Leader(Record):
    """A partition at its leader, whoever that is: what replicas know is the same everywhere."""

    node: int
    epoch: int
    last: int
    log: list[int]


class Item(Record):
    """A partition's part of a request, as it was stamped, and then of its answer."""

    batch: int
    epoch: int
    sequence: int
    result: str


class Request(Record):
    """A produce request: one batch of each partition at most (P1.1), and one result for each (P5.1)."""

    answered: bool
    items: list[Item]
