"""The protocol version of each release, and what Kafka's own classes cannot be driven to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ...checker.language.spec import Spec
from ..generation import CURRENT, GENERATIONS, RELEASES
from ..kafka import KafkaProducer
from .versions import Kafka, order

WINDOWS = {(0, 11): 1, (1, 0): 5}
"""How many batches a replica remembers, from a release on: ProducerStateEntry.NumBatchesToRetain, a constant that the
compiler has copied into the code that uses it."""
FIRST = {first: generation for first, generation in RELEASES.items() if (0, 11) <= first < (4, 5)}
"""The first release of each protocol version of clients that can be driven."""


def generation_of(kafka: Kafka) -> str:
    """The protocol version of a release."""
    return [found.name for first, found in FIRST.items() if order(kafka.version) >= first][-1]


def fitting(make: Callable[[dict[str, Any]], Spec], given: dict[str, Any], kafka: Kafka) -> tuple[Spec, str]:
    """A spec adapted to a release, and the protocol version that replaced the current one.

    A scenario with the current protocol version means current clients, so on an older release it is taken with the
    version of that release; unless the user has `given` one.
    """
    spec, own = make(given), generation_of(kafka)
    chosen = {"generation", "broker_generation"} & given.keys()
    if not isinstance(spec, KafkaProducer) or chosen or own == CURRENT.name:
        return spec, ""
    if (spec.generation, spec.broker_generation) != (CURRENT.name, ""):
        return spec, ""
    return make({**given, **in_generation(spec, own)}), own


def in_generation(spec: KafkaProducer, name: str) -> dict[str, Any]:
    """The constants that take a spec of the current protocol version to another one.

    Up to 2.4 a producer takes a new id where it later bumps its epoch; each fault may cost one, and the next pass one.
    """
    known = GENERATIONS[name]
    fresh = known.idempotent and not known.bumps
    return {"generation": name, **({"pids": spec.pids + spec.budget + 1} if fresh else {})}


def resets(spec: Spec) -> bool:
    """Whether a producer takes a new id where a later one bumps its epoch."""
    return isinstance(spec, KafkaProducer) and spec.client.idempotent and not spec.client.bumps


def obstacles(spec: Spec, kafka: Kafka, given: Mapping[str, Any] = MappingProxyType({})) -> Iterator[str]:
    """The reasons why a spec cannot be compared with a release; none where it can. Values `given` by the user stay."""
    if not isinstance(spec, KafkaProducer):
        yield f"{type(spec).__name__} is not the Kafka model"
        return
    own, drivable = generation_of(kafka), {generation.name for generation in FIRST.values()}
    names = {spec.client.name, spec.server.name} if kafka.whole else {spec.client.name}
    for name in sorted(names - (drivable if "generation" in given else {own})):
        reason = f"its generation is {name}, and this release is of the generation {own}"
        yield reason + (f"; -c generation={own} drives it so" if name in drivable else "")
    if spec.acks != "all":
        yield f"a producer with acks={spec.acks} is not idempotent"
    if spec.modulus and spec.modulus - spec.warm > spec.batches:
        yield "no batch comes near the wrap"
    if spec.modulus and spec.pids > 1:
        yield "only one session of a producer begins near the wrap"
    if kafka.whole:
        yield from _of_the_log(spec, kafka)
        yield from _of_the_oldest(spec, kafka)


def window_of(kafka: Kafka) -> int:
    """How many batches of a producer a replica of a release remembers."""
    return [window for first, window in WINDOWS.items() if order(kafka.version) >= first][-1]


def _of_the_log(spec: KafkaProducer, kafka: Kafka) -> Iterator[str]:
    """Obstacles of real logs; where the model simulates them, its brokers may be of any kind."""
    if spec.retained != (own := window_of(kafka)):
        batches = "1 batch" if own == 1 else f"{own} batches"
        yield f"a replica of Kafka remembers {batches}, not {spec.retained}, and that cannot be changed"
    if spec.power_cuts and spec.replicas > 1 and not spec.explicit_replication:
        yield "how much the others had at a power cut is unknown (D17); -c explicit_replication=True decides it"
    if spec.wide_window or spec.window_changes:
        yield "no release has producer.state.batches.to.retain"
    if spec.replicas > 2 and spec.moves_leader and spec._memory_moves() and not spec.explicit_replication:
        yield "how much the third replica had at an election is unknown (D4); -c explicit_replication=True decides it"


def _of_the_oldest(spec: KafkaProducer, kafka: Kafka) -> Iterator[str]:
    """Obstacles of releases before 2.1."""
    if order(kafka.version) < (2, 1) and spec.deadlines:
        yield "before 2.1 the time of a retry counts from its last attempt, not from when its record was created (C7.1)"
    if order(kafka.version) < (1, 0) and spec.max_in_flight > 1:
        yield "in 0.11 an idempotent producer has one request in flight"
