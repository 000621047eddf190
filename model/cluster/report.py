"""What is said of a replay: whether it was reproduced, where each record is, and the first step that differed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..conformance.driver import OPEN, OTHERS
from ..conformance.report import AGREED, DIFFERS, INTERRUPTED, NOT_JUDGED, Found
from ..conformance.story import count, text
from ..records import ACKED
from .replay import Outcome

VERDICTS = {AGREED: "REPRODUCED", DIFFERS: "DIFFERENT", NOT_JUDGED: "NOT JUDGED", INTERRUPTED: "INTERRUPTED"}


def exit_code(outcome: Outcome) -> int:
    """What the command returns for a replay."""
    if outcome.interrupted:
        return INTERRUPTED
    if outcome.not_judged:
        return NOT_JUDGED
    return DIFFERS if outcome.difference is not None else AGREED


def together(outcomes: list[Outcome]) -> int:
    """The exit code of several replays: the gravest."""
    codes = {exit_code(outcome) for outcome in outcomes}
    return next((code for code in (DIFFERS, INTERRUPTED, NOT_JUDGED) if code in codes), AGREED)


def told(outcome: Outcome, version: str) -> Iterator[str]:
    """The account of a replay; the verdict is the last line."""
    if outcome.difference is not None:
        found = Found(outcome.target, outcome.shows, outcome.turns, outcome.seen, outcome.difference, outcome.planned)
        yield text(found, version) + "\n"
    else:
        yield from _steps(outcome)
    if outcome.records:
        yield from _records(outcome)
    if outcome.seconds:
        spent = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in outcome.seconds.items())
        memory = f"; {' + '.join(f'{size / 1e6:.0f}' for size in outcome.memory)} MB" if outcome.memory else ""
        yield f"{count(outcome.servers, 'server')}: {spent}{memory}"
    yield verdict(outcome, version)


def _steps(outcome: Outcome) -> Iterator[str]:
    for number, seen in enumerate(outcome.seen[1:], 1):
        yield f"{number:>3}. {seen.label}"
        yield from (f'      "{event["text"]}"' for event in seen.narration)


def _records(outcome: Outcome) -> Iterator[str]:
    """Where each record is."""
    for record, result in enumerate(outcome.results):
        written, read = ([f"{at}" for at in offsets(outcome, record, where)] for where in ("written", "records"))
        gone = f", and was at {', '.join(x for x in written if x not in read)}" if set(written) - set(read) else ""
        place = f"at offset{'s' * (len(read) > 1)} {' and '.join(read)}" if read else "nowhere in the log"
        yield f"record {record}: {place}{gone}; {'no result yet' if result == OPEN else result}"


def offsets(outcome: Outcome, record: int, where: str = "written") -> list[int]:
    """The offsets of a record: on the leader's disk, or as a consumer reads them."""
    return [at for partition in getattr(outcome, where) for at, found in partition if found == record]


def conclusions(outcome: Outcome) -> Iterator[str]:
    """What breaks a promise: records that were written twice, that are missing before others, or that are not told."""
    places = {record: offsets(outcome, record) for record in range(len(outcome.results))}
    for record, found in places.items():
        if len(found) > 1:
            yield f"record {record} is at offsets {' and '.join(map(str, found))}"
        if found and "failed" in outcome.results[record]:
            yield f"record {record} is at offset {found[0]} and was reported as {outcome.results[record]}"
        if not found and outcome.results[record] == ACKED:
            yield f"record {record} was acknowledged and is in no log"
    for partition in outcome.written:
        order = [record for _, record in partition if record != OTHERS]
        last = max(order, default=OTHERS)
        for record in range(last):
            missing = record not in order and record % len(outcome.written) == last % len(outcome.written)
            if missing:
                yield f"record {record} is not in the log, and record {last} is"


def verdict(outcome: Outcome, version: str) -> str:
    """The last line."""
    word = VERDICTS[exit_code(outcome)]
    head = f"{word}  {outcome.target}, {outcome.shows}, on Kafka {version}"
    taken = f"{len(outcome.turns)} of {count(outcome.planned, 'step')}"
    if outcome.not_judged:
        return f"{head}: {taken} taken; {outcome.not_judged}"
    if outcome.interrupted:
        return f"{head}: {taken} taken"
    if outcome.difference is not None:
        return f"{head}: step {len(outcome.turns)} differs"
    found = "; ".join(conclusions(outcome)) or "every record is in the log once, or nowhere"
    return f"{head}: {count(len(outcome.turns), 'step')}, each as in the model; {found}"


def as_json(outcome: Outcome, version: str) -> dict[str, Any]:
    """A replay as plain data."""
    return {
        "kafka": version,
        "verdict": VERDICTS[exit_code(outcome)],
        "exit_code": exit_code(outcome),
        "conclusions": list(conclusions(outcome)),
        **asdict(outcome),
    }
