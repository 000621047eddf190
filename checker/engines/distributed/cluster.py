"""The jobs of a distributed search: what runs on the executors, and what they return to the driver."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .blocks import ANCHOR, COUNTS, DDL, SCHEMA, STATES, STATS, SUCCESSORS, Row, batch, column, rows, unpack
from .deduplication import Step, rebuild, settle
from .expand import expand
from .folder import Folder
from .plan import Task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CONF = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4",
    "spark.sql.unionOutputPartitioning": "true",
    "spark.sql.parquet.filterPushdown": "true",
}
"""Rows are blocks: a few of them are a batch, and compiling code for their handling never pays."""

STORED = {
    "compression": "uncompressed",
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
"""Blocks are compressed already. A folder counts when its manifest exists, so its files need not appear at once."""


class Cluster:
    """Runs the jobs of one search, whose levels are stored in a folder.

    Spark's scheduler prefers the machine that has a cached partition. So each partition of the state space has an empty
    row, the anchor, in a cached DataFrame. The anchors are united with the successors partition by partition, so the
    task that owns a shard runs on the machine of its anchor, which has the shard.
    """

    def __init__(self, spark: SparkSession, folder: Folder, task: Task) -> None:
        self.spark, self.folder, self.task = spark, folder, task
        self.before = {name: spark.conf.get(name, None) for name in CONF}
        for name, value in CONF.items():
            spark.conf.set(name, value)
        found = [Row(ANCHOR, owner, 0, owner, 0, 0, b"") for owner in range(task.owners)]
        self.anchors = self._exchanged(self.frame(found)).persist()

    def place(self) -> None:
        """Put each anchor on a machine."""
        self.describe("partitions of the state space")
        self.anchors.count()

    def close(self) -> None:
        """Restore the session for other users: its settings, its cache, and the descriptions of its jobs."""
        self.anchors.unpersist()
        self.describe(None)
        for name, value in self.before.items():
            if value is None:
                self.spark.conf.unset(name)
            else:
                self.spark.conf.set(name, value)

    def frame(self, found: Sequence[Row]) -> DataFrame:
        """Rows of the driver as a DataFrame."""
        batches = [batch(row, self.task.routes) for row in found]
        return self.spark.createDataFrame(pa.Table.from_batches(batches, SCHEMA))

    def describe(self, text: str | None) -> None:
        """What the next jobs are for, as the Spark UI shows it."""
        told: Any = text
        self.spark.sparkContext.setJobDescription(told)

    def _exchanged(self, frame: DataFrame) -> DataFrame:
        return frame.repartition(self.task.owners, "route")

    def stored(self, names: Iterable[str], *kinds: int) -> DataFrame:
        """Rows of the given kinds in folders of levels."""
        from pyspark.sql.functions import col

        frame = self.spark.read.schema(DDL).parquet(*(self.folder.uri(name) for name in names))
        return frame.where(col("kind").isin(*kinds))

    def store(self, frame: DataFrame, name: str) -> None:
        """Write a folder of a level; Spark commits it as a whole."""
        writer = frame.write.mode("overwrite").options(**STORED)
        writer.parquet(self.folder.uri(name))

    # -- a level -------------------------------------------------------------------------------------------

    def build(self, frontier: Level, step: Step, name: str) -> list[Row]:
        """Expand a level and store the next one; returns its statistics."""
        states = self.states(frontier)
        successors = states.mapInArrow(partial(expand, self.task, step.level), DDL)
        settled = self._settle(successors, partial(settle, self.task, step))
        self.store(settled, name)
        return self.told(step, name, self.task.owners)

    def rebuild(self, before: Sequence[str], step: Step, waiting: Sequence[int], source: str, name: str) -> list[Row]:
        """Process what waits in a folder, for partitions whose shards are rebuilt from the levels before."""
        from pyspark.sql.functions import col

        history = self.stored(before, STATES).where(col("owner").isin(*waiting))
        blocks = history.union(self.stored([source], SUCCESSORS, COUNTS))
        self.store(self._settle(blocks, partial(rebuild, self.task, step, frozenset(waiting))), name)
        return self.told(step, name, len(waiting))

    def _settle(self, blocks: DataFrame, function: Any) -> DataFrame:
        return self.anchors.union(self._exchanged(blocks)).mapInArrow(function, DDL)

    def told(self, step: Step, name: str, number: int) -> list[Row]:
        """Statistics of a level, and the anchors of partitions that wait for a rebuild."""
        heard = {o: told for (level, o), told in self.task.told.value.items() if level == step.level}
        self.task.told.value.clear()
        if len(heard) == number:
            return [_row(step.level, owner, told) for owner, told in sorted(heard.items())]
        return [Row.of(row.asDict()) for row in self.stored([name], STATS, ANCHOR).collect()]

    # -- queries -------------------------------------------------------------------------------------------

    def states(self, level: Level) -> DataFrame:
        """The blocks of states of a level."""
        return self.stored(level.names, STATES)

    def some(self, levels: Sequence[Level], whole: Sequence[int], each: int, function: Any) -> list[Any]:
        """The same for all states of some levels, and for the first blocks of `each` partitions of the others, in
        turns."""
        from pyspark.sql.functions import col

        if not levels:
            return []
        frame = self.stored([name for level in levels for name in level.names], STATES)
        turn = (col("owner") + col("level")) % self.task.owners < each
        frame = frame.where(col("level").isin(*whole) | ((col("seq") == 0) & turn))
        found = frame.mapInArrow(partial(_answer, self.task, function), "answer binary").collect()
        return [pickle.loads(row.answer) for row in found]

    def ask(self, levels: Sequence[Level], function: Any) -> list[Any]:
        """The results of a function in each task: `function(compiled, blocks)`; a block has a level and its states."""
        frames = [self.states(level) for level in levels]
        if not frames:
            return []
        frame = frames[0]
        for other in frames[1:]:
            frame = frame.union(other)
        found = frame.mapInArrow(partial(_answer, self.task, function), "answer binary").collect()
        return [pickle.loads(row.answer) for row in found]


def _row(level: int, owner: int, told: tuple[int, bytes] | None) -> Row:
    if told is None:
        return Row(ANCHOR, owner, level, owner, 0, 0, b"")
    return Row(STATS, owner, level, owner, 0, *told)


@dataclass(frozen=True)
class Level:
    """A level that is stored: its number and the folders that hold it."""

    number: int
    names: tuple[str, ...]


def _answer(task: Task, function: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    compiled = task.kernel.value.compiled()
    words = task.kernel.value.shape.words
    answer = pickle.dumps(function(compiled, ((row.level, unpack(row, words)) for row in rows(batches))))
    yield pa.record_batch([column(answer, pa.binary())], names=["answer"])
