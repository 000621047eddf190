"""Output for GitHub Actions: annotations on standard output, and a step summary in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...language.conformance import AGREED, NOTHING
from ..matrix.baseline import MEANINGS, Change
from ..matrix.judge import Cell, Row
from ..matrix.table import counted
from ..runners.outcome import PROVED, VIOLATED

MOST = 900_000
"""The maximum length of a step summary in characters; GitHub refuses more than 1 MiB."""
GOOD = (PROVED, AGREED, NOTHING)
SIGNS = {PROVED: "✅", VIOLATED: "❌"}


def command(level: str, text: str, **where: object) -> str:
    """One workflow command: ::error file=..,line=..,title=..::text, escaped as the runner's toolkit escapes."""
    given = ",".join(f"{name}={_property(str(value))}" for name, value in where.items() if value not in ("", 0, None))
    return f"::{level}{' ' + given if given else ''}::{_data(text)}"


def commands(rows: Sequence[Row], changes: Sequence[Change], path: str) -> list[str]:
    """An error for each variant that is not as expected, a warning for each other change."""
    lines = []
    for row in rows:
        if not row.good and not row.interrupted:
            level = "warning" if row.open else "error"
            text = "; ".join(row.wrong)
            lines.append(command(level, text, file=path, line=row.variant.line, title=row.variant.name))
    places = {row.variant.name: row.variant.line for row in rows}
    for change in changes:
        text = f"{change.what}. {MEANINGS[change.sort]}"
        level = "error" if change.serious else "warning"
        lines.append(command(level, text, file=path, line=places.get(change.variant, 0), title=change.variant))
    return lines


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# -- the step summary --------------------------------------------------------------------------------------


def summary(rows: Sequence[Row], changes: Sequence[Change]) -> str:
    """The table, the changes, and the counterexamples of unexpected violations in collapsed sections."""
    judged = [row for row in rows if not row.interrupted]
    bad = [row for row in judged if not row.good]
    wrong = f"{len(bad)} of {counted(len(rows))} {'is' if len(bad) == 1 else 'are'} not as expected"
    said = wrong if bad else f"{counted(len(rows), 'all ')} as expected"
    if len(judged) < len(rows):
        said = f"interrupted, {len(judged)} of {counted(len(rows))} judged, {len(judged) - len(bad)} as expected"
    parts = [f"## {'❌' if bad else '✅' if len(judged) == len(rows) else '❔'} Everystate: {said}\n"]
    parts += ["\n".join(_table(bad)) + "\n"] if bad else []
    parts += [f"**{_cell(str(change))}** ({MEANINGS[change.sort]})\n" for change in changes]
    for row in bad:
        parts += [_details(row, cell) for cell in row.cells if cell.wrong and row.trace(cell)]
    parts.append("<details><summary>All variants</summary>\n\n" + "\n".join(_table(rows)) + "\n\n</details>\n")
    return _bounded(parts)


def _bounded(parts: Sequence[str]) -> str:
    found, size = [], 0
    for part in parts:
        size += len(part.encode())
        if size > MOST:
            found.append("*(the summary is cut here; the reports hold the rest)*\n")
            break
        found.append(part)
    return "\n".join(found)


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield "| variant | | found | states | not as expected |"
    yield "|---|---|---|---:|---|"
    for row in rows:
        found = ", ".join(f"{c.property} {_steps(c)}" for c in row.cells if c.finding.status not in GOOD) or "proved"
        wrong = "; ".join(row.wrong)
        sign = SIGNS[PROVED if row.good else VIOLATED] if not row.open else "❔"
        columns = (row.variant.name, sign, found, f"{row.outcome.distinct:,}", wrong)
        yield "| " + " | ".join(map(_cell, columns)) + " |"


def _steps(cell: Cell) -> str:
    if cell.finding.status != VIOLATED:
        return cell.finding.status
    return "is never reached" if cell.finding.length is None else f"violated after {cell.finding.length}"


def _cell(text: str) -> str:
    """A text that cannot break the table."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    return " ".join(safe.split())


def _details(row: Row, cell: Cell) -> str:
    rendered = row.outcome.traces.get(cell.property)
    title = _cell(f"{row.variant.name}: {cell.property} {_steps(cell)}")
    drawn = f"```mermaid\n{rendered.mermaid}```\n\n" if rendered else ""
    return f"<details><summary>{title}</summary>\n\n{drawn}{_fence(row.trace(cell))}\n\n</details>\n"


def _fence(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
