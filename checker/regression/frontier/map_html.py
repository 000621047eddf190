"""The map of a grid as one page without scripts or outside files; a click on a red cell opens its counterexample."""

from __future__ import annotations

from html import escape

from ..runners.outcome import PROVED, VIOLATED
from . import map_svg
from .grid import Cell, Grid
from .map_text import reasons, title

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light dark; --page: #fff; --ink: #1f2328; --faint: #59636e; --box: #f6f8fa; --edge: #d1d9e0; }}
  @media (prefers-color-scheme: dark) {{
    :root {{ --page: #0d1117; --ink: #e6edf3; --faint: #9198a1; --box: #151b23; --edge: #3d444d; }}
  }}
  body {{ margin: 0 auto; max-width: 1400px; padding: 24px 16px 60px; background: var(--page); color: var(--ink);
         font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }}
  main {{ display: flex; flex-wrap: wrap; gap: 8px 32px; align-items: flex-start; }}
  .map {{ flex: 0 1 auto; min-width: 0; }}
  .stories {{ flex: 1 1 520px; min-width: 0; }}
  svg {{ max-width: 100%; height: auto; color: var(--ink); }}
  p {{ max-width: 70ch; }}
  .faint {{ color: var(--faint); }}
  .story {{ display: none; border: 1px solid var(--edge); border-radius: 8px; padding: 12px 18px;
           background: var(--box); scroll-margin-top: 24px; }}
  .story:target {{ display: block; }}
  .story h2 {{ font-size: 17px; margin: 4px 0 8px; }}
  .story a {{ float: right; color: inherit; }}
  pre {{ overflow-x: auto; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; margin: 0; }}
</style>
</head>
<body>
<main>
<div class="map">
{picture}
<p>{summary}</p>
{notes}
</div>
<div class="stories">
{stories}
</div>
</main>
</body>
</html>
"""


def draw(grid: Grid) -> str:
    """The page."""
    open_cells = reasons(grid)
    notes = "".join(f'<p class="faint">{escape(line)}</p>' for line in open_cells)
    stories = "\n".join(_story(grid, cell) for cell in grid.cells if cell.finding.status == VIOLATED)
    return PAGE.format(
        title=escape(f"Safety frontier: {title(grid)}"),
        picture=map_svg.draw(grid, links=True),
        summary=escape(_summary(grid)),
        notes=notes,
        stories=stories,
    )


def _summary(grid: Grid) -> str:
    proved = [c for c in grid.cells if c.finding.status == PROVED and not c.implied]
    violated = [c for c in grid.cells if c.finding.status == VIOLATED]
    states = sum(c.outcome.distinct for c in grid.cells if not c.implied)
    said = f"{len(proved)} cells are proved and {len(violated)} violated; {states:,} states were visited for this map."
    return f"{said} Choose a red cell to read its shortest counterexample." if violated else said


def _story(grid: Grid, cell: Cell) -> str:
    story = cell.outcome.told(grid.question.property)
    if story is None:
        return ""
    return (
        f'<section class="story" id="{map_svg.anchor(cell)}"><a href="#">close</a>'
        f"<h2>{escape(map_svg.told(grid, cell))}</h2>\n<pre>{escape(story.text)}</pre></section>"
    )
