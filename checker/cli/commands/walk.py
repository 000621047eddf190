"""everystate walk: seeded random walks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from ...engines.observer import Observer
from ...engines.sampling.sample import WalkSettings
from ...engines.sampling.walk import Batch, walk
from ...engines.stopwatch import Stopwatch
from ...language.spec import Spec
from ...results.result import Result
from ..options import colour_option, constant_option, constants, processors, report_options, target_argument
from ..progress import watcher
from ..reporting import ReportOptions, report_result
from ..searching import compiled
from ..spark import master_option, on_spark, opened
from ..targets import resolve


@click.command(
    epilog="""\b
Example:
  everystate walk idem-producer -c max_in_flight=6 --walks 2000 --steps 80 --seed 7

The same seed gives the same walks. Walks without a violation prove nothing; `everystate check` does."""
)
@target_argument
@constant_option
@click.option("--walks", type=click.IntRange(min=1), default=100, show_default=True, help="Number of walks.")
@click.option("--steps", type=click.IntRange(min=1), default=100, show_default=True, help="Steps of a walk, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all walks.")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="This process, or a Spark cluster. The result is the same.",
)
@click.option("--workers", type=click.IntRange(1, 256), help="Threads; by default one for each processor.")
@master_option
@click.option(
    "--partitions",
    type=click.IntRange(1, 65_536),
    metavar="N",
    help="With --engine spark: number of tasks; by default two for each core.",
)
@click.option("--no-deadlock", is_flag=True, help="Accept states without successors.")
@report_options
@click.option("--coverage", is_flag=True, help="Print how often each action was taken.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(target: str, constant: tuple[str, ...], walks: int, steps: int, seed: int, **given: Any) -> int:
    """Check random walks through TARGET: a sample of a large state space."""
    stopwatch = Stopwatch(click.get_current_context().obj)
    spark = on_spark(given, ("master", "partitions"))
    wishes = ReportOptions.of(given)
    wishes.check()
    found = resolve(target)
    spec = found.spec(constants(found, constant))
    wishes.check_trace(spec)
    observer = watcher(wishes.quiet, walking=True)
    try:
        if spark:
            course = WalkSettings(steps, seed, not given["no_deadlock"])
            batch = Batch(course, walks, found.name, given["cross_check"], stopwatch)
            result = _walk_on_spark(spec, batch, observer, given)
        else:
            more = {"deadlock": not given["no_deadlock"], "cross_check": given["cross_check"], "stopwatch": stopwatch}
            more["workers"] = given["workers"] or processors()
            with compiled():
                result = walk(spec, walks, steps, seed, observer, found.name, **more)
    finally:
        observer.finish()
    return report_result(replace(result, times=stopwatch.times), wishes)


def _walk_on_spark(spec: Spec, batch: Batch, observer: Observer, given: dict[str, Any]) -> Result:
    from ...engines.sampling.walk_spark import WalkDistribution, walk
    from ..sweeps import load

    with ExitStack() as after:
        with batch.stopwatch.measuring("starting Spark"):
            spark = after.enter_context(opened(given, f"everystate walk {batch.target}"))
        return walk(spec, batch, WalkDistribution(spark, load, given["partitions"]), observer)
