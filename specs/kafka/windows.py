"""How many batches may be in flight: the window of the broker against max.in.flight, connection losses only."""

from __future__ import annotations

from .common import kafka

ABOVE = [
    kafka(
        f"window/{window + 1}-in-flight-{window}-remembered",
        f"{window + 1} batches in flight, {window} remembered: a lost connection duplicates a record",
        "All batches are appended and the connection is lost with every answer. The retry of the oldest is no longer "
        "recognised, is answered 45 like a gap (B4.4), is next in line (C5.4), and goes out again in a new epoch.",
        {"NoDuplicate": 2 * window + 9},
        window=window,
        max_in_flight=window + 1,
        batches=window + 1,
        disconnects=1,
        goals="bump, out of order",
    )
    for window in range(1, 6)
]

WITHIN = [
    kafka(
        f"window/{window}-in-flight-{window}-remembered",
        f"{window} batches in flight, {window} remembered: lost connections are harmless",
        "Whatever is lost, every retry is at most as old as the oldest batch that the broker remembers, so it is "
        "recognised (B2). Two lost connections in a behaviour, nothing else goes wrong.",
        window=window,
        max_in_flight=window,
        batches=window + 2,
        disconnects=2,
        faults=2,
    )
    for window in range(1, 6)
]

SURVIVORS = [
    kafka(
        "window/requests-outlive-their-connection",
        "Five in flight, five remembered, and requests that are executed after their connection was closed",
        "B7: buffered requests of a closed connection may still be executed, concurrently with the retries on "
        "the new  "
        "connection. They are duplicates of each other, and the second is always recognised.",
        max_in_flight=5,
        batches=6,
        disconnects=2,
        faults=2,
        survivors=2,
    ),
    kafka(
        "window/request-outlives-its-epoch",
        "A request of a closed connection is executed late: before the next epoch it is written, afterwards fenced",
        "The retry meets a definite error, so the record is reported failed and the epoch is bumped. The first request "
        "may still be executed (B7): a false failure. Once a batch of the new epoch is in the log it is refused (B3), "
        "so nothing is reordered or duplicated.",
        {"NoFalseFailure": 6},
        batches=2,
        warm=0,
        max_in_flight=1,
        disconnects=1,
        invalid_records=1,
        faults=2,
        survivors=1,
    ),
    kafka(
        "window/five-in-flight-five-remembered-explicit",
        "The same with every fetch of the follower as a step of its own",
        "The lazy high watermark of the model against replication told step by step: the verdicts are the same.",
        max_in_flight=5,
        batches=6,
        disconnects=2,
        faults=2,
        explicit_replication=True,
    ),
]

SCENARIOS = [*ABOVE, *WITHIN, *SURVIVORS]
