"""The producer without idempotence: what acks, retries and max.in.flight give by themselves."""

from __future__ import annotations

from typing import Any

from .common import kafka

PLAIN: dict[str, Any] = {"generation": "non-idempotent"}

SCENARIOS = [
    kafka(
        "non-idempotent/at-least-once",
        "acks=1 and retries: a lost answer duplicates the record",
        "The broker appends, the answer is lost with the connection, the retry is appended again.",
        {"NoDuplicate": 5},
        **PLAIN,
        acks="1",
        max_in_flight=1,
        disconnects=1,
    ),
    kafka(
        "non-idempotent/at-least-once-reordered",
        "acks=all, retries and two in flight: a refused batch is overtaken",
        "The first batch is refused by a retriable error, the second is appended, the first is appended behind it.",
        {"NoGap": 6, "InOrder": 7},
        **PLAIN,
        refusals=1,
    ),
    kafka(
        "non-idempotent/at-least-once-one-in-flight",
        "acks=all, retries and one in flight: refused batches keep their order",
        "With one request in flight the partition is muted while it is out (C2.1): a refusal before the append is "
        "harmless.",
        **PLAIN,
        max_in_flight=1,
        refusals=2,
        faults=2,
    ),
    kafka(
        "non-idempotent/acks-1-leader-change",
        "acks=1: a clean leader change loses acknowledged records",
        "The leader answers before its follower has the record (B6.7); the follower leads without it.",
        {"NoGap": 6, "InOrder": 9, "AckedIsPersisted": 4},
        **PLAIN,
        acks="1",
        leader_changes=1,
    ),
    kafka(
        "non-idempotent/acks-all-leader-change",
        "acks=all: a clean leader change loses nothing that was acknowledged",
        "It duplicates, though: an answer that waited for the high watermark becomes NOT_LEADER_OR_FOLLOWER "
        "(B6.5), and  "
        "the record may have reached the new leader.",
        {"NoDuplicate": 7},
        **PLAIN,
        leader_changes=1,
        max_in_flight=1,
    ),
    kafka(
        "non-idempotent/at-most-once-no-retries",
        "acks=1 without retries: nothing is written twice",
        "A batch that fails once fails for good; the application only knows that the outcome is unknown.",
        **PLAIN,
        acks="1",
        retries=0,
        disconnects=1,
        refusals=1,
        faults=2,
    ),
    kafka(
        "non-idempotent/at-most-once-acks-0",
        "acks=0: nothing is written twice, and nothing is known",
        "The future completes when the request is sent. A lost connection loses records that the application "
        "believes  "
        "to be written.",
        {"AckedIsPersisted": 1},
        **PLAIN,
        acks="0",
        disconnects=1,
    ),
]
