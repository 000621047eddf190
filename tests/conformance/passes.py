"""One whole pass of Kafka's producer with an answer, or a loss, at its end, where the model has two steps."""

from __future__ import annotations

from typing import Any

from everystate.model import KafkaProducer
from everystate.model.conformance.compare import SideBySide, differences
from everystate.specs.kafka.rare import Rare, environment

BEHIND_A_BUMP = Rare(
    "the pass that has bumped",
    "C1.7",
    environment(refusals=1, deadlines=1, disconnects=1),
    "send 0; send 1; refuse 0 0; handle 0 1; passes 1; read 0 0; loop 0",
)
BEHIND_A_DRAIN = Rare(
    "the pass that has drained a young batch, around the wrap before the old one",
    "C1.7, C7.1",
    environment(warm=12, modulus=13, refusals=2, deadlines=1, disconnects=1),
    "send 0; send 1; send 2; refuse 0 0; refuse 0 1; handle 0 2; read 0 0; read 0 1; passes 0; sweep 0; again 1",
)
ANSWERED = {BEHIND_A_BUMP.name: 1, BEHIND_A_DRAIN.name: 2}
"""The batch whose answer is there."""
READ, LOST = "read", "lose 0"
"""What is at the end of the pass."""


def passes(_: Any, cases: list[tuple[Rare, str]]) -> list[tuple[list[str], list[str], dict[str, Any]]]:
    """What comes of each pass."""
    return [_one(behaviour, ends) for behaviour, ends in cases]


def _one(behaviour: Rare, ends: str) -> tuple[list[str], list[str], dict[str, Any]]:
    """The results before a pass and after it, and what is not as in the model when it has swept and then done so."""
    sides = SideBySide(KafkaProducer(**behaviour.constants))
    sides.follow_all(behaviour.turns)
    assert sides.difference is None
    cluster, before = sides.kafka.cluster, results(sides)
    cluster.client.poll = cluster.client.expire  # the poll at the end of a pass, not one alone
    cluster.lose(0) if ends == LOST else cluster.read(0)
    for each in ("sweep 0", LOST if ends == LOST else f"read 0 {ANSWERED[behaviour.name]}"):
        step = sides.model.step_of(Rare.turn(each))
        assert step is not None
        sides.model.take(step)
    found = differences(sides.model.observe(), sides.kafka.observe()), results(sides)
    sides.close()
    return before, found[1], found[0]


def results(sides: SideBySide) -> list[str]:
    """What Kafka's producer has told the application."""
    return [sides.kafka.cluster.result(record) for record in range(3)]
