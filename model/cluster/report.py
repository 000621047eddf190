"""The text on a replay: whether it was reproduced, where each record is, and the first step that differed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..conformance.difference_text import count, text
from ..conformance.driver import OPEN, OTHERS
from ..conformance.report import AGREED, DIFFERS, INTERRUPTED, NOT_JUDGED, FoundDifference
from .evidence import PROMISES, conclusions, offsets
from .outcome import Finding, Outcome

VERDICTS = {AGREED: "REPRODUCED", DIFFERS: "DIFFERENT", NOT_JUDGED: "NOT JUDGED", INTERRUPTED: "INTERRUPTED"}
FINE = "every record is in the log once, or nowhere"


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


def outcome_lines(outcome: Outcome, version: str) -> Iterator[str]:
    """The results of a replay; the verdict is the last line."""
    if outcome.difference is not None:
        found = FoundDifference(
            outcome.target, outcome.shows, outcome.turns, outcome.seen, outcome.difference, outcome.planned
        )
        yield text(found, version) + "\n"
    else:
        yield from _steps(outcome)
    if outcome.records:
        yield from _records(outcome)
        yield from _witnesses(outcome)
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
        written, read = ([f"{at}" for at in offsets(where, record)] for where in (outcome.written, outcome.records))
        gone = f", and was at {', '.join(x for x in written if x not in read)}" if set(written) - set(read) else ""
        place = f"at offset{'s' * (len(read) > 1)} {' and '.join(read)}" if read else "nowhere in the log"
        yield f"record {record}: {place}{gone}; {'no result yet' if result == OPEN else result}"


def _witnesses(outcome: Outcome) -> Iterator[str]:
    """The conclusion from each source, on a line of its own."""
    yield f"{'model:':<10}{'; '.join(conclusions(outcome.predicted, outcome.results)) or FINE}"
    yield f"{'consumer:':<10}{'; '.join(read(outcome)) or FINE}"
    audited = outcome.audited
    if audited is None:
        yield f"{'audit:':<10}none; {outcome.not_audited or '--no-audit'}"
        return
    mine = [found for found in audited.findings if found.broker == outcome.leader]
    for found in mine:
        yield f"{'audit:':<10}{found.kind} at offset {found.offset}: {found.said}; {likely(found, outcome.target)}"
    if not mine:
        yield f"{'audit:':<10}nothing wrong in the log"
    yield from (f"{'':<10}no log shows {each}" for each in audited.hidden)


def read(outcome: Outcome) -> Iterator[str]:
    """The conclusion from the consumer; what retention has deleted was seen on the disk before."""
    yield from conclusions(outcome.records, outcome.results)
    for written, found in zip(outcome.written, outcome.records, strict=True):
        gone = [f"{at}" for at, record in written if (at, record) not in found and record != OTHERS]
        if gone:
            yield f"offset{'s' * (len(gone) > 1)} {', '.join(gone)} on the disk until retention came"


def likely(found: Finding, target: str) -> str:
    """The reverse check: the scenarios that the audit, which knows nothing of the replay, finds likely."""
    if not found.like:
        return "like no scenario"
    return "like " + ", ".join(f"{name} (this one)" if name == target else name for name in found.like)


def word(outcome: Outcome) -> str:
    """The verdict. A trace that is no counterexample of a guarantee, such as a walk, can only agree with the model."""
    code = exit_code(outcome)
    return "AGREED" if code == AGREED and outcome.shows not in PROMISES else VERDICTS[code]


def verdict(outcome: Outcome, version: str) -> str:
    """The last line."""
    head = f"{word(outcome)}  {outcome.target}, {outcome.shows}, on Kafka {version}"
    taken = f"{len(outcome.turns)} of {count(outcome.planned, 'step')}"
    if outcome.not_judged:
        return f"{head}: {taken} taken; {outcome.not_judged}"
    if outcome.interrupted:
        return f"{head}: {taken} taken"
    if outcome.difference is not None:
        return f"{head}: step {len(outcome.turns)} differs"
    found = "; ".join(conclusions(outcome.written, outcome.results)) or FINE
    return f"{head}: {count(len(outcome.turns), 'step')}, each as in the model; {found}{_agreed(outcome)}"


def _agreed(outcome: Outcome) -> str:
    """What the audit adds."""
    if outcome.audited is None:
        return ""
    if outcome.audited.found:
        return f"; the audit finds the {', the '.join(outcome.audited.found)}"
    return "; the audit finds nothing, as no log shows it" if outcome.audited.hidden else "; the audit finds nothing"


def as_json(outcome: Outcome, version: str) -> dict[str, Any]:
    """A replay as plain data."""
    found = asdict(outcome)
    for finding in (found["audited"] or {"findings": []})["findings"]:
        del finding["picture"]
    return {
        "kafka": version,
        "verdict": word(outcome),
        "exit_code": exit_code(outcome),
        "conclusions": list(conclusions(outcome.written, outcome.results)),
        **found,
    }
