"""everystate check --engine spark: the exhaustive search on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..output import note
from ..progress import Lines, Live, Watcher, watcher
from ..spark import master_option, on_spark

if TYPE_CHECKING:
    from ...engines.limits import Limits
    from ...engines.observer import Observer, Progress
    from ...language.spec import Spec
    from ...results.result import Result

OPTIONS = ("master", "partitions", "ship")

F = TypeVar("F", bound=Callable[..., Any])


def spark_options(function: F) -> F:
    """The options of a search on Spark."""
    for option in (
        click.option("--resume", is_flag=True, help="Resume the run in the folder of --work."),
        click.option(
            "--work",
            metavar="DIR",
            help="Store complete levels here, for --resume; with Spark on any file system of Hadoop.",
        ),
        click.option(
            "--ship",
            type=click.IntRange(min=1),
            metavar="N",
            help="With --engine spark: send levels of N or more states to the cluster; by default 100,000.",
        ),
        click.option(
            "--partitions",
            type=click.IntRange(1, 65_536),
            metavar="N",
            help="With --engine spark: parts of the state space; by default one for each core.",
        ),
        master_option,
    ):
        function = option(function)
    return function


def asked(given: dict[str, Any]) -> bool:
    """Whether Spark is asked for; a usage error when options are given that do not go with it, or without it."""
    distribute = on_spark(given, OPTIONS)
    if given["resume"] and not given["work"]:
        raise click.UsageError("--resume goes with --work DIR: the levels are there")
    if given["work"] and given["engine"] not in ("native", "spark"):
        raise click.UsageError("--work goes with --engine native or spark")
    return distribute


def run(spec: Spec, given: dict[str, Any], limits: Limits, observer: Observer, name: str) -> Result:
    """Search on Spark; says so if no level was worth it."""
    from ...api import on_spark

    on_spark.installed()
    from ...engines import distributed
    from ...engines.observer import counted
    from ...frontend.kept import traced

    names = ("master", "workers", "partitions", "ship", "work", "resume")
    cluster, quiet = on_spark.Cluster(**{each: given[each] for each in names}), given["quiet"]
    with limits.stopwatch.measuring("tracing"):
        model = traced(spec, counted(observer, "tracing"))
    notify = _silent if quiet else _starting
    result, shipped = on_spark.search(model, limits, observer, name, cluster, notify)
    if not shipped and not quiet:
        least = given["ship"] or distributed.SHIP
        note(f"Spark was not used: no level reached {least:,} states (--ship).")
    if result.stopped and shipped and given["work"] and not quiet:
        note(f"complete levels are stored in {given['work']}; to resume, add --resume to the command")
    return result


def _starting(text: str) -> None:
    note(f"{text} ...")


def _silent(text: str) -> None:
    pass


class EveryLevel(Lines):
    """A plain line for every level: on a cluster one takes a while."""

    def level(self, progress: Progress) -> None:
        self._cancel()
        self._say(self.progress_text(progress))


def level_watcher(quiet: bool) -> Watcher:
    """The observer of a search on Spark."""
    found = watcher(quiet)
    return found if quiet or isinstance(found, Live) else EveryLevel()
