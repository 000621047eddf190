"""Run an audit on a Spark session."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from .dataframes import frames
from .report import FindingLimits, Report, collect
from .sources import units
from .wording import many

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOT = 8 << 20
"""Bytes of blocks that a task walks together."""


def audit(
    spark: SparkSession,
    paths: Sequence[str],
    wanted: FindingLimits | None = None,
    notify: Callable[[str], object] = str,
) -> Report:
    """Audit files and folders; E640 for a path that does not exist, E641 where there is nothing to read.

    What is wrong inside the input is a finding, not an error.
    """
    asked = wanted or FindingLimits()
    found = units(spark, paths)
    with _settings(spark):
        notify(f"reading {many(len({unit.path for unit in found}), 'file')}")
        kept = frames(spark, found)
        notify("following the sequences of every producer")
        kept.findings.persist()
        try:
            report = collect(spark, kept, found, paths, asked)
            if asked.parquet is not None:
                notify(f"writing {asked.parquet}")
                kept.findings.write.parquet(asked.parquet)
            return report
        finally:
            for frame in (kept.findings, kept.pieces, kept.found):
                frame.unpersist()


@contextlib.contextmanager
def _settings(spark: SparkSession) -> Iterator[None]:
    """Spark's shuffles here only count findings: 200 tasks, its default, would be far too many, and compiling code for
    them never pays. Afterwards the session is restored."""
    wanted = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.shuffle.partitions": str(spark.sparkContext.defaultParallelism),
        "spark.sql.execution.arrow.maxBytesPerBatch": str(LOT),
    }
    before = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)
