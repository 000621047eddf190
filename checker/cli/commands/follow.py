"""everystate follow: is a log of a real system a behaviour of the spec?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import TargetType, colour_option, constant_option, constants
from ..output import note, painter, require_file, say, write_text
from ..progress import watcher
from ..targets import resolve

if TYPE_CHECKING:
    from ...follow.answer import Answer, Follower
    from ...follow.events import Event
    from ...follow.vocabulary import Vocabulary


@click.command(
    epilog="""\b
Examples:
  everystate follow lock.py service.jsonl
  everystate follow lock.py service.jsonl --map words.py --unseen expire --at-most 3
  everystate follow lock.py a.jsonl b.jsonl c.jsonl --together --clock 0.005
  everystate follow idem-producer logs/ --json answers.json

An event is one JSON object on a line: {"action": "acquire", "arguments": {"client": 1}, "after": {"holder": 1}}. Each
part may be left out; docs/follow.md tells all of them, and how a small Python file (--map) translates a log that has
words of its own. All states in which the spec can be are followed at once, so DEVIATES means that no behaviour of it
explains the log.

\b
Exit codes: 0 every log follows, 12 one deviates, 3 undecided, 2 usage, 130 interrupted, 150 a log or the spec
cannot be read."""
)
@click.argument("target", type=TargetType(), metavar="TARGET")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@constant_option
@click.option("--map", "words", metavar="FILE", help="A Python file that translates entries into events; it is run.")
@click.option("--unseen", multiple=True, metavar="ACTION", help="It may happen without an event; repeat for several.")
@click.option("--at-most", type=click.IntRange(min=1), metavar="N", help="Unseen steps between two events (default 1).")
@click.option("--together", is_flag=True, help="The logs are of one run, and ordered only each in itself.")
@click.option("--split", is_flag=True, help="A log is ordered only within each `process` that its events name.")
@click.option("--runs", is_flag=True, help="A log holds many runs, one for each `run` that its events name.")
@click.option(
    "--clock", type=click.FloatRange(min=0), metavar="SKEW", help="Order them by `time`, which differs so much."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Candidates at a time (default 1,000,000).")
@click.option("--out", metavar="FILE", help="Write the behaviour as a trace, of one run.")
@click.option("--html", metavar="FILE", help="Write the end of the behaviour as a page, of one run.")
@click.option("--json", "file", metavar="FILE", help="Write the answers as JSON, - for standard output.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line of each run only.")
@colour_option
def command(target: str, logs: tuple[str, ...], constant: tuple[str, ...], **given: Any) -> int:
    """Say whether each LOG of a real system is a behaviour of the spec TARGET.

    A LOG is a file of JSON lines, of text lines with --map, or Parquet, perhaps gzipped; a folder of them; or -.
    """
    from ...follow.answer import EXIT_CODES, UNDECIDED, as_json

    for key in ("file", "out", "html"):
        if given[key] not in (None, "-"):
            require_file(Path(given[key]))
    resolved = resolve(target)
    spec = resolved.spec(constants(resolved.cls, constant))
    words = _vocabulary(given["words"])
    runs = _runs(logs, words, given)
    if len(runs) > 1 and (given["out"] or given["html"]):
        raise click.UsageError(f"--out and --html tell of one run, and these are {len(runs)}")
    follower = _follower(spec, resolved.name, words, given)
    answers: list[Answer] = []
    told: list[Any] = []
    for name, parts in runs:
        answer = _followed(follower, name, parts, given, len(runs) == 1)
        answers.append(answer)
        told.append(as_json(answer, resolved.name, spec.constants))
        _tell(answer, given)
        _write(answer, spec, given)
        if answer.followed.interrupted:
            break
    if given["file"]:
        written = json.dumps(told, indent=2)
        say(written) if given["file"] == "-" else write_text(Path(given["file"]), written + "\n")
    if len(runs) > 1 and given["file"] != "-":
        say(_summary(answers, len(runs)))
    codes = {answer.exit_code for answer in answers}
    return next((code for code in (130, 12, EXIT_CODES[UNDECIDED]) if code in codes), 0)


def _vocabulary(path: str | None) -> Vocabulary:
    from ...follow.vocabulary import Vocabulary, vocabulary_of
    from ..targets import module_of

    return Vocabulary() if path is None else vocabulary_of(module_of(path), path)


def _runs(logs: tuple[str, ...], words: Vocabulary, given: dict[str, Any]) -> list[tuple[str, list[Iterable[Event]]]]:
    """The runs by name, each with its logs."""
    from ...follow.logs import events_of, grouped, logs_in

    found = {path: events_of(path, words) for log in logs for path in logs_in(log)}
    runs: dict[str, list[Iterable[Event]]] = {path: [events] for path, events in found.items()}
    if given["together"]:
        runs = {", ".join(found): list(found.values())}
    elif given["runs"]:
        runs = {}
        for path, events in found.items():
            for name, mine in grouped(events, lambda event: event.run).items():
                runs[f"{path}, run {name}"] = [mine]
    if given["split"]:
        runs = {name: _processes(parts) for name, parts in runs.items()}
    return list(runs.items())


def _processes(parts: list[Iterable[Event]]) -> list[Iterable[Event]]:
    from ...follow.logs import grouped

    return [mine for part in parts for mine in grouped(part, lambda event: event.process).values()]


def _follower(spec: Any, name: str, words: Vocabulary, given: dict[str, Any]) -> Follower:
    from ...follow.answer import Follower
    from ...follow.candidates import Unseen
    from ...follow.run import MOST, Order
    from ...ir.model import build

    observer = watcher(given["quiet"])
    try:
        observer.phase("tracing")
        model = build(spec)
        observer.phase("compiling")
        unseen = Unseen((*words.unseen, *given["unseen"]), given["at_most"] or words.at_most or 1)
        order = Order(given["clock"] is not None, given["clock"] or 0.0)
        return Follower(model, name, unseen, order, given["limit"] or MOST)
    finally:
        observer.finish()


def _followed(
    follower: Follower, name: str, parts: list[Iterable[Event]], given: dict[str, Any], alone: bool
) -> Answer:
    from ...follow.answer import LAST

    def tell(events: int, candidates: int) -> None:
        if alone and not given["quiet"] and events % 100_000 == 0:
            note(f"{events:,} events, {candidates:,} candidates")

    whole = given["out"] is not None
    return follower.follow(name, parts, None if whole else 50 if given["html"] else LAST, tell)


def _tell(answer: Answer, given: dict[str, Any]) -> None:
    from ...follow.answer import FOLLOWS, last_line, text

    if given["file"] == "-":
        return
    paint = painter(given["color"])
    if given["quiet"] or answer.verdict == FOLLOWS:
        say(last_line(answer, paint))
        return
    for line in text(answer, paint):
        say(line)


def _write(answer: Answer, spec: Any, given: dict[str, Any]) -> None:
    """The behaviour as a trace file and as a page."""
    if answer.behaviour is None:
        if given["out"] or given["html"]:
            note("note: the behaviour was too long to be kept, so it is not written")
        return
    if given["out"]:
        from ...results.itf import dump

        write_text(Path(given["out"]), dump(answer.behaviour.trace))
    if given["html"]:
        from everystate.counterexamples import report

        write_text(Path(given["html"]), report(answer.behaviour.trace, spec))


def _summary(answers: list[Answer], runs: int) -> str:
    from collections import Counter

    found = Counter(answer.verdict for answer in answers)
    told = ", ".join(f"{number:,} {verdict.lower()}" for verdict, number in sorted(found.items()))
    rest = f", {runs - len(answers):,} not looked at" if runs > len(answers) else ""
    return f"{runs:,} logs: {told}{rest}"
