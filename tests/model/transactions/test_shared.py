"""Groups that share two partitions: what one partition shows as well, and what only a second one does."""

from __future__ import annotations

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model.transactions.shared import SHARINGS, SharedGroup
from everystate.specs.transactions.groups import SCENARIOS, SHARED

OF_TWO = [scenario for scenario in SCENARIOS if scenario.target == SHARED]


def verdict(spec: SharedGroup) -> tuple[int, dict[str, int | None]]:
    result = check(build(spec))
    return result.distinct, {v.property: v.length for v in result.violations}


def test_every_release_has_a_scenario() -> None:
    assert {scenario.constants["generation"] for scenario in OF_TWO} == set(SHARINGS)


@pytest.mark.parametrize(
    ("generation", "states", "broken"),
    [("4.0", 254, {"NoDuplicate": 7}), ("4.3", 108, {"NoDuplicate": 8}), ("4.3-metadata-of-the-poll", 111, {})],
)
def test_one_partition_has_the_same_verdicts(generation: str, states: int, broken: dict[str, int]) -> None:
    assert verdict(SharedGroup(generation=generation, partitions=1, evictions=1)) == (states, broken)


class OneIsEnough(SharedGroup):
    """A broker that accepts a request if one of its partitions may be committed."""

    def covers(self, member: int, epoch: int) -> bool:
        work = self.member[member].work
        return any(self.owner[p] == member and self.since[p] <= epoch for p in self.places if work[p])


@pytest.mark.parametrize(("partitions", "broken"), [(1, {}), (2, {"NoDuplicate": 7})])
def test_two_partitions_show_a_check_of_one(partitions: int, broken: dict[str, int]) -> None:
    spec = OneIsEnough(generation="4.0-with-4.3-metadata-of-the-poll", partitions=partitions)
    assert verdict(spec)[1] == broken
