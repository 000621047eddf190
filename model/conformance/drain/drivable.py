"""The protocol version of the drain in each release, and what of a release cannot be driven."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....checker.language.spec import Spec
from ...drain import Drain
from ...drain.generation import LATE, PER_NODE, SHARED
from ..versions import Kafka, order

FIRST = {(2, 7, 1): SHARED, (3, 3): LATE, (3, 6): PER_NODE}
"""The first release of each protocol version of the drain."""


def generation_of(kafka: Kafka) -> str:
    """The protocol version of the drain in a release; none before P6.2 (docs/reference/rules-drain.md)."""
    return next((found.name for first, found in reversed(FIRST.items()) if order(kafka.version) >= first), "")


def fitting(make: Callable[[dict[str, Any]], Spec], given: dict[str, Any], kafka: Kafka) -> tuple[Spec, str]:
    """A spec adapted to a release, and the protocol version that replaced the newest one."""
    spec, own = make(given), generation_of(kafka)
    assert isinstance(spec, Drain)
    if "generation" in given or own in ("", spec.generation) or spec.generation != PER_NODE.name:
        return spec, ""
    return make({**given, "generation": own}), own


def obstacles(spec: Drain, kafka: Kafka, given: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why a spec cannot be compared with a release; none where it can."""
    own = generation_of(kafka)
    if not own:
        yield "partitions of a release before 2.7.1 have no epochs of their own"
    elif spec.generation != own:
        reason = f"its generation of the drain is {spec.generation}, and this release is of {own}"
        known = spec.generation in {found.name for found in FIRST.values()}
        yield reason + (f"; -c generation={own} drives it so" if known else "")
    if spec.behind >= 0:
        yield "followers are not driven (P5.3)"
