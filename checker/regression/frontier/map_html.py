"""The map of a grid as one self-contained page; a click on a red cell opens its counterexample as a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....counterexamples.report import facts, script
from ....counterexamples.svg import STYLE
from ...language.spec import Spec
from ...pages import drawn, page, text
from ...results.itf import parse
from ..runners.outcome import PROVED, VIOLATED
from . import map_svg
from .grid import Cell, Grid
from .map_text import reasons, title

Load = Callable[[str, dict[str, Any]], Spec]


def draw(grid: Grid, load: Load) -> str:
    """The page; `load` makes the spec of a cell."""
    return page(
        f"{__package__}/map.html",
        styles=STYLE,
        script=script() + text(f"{__package__}/map.js"),
        title=f"Safety frontier: {title(grid)}",
        picture=drawn(map_svg.draw(grid, links=True)),
        summary=_summary(grid),
        notes=reasons(grid),
        cells=[found for cell in grid.cells for found in _report(grid, cell, load)],
    )


def _summary(grid: Grid) -> str:
    proved = [c for c in grid.cells if c.finding.status == PROVED]
    violated = [c for c in grid.cells if c.finding.status == VIOLATED]
    states = sum(c.outcome.distinct for c in grid.cells)
    said = f"{len(proved)} cells are proved and {len(violated)} violated; {states:,} states were visited for this map."
    return f"{said} Choose a red cell to see its shortest counterexample." if violated else said


def _report(grid: Grid, cell: Cell, load: Load) -> list[dict[str, Any]]:
    """The report of a violated cell; nothing where its trace is not known."""
    rendered = cell.outcome.trace_of(grid.question.property)
    if rendered is None:
        return []
    asked = grid.question
    spec = load(asked.target, {**asked.constants, grid.x.name: cell.x, grid.y.name: cell.y})
    trace = parse(rendered.itf, map_svg.anchor(cell)).trace(spec)
    return [{"anchor": map_svg.anchor(cell), "told": map_svg.label(grid, cell), "trace": facts(trace, spec)}]
