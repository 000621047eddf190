"""The audit of a small input in this process: the same readers and the same walk as on Spark, without a session.

Batches are sorted in memory, so this is for inputs of up to `SMALL` bytes on a local disk. What follows the walk is
small, and is done here row by row as `dataframes.py` does it on Spark; a test compares both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .context import gathered
from .dataframes import COLUMNS, TOPIC
from .finding_kinds import KINDS, ORDER
from .findings import walk
from .report import INTERNAL, FindingLimits, Found, Report, with_batches
from .rows import rows
from .schema import COUNTS, KEYS, PIECE
from .sources import Unit, local_path, local_units, read

SMALL = 256 << 20
"""Bytes of input that are audited without Spark: a minute's work."""
Row = dict[str, Any]
BATCHES, CONTROL, PLAIN, LEGACY = 0, 3, 4, 5
"""Places in `counts`."""


def small(paths: Sequence[str]) -> list[Unit] | None:
    """The units of an input that needs no Spark, or nothing where it is large or on another file system."""
    if any(local_path(path) is None for path in paths):
        return None
    units = local_units(paths)
    return units if sum(unit.size for unit in units) <= SMALL else None


def audit_locally(units: list[Unit], paths: Sequence[str], wanted: FindingLimits) -> Report:
    """The report of some units."""
    found = [row for batch in walk(iter(_sorted(units))) for row in batch.to_pylist()]
    pieces = _measured([row for row in found if row["kind"] == PIECE])
    at = {(piece["unit"], piece["section"]): piece for piece in pieces}
    findings = [*_sequences(found, at), *_flaws(found), *_overlaps(pieces)]
    findings = [_with_place(row, at[row["unit"], row["section"]]) for row in findings]
    findings.sort(key=_order)
    shown = [Found(row) for row in findings[: wanted.limit]]
    drawn = with_batches(shown[: wanted.pictures], lambda places: gathered(units, places))
    kinds = {name: number for name in KINDS if (number := sum(row["kind"] == name for row in findings))}
    return Report(tuple(paths), **_totals(pieces), kinds=kinds, found=(*drawn, *shown[len(drawn) :]))


def _sorted(units: list[Unit]) -> list[pa.RecordBatch]:
    """The rows of all units; blocks in the order of log, producer and offset."""
    read_ = [part for number, unit in enumerate(units) for part in _rows(unit, number)]
    if not read_:
        return []
    table = pa.Table.from_batches(read_)
    keys = [(name, "ascending") for name in (*KEYS, "base_offset")]
    return table.sort_by(keys).combine_chunks().to_batches()


def _rows(unit: Unit, number: int) -> Iterator[pa.RecordBatch]:
    path, items = read(unit)
    yield from rows(items, number, unit.path, path)


def _measured(pieces: list[Row]) -> list[Row]:
    """Pieces with their topic, and what their log has reached and lacks before each."""
    pieces.sort(key=lambda row: (row["log"], row["base_offset"], row["last_offset"], row["unit"], row["section"]))
    log, reached, missing = None, -1, 0
    for piece in pieces:
        if piece["log"] != log:
            log, reached, missing = piece["log"], -1, 0
        full = piece["counts"][BATCHES] > 0
        gap = max(piece["base_offset"] - reached - 1, 0) if full else 0
        piece |= {"reached": reached, "holes_before": missing + gap, **_place(piece)}
        missing += gap + piece["holes"]
        reached = max(reached, piece["last_offset"]) if full else reached
    return pieces


def _place(piece: Row) -> Row:
    path = piece["text"] or piece["file"]
    folder = re.search(r"([^/]*)/[^/]*$", path)
    name = folder[1] if folder else ""
    topic = re.match(TOPIC, name)
    return {"path": path, "topic": topic[1] if topic else name, "partition": int(topic[2]) if topic else None}


def _sequences(found: list[Row], at: dict[tuple[int, int], Row]) -> Iterator[Row]:
    """Findings in the sequences; those that as many missing offsets may have held prove nothing."""
    for row in found:
        if row["producer_id"] is None:
            continue
        other = at.get((row["other_unit"], row["other_section"]))
        before = (row["other_holes"] or 0) + (other["holes_before"] if other else 0)
        holes = row["holes"] + at[row["unit"], row["section"]]["holes_before"] - (before if other else 0)
        proved = row["amount"] > holes
        kinds = {"start": ("missing-start", "first-sequence"), "jump": ("gap", "unproved-gap")}
        if row["kind"] in kinds:
            row = row | {"kind": kinds[row["kind"]][not proved], "scenarios": row["scenarios"] if proved else None}
        yield row


def _flaws(found: list[Row]) -> Iterator[Row]:
    for row in found:
        if row["producer_id"] is None and row["kind"] != PIECE:
            yield row


def _overlaps(pieces: list[Row]) -> Iterator[Row]:
    for piece in pieces:
        if piece["counts"][BATCHES] and piece["base_offset"] <= piece["reached"]:
            last = min(piece["last_offset"], piece["reached"])
            facts = {name: piece[name] for name in ("unit", "section", "base_offset", "last_offset")}
            text = f"offsets {piece['base_offset']} to {last}"
            facts |= {"kind": "overlap", "amount": last - piece["base_offset"] + 1, "text": text}
            yield facts | {"position": 0, "number": 0}


def _with_place(row: Row, piece: Row) -> Row:
    """A row with every column of a finding."""
    facts = {**row, "level": KINDS[row["kind"]].level.value}
    facts |= {name: piece[name] for name in ("log_name", "topic", "partition", "path", "file")}
    return {name: facts.get(name) for name in COLUMNS}


def _order(row: Row) -> tuple[Any, ...]:
    parts = [row["log_name"], row["base_offset"], row["file"], row["position"]]
    return ORDER[row["kind"]], *((value is not None, value if value is not None else 0) for value in parts)


def _totals(pieces: list[Row]) -> dict[str, Any]:
    counts = np.array([piece["counts"] for piece in pieces] or [[0] * len(COUNTS)], np.int64)
    held = counts[:, BATCHES] + counts[:, LEGACY] > 0
    owned = counts[:, BATCHES] - counts[:, CONTROL] - counts[:, PLAIN] > 0
    client = np.array([piece["topic"] not in INTERNAL for piece in pieces] or [False])
    logs = np.array([piece["log"] for piece in pieces] or [0])
    return {
        "files": len({piece["file"] for piece in pieces}),
        "logs": len(np.unique(logs[held])),
        "segments": int(held.sum()),
        "counts": dict(zip(COUNTS, counts.sum(axis=0).tolist(), strict=True)),
        "unchecked": int(counts[client][:, PLAIN].sum()),
        "owned": len(np.unique(logs[owned])),
    }
