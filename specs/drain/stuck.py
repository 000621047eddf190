"""A node hangs, and a partition moves away from it: what the partitions of the other node have to do with that."""

from __future__ import annotations

from typing import Any

from .common import of

WAITS = "nobody_waits_for_another(partition=1)"
SILENT: dict[str, Any] = {"leaders": (0, 1), "stuck": 0, "moves": 1, "late": False, "batches": (2, 3)}
BEHIND: dict[str, Any] = {"behind": 0, "batches": (2, 3)}
LATE: dict[str, Any] = {"leaders": (0, 1), "stuck": 0, "moves": 1, "batches": (2, 1)}

SCENARIOS = [
    of(
        "Draining",
        "drain-3.3/hung-leader",
        "A partition moves away from a node that hangs: every partition of its new node waits for the hung one",
        "P1.7 with P2.2: C2.5 holds the partition until the hung node is given up, and the index stays at it.",
        {WAITS: 10},
        patience=False,
        **SILENT,
    ),
    of(
        "Draining",
        "drain-3.2/hung-leader",
        "The same up to 3.2: only the partition that moved waits",
        "P2.2: the next request begins behind it.",
        patience=False,
        **SILENT,
    ),
    of(
        "Draining",
        "drain-skipping/hung-leader",
        "The same, if a partition that must wait were skipped",
        "P1.7 with `continue`.",
        patience=False,
        slow=True,
        **SILENT,
    ),
    of(
        "Draining",
        "drain-3.3/hung-leader-given-up",
        "The same from 3.3 on, when the client gives the hung node up: the wait ends",
        "P4.2: request.timeout.ms, 30 s, is what ends it.",
        slow=True,
        **SILENT,
    ),
    of(
        "Draining",
        "drain-3.3/leader-hangs-later",
        "The same with a node that answers first and hangs then",
        "It has told the client that it leads no more; the retry still went to it.",
        {WAITS: 11},
        patience=False,
        slow=True,
        **LATE,
    ),
    of(
        "Draining",
        "drain-3.3/slow-follower",
        "A partition whose follower is slow: every partition of its requests waits",
        "P5.3: the answer goes out when all partitions of the request are replicated, and answers come in order.",
        {WAITS: 4},
        patience=False,
        **BEHIND,
    ),
    of(
        "Draining",
        "drain-3.3/slow-follower-timed-out",
        "The same, when the leader's patience ends: the wait ends",
        "P5.3: REQUEST_TIMED_OUT for that partition, after request.timeout.ms, 30 s; the others have their results.",
        **BEHIND,
    ),
    of(
        "Draining",
        "drain-3.3/slow-follower-of-another-node",
        "The same with a leader of its own for each partition: none waits",
        "P5.3 is about one request, which goes to one node.",
        patience=False,
        leaders=(0, 1),
        **BEHIND,
    ),
]
