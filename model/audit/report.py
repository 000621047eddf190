"""The result of an audit for display: totals, the number of findings, and the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .context import Place, around
from .dataframes import Frames
from .finding_kinds import KINDS, ORDER, Kind, Level
from .schema import COUNTS
from .sources import Unit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AROUND = 2
"""Batches on either side of a finding that are kept for its picture."""
INTERNAL = ("__consumer_offsets", "__transaction_state", "__cluster_metadata", "__share_group_state")
"""Topics that brokers write themselves, without producer ids."""
CODES = {"BROKEN": 12, "SUSPICIOUS": 3, "UNDECIDED": 3, "BEGINS LATE": 3, "CLEAN": 0}
"""The verdicts and their exit codes."""
Values = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """A finding with the values of COLUMNS, and the batches around it in the order of offsets, as BATCH columns."""

    values: Values
    around: tuple[Values, ...] = ()

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return KINDS[self.values["kind"]]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True)
class FindingLimits:
    """Which findings come to the driver: how many at most, how many with the batches around them.

    `parquet` is a new folder, on any Hadoop file system, for all of them.
    """

    limit: int = 1000
    pictures: int = 0
    parquet: str | None = None


@dataclass(frozen=True)
class Report:
    """What was read, how many findings there are of each kind, and the first of them.

    `checked` are the batches of producers with an id, `owned` the logs that have some. `unchecked` are the batches
    without a producer id, except in topics that brokers write themselves. The verdict is CLEAN only where batches of
    producers were checked, from sequence 0 on, and nothing was left unread or unchecked.
    """

    paths: tuple[str, ...]
    files: int
    logs: int
    segments: int
    counts: dict[str, int]
    kinds: dict[str, int]
    found: tuple[Found, ...] = field(default=())
    unchecked: int = 0
    owned: int = 0

    def number(self, level: Level) -> int:
        """How many findings there are of a level."""
        return sum(count for name, count in self.kinds.items() if KINDS[name].level is level)

    @property
    def checked(self) -> int:
        """Batches of producers whose sequences were checked."""
        return self.counts["batches"] - self.counts["plain"] - self.counts["control"]

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        return CODES[self.verdict]

    @property
    def verdict(self) -> str:
        """The last line in one or two words."""
        if self.number(Level.BROKEN):
            return "BROKEN"
        if self.number(Level.SUSPICIOUS):
            return "SUSPICIOUS"
        if self.number(Level.DAMAGED) or self.unchecked or not self.checked:
            return "UNDECIDED"
        return "BEGINS LATE" if self.late else "CLEAN"

    @property
    def late(self) -> int:
        """Findings that depend on offsets which are not in the input."""
        return self.kinds.get("first-sequence", 0) + self.kinds.get("unproved-gap", 0)


def collect(
    spark: SparkSession, frames: Frames, units: list[Unit], paths: Sequence[str], wanted: FindingLimits
) -> Report:
    """The report; findings are in the order of their kinds, logs and offsets."""
    from pyspark.sql import functions as F

    totals = frames.pieces.selectExpr(
        "count(distinct file) as files",
        "count(distinct if(counts[0] + counts[5] > 0, log, null)) as logs",
        "count_if(counts[0] + counts[5] > 0) as segments",
        *(f"coalesce(sum(counts[{at}]), 0) as {name}" for at, name in enumerate(COUNTS)),
        f"coalesce(sum(if(topic in ({', '.join(map(repr, INTERNAL))}), 0, counts[4])), 0) as unchecked",
        "count(distinct if(counts[0] - counts[3] - counts[4] > 0, log, null)) as owned",
    ).first()
    assert totals is not None
    kinds = {row["kind"]: row["count"] for row in frames.findings.groupBy("kind").count().collect()}
    order = F.create_map(*(F.lit(part) for name, at in ORDER.items() for part in (name, at)))
    first = frames.findings.orderBy(order[F.col("kind")], "log_name", "base_offset", "file", "position").limit(
        wanted.limit
    )
    found = [Found(row.asDict()) for row in first.collect()]
    drawn = with_batches(found[: wanted.pictures], lambda places: around(spark, units, places))
    return Report(
        tuple(paths),
        totals["files"],
        totals["logs"],
        totals["segments"],
        {name: totals[name] for name in COUNTS},
        {name: kinds[name] for name in KINDS if name in kinds},
        (*drawn, *found[len(drawn) :]),
        totals["unchecked"],
        totals["owned"],
    )


def with_batches(found: list[Found], ask: Callable[[set[Place]], dict[Place, Values]]) -> list[Found]:
    """Findings with the batches around them, for which their units are read again."""
    wanted = [(finding, set(_places(finding.values))) for finding in found]
    at = ask({place for _, near in wanted for place in near})
    return [
        Found(finding.values, tuple(sorted((at[place] for place in near if place in at), key=_in_log)))
        for finding, near in wanted
    ]


def _places(values: Values) -> Iterable[Place]:
    for prefix in ("", "other_"):
        if values[prefix + "number"] is not None:
            middle = values[prefix + "number"]
            for number in range(max(0, middle - AROUND), middle + AROUND + 1):
                yield values[prefix + "unit"], values[prefix + "section"], number


def _in_log(batch: Values) -> tuple[int, int, int]:
    return batch["base_offset"], batch["unit"], batch["number"]
