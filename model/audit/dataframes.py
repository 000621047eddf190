"""The audit as DataFrame operations: read, sort once, walk the producers, and check the findings against their logs.

    units --read--> blocks of batches, flaws, pieces --sort by log, producer, offset--> walk --> findings (cached)
    pieces: which offsets of a log are missing, and which are there twice
    findings with the missing offsets before them: what they prove

The batches are read once, sorted once and never cached. Only findings come to the driver.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .finding_kinds import KINDS
from .findings import FOUND, OTHER
from .schema import FIELDS, KEYS, PIECE, ROW, SPARK, ddl
from .sources import Unit

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

TOPIC = r"^(.+)-(\d+)(\.[0-9a-f]{32}-(delete|future|stray))?$"
"""The folder of a log."""
BYTES_PER_TASK = 64 << 20
SORTED_PER_TASK = 256 << 20
MOST_TASKS = 20_000
LISTS = {"counts": "array<bigint>", "scenarios": "array<string>"}
PLACE = {"log_name": "string", "topic": "string", "partition": "int", "path": "string", "file": "string"}
FINDING = {"kind": "string", "level": "string", "text": "string", "amount": "int64", **KEYS, **FIELDS, **OTHER}
COLUMNS = {**{name: SPARK[kind] for name, kind in FINDING.items()}, **PLACE, "scenarios": LISTS["scenarios"]}
"""The columns of a finding, in Parquet too."""
Arrow = Iterator["pa.RecordBatch"]


@dataclass(frozen=True)
class Frames:
    """The DataFrames of an audit: findings of the walk (cached), pieces with their logs (cached), final findings."""

    found: DataFrame
    pieces: DataFrame
    findings: DataFrame


def frames(spark: SparkSession, units: list[Unit]) -> Frames:
    """All results for some units; this does the work, the rest is small."""
    found = walk(read(spark, units), _tasks(spark, units, SORTED_PER_TASK)).persist()
    found.count()
    pieces = name_pieces(found).persist()
    return Frames(found, pieces, findings(found, pieces))


def _tasks(spark: SparkSession, units: list[Unit], each: int) -> int:
    size = sum((unit.end or unit.size) - unit.start for unit in units)
    return int(min(max(2 * spark.sparkContext.defaultParallelism, size // each), MOST_TASKS))


def read(spark: SparkSession, units: list[Unit]) -> DataFrame:
    """The rows of all units. Small ones share a task; each task gets units of every size, largest first."""
    tasks = min(len(units), _tasks(spark, units, BYTES_PER_TASK))
    numbers = [number for task in range(tasks) for number in range(task, len(units), tasks)]
    schema = f"{ddl(ROW)}, counts {LISTS['counts']}"
    return spark.range(0, len(units), 1, tasks).mapInArrow(_reader(units, numbers), schema)


def _reader(units: list[Unit], numbers: list[int]) -> Callable[[Arrow], Arrow]:
    def read_units(ids: Arrow) -> Arrow:
        from .rows import rows
        from .sources import read

        for batch in ids:
            for at in batch.column(0).to_pylist():
                unit = units[numbers[at]]
                path, items = read(unit)
                yield from rows(items, numbers[at], unit.path, path)

    return read_units


def walk(rows: DataFrame, tasks: int) -> DataFrame:
    """The findings in the sequences of all producers; blocks are sorted by their first offsets."""
    ordered = rows.repartition(tasks, *KEYS).sortWithinPartitions(*KEYS, "base_offset")
    lists = ", ".join(f"{name} {kind}" for name, kind in LISTS.items())
    return ordered.mapInArrow(_walk, f"{ddl(FOUND)}, {lists}")


def _walk(lots: Arrow) -> Arrow:
    from .findings import walk

    yield from walk(lots)


def name_pieces(found: DataFrame) -> DataFrame:
    """The pieces with their path, topic and partition, and the missing offsets of their log in front of them.

    A piece is a segment, so that even of a thousand terabytes there are a few million: one task takes them all, and
    the windows need no shuffle.
    """
    from pyspark.sql import functions as F

    summaries = found.where(F.col("kind") == PIECE).selectExpr(
        "log", "log_name", "file", "unit", "section", "text as told", "base_offset", "last_offset", "holes", "counts"
    )
    name = F.regexp_extract("path", "([^/]*)/[^/]*$", 1)
    return _measured(
        summaries.coalesce(1)
        .withColumn("path", F.coalesce("told", "file"))
        .withColumn("topic", F.coalesce(F.nullif(F.regexp_extract(name, TOPIC, 1), F.lit("")), name))
        .withColumn("partition", F.regexp_extract(name, TOPIC, 2).try_cast("int"))
    )


def _measured(pieces: DataFrame) -> DataFrame:
    """With the offset that the log has reached before each piece, and how many offsets were missing until there."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    in_log = Window.partitionBy("log").orderBy("base_offset", "last_offset", "unit", "section")
    earlier = in_log.rowsBetween(Window.unboundedPreceding, -1)
    full = F.col("counts")[0] > 0
    reached = F.coalesce(F.max(F.when(full, F.col("last_offset"))).over(earlier), F.lit(-1))
    gap = F.when(full, F.greatest(F.col("base_offset") - F.col("reached") - 1, F.lit(0))).otherwise(0)
    before = F.coalesce(F.sum(F.col("gap") + F.col("holes")).over(earlier), F.lit(0))
    return (
        pieces.withColumn("reached", reached).withColumn("gap", gap).withColumn("holes_before", before + F.col("gap"))
    )


def findings(found: DataFrame, pieces: DataFrame) -> DataFrame:
    """All findings with the names of their log and file; every column of a finding, null where it has none."""
    from pyspark.sql import functions as F

    places = pieces.select("unit", "section", *PLACE)
    each = (sequences(found, pieces), flaws(found), overlaps(pieces))
    every = functools.reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), each)
    placed = every.drop("log_name", "file").join(F.broadcast(places), ["unit", "section"])
    levels = F.create_map(*(F.lit(text) for kind in KINDS.values() for text in (kind.name, kind.level.value)))
    known = {**{name: F.col(name) for name in placed.columns}, "level": levels[F.col("kind")]}
    return placed.select(*(known.get(name, F.lit(None)).cast(kind).alias(name) for name, kind in COLUMNS.items()))


def sequences(found: DataFrame, pieces: DataFrame) -> DataFrame:
    """The findings in the sequences, checked: sequences that as many missing offsets may have held prove nothing."""
    from pyspark.sql import functions as F

    before = pieces.select("unit", "section", "holes_before")
    others = before.toDF("other_unit", "other_section", "other_before")
    rows = found.where(F.col("producer_id").isNotNull())
    rows = rows.join(F.broadcast(before), ["unit", "section"])
    rows = rows.join(F.broadcast(others), ["other_unit", "other_section"], "left")
    holes = F.expr("holes + holes_before - coalesce(other_holes + other_before, 0)")
    proved = F.col("amount") > holes
    kind = (
        F.when(F.col("kind") == "start", F.when(proved, "missing-start").otherwise("first-sequence"))
        .when(F.col("kind") == "jump", F.when(proved, "gap").otherwise("unproved-gap"))
        .otherwise(F.col("kind"))
    )
    likely = F.when(proved | ~F.col("kind").isin("start", "jump"), F.col("scenarios"))
    return rows.withColumns({"kind": kind, "scenarios": likely})


def flaws(found: DataFrame) -> DataFrame:
    """The flaws of the input."""
    from pyspark.sql import functions as F

    return found.where(F.col("producer_id").isNull() & (F.col("kind") != PIECE))


def overlaps(pieces: DataFrame) -> DataFrame:
    """Pieces that hold offsets which an earlier piece of their log has reached."""
    from pyspark.sql import functions as F

    return pieces.where("counts[0] > 0 and base_offset <= reached").select(
        F.lit("overlap").alias("kind"),
        (F.least("last_offset", "reached") - F.col("base_offset") + 1).alias("amount"),
        F.format_string("offsets %d to %d", "base_offset", F.least("last_offset", "reached")).alias("text"),
        "unit",
        "section",
        F.lit(0).cast("bigint").alias("position"),
        F.lit(0).cast("bigint").alias("number"),
        "base_offset",
        "last_offset",
    )
