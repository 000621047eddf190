"""Test environments for random walks with three replicas, for `everystate conform three-replica-environments`.

Every fetch of a follower is a step: what the third replica had at an election could not be told otherwise.
"""

from __future__ import annotations

from typing import Any

from ..kafka.environments import FAULTS, OUT_OF_SYNC, environment


def three(kinds: dict[str, int], **constants: Any) -> dict[str, Any]:
    """An environment with three replicas."""
    return environment(kinds, replicas=3, explicit_replication=True, **constants)


ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "warm": three(FAULTS),
    "cold": three({**OUT_OF_SYNC, "retentions": 0}, warm=0),
    "elections": three(
        {"leader_changes": 6, "leader_crashes": 4, "isr_shrinks": 3, "disconnects": 3, "rolls": 3, "clean_restarts": 2}
    ),
    "out-of-sync": three(OUT_OF_SYNC),
    "min-insync-2": three(OUT_OF_SYNC, min_insync=2),
    "min-insync-3": three(OUT_OF_SYNC, min_insync=3),
    "two-partitions": three(OUT_OF_SYNC, partitions=2, min_insync=2),
    "power-cuts": three(
        {"power_cuts": 3, "isr_shrinks": 5, "expiries": 2, "retentions": 2, "rolls": 2, "crashes": 2, "refusals": 2}
    ),
}
