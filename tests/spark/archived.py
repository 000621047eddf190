"""Spark's classes, loaded once and kept in a file that Java maps: a session costs half of the CPU time to start.

The file (a dynamic archive of class data) is made by a Java that ends, by a process of its own, before the first test
that starts Spark; it stays in the environment whose jars it is made of, and goes with it. Java takes it for the same
Java and the same jars only, and goes on without it otherwise.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from everystate.checker import java as runtime
from everystate.checker.spark import java

PATIENCE = 600.0
"""Seconds after which tests go on without one."""
MAKE = """
import contextlib, sys
from everystate.checker.engines import distributed
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.spark import session
from everystate.specs.classics.die_hard import DieHard
session.PATIENCE = 300.0
conf = {"spark.driver.extraJavaOptions": sys.argv[1]}
with session.session(session.Settings(master="local[2]", memory=1 << 30, conf=conf)) as spark:
    rows = spark.range(4).repartition(2, "id").mapInArrow(lambda batches: batches, "id long")
    rows.write.parquet(sys.argv[2])
    spark.read.parquet(sys.argv[2]).where("id > 1").collect()
    spark.sparkContext.parallelize([0, 1], 2).map(lambda n: n).collect()
    plan = distributed.Plan(lambda: contextlib.nullcontext(spark), 2, ship=1)
    distributed.check(model.build(DieHard()), Limits(max_states=4), plan)
"""


def options(brief: str) -> str:
    """Some options of Java, and that it takes the archive."""
    archive = _made(brief)
    quiet = "-Xlog:disable -Xlog:all=error:stderr"
    return f"{brief} -XX:SharedArchiveFile={archive} {quiet}" if archive else brief


def _made(brief: str) -> Path | None:
    """The archive, which the first of several processes makes; None where Java cannot."""
    import pyspark

    told = (runtime.ask(str(java.find().program), "-version"), pyspark.__version__, brief, MAKE)
    place = Path(sys.prefix) / "spark-classes" / f"{hashlib.sha256(repr(told).encode()).hexdigest()[:16]}.jsa"
    if not os.access(sys.prefix, os.W_OK):
        return None
    place.parent.mkdir(exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _make(brief, place)
    return place if place.exists() else None


def _make(brief: str, place: Path) -> None:
    new, rows = place.with_suffix(".new"), place.with_suffix(f".{os.getpid()}")
    given = [f"{brief} -XX:ArchiveClassesAtExit={new}", str(rows)]
    try:
        done = subprocess.run([sys.executable, "-c", MAKE, *given], capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode == 0 and new.exists():
            new.replace(place)
    except subprocess.TimeoutExpired:
        return
    finally:
        for path in (new, *rows.glob("*"), *rows.glob(".*")):
            path.unlink(missing_ok=True)
        if rows.exists():
            rows.rmdir()
