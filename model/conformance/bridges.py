"""Bridges: the classes that drive the specs of a model; both sides, walks, and adaptations to a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...checker.language.spec import Spec
from ..drain import Drain
from ..kafka import KafkaProducer
from ..transactions.properties import Properties as Transactions
from . import drivable, parts
from .compare import SideBySide
from .drain import drivable as drain_drivable
from .drain.kafka_side import DrainKafka
from .drain.model_side import DrainModel
from .drain.rules import RULES as RULES_OF_THE_DRAIN
from .drain.rules import exercised as exercised_by_drain
from .kafka_side import KafkaSide
from .model_side import ModelSide
from .parts import Parts
from .rules import OF_THE_CLIENT, RULES, exercised
from .transactions import client_drivable, client_rules, coordinator_drivable, coordinator_rules
from .transactions.client_model import ClientModel
from .transactions.client_side import ClientSide
from .transactions.coordinator_model import CoordinatorModel
from .transactions.coordinator_side import CoordinatorSide
from .transactions.releases import PINNED as COORDINATORS
from .transactions.stray_requests import straying
from .versions import JAVA_LOGS, PINNED, Kafka, order

Rules = Callable[[Any, Any, Any, Any], Iterable[str]]


def _itself(spec: Any) -> Any:
    return spec


def _no_batches(spec: Any) -> Sequence[int]:
    return ()


@dataclass(frozen=True)
class Bridge:
    """How a part of Kafka is driven beside the specs of one model.

    `name` selects it where a model has several. `parts` lists the real and the simulated parts of a release. `model`
    and `kafka` make the two sides, of a spec and of its setup; `exercised` gives the rules that a step has shown, from
    the observations of Kafka before and after it, `counted` all that it can give on a release. `fitting` and
    `obstacles` are those of drivable.py. `releases` pin the jars that it needs, `walked` is the spec for random walks,
    `batches` are those that shrinking may remove.
    """

    name: str
    parts: Callable[[Kafka], Parts]
    model: Callable[[Any], Any]
    kafka: Callable[[Any], Any]
    exercised: Rules
    fitting: Callable[[Callable[[dict[str, Any]], Spec], dict[str, Any], Kafka], tuple[Spec, str]]
    obstacles: Callable[[Any, Kafka, Mapping[str, Any]], Iterable[str]]
    releases: Mapping[str, Kafka]
    counted: Callable[[str], Iterable[str]]
    walked: Callable[[Any], Any] = _itself
    batches: Callable[[Any], Sequence[int]] = _no_batches

    def sides(self, spec: Any) -> SideBySide:
        """Model and Kafka in the initial state of a spec."""
        return SideBySide(spec, self.kafka, self.model)

    def rules(self, sides: SideBySide) -> Iterator[list[str]]:
        """The rules whose effect each step of a trace has shown."""
        for (before, after), move in zip(pairwise(sides.seen), sides.moves, strict=False):
            yield list(self.exercised(sides.setup, move, before.kafka, after.kafka)) if after.kafka else []


def _coordinator_of(kafka: Kafka) -> Parts:
    if order(kafka.version) >= JAVA_LOGS:
        return parts.COORDINATOR_AND_LOGS
    return parts.COORDINATOR_AND_OLD_LOGS if order(kafka.version) >= VERIFYING_LOGS else parts.COORDINATOR_ALONE


def _whole(version: str) -> bool:
    """Whether the logs of a release are driven; of a build of the user's own they are."""
    return version not in PINNED or PINNED[version].whole


VERIFYING_LOGS = (3, 6)
"""The first release whose log verifies transactions with the coordinator."""

SINCE_2_5 = {version: kafka for version, kafka in PINNED.items() if order(version) >= (2, 5)}
"""The releases whose protocol versions the models of transactions and of many partitions have."""
PRODUCERS = Bridge(
    "producers",
    lambda kafka: parts.PRODUCER_AND_LOGS if kafka.whole else parts.PRODUCER_ALONE,
    ModelSide,
    KafkaSide,
    exercised,
    drivable.fitting,
    drivable.obstacles,
    PINNED,
    lambda version: RULES if _whole(version) else OF_THE_CLIENT,
    batches=lambda spec: list(spec.sending),
)
DRAINS = Bridge(
    "producers",
    lambda kafka: parts.PRODUCER_OF_MANY_AND_LOGS if kafka.whole else parts.PRODUCER_OF_MANY,
    DrainModel,
    DrainKafka,
    exercised_by_drain,
    drain_drivable.fitting,
    drain_drivable.obstacles,
    SINCE_2_5,
    lambda version: RULES_OF_THE_DRAIN,
)
CLIENTS = Bridge(
    "producers",
    lambda kafka: parts.CLIENTS,
    ClientModel,
    ClientSide,
    client_rules.exercised,
    client_drivable.fitting,
    client_drivable.obstacles,
    SINCE_2_5,
    lambda version: client_rules.IDS,
)
COORDINATOR = Bridge(
    "coordinator",
    _coordinator_of,
    CoordinatorModel,
    CoordinatorSide,
    coordinator_rules.exercised,
    coordinator_drivable.fitting,
    coordinator_drivable.obstacles,
    COORDINATORS,
    lambda version: coordinator_rules.SHOWN,
    walked=straying,
)
NAMES = ("producers", "coordinator")
"""What can be driven beside a model."""


def bridges_of(spec: object) -> tuple[Bridge, ...]:
    """How a spec is driven, in one or several parts of Kafka; empty where nothing drives it."""
    if isinstance(spec, KafkaProducer):
        return (PRODUCERS,)
    if isinstance(spec, Drain):
        return (DRAINS,)
    return (CLIENTS, COORDINATOR) if isinstance(spec, Transactions) else ()


def bridge_of(spec: object, name: str) -> Bridge:
    """The one of a name."""
    return next(bridge for bridge in bridges_of(spec) if bridge.name == name)
