"""Findings as Arrow: the output of a task on the sorted batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import diagnosis
from .blocks import Merge
from .epochs import Batch
from .producers import Audit, Finding
from .schema import FIELDS, KEYS, TOLD

OTHER = {f"other_{name}": kind for name, kind in FIELDS.items()}
FOUND = {"kind": "string", **{name: kind for name, kind in TOLD.items() if name != "event"}, **KEYS, **FIELDS, **OTHER}
"""The output of a task, besides lists: a finding, or an event of reading the input, with its event as kind."""
ARROW = pa.schema(
    [
        *((name, getattr(pa, kind)()) for name, kind in FOUND.items()),
        ("counts", pa.list_(pa.int64())),
        ("scenarios", pa.list_(pa.string())),
    ]
)
LOT = 10_000


def walk(lots: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The findings of blocks that are sorted by log, producer id and offset, and the rows that are events."""
    audit, merge = Audit(), Merge()
    for lot in lots:
        events = lot.column("event").is_valid()
        if pc.any(events).as_py():
            yield _events(lot.filter(events))
            lot = lot.filter(pc.invert(events))
        if len(lot):
            yield from _lots(audit.read(merge.next(lot)))
    if merge.held is not None:
        yield from _lots(audit.read(merge.held))
    yield from _lots(audit.finish())


def _events(rows: pa.RecordBatch) -> pa.RecordBatch:
    held = {**dict(zip(rows.schema.names, rows.columns, strict=True)), "kind": rows.column("event")}
    arrays = [held[f.name].cast(f.type) if f.name in held else pa.nulls(len(rows), f.type) for f in ARROW]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW)


def _lots(findings: Iterator[Finding]) -> Iterator[pa.RecordBatch]:
    while held := list(islice(findings, LOT)):
        yield to_arrow(held)


def to_arrow(findings: list[Finding]) -> pa.RecordBatch:
    """Findings as rows."""
    return pa.RecordBatch.from_pylist([_row(finding) for finding in findings], ARROW)


def _row(finding: Finding) -> dict[str, Any]:
    batch, other = finding.batch, finding.other
    epochs = (other.leader_epoch, batch.leader_epoch) if other and other.leader_epoch >= 0 else None
    return {
        "kind": finding.kind,
        "log": finding.log,
        "producer_id": finding.producer_id,
        "amount": finding.amount,
        "text": finding.text,
        **_fields(batch, ""),
        **(_fields(other, "other_") if other else {}),
        "scenarios": diagnosis.scenarios(finding.kind, finding.amount, finding.text, epochs),
    }


def _fields(batch: Batch, prefix: str) -> dict[str, int]:
    return {prefix + name: getattr(batch, name) for name in FIELDS}
