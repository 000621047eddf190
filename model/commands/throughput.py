"""everystate throughput: throughput and memory of a broker by the number of requests in flight."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ...checker.cli.options import BoundedNumber, colour_option
from ...checker.cli.output import note, painter, require_file, say, write_text
from ...checker.cli.progress import Watcher, watcher
from ...checker.extras import require
from ..cluster.releases import BROKERS
from ..conformance.jars import choose, provide
from ..conformance.process import run
from ..conformance.versions import Kafka
from ..throughput import heap as heap_use
from ..throughput.heap import HeapJob, HeapUse, weigh
from ..throughput.measure import Job, measure
from ..throughput.picture import draw
from ..throughput.plan import Plan
from ..throughput.report import Result, as_json, compare, lines_of, only_predicted
from ..throughput.timed import Delays

INTERRUPTED, NOT_JUDGED = 130, 3


class Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers, by commas."""

    name = "numbers"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            found = tuple(sorted({int(part) for part in value.split(",")}))
        except ValueError:
            self.fail(f"{value!r}: write whole numbers, by commas", param, ctx)
        if found[0] < self.least or found[-1] > self.most:
            self.fail(f"{value!r}: a number is from {self.least} to {self.most}", param, ctx)
        return found


@click.command(
    epilog="""\b
Examples:
  everystate throughput -o throughput.svg
  everystate throughput --rtt 100 --in-flight 1,5,10,20,50 --rounds 20 --repeat 9
  everystate throughput --service 2 --rtt 50,100
  everystate throughput --heap 1000,10000

Starts a real broker behind a proxy that adds a round trip, and writes batches of one size with three clients:
KafkaProducer, KafkaProducer without idempotence, and a client with more than five requests in flight under the limit of
KIP-1269, which no release has. The prediction is a timed run of the model at the speed without a round trip. See
docs/how-to/throughput.md.

\b
Exit codes: 0 measured or predicted, 3 not judged (a deadline was missed, or a broker refused a batch), 2 usage,
130 interrupted, 143 terminated, 69 no Java or no jars."""
)
@click.option(
    "--rtt",
    "trips",
    type=Numbers(0, 10_000),
    default="0,10,100,150",
    show_default=True,
    metavar="MS,...",
    help="Round trips; 0 is always included.",
)
@click.option(
    "--in-flight",
    type=Numbers(1, 100),
    default="1,5,10,20",
    show_default=True,
    metavar="N,...",
    help="Maximal requests in flight; 1 is always included.",
)
@click.option(
    "--window",
    type=click.IntRange(5),
    default=None,
    metavar="N",
    help="Batches that KIP-1269's broker remembers; by default as many as are in flight.",
)
@click.option(
    "--batch-size",
    "size",
    type=click.IntRange(256, 900_000),
    default=16384,
    show_default=True,
    help="Bytes of a batch.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Times that a run fills the requests in flight.",
)
@click.option(
    "--repeat",
    "repeats",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Runs of each case; the median is reported.",
)
@click.option(
    "--service",
    type=BoundedNumber(min=0.001),
    metavar="MS",
    help="Only predict, for a broker with this time for a request.",
)
@click.option(
    "--heap",
    type=Numbers(1, 100_000),
    metavar="N,...",
    help="Measure the broker's memory by number of producers.",
)
@click.option("--kafka", "version", metavar="VERSION", help="The release; by default the newest that is pinned.")
@click.option("--jars", metavar="DIR", type=click.Path(path_type=Path), help="Take the jars from a folder of yours.")
@click.option("--json", "file", metavar="FILE", help="Write the figures as JSON, - for standard output.")
@click.option("-o", "picture", metavar="FILE", type=click.Path(path_type=Path), help="Draw them into an SVG file.")
@click.option("--quiet", "-q", is_flag=True, help="Print the table only, no progress.")
@colour_option
def command(**given: Any) -> int:
    """Measure throughput by round trip and requests in flight, and predict it with the model."""
    if given["picture"] is not None and (given["picture"].suffix != ".svg" or given["heap"]):
        raise click.UsageError("-o draws throughput, into a file that ends in .svg")
    if given["heap"] and given["service"]:
        raise click.UsageError("--heap measures memory, --service predicts throughput: choose one")
    for path in (given["picture"], Path(given["file"]) if given["file"] not in (None, "-") else None):
        if path is not None:
            require_file(path)
    observer = watcher(given["quiet"])
    try:
        if given["heap"]:
            return _weigh(given, observer)
        return _predict(given, observer) if given["service"] else _measure(given, observer)
    finally:
        observer.finish()


def _plan(given: dict[str, Any]) -> Plan:
    numbers = given["rounds"], given["repeats"], given["size"], given["window"] or 0
    return Plan(given["trips"], given["in_flight"], *numbers)


def _predict(given: dict[str, Any], observer: Watcher) -> int:
    result = only_predicted(_plan(given), Delays(0.0, given["service"] / 1000), observer.phase)
    observer.finish()
    _draw(result, given)
    _report(lines_of(result), as_json(result), given)
    return 0


def _measure(given: dict[str, Any], observer: Watcher) -> int:
    plan = _plan(given)
    kafka, paths = _release(given)
    outcome = run(kafka, paths, measure, Job(plan, paths, _place()), hear=observer.phase)
    result = compare(plan, kafka.version, outcome, observer.phase)
    observer.finish()
    if result.rows:
        _draw(result, given)
        _report(lines_of(result), as_json(result), given)
    return _end(outcome, given)


def _weigh(given: dict[str, Any], observer: Watcher) -> int:
    kafka, paths = _release(given)
    heap: HeapUse = run(kafka, paths, weigh, HeapJob(given["heap"], paths, _place()), hear=observer.phase)
    observer.finish()
    if heap.grown:
        _report(heap_use.lines_of(heap, kafka.version), heap_use.as_json(heap, kafka.version), given)
    return _end(heap, given)


def _release(given: dict[str, Any]) -> tuple[Kafka, tuple[Path, ...]]:
    """The release and its class path."""
    choose(given["version"], given["jars"], BROKERS)
    require("everystate throughput", "jpype")
    kafka, paths = provide(given["version"], given["jars"], note, BROKERS)
    return kafka, tuple(paths)


def _place() -> Path:
    """Where a broker may keep its files; the process that starts it has another folder for what is temporary."""
    return Path(tempfile.gettempdir())


def _draw(result: Result, given: dict[str, Any]) -> None:
    if given["picture"] is not None:
        write_text(given["picture"], draw(result))


def _report(lines: Iterable[str], data: dict[str, Any], given: dict[str, Any]) -> None:
    text = json.dumps(data, indent=2)
    if given["file"] == "-":
        say(text, whole=True)
        return
    if given["file"]:
        write_text(Path(given["file"]), text + "\n")
    for line in lines:
        say(line)


def _end(outcome: Any, given: dict[str, Any]) -> int:
    """The last line where something is missing, and the exit code."""
    if not outcome.interrupted and not outcome.not_judged:
        return 0
    word = "INTERRUPTED" if outcome.interrupted else "NOT JUDGED"
    why = outcome.not_judged or "what was measured until then is above"
    note(f"{painter(given['color'])('UNDECIDED', word)}  {why}")
    return INTERRUPTED if outcome.interrupted else NOT_JUDGED
