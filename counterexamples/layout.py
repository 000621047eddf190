"""The geometry of a sequence diagram: lanes as columns, one band of height for each row.

Every text has a place of its own: notes in the band of their row around their lane, labels of messages in their band
beside the sender. A message that is handled later runs level below its label up to the knee, where all labels of its
direction have ended, and falls from there to the row of its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from .diagram import Diagram
from .messages import CHANGE, Message, Note
from .text_width import balanced, fitting, wrap

SIZE, SMALL, LINE = 13.0, 11.5, 17.0
GUTTER, MARGIN, GAP = 46.0, 14.0, 8.0
WIDTH, PANE, NARROW = 900.0, 700.0, 520.0
"""The least width of a diagram, of one beside the text of a page, and of one that is shown small."""
PAD = 9.0
HEAD = 34.0


@dataclass(frozen=True)
class Box:
    """A text with its place; x and y are the upper left corner."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass
class Layout:
    """The geometry of a diagram; `boxes` and `bands` have one entry for each row, `ends` the drawn messages."""

    diagram: Diagram
    width: float
    lane_x: dict[str, float]
    room: float
    title: Box | None
    subtitle: Box | None
    head: float
    boxes: list[Box] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    bands: list[tuple[float, float]] = field(default_factory=list)
    knees: dict[tuple[str, str], float] = field(default_factory=dict)
    crowded: set[tuple[str, bool]] = field(default_factory=set)
    foot: float = 0.0
    broken: Box | None = None
    height: float = 0.0


def arrange(diagram: Diagram, titled: bool = True, width: float = WIDTH, verdict: bool = True) -> Layout:
    """The layout of a diagram; a page that has title and verdict in its heading draws neither."""
    lanes = diagram.lanes
    width = max(width, GUTTER + MARGIN + 205 * len(lanes))
    usable = width - GUTTER - MARGIN
    room = min(270.0 if len(lanes) < 3 else 236.0, usable / max(1, len(lanes)) - 18)
    first, last = GUTTER + room / 2 + 4, width - MARGIN - room / 2 - 4
    step = (last - first) / (len(lanes) - 1) if len(lanes) > 1 else 0.0
    places = {name: first + step * at if len(lanes) > 1 else GUTTER + usable / 2 for at, name in enumerate(lanes)}
    title = below = None
    if titled:
        title = _text(diagram.title, 16.0, MARGIN, 14.0, width - 2 * MARGIN, True)
    if title and diagram.subtitle:
        below = _text(diagram.subtitle, SMALL, MARGIN, title.bottom + 2, width - 2 * MARGIN)
    head = below or title
    layout = Layout(diagram, width, places, room, title, below, (head.bottom if head else 0) + 14)
    layout.crowded = set(_crowded(layout))
    _rows(layout)
    _knees(layout)
    _finish(layout, verdict)
    return layout


def _text(text: str, size: float, x: float, y: float, room: float, bold: bool = False) -> Box:
    lines = wrap(text, size, room, bold)
    return Box(x, y, fitting(lines, size, bold), len(lines) * size * 1.35, tuple(lines))


def head_height(layout: Layout) -> float:
    """The height of the boxes with the names of the lanes."""
    longest = max((len(wrap(name, SIZE, layout.room - 16, True)) for name in layout.diagram.lanes), default=0)
    return HEAD + (longest - 1) * LINE if longest else 0.0


def _rows(layout: Layout) -> None:
    y = layout.head + head_height(layout) + 14
    rows = layout.diagram.rows
    for row, following in itertools.zip_longest(rows, rows[1:]):
        if isinstance(row, Message):
            box = _label(layout, row, y)
            level = box.bottom + 4
            bottom = level + 4
        elif row.lane:
            box = _on_lane(layout, row, y)
            level, bottom = y + box.height / 2, box.bottom
        else:
            box = _over_all(layout, row, y)
            level, bottom = y + box.height / 2, box.bottom
        layout.boxes.append(box)
        layout.levels.append(level)
        layout.bands.append((y - GAP / 2, bottom + GAP / 2))
        y = bottom + (2.0 if isinstance(following, Note) and following.kind == CHANGE else GAP)
    layout.foot = y + 4


def _crowded(layout: Layout) -> Iterator[tuple[str, bool]]:
    """The senders and directions in which a message falls past the labels of others."""
    for at, row in enumerate(layout.diagram.rows):
        if isinstance(row, Message) and row.end is not None and row.end > at + 1:
            yield row.source, layout.lane_x[row.target] >= layout.lane_x[row.source]


def _label(layout: Layout, row: Message, y: float) -> Box:
    """The label of a message beside its sender, in the first gap between lanes."""
    start, end = layout.lane_x[row.source], layout.lane_x[row.target]
    gap = _gap(layout, start, end)
    crowded = (row.source, end >= start) in layout.crowded
    lines = balanced(row.text, SIZE, max(112.0, gap - layout.room / 2 - 54) if crowded else gap - 24)
    width = fitting(lines, SIZE)
    x = start + 12 if end >= start else start - 12 - width
    return Box(x, y, width, len(lines) * LINE, tuple(lines))


def _gap(layout: Layout, start: float, end: float) -> float:
    """The distance from a lane to the next one in the direction of a message."""
    beyond = [abs(x - start) for x in layout.lane_x.values() if (x - start) * (end - start) > 0]
    return min(beyond, default=layout.room)


def _on_lane(layout: Layout, row: Note, y: float) -> Box:
    lines = balanced(row.text, SIZE, layout.room - 2 * PAD)
    width = fitting(lines, SIZE) + 2 * PAD
    return Box(layout.lane_x[row.lane] - width / 2, y, width, len(lines) * LINE + 9, tuple(lines))


def _over_all(layout: Layout, row: Note, y: float) -> Box:
    indent = 22.0 if row.kind == CHANGE else 0.0
    size = SMALL if row.kind == CHANGE else SIZE
    lines = wrap(row.text, size, layout.width - GUTTER - MARGIN - indent - 2 * PAD)
    width = fitting(lines, size) + 2 * PAD
    x = GUTTER + indent if not layout.lane_x else (GUTTER + layout.width - MARGIN - width) / 2
    return Box(x, y, width, len(lines) * LINE + (2 if row.kind == CHANGE else 9), tuple(lines))


def _knees(layout: Layout) -> None:
    """For each direction between two lanes: where its longest label has ended."""
    for row, box in zip(layout.diagram.rows, layout.boxes, strict=True):
        if not isinstance(row, Message) or row.end is None:
            continue
        pair = (row.source, row.target)
        right = layout.lane_x[row.target] >= layout.lane_x[row.source]
        end = box.right + 8 if right else box.x - 8
        known = layout.knees.get(pair, end)
        layout.knees[pair] = max(known, end) if right else min(known, end)


def _finish(layout: Layout, verdict: bool) -> None:
    y = layout.foot + (head_height(layout) if len(layout.diagram.rows) > 25 else 0.0) + 10
    if layout.diagram.broken and verdict:
        room = layout.width - 2 * MARGIN - 56
        first, *rest = layout.diagram.broken
        lines = wrap(first, SIZE, room, True) + [line for text in rest for line in wrap(text, SIZE, room)]
        layout.broken = Box(MARGIN, y, layout.width - 2 * MARGIN, len(lines) * LINE + 16, tuple(lines))
        y = layout.broken.bottom
    layout.height = y + MARGIN
