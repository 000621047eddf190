"""everystate conform: the Kafka model held against Kafka's own classes, step by step."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import EverystateError
from ..extras import require
from .options import TargetType, colour_option, constant_option, constants
from .output import note, painter, require_file, say, write_text
from .parallel import SPEAK, load
from .progress import watcher
from .targets import Target, resolve

if TYPE_CHECKING:
    from everystate.model.conformance.behaviour import Behaviour
    from everystate.model.conformance.report import Report
    from everystate.model.conformance.versions import Kafka
    from everystate.model.conformance.work import Plan, Progress

    from ..language.spec import Spec

WORLDS = "worlds"
MODEL = "everystate.model.kafka:KafkaProducer"


@click.command(
    epilog="""\b
Examples:
  everystate conform current/clean-restart
  everystate conform worlds --walks 1000 --seed 7
  everystate conform worlds/storage --walks 200 --kafka 4.1.2,4.3.1 --html conform.html
  everystate conform current/cold-start-refused --cover 2000

Drives Kafka's own classes (producer, network client, log) next to the model: through the counterexamples of TARGET, or
through what --walks and --cover ask for. After every step requests, answers, logs, what each replica remembers, the
state of the producer, results, and what the producer would do next are compared; docs/conformance.md tells it.

\b
Exit codes: 0 they agree, 12 they differ, 3 not judged (a target cannot be driven on this release, or nothing
was driven), 2 usage, 130 interrupted, 150 no Java or no jars."""
)
@click.argument("targets", nargs=-1, required=True, type=TargetType(), metavar="TARGET...")
@constant_option
@click.option("--kafka", "versions", metavar="VERSIONS", help="Releases, by commas, or `all`; by default the newest.")
@click.option("--jars", metavar="DIR", type=click.Path(path_type=Path), help="Take the jars from a folder of yours.")
@click.option("--walks", type=click.IntRange(min=0), default=0, help="Random walks, shared among the targets.")
@click.option("--steps", type=click.IntRange(min=1), default=60, show_default=True, help="Steps of a walk, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all walks.")
@click.option("--faults", type=click.FloatRange(0, 1), default=0.15, show_default=True, help="How often one is tried.")
@click.option("--cover", type=click.IntRange(min=1), metavar="STATES", help="Every step of a graph that is no larger.")
@click.option("--traces", is_flag=True, help="The counterexamples too, which are the default without these.")
@click.option("--no-shrink", is_flag=True, help="Tell a difference as it was met.")
@click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as one page.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line of each release only.")
@colour_option
def command(targets: tuple[str, ...], constant: tuple[str, ...], **given: Any) -> int:
    """Hold the Kafka model against Kafka's own classes, in the behaviours of each TARGET.

    TARGET is a scenario of the Kafka model, or `worlds` or worlds/NAME: the worlds for random walks.
    """
    from everystate.model.conformance.drivable import obstacles
    from everystate.model.conformance.jars import choose
    from everystate.model.conformance.page import page
    from everystate.model.conformance.report import as_json, together

    for file in (given["html"], given["json"]):
        if file is not None and str(file) != "-":
            require_file(Path(file))
    found = [target for text in targets for target in _targets(text)]
    specs = [target.spec(constants(target.cls, constant)) for target in found]
    releases = [choose(version, given["jars"]) for version in _versions(given["versions"])]
    reasons = [{t.name: list(obstacles(s, kafka)) for t, s in zip(found, specs, strict=True)} for kafka in releases]
    drivable = [t.name for t in found if any(not why[t.name] for why in reasons)]
    if drivable:
        require("everystate conform", "jpype")
    plans = _plans([(t, s) for t, s in zip(found, specs, strict=True) if t.name in drivable], given)
    reports = []
    for kafka, why in zip(releases, reasons, strict=True):
        reports.append(_held_against(kafka, [plan for plan in plans if not why[plan.target]], given))
        reports[-1].obstacles = {name: told for name, told in why.items() if told}
        _tell(reports[-1], given)
        if reports[-1].interrupted:
            break
    if given["html"]:
        write_text(given["html"], page(reports))
    if given["json"]:
        text = json.dumps([as_json(report) for report in reports], indent=2)
        if given["json"] == "-":
            say(text)
        else:
            write_text(Path(given["json"]), text + "\n")
    return together(reports)


# -- what is driven ----------------------------------------------------------------------------------------


def _targets(text: str) -> Iterator[Target]:
    """The targets of a text: one, or every world."""
    from everystate.specs.kafka.worlds import WORLDS as known

    family, _, name = text.partition("/")
    if family != WORLDS:
        yield resolve(text)
        return
    if name and name not in known:
        from ..errors import suggestion

        raise EverystateError("E101", None, target=text, suggestion=suggestion(name, list(known)))
    for world in [name] if name else known:
        yield Target(f"{WORLDS}/{world}", resolve(MODEL).cls, dict(known[world]))


def _versions(text: str | None) -> list[str | None]:
    """The releases that are asked for; None is the newest."""
    if text == "all":
        from everystate.model.conformance.versions import PINNED

        return list(PINNED)
    return list(text.split(",")) if text else [None]


def _held_against(kafka: Kafka, plans: Sequence[Plan], given: dict[str, Any]) -> Report:
    from everystate.model.conformance.jars import provide
    from everystate.model.conformance.process import run
    from everystate.model.conformance.report import Report
    from everystate.model.conformance.walks import Course
    from everystate.model.conformance.work import Job, work

    if not plans:
        return Report(kafka.version)
    kafka, paths = provide(kafka.version, given["jars"], note)
    course = Course(given["steps"], given["seed"], given["faults"])
    job = Job(kafka.version, tuple(plans), load, course, shrinks=not given["no_shrink"])
    teller = Teller(given["quiet"])
    try:
        report: Report = run(kafka, paths, work, job, hear=teller)
    finally:
        teller.finish()
    return report


def _plans(driven: Sequence[tuple[Target, Spec]], given: dict[str, Any]) -> list[Plan]:
    """What is driven of each target: a cover, its counterexamples, and its share of the walks."""
    from everystate.model import KafkaProducer
    from everystate.model.conformance.cover import cover
    from everystate.model.conformance.work import Plan

    plans = []
    for at, (target, spec) in enumerate(driven):
        assert isinstance(spec, KafkaProducer)
        world = target.name.startswith(f"{WORLDS}/")
        behaviours = cover(spec, given["cover"]) if given["cover"] else []
        if given["traces"] or not (world or given["cover"] or given["walks"]):
            behaviours += _counterexamples(target, spec, given)
        walks = range(at, given["walks"], len(driven))
        plans.append(Plan(target.name, MODEL if world else target.name, spec.constants, tuple(behaviours), walks))
    return plans


def _counterexamples(target: Target, spec: Spec, given: dict[str, Any]) -> Iterator[Behaviour]:
    from everystate.model.conformance.behaviour import of_trace

    from ..engines import exhaustive
    from ..ir import model

    observer = watcher(given["quiet"])
    try:
        observer.phase("tracing")
        result = exhaustive.check(model.build(spec), observer=observer, target=target.name)
    finally:
        observer.finish()
    for violation in result.violations:
        if violation.trace is not None:
            yield of_trace(spec, violation.property, violation.trace)


# -- what is told ------------------------------------------------------------------------------------------


class Teller:
    """Progress on standard error: one live line on a terminal, a plain line now and then elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.live, self.spoken = quiet, sys.stderr.isatty() and not quiet, time.monotonic()

    def __call__(self, progress: Progress) -> None:
        differ = f", {progress.differing} differ" if progress.differing else ""
        line = f"{progress.done:,} of {progress.total:,} behaviours, {progress.steps:,} steps{differ}"
        if self.live:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        elif not self.quiet and time.monotonic() - self.spoken >= SPEAK:
            self.spoken = time.monotonic()
            note(line)

    def finish(self) -> None:
        """The line goes."""
        if self.live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _tell(report: Report, given: dict[str, Any]) -> None:
    from everystate.model.conformance.story import summary, text

    *account, verdict = summary(report)
    paint = painter(given["color"])
    role = {0: "PROVED", 12: "VIOLATED"}.get(report.exit_code, "UNDECIDED")
    if given["json"] == "-":
        return
    if not given["quiet"]:
        for found in report.found:
            say(text(found, report.version) + "\n")
        for line in report.shown:
            say(f"reproduced: {line}")
        for line in account:
            say(line)
    say(verdict.replace(report.verdict, paint(role, report.verdict), 1))
