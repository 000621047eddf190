"""Steps that no cluster can be told to take, and why."""

from __future__ import annotations

from ..conformance.behaviour import Behaviour

WHY = {
    "answer_late": "a request times out when its followers are slow, not when it is told to",
    "roll": "a broker begins a segment with the next record, not before it",
}
"""By action of the model."""


def impossible(behaviour: Behaviour) -> str:
    """The first step of a behaviour that cannot be asked of a cluster, with the reason; empty where all can."""
    for number, turn in enumerate(behaviour.turns, 1):
        if turn.action in WHY:
            return f"no cluster can be told to take step {number}, {turn}: {WHY[turn.action]}"
    return ""
