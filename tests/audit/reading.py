"""What reading yields, as the generator's batches and flaws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, cast

from everystate.model.audit.dump import read_dump
from everystate.model.audit.schema import Batches, Flaw, Header, Items, Legacy
from everystate.model.audit.segment import read_segment

NAMES = (
    "base_offset",
    "last_offset",
    "first_sequence",
    "last_sequence",
    "producer_id",
    "epoch",
    "leader_epoch",
    "position",
    "size",
    "flags",
)


@dataclass
class Read:
    """The batches as tuples of NAMES, flaws as (kind, position, amount), headers, old messages, records."""

    batches: list[tuple[int, ...]] = field(default_factory=list)
    flaws: list[tuple[str, int, int]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    legacy: list[tuple[int, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    records: int = 0


def gathered(items: Items) -> Read:
    """All items."""
    read = Read()
    for item in items:
        match item:
            case Batches(columns, records):
                read.batches += zip(*(columns[name].tolist() for name in NAMES), strict=True)
                read.content += columns["content"].tolist()
                read.records += records
            case Flaw():
                read.flaws.append((item.kind, item.position, item.amount))
                read.texts.append(item.text)
            case Header(path):
                read.headers.append(path)
            case Legacy(position, amount):
                read.legacy.append((position, amount))
    return read


def from_segment(data: bytes, known: bool = True) -> Read:
    """What a segment holds; `known` whether its size is known."""
    stream = cast(Any, BytesIO(data))
    return gathered(read_segment(stream, len(data) if known else None))


def from_dump(data: bytes, edges: Iterable[int] = ()) -> list[Read]:
    """What a dump tells, in parts that begin at 0 and at some edges."""
    places = [0, *edges]
    ends = [*places[1:], len(data) if len(places) > 1 else None]
    return [gathered(read_dump(_at(data, start), start, end)) for start, end in zip(places, ends, strict=True)]


def _at(data: bytes, start: int) -> Any:
    stream = BytesIO(data)
    stream.seek(max(0, start - 1))
    return stream
