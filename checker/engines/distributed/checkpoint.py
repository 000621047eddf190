"""The work folder: what a run is about, and its levels. It is enough to go on after anything that ends the driver.

run.json             what the run is about; a run that is resumed must be about the same
levels/first         what the driver has built by itself, except for its last level
levels/00017         a level: Parquet, one file for each partition, committed by Spark ...
levels/00017.json    ... and its manifest, with a seal over run.json, the manifests before it and itself. A level
                     counts when this file exists
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backends.native.program import Shape
from ...errors import EverystateError
from ..path_notes import Noted
from ..saved_run import Seals, about, compare, damaged, named, number_of, read_facts, reading
from .cluster import Level
from .folder import Folder
from .kernel import Kernel
from .plan import Plan
from .stats import Mark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..explicit.exhaustive import Exhaustive

FIRST = "levels/first"
"""Where the levels before the first one that is distributed are."""
PER_CORE = 1
"""Partitions for each core: ownership by hash is even, and each partition costs 0.1 s of CPU time in each level."""
BLOCK, SHARE, LARGEST = 1 << 16, 1 << 11, 1 << 20
"""States of a block, at least; more with many owners, since its successors are split among them; and at most."""


@dataclass(frozen=True)
class CompleteLevel:
    """A complete level: its number, its location, the marks of the partitions after it, the counters, the number of
    its states, and for each path that the level before takes a state there that does."""

    number: int
    names: tuple[str, ...]
    marks: dict[int, Mark]
    counters: Any
    states: int
    noted: Noted

    @property
    def level(self) -> Level:
        """Where its states are."""
        return Level(self.number, self.names)


class Work:
    """The work folder of a run."""

    def __init__(self, folder: Folder, facts: dict[str, Any]) -> None:
        self.folder, self.facts = folder, facts
        self.run: str = facts["run"]
        self.partitions: int = facts["partitions"]
        self.block = min(LARGEST, max(BLOCK, SHARE * self.partitions))
        self._seals = Seals(facts)

    def commit(self, built: CompleteLevel) -> None:
        """Record that a level is complete."""
        marks = [[m.count, m.digest.hex()] for _, m in sorted(built.marks.items())]
        facts = {
            "number": built.number,
            "names": built.names,
            "states": built.states,
            "marks": marks,
            "counters": [int(n) for n in built.counters],
            "paths": {path: row.hex() for path, row in built.noted.items()},
        }
        self.folder.write(named(built.number), self._seals.close(facts))

    def levels(self, shape: Shape) -> list[CompleteLevel]:
        """The complete levels, in order; incomplete ones are removed. E627 for an invalid manifest."""
        names = self.folder.names("levels")
        numbers = sorted(number_of(str(self.folder.root), name) for name in names if name.endswith(".json"))
        for before, after in pairwise(numbers):
            if after != before + 1:
                raise damaged(before + 1, "its manifest is not there")
        found = [self._level(number, shape) for number in numbers]
        kept = {FIRST, *(part for built in found for part in built.names)}
        for name in names:
            if not name.endswith(".json") and f"levels/{name}" not in kept:
                self.folder.remove(f"levels/{name}")
        return found

    def _level(self, number: int, shape: Shape) -> CompleteLevel:
        with reading(number):
            facts = self._seals.open(number, self.folder.read(named(number)))
            marks = {o: Mark(number, int(count), bytes.fromhex(d)) for o, (count, d) in enumerate(facts["marks"])}
            counters, states = np.array(facts["counters"], np.uint64), int(facts["states"])
            if facts["number"] != number or len(marks) != self.partitions or states < 0:
                raise ValueError("it is of another level, or of other partitions")
            if counters.shape not in ((0,), (shape.counters.size,)):
                raise ValueError(f"it does not have {shape.counters.size:,} counters")
            noted = {int(path): bytes.fromhex(row) for path, row in facts["paths"].items()}
            if not all(path < shape.counters.paths and len(row) == 8 * shape.words for path, row in noted.items()):
                raise ValueError("its paths are not those of the spec")
            return CompleteLevel(number, tuple(map(str, facts["names"])), marks, counters, states, noted)


@contextmanager
def opened(search: Exhaustive, plan: Plan, spark: SparkSession, kernel: Kernel) -> Iterator[Work]:
    """The work folder of a run, new or resumed; a temporary one if none was given. E620 to E624, E628."""
    temporary = None
    if plan.work is None:
        master = str(spark.sparkContext.master)
        if not master.startswith("local"):
            raise EverystateError("E628", None, master=master)
        temporary = tempfile.mkdtemp(prefix="everystate-levels-")
    try:
        folder = Folder(spark, temporary or str(plan.work))
        yield Work(folder, _facts(search, plan, spark, kernel, folder))
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _facts(search: Exhaustive, plan: Plan, spark: SparkSession, kernel: Kernel, folder: Folder) -> dict[str, Any]:
    """What the run is about, from the folder if it is resumed."""
    first = search.store.rows(search.levels[0]).tobytes()
    facts = about(search.target, search.program, kernel.digest, first, search.limits.deadlock) | {"ship": plan.ship}
    facts |= {"partitions": plan.partitions} if plan.partitions else {}
    stored = stored_facts(folder) if folder.exists("run.json") else None
    if plan.resume:
        if stored is None:
            raise EverystateError("E623", None, work=str(folder.root))
        compare(str(folder.root), facts, stored)
        return stored
    if stored is not None:
        raise EverystateError("E621", None, work=str(folder.root))
    if folder.names():
        raise EverystateError("E622", None, work=str(folder.root), name=folder.names()[0])
    folder.make()
    cores = int(spark.sparkContext.defaultParallelism)
    partitions = 1 if kernel.shape.viewed else plan.partitions or PER_CORE * cores
    found = {**facts, "partitions": partitions, "run": secrets.token_hex(8)}
    folder.write("run", found)
    return found


def stored_facts(folder: Folder) -> dict[str, Any]:
    """What the run in a folder is about; E620 where that cannot be read."""
    return read_facts(str(folder.root), lambda: folder.read("run"), run=str, partitions=int)
