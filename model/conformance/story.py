"""A difference as a story with two columns: what each step changed in the model and in Kafka, and where they part."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from .driver import UNTOLD
from .report import AGREED, Found, Report
from .wording import OF_COURSE, told

WIDTH = 54
SAME = "the same"


@dataclass(frozen=True)
class Row:
    """An observable that a step changed, or in which the sides differ after it."""

    name: str
    model: str
    kafka: str
    differs: bool


@dataclass(frozen=True)
class Chapter:
    """One step: its name, what the model says of it, and what it changed."""

    number: int
    label: str
    said: list[str]
    rows: list[Row]
    error: str = ""


def chapters(found: Found) -> Iterator[Chapter]:
    """The steps of a difference; of the beginning only what differs is told."""
    for number, seen in enumerate(found.seen):
        before = found.seen[number - 1] if number else seen
        last = number == len(found.seen) - 1
        values = {name: (value, seen.kafka.get(name)) for name, value in seen.model.items() if value != UNTOLD}
        if last:
            values |= found.difference.values
        error = found.difference.error if last else ""
        rows = [
            Row(name, told(name, model), "-" if error else told(name, kafka), not error and model != kafka)
            for name, (model, kafka) in values.items()
            if (not error and model != kafka)
            or (model != before.model.get(name, model) and not name.startswith(OF_COURSE))
        ]
        said = [str(event["text"]) for event in seen.narration]
        if number or rows or error:
            yield Chapter(number, seen.label, said, rows, error)


def text(found: Found, version: str) -> str:
    """The story for a terminal."""
    lines = [title(found), *([f"known, and not modelled: {found.known}"] if found.known else [])]
    lines += ["", f"{'':4}{'MODEL':<{WIDTH}}  KAFKA {version}"]
    for chapter in chapters(found):
        lines += ["", f"{chapter.number:>3}. {chapter.label}"]
        lines += [f'      "{line}"' for line in chapter.said]
        for row in chapter.rows:
            lines += [f"  {'!' if row.differs else ' '} {row.name}:", *_columns(row)]
        if chapter.error:
            lines += [f"  ! Kafka cannot do that: {chapter.error}"]
    return "\n".join(lines)


def _columns(row: Row) -> Iterator[str]:
    left = textwrap.wrap(row.model, WIDTH) or [""]
    right = textwrap.wrap(row.kafka if row.differs or row.kafka == "-" else SAME, WIDTH) or [""]
    for at in range(max(len(left), len(right))):
        first, second = (side[at] if at < len(side) else "" for side in (left, right))
        yield f"      {first:<{WIDTH}}  {second}".rstrip()


def title(found: Found) -> str:
    """Where it was found, and how long it is."""
    steps, shrunk = len(found.turns), found.length > len(found.turns)
    before = f" (shrunk from {found.length})" if shrunk else ""
    before += f", and {found.times - 1:,} more like it" if found.times > 1 else ""
    after = f"after {steps} step{'s' * (steps != 1)}{before}"
    return f"{found.target}, {found.behaviour}: model and {found.part} differ {after}"


def summary(report: Report) -> Iterator[str]:
    """The account of one release; the verdict is the last line."""
    if report.fitted:
        yield f"taken with generation={report.generation}, that of {report.version}: {_names(report.fitted)}"
    for target, reasons in report.obstacles.items():
        yield from (f"{target} is not driven: {reason}" for reason in reasons)
    for target, reasons in report.undriven.items():
        yield from (
            f"{target} is not driven{'' if reason.startswith('beside ') else ':'} {reason}" for reason in reasons
        )
    for target, why in report.idle.items():
        yield f"of {target} there is nothing to drive: {why}"
    for target, why in report.cut.items():
        yield f"{target} may have other counterexamples: {why}"
    for part, targets in report.parts.items():
        yield f"{part}" + (f" (of {_names(targets)})" if len(report.parts) > 1 else "")
    if report.actions:
        yield f"actions: {_counted(report.actions)}"
        yield f"rules:   {_counted(report.rules)} (`everystate rules ID` says what each is)"
    driven = " and ".join(count(number, kind) for kind, number in report.behaviours.items()) or "nothing"
    speed = f", {report.steps / report.seconds:,.0f} steps/s" if report.seconds and report.steps else ""
    told = ""
    if report.exit_code == AGREED:
        told = f"after every step the model agrees with {', and with '.join(part.verdict for part in report.parts)}"
    if report.found:
        told = f"{report.differing} of them differ"
    yield f"{report.verdict}  Kafka {report.version}: {driven}, {report.steps:,} steps{speed}" + (
        f"; {told}" if told else ""
    )


def count(number: int, kind: str) -> str:
    """A number with its noun."""
    return f"{number:,} {kind}" + "s" * (number != 1)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items()))


def _names(targets: list[str]) -> str:
    return ", ".join(targets) if len(targets) <= 3 else f"{len(targets)} targets"
