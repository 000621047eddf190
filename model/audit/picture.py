"""The picture of a finding: the batches around it on the axis of offsets, as SVG that follows the colours of its page.

[ seq 7 epoch 0 ] [ seq 8 epoch 0 ] ~ 1,204 offsets ~ [ other ] [ seq 7 epoch 0 ] [ other ]
  offset 100        101                                 1,306     1,307             1,308
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from .report import Found
from .schema import CONTROL, TRANSACTIONAL
from .wording import description, sequences

NARROWEST, HEIGHT, GAP, BREAK = 88, 54, 8, 84
TOP, LEFT = 34, 10
LETTER, SMALL, PADDING = 9.8, 6.9, 12
"""Width of a letter of the first line and of the others, and the margin beside a line."""
Values = dict[str, Any]


@dataclass(frozen=True)
class Box:
    """A batch, or an expected one, at a position on the axis."""

    x: int
    lines: tuple[str, ...]
    offset: str
    css: str

    @property
    def width(self) -> int:
        """As wide as its longest line."""
        first, *others = self.lines
        lines = [len(first) * LETTER, *(len(line) * SMALL for line in others)]
        return max(NARROWEST, round(max(lines)) + PADDING)

    @property
    def middle(self) -> int:
        """Its centre."""
        return self.x + self.width // 2


def picture(found: Found) -> str:
    """An SVG element; nothing where no batch is known."""
    boxes, breaks = _layout(found)
    if not boxes:
        return ""
    width = max(box.x + box.width for box in boxes) + LEFT
    parts = [
        f'<svg viewBox="0 0 {width} {TOP + HEIGHT + 34}" width="{width}" role="img" '
        f'aria-label="{escape(_told(found, boxes))}">'
    ]
    axis = TOP + HEIGHT + 10
    parts.append(f'<path class="axis" d="M{LEFT} {axis}H{width - LEFT}"/>')
    first = next((box for box in boxes if box.offset), None)
    parts += [_drawn(box, axis, "offset " if box is first else "") for box in boxes]
    parts += [_break(x, text, axis) for x, text in breaks]
    parts += _arrow(boxes)
    return "".join([*parts, "</svg>"])


def _layout(found: Found) -> tuple[list[Box], list[tuple[int, str]]]:
    """Boxes from left to right in the order of offsets, and the places where offsets are left out."""
    boxes: list[Box] = []
    breaks: list[tuple[int, str]] = []
    x, last = LEFT, None
    for batch in _with_damage(found):
        offset = batch.get("base_offset")
        if last is not None and offset is not None and offset > last + 1:
            breaks.append((x, f"{offset - last - 1:,} offsets"))
            x += BREAK
        missing = _missing(found, batch)
        if missing:
            boxes.append(Box(x, missing, "", "missing"))
            x += boxes[-1].width + GAP
        boxes.append(_box(found, batch, x))
        x += boxes[-1].width + GAP
        last = batch["last_offset"] if offset is not None else last
    return boxes, breaks


def _with_damage(found: Found) -> Iterator[Values]:
    """The batches around a finding; a flaw of the input, which is no batch, is placed before its number."""
    damaged = found["base_offset"] is None and found["number"] is not None
    shown = False
    for batch in found.around:
        if damaged and not shown and batch["number"] >= found["number"]:
            shown = True
            yield {}
        yield batch
    if damaged and not shown and found.around:
        yield {}


def _missing(found: Found, batch: Values) -> tuple[str, ...]:
    if found["kind"] in ("gap", "unproved-gap", "missing-start", "first-sequence") and _is(found, batch, ""):
        return ("not there:", f"{found['amount']:,} sequences")
    return ()


def _box(found: Found, batch: Values, x: int) -> Box:
    if not batch:
        return Box(x, (found["kind"], f"byte {found['position'] or 0:,}"), "", "finding")
    if batch["producer_id"] < 0:
        lines: tuple[str, ...] = ("no producer id",)
    elif batch["flags"] & CONTROL:
        lines = ("marker", f"epoch {batch['epoch']}", f"producer {batch['producer_id']}")
    else:
        tail = " T" if batch["flags"] & TRANSACTIONAL else ""
        lines = (f"seq {sequences(batch)}", f"epoch {batch['epoch']}{tail}", f"producer {batch['producer_id']}")
    return Box(x, lines, f"{batch['base_offset']:,}", _css(found, batch))


def _css(found: Found, batch: Values) -> str:
    if _is(found, batch, ""):
        return "finding" if found.kind.level != "legal" else "own legal"
    if _is(found, batch, "other_"):
        return "other"
    return "own" if batch["producer_id"] == found["producer_id"] else "stranger"


def _is(found: Found, batch: Values, prefix: str) -> bool:
    return found["base_offset"] is not None and all(
        batch.get(name) == found[prefix + name] for name in ("unit", "section", "number")
    )


def _drawn(box: Box, axis: int, label: str) -> str:
    """A batch; the first offset of the axis has a label."""
    text = "".join(
        _text("small" if at else "sequence", box.middle, TOP + 18 + 15 * at, line) for at, line in enumerate(box.lines)
    )
    shape = f'<rect x="{box.x}" y="{TOP}" width="{box.width}" height="{HEIGHT}" rx="5"/>'
    tick = f'<path class="axis" d="M{box.x} {axis - 4}v8"/>' + _text("offset", box.x, axis + 18, f"{label}{box.offset}")
    return f'<g class="{box.css}">{shape}{text}</g>' + (tick if box.offset else "")


def _text(css: str, x: int, y: int, text: str) -> str:
    return f'<text class="{css}" x="{x}" y="{y}">{escape(text)}</text>'


def _break(x: int, text: str, axis: int) -> str:
    middle = x + (BREAK - GAP) // 2
    return (
        f'<path class="page" d="M{x} {axis - 8}h{BREAK - GAP}v16h-{BREAK - GAP}z"/>'
        f'<text class="small" x="{middle}" y="{TOP + HEIGHT // 2 - 4}">{escape(text)}</text>'
        f'<text class="small" x="{middle}" y="{axis + 4}">&#183; &#183; &#183;</text>'
    )


def _arrow(boxes: list[Box]) -> list[str]:
    """From the other batch to the one that shows the finding."""
    start = next((box for box in boxes if box.css == "other"), None)
    end = next((box for box in boxes if box.css.startswith("finding")), None)
    if start is None or end is None or start is end:
        return []
    middle, tip = (start.middle + end.middle) // 2, TOP - 3
    return [
        f'<path class="arrow" d="M{start.middle} {TOP - 2}Q{middle} {-TOP // 3} {end.middle} {tip}"/>',
        f'<path class="tip" d="M{end.middle} {tip}l-8 -6l2 9z"/>',
    ]


def _told(found: Found, boxes: list[Box]) -> str:
    text = "; ".join(" ".join(box.lines) + (f" at offset {box.offset}" if box.offset else "") for box in boxes)
    return f"{found['kind']}: {description(found)}. Batches in the order of offsets: {text}."
