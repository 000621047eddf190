"""Test environments for random walks against real Kafka: many kinds of fault at once, too many to explore.

`everystate conform environments` takes them in turn. Each is a name with constants. What an environment
leaves out is what Kafka's own classes cannot be driven to here (model/conformance/drivable.py).
"""

from __future__ import annotations

from typing import Any

FAULTS = {
    "disconnects": 4,
    "refusals": 4,
    "late_errors": 4,
    "invalid_records": 4,
    "deadlines": 2,
    "leader_changes": 3,
    "leader_crashes": 2,
    "clean_restarts": 2,
    "crashes": 2,
    "rolls": 3,
    "retentions": 2,
    "expiries": 2,
}
"""How often each kind may happen in a behaviour."""
BUSY = {"batches": 6, "max_in_flight": 5, "epochs": 20, "spare": 12, "faults": 10}
REQUESTS = {"disconnects": 5, "refusals": 5, "late_errors": 5, "invalid_records": 5}
OUT_OF_SYNC = {**FAULTS, "isr_shrinks": 3, "unclean_elections": 2}


def environment(kinds: dict[str, int] = FAULTS, **constants: Any) -> dict[str, Any]:
    """The constants of an environment: much traffic, the faults, and what is particular."""
    return {**BUSY, **kinds, **constants}


ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "warm": environment(),
    "cold": environment(warm=0),
    "requests": environment(REQUESTS, faults=12, batches=8, spare=16),
    "deadlines": environment({"refusals": 8, "late_errors": 4, "deadlines": 6}, faults=14, batches=8, spare=16),
    "elections": environment({**FAULTS, "leader_changes": 6, "leader_crashes": 4, "expiries": 0, "retentions": 0}),
    "storage": environment(
        {"disconnects": 4, "rolls": 5, "clean_restarts": 4, "crashes": 4, "leader_changes": 2, "expiries": 2}
    ),
    "one-in-flight": environment(max_in_flight=1),
    "alone": environment({**FAULTS, "leader_changes": 0, "leader_crashes": 0, "late_errors": 0}, replicas=1),
    "power-cuts": environment(
        {"disconnects": 3, "power_cuts": 4, "clean_restarts": 2, "crashes": 2, "rolls": 2, "refusals": 2}, replicas=1
    ),
    "fetches": environment(explicit_replication=True),
    "out-of-sync": environment(OUT_OF_SYNC),
    "min-insync-2": environment(OUT_OF_SYNC, min_insync=2),
    "two-partitions": environment(partitions=2),
    "splits": environment({**dict.fromkeys(REQUESTS, 2), "deadlines": 2, "leader_changes": 1}, too_large=2, batches=4),
    "retries": environment(retries=2),
    "survivors": environment({"disconnects": 6, "invalid_records": 6, "leader_changes": 3}, survivors=3, faults=12),
    "two-producers": environment(foreign_appends=3, pids=2),
    "producer-restarts": environment(producer_restarts=2, pids=3),
    "epochs-run-out": environment(
        {**REQUESTS, "deadlines": 2, "clean_restarts": 2}, epochs=1, epoch_exhausts=True, pids=6
    ),
    "wrap": environment(warm=11, modulus=13),
}
