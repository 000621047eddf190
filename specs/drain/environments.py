"""Test environments for random walks of the drain beside Kafka: three or four partitions, and all faults at once."""

from __future__ import annotations

from typing import Any

FAULTS = {"refusals": 3, "failures": 3, "moves": 3, "losses": 3, "deadlines": 3}
BUSY: dict[str, Any] = {
    "batches": (4, 4, 3),
    "max_in_flight": 3,
    "faults": 6,
    "epochs": 12,
    "faulty": (0, 1, 2),
    **FAULTS,
}

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "one-node": {**BUSY, "leaders": (0, 0, 0), "moves": 0},
    "two-nodes": {**BUSY, "leaders": (0, 0, 1)},
    "one-moves": {**BUSY, "leaders": (0, 1, 0), "faulty": (0,)},
    "no-room": {**BUSY, "leaders": (0, 0, 1), "room": 1},
    "little-room": {**BUSY, "leaders": (0, 1, 1), "room": 2},
    "four-partitions": {**BUSY, "leaders": (0, 0, 1, 1), "batches": (3, 3, 2, 2), "faulty": (0, 1, 2, 3), "room": 2},
    "hung-node": {**BUSY, "leaders": (0, 1, 1), "stuck": 0, "faulty": (0,)},
    "deadlines": {
        "leaders": (0, 0),
        "batches": (4, 2),
        "max_in_flight": 3,
        "faults": 7,
        "refusals": 4,
        "deadlines": 3,
        "epochs": 8,
    },
    "one-in-flight": {**BUSY, "leaders": (0, 0, 1), "max_in_flight": 1},
}
"""By name, the constants of the model of the drain."""
