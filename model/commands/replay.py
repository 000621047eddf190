"""everystate replay: replay a counterexample of the Kafka model on real brokers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import click

from ...checker.cli.options import TargetType, colour_option, constant_option, constants
from ...checker.cli.output import draw, note, on_terminal, painter, read_text, require_file, say, write_text
from ...checker.cli.searching import memory_option, search
from ...checker.cli.sweeps import load
from ...checker.cli.targets import known, resolve
from ...checker.cli.traces import constants_of
from ...checker.errors import EverystateError
from ...checker.extras import require
from ...checker.language.spec import Spec
from ...checker.results.itf import parse
from ...checker.results.trace import Trace
from ...counterexamples import report
from .. import KafkaProducer
from ..cluster.impossible import impossible
from ..cluster.outcome import Outcome
from ..cluster.releases import BROKERS
from ..cluster.replay import Job, replay
from ..cluster.report import VERDICTS, as_json, exit_code, outcome_lines, together
from ..cluster.walk import walk
from ..conformance.behaviour import Behaviour, of_trace
from ..conformance.drivable import obstacles
from ..conformance.jars import choose, provide
from ..conformance.process import run
from ..conformance.trace import behaviours, kept
from ..conformance.versions import Kafka
from .replay_logs import Auditor, folder_of, room_for_logs
from .replay_page import evidence


@click.command(
    epilog="""\b
Examples:
  everystate replay current/clean-restart --cluster --html replay.html
  everystate replay trace.itf.json --cluster --logs logs
  everystate replay current/definite-error-of-a-retry --cluster --property NoDuplicate --kafka 4.3.1

Starts real brokers (kafka.Kafka, KRaft) on this machine and steps the real producer through the counterexample. After
every step it compares requests, answers, the leader's log, the producer and its results with the model. Restarts and
crashes are signals. At the end the brokers' logs are audited on Spark. See docs/how-to/replay-on-brokers.md.

\b
Exit codes: 0 reproduced, 12 a step differs, 3 not judged (a deadline was missed, or no cluster can be made to take
a step), 2 usage, 130 interrupted, 143 terminated, 69 no Java or no jars."""
)
@click.argument("target", type=TargetType(), metavar="TARGET")
@constant_option
@click.option("--cluster", is_flag=True, help="Replay on real brokers (required).")
@click.option("--property", "wanted", metavar="NAME", help="Replay the counterexample of one property only.")
@memory_option
@click.option("--walks", type=click.IntRange(min=0), default=0, help="Replay random walks instead of counterexamples.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the walks.")
@click.option("--kafka", "version", metavar="VERSION", help="The release; by default the newest that is pinned.")
@click.option("--jars", metavar="DIR", type=click.Path(path_type=Path), help="Take the jars from a folder of yours.")
@click.option("--logs", metavar="DIR", type=click.Path(path_type=Path), help="Store the brokers' logs in a new folder.")
@click.option("--no-audit", is_flag=True, help="Do not audit the brokers' logs, which needs Spark.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a page: model, cluster, audit.")
@click.option("--json", "file", metavar="FILE", help="Write the outcome as JSON, - for standard output.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line of each replay only.")
@colour_option
def command(target: str, constant: tuple[str, ...], **given: Any) -> int:
    """Replay a counterexample of the Kafka model on real brokers.

    TARGET is a scenario of the Kafka model or a trace file that `everystate check --out` has written.
    """
    if not given["cluster"]:
        raise click.UsageError(
            "say where: --cluster, on real brokers (`everystate conform` drives Kafka's own classes)"
        )
    if given["walks"] and target.endswith(".json"):
        raise click.UsageError(f"--walks: {target} is a trace; walks are those of a scenario")
    for file in (given["file"], given["html"]):
        if file not in (None, "-"):
            require_file(Path(file))
    kafka = choose(given["version"], given["jars"], BROKERS)
    name, spec, trace = _named(target, constant)
    reasons = list(obstacles(spec, kafka))
    if reasons:
        say(f"{_painted('UNDECIDED', 'NOT JUDGED', given)}  {name}, on Kafka {kafka.version}: {'; '.join(reasons)}")
        return 3
    require("everystate replay", "jpype")
    wanted = _chosen(name, [trace], given) if trace else _wanted(target, name, spec, given)
    if given["html"] and (len(wanted) > 1 or wanted[0].trace is None):
        raise click.UsageError("--html shows one counterexample; choose it: --property NAME")
    outcomes = []
    with ExitStack() as stack:
        logs = room_for_logs(given, stack)
        auditor = Auditor(given, stack)
        for subject in wanted:
            outcomes.append(_replayed(kafka, name, spec, subject, logs, given))
            auditor.add(outcomes[-1], logs)
            _tell(outcomes[-1], kafka, given)
            if outcomes[-1].interrupted:
                break
    _write(list(zip(wanted, outcomes, strict=False)), spec, kafka, given)
    return together(outcomes)


class Subject(NamedTuple):
    """What is to be replayed, of the spec that `where` names; a walk has no trace."""

    where: str
    behaviour: Behaviour
    trace: Trace | None = None


def _write(replayed: list[tuple[Subject, Outcome]], spec: Spec, kafka: Kafka, given: dict[str, Any]) -> None:
    """The files that are asked for."""
    if given["file"]:
        text = json.dumps([as_json(outcome, kafka.version) for _, outcome in replayed], indent=2)
        if given["file"] == "-":
            say(text, whole=True)
        else:
            write_text(Path(given["file"]), text + "\n")
    if given["html"]:
        (subject, outcome), *_ = replayed
        assert subject.trace is not None
        write_text(given["html"], report(subject.trace, spec, evidence=evidence(outcome, kafka.version)))


def _named(target: str, constant: tuple[str, ...]) -> tuple[str, Spec, Subject | None]:
    """The name of the target, its spec, and for a trace file what is to be replayed."""
    if not target.endswith(".json"):
        resolved = resolve(target)
        spec = resolved.spec(constants(resolved, constant))
        return resolved.called(spec), spec, None
    if constant:
        raise click.UsageError(f"-c: {target} is a trace, which has its own constants")
    return _of_file(target)


def _of_file(path: str) -> tuple[str, Spec, Subject | None]:
    """A trace file. Its head may say anything: it has to be a behaviour that ends as it says."""
    document = parse(read_text(path), path)
    where = document.target
    unknown = EverystateError("E735", None, target=path, what="no trace of a spec that is known here")
    if not where:
        raise unknown
    try:
        spec = known(where).spec(constants_of(document, known(where)))
    except EverystateError as problem:
        if problem.code != "E406":
            raise
        what = f"no trace of {where}, which is not one of `everystate list`,"
        raise EverystateError("E735", None, target=path, what=what) from None
    try:
        trace = document.trace(spec)
    except EverystateError:
        raise unknown from None
    name = known(where).called(spec)
    if not isinstance(spec, KafkaProducer):  # the one that begins to replay says so
        return name, spec, None
    found, why = behaviours(trace, spec, spec)
    if not found:
        raise EverystateError("E735", None, target=path, what=f"no trace of {name} ({why})")
    if kept(trace, spec):
        what = f"no violation of {trace.shows}, which holds at its end,"
        raise EverystateError("E735", None, target=path, what=what)
    return name, spec, Subject(where, found[0], trace)


def _wanted(where: str, name: str, spec: Spec, given: dict[str, Any]) -> list[Subject]:
    """The walks or counterexamples that are to be replayed; E735 where there is none."""
    if given["walks"]:
        assert isinstance(spec, KafkaProducer)
        return [Subject(where, walk(spec, number, given["seed"])) for number in range(given["walks"])]
    return _chosen(name, list(_counterexamples(where, spec, given)), given)


def _chosen(name: str, found: list[Subject], given: dict[str, Any]) -> list[Subject]:
    """Those of the property that is asked for."""
    wanted = [each for each in found if given["wanted"] in (None, each.behaviour.name)]
    if not wanted:
        what = f"no counterexample of {given['wanted']}" if given["wanted"] else "no counterexample"
        raise EverystateError("E735", None, target=name, what=what)
    return wanted


def _counterexamples(where: str, spec: Spec, given: dict[str, Any]) -> Iterator[Subject]:
    result = search(spec, where, given)
    for violation in result.violations:
        if violation.trace is not None:
            yield Subject(where, of_trace(spec, violation.property, violation.trace), violation.trace)


def _replayed(
    kafka: Kafka, name: str, spec: Spec, subject: Subject, logs: Path | None, given: dict[str, Any]
) -> Outcome:
    behaviour = subject.behaviour
    assert isinstance(spec, KafkaProducer)
    reason = impossible(spec, behaviour)
    if reason:
        return Outcome(name, behaviour.name, len(behaviour.turns), not_judged=reason)
    found, paths = provide(kafka.version, given["jars"], note, BROKERS)
    place = Path(tempfile.gettempdir())
    kept = folder_of(logs, behaviour.name) if logs else None
    job = Job(name, subject.where, spec.constants, behaviour, load, tuple(paths), place, kept)
    teller = ProgressLine(given["quiet"])
    try:
        outcome: Outcome = run(found, paths, replay, job, hear=teller)
    finally:
        teller.finish()
    return outcome


class ProgressLine:
    """What happens now, on standard error: one live line on a terminal, plain lines elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.live = quiet, on_terminal() and not quiet

    def __call__(self, line: str) -> None:
        if self.live:
            draw(line)
        elif not self.quiet:
            note(f"{line} ...")

    def finish(self) -> None:
        """The line goes."""
        if self.live:
            draw("")


def _tell(outcome: Outcome, kafka: Kafka, given: dict[str, Any]) -> None:
    if given["file"] == "-":
        return
    *account, last = outcome_lines(outcome, kafka.version)
    if not given["quiet"]:
        for line in account:
            say(line)
    word, role = VERDICTS[exit_code(outcome)], {0: "PROVED", 12: "VIOLATED"}.get(exit_code(outcome), "UNDECIDED")
    say(last.replace(word, _painted(role, word, given), 1))


def _painted(role: str, word: str, given: dict[str, Any]) -> str:
    return painter(given["color"])(role, word)
