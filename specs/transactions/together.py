"""All kinds of faults together, in the newest generation; and logs that lack their end."""

from __future__ import annotations

from typing import Any

from .common import txn

KINDS = "aborts deadlines disconnects late_ends late_markers timeouts failovers takeovers"
EVERY_KIND: dict[str, Any] = dict.fromkeys(KINDS.split(), 1)

SCENARIOS = [
    txn(
        "txn-4.3/one-fault-of-every-kind",
        "Two transactions, two partitions, eight kinds of fault, one of them: every promise holds",
        "Who is timed out and commits is at its end (T9.10); that is all.",
        {"NoNeedlessEnd": 16},
        slow=True,
        sessions=2,
        **EVERY_KIND,
    ),
    txn(
        "txn-4.3/two-faults-of-every-kind",
        "The same with two faults in a behaviour",
        "Each kind at most once.",
        {"NoNeedlessEnd": 16},
        slow=True,
        sessions=2,
        faults=2,
        **EVERY_KIND,
    ),
    txn(
        "txn-classic/unclean-election",
        "A replica that lacks the marker of an aborted transaction is elected: the next commit commits it, too",
        "The coordinator has the transaction as complete and sends no marker again. It is open at the new leader, and "
        "the next record of the producer id joins it (T7.20, T7.10): the next marker decides both.",
        {"NoCommittedLost": 9, "NoHangingTransaction": 10, "NoUncommittedRead": 18, "NoAbortedRead": 18}
        | {"NoDuplicate": 18, "StableOffsetNeverBack": 10, "ReadForEver": 10},
        partitions=1,
        aborts=1,
        unclean_elections=1,
        faults=2,
    ),
    txn(
        "txn-4.3/unclean-election",
        "The same with TV2",
        "The next transaction has a higher epoch, which the leader does not compare with that of the open one (T7.10).",
        {"NoCommittedLost": 10, "NoHangingTransaction": 11, "NoUncommittedRead": 20, "NoAbortedRead": 20}
        | {"NoDuplicate": 20, "StableOffsetNeverBack": 11, "ReadForEver": 11},
        partitions=1,
        aborts=1,
        unclean_elections=1,
        faults=2,
    ),
    txn(
        "txn-classic/coordinator-behind",
        "A coordinator is elected that lacks the decision to commit: half of a transaction is aborted",
        "One marker is written when the decision is lost. The new coordinator has the transaction as ongoing, and "
        "aborts the other partition at the timeout (T1.13, T5.2). The application was told that it is committed. If "
        "the new one lacks the partition, no marker is sent there, and the next transaction decides the record (T7.6).",
        {"Atomic": 15, "NoCommittedLost": 14, "NoUncommittedRead": 20, "NoHangingTransaction": 7, "NoNeedlessEnd": 5},
        pids=2,
        shorter_logs=1,
        timeouts=1,
        faults=2,
    ),
    txn(
        "txn-4.3/coordinator-behind",
        "The same with TV2",
        "T1.13, T4.5: the epoch that the producer has is above that of the coordinator, so it is fenced.",
        {"Atomic": 17, "NoCommittedLost": 16, "NoUncommittedRead": 29, "NoAbortedRead": 29, "NoDuplicate": 29}
        | {"NoHangingTransaction": 8, "NoNeedlessEnd": 7},
        pids=2,
        shorter_logs=1,
        timeouts=1,
        faults=2,
    ),
]
