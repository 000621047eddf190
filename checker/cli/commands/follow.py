"""everystate follow: check whether the log of a real system is a trace of the spec."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from everystate.counterexamples import report
from everystate.counterexamples.sections import Section
from everystate.parts import FOLLOWED

from ...api.fingerprint import fingerprint
from ...follow.answer import (
    FOLLOWS,
    LAST,
    Answer,
    Follower,
    RunAnswer,
    as_json,
    invariants,
    last_line,
    one_of_many,
    text,
)
from ...follow.answer_store import AnswerStore
from ...follow.candidates import UnseenActions
from ...follow.events import Event
from ...follow.logs import entries, events_of, grouped, logs_in
from ...follow.run import MOST
from ...follow.sources import Order
from ...follow.spark import FollowSettings, follow
from ...follow.vocabulary import Vocabulary, vocabulary_of
from ...frontend.model import build
from ...language.spec import Spec
from ...results.itf import dump
from ...results.text import count, plain
from ..followed_trace import follow_trace, trace_in
from ..options import BoundedNumber, TargetType, colour_option, constant_option, constants
from ..output import note, painter, require_file, say, write_text
from ..progress import watcher
from ..spark import master_option, on_spark, opened
from ..sweeps import load
from ..targets import Target, module_of, resolve

Run = tuple[str, Sequence[str | Sequence[Event]]]
FEW = 20
"""Runs that follow the spec are reported one by one up to this number."""


@click.command(
    epilog="""\b
Examples:
  everystate follow lock.py service.jsonl
  everystate follow lock.py service.jsonl --map words.py --unseen expire --at-most 3
  everystate follow lock.py a.jsonl b.jsonl c.jsonl --together --clock 0.005
  everystate follow idem-producer logs/ --engine spark --work kept --json answers.json

An event is one JSON object per line: {"action": "acquire", "arguments": {"client": 1}, "after": {"holder": 1}}. Each
part is optional. docs/how-to/follow-a-log.md lists all parts, and shows how a Python file (--map) translates other
formats. All possible states are followed at once, so DEVIATES means that no trace of the spec explains the log.

\b
Exit codes: 0 every log follows, 12 one deviates, 3 undecided, 2 usage, 130 interrupted, 150 a log or the spec
cannot be read, 69 no Spark."""
)
@click.argument("target", type=TargetType(), metavar="TARGET")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@constant_option
@click.option(
    "--map",
    "words",
    metavar="FILE",
    help="A Python file that translates entries into events; it is executed.",
)
@click.option("--unseen", multiple=True, metavar="ACTION", help="This action may occur without an event; repeatable.")
@click.option(
    "--at-most", type=click.IntRange(min=1), metavar="N", help="Limit of unseen steps between events (default 1)."
)
@click.option("--together", is_flag=True, help="The logs belong to one run; only events of one log are ordered.")
@click.option("--split", is_flag=True, help="Only events of one `process` are ordered.")
@click.option("--runs", is_flag=True, help="A log contains many runs, one for each `run` of its events.")
@click.option(
    "--clock", type=BoundedNumber(min=0), metavar="SKEW", help="Order events by `time`; clocks differ by SKEW."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Depth first from N candidates on (1,000,000).",
)
@click.option("--first", is_flag=True, help="Search depth first and stop at one explanation.")
@click.option("--out", metavar="FILE", help="Write the followed behaviour of one run as a trace.")
@click.option("--html", metavar="FILE", help="Write the end of the trace of one run as a page.")
@click.option("--json", "file", metavar="FILE", help="Write the answers as JSON, - for standard output.")
@click.option("--engine", type=click.Choice(["native", "spark"]), default="native", help="Spark distributes many runs.")
@master_option
@click.option("--work", metavar="DIR", help="Store the answers of many runs here; the same command resumes there.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line of each run only.")
@colour_option
def command(target: str, logs: tuple[str, ...], constant: tuple[str, ...], **given: Any) -> int:
    """Check whether each LOG of a real system is a trace of the spec TARGET.

    A LOG is a file of JSON lines, of text lines with --map, or Parquet, perhaps gzipped; a folder of them; or -. It may
    also be a trace of TLC, Apalache or Quint (.json): its steps are matched, and the invariants checked in each state.
    """
    for key in ("file", "out", "html"):
        if given[key] not in (None, "-"):
            require_file(Path(given[key]))
    spark = on_spark(given, only=("master",))
    resolved = resolve(FOLLOWED.get(target, target))
    own = getattr(resolved.cls, "vocabulary", None)
    given["words"] = given["words"] or (own if isinstance(own, str) else None)
    words = vocabulary(given["words"])
    found = _constants(logs, words)
    spec = resolved.spec(found | constants(resolved, constant))
    traces = [trace_in(path) for path in logs] if given["words"] is None else []
    if traces and all(trace is not None for trace in traces):
        return max(follow_trace(trace, spec) for trace in traces if trace is not None)
    if found and not given["quiet"]:
        note(f"constants from the log: {', '.join(f'{name}={value}' for name, value in found.items())}")
    given["runs"] = given["runs"] or words.by_run
    runs = _runs(logs, words, given)
    if len(runs) > 1 and (given["out"] or given["html"]):
        raise click.UsageError(f"--out and --html report one run, and these are {len(runs)}")
    if (spark or given["work"]) and (given["out"] or given["html"]):
        raise click.UsageError("--out and --html report a run followed here, without --engine spark and --work")
    kept = _kept(spec, words, given)
    if spark:
        return _ended(_on_spark(resolved, spec, words, runs, given, kept), given)
    follower = _follower(spec, resolved.name, words, given)
    if len(runs) == 1 and kept is None:
        return _ended([_alone(follower, _opened(runs[0], words), given)], given)
    return _ended(_one_by_one(follower, runs, words, given, kept), given)


def _ended(answers: list[RunAnswer], given: dict[str, Any]) -> int:
    """Write the answers and a summary; the exit code."""
    if given["file"]:
        written = json.dumps([one.data for one in answers], indent=2)
        say(written, whole=True) if given["file"] == "-" else write_text(Path(given["file"]), written + "\n")
    if len(answers) > 1 and given["file"] != "-":
        found = Counter(one.verdict for one in answers)
        say(f"{len(answers):,} runs: {', '.join(f'{number:,} {word}' for word, number in sorted(found.items()))}")
    codes = {one.exit_code for one in answers}
    return next((code for code in (130, 12, 150, 3) if code in codes), max(codes, default=0))


def _say(answer: RunAnswer, given: dict[str, Any], runs: int = 1) -> RunAnswer:
    """Print the answer to a run; of many that follow, only the number is printed at the end."""
    if given["file"] != "-" and (answer.verdict != FOLLOWS or runs <= FEW):
        for line in answer.lines[-1:] if given["quiet"] else answer.lines:
            say(line)
    return answer


def _one_by_one(
    follower: Follower, runs: list[Run], words: Vocabulary, given: dict[str, Any], kept: AnswerStore | None
) -> list[RunAnswer]:
    answers: list[RunAnswer] = []
    for run in runs:
        key = kept.key(*run) if kept else None
        found = kept[key] if kept else None
        if found is None:
            found = one_of_many(follower, *_opened(run, words), painter(given["color"]))
            if kept is not None:
                kept.add([(key, found)])
        answers.append(_say(found, given, len(runs)))
        if answers[-1].exit_code == 130:
            break
    return answers


def _opened(run: Run, words: Vocabulary) -> tuple[str, list[Iterable[Event]]]:
    """A run with the events of its logs."""
    name, parts = run
    return name, [events_of(part, words) if isinstance(part, str) else part for part in parts]


def _kept(spec: Spec, words: Vocabulary, given: dict[str, Any]) -> AnswerStore | None:
    """The stored answers of an earlier call. They depend on the spec, its constants, the files that translate the log
    and those beside them, the options, and our own code."""
    if given["work"] is None:
        return None
    asked = [fingerprint(build(spec), False), repr(_asked(words, given)), given["limit"], given["first"]]
    asked += [painter(given["color"])("place", "x"), _code(spec, given["words"])]
    return AnswerStore(Path(given["work"]), json.dumps(asked))


def _code(spec: Spec, words: str | None) -> str:
    """A digest of the Python files that observe and translate, with all that lie beside them."""
    import hashlib
    import inspect
    from importlib.util import find_spec

    places = {inspect.getsourcefile(cls) for cls in type(spec).__mro__ if cls is not object}
    if words is not None:
        found = None if Path(words).is_file() else find_spec(words)
        places.add(words if found is None else found.origin)
    folders = sorted({Path(place).resolve().parent for place in places if place})
    files = [path for folder in folders for path in sorted(folder.glob("*.py")) if path.is_file()]
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def _alone(follower: Follower, run: tuple[str, list[Iterable[Event]]], given: dict[str, Any]) -> RunAnswer:
    """The answer to a single run, of which more can be written."""

    def on_progress(events: int, candidates: int) -> None:
        if not given["quiet"] and events % 100_000 == 0:
            note(f"{events:,} events, {count(candidates, 'candidate')}")

    last = None if given["out"] else 50 if given["html"] else LAST
    answer = follower.follow(*run, last, on_progress)
    data = as_json(answer, follower.target, follower.stepper.spec.constants)
    said = _say(RunAnswer(answer.exit_code, answer.reported, tuple(text(answer, painter(given["color"]))), data), given)
    _write(answer, follower.stepper.spec, given)
    return said


def _on_spark(
    resolved: Target, spec: Spec, words: Vocabulary, runs: list[Run], given: dict[str, Any], kept: AnswerStore | None
) -> list[RunAnswer]:
    unseen, order = _asked(words, given)
    wanted = FollowSettings(
        resolved.name, spec.constants, unseen, order, given["limit"] or MOST, given["words"], given["first"]
    )
    with opened(given, f"everystate follow {resolved.name}") as session:
        answers = follow(session, wanted, load, vocabulary, runs, kept)
        return [_say(one, given, len(runs)) for one in answers]


def vocabulary(path: str | None) -> Vocabulary:
    """What the file of --map defines; without one, the words of the spec itself."""
    return Vocabulary() if path is None else vocabulary_of(module_of(path), path)


def _runs(logs: tuple[str, ...], words: Vocabulary, given: dict[str, Any]) -> list[Run]:
    """The runs by name, each with its logs: their paths, or their events where a file has those of several."""
    paths = list(dict.fromkeys(path for log in logs for path in logs_in(log)))
    runs: dict[str, list[Any]] = {path: [path] for path in paths}
    if given["runs"]:
        runs = {}
        for path in paths:
            for name, mine in grouped(events_of(path, words), lambda event: event.run).items():
                runs.setdefault(f"run {name}" if given["together"] else f"{path}, run {name}", []).append(mine)
    elif given["together"]:
        runs = {", ".join(paths): list(paths)}
    if given["split"]:
        runs = {name: _processes(parts, words) for name, parts in runs.items()}
    return list(runs.items())


def _processes(parts: list[Any], words: Vocabulary) -> list[Any]:
    read = [events_of(part, words) if isinstance(part, str) else part for part in parts]
    return [mine for part in read for mine in grouped(part, lambda event: event.process).values()]


def _constants(logs: tuple[str, ...], words: Vocabulary) -> dict[str, Any]:
    """The constants that the file of --map finds in the logs; a log that comes by a pipe is not read twice."""
    paths = [path for log in logs for path in logs_in(log) if path != "-"]
    return words.constants_of((path, entries(path)) for path in paths)


def _asked(words: Vocabulary, given: dict[str, Any]) -> tuple[UnseenActions, Order]:
    unseen = UnseenActions((*words.unseen, *given["unseen"]), given["at_most"] or words.at_most or 1)
    return unseen, Order(given["clock"] is not None, given["clock"] or 0.0)


def _follower(spec: Spec, name: str, words: Vocabulary, given: dict[str, Any]) -> Follower:
    observer = watcher(given["quiet"])
    try:
        observer.phase("tracing")
        model = build(spec)
        observer.phase("compiling")
        limit, asked = given["limit"] or MOST, _asked(words, given)
        return Follower(model, name, *asked, limit, words.observes, given["first"], words.impossible)
    finally:
        observer.finish()


def _write(answer: Answer, spec: Any, given: dict[str, Any]) -> None:
    """The behaviour as a trace file and as a page."""
    if answer.behaviour is None:
        if given["out"] or given["html"]:
            note("note: the trace was too long to be kept, so it is not written")
        return
    if given["out"]:
        write_text(Path(given["out"]), dump(answer.behaviour.trace))
    if given["html"]:
        write_text(Path(given["html"]), report(answer.behaviour.trace, spec, _why(answer)))


def _why(answer: Answer) -> list[Section]:
    """What the page says above the trace: the verdict, the states that were looked at, and the nearest step."""
    word, _, sentence = last_line(answer).partition("  ")
    verdict = Section(word, (), (sentence, *invariants(answer, plain)))
    found = answer.why
    if found is None:
        return [verdict]
    made = [verdict]
    for number, refused in enumerate(found.refused):
        reasons = refused.reasons[1:] if number == 0 else refused.reasons  # the first one is that of the trace
        rows = tuple((reason, f"in {count:,} of {found.looked_at:,} states") for reason, count in reasons)
        differs = f", but {'; '.join(refused.differs)}" if refused.differs else ""
        notes = [f"Nearest step: {refused.nearest}{differs}"] if refused.nearest else []
        made.append(Section(f"{refused.event.place}: {refused.event}", rows, tuple(notes)))
    states = f"The spec can be in {count(found.number, 'state')} before the event."
    made.insert(1, Section(f"{count(answer.events, 'event')} explained", (), (states,)))
    return made
