"""Epochs: around the highest one, and what a producer is told whose epoch is over."""

from __future__ import annotations

from typing import Any

from .common import NEAR_THE_HIGHEST, ending, txn

TAKEN_OVER: dict[str, Any] = {"takeovers": 1, "sessions": 2, "partitions": 1, **NEAR_THE_HIGHEST}

SCENARIOS = [
    txn(
        "txn-kafka-18660/overflow",
        "The epoch is used up, and the answer names the old producer id (KAFKA-18660, never released)",
        "The producer goes on with an id that is not the transactional id's any more (T4.7), and is refused for ever.",
        {
            "NoNeedlessEnd": 19,
        },
        faults=0,
        goal=False,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.3/overflow",
        "The epoch is used up, and the producer goes on with the next producer id",
        "T5.6, and T3.4: while the old transaction is completing the new id is told to wait.",
        faults=0,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.0.0/exhausted-fence",
        "A timeout at the last epoch but one: the epoch is bumped twice, which throws (KAFKA-19367)",
        "The abort is never written, and no later attempt gets that far (T5.3, T5.5, T5.8): the transaction is ongoing "
        "for ever.",
        {
            "every_record_is_decided(partition=0)": 12,
            "every_record_is_decided(partition=1)": 12,
            "every_transaction_ends": 12,
        },
        faults=0,
        transactions=1,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.0.1/exhausted-fence",
        "The same with one bump, as 4.0.1 has it: the transaction is aborted with the highest epoch",
        "T5.4. What else changes with 4.1 is at leaders, and which id is noted as the previous one (T1.2).",
        faults=0,
        transactions=1,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.1/exhausted-fence",
        "The same with one bump: the transaction is aborted with the highest epoch",
        "T5.4. One transaction only; compare txn-4.2/highest-epoch.",
        faults=0,
        transactions=1,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.2/highest-epoch",
        "After such a timeout the producer goes on with the highest epoch, and cannot end a transaction (KAFKA-20090)",
        "Its EndTxn(abort) counts as a retry and is answered with the epoch 32767 (T4.5, T5.7). The next transaction "
        "cannot be ended, nor fenced (T5.5, T5.8).",
        {
            "every_record_is_decided(partition=0)": 22,
            "every_record_is_decided(partition=1)": 22,
            "every_transaction_ends": 22,
        },
        slow=True,
        faults=0,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.3/highest-epoch",
        "The same with a next producer id at such a timeout",
        "T5.6 for fences, too (T5.7 until 4.2), and T5.9.",
        slow=True,
        faults=0,
        **NEAR_THE_HIGHEST,
    ),
    ending(
        "txn-4.3/take-over-at-the-highest-epoch",
        "A further producer starts where the epoch is used up: it gets a fresh producer id",
        "T2.6. With one more epoch instead its transaction could not be ended.",
        takeovers=1,
        sessions=2,
        partitions=1,
        transactions=1,
        **{**NEAR_THE_HIGHEST, "pids": 4},
    ),
    txn(
        "txn-classic/replaced-id",
        "A producer whose id was replaced fences the one that has replaced it: clients and brokers of 2.7 to 3.5",
        "A further producer has started where the epoch is used up, and has another id (T2.6). The one before is told, "
        "aborts, and asks for another epoch (T9.6). The coordinator has its id as the previous one (T2.7), and aborts "
        "what the new producer has begun (T2.8); both are at their end.",
        {"NoNeedlessEnd": 13},
        **TAKEN_OVER,
    ),
    txn(
        "txn-3.9.2/replaced-id",
        "The same with clients and brokers of 3.9.2, as with all from 3.6 on",
        "T2.8, T9.6.",
        {"NoNeedlessEnd": 14},
        **TAKEN_OVER,
    ),
    txn(
        "txn-4.3-old-clients/replaced-id",
        "The same clients with brokers from 4.1 on: the previous id is noted anew as soon as a partition joins",
        "T1.2: InitProducerId of the producer before is refused (T2.7).",
        **TAKEN_OVER,
    ),
    txn(
        "txn-4.3-without-tv2/replaced-id",
        "Clients from 4.0 on, without TV2: an id that is not known is a fatal error, and nobody is fenced",
        "T9.6.",
        **TAKEN_OVER,
    ),
    txn(
        "txn-4.3/late-end-at-the-highest-epoch",
        "EndTxn is repeated where the epoch is used up: the repetition names the producer id before, and is answered",
        "T4.5, its second half.",
        late_ends=1,
        partitions=1,
        transactions=1,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.2/fail-over-at-the-highest-epoch",
        "The coordinator fails over where the epoch is used up: the next producer id is forgotten (KAFKA-20310)",
        "EndTxn was answered with the next producer id, which the log does not have (T1.11): the producer goes on "
        "with an id that is not the transactional id's.",
        {"NoNeedlessEnd": 15},
        failovers=1,
        partitions=1,
        goal=False,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.3/fail-over-at-the-highest-epoch",
        "The same where the log has it",
        "T1.11.",
        failovers=1,
        partitions=1,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.2/repeated-end-at-the-highest-epoch",
        "EndTxn is repeated after such a failover: the producer id before is not known any more (KAFKA-20310)",
        "The repetition names the producer id before, which only the log could tell (T4.5, T1.11).",
        {"NoNeedlessEnd": 13},
        faults=2,
        late_ends=1,
        failovers=1,
        partitions=1,
        transactions=1,
        goal=False,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.3/repeated-end-at-the-highest-epoch",
        "The same where the log has it",
        "T1.11.",
        faults=2,
        late_ends=1,
        failovers=1,
        partitions=1,
        transactions=1,
        **NEAR_THE_HIGHEST,
    ),
    txn(
        "txn-4.0.0/old-epoch",
        "A transaction times out while its record is verified: INVALID_TXN_STATE instead of INVALID_PRODUCER_EPOCH "
        "(KAFKA-19690)",
        "The marker takes the guard (T7.10), and the guard is compared before the epoch (T7.11). Whoever is timed out "
        "and then commits is at its end, in all generations (T4.3, T4.5).",
        {"FencedByEpoch": 8, "NoNeedlessEnd": 11},
        timeouts=1,
    ),
    txn(
        "txn-4.0.2/old-epoch",
        "The same with the epoch compared first",
        "T7.15, at the append alone.",
        {"NoNeedlessEnd": 16},
        timeouts=1,
    ),
    txn(
        "txn-4.1/old-epoch",
        "The same with the epoch compared first, before the verification begins, too",
        "T7.15.",
        {"NoNeedlessEnd": 16},
        timeouts=1,
    ),
    txn(
        "txn-part-1/old-epoch",
        "The same with clients and brokers of 3.6 to 3.9.1 (KAFKA-19690)",
        "The guard is compared before the epoch (T7.11).",
        {"FencedByEpoch": 9, "NoNeedlessEnd": 5},
        timeouts=1,
    ),
    txn(
        "txn-3.9.2/old-epoch",
        "The same with the epoch compared first",
        "T7.15, at the append alone.",
        {"NoNeedlessEnd": 5},
        timeouts=1,
    ),
]
