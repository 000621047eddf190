"""The map of a grid as SVG: one file, readable on a light and on a dark page, and without colours.

A violated cell is the darker the sooner it fails; its number is the shortest length. White on any of the
colours has a contrast of at least 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..runners.outcome import PROVED, REFUSED, UNDECIDED, VIOLATED
from .grid import Axis, Cell, Grid
from .map_text import title

SIDE, GAP, LEFT, TOP, BOTTOM = 60, 4, 84, 58, 104
LETTER = 7
"""Width of a letter of an axis, on average, in pixels."""
SOON, LATE = (122, 18, 18), (207, 56, 48)
COLOURS = {PROVED: "#1a7f37", UNDECIDED: "#8a6100", REFUSED: "#6e7781"}
SIGNS = {PROVED: "✓", UNDECIDED: "?", REFUSED: "-"}
WORDS = {PROVED: "proved", VIOLATED: "violated after N steps", UNDECIDED: "undecided", REFUSED: "not a legal choice"}
STYLE = """
  .frontier text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .frontier .title { font-size: 16px; font-weight: 600; }
  .frontier .faint { fill: #59636e; }
  .frontier .in { font-size: 20px; font-weight: 600; fill: #fff; }
  .frontier .small { font-size: 14px; }
  .frontier a:hover rect, .frontier a:focus rect { stroke: currentColor; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    .frontier text { fill: #e6edf3; } .frontier .faint { fill: #9198a1; } .frontier .in { fill: #fff; }
  }
"""


def draw(grid: Grid, links: bool = False) -> str:
    """The picture; with `links` a violated cell is a link to #x-y."""
    width = max(LEFT + len(grid.x.values) * (SIDE + GAP) + 24, _text_width(grid))
    height = TOP + len(grid.y.values) * (SIDE + GAP) + BOTTOM
    # Screen readers see only the title of a picture.
    role = f'role="group" aria-label="{escape(_summary(grid))}"' if links else 'role="img"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="frontier" {role} viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f"<title>{escape(_summary(grid))}</title>",
        f"<style>{STYLE}</style>",
        *_headings(grid),
        *(line for cell in grid.cells for line in _cell(grid, cell, links)),
        *_axes(grid),
        *_legend(grid, height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _text_width(grid: Grid) -> int:
    words = [WORDS[s] for s in WORDS if any(c.finding.status == s for c in grid.cells)]
    return max(24 + 8 * len(title(grid)), 24 + sum(8 * len(word) + 50 for word in words))


def _summary(grid: Grid) -> str:
    counts = {status: sum(c.finding.status == status for c in grid.cells) for status in WORDS}
    said = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    return f"{title(grid)}: {grid.x.name} against {grid.y.name}, {said}"


def _headings(grid: Grid) -> Iterator[str]:
    head, _, fixed = title(grid).partition(" with ")
    yield f'<text class="title" x="14" y="24">{escape(head)}</text>'
    if fixed:
        yield f'<text class="faint small" x="14" y="44">{escape(fixed)}</text>'


def _corner(grid: Grid, cell: Cell) -> tuple[int, int]:
    column, row = grid.x.values.index(cell.x), grid.y.values.index(cell.y)
    return LEFT + column * (SIDE + GAP), TOP + (len(grid.y.values) - 1 - row) * (SIDE + GAP)


def _cell(grid: Grid, cell: Cell, links: bool) -> Iterator[str]:
    left, top = _corner(grid, cell)
    linked = links and cell.outcome.trace_of(grid.question.property) is not None
    if linked:
        yield f'<a href="#{anchor(cell)}" aria-label="{escape(label(grid, cell))}">'
    yield f'<g class="{cell.finding.status}">'
    yield f"<title>{escape(label(grid, cell))}</title>"
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" rx="6" fill="{colour(grid, cell)}"/>'
    x, y = left + SIDE // 2, top + SIDE // 2 + 7
    yield f'<text class="in" x="{x}" y="{y}" text-anchor="middle">{escape(sign(cell))}</text>'
    yield "</g></a>" if linked else "</g>"


def anchor(cell: Cell) -> str:
    """The name of a cell in a page."""
    return f"cell_{cell.x}_{cell.y}".replace("-", "m")


def sign(cell: Cell) -> str:
    """The text of a cell."""
    if cell.finding.status == VIOLATED:
        return "x" if cell.finding.length is None else str(cell.finding.length)
    return SIGNS[cell.finding.status]


def label(grid: Grid, cell: Cell) -> str:
    """One cell in words."""
    place = f"{grid.x.name} = {cell.x}, {grid.y.name} = {cell.y}"
    if cell.finding.status == VIOLATED and cell.finding.length is not None:
        return f"{place}: violated after {cell.finding.length} steps"
    if cell.finding.status == PROVED:
        return f"{place}: proved, all {cell.outcome.distinct:,} reachable states"
    return f"{place}: {cell.finding.status}; {cell.finding.reason}"


def colour(grid: Grid, cell: Cell) -> str:
    """The colour of a cell; the sooner it fails the darker."""
    if cell.finding.status != VIOLATED:
        return COLOURS[cell.finding.status]
    lengths = [c.finding.length for c in grid.cells if c.finding.length is not None]
    least, most = min(lengths, default=0), max(lengths, default=0)
    share = ((cell.finding.length or least) - least) / (most - least) if most > least else 1.0
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(SOON, LATE, strict=True))


def _axes(grid: Grid) -> Iterator[str]:
    bottom = TOP + len(grid.y.values) * (SIDE + GAP)
    for column, x in enumerate(grid.x.values):
        yield f'<text x="{LEFT + column * (SIDE + GAP) + SIDE // 2}" y="{bottom + 18}" text-anchor="middle">{x}</text>'
    for row, y in enumerate(reversed(grid.y.values)):
        yield f'<text x="{LEFT - 14}" y="{TOP + row * (SIDE + GAP) + SIDE // 2 + 5}" text-anchor="end">{y}</text>'
    middle = LEFT + len(grid.x.values) * (SIDE + GAP) // 2
    yield f'<text class="faint" x="{middle}" y="{bottom + 42}" text-anchor="middle">{_label(grid.x)}</text>'
    height = TOP + len(grid.y.values) * (SIDE + GAP) // 2
    turned = f'transform="rotate(-90 26 {height})"'
    yield f'<text class="faint" x="26" y="{height}" text-anchor="middle" {turned}>{_label(grid.y)}</text>'


def _label(axis: Axis) -> str:
    """The name of a constant, with its description where there is space for that."""
    words = f"{axis.name}: {axis.text}"
    return escape(words if axis.text and LETTER * len(words) <= len(axis.values) * (SIDE + GAP) else axis.name)


def _legend(grid: Grid, height: int) -> Iterator[str]:
    left = 14
    for status, words in WORDS.items():
        example = next((c for c in grid.cells if c.finding.status == status), None)
        if example is None:
            continue
        yield f'<rect x="{left}" y="{height - 31}" width="16" height="16" rx="3" fill="{colour(grid, example)}"/>'
        yield f'<text class="small" x="{left + 22}" y="{height - 18}">{words}</text>'
        left += 8 * len(words) + 40
