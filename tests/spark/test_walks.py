"""Walks on Spark: the result of the local walks, however they are spread."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.sampling import walk_spark
from everystate.checker.engines.sampling.sample import WalkSettings
from everystate.checker.engines.sampling.walk import Batch, walk
from everystate.checker.engines.sampling.walk_spark import WalkDistribution
from everystate.checker.results.itf import dump
from everystate.checker.results.report import report
from everystate.checker.results.result import Result

TARGET = "idem-producer"
CONSTANTS = {"max_in_flight": 3, "window": 1, "batches": 4}
COURSE = WalkSettings(steps=40, seed=7)


def facts(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Everything but times."""
    found = report(result)
    return {k: v for k, v in found.items() if "second" not in k}, [dump(v.trace) for v in result.violations if v.trace]


@pytest.fixture(scope="module")
def local() -> Result:
    return walk(load(TARGET, CONSTANTS), 60, COURSE.steps, COURSE.seed, target=TARGET)


def test_the_local_walks(local: Result) -> None:
    assert (local.generated, local.distinct) == (987, 204)
    assert [(v.property, v.length, v.states) for v in local.violations] == [("NoDup", 12, 31), ("InOrder", 12, 31)]


@pytest.mark.parametrize("partitions", [None, 1, 2, 7])
def test_any_number_of_partitions_gives_the_local_result(spark: Any, local: Result, partitions: int | None) -> None:
    batch = Batch(COURSE, 60, TARGET)
    spread = walk_spark.walk(load(TARGET, CONSTANTS), batch, WalkDistribution(spark, load, partitions))
    assert facts(spread) == facts(local)


def test_walks_are_dealt_out_evenly() -> None:
    assert walk_spark.ranges(3, 8) == [range(1), range(1, 2), range(2, 3)]
    assert [len(part) for part in walk_spark.ranges(10, 4)] == [2, 3, 2, 3]
