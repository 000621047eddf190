"""The records that a state is made of, and the words for what can be said of them."""

from __future__ import annotations

from typing import Any

from everystate.checker import Record

# -- the coordinator: TransactionState
EMPTY, ONGOING = "Empty", "Ongoing"
PREPARE_COMMIT, PREPARE_ABORT = "PrepareCommit", "PrepareAbort"
COMPLETE_COMMIT, COMPLETE_ABORT = "CompleteCommit", "CompleteAbort"
STATES = (EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT)

# -- a producer
NEW, STARTING, READY, OPEN, ABORTABLE = "not started", "starting", "ready", "in a transaction", "must abort"
COMMITTING, ABORTING, BUMPING, FATAL = "committing", "aborting", "bumping its epoch", "at its end"
RENEWING, STUCK = "aborting, and bumping its epoch", "aborting for ever"
STATUSES = (NEW, STARTING, READY, OPEN, ABORTABLE, COMMITTING, ABORTING, BUMPING, FATAL, RENEWING, STUCK)

# -- the record of its transaction for one partition
WAITING, JOINED, SENT, ACKED, GONE = "waiting", "partition added", "sent", "acked", "given up"

PENDING = "pending"
"""What a transaction may leave behind for the next one, beside one that has joined: a partition that was to (T9.16)."""

# -- a produce request
NOWHERE, UNREAD, GUARDED, CLEARED = "-", "unread", "guard taken", "let in by the coordinator"

# -- a record in the log, and what is said of a transaction
UNDECIDED, COMMITTED, ABORTED = "undecided", "committed", "aborted"
NOTHING, COMMIT, ABORT = "nothing", "commit", "abort"

# -- answers
NONE, CONCURRENT, RETRIABLE = "NONE", "CONCURRENT_TRANSACTIONS", "NOT_ENOUGH_REPLICAS"
FENCED, MAPPING = "PRODUCER_FENCED", "INVALID_PRODUCER_ID_MAPPING"
OLD_EPOCH, INVALID_STATE, NOT_IN_IT = "INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE", "TRANSACTION_ABORTABLE"
OUT_OF_ORDER, COORDINATOR_FENCED = "OUT_OF_ORDER_SEQUENCE_NUMBER", "TRANSACTION_COORDINATOR_FENCED"
INVALID_RECORD = "INVALID_RECORD"
FAILED = "UNKNOWN_SERVER_ERROR"

FAULTS = (
    "aborts",
    "deadlines",
    "disconnects",
    "late_starts",
    "late_joins",
    "lost_joins",
    "late_ends",
    "late_markers",
    "timeouts",
    "failovers",
    "lost_answers",
    "expiries",
    "takeovers",
    "elections",
    "unclean_elections",
    "refusals",
    "invalid_records",
    "retentions",
    "lost_logs",
    "shorter_logs",
)


class Coordinator(Record):
    """TransactionMetadata of the one transactional id; `unmarked` and `awaited` are in memory only (T1.8, T6.3).

    `unmarked`: where a marker is still to be sent; `awaited`: whether the transaction is complete when all are written;
    `tv2`: whether it was ended with TV2, as its markers say (T6.1).
    """

    state: str
    pid: int
    epoch: int
    last_epoch: int
    previous_pid: int
    next_pid: int
    partitions: list[bool]
    unmarked: list[bool]
    awaited: bool
    tv2: bool
    term: int


class Producer(Record):
    """A session with the transactional id; `parts` is what became of its transaction's record for each partition."""

    status: str
    pid: int
    epoch: int
    transaction: int
    item: int
    knows_item: bool
    bump: bool
    parts: list[str]
    next_sequence: list[int]


class ProducerState(Record):
    """ProducerStateEntry: epoch, last sequence, first offset of the open transaction, coordinator epoch; and the guard.

    `guard` is the epoch of the batch for which a VerificationStateEntry was made, or -1.
    """

    epoch: int
    last: int
    first: int
    term: int
    guard: int


class Entry(Record):
    """One record in the log; markers are not kept, what they decided is."""

    transaction: int
    pid: int
    fate: str


class Log(Record):
    """The log of a partition."""

    entries: list[Entry]
    end: int

    def shown(self) -> dict[str, Any]:
        """Without the slots that hold no entry."""
        return {"entries": self.entries[: self.end]}


class Request(Record):
    """A produce request with one record; `guard` says that the guard which it took is still there."""

    stage: str
    guard: bool
    pid: int
    epoch: int
    sequence: int
    transaction: int


class Start(Record):
    """An InitProducerId request that was delayed on a closed connection; without a pair `pid` is -1."""

    waits: bool
    pid: int
    epoch: int


class Join(Record):
    """An AddPartitionsToTxn request that was delayed on a closed connection."""

    waits: bool
    pid: int
    epoch: int
    partition: int


class End(Record):
    """An EndTxn request that was delayed on a closed connection."""

    waits: bool
    pid: int
    epoch: int
    commit: bool


class Marker(Record):
    """A WriteTxnMarkers request that was delayed on a closed connection."""

    waits: bool
    pid: int
    epoch: int
    commit: bool
    term: int
    tv2: bool
