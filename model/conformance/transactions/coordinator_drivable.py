"""Which specs of the model of transactions can be compared with the coordinator and the leaders of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....checker.language.spec import Spec
from ...transactions.generation import GENERATIONS, OLD_CLIENTS, TV2_4_3, UNVERIFIED, WITHOUT_TV2, Generation
from ...transactions.properties import Properties
from ..versions import Kafka
from .client_drivable import generation_of
from .releases import PINNED

OF_CLIENTS = ("old_epoch_is_fatal", "unknown_id_is_fatal", "fails_again")
"""What the clients of a protocol version do, independent of the brokers."""
OTHERS = {TV2_4_3.name: (WITHOUT_TV2, UNVERIFIED, OLD_CLIENTS)}
"""Further protocol versions with these brokers: for older clients, without TV2, and where nothing is verified."""


def fitting(make: Callable[[dict[str, Any]], Spec], given: dict[str, Any], kafka: Kafka) -> tuple[Spec, str]:
    """A spec adapted to a release, and the protocol version that replaced the newest one."""
    spec, own = make(given), generation_of(kafka)
    assert isinstance(spec, Properties)
    if "generation" in given or spec.generation != TV2_4_3.name or _alike(spec, own):
        return spec, ""
    return make({**given, "generation": own}), own


def obstacles(spec: Properties, kafka: Kafka, given: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why a spec cannot be compared with a release; none where it can."""
    own = generation_of(kafka)
    if kafka.jars and kafka.version not in PINNED:
        yield f"the coordinator of this release cannot be driven, those of {', '.join(PINNED)} can"
    if spec.lost_logs:
        yield "the loss of __transaction_state is not driven; that of its end is (shorter_logs)"
    if not _alike(spec, own):
        reason = f"its generation is {spec.generation}, and the brokers of this release are of the generation {own}"
        yield f"{reason}; -c generation={own} drives it so"


def _alike(spec: Properties, own: str) -> bool:
    """Whether the brokers of two protocol versions are the same."""
    return _of_brokers(spec.rules) in map(_of_brokers, (GENERATIONS[own], *OTHERS.get(own, ())))


def _of_brokers(rules: Generation) -> Generation:
    clients: dict[str, Any] = dict.fromkeys(OF_CLIENTS, False)
    return replace(rules, name="", versions="", **clients)
