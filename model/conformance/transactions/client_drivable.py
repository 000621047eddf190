"""The protocol version of each release for the model of transactions, and which specs can be compared with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ....checker.language.spec import Spec
from ...transactions.generation import (
    CLASSIC,
    GENERATIONS,
    OLDEST,
    PART_1,
    PART_1_3_9_2,
    TV2_4_0_0,
    TV2_4_0_1,
    TV2_4_0_2,
    TV2_4_1,
    TV2_4_2,
    TV2_4_3,
)
from ...transactions.properties import Properties
from ..versions import Kafka, order

FIRST = {
    (2, 5): OLDEST,
    (2, 7): CLASSIC,
    (3, 6): PART_1,
    (3, 9, 2): PART_1_3_9_2,
    (4, 0): TV2_4_0_0,
    (4, 0, 1): TV2_4_0_1,
    (4, 0, 2): TV2_4_0_2,
    (4, 1): TV2_4_1,
    (4, 2): TV2_4_2,
    (4, 3): TV2_4_3,
}
"""The first release of each protocol version; of the client nothing changes within TV2."""


REFUSES, SENDS_WHAT_IS_LEFT = order("3.2"), order("2.7")
"""The first release whose send makes the transaction one to abort, and the first that sends to what was left."""


def generation_of(kafka: Kafka) -> str:
    """The protocol version of a release."""
    return [found.name for first, found in FIRST.items() if order(kafka.version) >= first][-1]


def fitting(make: Callable[[dict[str, Any]], Spec], given: dict[str, Any], kafka: Kafka) -> tuple[Spec, str]:
    """A spec adapted to a release, and the protocol version that replaced its own.

    A client before 4.0 knows no TV2, one before 2.7 ends at an old epoch: those are taken with the version of their
    release, unless the user has `given` one. Newer clients work without TV2 where the brokers do.
    """
    spec, own = make(given), generation_of(kafka)
    assert isinstance(spec, Properties)
    if "generation" in given or not _foreign(spec, kafka):
        return spec, ""
    return make({**given, "generation": own}), own


def obstacles(spec: Properties, kafka: Kafka, given: Mapping[str, Any] = MappingProxyType({})) -> Iterator[str]:
    """The reasons why a spec cannot be compared with a release; none where it can."""
    if _foreign(spec, kafka):
        yield f"its generation is {spec.generation}, and this release is of the generation {generation_of(kafka)}"
    if spec.rules.overflow_answer != TV2_4_3.overflow_answer:
        yield f"no release answers as {spec.generation} does"
    if (spec.lost_answers and spec.bumping) or (spec.late_joins and spec.joining):
        yield "a lost answer to InitProducerId, and an AddPartitionsToTxn that is late, are not driven"
    if spec.lost_joins and spec.joining and order(kafka.version) < REFUSES:
        yield "send of this release refuses a record without a word to the transaction (T9.15)"
    if spec.expiries and spec.joining and order(kafka.version) < SENDS_WHAT_IS_LEFT:
        yield "the clients of this release stumble over a partition that is left behind (T9.16)"


def _foreign(spec: Properties, kafka: Kafka) -> bool:
    """Whether the clients of a protocol version differ from those of a release, in what its producers can meet.

    With one producer id none is unknown (T9.6); without `hasty` a producer ends nothing that may expire (T9.3).
    """
    rules, own = spec.rules, GENERATIONS[generation_of(kafka)]
    return any(
        (
            rules.epoch_per_transaction and not own.epoch_per_transaction,
            rules.old_epoch_is_fatal != own.old_epoch_is_fatal,
            spec.pids > 1 and rules.unknown_id_is_fatal != own.unknown_id_is_fatal,
            spec.hasty and rules.fails_again != own.fails_again,
        )
    )
