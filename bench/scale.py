"""The search on Spark against the search in one process: speed, cost of a level, bytes shuffled, where time goes.

python bench/scale.py [--master MASTER] [--partitions N] [--ship N] [--json FILE] ["N F W R L E C" ...]

Both searches run one after the other in this process, on the same spec. CPU times are read from /proc, so they are
those of embedded executors; states per second and bytes are told for every master.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from machine import described
from one_search import CONSTANTS

from everystate.checker.api.on_spark import CONF
from everystate.checker.engines import distributed
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.frontend import model
from everystate.checker.spark.session import Settings, session
from everystate.specs.idem_producer import IdempotentProducer

SIZES = ("6 5 5 4 2 1 1", "8 5 5 4 3 1 1", "9 5 5 5 3 1 2")
"""About 10^5, 10^6 and 10^7 states."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cpu:
    """CPU seconds so far: of the JVM and of the Python workers below this process."""

    jvm: float
    python: float


@dataclass(frozen=True)
class Level:
    """A level on Spark: its new states, wall seconds, CPU seconds of the JVM and of the Python workers."""

    number: int
    states: int
    seconds: float
    jvm: float
    python: float


@dataclass
class Measured:
    """One space: both searches, and what the levels on Spark cost. Seconds of Spark are without those of its start."""

    constants: str
    distinct: int
    generated: int
    depth: int
    local_seconds: float
    spark_seconds: float = 0.0
    same: bool = False
    levels: list[Level] = field(default_factory=list)
    shuffled: int = 0
    stored: int = 0
    spent: dict[str, float] = field(default_factory=dict)

    @property
    def shipped(self) -> int:
        """States of the levels on Spark."""
        return sum(level.states for level in self.levels)


class Watch(Silent):
    """Measures each level once a session is there."""

    def __init__(self) -> None:
        self.levels: list[Level] = []
        self.start: tuple[float, Cpu] | None = None
        self.before = 0

    def begin(self) -> None:
        """The session is there."""
        self.start = (time.perf_counter(), cpu())

    def level(self, progress: Progress) -> None:
        if self.start is not None:
            (at, spent), now, then = self.start, cpu(), time.perf_counter()
            states = progress.distinct - self.before
            self.levels.append(Level(progress.level, states, then - at, now.jvm - spent.jvm, now.python - spent.python))
            self.start = (then, now)
        self.before = progress.distinct


def cpu() -> Cpu:
    """CPU seconds of the processes below this one, by what they run."""
    found: dict[int, tuple[int, str, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            head, _, tail = path.read_text().rpartition(")")
            words = tail.split()
            found[int(path.parent.name)] = (int(words[1]), head.partition("(")[2], sum(map(int, words[11:15])) / TICKS)
    spent = {"java": 0.0, "python": 0.0}
    for process, (_, name, seconds) in found.items():
        if process != os.getpid() and _below(process, found):
            spent["java" if name == "java" else "python"] += seconds
    return Cpu(spent["java"], spent["python"])


def _below(process: int, found: dict[int, tuple[int, str, float]]) -> bool:
    while process in found and process != os.getpid():
        process = found[process][0]
    return process == os.getpid()


def measured(text: str, spark: Any, partitions: int | None, ship: int) -> Measured:
    """Search in this process with all processors, then on Spark."""
    traced = model.build(IdempotentProducer(**dict(zip(CONSTANTS, map(int, text.split()), strict=True))))
    local = exhaustive.check(traced, Limits(workers=len(os.sched_getaffinity(0))))
    found = Measured(text, local.distinct, local.generated, local.depth, local.seconds)
    watch, before = Watch(), shuffled(spark)

    @contextlib.contextmanager
    def ready() -> Iterator[Any]:
        watch.begin()
        yield spark

    with tempfile.TemporaryDirectory(prefix="everystate-bench-") as folder:
        plan = distributed.Plan(ready, partitions, work=f"{folder}/work", ship=ship)
        search = distributed.Distributed(traced, Limits(), plan, watch)
        result = search.run()
        found.stored = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    found.spark_seconds, found.levels, found.spent = result.seconds, watch.levels, search.spent
    found.shuffled = shuffled(spark) - before
    same = ("distinct", "generated", "depth", "verdict", "coverage", "warnings")
    found.same = all(getattr(local, name) == getattr(result, name) for name in same)
    return found


def shuffled(spark: Any) -> int:
    """Bytes that all executors have written for shuffles."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(int(executors.apply(i).totalShuffleWrite()) for i in range(executors.size()))


def told(found: Measured, setup: str) -> Iterator[str]:
    """The measurement as lines of text."""
    yield f"idem-producer, N F W R L E C = {found.constants}; {setup}"
    yield f"{found.distinct:,} distinct, {found.generated:,} generated, {found.depth} levels" + (
        "; both agree" if found.same else "; THEY DIFFER"
    )
    yield f"one process      {found.local_seconds:8.2f} s  {found.distinct / found.local_seconds:12,.0f} states/s"
    yield f"Spark            {found.spark_seconds:8.2f} s  {found.distinct / found.spark_seconds:12,.0f} states/s"
    if not found.levels:
        yield "no level was wide enough for Spark"
        return
    first, *rest = found.levels
    steady = sum(level.seconds for level in rest)
    yield f"levels on Spark  {len(found.levels)}, from level {first.number}; {found.shipped:,} states"
    yield f"  first          {first.seconds:8.2f} s  (Python workers start, stored levels are read)"
    speed = sum(level.states for level in rest) / steady
    yield f"  all others     {steady:8.2f} s  {speed:12,.0f} states/s"
    yield f"  floor          {min(level.seconds for level in rest):8.2f} s a level, the cheapest one"
    yield f"shuffled         {found.shuffled / found.shipped:8.2f} bytes a distinct state of these levels"
    yield f"stored           {found.stored / found.distinct:8.2f} bytes a state"
    yield from _shares(found)


def _shares(found: Measured) -> Iterator[str]:
    """Where the CPU time goes, without that of the first level on Spark."""
    jvm, python = (sum(getattr(level, name) for level in found.levels[1:]) for name in ("jvm", "python"))
    kernel, codec = found.spent["kernel"], found.spent["codec"]
    parts = {"JVM": jvm, "kernel": kernel, "codec": codec, "Arrow, PySpark": max(0.0, python - kernel - codec)}
    total = sum(parts.values()) or 1.0
    shares = "  ".join(f"{name} {seconds:.1f} s ({seconds / total:.0%})" for name, seconds in parts.items())
    yield f"CPU time         {shares}"
    yield f"shards           made from stored levels {found.spent['rebuilt']:.0f} times"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when the two searches differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=SIZES, metavar='"N F W R L E C"')
    parser.add_argument("--master", default="local[2,4]")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--ship", type=int, default=100_000)
    parser.add_argument("--levels", action="store_true", help="print every level")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    print(described())
    start, results = time.perf_counter(), []
    with session(Settings(master=given.master, conf=CONF)) as spark:
        print(f"{given.master}: session after {time.perf_counter() - start:.1f} s")
        partitions = given.partitions or "the default number of"
        for text in given.sizes:
            found = measured(text, spark, given.partitions, given.ship)
            results.append(found)
            print("", *told(found, f"{partitions} partitions, from {given.ship:,} states a level on"), sep="\n")
            for level in found.levels if given.levels else []:
                cost = f"{level.seconds:8.2f} s{level.jvm:8.2f} JVM{level.python:8.2f} Python"
                print(f"  {level.number:4}{level.states:12,}{cost}")
    if given.json:
        given.json.write_text(json.dumps([asdict(found) for found in results], indent=1))
    return 0 if all(found.same for found in results) else 1


if __name__ == "__main__":
    sys.exit(main())
