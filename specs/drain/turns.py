"""The loop alone: who gets a turn, when every partition has a next batch for ever."""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario
from .common import of

TURN = "everybody_has_a_turn(partition={})"


def turns(name: str, title: str, text: str, *starving: tuple[int, int], **constants: Any) -> Scenario:
    """A scenario in which some partitions starve: each with the length of its counterexample."""
    return of("Turns", name, title, text, {TURN.format(p): steps for p, steps in starving}, **constants)


FULL = "A request has room for one batch: max.request.size is near the size of a batch."

SCENARIOS = [
    turns(
        "drain-3.2/no-room",
        "Two partitions of a node, room for one batch: the second one starves (KAFKA-13834)",
        f"{FULL} The index goes on past the partition that did not fit (P2.2), so the first one is next again.",
        (1, 1),
        leaders=(0, 0),
        room=1,
    ),
    turns(
        "drain-3.3/no-room", "The same from 3.3 on: every partition is sent", f"{FULL} P2.2.", leaders=(0, 0), room=1
    ),
    turns(
        "drain-going-on/no-room",
        "An index for each node alone does not help: the index must also stay at the partition",
        "3.3 with P2.2 of 3.2: the change of KAFKA-13834 has two halves, and this starvation needs the second one.",
        (1, 1),
        leaders=(0, 0),
        room=1,
    ),
    turns(
        "drain-3.2/no-room-on-two-nodes",
        "Two nodes that share an index: on each, one partition starves (KAFKA-13834)",
        FULL,
        (1, 2),
        (3, 2),
        leaders=(0, 0, 1, 1),
        room=1,
    ),
    turns(
        "drain-3.3/no-room-on-two-nodes",
        "The same from 3.3 on: every partition is sent",
        FULL,
        leaders=(0, 0, 1, 1),
        room=1,
    ),
    turns(
        "drain-3.2/one-must-wait",
        "A partition must wait (P1.7): the others of its node are sent",
        "Each request ends at the partition that waits, and the next one begins behind it.",
        leaders=(0, 0, 0),
        stops=(0,),
    ),
    turns(
        "drain-3.3/one-must-wait",
        "The same from 3.3 on: the others of its node are not sent as long as it waits",
        "The index stays at the partition that is looked at (P2.2), and there the loop ends (P1.7), each time.",
        (1, 0),
        (2, 0),
        leaders=(0, 0, 0),
        stops=(0,),
    ),
    turns(
        "drain-skipping/one-must-wait",
        "The same, if a partition that must wait were skipped: every other one is sent",
        "`continue` in the place of `break` (P1.7).",
        leaders=(0, 0, 0),
        stops=(0,),
    ),
    turns(
        "drain-skipping/no-room",
        "Skipping a partition that must wait does not make another one starve",
        FULL,
        leaders=(0, 0, 0),
        room=2,
    ),
    turns(
        "drain-3.2/one-must-wait-and-another-node",
        "Up to 3.2, too, a partition can wait for another: requests to another node move the shared index",
        "Two partitions, one of which waits, and one on another node, which brings the index back to where it was.",
        (2, 3),
        leaders=(0, 1, 1),
        stops=(1,),
    ),
    turns(
        "drain-3.3/one-in-backoff",
        "A partition that is muted or in backoff is skipped: every other one is sent",
        "P1.3, P1.4.",
        leaders=(0, 0, 0),
        pauses=(1,),
        room=1,
    ),
]
