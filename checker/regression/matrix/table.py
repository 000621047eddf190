"""The table of a matrix: variants by properties, one block for each set of properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...language.conformance import AGREED, DIFFERENT, NOTHING
from ...results.text import Paint, plain
from ..runners.outcome import PROVED, VIOLATED, compared
from .judge import Cell, Row

WIDTH = 120
ROLES = {"ok": "PROVED", "?": "UNDECIDED"}


def entry(cell: Cell | None, row: Row) -> str:
    """The text of a cell: states of a proof, steps of a violation; `!` where it is not as expected."""
    if cell is None:
        return ""
    found = {PROVED: "ok", VIOLATED: str(cell.finding.length if cell.finding.length is not None else "never")}
    found |= {AGREED: "ok", DIFFERENT: "differs", NOTHING: "-"}
    return found.get(cell.finding.status, "?") + ("!" if cell.wrong and not row.outcome.error else "")


def draw(rows: Sequence[Row], paint: Paint = plain, path: str = "") -> str:
    """The table of the checked variants, what is wrong (`path` is the file), and a summary line."""
    lines: list[str] = []
    judged = [row for row in rows if not row.interrupted]
    for names, members in _blocks(judged):
        lines += [*_block(names, members, paint), ""]
    bad = [row for row in judged if not row.good]
    for row in bad:
        lines += _wrong(row, paint, path)
    lines += [""] if bad else []
    return "\n".join([*lines, summary(rows, paint)]) + "\n"


def _wrong(row: Row, paint: Paint, path: str) -> Iterator[str]:
    """What is not as expected in a variant, and the command that shows its first trace."""
    yield paint("wrong", f"{row.variant.name}: {row.variant.title}".rstrip(": ")) + paint("faint", _place(row, path))
    lines = row.outcome.error.splitlines() if row.outcome.error else row.wrong
    yield from (f"  {line}" for line in lines)
    name = next((c.property for c in row.cells if c.wrong and c.property in row.outcome.traces), "")
    if name:
        yield f"  see: {row.variant.command(name)}"
    for cell in row.cells:
        if cell.wrong and cell.trace:
            yield from ("", *(f"  {line}".rstrip() for line in cell.trace.splitlines()))


def _place(row: Row, path: str) -> str:
    return f"  ({path}:{row.variant.line})" if path and row.variant.line else ""


def summary(rows: Sequence[Row], paint: Paint = plain) -> str:
    """The last line."""
    bad = sum(not row.good for row in rows)
    states = sum(row.outcome.distinct for row in rows)
    known = sum(row.outcome.cached for row in rows)
    before = f", {known} of {len(rows)} known from before" if known else ""
    extent = f"{states:,} states, {compared([row.outcome for row in rows])}{before}"
    judged = [row for row in rows if not row.interrupted]
    if len(judged) < len(rows):
        good = f"{len(judged)} of {counted(len(rows))} judged, {sum(row.good for row in judged)} as expected"
        return f"{paint('UNDECIDED', 'INTERRUPTED')}  {good} ({extent})"
    if not bad:
        return f"{paint('PROVED', 'AS EXPECTED')}  {counted(len(rows), 'all ')} ({extent})"
    return f"{paint('VIOLATED', 'NOT AS EXPECTED')}  {bad} of {counted(len(rows))} ({extent})"


def counted(number: int, before: str = "") -> str:
    """A number of variants as text; `before` is omitted for one."""
    return "1 variant" if number == 1 else f"{before}{number} variants"


def _blocks(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Rows in blocks with the same properties."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(_columns(row), []).append(row)
    yield from found.items()


def _columns(row: Row) -> tuple[str, ...]:
    return tuple(cell.property for cell in row.cells) if not row.outcome.error else ()


def _block(names: tuple[str, ...], rows: Sequence[Row], paint: Paint) -> Iterator[str]:
    width = max(len(row.variant.name) for row in rows)
    everywhere = _everywhere(names, rows, width)
    heads = ["states", *(name for name in names if name not in everywhere)]
    yield paint("faint", f"{'':<{width}}  " + "  ".join(f"{head:>{_wide(head)}}" for head in heads))
    for row in rows:
        cells = {cell.property: cell for cell in row.cells}
        texts = [(f"{row.outcome.distinct:,}", "states"), *((entry(cells.get(name), row), name) for name in heads[1:])]
        shown = "  ".join(_painted(f"{text:>{_wide(head)}}", text, paint) for text, head in texts)
        yield f"{paint('' if row.good else 'wrong', f'{row.variant.name:<{width}}')}  {shown}".rstrip()
    if everywhere:
        yield paint("faint", f"ok everywhere: {', '.join(everywhere)}")


def _everywhere(names: tuple[str, ...], rows: Sequence[Row], width: int) -> list[str]:
    """In a table that is too wide: the properties that are proved, as expected, in each of several rows."""
    if len(rows) == 1 or width + sum(_wide(name) + 2 for name in ("states", *names)) <= WIDTH:
        return []
    cells = [{cell.property: entry(cell, row) for cell in row.cells} for row in rows]
    return [name for name in names if all(found.get(name) == "ok" for found in cells)]


def _wide(head: str) -> int:
    return max(len(head), 11 if head == "states" else 5)


def _painted(text: str, entry: str, paint: Paint) -> str:
    role = "wrong" if entry.endswith("!") else ROLES.get(entry, "")
    return paint(role, text)
