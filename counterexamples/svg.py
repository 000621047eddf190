"""A sequence diagram as SVG: no fonts, no scripts, no network; light in itself, so readable in dark mode too."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from .diagram import Diagram
from .layout import GUTTER, LINE, MARGIN, NARROW, PANE, SIZE, SMALL, WIDTH, Box, Layout, arrange, head_height
from .messages import CHANGE, LABEL, MARK, Message, Note
from .text_width import wrap

STYLE = """\
.sequence text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif;
  fill: #1f2430; }
.sequence .page { fill: #ffffff; stroke: #d5dae3; }
.sequence .title { font-size: 16px; font-weight: 600; }
.sequence .small { font-size: 11.5px; fill: #5a6474; }
.sequence .number { font-size: 11.5px; fill: #6b7585; text-anchor: end; }
.sequence .middle { text-anchor: middle; }
.sequence .strong { font-weight: 600; }
.sequence .band { fill: #f4f6fa; }
.sequence .plain { fill: none; }
.sequence .wrong { fill: #fdebea; }
.sequence .lane { stroke: #b9c1ce; stroke-width: 1.5; }
.sequence .head { fill: #e6ecf7; stroke: #8fa3c7; }
.sequence .note { fill: #eef4ea; stroke: #9dbb8b; }
.sequence .mark { fill: #fff3d6; stroke: #d8a53a; }
.sequence .label { fill: #f1f2f5; stroke: #c4cad4; }
.sequence .culprit { fill: #fbd5d2; stroke: #c8372d; }
.sequence .broken { fill: #fdebea; stroke: #c8372d; stroke-width: 1.5; }
.sequence .arrow { fill: none; stroke: #35507f; stroke-width: 1.5; }
.sequence .tip { fill: #35507f; }
.sequence .loss { fill: none; stroke: #c8372d; stroke-width: 1.5; stroke-dasharray: 5 4; }
.sequence .fate { fill: none; stroke: #8a93a3; stroke-width: 1.3; stroke-dasharray: 5 4; }
.sequence .cross { fill: none; stroke: #c8372d; stroke-width: 2.2; stroke-linecap: round; }
.sequence .said, .sequence .said-lost { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
.sequence .said-lost { fill: #a82a21; }
"""


NEAR = 22.0
"""The minimum distance between the knee of a message and the box of its end."""


def thumbnail(diagram: Diagram) -> str:
    """The SVG text of a narrow picture without title."""
    return "\n".join(_Drawing(arrange(diagram, titled=False, width=NARROW)).lines(style=True)) + "\n"


def svg(diagram: Diagram, style: bool = True) -> str:
    """The SVG text; without style, title and verdict for a page that has its own, and steps through it."""
    return "\n".join(_Drawing(arrange(diagram, style, WIDTH if style else PANE, style)).lines(style)) + "\n"


def text_boxes(diagram: Diagram) -> list[Box]:
    """The place of every text between the lanes, for tests that measure overlaps."""
    return list(arrange(diagram).boxes)


class _Drawing:
    """Draws a layout: bands, lanes, arrows, then the boxes over them."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.diagram = layout, layout.diagram
        self.rows = self.diagram.rows
        self.dropped = [i for i, row in enumerate(self.rows) if isinstance(row, Message) and row.dropped]

    def lines(self, style: bool) -> Iterator[str]:
        width, height = _n(self.layout.width), _n(self.layout.height)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sequence" role="img" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}">'
        )
        yield f"<title>{escape(self.diagram.title)}</title>"
        if self.diagram.broken:
            yield f"<desc>{escape('; '.join(self.diagram.broken))}</desc>"
        if style:
            yield f"<style>\n{STYLE}</style>"
        yield f'<rect class="page" x="0.5" y="0.5" width="{_n(self.layout.width - 1)}"' + (
            f' height="{_n(self.layout.height - 1)}" rx="8"/>'
        )
        yield from self._titles()
        yield from self._bands(not style)
        yield from self._lanes()
        for at, row in enumerate(self.rows):
            if isinstance(row, Message):
                yield from self._arrow(at, row)
        for at, row in enumerate(self.rows):
            yield from self._text(at, row)
        yield from self._broken()
        yield "</svg>"

    def _titles(self) -> Iterator[str]:
        if self.layout.title:
            yield from _lines(self.layout.title, "title", 16.0 * 1.35)
        if self.layout.subtitle:
            yield from _lines(self.layout.subtitle, "small", SMALL * 1.35)

    def _bands(self, places: bool) -> Iterator[str]:
        """A band for each step, with its number; the last one red when it breaks something."""
        bands: dict[int, tuple[float, float]] = {}
        for row, (top, bottom) in zip(self.rows, self.layout.bands, strict=True):
            bands[row.step] = (bands.get(row.step, (top, bottom))[0], bottom)
        for step, (top, bottom) in bands.items():
            wrong = self.diagram.broken and step == self.diagram.steps
            look = "wrong" if wrong else "band" if step % 2 else "plain"
            place = f' data-x="{_n(self._middle(step))}"' if places else ""
            yield f'<g class="step" data-step="{step}"{place}>' + (
                f'<rect class="{look}" x="6" y="{_n(top)}" width="{_n(self.layout.width - 12)}"'
                f' height="{_n(bottom - top)}"/><text class="number" x="{_n(GUTTER - 12)}"'
                f' y="{_n(top + 19)}">{step}</text></g>'
            )

    def _middle(self, step: int) -> float:
        """The point to look at in a step that is wider than the screen: its last note, else its last message."""
        rows = [(isinstance(row, Note), at) for at, row in enumerate(self.rows) if row.step == step]
        box = self.layout.boxes[max(rows)[1]]
        return box.x + box.width / 2

    def _lanes(self) -> Iterator[str]:
        height = head_height(self.layout)
        top = self.layout.head
        places = [top] + ([self.layout.foot] if len(self.rows) > 25 else [])
        for name, x in self.layout.lane_x.items():
            yield f'<line class="lane" x1="{_n(x)}" y1="{_n(top + height)}" x2="{_n(x)}" y2="{_n(self.layout.foot)}"/>'
            for y in places:
                box_width = min(self.layout.room, 170.0)
                yield _rect("head", Box(x - box_width / 2, y, box_width, height, ()), 6)
                lines = tuple(wrap(name, SIZE, self.layout.room - 16, True))
                yield from _centred(Box(x - box_width / 2, y, box_width, height, lines), "middle strong")

    def _arrow(self, at: int, row: Message) -> Iterator[str]:
        start, end = self.layout.lane_x[row.source], self.layout.lane_x[row.target]
        level, way = self.layout.levels[at], 1 if end >= start else -1
        if row.open:
            box = self.layout.boxes[at]
            yield f'<path class="fate" d="M{_n(start)} {_n(level)}H{_n(box.right if way > 0 else box.x)}"/>'
            return
        if row.end is None:
            yield from self._level_arrow(at, row, level)
            return
        knee, there = self.layout.knees[row.source, row.target], self.layout.levels[row.end]
        if row.dropped:
            x = self._grave(at, knee, end)
            yield f'<path class="fate" d="M{_n(start)} {_n(level)}H{_n(knee)}L{_n(x)} {_n(there)}"/>'
            yield _cross(x, there)
            return
        box = self.layout.boxes[row.end]
        edge = box.x if way > 0 else box.right
        knee = min(knee, edge - NEAR) if way > 0 else max(knee, edge + NEAR)
        yield f'<path class="arrow" d="M{_n(start)} {_n(level)}H{_n(knee)}L{_n(edge)} {_n(there)}"/>'
        yield _tip(knee, level, edge, there)

    def _level_arrow(self, at: int, row: Message, level: float) -> Iterator[str]:
        start, end = self.layout.lane_x[row.source], self.layout.lane_x[row.target]
        look = "loss" if row.lost else "arrow"
        yield f'<path class="{look}" d="M{_n(start)} {_n(level)}H{_n(end)}"/>'
        if row.lost:
            gap = min(abs(x - end) for x in self.layout.lane_x.values() if x != end)
            box = self.layout.boxes[at]
            x = max(end - gap * 0.2, box.right + 8) if end > start else min(end + gap * 0.2, box.x - 8)
            yield _cross(x, level)
        else:
            yield _tip(start, level, end, level)

    def _grave(self, at: int, knee: float, end: float) -> float:
        """The point at which a lost message ends: those that were sent earlier got further."""
        row = self.rows[at]
        assert isinstance(row, Message)
        mates = [
            i
            for i in self.dropped
            if (other := self.rows[i])
            and isinstance(other, Message)
            and (other.source, other.target, other.end) == (row.source, row.target, row.end)
        ]
        share = (len(mates) - mates.index(at)) / (len(mates) + 1)
        assert row.end is not None
        label = self.layout.boxes[row.end]
        edge = end - 40 if end > knee else max(end + 40, min(label.right + 12, knee - 40))
        return knee + (edge - knee) * (0.15 + 0.7 * share)

    def _text(self, at: int, row: Message | Note) -> Iterator[str]:
        box = self.layout.boxes[at]
        if isinstance(row, Message):
            yield from _lines(box, "said-lost" if row.lost else "said", LINE)
        elif row.kind == CHANGE:
            yield from _lines(Box(box.x, box.y, box.width, box.height, box.lines), "small", LINE)
        else:
            wrong = self.diagram.broken and row.step == self.diagram.steps
            look = "culprit" if wrong else {LABEL: "label", MARK: "mark"}.get(row.kind, "note")
            yield _rect(look, box, 3 if row.kind == MARK else 9)
            yield from _centred(box, "middle")

    def _broken(self) -> Iterator[str]:
        box = self.layout.broken
        if box is None:
            return
        yield _rect("broken", box, 6)
        yield _cross(box.x + 24, box.y + box.height / 2, 7)
        for number, line in enumerate(box.lines):
            look = "strong" if number == 0 else "rest"
            x, y = _n(box.x + 46), _n(box.y + 21 + number * LINE)
            yield f'<text class="{look}" x="{x}" y="{y}">{escape(line)}</text>'


def _lines(box: Box, look: str, height: float) -> Iterator[str]:
    for number, line in enumerate(box.lines):
        yield f'<text class="{look}" x="{_n(box.x)}" y="{_n(box.y + 13 + number * height)}">{escape(line)}</text>'


def _centred(box: Box, look: str) -> Iterator[str]:
    x, first = box.x + box.width / 2, box.y + box.height / 2 - (len(box.lines) - 1) * LINE / 2 + 4.5
    for number, line in enumerate(box.lines):
        yield f'<text class="{look}" x="{_n(x)}" y="{_n(first + number * LINE)}">{escape(line)}</text>'


def _rect(look: str, box: Box, radius: float) -> str:
    size = f'width="{_n(box.width)}" height="{_n(box.height)}"'
    return f'<rect class="{look}" x="{_n(box.x)}" y="{_n(box.y)}" {size} rx="{_n(radius)}"/>'


def _cross(x: float, y: float, size: float = 5) -> str:
    a, b, c, d = _n(x - size), _n(x + size), _n(y - size), _n(y + size)
    return f'<path class="cross" d="M{a} {c}L{b} {d}M{a} {d}L{b} {c}"/>'


def _tip(x1: float, y1: float, x2: float, y2: float) -> str:
    """The head of an arrow that comes from (x1, y1) to (x2, y2)."""
    dx, dy = x2 - x1, y2 - y1
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    bx, by = x2 - 10 * ux, y2 - 10 * uy
    points = [(x2, y2), (bx - 4.5 * uy, by + 4.5 * ux), (bx + 4.5 * uy, by - 4.5 * ux)]
    return '<polygon class="tip" points="' + " ".join(f"{_n(x)},{_n(y)}" for x, y in points) + '"/>'


def _n(value: float) -> str:
    """A coordinate with at most one decimal: equal on every machine."""
    return f"{value:.1f}".removesuffix(".0")


__all__ = ["MARGIN", "STYLE", "svg", "text_boxes"]
