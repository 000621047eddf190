"""Producers: the next transaction of one, and a further one with the same transactional id."""

from __future__ import annotations

from typing import Any

from .common import NEAR_THE_HIGHEST, txn

LOST_AT_A_FAIL_OVER: dict[str, Any] = {
    "partitions": 1,
    "deadlines": 1,
    "lost_answers": 1,
    "failovers": 1,
    "faults": 3,
}
"""A record expires, so the epoch is bumped; the answer is lost, and another coordinator is asked again."""

SCENARIOS = [
    txn(
        "txn-kafka-18575/next-transaction",
        "Without any fault a record of the next transaction is refused (KAFKA-18575, never released)",
        "The marker of the transaction before takes the guard of the next one (T7.14), while the leader asks the "
        "coordinator for that (T7.13).",
        {"NoNeedlessAbort": 20},
        faults=0,
    ),
    txn(
        "txn-4.3/next-transaction",
        "Without any fault: every transaction is committed, and read in all partitions",
        "The base line of TV2. The marker leaves the guard of the next transaction (T7.14).",
        faults=0,
    ),
    txn(
        "txn-4.3/lost-connection",
        "The connection to a leader is lost: the repeated record is known there, and no transaction is aborted",
        "Neither the first request nor the second one is written twice (B5).",
        partitions=1,
        disconnects=1,
    ),
    txn(
        "txn-classic/take-over",
        "A further producer with the same transactional id, KIP-98: the one before is fenced at the leader, too",
        "The marker of the fence has a higher epoch than what the zombie has on the way (T5.1, T7.2).",
        partitions=1,
        takeovers=1,
        sessions=2,
    ),
    txn(
        "txn-2.5/take-over",
        "The same where the producer is at its end as soon as one of its records is refused",
        "The clients of 2.5 and 2.6 (T9.7).",
        partitions=1,
        takeovers=1,
        sessions=2,
    ),
    txn(
        "txn-4.3/take-over",
        "A further producer starts with the same transactional id, at any time; the one before goes on",
        "It is fenced by the epoch (T2.2, T2.5, T5.4); no item is written twice, and none is lost.",
        slow=True,
        takeovers=1,
        sessions=2,
    ),
    txn(
        "txn-part-1/take-over-and-late-record",
        "A further producer, and a late record of the one before: safe, but a zombie's bump fences the new producer",
        "The old producer still has to bump its epoch (T9.3). InitProducerId does not compare the epoch while a "
        "transaction is ongoing (T2.8): it aborts that of the new producer, which is fenced.",
        {"FencedByEpoch": 10, "NoNeedlessEnd": 19},
        slow=True,
        partitions=1,
        takeovers=1,
        deadlines=1,
        faults=2,
        sessions=2,
    ),
    txn(
        "txn-part-1/lost-answer",
        "A producer bumps its epoch, the answer is lost, and it asks again",
        "The pair it has is the one before: that is a retry (T2.3), answered with the current pair.",
        partitions=1,
        deadlines=1,
        lost_answers=1,
        faults=2,
    ),
    txn(
        "txn-part-1/lost-answer-and-fail-over",
        "The same, and another coordinator is asked: it does not know the last epoch, and fences the producer",
        "The last epoch is not in the log (T1.11).",
        {"NoNeedlessEnd": 12},
        **LOST_AT_A_FAIL_OVER,
    ),
    txn(
        "txn-4.3-without-tv2/lost-answer-and-fail-over",
        "The same where the epoch is exhausted, and the ids are in the log (KAFKA-20357)",
        "The producer has the previous id, which is known (T2.7); the last epoch is not (T1.11).",
        {"NoNeedlessEnd": 12},
        **LOST_AT_A_FAIL_OVER,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-kafka-20357/lost-answer-and-fail-over",
        "The same with the change of KAFKA-20357: the last epoch is in the log, too",
        "T1.11, T2.3. No release has it.",
        **LOST_AT_A_FAIL_OVER,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-classic/forgotten-fence",
        "A leader that has forgotten a producer lets a fenced one write: its record is committed with the next one",
        "All records are deleted, and the only replica restarts (D11): it knows neither id nor epoch, so a record of "
        "the lower epoch opens a transaction (T7.8), which hangs, or is decided by the marker of the next one (T7.6).",
        {"NoHangingTransaction": 9, "NoUncommittedRead": 18, "NoDuplicate": 18},
        partitions=1,
        sessions=2,
        takeovers=1,
        retentions=1,
        faults=2,
    ),
    txn(
        "txn-4.3/forgotten-fence",
        "The same with TV2: the leader asks the coordinator, which knows the epoch",
        "T7.13, T3.1.",
        partitions=1,
        sessions=2,
        takeovers=1,
        retentions=1,
        faults=2,
    ),
]
