"""everystate assess: what the settings of a Kafka producer can do to its records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...checker.cli.options import colour_option
from ...checker.cli.output import append_step_summary, note, painter, read_text, require_file, say, write_text
from .. import assess
from ..assess import Assessment, Files, Settings, page, scope_of
from ..assess import pairs as together
from ..assess.html_page import html
from ..assess.reading import Part, Read, Unreadable, read
from ..assess.subjects import Versions, settled, subjects
from ..assess.values import version
from .assessment_reports import github_commands, junit, sarif_log, summary
from .assessments import Checks
from .cluster_settings import ask


@click.command(
    epilog="""\b
Examples:
  everystate assess producer.properties --topic topic.properties --kafka 4.1
  everystate assess producer.properties --replication-factor 3 --client 3.9 --kafka 4.1
  everystate assess producer.properties --require no-loss,order --under rolling-restart,leader-crash
  everystate assess application.yml kafka-topic.yaml docker-compose.yml

Reads properties, YAML, JSON, TOML, Terraform, environment files, the output of kafka-topics.sh --describe, and the
block "ProducerConfig values" of a log. docs/how-to/safe-settings.md lists the forms, and what the checks cover.

\b
Exit codes: 0 every required promise is kept, 12 one is broken, 3 one is not covered or undecided,
2 usage, a file that cannot be read, or Kafka refuses the configuration."""
)
@click.argument("paths", nargs=-1, metavar="FILE...")
@click.option("--topic", metavar="FILE", help="A file of the topic; replication.factor may be one of its settings.")
@click.option(
    "--bootstrap-server", metavar="HOST:PORT", help="Read topics and brokers from a cluster; --topic names one."
)
@click.option("--command-config", metavar="FILE", help="Options of kafka-python for that, such as security.protocol.")
@click.option("--broker", metavar="FILE", help="server.properties of the brokers, or another file of them.")
@click.option(
    "--prefix", metavar="TEXT", default="", help="What your program puts before Kafka's names, as in app.kafka."
)
@click.option("--replication-factor", type=click.IntRange(min=1), help="Replication factor of the topic.")
@click.option("--kafka", metavar="VERSION", help="Release of the brokers; 4.4 if the cluster is not asked.")
@click.option(
    "--client", metavar="VERSION", help="Release of the Java client, by default that of the brokers; or librdkafka."
)
@click.option("--require", metavar="PROMISE,...", help="Check these promises only.")
@click.option("--under", metavar="FAILURE,...", help="Check these failures only; A+B is two together.")
@click.option("--pairs", is_flag=True, help="Check every two of these failures together, too; takes minutes.")
@click.option("--show", metavar="FAILURE", help="Print the counterexamples of this failure; or `details`.")
@click.option("--no-repairs", is_flag=True, help="Do not search for better settings; saves half the time.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; by default one for each processor.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--sarif", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0.")
@click.option("--github", is_flag=True, help="Print annotations, and write the step summary of GitHub Actions.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@colour_option
def command(paths: tuple[str, ...], show: str | None, **given: Any) -> int:
    """Assess which promises a Kafka producer keeps under which failures, with its settings and releases.

    A FILE has settings of producers, topics or brokers. Every cell of the table is a complete check of the Kafka model
    within small bounds.
    """
    failures = _names(given["under"], "--under", assess.FAILURES)
    promises = _names(given["require"], "--require", assess.PROMISES)
    _names(show, "--show", [*assess.FAILURES, *failures, page.DETAILS])
    subjects = _subjects(paths, given)
    for name in ("html", "junit", "sarif"):
        if given[name]:
            require_file(given[name])
    found = []
    with Checks(given["workers"], given["quiet"]) as make:
        for files, settings in subjects:
            found.append(_assessed(files, settings, _asked(settings, failures, given["pairs"]), promises, given, make))
    path = paths[0] if paths else given["topic"] or "the defaults"
    _write(found, path, given)
    if given["as_json"]:
        say(json.dumps(page.plain_of(found), indent=2), whole=True)
    elif show == page.DETAILS:
        say("\n\n".join(map(page.details, found)))
    elif show:
        say("".join(page.traces(each, show) for each in found), end="")
    else:
        say("\n\n".join(page.text(each, painter(given["color"])) for each in found))
    return page.exit_code(found)


def _asked(settings: Settings, failures: list[str], pairs: bool) -> list[str]:
    """The failures to check, with every two of them if that was asked for."""
    asked = failures or scope_of(settings).alone
    alone = [name for name in asked if together.BETWEEN not in name]
    return [*asked, *(together.pairs(alone) if pairs else [])]


def _assessed(
    files: Files, settings: Settings, failures: list[str], promises: list[str], given: dict[str, Any], make: Any
) -> Assessment:
    """The assessment of one producer with one topic."""
    promises = promises or list(assess.scope_of(settings).promises)
    cells = assess.cells(settings, failures, promises, make(assess.plan(settings, failures)))
    found = assess.Assessment(settings, cells)
    if given["no_repairs"]:
        return found
    return assess.Assessment(settings, cells, assess.repairs(files, found, make))


def _write(found: list[Assessment], path: str, given: dict[str, Any]) -> None:
    """The pages and the reports; a page for each assessment."""
    if given["html"]:
        file: Path = given["html"]
        for at, each in enumerate(found, 1):
            place = file if at == 1 else file.with_stem(f"{file.stem}-{at}")
            label = f" ({each.settings.label})" if each.settings.label else ""
            write_text(place, html(each, f"What can happen to the records of {path}{label}"))
    if given["junit"]:
        write_text(given["junit"], junit(found, path))
    if given["sarif"]:
        write_text(given["sarif"], sarif_log(found, path))
    if given["github"]:
        for each in found:
            for line in github_commands(each, path):
                (note if given["as_json"] else say)(line)
            append_step_summary(summary(each, path))


def _names(text: str | None, option: str, known: Sequence[str]) -> list[str]:
    """The names of a list."""
    names = [] if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known and (option == "--require" or not all(part in known for part in name.split("+"))):
            raise click.BadParameter(f"{name} is not one of {', '.join(known)}", param_hint=option)
    return names


def _subjects(paths: Sequence[str], given: dict[str, Any]) -> list[tuple[Files, Settings]]:
    """What is to be assessed, each with its settings in force."""
    others = ("topic", "broker", "replication_factor", "bootstrap_server")
    if not paths and not any(given[name] for name in others):
        raise click.UsageError("Missing argument 'FILE...'.")
    base, versions, topics = _base(given)
    read = [*(_read(path, "", given["prefix"]) for path in paths), topics]
    if given["topic"] and not given["bootstrap_server"]:
        read.append(_read(given["topic"], "topic"))
    if given["broker"]:
        read.append(_read(given["broker"], "broker"))
    found = []
    for files in subjects(read, versions, base):
        if len(paths) == 1:
            files = replace(files, problems=tuple(replace(d, path=d.path or paths[0]) for d in files.problems))
        try:
            found.append((files, settled(files)))
        except assess.ConfigException as error:
            who = "librdkafka refuses this configuration: "
            java = "Kafka refuses this configuration. ConfigException: "
            raise click.UsageError(f"{who if files.foreign else java}{error}") from None
    return found


def _read(path: str, part: str, prefix: str = "") -> Any:
    """A file; it must be readable."""
    try:
        return read(read_text(path), path, part, prefix)
    except Unreadable as error:
        raise click.UsageError(f"{path}: {error}") from None


def _base(given: dict[str, Any]) -> tuple[Files, Any, Any]:
    """What options say, and a cluster that is asked, with its topics."""
    topic: dict[str, str] = {}
    topics = Read("the cluster")
    broker: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    versions = Versions(librdkafka=given["client"] == "librdkafka")
    try:
        if given["kafka"]:
            versions = replace(versions, server=version(given["kafka"]))
        if given["client"] and given["client"] != "librdkafka":
            versions = replace(versions, client=version(given["client"]))
        if given["bootstrap_server"]:
            options = assess.parse(read_text(given["command_config"])) if given["command_config"] else {}
            found = ask(given["bootstrap_server"], given["topic"], options)
            topics.topics += [Part.of(name, values) for name, values in found.topics.items()]
            broker, notes = found.broker, found.notes[1 if given["kafka"] else 0 :]
            versions = replace(versions, fallback=version(found.release))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if given["replication_factor"]:
        topic["replication.factor"] = str(given["replication_factor"])
    return assess.Files(topic=topic, broker=broker, notes=notes), versions, topics
