"""everystate assess: what the settings of a Kafka producer can do to its records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import colour_option
from ..output import append_step_summary, note, painter, read_text, require_file, say, write_text

if TYPE_CHECKING:
    from everystate.model.assess import Assessment, Files, Settings


@click.command(
    epilog="""\b
Examples:
  everystate assess producer.properties --topic topic.properties --kafka 4.1
  everystate assess producer.properties --replication-factor 3 --client 3.9 --kafka 4.1
  everystate assess producer.properties --require no-loss,order --under rolling-restart,leader-crash

docs/how-to/safe-settings.md describes the promises, the failures, and what the checks cover.

\b
Exit codes: 0 every required promise is kept, 12 one is broken, 3 one is not covered or undecided,
2 usage, or Kafka refuses the configuration."""
)
@click.argument("producer", metavar="PRODUCER.PROPERTIES")
@click.option("--topic", metavar="FILE", help="Properties of the topic; replication.factor may be one of them.")
@click.option(
    "--bootstrap-server", metavar="HOST:PORT", help="Read topic and brokers from a cluster; --topic is a name."
)
@click.option("--command-config", metavar="FILE", help="Options of kafka-python for that, such as security.protocol.")
@click.option("--broker", metavar="FILE", help="server.properties of the brokers.")
@click.option("--replication-factor", type=click.IntRange(min=1), help="Replication factor of the topic.")
@click.option("--kafka", metavar="VERSION", help="Release of the brokers; 4.4 if the cluster is not asked.")
@click.option(
    "--client", metavar="VERSION", help="Release of the Java client, by default that of the brokers; or librdkafka."
)
@click.option("--require", metavar="PROMISE,...", help="Check these promises only.")
@click.option("--under", metavar="FAILURE,...", help="Check these failures only; A+B is two together.")
@click.option("--pairs", is_flag=True, help="Check every two of these failures together, too; takes minutes.")
@click.option("--show", metavar="FAILURE", help="Print the counterexamples of this failure.")
@click.option("--no-repairs", is_flag=True, help="Do not search for better settings; saves half the time.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; by default one for each processor.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--sarif", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0.")
@click.option("--github", is_flag=True, help="Print annotations, and write the step summary of GitHub Actions.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@colour_option
def command(producer: str, show: str | None, **given: Any) -> int:
    """Assess which promises a Kafka producer keeps under which failures, with its settings and releases.

    Every cell of the table is a complete check of the Kafka model within small bounds.
    """
    from everystate.model import assess
    from everystate.model.assess import page
    from everystate.model.assess.pairs import BETWEEN, pairs

    from ..assessments import Checks

    failures = _names(given["under"], "--under", assess.FAILURES)
    promises = _names(given["require"], "--require", assess.PROMISES)
    files, settings = _files(producer, given)
    scope = assess.scope_of(settings)
    failures = failures or list(scope.failures)
    failures += pairs([name for name in failures if BETWEEN not in name]) if given["pairs"] else []
    promises = promises or list(scope.promises)
    _names(show, "--show", failures)

    for name in ("html", "junit", "sarif"):
        if given[name]:
            require_file(given[name])
    with Checks(given["workers"], given["quiet"]) as make:
        cells = assess.cells(settings, failures, promises, make(assess.plan(settings, failures)))
        found = assess.Assessment(settings, cells)
        if not given["no_repairs"]:
            found = assess.Assessment(settings, cells, assess.repairs(files, found, make))
    _write(found, producer, given)
    if given["as_json"]:
        say(json.dumps(page.plain(found), indent=2))
    elif show:
        say(page.traces(found, show), end="")
    else:
        say(page.text(found, painter(given["color"])))
    return assess.codes(found.cells)


def _write(found: Assessment, producer: str, given: dict[str, Any]) -> None:
    """The page and the reports."""
    from everystate.model.assess.html_page import html

    from ..assessment_reports import github_commands, junit, sarif_log, summary

    if given["html"]:
        write_text(given["html"], html(found, f"What can happen to the records of {producer}"))
    if given["junit"]:
        write_text(given["junit"], junit(found, producer))
    if given["sarif"]:
        write_text(given["sarif"], sarif_log(found, producer))
    if given["github"]:
        for line in github_commands(found, producer):
            (note if given["as_json"] else say)(line)
        append_step_summary(summary(found, producer))


def _names(text: str | None, option: str, known: Sequence[str]) -> list[str]:
    """The names of a list."""
    names = [] if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known and (option == "--require" or not all(part in known for part in name.split("+"))):
            raise click.BadParameter(f"{name} is not one of {', '.join(known)}", param_hint=option)
    return names


def _files(producer: str, given: dict[str, Any]) -> tuple[Files, Settings]:
    """What was given, and the settings in force."""
    from everystate.model import assess
    from everystate.model.assess.values import NEWEST_RELEASE, version

    def read(path: str | None) -> dict[str, str]:
        if path is None:
            return {}
        try:
            return assess.parse(read_text(path))
        except ValueError as error:
            raise click.UsageError(f"{path}: {error}") from None

    release: str = NEWEST_RELEASE
    notes: tuple[str, ...] = ()
    if given["bootstrap_server"]:
        from ..cluster_settings import ask

        if not given["topic"]:
            raise click.UsageError("--bootstrap-server needs the name of a topic: --topic NAME")
        found = ask(given["bootstrap_server"], given["topic"], read(given["command_config"]))
        topic, broker, release, notes = found.topic, found.broker, found.release, found.notes
    else:
        topic, broker = read(given["topic"]), {}
    broker |= read(given["broker"])
    if given["replication_factor"]:
        topic["replication.factor"] = str(given["replication_factor"])
    try:
        server = version(given["kafka"] or release)
        other = given["client"] == "librdkafka"
        client = server if other or not given["client"] else version(given["client"])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    files = assess.Files(
        read(producer), topic, broker, client, server, other, notes if not given["kafka"] else notes[1:]
    )
    try:
        return files, assess.settle(files)
    except assess.ConfigException as error:
        who = (
            "librdkafka refuses this configuration: "
            if files.foreign
            else "Kafka refuses this configuration. ConfigException: "
        )
        raise click.UsageError(f"{who}{error}") from None
