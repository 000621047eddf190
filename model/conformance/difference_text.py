"""A trace in two columns: what each step changed in the model and in Kafka, and any differences."""

from __future__ import annotations

import itertools
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..rules import rules
from .compare import Difference, ObservedStep
from .driver import UNTOLD
from .report import AGREED, Agreed, FoundDifference, Report
from .wording import OF_COURSE, value_text

WIDTH = 54
LEFT, RIGHT = 35, 60
"""Columns of a counterexample that was reproduced."""
SAME = "the same"
REPRODUCED = "Reproduced on Kafka"
RULES = "Rules of Kafka whose effect was seen, and how often"
NOTHING_DIFFERS = Difference()
UNTOLD_KINDS = 5
"""So many kinds of values that were not compared are named."""


@dataclass(frozen=True)
class Row:
    """An observable that a step changed, or in which the sides differ after it."""

    name: str
    model: str
    kafka: str
    differs: bool


@dataclass(frozen=True)
class ComparedStep:
    """One step: its name, its narration in the model, its changes, and the methods of Kafka that it showed."""

    number: int
    label: str
    said: list[str]
    rows: list[Row]
    error: str = ""
    methods: tuple[str, ...] = ()


def compared_steps(
    sides: Sequence[ObservedStep], difference: Difference = NOTHING_DIFFERS, shown: Sequence[list[str]] = ()
) -> Iterator[ComparedStep]:
    """The steps of a trace, where each has `shown` some rules; the initial state has its differences only."""
    for number, seen in enumerate(sides):
        before = sides[number - 1] if number else seen
        last = number == len(sides) - 1
        values = {name: (value, seen.kafka.get(name)) for name, value in seen.model.items() if value != UNTOLD}
        if last:
            values |= difference.values
        error = difference.error if last else ""
        rows = [
            Row(name, value_text(name, model), "-" if error else value_text(name, kafka), not error and model != kafka)
            for name, (model, kafka) in values.items()
            if (not error and model != kafka)
            or (model != before.model.get(name, model) and not name.startswith(OF_COURSE))
        ]
        said = [str(event["text"]) for event in seen.narration]
        if number or rows or error:
            yield ComparedStep(
                number, seen.label, said, rows, error, methods(shown[number - 1]) if number and shown else ()
            )


def methods(ids: Iterable[str]) -> tuple[str, ...]:
    """The methods of Kafka for some rules, each with its rule."""
    known = rules()
    found = [(rule, known[rule.partition(" ")[0]].kafka) for rule in ids]
    return tuple(f"{where[0]} ({rule})" for rule, where in found if where)


def text(found: FoundDifference, version: str) -> str:
    """The trace as text for a terminal."""
    lines = [title(found), *([f"known, and not modelled: {found.known}"] if found.known else [])]
    lines += ["", f"{'':4}{'MODEL':<{WIDTH}}  KAFKA {version}"]
    for chapter in compared_steps(found.seen, found.difference):
        lines += ["", f"{chapter.number:>3}. {chapter.label}"]
        lines += [f'      "{line}"' for line in chapter.said]
        for row in chapter.rows:
            lines += [f"  {'!' if row.differs else ' '} {row.name}:", *_columns(row)]
        if chapter.error:
            lines += [f"  ! Kafka cannot do that: {chapter.error}"]
    return "\n".join(lines)


def agreed_text(title: str, agreed: Agreed, version: str) -> str:
    """A reproduced counterexample for a terminal: the steps of the model, and what Kafka's classes did in each."""
    lines = [title, "", f"{'':5}{'MODEL':<{LEFT}}KAFKA {version}, with the same values"]
    for chapter in compared_steps(agreed.seen, shown=agreed.rules):
        left = [f"{chapter.number:>3}. {chapter.label}"]
        left += [f"     {part}" for said in chapter.said for part in textwrap.wrap(f'"{said}"', LEFT - 2)]
        right = list(chapter.methods)
        for row in chapter.rows:
            right += textwrap.wrap(f"{row.name}: {row.kafka}", RIGHT, initial_indent="  ", subsequent_indent="    ")
        pairs = itertools.zip_longest(left, right, fillvalue="")
        lines += ["", *(f"{first:<{LEFT + 5}}{second}".rstrip() for first, second in pairs)]
    return "\n".join(lines)


def _columns(row: Row) -> Iterator[str]:
    left = textwrap.wrap(row.model, WIDTH) or [""]
    right = textwrap.wrap(row.kafka if row.differs or row.kafka == "-" else SAME, WIDTH) or [""]
    for at in range(max(len(left), len(right))):
        first, second = (side[at] if at < len(side) else "" for side in (left, right))
        yield f"      {first:<{WIDTH}}  {second}".rstrip()


def title(found: FoundDifference) -> str:
    """Where it was found, and how long it is."""
    steps, shrunk = len(found.turns), found.length > len(found.turns)
    before = f" (shrunk from {found.length})" if shrunk else ""
    before += f", and {found.times - 1:,} more like it" if found.times > 1 else ""
    after = f"after {steps} step{'s' * (steps != 1)}{before}"
    return f"{found.target}, {found.behaviour}: model and {found.part} differ {after}"


def summary(report: Report) -> Iterator[str]:
    """The results for one release; the verdict is the last line."""
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
    if len(report.agreed) < sum(report.behaviours.values()) and report.actions:
        yield f"actions: {_counted(report.actions)}"
    if report.untold:
        yield told(report)
    for reason, number in report.avoided.items():
        yield f"not driven, though possible in {count(number, 'state')}: {reason}"
    if report.unmet:
        yield f"rules not met, of those that walks count: {', '.join(report.unmet)}"
    driven = " and ".join(count(number, kind) for kind, number in report.behaviours.items()) or "nothing"
    speed = f", {report.steps / report.seconds:,.0f} steps/s" if report.seconds and report.steps else ""
    agreement = ""
    if report.exit_code == AGREED:
        agreement = (
            f"after every step the model agrees with {', and with '.join(part.verdict for part in report.parts)}"
        )
    if report.found:
        agreement = f"{report.differing} of them differ{_known(report)}"
    yield f"{report.verdict}  Kafka {report.version}: {driven}, {report.steps:,} steps{speed}" + (
        f"; {agreement}" if agreement else ""
    )


def told(report: Report) -> str:
    """How many values were compared, and of which kinds the model has none, the most frequent first."""
    said, silent = sum(report.compared.values()), sum(report.untold.values())
    kinds = [
        f"{name} ({100 * number / (number + report.compared[name]):.0f} %)"
        for name, number in report.untold.most_common(UNTOLD_KINDS)
    ]
    return f"{said:,} values compared; {silent:,} were not, since the model does not have them: {', '.join(kinds)}"


def _known(report: Report) -> str:
    """Which of the differences are known ones, by their names; empty if none is."""
    counts: Counter[str] = Counter()
    for found in report.found:
        if found.known:
            counts[found.known.partition(":")[0]] += found.times
    told = ", ".join(f"{name} {times:,}" for name, times in counts.items())
    return f" (known: {told})" if told else ""


def met(report: Report) -> list[tuple[str, int, str]]:
    """The rules whose effect was seen: the id, how often, and a short text of the rule."""
    known = rules()
    ids = sorted(report.rules, key=lambda name: list(known).index(name.partition(" ")[0]))
    return [(name, report.rules[name], known[name.partition(" ")[0]].in_short) for name in ids]


def count(number: int, kind: str) -> str:
    """A number with its noun."""
    return f"{number:,} {kind}" + "s" * (number != 1)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items()))


def _names(targets: list[str]) -> str:
    return ", ".join(targets) if len(targets) <= 3 else f"{len(targets)} targets"
