"""Behaviours that walks hardly meet, to be held against real Kafka: all but one tell a mistake in the model apart.

The one is of sessions (C13): its steps are compared, but no planted mistake was found by it. Many are around the wrap
of sequences, where Kafka compares plain numbers (C12). Golden transcripts have them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everystate.model.conformance.behaviour import Turn

WORDS = {
    "send": ("send", ("batch",)),
    "again": ("send_again", ("batch",)),
    "handle": ("handle", ("broker", "batch")),
    "refuse": ("refuse", ("broker", "batch")),
    "reject": ("reject", ("broker", "batch")),
    "late": ("answer_late", ("broker", "batch")),
    "read": ("read_answer", ("broker", "batch")),
    "lose": ("disconnect", ("broker",)),
    "passes": ("delivery_timeout", ("batch",)),
    "sweep": ("expire_batches", ("sweep",)),
    "loop": ("start_loop", ("loop",)),
    "learn": ("learn_leader", ("broker",)),
    "change": ("change_leader", ("broker",)),
    "shrink": ("shrink_isr", ("broker",)),
    "unclean": ("elect_uncleanly", ("broker",)),
    "restart": ("restart_cleanly", ("broker",)),
    "expire": ("expire_producers", ("broker", "partition")),
    "session": ("restart_producer", ("session",)),
    "id": ("init_producer_id", ("session",)),
}
"""An action in a word, and what the numbers behind it are."""


@dataclass(frozen=True)
class Rare:
    """What is told apart, by which rule: the constants of the model, and steps as words and numbers."""

    name: str
    rule: str
    constants: dict[str, Any]
    steps: str

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The steps as turns: what is chosen stands behind a colon."""
        return tuple(turn(each.strip()) for each in self.steps.split(";"))


def turn(text: str) -> Turn:
    """One step."""
    text, _, chosen = text.partition(":")
    word, *numbers = text.split()
    action, names = WORDS[word]
    return Turn(action, tuple(zip(names, map(int, numbers), strict=True)), tuple(map(int, chosen.split())))


def world(**constants: Any) -> dict[str, Any]:
    """One replica, nothing written before, and as many faults as there are of all kinds."""
    sizes = ("batches", "warm", "replicas", "max_in_flight", "modulus", "epochs", "pids", "retries", "min_insync")
    faults = sum(value for name, value in constants.items() if name not in (*sizes, "epoch_exhausts"))
    return {"warm": 0, "replicas": 1, "batches": 3, "max_in_flight": 5, "epochs": 3, "faults": faults, **constants}


WRAP = {"warm": 12, "modulus": 13}
"""The first batch has the last sequence before the wrap."""

RARE = (
    Rare(
        "the oldest of five is a duplicate",
        "B2",
        world(batches=5, disconnects=1),
        "send 0; send 1; send 2; send 3; send 4; handle 0 0; handle 0 1; handle 0 2; handle 0 3; handle 0 4; lose 0;"
        "again 0; handle 0 0",
    ),
    Rare(
        "an old sequence is out of order, and not next in line",
        "C5.3",
        world(late_errors=1, clean_restarts=1),
        "send 0; send 1; handle 0 0; late 0 0; handle 0 1; read 0 0; read 0 1; restart 0;again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "retries that are used up end with a lost connection, without a bump",
        "C4.4",
        world(retries=1, refusals=1, disconnects=1),
        "send 0; send 1; refuse 0 0; handle 0 1; read 0 0; read 0 1; again 0; lose 0",
    ),
    Rare(
        "a batch of two records counts as two when it is renumbered",
        "C9.3",
        world(batches=4, too_large=1, refusals=2, invalid_records=1),
        "send 0; send 2; send 3; refuse 0 0; refuse 0 2; reject 0 3; read 0 0; read 0 2; read 0 3; loop 0",
    ),
    Rare(
        "without a producer id no pass sweeps",
        "C1.5",
        world(epochs=0, epoch_exhausts=True, pids=2, refusals=1, invalid_records=1, deadlines=1),
        "send 0; send 1; send 2; refuse 0 0; reject 0 1; handle 0 2; read 0 0; read 0 1; passes 0; loop 0; read 0 2;"
        "id 1; sweep 0",
    ),
    Rare(
        "a batch that was sent again to another broker stays behind a younger one",
        "C7.1",
        world(replicas=2, refusals=1, leader_changes=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; change 1: 0; learn 1; again 0; passes 0; sweep 0",
    ),
    Rare(
        "who knows no producer replays nothing",
        "D4",
        world(warm=1, replicas=2, leader_changes=2, expiries=1),
        "send 0; handle 0 0; expire 0 0; change 1: 1; learn 1",
    ),
    Rare(
        "a new session has no request for a bump",
        "C13",
        world(invalid_records=1, producer_restarts=1, pids=2),
        "send 0; send 1; reject 0 0; read 0 0; session 0",
    ),
    Rare(
        "a new session knows the leader",
        "C13",
        world(replicas=2, leader_changes=1, producer_restarts=1, pids=2),
        "send 0; change 1: 0; session 0",
    ),
    Rare(
        "a new session has deadlines of its own",
        "C13",
        world(refusals=1, deadlines=1, producer_restarts=1, pids=2),
        "send 0; refuse 0 0; passes 0; session 0; send 0",
    ),
    Rare(
        "what was before the wrap is not first behind it",
        "C12, C2.5",
        world(**WRAP, disconnects=1),
        "send 0; send 1; lose 0; again 1",
    ),
    Rare(
        "behind the wrap sequence 0 is not next in line",
        "C12, C5.3",
        world(**WRAP, replicas=2, isr_shrinks=1, unclean_elections=1),
        "send 0; shrink 1; handle 0 0; read 0 0; unclean 1: 12; learn 1; send 1; handle 1 1; read 1 1",
    ),
    Rare(
        "a gap around the wrap is one",
        "C12, C8",
        world(**WRAP, refusals=1, deadlines=1),
        "send 0; refuse 0 0; read 0 0; passes 0; sweep 0; loop 0",
    ),
    Rare(
        "what is no gap around the wrap counts as one",
        "C12, C8",
        world(**WRAP, refusals=1, deadlines=1),
        "send 0; refuse 0 0; read 0 0; again 0; handle 0 0; passes 0; sweep 0; read 0 0; loop 0",
    ),
    Rare(
        "around the wrap a bump renumbers in the order of plain numbers",
        "C12, C9.3",
        world(**WRAP, refusals=2, invalid_records=1),
        "send 0; send 1; send 2; refuse 0 0; refuse 0 1; reject 0 2; read 0 0; read 0 1; read 0 2; loop 0",
    ),
    Rare(
        "a mark at the wrap is the lowest one, before it",
        "C12, C7.2",
        world(warm=11, modulus=13, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 1; sweep 0",
    ),
    Rare(
        "a mark at the wrap is the lowest one, behind it",
        "C12, C7.2",
        world(**WRAP, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 1; sweep 0",
    ),
    Rare(
        "the pass that drains the young one sweeps the old one behind it",
        "C12, C7.1",
        world(**WRAP, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 0; sweep 0; again 1; sweep 0",
    ),
)
"""Each was found by a mistake in the model that no golden transcript told apart."""
