"""The picture of a measurement: lines are what the model predicts, marks are what was measured.

On the left batches per second over what may be in flight, both logarithmic; on the right the same relative to one in
flight, with the figures of KIP-1269. Colours are round trips, shapes are clients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from .plan import GENERATIONS, NOT_IDEMPOTENT, RAW, REAL
from .report import CLAIMED, Result, Row

WIDTH, HEIGHT, TOP, BOTTOM = 960, 520, 64, 120
SIDE = 360
COLOURS = ("#0969da", "#1a7f37", "#bf5700", "#8250df", "#b3261e", "#59636e")
STYLE = """
  .throughput text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .throughput .title { font-size: 16px; font-weight: 600; }
  .throughput .faint { fill: #59636e; }
  .throughput .grid { stroke: #d0d7de; stroke-width: 1; }
  .throughput .line { fill: none; stroke-width: 2; }
  .throughput .mark { fill: none; stroke-width: 2; }
  .throughput .claim { stroke: #1f2328; stroke-width: 2; fill: none; }
  @media (prefers-color-scheme: dark) {
    .throughput text { fill: #e6edf3; } .throughput .faint { fill: #9198a1; } .throughput .grid { stroke: #3d444d; }
    .throughput .claim { stroke: #e6edf3; }
  }
"""


@dataclass(frozen=True)
class Panel:
    """A place for points: its left edge, and the values at the ends of its axes, all of them logarithmic."""

    left: int
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is in the picture."""
        height = HEIGHT - TOP - BOTTOM
        right, up = _part(x, self.x) * SIDE, _part(y, self.y) * height
        return round(self.left + right, 1), round(TOP + height - up, 1)


def _part(value: float, ends: tuple[float, float]) -> float:
    low, high = (math.log(end) for end in ends)
    return (math.log(value) - low) / (high - low)


def draw(result: Result) -> str:
    """The picture as SVG: one file, readable on a light and on a dark page."""
    trips = sorted({row.case.trip for row in result.rows})
    colours = {trip: COLOURS[number % len(COLOURS)] for number, trip in enumerate(trips)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="throughput" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">',
        f"<title>{escape(_title(result))}</title>",
        f"<style>{STYLE}</style>",
        f'<text class="title" x="24" y="28">{escape(_title(result))}</text>',
        *_rates(result, colours),
        *_relative(result, colours),
        *_legend(result, colours),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _title(result: Result) -> str:
    head = f"Throughput of one producer, batches of {result.plan.size} bytes"
    return f"{head}, Kafka {result.kafka}" if result.kafka else f"{head}, as the model predicts it"


def _rates(result: Result, colours: dict[int, str]) -> Iterator[str]:
    values = [row.predicted for row in result.rows] + [rate for row in result.rows for rate in row.measured]
    panel = Panel(72, _ends(result), (10 ** math.floor(math.log10(min(values))), 1.3 * max(values)))
    ticks = [10**power for power in range(round(math.log10(panel.y[0])), math.floor(math.log10(panel.y[1])) + 1)]
    yield from _axes(panel, _counts(result), ticks, "batches per second")
    for rows in _drawn(result, colours):
        points = [(row.case.in_flight, row.predicted) for row in rows]
        yield from _line(panel, points, colours[rows[0].case.trip])
    for row in result.rows:
        if row.measured:
            place = panel.at(row.case.in_flight, row.rate)
            yield _mark(row.case.client, place, colours[row.case.trip], f"{row.rate:.1f} batches/s")


def _relative(result: Result, colours: dict[int, str]) -> Iterator[str]:
    most = max(_counts(result))
    panel = Panel(552, _ends(result), (0.8, 1.4 * most))
    yield from _axes(panel, _counts(result), _counts(result), "times one in flight")
    for rows in _drawn(result, colours):
        points = [(row.case.in_flight, result.relative(row, lambda each: each.predicted)) for row in rows]
        yield from _line(panel, points, colours[rows[0].case.trip])
    for row in result.rows:
        if row.measured and row.case.in_flight > 1:
            times = result.relative(row, lambda each: each.rate)
            yield _mark(row.case.client, panel.at(row.case.in_flight, times), colours[row.case.trip], f"{times:.2f}")
    for count, times in CLAIMED.items():
        if count in _counts(result):
            yield _cross(panel.at(count, times), f"KIP-1269: {times}")


def _drawn(result: Result, colours: dict[int, str]) -> Iterator[list[Row]]:
    """The predictions that are drawn as lines: of the client that may have most in flight."""
    for trip in colours:
        rows = [row for row in result.rows if (row.case.client, row.case.trip) == (RAW, trip)]
        if rows:
            yield rows


def _counts(result: Result) -> list[int]:
    return sorted({row.case.in_flight for row in result.rows})


def _ends(result: Result) -> tuple[float, float]:
    return 0.85, max(2, *_counts(result)) * 1.2


def _axes(panel: Panel, across: list[int], up: list[int], label: str) -> Iterator[str]:
    bottom = HEIGHT - BOTTOM
    for value in up:
        _, y = panel.at(1, value)
        yield f'<line class="grid" x1="{panel.left}" y1="{y}" x2="{panel.left + SIDE}" y2="{y}"/>'
        yield f'<text class="faint" x="{panel.left - 8}" y="{y + 4}" text-anchor="end">{value}</text>'
    for value in across:
        x, _ = panel.at(value, 1)
        yield f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}"/>'
        yield f'<text class="faint" x="{x}" y="{bottom + 18}" text-anchor="middle">{value}</text>'
    middle = panel.left + SIDE / 2
    yield f'<text x="{middle}" y="{bottom + 38}" text-anchor="middle">requests in flight</text>'
    yield f'<text x="{panel.left - 30}" y="{TOP - 12}">{label}</text>'


def _line(panel: Panel, points: list[tuple[int, float]], colour: str) -> Iterator[str]:
    places = " ".join(f"{x},{y}" for x, y in (panel.at(*point) for point in points))
    yield f'<polyline class="line" stroke="{colour}" points="{places}"/>'


def _mark(client: str, place: tuple[float, float], colour: str, words: str) -> str:
    x, y = place
    shapes = {
        REAL: f'<circle class="mark" cx="{x}" cy="{y}" r="5" stroke="{colour}">',
        NOT_IDEMPOTENT: f'<path class="mark" d="M{x - 4.5:.1f},{y - 4.5:.1f} h9 v9 h-9 z" stroke="{colour}">',
        RAW: f'<path class="mark" d="M{x},{y - 6:.1f} l5.5,10 h-11 z" stroke="{colour}">',
    }
    end = "circle" if client == REAL else "path"
    return f"{shapes[client]}<title>{escape(f'{client}: {words}')}</title></{end}>"


def _cross(place: tuple[float, float], words: str) -> str:
    x, y = place
    return f'<path class="claim" d="M{x - 7:.1f},{y} h14 M{x},{y - 7:.1f} v14"><title>{escape(words)}</title></path>'


def _legend(result: Result, colours: dict[int, str]) -> Iterator[str]:
    x, y = 72, HEIGHT - 48
    for trip, colour in colours.items():
        yield f'<line class="line" stroke="{colour}" x1="{x}" y1="{y - 4}" x2="{x + 24}" y2="{y - 4}"/>'
        yield f'<text x="{x + 30}" y="{y}">{trip} ms</text>'
        x += 96
    words = "round trip; lines: the model at the pace of the raw client; marks: medians"
    yield f'<text class="faint" x="{x}" y="{y}">{words if result.kafka else "round trip; the model only"}</text>'
    x, y = 72, HEIGHT - 20
    if result.kafka:
        for client, words in zip(GENERATIONS, WORDS, strict=True):
            yield _mark(client, (x + 6, y - 4), "#59636e", client)
            yield f'<text x="{x + 20}" y="{y}">{words}</text>'
            x += 40 + 7 * len(words)
    yield _cross((x + 6, y - 4), "KIP-1269")
    yield f'<text x="{x + 20}" y="{y}">KIP-1269</text>'


WORDS = ("KafkaProducer, idempotent", "KafkaProducer, not idempotent", "raw client, cap of KIP-1269 emulated")
