"""One violation in spaces of any size: batches of independent partitions, sent in any order on one connection."""

from __future__ import annotations

from typing import Any

from .state import RETENTION


def on_independent_partitions(number: int) -> dict[str, Any]:
    """Constants of current/expiry-and-lost-response with one batch for each of `number` partitions, on one replica.

    The shortest violation stays 6 steps long. The order of the requests is part of the state, so the states
    within five steps grow with the fifth power of the number: 229,616,926 of them for 48 partitions.
    """
    scenario = next(s for s in RETENTION if s.name == "current/expiry-and-lost-response")
    scale = {"partitions": number, "batches": number, "max_in_flight": 5, "replicas": 1, "spare": 1}
    return {**scenario.constants, **scale}
