"""What the commands with --engine spark share: their options, the session of a run, and sweeps on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import EverystateError
from .output import note

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..regression.runners.job import Job, Load
    from ..regression.runners.outcome import Outcome
    from ..regression.runners.runner import Begin, Ended
    from ..spark.session import Settings

F = TypeVar("F", bound=Callable[..., Any])


def master_option(function: F) -> F:
    """The option --master URL."""
    reason_of = "The Spark cluster for --engine spark: spark://HOST:PORT, yarn, k8s://URL; by default this machine."
    return click.option("--master", metavar="URL", help=reason_of)(function)


def engine_option(function: F) -> F:
    """The options of a command that makes many checks: --engine, --master, --parquet."""
    parquet = "With --engine spark, write a row for each check to this new folder, on any file system of Spark."
    for option in (
        click.option("--parquet", metavar="DIR", help=parquet),
        master_option,
        click.option(
            "--engine",
            type=click.Choice(["native", "spark"]),
            default="native",
            show_default=True,
            help="Processes of this machine, or a Spark cluster.",
        ),
    ):
        function = option(function)
    return function


def on_spark(given: dict[str, Any], only: Sequence[str] = ("master", "parquet")) -> bool:
    """Whether Spark is asked for; a usage error when options of Spark come without it."""
    if given["engine"] == "spark":
        if given.get("workers") and given["master"]:
            raise click.UsageError("--workers is for this machine; with --master the cluster decides")
        return True
    for name in only:
        if given.get(name) is not None:
            raise click.UsageError(f"--{name} goes with --engine spark")
    return False


def settings(given: dict[str, Any], app: str) -> Settings:
    """The settings of the session for a command line."""
    from ..spark.masters import embedded
    from ..spark.session import Settings

    workers = given.get("workers")
    return Settings(master=embedded(workers) if workers else given["master"], app=app)


def opened(given: dict[str, Any], app: str) -> AbstractContextManager[SparkSession]:
    """The session for a command line. It prints that it starts, which takes some seconds."""
    from ..spark.session import session

    return session(settings(given, app), lambda text: None if given["quiet"] else note(f"{text} ..."))


class Sweep:
    """A runner that opens a session for its checks, and writes their results as Parquet where that is wanted."""

    def __init__(self, load: Load, given: dict[str, Any]) -> None:
        self.load, self.given = load, given

    def outcomes(self, jobs: Sequence[Job], begin: Begin) -> Ended:
        """See `Runner`."""
        from ..regression.runners.spark import Cluster, frame

        place = self.given["parquet"]
        found: dict[int, Outcome] = {}
        with opened(self.given, f"everystate: {len(jobs):,} checks") as spark:
            if place:
                require_new(spark, place)
            for number, outcome in Cluster(spark, self.load).outcomes(jobs, begin):
                found[number] = outcome
                yield number, outcome
            if place:
                _keep(frame(spark, jobs, [found[number] for number in range(len(jobs))]), place)


def _keep(table: DataFrame, place: str) -> None:
    """Write the results; a failure is reported, and only the file is lost."""
    from ..spark.session import reason_of

    try:
        table.coalesce(1).write.parquet(place)
    except Exception as error:
        note(EverystateError("E606", None, place=place, reason=reason_of(error)).explain())


def require_new(spark: SparkSession, place: str) -> None:
    """Try whether a folder can be made by Spark, before the run; E606 when it exists or cannot be made."""
    from py4j.protocol import Py4JJavaError

    jvm: Any = spark.sparkContext._jvm
    try:
        path = jvm.org.apache.hadoop.fs.Path(place)
        system = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        reason = "it exists" if system.exists(path) else "" if system.mkdirs(path) else "it cannot be made"
        if not reason:
            system.delete(path, False)
    except Py4JJavaError as error:
        reason = str(error.java_exception.getMessage())
    if reason:
        raise EverystateError("E606", None, place=place, reason=reason)
