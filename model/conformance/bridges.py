"""Which classes drive the specs of a model: the two sides, walks, and what of a release is fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...checker.language.spec import Spec
from ..drain import Drain
from ..kafka import KafkaProducer
from ..transactions import KafkaTransactions
from . import drivable
from .compare import SideBySide
from .drain import drivable as drain_drivable
from .drain.kafka_side import DrainKafka
from .drain.model_side import DrainModel
from .drain.rules import exercised as exercised_by_drain
from .rules import Facts, exercised
from .transactions import client_drivable
from .transactions.client_model import ClientModel
from .transactions.client_rules import shown
from .transactions.client_side import ClientSide
from .transactions.walks import TransactionWalker
from .versions import Kafka
from .walks import Course, Walker


@dataclass(frozen=True)
class Bridge:
    """How the specs of one model are driven.

    `sides` makes model and Kafka of a spec, `walker` takes walks through it, `rules` tells what the steps have shown,
    `batches` are those that a shorter behaviour may do without. `fitting` and `obstacles` are those of drivable.py.
    """

    sides: Callable[[Any], SideBySide]
    walker: Callable[[Any, Course], Any]
    rules: Callable[[SideBySide], Iterable[str]]
    batches: Callable[[Any], Sequence[int]]
    fitting: Callable[[Callable[[dict[str, Any]], Spec], dict[str, Any], Kafka], tuple[Spec, str]]
    obstacles: Callable[[Any, Kafka, Mapping[str, Any]], Iterable[str]]


def _rules_of_producers(sides: SideBySide) -> Iterator[str]:
    for (before, after), move in zip(pairwise(sides.seen), sides.moves, strict=False):
        if after.kafka:
            yield from exercised(Facts(sides.setup, move, before.kafka, after.kafka))


def _rules_of_drains(sides: SideBySide) -> Iterator[str]:
    for (before, after), move in zip(pairwise(sides.seen), sides.moves, strict=False):
        if after.kafka:
            yield from exercised_by_drain(sides.setup, move, before.kafka, after.kafka)


def _rules_of_clients(sides: SideBySide) -> Iterator[str]:
    for (before, after), move in zip(pairwise(sides.seen), sides.moves, strict=False):
        if after.kafka:
            yield from shown(move, before.kafka, after.kafka)
    for trouble, times in sides.kafka.troubled.items():
        yield from [f"T9.5 {trouble}"] * times


PRODUCERS = Bridge(
    SideBySide,
    Walker,
    _rules_of_producers,
    lambda spec: list(spec.sending),
    drivable.fitting,
    drivable.obstacles,
)
DRAINS = Bridge(
    lambda spec: SideBySide(spec, DrainKafka, DrainModel),
    Walker,
    _rules_of_drains,
    lambda spec: (),
    drain_drivable.fitting,
    drain_drivable.obstacles,
)
TRANSACTIONS = Bridge(
    lambda spec: SideBySide(spec, ClientSide, ClientModel),
    TransactionWalker,
    _rules_of_clients,
    lambda spec: (),
    client_drivable.fitting,
    client_drivable.obstacles,
)


def bridge_of(spec: object) -> Bridge | None:
    """How a spec is driven; None where nothing drives it."""
    if isinstance(spec, KafkaProducer):
        return PRODUCERS
    if isinstance(spec, Drain):
        return DRAINS
    return TRANSACTIONS if isinstance(spec, KafkaTransactions) else None
