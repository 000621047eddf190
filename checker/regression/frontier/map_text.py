"""The map of a grid as text: rows from the largest y down, so that it reads like a chart."""

from __future__ import annotations

from ...results.plain import show_constants
from ...results.text import Paint, count, plain
from ..runners.outcome import PROVED, REFUSED, UNDECIDED, VIOLATED, compared, some
from .grid import Cell, Grid

ROLES = {PROVED: "PROVED", VIOLATED: "VIOLATED", UNDECIDED: "UNDECIDED", REFUSED: "faint"}
MARKS = {PROVED: "ok", UNDECIDED: "?", REFUSED: "-"}
LEGEND = {
    PROVED: "ok proved",
    VIOLATED: "N violated, shortest counterexample of N steps",
    UNDECIDED: "? undecided",
    REFUSED: "- not a legal choice of constants",
}


def mark(cell: Cell) -> str:
    """The text of a cell."""
    if cell.finding.status == VIOLATED:
        return "x" if cell.finding.length is None else str(cell.finding.length)
    return MARKS[cell.finding.status]


def legend(grid: Grid) -> list[str]:
    """The meaning of the marks that occur."""
    seen = {cell.finding.status for cell in grid.cells}
    return [text for status, text in LEGEND.items() if status in seen]


def conditions(grid: Grid) -> str:
    """The conditions of the verdicts of all cells."""
    return ", ".join(dict.fromkeys(p for cell in grid.cells for p in cell.outcome.report.get("conditions", ())))


def title(grid: Grid) -> str:
    """What the map shows."""
    fixed = show_constants(grid.question.constants)
    subject = f"{grid.question.property} of {grid.question.target}" if grid.question.property else grid.question.target
    parts = [*([f"with {fixed}"] if fixed else []), *([conditions(grid)] if conditions(grid) else [])]
    return f"{subject} {', '.join(parts)}".rstrip()


def draw(grid: Grid, paint: Paint = plain) -> str:
    """The whole map."""
    texts = {(c.x, c.y): mark(c) for c in grid.cells}
    width = max(len(text) for text in (*texts.values(), *map(str, grid.x.values))) + 2
    margin = max(len(str(v)) for v in grid.y.values) + 2
    lines = [paint("title", title(grid)), "", grid.y.name]
    for y in reversed(grid.y.values):
        row = [paint(ROLES[grid.at(x, y).finding.status], f"{texts[x, y]:>{width}}") for x in grid.x.values]
        lines.append(f"{y:>{margin}} |{''.join(row)}")
    lines.append(f"{'':>{margin}} +{'-' * (width * len(grid.x.values))}")
    lines.append(f"{'':>{margin}}  {''.join(f'{x:>{width}}' for x in grid.x.values)}   {grid.x.name}")
    return "\n".join([*lines, "", *legend(grid), *reasons(grid), extent(grid)]) + "\n"


def extent(grid: Grid) -> str:
    """How many cells were checked, with how many states."""
    made = [cell.outcome for cell in grid.cells]
    states = sum(outcome.distinct for outcome in made)
    known = sum(outcome.cached for outcome in made)
    before = f", {known} of {len(made)} known from before" if known else ""
    return f"{count(len(made), 'check')} ({states:,} states, {compared(made)}{before})"


def reasons(grid: Grid) -> list[str]:
    """Why cells are open, each reason once."""
    found: dict[str, list[str]] = {}
    for cell in grid.cells:
        if cell.finding.status in (UNDECIDED, REFUSED):
            found.setdefault(cell.finding.reason, []).append(f"{grid.x.name}={cell.x} {grid.y.name}={cell.y}")
    return [f"{some(cells, '; ')}: {reason}" for reason, cells in found.items()]
