"""A sequence diagram as Mermaid text, as GitHub renders it in a comment."""

from __future__ import annotations

from collections.abc import Iterator

from .diagram import Diagram
from .messages import CHANGE, Message, Note, Row

ENTITIES = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "{": "#123;", "}": "#125;"})
WRONG = "rgb(253, 235, 234)"
ALONE = "steps"
"""The lane of a trace without narration."""


def mermaid(diagram: Diagram, most: int | None = None) -> str:
    """The text of a Mermaid sequenceDiagram; of more than `most` steps the last ones."""
    return "\n".join(_lines(diagram, max(0, diagram.steps - most) if most else 0)) + "\n"


def _lines(diagram: Diagram, skipped: int) -> Iterator[str]:
    lanes = diagram.lanes or (ALONE,)
    names = {lane: f"a{at}" for at, lane in enumerate(lanes)}
    yield "sequenceDiagram"
    yield f"    %% {_comment(diagram.title)}"
    yield from (f"    participant {names[lane]} as {_text(lane)}" for lane in lanes)
    over = ",".join(dict.fromkeys((names[lanes[0]], names[lanes[-1]])))
    last = [row for row in diagram.rows if row.step == diagram.steps] if diagram.broken else []
    if skipped:
        yield f"    Note over {over}: {skipped} steps before these"
    shown = [row for row in diagram.rows[: len(diagram.rows) - len(last)] if row.step > skipped]
    yield from _rows(shown, names, over)
    if diagram.broken:
        yield f"    rect {WRONG}"
        yield from (f"    {line}" for line in _rows(last, names, over))
        yield f"        Note over {over}: {'<br/>'.join(map(_text, diagram.broken))}"
        yield "    end"


def _rows(rows: list[Row], names: dict[str, str], over: str) -> Iterator[str]:
    """The rows; changes of one step share a note with its label."""
    at = 0
    while at < len(rows):
        row = rows[at]
        texts = [f"{row.step}. {row.text}"]
        while at + 1 < len(rows) and isinstance(following := rows[at + 1], Note) and following.kind == CHANGE:
            texts.append(following.text)
            at += 1
        yield "    " + _row(row, "<br/>".join(map(_text, texts)), names, over)
        at += 1


def _row(row: Row, text: str, names: dict[str, str], over: str) -> str:
    if isinstance(row, Message):
        arrow = "--x" if row.lost or row.dropped else "--)" if row.open else "->>"
        return f"{names[row.source]}{arrow}{names[row.target]}: {text}"
    return f"Note over {names[row.lane] if row.lane else over}: {text}"


def _text(text: str) -> str:
    """A text without the characters that mean something to Mermaid."""
    return " ".join(text.split()).translate(ENTITIES)


def _comment(text: str) -> str:
    """A text that is safe behind %%: braces would open a directive."""
    return " ".join(text.split()).translate(str.maketrans("{}", "()"))
