"""Behaviours of the drain that walks hardly meet, to be held against real Kafka: each tells a mistake in the model.

Golden transcripts have them all.
"""

from __future__ import annotations

from typing import Any, ClassVar

from everystate.model.drain.records import FAULTS, INVALID, RETRIABLE

from ..rare import Rare as Written
from ..rare import Words


class Rare(Written):
    """A rare behaviour of the drain."""

    words: ClassVar[Words] = {
        "drain": ("drain", ("node",)),
        "handle": ("handle", ("node",)),
        "refuse": ("refuse", ("node", "partition"), ("result", RETRIABLE)),
        "reject": ("refuse", ("node", "partition"), ("result", INVALID)),
        "read": ("read", ("node",)),
        "lose": ("lose", ("node",)),
        "settle": ("settle", ()),
        "expire": ("expire", ("partition",)),
        "again": ("back_off_no_more", ("partition",)),
        "move": ("move", ("partition", "node")),
        "learn": ("learn_leader", ("partition",)),
    }


def environment(leaders: tuple[int, ...], batches: tuple[int, ...], **faults: int) -> dict[str, Any]:
    """As many faults as there are of all kinds, which hit any partition, and three requests in flight."""
    assert set(faults) <= set(FAULTS)
    constants = {"leaders": leaders, "batches": batches, "max_in_flight": 3, "epochs": 3, **faults}
    return {**constants, "faulty": tuple(range(len(leaders))), "faults": sum(faults.values())}


RARE = (
    Rare(
        "a batch that was renumbered on the wire is fenced, and fails",
        "B3, C4.4",
        environment((0, 1), (3, 1), moves=2, failures=1),
        "drain 0; drain 0; drain 0; reject 0 0; read 0; settle; move 0 1; handle 0; read 0; learn 0; again 0; drain 1;"
        "handle 1; move 0 0; handle 0; read 0",
    ),
    Rare(
        "the first batch of a new epoch is none of the old one",
        "B4.3",
        environment((0,), (3,), failures=1),
        "drain 0; drain 0; handle 0; reject 0 0; read 0; read 0; settle; drain 0; handle 0; read 0",
    ),
    Rare(
        "at the unresolved sequence nobody asks whether a batch was renumbered on the wire",
        "C5.5",
        environment((0,), (3,), refusals=1, failures=1, deadlines=1),
        "drain 0; drain 0; drain 0; refuse 0 0; reject 0 0; handle 0; read 0; read 0; settle; expire 0; read 0;settle",
    ),
    Rare(
        "the older of two batches that are written is a duplicate, too",
        "B2",
        environment((0,), (2,), losses=1),
        "drain 0; drain 0; handle 0; handle 0; lose 0; again 0; drain 0; handle 0; read 0",
    ),
    Rare(
        "the late success of an old leader does not move the last acknowledged sequence back",
        "C4.5",
        environment((0, 1), (2, 1), moves=1, deadlines=1),
        "drain 0; handle 0; expire 0; move 0 1; learn 0; drain 1; handle 1; read 1; read 0",
    ),
    Rare(
        "what an old epoch has acknowledged leaves a gap behind a new one",
        "C8",
        environment((0, 1), (3, 1), refusals=1, failures=1, deadlines=3),
        "drain 0; drain 0; expire 0; expire 0; drain 1; reject 1 1; read 1; settle; drain 0; handle 0; read 0;"
        "handle 0; read 0; refuse 0 0; read 0; expire 0; settle",
    ),
    Rare(
        "an unresolved sequence that was acknowledged after all needs no bump",
        "C8",
        environment((0,), (2,), refusals=1, deadlines=1),
        "drain 0; drain 0; refuse 0 0; read 0; again 0; drain 0; handle 0; read 0; handle 0; expire 0; read 0; again 0;"
        "drain 0; handle 0; read 0; settle",
    ),
    Rare(
        "what is lost with its connection expires in the queue, whatever it was behind",
        "C7.1",
        environment((0,), (2,), refusals=1, losses=1, deadlines=1),
        "drain 0; drain 0; refuse 0 0; read 0; again 0; drain 0; lose 0; expire 0",
    ),
)
"""Each was found by a mistake in the model that no walk told apart."""
