"""From items to rows: batches with their unit, section and number, flaws, and a summary of each piece at its end."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .blocks import pack
from .schema import (
    ARROW,
    CONTROL,
    COUNTS,
    FIELDS,
    KEYS,
    PIECE,
    TRANSACTIONAL,
    Batches,
    Columns,
    Flaw,
    Header,
    Items,
    Legacy,
    Tally,
)

Array = np.ndarray[Any, Any]
ROWS = 1 << 16
"""Batches that are sent to Spark together, at least."""
REMEMBERED = 1 << 20
"""Batches without a producer id whose content is remembered."""
SEGMENT = re.compile(r"(^|/)\d{20}\.log(\.gz)?$")


def rows(items: Items, unit: int, file: str, path: str | None) -> Iterator[pa.RecordBatch]:
    """What `pieces` yields, as rows for Spark, with the batches in blocks."""
    columns: list[Columns] = []
    events: list[pa.RecordBatch] = []
    held = 0
    for part in pieces(items, unit, file, path):
        if isinstance(part, pa.RecordBatch):
            events.append(part)
            held += len(part)
        else:
            columns.append(part)
            held += len(part["number"])
        if held >= ROWS:
            yield from _together(columns, events)
            columns, events, held = [], [], 0
    yield from _together(columns, events)


def _together(columns: list[Columns], events: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    if columns:
        events = [*events, pack({name: np.concatenate([part[name] for part in columns]) for name in columns[0]})]
    if events:
        yield from pa.Table.from_batches(events).combine_chunks().to_batches()


def pieces(items: Items, unit: int, file: str, path: str | None) -> Iterator[Columns | pa.RecordBatch]:
    """The content of a unit, a part of a file: batches of one piece as columns of KEYS and FIELDS, and other rows.

    `path` is that of the segment: the file itself, or the last one named in a dump, None before the first.
    """
    piece = SegmentPart(unit, file, path, 0)
    for item in items:
        match item:
            case Header(facts):
                yield piece.end()
                piece = SegmentPart(unit, file, facts, piece.tally.section + 1)
            case Batches():
                yield from piece.batches(item)
            case Flaw():
                yield piece.flaw(item)
            case Legacy(position, amount):
                piece.tally.counts["legacy"] += amount
                yield piece.flaw(Flaw("legacy", position, amount, f"{amount:,} messages of format 0 or 1"))
    yield piece.end()


def log_name(file: str, path: str | None) -> str:
    """The log of a segment: its folder; for one in a dump also the folder of the dump, which identifies its broker."""
    if path is None or (path == file and not SEGMENT.search(path)):
        return file
    folder = path.rpartition("/")[0]
    return folder if path == file else f"{file.rpartition('/')[0]}: {folder}"


def hashed(name: str) -> int:
    """A name as a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


class SegmentPart:
    """A segment, or the part of it in a unit."""

    def __init__(self, unit: int, file: str, path: str | None, section: int) -> None:
        self.unit, self.file, self.path, self.dumped = unit, file, path, path != file
        self.log_name = log_name(file, path)
        self.log = hashed(self.log_name)
        self.tally = Tally(section, end=0 if section or not self.dumped else None)
        self.plain: dict[int, int] = {}

    def batches(self, item: Batches) -> Iterator[Columns | pa.RecordBatch]:
        """Batches, with flaws where they do not follow each other."""
        columns, tally = item.columns, self.tally
        base, last, position = columns["base_offset"], columns["last_offset"], columns["position"]
        count, begun = len(base), tally.counts["batches"]
        before = np.concatenate([[tally.last_offset], last[:-1]])
        before = np.maximum.accumulate(before) if begun else np.maximum.accumulate(np.append(base[0] - 1, last[:-1]))
        between = np.maximum(base - before - 1, 0)
        holes = tally.holes + np.cumsum(between)
        found = {**columns, "number": np.arange(begun, begun + count), "holes": holes}
        found |= {name: np.full(count, value) for name, value in self._place().items()}
        yield {name: found[name] for name in (*KEYS, *FIELDS)}
        for flaw, at in (*self._unconnected(columns, before), *self._equal(columns)):
            yield self.flaw(flaw, begun + at)
        if not begun:
            tally.first_offset = int(base[0])
        tally.last_offset = int(max(before[-1], last[-1]))
        tally.holes = int(holes[-1])
        tally.end = int(position[-1] + columns["size"][-1])
        flags, producer = columns["flags"], columns["producer_id"]
        for name, number in {
            "batches": count,
            "records": item.records,
            "transactional": int(((flags & TRANSACTIONAL) != 0).sum()),
            "control": int(((flags & CONTROL) != 0).sum()),
            "plain": int((producer < 0).sum()),
        }.items():
            tally.counts[name] += number

    def _unconnected(self, columns: Columns, before: Array) -> Iterator[tuple[Flaw, int]]:
        """Where batches do not follow each other: the flaw, and the batch after it."""
        base, position = columns["base_offset"], columns["position"]
        for at in np.flatnonzero(base <= before).tolist():
            facts = f"offset {int(base[at]):,} stands behind offset {int(before[at]):,}"
            yield Flaw("offsets-back", int(position[at]), 1, facts), at
        if self.dumped:
            yield from self._left_out(position, columns["size"])

    def _equal(self, columns: Columns) -> Iterator[tuple[Flaw, int]]:
        """Batches without a producer id that are equal to an earlier one of the segment."""
        plain = np.flatnonzero((columns["producer_id"] < 0) & (columns["content"] != 0))
        for at, content in zip(plain.tolist(), columns["content"][plain].tolist(), strict=True):
            first = self.plain.setdefault(content, int(columns["base_offset"][at]))
            if first != columns["base_offset"][at]:
                text = f"equal to the batch at offset {first:,}"
                number = int(columns["last_offset"][at] - columns["base_offset"][at]) + 1
                yield Flaw("equal-batch", int(columns["position"][at]), number, text), at
        if len(self.plain) > REMEMBERED:
            self.plain.clear()

    def _left_out(self, position: Array, size: Array) -> Iterator[tuple[Flaw, int]]:
        """Where a dump lacks lines: the next batch does not begin where the last one ended."""
        ends = position + size
        known = self.tally.end if self.tally.end is not None else int(position[0])
        missing = position - np.concatenate([[known], ends[:-1]])
        for at in np.flatnonzero((missing > 0) & (size > 0)).tolist():
            facts = f"the dump leaves out {int(missing[at]):,} bytes of the segment before this batch"
            yield Flaw("lines-missing", int(position[at]), int(missing[at]), facts), at

    def flaw(self, flaw: Flaw, number: int | None = None) -> pa.RecordBatch:
        """The row of a flaw, with the number of the batch after it: the next one by default."""
        tally = self.tally
        number = tally.counts["batches"] if number is None else number
        position = flaw.position if flaw.position >= 0 else tally.end
        if flaw.kind in ("bad-line", "legacy"):
            tally.end = None
        elif flaw.kind == "checksum":
            tally.end = flaw.position + flaw.amount
        facts: dict[str, Any] = {"event": flaw.kind, "text": flaw.text, "amount": flaw.amount}
        facts |= {"position": position, "number": number}
        return self._row(facts)

    def end(self) -> pa.RecordBatch:
        """The summary."""
        tally = self.tally
        facts: dict[str, Any] = {
            "event": PIECE,
            "text": self.path,
            "log_name": self.log_name,
            "file": self.file,
            "base_offset": tally.first_offset,
            "last_offset": tally.last_offset,
            "holes": tally.holes,
            "position": tally.end,
            "counts": [tally.counts[name] for name in COUNTS],
        }
        return self._row(facts)

    def _place(self) -> dict[str, Any]:
        return {"unit": self.unit, "section": self.tally.section, "log": self.log}

    def _row(self, facts: dict[str, Any]) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([facts | self._place()], ARROW)
