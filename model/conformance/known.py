"""Differences that are known and not modelled; they stay differences, and are told by their name."""

from __future__ import annotations

from ..records import UNKNOWN
from .compare import SideBySide
from .versions import order

KAFKA_13794 = (
    "KAFKA-13794: up to 3.0.1, and in 3.1.0, what is in flight is ordered by sequence alone: the answer to a batch that"
    " has expired takes the batch that has its sequence in a newer epoch out of what is in flight"
)
MENDED = (3, 0, 2)
"""The oldest release that is pinned and has it mended."""


def known(version: str, sides: SideBySide) -> str:
    """What a difference is, where it is a known one; else nothing."""
    if sides.difference is None or not sides.turns or not version or order(version) >= MENDED:
        return ""
    turn, before = sides.turns[-1], sides.seen[-2].kafka
    if turn.action != "read_answer":
        return ""
    finished = before[f"result of record {dict(turn.arguments)['batch']}"] == UNKNOWN
    gone = any(
        name.startswith("in flight") and {entry[0] for entry in model} > {entry[0] for entry in kafka}
        for name, (model, kafka) in sides.difference.values.items()
    )
    return KAFKA_13794 if finished and gone else ""
