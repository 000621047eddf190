"""What partitions of one request do to each other: nothing that breaks a promise."""

from __future__ import annotations

from .common import of

SCENARIOS = [
    of(
        "Draining",
        "drain-3.3/one-refused",
        "A batch is refused, the rest of its request is not: retries of one partition wait, others do not",
        "P5.1, P5.2, C2.5.",
        refusals=1,
        batches=(2, 2),
        goal="not first",
        slow=True,
    ),
    of(
        "Draining",
        "drain-3.3/epoch-of-another",
        "A partition is renumbered: the others finish in their old epoch, and go on in the new one",
        "P6.1, P6.2, C2.3, C9.4.",
        failures=1,
        batches=(2, 3),
        epochs=3,
        goal="stale",
    ),
    of(
        "Drain",
        "drain-3.3/three-on-two-nodes",
        "The same with three partitions on two nodes",
        "P6.1, P6.2.",
        leaders=(0, 0, 1),
        failures=1,
        batches=(2, 2, 1),
        epochs=3,
        slow=True,
    ),
    of(
        "Drain",
        "drain-3.3/lost-and-renumbered",
        "A connection is lost and a batch of one partition is refused for good: only that partition has a batch twice",
        "C9.3 renumbers what was written, here in partition 0 (docs/explanation/findings.md). Partition 1 loses the "
        "same connection and shares the epoch, and has none (OthersUnharmed).",
        {"NoDuplicate": 13},
        leaders=(0, 1),
        faults=2,
        failures=1,
        losses=1,
        batches=(2, 2),
        epochs=3,
        slow=True,
    ),
    of(
        "Drain",
        "drain-3.3/expired",
        "Batches of one partition expire after a retry: it waits for what is in flight, and then begins anew",
        "C2.4, C7.2, C8.",
        faults=3,
        refusals=1,
        deadlines=2,
        batches=(3, 2),
        epochs=3,
        goal="marked",
    ),
    of(
        "Draining",
        "drain-3.5/expired",
        "The same from 3.3 to 3.5, where an error that comes for an expired batch asks for a bump of its own",
        "C2.4, C7.2, C8, P5.4.",
        faults=3,
        refusals=1,
        deadlines=2,
        batches=(3, 2),
        epochs=4,
        goal="marked",
    ),
]
