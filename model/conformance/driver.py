"""The seam between the model and Kafka: the plain data that crosses it.

Two drivers take the same moves: one steps the model (model_side.py), one steps Kafka's own classes (kafka_side.py).
After every move each is asked for the same observables (mapping.py). All of it is plain data, so it can be stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Observation = dict[str, Any]
"""The value of each observable by its name: numbers, texts, and tuples of these."""
UNTOLD = "does not matter any more"
"""The model's value of what it has let go of, as nothing can depend on it: not compared."""
OPEN = "open"
"""The result of a record that has none yet."""
OTHERS = -1
"""The number of a record that is not one of the behaviour: of the warm start, or of another producer."""


class NotJudged(Exception):
    """Kafka could not be brought to where a move leads, for a reason that says nothing of either side."""


@dataclass(frozen=True)
class Setup:
    """How an environment begins: the constants of a spec, as far as they concern Kafka."""

    batches: int
    warm: int
    partitions: int
    replicas: int
    max_in_flight: int
    retries: int
    min_insync: int
    splits: bool
    first_epoch: int
    first_sequence: int
    attempts_told: int


@dataclass(frozen=True)
class Move:
    """One step: an action with its arguments, and what is left open by them but decided in the model.

    `replicated` and `ends` are offsets by partition: how far each broker has fetched that does not lead before the
    step, and where the leader's log ends after the step; `starts` is
    where the log of each broker begins then, by partition, if they may differ; `uncut` is whether who followed before
    the step had led and has not fetched since, by partition, if old leaders are not cut at once; `refused` are the
    batches whose answers became errors; `in_sync_matters` is whether anything asks who is in sync then; `survivors` is
    how many requests outlive their connection; `answered` is the outcome that the model's broker gave, with the place
    in the log of a success; `results` are those of a request for several partitions.
    """

    action: str
    arguments: dict[str, int]
    replicated: tuple[tuple[int, ...], ...] = ()
    ends: tuple[int, ...] = ()
    starts: tuple[tuple[int, ...], ...] = ()
    uncut: tuple[bool, ...] = ()
    refused: tuple[int, ...] = ()
    in_sync_matters: bool = True
    survivors: int = 0
    answered: tuple[str, int] = ("", -1)
    results: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({', '.join(f'{n}={v}' for n, v in self.arguments.items())})"
