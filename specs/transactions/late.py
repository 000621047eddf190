"""Requests that are executed late: produce requests, AddPartitionsToTxn, EndTxn, markers."""

from __future__ import annotations

from .common import owned, txn

SCENARIOS = [
    txn(
        "txn-classic/late-record",
        "A produce request is executed after the abort: its record hangs, or joins the next transaction (KAFKA-14402)",
        "The record expires and its request stays on the way (T9.2). The abort marker has the epoch of the request, so "
        "the request is accepted behind it (T7.3, T7.8), and opens a transaction that nobody ends. The marker of the "
        "next transaction of the producer id decides it, too (T7.6).",
        {"NoHangingTransaction": 9, "NoUncommittedRead": 21, "NoAbortedRead": 21, "NoDuplicate": 21, "Atomic": 25},
        deadlines=1,
    ),
    txn(
        "txn-4.3-unverified/late-record",
        "The same with brokers of 4.3 that do not verify (transaction.partition.verification.enable=false)",
        "T7.8, whatever the release, where neither clients nor cluster have TV2.",
        {"NoHangingTransaction": 9, "NoUncommittedRead": 21, "NoAbortedRead": 21, "NoDuplicate": 21, "Atomic": 25},
        deadlines=1,
    ),
    txn(
        "txn-part-1/late-record",
        "The same with verification (KIP-890 part 1): the late request is refused",
        "The coordinator does not know the partition any more (T3.5), or the guard is gone (T7.10, T7.11).",
        deadlines=1,
    ),
    txn(
        "txn-4.3/late-record",
        "The same with TV2: the late request is of an epoch that is over",
        "The marker has a higher epoch than the request (T4.6, T7.2).",
        deadlines=1,
    ),
    txn(
        "txn-part-1/late-record-of-a-commit",
        "A record expires after commitTransaction was called: verification lets it into the next transaction",
        "The epoch is not bumped then (T9.3): the coordinator takes the late request for one of the next transaction "
        "(T3.5), and its sequence is the one that the leader waits for.",
        {"NoUncommittedRead": 20, "NoAbortedRead": 20, "NoDuplicate": 20},
        partitions=1,
        deadlines=1,
        hasty=True,
    ),
    txn(
        "txn-4.3/late-record-of-a-commit",
        "The same with TV2: the coordinator bumps the epoch, whatever the client knows",
        "T4.6, T7.2.",
        partitions=1,
        deadlines=1,
        hasty=True,
    ),
    txn(
        "txn-part-1/refused-record-of-a-commit",
        "A record is refused after commitTransaction was called: its first request takes the place of the next record",
        "The record is sent twice, and the second request is refused. The epoch stays (T9.3), and the next transaction "
        "uses the same sequence (T9.11). The first request is let into it (T3.5); its own record is a duplicate (B2).",
        {"NoCommittedLost": 23, "NoUncommittedRead": 24, "NoAbortedRead": 24},
        partitions=1,
        disconnects=1,
        invalid_records=1,
        faults=2,
        hasty=True,
    ),
    txn(
        "txn-4.3/refused-record-of-a-commit",
        "The same with TV2: the first request is of an epoch that is over",
        "T4.6, T7.2.",
        partitions=1,
        disconnects=1,
        invalid_records=1,
        faults=2,
        hasty=True,
    ),
    txn(
        "txn-classic/late-start",
        "InitProducerId is executed once more: the producer that has sent it is fenced",
        "The connection was lost, and the client has sent it again. The first request says nothing of an epoch, so it "
        "bumps that once more, and aborts what is ongoing (T2.2, T2.5).",
        {"NoNeedlessEnd": 5},
        partitions=1,
        late_starts=1,
    ),
    txn(
        "txn-4.3/late-start",
        "The same with TV2",
        "T2.2, T2.5, T5.4.",
        {"NoNeedlessEnd": 9},
        partitions=1,
        late_starts=1,
    ),
    owned(
        "txn-classic/late-join",
        "AddPartitionsToTxn is executed after the end: a transaction begins that no producer is in",
        "The connection was lost, and the client has sent it again. Only the epoch is asked for (T3.3), so the "
        "coordinator has a transaction until its timeout, which fences the producer (T5.2).",
        {"NoTransactionOfNobody": 11},
        partitions=1,
        late_joins=1,
    ),
    owned(
        "txn-part-1/late-join",
        "The same with verification, which asks about produce requests only",
        "T3.3, T3.5.",
        {"NoTransactionOfNobody": 13},
        partitions=1,
        late_joins=1,
    ),
    owned(
        "txn-4.3/late-join",
        "The same with TV2, where leaders add partitions: a produce request that is late begins nothing",
        "The epoch is another one after each transaction (T4.6, T7.15).",
        partitions=1,
        deadlines=1,
    ),
    txn(
        "txn-classic/late-end",
        "A delayed EndTxn(commit) of one transaction commits the next one",
        "Nothing but the epoch names a transaction (T4.4). The client never asked for this commit; what it sends "
        "afterwards opens a transaction that the coordinator does not know.",
        {"NoUncommittedRead": 20, "NoHangingTransaction": 20},
        late_ends=1,
    ),
    txn(
        "txn-part-1/late-end",
        "The same with verification: the next transaction is committed, but nothing hangs",
        "What is sent afterwards is refused (T3.5), and the transaction can only be aborted: that is answered "
        "INVALID_TXN_STATE, and the producer is at its end (T4.3, T9.6).",
        {"NoUncommittedRead": 26, "NoNeedlessEnd": 28},
        late_ends=1,
    ),
    txn(
        "txn-part-1/late-end-and-timeout",
        "The same, and a timeout: a transaction is committed in one partition and aborted in the other",
        "One partition is in the transaction when the delayed EndTxn commits it; the other joins the next one of the "
        "coordinator, which times out.",
        {"NoNeedlessEnd": 5, "NoUncommittedRead": 26, "FencedByEpoch": 9, "Atomic": 34},
        slow=True,
        late_ends=1,
        timeouts=1,
        faults=2,
    ),
    txn(
        "txn-part-1/late-end-of-an-abort",
        "A delayed EndTxn(abort) aborts the next transaction, which is told to be committed: its record is lost",
        "After the delayed abort the last partition of the next transaction joins another one of the coordinator "
        "(T3.3), which the producer commits with success. The record in the first partition stays aborted.",
        {"Atomic": 25, "NoUncommittedRead": 26, "NoAbortedRead": 30, "NoCommittedLost": 24, "NoNeedlessEnd": 25},
        late_ends=1,
        aborts=1,
        faults=2,
    ),
    txn(
        "txn-4.3/late-end-of-an-abort",
        "The same with TV2: nothing is lost",
        "The delayed EndTxn is of an epoch that is over (T4.5).",
        late_ends=1,
        aborts=1,
        faults=2,
    ),
    txn(
        "txn-4.3/late-end",
        "The same with TV2: the delayed EndTxn is of an epoch that is over",
        "It is a retry (T4.5) or fenced.",
        late_ends=1,
    ),
    txn(
        "txn-4.1/late-marker",
        "A delayed marker of one transaction commits the next one, TV2 until 4.1 (KAFKA-19446)",
        "A TV2 marker has the epoch of the next transaction (T4.6), and an equal epoch is enough (T7.3).",
        {"NoUncommittedRead": 22},
        late_markers=1,
    ),
    txn(
        "txn-4.2/late-marker",
        "The same with the strict comparison of KIP-1228",
        "The delayed marker is refused while the next transaction is open (T7.4).",
        late_markers=1,
    ),
    txn(
        "txn-4.3-old-clients/late-marker",
        "A delayed marker of an older client's transaction commits its next one, in a cluster with TV2 as well",
        "The marker of an EndTxn without TV2 says so, and has the epoch of the next transaction: an equal epoch is "
        "enough (T6.1, T7.3). Only a fence's marker is compared strictly there (T7.4).",
        {"NoUncommittedRead": 19, "NoNeedlessEnd": 9},
        partitions=1,
        late_markers=1,
        timeouts=1,
        faults=2,
    ),
    txn(
        "txn-4.1/late-abort-marker",
        "A delayed marker of an abort: the next transaction is told to be committed, and its record is gone",
        "The marker aborts what is open (T7.3, T7.6), of which the coordinator never hears. It has decided to commit "
        "(T4.2), and its own marker finds nothing left to decide.",
        {"NoUncommittedRead": 17, "NoAbortedRead": 19, "NoCommittedLost": 19},
        partitions=1,
        aborts=1,
        late_markers=1,
        faults=2,
    ),
    txn(
        "txn-4.2/late-abort-marker",
        "The same with the strict comparison of KIP-1228",
        "The delayed marker is refused while the next transaction is open (T7.4).",
        partitions=1,
        aborts=1,
        late_markers=1,
        faults=2,
    ),
    txn(
        "txn-4.3/late-marker-and-take-over",
        "A delayed marker arrives when a further producer has begun: its epoch is lower",
        "T7.4. No marker of a lower epoch than the last one's decides anything.",
        partitions=1,
        late_markers=1,
        takeovers=1,
        sessions=2,
        faults=2,
    ),
    txn(
        "txn-classic/marker-of-the-old-coordinator",
        "A coordinator has left a marker on the way: its successor has written its own, so it is refused",
        "T7.5: in the classic generation the marker would fit the next transaction (T7.3).",
        partitions=1,
        failovers=1,
        left_behind=True,
    ),
]
