"""everystate check: the exhaustive search."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...engines.stopwatch import Stopwatch
from ...errors import EverystateError
from ..options import (
    bounds,
    bounds_option,
    colour_option,
    constant_option,
    constants,
    processors,
    report_options,
    size,
    target_argument,
)
from ..output import note, read_text
from ..progress import watcher
from ..reporting import ReportOptions, report_result
from ..targets import check_counts, resolve
from .check_spark import asked, level_watcher, run, spark_options

if TYPE_CHECKING:
    from ...engines.limits import Limits
    from ...language.spec import Spec
    from ...results.result import Result


ONLY_NATIVE = ("compress", "spill", "work", "master")
"""Options for machine code alone: with one of them there is no answer from plain Python."""


@click.command(
    epilog="""\b
Examples:
  everystate check idem-producer
  everystate check idem-producer -c max_in_flight=6 --out traces
  everystate check path/to/spec.py:MySpec --max-states 1000000 --json report.json

TARGET is a name from `everystate list`, path/to/file.py, path/to/file.py:Class, package.module:Class, or a TLA+ module
with its configuration, Spec.tla or Spec.tla:MC.cfg. The verdict is
printed last; the exit code is the verdict for scripts."""
)
@target_argument
@constant_option
@bounds_option
@click.option("--config", default="", metavar="FILE", help="The configuration of a TLA+ module; by default Spec.cfg.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "native", "python", "spark", "z3"]),
    default="auto",
    show_default=True,
    help="Machine code (native), plain Python (slow), machine code on a Spark cluster, or z3 (bounded by --depth). "
    "`auto` is native, and python with a warning where the spec cannot be compiled.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="K",
    help="With --engine z3: maximal number of steps.",
)
@click.option("--workers", type=click.IntRange(1, 256), help="Threads; by default one for each processor.")
@spark_options
@click.option("--max-states", type=click.IntRange(min=1), help="Stop after this number of distinct states.")
@click.option("--max-memory", metavar="SIZE", help="Stop at this size of the state store, for example 8G.")
@click.option(
    "--compress",
    is_flag=True,
    help="Compress stored states to a third or less; by default only when memory runs short.",
)
@click.option(
    "--spill", metavar="DIR", help="If memory runs out, continue with the states in files here (slower, exact)."
)
@click.option("--no-deadlock", is_flag=True, help="Accept states without successors.")
@click.option("--stop-early", is_flag=True, help="Stop at the level of the first violation.")
@report_options
@click.option("--coverage", is_flag=True, help="Print how often each action was enabled and taken.")
@click.option("--replay", metavar="PATH", help="Replay one path, as printed by `everystate show TRACE --as path`.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(target: str, constant: tuple[str, ...], engine: str, workers: int | None, **given: Any) -> int:
    """Visit every reachable state of TARGET: prove its properties, or print shortest counterexamples."""
    stopwatch = Stopwatch(click.get_current_context().obj)
    wishes = ReportOptions.of(given)
    budget = size(given["max_memory"]) if given["max_memory"] else None
    wishes.check()
    target = f"{target}:{given['config']}" if given["config"] else target
    found = resolve(target, bounds(given["bound"]))
    spec = found.spec(constants(found, constant))
    wishes.check_trace(spec)
    if given["replay"] is not None:
        return report_result(_replay(spec, given["replay"], found.name), wishes)
    if engine == "auto" and any(given[name] for name in ONLY_NATIVE):
        engine = "native"
    if given["compress"] and (engine != "native" or given["master"]):
        raise click.UsageError("--compress goes with --engine native")
    from ...api.engines import search
    from ...results.verdict import Verdict

    gc.freeze()  # what is loaded stays; to look through it for garbage takes half as long as to trace a spec
    distribute = asked({**given, "engine": engine, "workers": workers})
    if given["spill"] and (distribute or engine != "native"):
        raise click.UsageError("--spill is for --engine native, in one process")
    observer = level_watcher(wishes.quiet) if distribute else watcher(wishes.quiet)
    limits = replace(_limits(workers, budget, given), stopwatch=stopwatch)

    def searched(spec: Spec) -> Result:
        if distribute:
            return run(spec, {**given, "workers": workers}, limits, observer, found.name)
        own = replace(limits, work=given["work"], resume=given["resume"], spill=given["spill"])
        return search(spec, engine, own, observer, found.name, given["depth"])

    try:
        while True:
            try:
                result = searched(spec)
                break
            except EverystateError as error:
                wider = found.wider() if error.code == "E464" else None
                if wider is None:
                    raise
                note(f"note: {error.facts['problem']}: larger bounds are guessed for {error.facts['names']}")
                found, spec = wider, wider.spec(constants(found, constant))
    finally:
        observer.finish()
    if result.verdict is Verdict.PROVED:
        check_counts(spec, found.name, result.distinct, result.generated)
    return report_result(result, wishes)


def _limits(workers: int | None, budget: int | None, given: dict[str, Any]) -> Limits:
    from ...engines.limits import Limits

    return Limits(
        workers=workers or processors(),
        max_states=given["max_states"],
        max_memory=budget,
        deadlock=not given["no_deadlock"],
        stop_early=given["stop_early"],
        cross_check=given["cross_check"],
        compress=given["compress"],
    )


def _replay(spec: Spec, path: str, name: str) -> Result:
    """The end of one path; PATH is its text, or a file that holds it."""
    from everystate import counterexamples

    text = read_text(path) if os.path.isfile(path) else path
    try:
        return counterexamples.follow(spec, counterexamples.read_path(text), name)
    except counterexamples.NoPath as error:
        raise click.BadParameter(str(error), param_hint="--replay") from None
