"""everystate conform: compare the Kafka model with Kafka's own classes, step by step."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ...checker.cli.options import BoundedNumber, TargetType, colour_option, constant_option, constants, spec_option
from ...checker.cli.output import draw, note, on_terminal, painter, read_text, require_file, say, width, write_text
from ...checker.cli.searching import cut, memory_option, search
from ...checker.cli.sweeps import SPEAK, load
from ...checker.cli.targets import Target, known, resolve
from ...checker.cli.traces import constants_of
from ...checker.errors import EverystateError, suggestion
from ...checker.results.itf import parse
from ...checker.results.text import wrapped
from ..conformance import difference_text
from ..conformance.behaviour import Behaviour, of_violations
from ..conformance.cover import cover
from ..conformance.difference_text import REPRODUCED, RULES, agreed_text, met, summary
from ..conformance.harness import NEWEST, RELEASES, Planner, Subject, classes_of, hold
from ..conformance.jars import choose
from ..conformance.jobs import Job, Plan, Progress
from ..conformance.page import page
from ..conformance.report import Report, as_json, together
from ..conformance.trace import behaviours
from ..conformance.versions import PINNED, Kafka
from ..conformance.walks import WalkShape

MODEL = "everystate.model.kafka:KafkaProducer"
FAMILIES = {
    "environments": ("everystate.specs.kafka.environments", MODEL),
    "three-replica-environments": ("everystate.specs.replication.environments", MODEL),
    "drain-environments": ("everystate.specs.drain.environments", "everystate.model.drain:Drain"),
    "txn-environments": (
        "everystate.specs.transactions.environments",
        "everystate.model.transactions:KafkaTransactions",
    ),
}
"""Test environments for walks: where they are, and the model that they are constants of."""


@click.command(
    epilog="""\b
Examples:
  everystate conform current/clean-restart
  everystate conform environments --walks 1000 --seed 7
  everystate conform environments/storage --walks 200 --kafka 4.1.2,4.3.1 --html conform.html
  everystate conform current/cold-start-refused --cover 2000
  everystate conform txn-4.3/two-faults-of-every-kind --walks 20 --with coordinator
  everystate conform traces/current-clean-restart-NoDuplicate.itf.json

Drives Kafka's own classes (producer, network client, log, transaction coordinator) beside the model, through the
counterexamples of TARGET, random walks (--walks) or every step of a graph (--cover). After every step it compares
requests, answers, logs, the memory of each replica, the state of the producer, results, and what the producer would do
next. The last line names the classes that agree, and the parts that the model simulates; see
docs/how-to/conformance.md.

An older release has an older protocol version of clients. A target of the current version is then checked with that of
the release, and the report says so; -c generation=NAME chooses another.

\b
Exit codes: 0 they agree, 12 they differ, 3 not judged (a target cannot be driven on this release, or nothing
was driven), 2 usage, 69 no Java or no JPype, 130 interrupted, 255 wrong jars."""
)
@click.argument("targets", nargs=-1, required=True, type=TargetType(), metavar="TARGET...")
@constant_option
@click.option(
    "--kafka", "versions", metavar="VERSIONS", help="Releases, comma-separated, or `all`; by default the newest."
)
@click.option(
    "--with",
    "beside",
    type=click.Choice(["producers", "coordinator"]),
    help="Drive one part of Kafka; by default all that can be driven.",
)
@click.option("--jars", metavar="DIR", type=click.Path(path_type=Path), help="Take the jars from a folder of yours.")
@click.option("--walks", type=click.IntRange(min=0), default=0, help="Random walks, divided among the targets.")
@click.option("--steps", type=click.IntRange(min=1), default=60, show_default=True, help="Steps of a walk, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all walks.")
@click.option(
    "--faults", type=BoundedNumber(0, 1), default=0.15, show_default=True, help="Probability of a fault in a step."
)
@click.option(
    "--aim",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Walks prefer steps whose rules were met fewer than N times; 0: at random.",
)
@click.option("--cover", type=click.IntRange(min=1), metavar="STATES", help="Drive every step of graphs of this size.")
@click.option("--traces", is_flag=True, help="Drive the counterexamples, too (default without --walks, --cover).")
@memory_option
@click.option("--no-shrink", is_flag=True, help="Do not shorten differences.")
@click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as one page.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line of each release only.")
@spec_option
@colour_option
def command(targets: tuple[str, ...], constant: tuple[str, ...], **given: Any) -> int:
    """Compare the Kafka model with Kafka's own classes, in the traces of each TARGET.

    TARGET is a scenario of a Kafka model, a trace file of one (from `check --out`), or test environments for random
    walks: `environments`, `three-replica-environments`, `drain-environments`, `txn-environments`, or one of them
    (environments/NAME). The model of transactions is compared twice: with Kafka's producers, and with its coordinator
    and the leaders' logs. The report names the classes that are Kafka's.
    """
    for file in (given["html"], given["json"]):
        if file is not None and str(file) != "-":
            require_file(Path(file))
    planner = Planner(list(_subjects(targets, constant, given)))
    releases = [choose(version, given["jars"], RELEASES) for version in _versions(given["versions"])]
    reports: list[Report] = []
    for kafka in releases:
        plans, report = planner.plans(kafka)
        reports.append(_held_against(kafka, plans, report, given))
        _report(reports[-1], given)
        if reports[-1].interrupted:
            break
    _write(reports, given)
    return together(reports)


# -- what is driven ----------------------------------------------------------------------------------------


def _subjects(targets: Sequence[str], constant: tuple[str, ...], given: dict[str, Any]) -> Iterator[Subject]:
    """What is driven of each target: a trace, or a cover, its counterexamples, and its share of the walks."""
    for text in targets:
        if text.endswith(".json"):
            yield _of_file(text, constant, given)
    named = [text for text in targets if not text.endswith(".json")]
    found = [(target, text in FAMILIES) for text in named for target in _targets(text)]
    for at, (target, of_many) in enumerate(found):
        yield Subject(
            target.name,
            FAMILIES[_family(target)][1] if _family(target) else target.name,
            target.spec,
            partial(_behaviours, target, given),
            constants(target, constant),
            range(at, given["walks"], len(found)),
            given["beside"] or "",
            of_many,
        )


def _of_file(path: str, constant: tuple[str, ...], options: dict[str, Any]) -> Subject:
    """The trace of a file; its constants are those of the file, but for what the user gives."""
    document, spec, beside = parse(read_text(path), path), options["spec"], options["beside"]
    name = document.target
    target = resolve(spec or name) if spec or name == MODEL else known(name)
    written = constants_of(document, target)
    given = constants(target, constant)
    return Subject(
        Path(path).name,
        spec or name,
        lambda chosen: target.spec({**written, **chosen}),
        partial(behaviours, document.trace(target.spec(written)), target.spec(written)),
        given,
        beside=beside or "",
    )


def _targets(text: str) -> Iterator[Target]:
    """The targets that a string names: one, or every test environment."""
    family, _, name = text.partition("/")
    if family not in FAMILIES:
        yield resolve(text)
        return
    place, model = FAMILIES[family]
    known: dict[str, dict[str, Any]] = importlib.import_module(place).ENVIRONMENTS
    if name and name not in known:
        raise EverystateError("E101", None, target=text, suggestion=suggestion(name, list(known)))
    for environment in [name] if name else known:
        yield Target(f"{family}/{environment}", resolve(model).cls, dict(known[environment]))


def _family(target: Target) -> str:
    """The family of test environments that a target belongs to; empty if none."""
    family = target.name.partition("/")[0]
    return family if family in FAMILIES else ""


def _versions(text: str | None) -> list[str | None]:
    """The releases that are asked for; None is the newest."""
    if text == "all":
        return list(PINNED)
    return [None if name == NEWEST else name for name in text.split(",")] if text else [None]


def _behaviours(target: Target, given: dict[str, Any], spec: Any) -> tuple[list[Behaviour], str]:
    """What is driven of a spec, and why where there is nothing."""
    environment = bool(_family(target))
    found = cover(spec, given["cover"]) if given["cover"] else []
    if given["traces"] or not (environment or given["cover"] or given["walks"]):
        result = search(spec, target.name, given)
        traces, why = of_violations(spec, result.violations)
        return found + traces, "; ".join(each for each in (why, cut(result)) if each)
    return (
        found,
        "" if found else "a test environment needs --walks N" if environment else "it gets none of the --walks",
    )


def _held_against(kafka: Kafka, plans: Sequence[Plan], report: Report, given: dict[str, Any]) -> Report:
    if not plans:
        return report
    kafka, paths = classes_of(kafka, plans, given["jars"], note)
    course = WalkShape(given["steps"], given["seed"], given["faults"], given["aim"])
    teller = Teller(given["quiet"])
    try:
        return hold(
            kafka, paths, Job(kafka.version, tuple(plans), load, course, not given["no_shrink"]), report, teller
        )
    finally:
        teller.finish()


# -- what is told ------------------------------------------------------------------------------------------


class Teller:
    """Progress on standard error: one live line on a terminal, a plain line now and then elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.live, self.spoken = quiet, on_terminal() and not quiet, time.monotonic()

    def __call__(self, progress: Progress) -> None:
        differ = f", {progress.differing} differ" if progress.differing else ""
        line = f"{progress.done:,} of {progress.total:,} traces, {progress.steps:,} steps{differ}"
        if self.live:
            draw(line)
        elif not self.quiet and time.monotonic() - self.spoken >= SPEAK:
            self.spoken = time.monotonic()
            note(line)

    def finish(self) -> None:
        """The line goes."""
        if self.live:
            draw("")


def _report(report: Report, given: dict[str, Any]) -> None:
    *account, verdict = summary(report)
    paint = painter(given["color"])
    role = {0: "PROVED", 12: "VIOLATED"}.get(report.exit_code, "UNDECIDED")
    if given["json"] == "-":
        return
    if not given["quiet"]:
        for found in report.found:
            say(difference_text.text(found, report.version) + "\n")
        for line in report.shown:
            agreed = report.agreed.get(line)
            named = f"{REPRODUCED} {report.version}: {line}"
            say(f"{agreed_text(named, agreed, report.version)}\n" if agreed else named)
        for line in account:
            _say_wrapped(line, "  ")
        if report.rules:
            _say_wrapped(f"{RULES} (`everystate rules ID` prints one in full):", "  ")
        wide = max(map(len, report.rules), default=0)
        for rule, number, says in met(report):
            _say_wrapped(f"  {rule:<{wide}} {number:>5,}  {says}", " " * (wide + 10))
    say(verdict.replace(report.verdict, paint(role, report.verdict), 1))


def _say_wrapped(text: str, indent: str) -> None:
    for line in wrapped(text, width(), indent=indent):
        say(line)


def _write(reports: list[Report], given: dict[str, Any]) -> None:
    if given["html"]:
        write_text(given["html"], page(reports))
    if given["json"]:
        text = json.dumps([as_json(report) for report in reports], indent=2)
        if given["json"] == "-":
            say(text, whole=True)
        else:
            write_text(Path(given["json"]), text + "\n")
