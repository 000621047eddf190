"""The interface between the model and Kafka: plain data.

Two drivers take the same moves: one steps the model (model_side.py), one steps Kafka's own classes (kafka_side.py).
After every move both give the same observables (mapping.py). All of it is plain data, so it can be stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Observation = dict[str, Any]
"""The value of each observable by its name: numbers, texts, and tuples of these."""
UNTOLD = "does not matter any more"
"""The model's value of something that it no longer tracks, as nothing can depend on it: not compared."""
OPEN = "open"
"""The result of a record that has none yet."""
OTHERS = -1
"""The number of a record that is not part of the trace: from the warm start, or of another producer."""


FOLLOWS = {"follows": True}
"""Metadata of a field of a move that follows from its action and the state, so that it is not stored."""


class NotJudged(Exception):
    """Kafka could not be brought to the state after a move, for a reason that concerns neither side."""


@dataclass(frozen=True)
class Setup:
    """The initial state: the constants of a spec, as far as they concern Kafka."""

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
    high_watermark_stands: bool = True
    """Whether it does not rise while too few are in sync; it is simulated, so the release does not say so."""


@dataclass(frozen=True)
class Move:
    """One step: an action with its arguments, and further values that the model decides.

    By partition, as offsets: `replicated` is how far each broker that does not lead has fetched before the step, `ends`
    where the leader's log ends after it, `starts` where the log of each broker begins then, if they may differ. `uncut`
    is, by partition, whether the earlier follower had led and has not fetched since, if old leaders are not truncated
    at once. `refused` are the batches whose answers became errors. `in_sync_matters` is whether the in-sync set is used
    then. `survivors` is how many requests outlive their connection. `answered` is the outcome of the model's broker,
    with the place in the log of a success; `results` are those of a request for several partitions.
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
