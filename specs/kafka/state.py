"""What the broker remembers of a producer: restart, snapshot, retention, expiry, epochs and sequences."""

from __future__ import annotations

from typing import Any

from .common import kafka

RESTARTS = [
    kafka(
        "current/clean-restart",
        "A clean restart leaves one remembered batch: the second in flight is enough to duplicate",
        "A snapshot holds the last batch of each producer only (D5, D6). The answers of two appended batches "
        "are lost with  "
        "the connection, and the older retry is answered 45.",
        {"NoDuplicate": 11},
        replicas=1,
        clean_restarts=1,
        goals="bump, out of order",
    ),
    kafka(
        "current/clean-restart-one-in-flight",
        "A clean restart with one in flight is harmless",
        "The one batch in question is the one that the snapshot holds.",
        replicas=1,
        max_in_flight=1,
        clean_restarts=2,
        faults=2,
    ),
    kafka(
        "current/clean-restart-of-the-follower",
        "A follower restarts cleanly, then leads: its memory is short of the leader's",
        "Every replica has its own producer state (D1, D3); nothing tells the client that the new leader "
        "remembers less.",
        {"NoDuplicate": 13},
        clean_restarts=1,
        leader_crashes=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "current/rolling-restart",
        "Both brokers restart, the second before the first is back in sync: a record is written twice",
        "A broker that stops leaves the in-sync set, but for the last one, which leads again when it is back: with one "
        "remembered batch of each producer (D6), though there are two replicas.",
        {"NoDuplicate": 12},
        batches=2,
        clean_restarts=2,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "current/crash-restart",
        "A crash restart leaves one remembered batch, as a clean one does: a record is written twice",
        "Recovery replays the log into a snapshot of the last batch of each producer, and the broker starts from that "
        "(D6).",
        {"NoDuplicate": 11},
        replicas=1,
        crashes=1,
        goals="bump, out of order",
    ),
    kafka(
        "current/two-leader-crashes",
        "The leader crashes, its successor crashes: the first one leads again and remembers one batch",
        "The second crash comes when both replicas are in sync again. The first leader came back with one remembered "
        "batch of each producer (D6), and nothing new has filled its memory since.",
        {"NoDuplicate": 13},
        leader_crashes=2,
        faults=2,
        goals="bump, out of order",
    ),
]

TRUNCATIONS = [
    kafka(
        "current-first/leader-change-and-back",
        "Leadership moves and moves back, a connection is lost: the old leader remembers what it had, but for its tail",
        "The tail of the old leader is cut, and its log is replayed from the start, since there is no snapshot (D4). "
        "C5.4 is changed to leave out what current/two-clean-leader-changes shows.",
        generation="current-first",
        max_in_flight=3,
        leader_changes=2,
        disconnects=1,
        faults=3,
    ),
    kafka(
        "current-first/truncation-after-roll",
        "The same after a segment roll: the old leader remembers one batch, and a record is written twice",
        "The roll took a snapshot (B1.7). The truncation loads it and has little left to replay (D4, D5).",
        {"NoDuplicate": 16},
        generation="current-first",
        max_in_flight=3,
        leader_changes=2,
        disconnects=1,
        rolls=1,
        faults=4,
        goals="bump, out of order",
    ),
]

RETENTION = [
    kafka(
        "kafka-5494/retention",
        "Until 2.3 retention drops the state of a producer whose records are all deleted",
        "The next batch is answered UNKNOWN_PRODUCER_ID, and the client starts again at 0 with the same id and epoch "
        "because its last acknowledged record lies below the log start.",
        {"SequencesContiguous": 6},
        generation="kafka-5494",
        pids=3,
        retentions=1,
    ),
    kafka(
        "kafka-5494/retention-and-lost-response",
        "The same with a lost response: a retry is written again",
        "The record of a batch in flight is deleted together with the state that would recognise its retry.",
        {"NoDuplicate": 9, "SequencesContiguous": 6},
        generation="kafka-5494",
        pids=3,
        retentions=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "kafka-5886/retention-and-late-request",
        "The same with a late request: a record is written twice, and the next one is acknowledged and never written",
        "The client numbers the record anew while its first request is on its way. That one takes the sequence of "
        "the next record, which then counts as a duplicate.",
        {"NoDuplicate": 9, "AckedIsPersisted": 13, "TruthfulOffset": 13, "SequencesContiguous": 6},
        generation="kafka-5886",
        pids=2,
        batches=2,
        replicas=1,
        spare=4,
        survivors=1,
        retentions=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "2.4/retention",
        "Since 2.4 the state of a producer outlives its records",
        "KAFKA-7190 and KAFKA-9105: the state stays in memory when retention deletes the records (D10).",
        generation="2.4",
        pids=3,
        retentions=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "current/retention",
        "Retention deletes every record, a connection is lost: harmless",
        "The state stays in memory (D10), so retries are still recognised.",
        retentions=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "current/retention-and-restart",
        "Retention deletes every record, then a clean restart: the producer is unknown",
        "The snapshot at the log end is not above the log start and is removed (D11). Any sequence is accepted "
        "from an  "
        "unknown producer (B4.1), so a retry is written again.",
        {"NoDuplicate": 6, "SequencesContiguous": 6},
        replicas=1,
        retentions=1,
        clean_restarts=1,
        faults=2,
    ),
    kafka(
        "current/expiry",
        "The producer state expires between two batches: harmless",
        "The next batch is accepted whatever its sequence is (B4.1).",
        expiries=1,
    ),
    kafka(
        "current/expiry-and-lost-response",
        "The producer state expires while a batch is in retry: the record is written again",
        "Expiry goes by record timestamps (D9), so it can meet a producer that is alive.",
        {"NoDuplicate": 6, "SequencesContiguous": 6},
        expiries=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "current/expiry-and-refusal",
        "The producer state expires while a refused batch waits for its retry: the next one overtakes it",
        "As with the first batch of all (current/cold-start-refused): the broker does not know the producer, "
        "so the later  "
        "batch is accepted (B4.1).",
        {"NoGap": 7, "SequencesContiguous": 5},
        expiries=1,
        refusals=1,
        faults=2,
    ),
]

UNKNOWN = [
    kafka(
        f"{name}/unknown-producer",
        f"UNKNOWN_PRODUCER_ID and its relatives in {versions}: the state of the producer expires between batches",
        text,
        {},
        generation=name,
        pids=4,
        max_in_flight=flight,
        expiries=1,
    )
    for name, versions, flight, text in (
        ("kip-98", "0.11", 1, "The broker answers 45, the client fails the batch and takes a new producer id."),
        (
            "kafka-5494",
            "1.0 to 2.0",
            2,
            "The broker answers 59. The last acknowledged record is still there, which looks like data loss: the batch "
            "fails, and what is in flight behind it fails with it.",
        ),
        ("2.4", "2.4", 2, "The broker answers 59 as before, although its state now outlives retention."),
        ("kip-360", "2.5 to 2.7.0", 2, "The broker accepts (KIP-360)."),
    )
]

NUMBERS = [
    kafka(
        "current/epoch-exhausted",
        "The epoch runs out: the producer id is dropped while batches are in flight",
        "What is in flight is restamped with no producer id (C9.2, C9.3) and written without any check.",
        batches=3,
        epochs=1,
        epoch_exhausts=True,
        pids=2,
        invalid_records=2,
        faults=2,
    ),
    kafka(
        "current/epoch-exhausted-and-lost-response",
        "The epoch runs out and a connection is lost: batches without a producer id are written twice",
        "A batch that goes out without a producer id is never recognised.",
        {"NoDuplicate": 12, "NoFalseFailure": 6},
        batches=3,
        epochs=0,
        epoch_exhausts=True,
        pids=2,
        invalid_records=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "current/sequence-wrap",
        "The sequence wraps to 0 while batches are in flight",
        "The broker wraps (B4.4), the client orders its retries by plain numbers (C10, C12): the batch after "
        "the wrap is  "
        "taken for the oldest.",
        batches=4,
        warm=6,
        window=4,
        max_in_flight=3,
        modulus=8,
        disconnects=1,
    ),
    kafka(
        "current/definite-error-around-the-wrap",
        "A definite error while the sequence wraps: the batches behind it are renumbered in the wrong order",
        "What is in flight is renumbered in the order of plain numbers (C9.3, C12), so the batch after the wrap "
        "becomes the first of the new epoch and overtakes the one before it.",
        {"NoGap": 13, "InOrder": 15},
        warm=4,
        window=2,
        max_in_flight=3,
        modulus=6,
        epochs=1,
        invalid_records=1,
        goals="bump, out of order",
    ),
]

PRODUCERS = [
    kafka(
        "current/producer-restart",
        "The producer restarts: the new session writes again what it did not know to be written",
        "Idempotence ends with the session; that is the promise and no defect.",
        {"NoDuplicate": 5},
        pids=2,
        producer_restarts=1,
    ),
    kafka(
        "current/two-producers",
        "Another producer writes to the partition in between",
        "State is kept per producer id; offsets interleave, sequences do not.",
        batches=4,
        max_in_flight=3,
        pids=2,
        spare=4,
        foreign_appends=2,
        disconnects=1,
        faults=3,
    ),
    kafka(
        "current/two-partitions-one-bump",
        "Two partitions, one epoch: a bump for one partition restarts the other lazily",
        "The other partition keeps its pair until nothing of it is in flight, then starts again at 0 (C9.4, C2.3).",
        partitions=2,
        batches=4,
        max_in_flight=3,
        invalid_records=1,
        goals="bump",
    ),
    kafka(
        "kip-360/two-partitions-one-bump",
        "Two partitions, one epoch, 2.5 to 2.7.0: an idle partition keeps its sequence in the new epoch",
        "KAFKA-12152: its next batch is refused with 45 (B4.3) and costs another epoch.",
        generation="kip-360",
        partitions=2,
        batches=4,
        max_in_flight=3,
        epochs=3,
        invalid_records=1,
        goals="bump, out of order",
    ),
]

SCENARIOS = [*RESTARTS, *TRUNCATIONS, *RETENTION, *UNKNOWN, *NUMBERS, *PRODUCERS]


def on_independent_partitions(number: int) -> dict[str, Any]:
    """Constants of current/expiry-and-lost-response with one batch for each of `number` partitions, on one replica.

    The shortest violation stays 6 steps long. The order of the requests is part of the state, so the states
    within five steps grow with the fifth power of the number: 229,616,926 of them for 48 partitions.
    """
    scenario = next(s for s in RETENTION if s.name == "current/expiry-and-lost-response")
    scale = {"partitions": number, "batches": number, "max_in_flight": 5, "replicas": 1, "spare": 1}
    return {**scenario.constants, **scale}
