"""That every transaction ends, at the coordinator and in every partition."""

from __future__ import annotations

from .common import ending

SCENARIOS = [
    ending(
        "txn-classic/hanging-transaction",
        "The hanging transaction of KIP-890: the last stable offset stays where it is for ever",
        "txn-classic/late-record as a temporal property: timeouts do not help, since the coordinator knows nothing of "
        "what it should end.",
        {"NoHangingTransaction": 9, "every_record_is_decided(partition=0)": 11},
        partitions=1,
        transactions=1,
        deadlines=1,
    ),
    ending(
        "txn-part-1/hanging-transaction",
        "The same with verification: every transaction ends",
        "T7.9 to T7.11.",
        partitions=1,
        transactions=1,
        deadlines=1,
    ),
    ending(
        "txn-kafka-19999/repeated-marker",
        "A marker is repeated, and refused: the transaction is never complete (KAFKA-19999, never released)",
        "With the strict comparison a marker that was written already is of an old epoch (T7.4, first half); the "
        "coordinator then gives up (T6.3), and answers CONCURRENT_TRANSACTIONS for ever. All records are decided.",
        {"every_transaction_ends": 11},
        transactions=1,
        late_markers=1,
    ),
    ending(
        "txn-4.2/repeated-marker",
        "The same where a repeated marker is let through",
        "T7.4.",
        slow=True,
        transactions=1,
        late_markers=1,
    ),
    ending(
        "txn-4.3/fail-over",
        "The coordinator fails over at any time: every transaction ends",
        "The new one sends all markers of a Prepare state again (T1.7, T1.8).",
        slow=True,
        failovers=1,
    ),
]
