"""All kinds of faults together, in the newest generation."""

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
]
