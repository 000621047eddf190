"""What others say of a trace, for its page: columns side by side, such as model, cluster and audit, and step by step.

Whoever has the evidence puts it into these words; the page knows nothing of clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A place in a log; `look` is "twice" where the same stands elsewhere, "gone" where it is there no more."""

    offset: int
    text: str
    look: str = ""


@dataclass(frozen=True)
class Column:
    """One witness: what it says, its logs by name, and pictures as SVG. `look` is good, wrong or unknown."""

    title: str
    said: tuple[str, ...]
    logs: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
    pictures: tuple[str, ...] = ()
    look: str = "good"


@dataclass(frozen=True)
class Compared:
    """What a step changed or what differs after it, on two sides."""

    name: str
    left: str
    right: str
    differs: bool


@dataclass(frozen=True)
class Evidence:
    """The whole; `sides` name what is compared after each step, the initial state first."""

    verdict: str
    columns: tuple[Column, ...]
    sides: tuple[str, str]
    steps: tuple[tuple[Compared, ...], ...] = field(default=())
    look: str = "good"


def section(evidence: Evidence) -> str:
    """The columns as HTML."""
    columns = "\n".join("".join(_column(column)) for column in evidence.columns)
    said = f'<p class="said {evidence.look}">{escape(evidence.verdict)}</p>'
    return (
        f'<section id="evidence" aria-label="Evidence">\n{said}\n<div class="columns">\n{columns}\n</div>\n</section>'
    )


def as_data(evidence: Evidence | None) -> dict[str, Any] | None:
    """What is shown step by step, for the script of the page."""
    if evidence is None:
        return None
    steps = [[[row.name, row.left, row.right, row.differs] for row in rows] for rows in evidence.steps]
    return {"heads": list(evidence.sides), "steps": steps}


def _column(column: Column) -> Iterator[str]:
    yield f'<article class="{column.look}"><h3>{escape(column.title)}</h3>'
    for name, cells in column.logs:
        told = f'<figcaption class="faint">{escape(name)}</figcaption>' if name else ""
        yield f'<figure tabindex="0">{told}<ol class="log">{"".join(map(_cell, cells))}</ol></figure>'
    for picture in column.pictures:
        yield f'<figure class="picture" tabindex="0">{picture}</figure>'
    yield from (f"<p>{escape(line)}</p>" for line in column.said)
    yield "</article>"


def _cell(cell: Cell) -> str:
    look = f' class="{cell.look}"' if cell.look else ""
    return f"<li{look}><b>{cell.offset}</b> {escape(cell.text)}</li>"
