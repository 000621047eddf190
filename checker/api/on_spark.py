"""The search on a Spark cluster, which is not started before a level is worth it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..extras import require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..engines.limits import Limits
    from ..engines.observer import Observer
    from ..ir.traced import Model
    from ..results.result import Result

CONF = {"spark.scheduler.minRegisteredResourcesRatio": "0.8"}
"""A cluster should be there before the partitions are given their places."""


@dataclass(frozen=True)
class Cluster:
    """What a search on Spark may be asked for; without a `master` it is this machine, with so many `workers`.

    Levels of fewer than `ship` states stay in this process. `work` keeps complete levels, to `resume` from.
    """

    master: str | None = None
    workers: int | None = None
    partitions: int | None = None
    ship: int | None = None
    work: str | None = None
    resume: bool = False


def installed() -> None:
    """E510 where a package of the extra is missing: before a spec is traced for nothing."""
    require("--engine spark", "pyspark", "pyarrow")


def search(
    model: Model,
    limits: Limits,
    observer: Observer,
    name: str,
    cluster: Cluster,
    notify: Callable[[str], object] = lambda text: None,
) -> tuple[Result, bool]:
    """What was found, and whether any level went to the cluster."""
    installed()
    from ..engines import distributed

    plan = distributed.Plan(
        session=lambda: _session(cluster, name, notify),
        partitions=cluster.partitions,
        work=cluster.work,
        resume=cluster.resume,
        ship=cluster.ship or distributed.SHIP,
    )
    result, shipped = distributed.check(model, limits, plan, observer, name)
    return replace(result, times=limits.stopwatch.times), shipped


def _session(cluster: Cluster, name: str, notify: Callable[[str], object]) -> AbstractContextManager[SparkSession]:
    from ..spark.masters import embedded
    from ..spark.session import Settings, session

    master = embedded(cluster.workers) if cluster.workers else cluster.master
    ui = cluster.master is not None
    return session(Settings(master, f"everystate check {name}", conf=CONF, ui=ui), notify)
