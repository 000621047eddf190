"""The batches around findings: reads their units again, up to the last batch that is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .schema import FIELDS, ROW, ddl
from .sources import Unit

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Place = tuple[int, int, int]
"""Unit, section and number of a batch."""
Arrow = Iterator["pa.RecordBatch"]
TAKEN = {"producer_id": ROW["producer_id"], **FIELDS}


def around(spark: SparkSession, units: list[Unit], places: set[Place]) -> dict[Place, dict[str, Any]]:
    """The batches at some places that exist."""
    numbers = sorted({unit for unit, _, _ in places})
    if not numbers:
        return {}
    read = spark.range(0, len(numbers), 1, len(numbers)).mapInArrow(_reader(units, numbers, places), ddl(TAKEN))
    return {(row["unit"], row["section"], row["number"]): row.asDict() for row in read.collect()}


def gathered(units: list[Unit], places: set[Place]) -> dict[Place, dict[str, Any]]:
    """The same in this process."""
    found: dict[Place, dict[str, Any]] = {}
    for number in sorted({unit for unit, _, _ in places}):
        for batch in _found(units[number], number, {place for place in places if place[0] == number}):
            found |= {(row["unit"], row["section"], row["number"]): row for row in batch.to_pylist()}
    return found


def _reader(units: list[Unit], numbers: list[int], places: set[Place]) -> Callable[[Arrow], Arrow]:
    wanted = {number: {place for place in places if place[0] == number} for number in numbers}
    chosen = {number: units[number] for number in numbers}

    def read_places(ids: Arrow) -> Arrow:
        for batch in ids:
            for at in batch.column(0).to_pylist():
                yield from _found(chosen[numbers[at]], numbers[at], wanted[numbers[at]])

    return read_places


def _found(unit: Unit, number: int, places: set[Place]) -> Arrow:
    import numpy as np
    import pyarrow as pa

    from .rows import pieces
    from .sources import read

    last = max(places)
    path, items = read(unit)
    for part in pieces(items, number, unit.path, path):
        if isinstance(part, pa.RecordBatch):
            continue
        section, numbers = int(part["section"][0]), part["number"]
        mask = np.isin(numbers, [place[2] for place in places if place[1] == section])
        if mask.any():
            arrays = [pa.array(part[name][mask], getattr(pa, kind)()) for name, kind in TAKEN.items()]
            yield pa.record_batch(arrays, list(TAKEN))
        if (number, section, int(numbers[-1])) >= last:
            return
