"""The report as text for people, and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from ..rules import sentences
from .finding_kinds import KINDS, Level
from .report import Report
from .wording import description, many, place, where, writer

Paint = Callable[[str, str], str]
ROLES = {"BROKEN": "VIOLATED", "CLEAN": "PROVED", "UNDECIDED": "UNDECIDED"}
LISTED = (Level.BROKEN, Level.DAMAGED, Level.SUSPICIOUS)
"""What the table lists one by one; legal findings are counted."""


def text(report: Report, limit: int, paint: Paint) -> str:
    """The report: what was read, a table of at most `limit` findings, what each kind means, the verdict."""
    return "\n".join([*_read(report), *_table(report, limit), *_meanings(report, paint), _last_line(report, paint)])


def _read(report: Report) -> Iterator[str]:
    counts = report.counts
    yield (
        f"read {many(report.files, 'file')}: {many(report.logs, 'log')}, {many(report.segments, 'segment')}, "
        f"{counts['batches']:,} batches"
    )
    parts = [f"{counts[name]:,} {text}" for name, text in SPECIAL.items() if counts[name]]
    if parts:
        yield "of these " + ", ".join(parts)
    yield ""


SPECIAL = {
    "transactional": "transactional",
    "control": "control batches (transaction markers, which have no sequence)",
    "plain": "without a producer id (not idempotent, nothing to audit)",
}


def _table(report: Report, limit: int) -> Iterator[str]:
    shown = [found for found in report.found if found.kind.level in LISTED][:limit]
    if not shown:
        return
    rows = [("finding", "log", "where", "producer", "what")]
    rows += [(found["kind"], where(found), place(found), writer(found), description(found)) for found in shown]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False) if width]
        yield "  ".join([*cells, row[4]]).rstrip()
    left = sum(report.number(level) for level in LISTED) - len(shown)
    if left:
        yield f"... and {left:,} more (--limit, --json, --parquet and --html show more)"
    yield ""


def _meanings(report: Report, paint: Paint) -> Iterator[str]:
    for name, count in report.kinds.items():
        kind = KINDS[name]
        yield paint("title", name) + f"  {count:,}  {kind.level}: {kind.title}"
        if kind.level is not Level.LEGAL:
            yield from (f"    {sentence}" for sentence in sentences(kind.rules))
        if likely := _likely(report, name):
            yield "    like " + ", ".join(f"everystate check {scenario}" for scenario in likely)
    if report.kinds:
        yield ""


def _likely(report: Report, kind: str) -> list[str]:
    """The scenarios that explain most of the findings of a kind, of those that violate or may violate idempotence."""
    if KINDS[kind].level is Level.LEGAL:
        return []
    found = [scenario for one in report.found if one["kind"] == kind for scenario in (one["scenarios"] or ())[:1]]
    return sorted(set(found), key=lambda scenario: (-found.count(scenario), scenario))[:3]


def _last_line(report: Report, paint: Paint) -> str:
    return paint(ROLES[report.verdict], report.verdict) + "  " + verdict(report)


def verdict(report: Report) -> str:
    """The text of the verdict."""
    match report.verdict:
        case "BROKEN":
            number = report.number(Level.BROKEN)
            return f"{many(number, 'finding')} {'breaks' if number == 1 else 'break'} the promise of idempotence"
        case "UNDECIDED":
            damage = many(report.number(Level.DAMAGED), "flaw")
            return f"nothing that was read breaks the promise of idempotence; {damage} of the input"
    text = "every sequence of every producer stands once, in order and without gaps"
    if unproved := report.kinds.get("unproved-gap", 0):
        text += f", as far as the offsets are there ({many(unproved, 'gap')} not judged)"
    if suspicious := report.number(Level.SUSPICIOUS):
        text += f"; {many(suspicious, 'finding')} to look at"
    return text


def as_json(report: Report) -> str:
    """One object: what was read, the verdict, the number of findings of each kind, and the first of them."""
    data = {
        "paths": list(report.paths),
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "files": report.files,
        "logs": report.logs,
        "segments": report.segments,
        **report.counts,
        "kinds": {name: {"level": KINDS[name].level, "count": count} for name, count in report.kinds.items()},
        "findings": [
            {name: value for name, value in found.values.items() if value is not None} for found in report.found
        ],
        "left_out": sum(report.kinds.values()) - len(report.found),
    }
    return json.dumps(data, ensure_ascii=False, indent=1)
