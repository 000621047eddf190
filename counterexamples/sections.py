"""Sections: additions to a trace on a page or in a text, such as why it is possible, as titles, rows and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """A title with rows of one or several columns, of which the first names the row, and notes below them."""

    title: str
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def lines(sections: Iterable[Section]) -> Iterator[str]:
    """Sections as text, with an empty line between them."""
    for at, section in enumerate(sections):
        yield from [""] * bool(at)
        yield section.title
        widths = [max(map(len, column)) for column in zip(*section.rows, strict=True)]
        for row in section.rows:
            yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        yield from (f"  {note}" for note in section.notes)
