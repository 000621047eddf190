"""A Spark session: embedded in this process by default, or on the cluster of a master URL.

The output of Spark and its Java goes to `spark.log` in the work folder; standard error remains free for progress. When
the session ends its Java process ends with it, and a temporary work folder is removed.

There is one session at a time in a process (a rule of PySpark).
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import EverystateError
from ..extras import require
from . import daemon, java, masters, shipping
from .environment import deferred_interrupt, environment, interrupts, work_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GIB = 1 << 30
PATIENCE = 20.0
"""Seconds that the Java process may take to end before it is killed."""
FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
"""Java only moves bytes here, for which its first compiler is enough; a level of a search takes 0.28 instead of 0.47
CPU seconds of the JVM, the start of a session 8 instead of 15."""


@dataclass(frozen=True)
class Settings:
    """The settings of a session.

    `master` None means embedded, on every processor, unless spark-submit has set one. `work` is a local folder for
    Spark's log and scratch files (by default a temporary one), `memory` the heap of the embedded JVM in bytes, `conf`
    any further Spark settings, which override ours.
    """

    master: str | None = None
    app: str = "everystate"
    ui: bool = False
    memory: int | None = None
    work: Path | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


Tell = Callable[[str], object]
"""Gets progress in a few words, for a progress line."""


@contextlib.contextmanager
def session(settings: Settings | None = None, notify: Tell = lambda text: None) -> Iterator[SparkSession]:
    """A session that ends with the block; E510 or E603 to E605 when there can be none."""
    wanted = settings or Settings()
    require("--engine spark", "pyspark")
    _only_one(wanted.master)
    if submitted():
        with _submitted(wanted) as spark:
            yield spark
        return
    master: str = wanted.master or masters.embedded()
    masters.check(master)
    found = java.find()
    notify(f"starting Spark {'embedded' if masters.local(master) else 'on ' + master}, {found}")
    with interrupts(), work_folder(wanted.work) as work, environment(java.home_for_spark(found, work), master):
        spark = _start(wanted, master, work)
        try:
            with _failures():
                yield spark
        finally:
            _stop(spark)


def _only_one(master: str | None) -> None:
    from pyspark import SparkContext

    if SparkContext._active_spark_context is not None:
        raise EverystateError(
            "E604", None, master=master or "this machine", reason="this process has a session already"
        )


def submitted() -> bool:
    """Whether spark-submit has started this process, and with it the Java that it is to use."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def embedded(spark: SparkSession) -> bool:
    """Whether the executors live in the process of the driver, and see its files and packages."""
    return masters.local(str(spark.sparkContext.master))


def cores(spark: SparkSession) -> int:
    """How many tasks can run at the same time, as far as Spark knows now."""
    return int(spark.sparkContext.defaultParallelism)


# -- start and end -----------------------------------------------------------------------------------------


def _start(wanted: Settings, master: str, work: Path) -> SparkSession:
    """Launch the JVM with its output in the log, then the session; E603 or E604 with the last words of the log."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False)
    for name, value in {**_conf(wanted, master, work), **wanted.conf}.items():
        conf.set(name, value)
    log, launch = work / "spark.log", cast("Callable[..., Any]", launch_gateway)
    gateway = None
    try:
        with log.open("ab") as file, deferred_interrupt():
            gateway = launch(conf, {"stdout": file, "stderr": file})
    except (PySparkRuntimeError, OSError) as error:
        raise EverystateError("E603", None, log=_last_words(log, error)) from None
    except (KeyboardInterrupt, SystemExit):
        _end_java(gateway)
        raise
    try:
        context = SparkContext(gateway=gateway, conf=conf)
        spark = SparkSession(context)
    except (KeyboardInterrupt, SystemExit):
        _end_java(gateway)
        raise
    except Exception as error:
        _end_java(gateway)
        raise EverystateError("E604", None, master=master, reason=masters.reason(error, log)) from None
    return spark


@contextlib.contextmanager
def _submitted(wanted: Settings) -> Iterator[SparkSession]:
    """The session of spark-submit, which has chosen the master, the Java and the place of the log."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(wanted.app)
    if wanted.master:
        builder = builder.master(wanted.master)
    with work_folder(wanted.work) as work:
        for name, value in {**_always(), **shipping.conf(work), **wanted.conf}.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        try:
            with _failures():
                yield spark
        finally:
            spark.stop()


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """Convert Spark's exceptions to E607 while its Java can still be queried. Py4J also raises where it fails while it
    handles Ctrl-C."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise EverystateError("E607", None, reason=reason_of(error)) from None


def reason_of(error: Exception) -> str:
    """The reason of a failure, in one line: of a failed task its own error, of an exception in Python its last line."""
    text = words(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not re.match(r"at |\.\.\. \d+ more|Driver stacktrace", line)] or [text]
    recent = next((line.partition("most recent failure: ")[2] for line in lines if "most recent failure: " in line), "")
    python = next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Interrupt): ", line)), "")
    return (python or recent or lines[0])[:300]


def words(error: Exception) -> str:
    """The whole text of an exception. Py4J queries Java for the text of its exceptions, and fails after Java's end."""
    try:
        return str(error)
    except Exception:
        return f"{getattr(error, 'errmsg', type(error).__name__)}: Spark's Java process has ended"


def _stop(spark: SparkSession) -> None:
    """End the session and its Java, whatever state it is in."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    with contextlib.suppress(Exception):
        spark.stop()
    _end_java(gateway)


def _end_java(gateway: Any) -> None:
    """End the JVM that we launched by closing its standard input; reset PySpark, so that another can start."""
    from pyspark import SparkContext

    SparkContext._gateway = SparkContext._jvm = None
    if gateway is None:
        return
    with contextlib.suppress(Exception):
        gateway.shutdown()
    process = gateway.proc
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_words(log: Path, error: Exception) -> str:
    lines = log.read_text("utf-8", "replace").split("\n") if log.exists() else []
    words = [line.strip() for line in lines if line.strip() and not line.strip().startswith("at ")]
    words = [line for line in words if re.search("error|exception", line, re.IGNORECASE)] or words
    return "\n".join(f"      {line[:200]}" for line in words[-6:]) or f"      {error}"


# -- settings and processes ------------------------------------------------------------------------------------


def _always() -> dict[str, str]:
    """Settings that hold wherever the session runs."""
    return {
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.python.worker.reuse": "true",
        "spark.ui.showConsoleProgress": "false",
    }


def _conf(wanted: Settings, master: str, work: Path) -> dict[str, str]:
    found = {
        **_always(),
        "spark.master": master,
        "spark.app.name": wanted.app,
        "spark.driver.extraJavaOptions": FIRST_COMPILER,
        "spark.ui.enabled": str(wanted.ui).lower(),
        "spark.local.dir": str(work / "scratch"),
        "spark.sql.warehouse.dir": (work / "warehouse").absolute().as_uri(),
    }
    if masters.local(master):
        found["spark.driver.memory"] = f"{(wanted.memory or _heap()) >> 20}m"
        found["spark.driver.host"] = found["spark.driver.bindAddress"] = "127.0.0.1"
        found["spark.python.daemon.module"] = daemon.__name__
        return found
    if wanted.memory:
        found["spark.driver.memory"] = f"{wanted.memory >> 20}m"
    return found | shipping.conf(work)


def _heap() -> int:
    """A quarter of the memory, 1 to 8 GiB: the rest is for the Python workers, where the states are."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 4 * GIB
    return max(GIB, min(8 * GIB, total // 4))
