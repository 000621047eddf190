"""Run an audit on a Spark session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .frames import frames
from .report import Report, Wanted, collect
from .sources import units
from .words import many

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHUFFLES = "spark.sql.shuffle.partitions"
"""What Spark shuffles by itself here is the counting of findings: 200 tasks, its default, would be far too many."""


def audit(
    spark: SparkSession, paths: Sequence[str], wanted: Wanted | None = None, tell: Callable[[str], object] = str
) -> Report:
    """Audit files and folders; E640 for a path that does not exist, E641 where there is nothing to read.

    What is wrong inside the input is a finding, not an error.
    """
    asked = wanted or Wanted()
    found = units(spark, paths)
    shuffles = spark.conf.get(SHUFFLES) or "200"
    spark.conf.set(SHUFFLES, str(spark.sparkContext.defaultParallelism))
    tell(f"reading {many(len({unit.path for unit in found}), 'file')}")
    kept = frames(spark, found)
    tell("following the sequences of every producer")
    kept.findings.persist()
    try:
        report = collect(spark, kept, found, paths, asked)
        if asked.parquet is not None:
            tell(f"writing {asked.parquet}")
            kept.findings.write.parquet(asked.parquet)
        return report
    finally:
        spark.conf.set(SHUFFLES, shuffles)
        for frame in (kept.findings, kept.pieces, kept.found):
            frame.unpersist()
