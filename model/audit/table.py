"""The report as text for people, and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from ..rules import sentences
from .finding_kinds import KINDS, Level
from .report import Report
from .wording import description, many, place, where, writer

Paint = Callable[[str, str], str]
ROLES = {"BROKEN": "VIOLATED", "CLEAN": "PROVED"}
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
    "plain": "without a producer id (not idempotent: no sequences to check)",
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
            yield "    similar to " + ", ".join(f"everystate check {scenario}" for scenario in likely)
    if report.kinds:
        yield ""


def _likely(report: Report, kind: str) -> list[str]:
    """The scenarios that explain most of the findings of a kind, of those that violate or may violate idempotence."""
    if KINDS[kind].level is Level.LEGAL:
        return []
    found = [scenario for one in report.found if one["kind"] == kind for scenario in (one["scenarios"] or ())[:1]]
    return sorted(set(found), key=lambda scenario: (-found.count(scenario), scenario))[:3]


def _last_line(report: Report, paint: Paint) -> str:
    return paint(ROLES.get(report.verdict, "UNDECIDED"), report.verdict) + "  " + verdict(report)


def verdict(report: Report) -> str:
    """The text of the verdict: what was found, what was checked, and what was not."""
    checked = f"{many(report.checked, 'batch', 'batches')} of producers in {many(report.owned, 'log')}"
    open_ = "; ".join(_open(report))
    match report.verdict:
        case "BROKEN":
            number = report.number(Level.BROKEN)
            return f"{many(number, 'finding')} {'breaks' if number == 1 else 'break'} the promise of idempotence"
        case "SUSPICIOUS":
            number = report.number(Level.SUSPICIOUS)
            text = f"{many(number, 'finding')} may break the promise of idempotence: look at the records"
            return text + (f"; {open_}" if open_ else "")
        case "UNDECIDED" if not report.checked:
            return f"nothing was checked: {open_ or 'the input has no batch'}"
        case "UNDECIDED":
            return f"{checked} break nothing, but {open_}"
        case "BEGINS LATE":
            return f"{checked} break nothing; of earlier ones nothing is known: {many(report.late, 'place')} to look at"
    return f"every sequence of every producer is there once, in order and without gaps: {checked}"


def _open(report: Report) -> Iterator[str]:
    """What was not read, or not checked."""
    if damaged := report.number(Level.DAMAGED):
        kinds = [name for name in report.kinds if KINDS[name].level is Level.DAMAGED]
        yield f"{many(damaged, 'flaw')} of the input ({', '.join(kinds)})"
    if report.unchecked:
        yield f"{many(report.unchecked, 'batch', 'batches')} without a producer id"
    if not report.checked and not report.unchecked and report.counts["batches"]:
        yield "no batch is one of a producer"


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
        "checked": report.checked,
        "unchecked": report.unchecked,
        "kinds": {name: {"level": KINDS[name].level, "count": count} for name, count in report.kinds.items()},
        "findings": [
            {name: value for name, value in found.values.items() if value is not None} for found in report.found
        ],
        "left_out": sum(report.kinds.values()) - len(report.found),
    }
    return json.dumps(data, ensure_ascii=False, indent=1)
