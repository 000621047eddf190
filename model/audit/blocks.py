"""Blocks: many batches of one producer in one part of a log, as one row of Spark.

A row costs Spark far more than its bytes, and the audit walks the batches of one producer after the other. So a reader
sends what it has read of a producer as one row, whose batches are records of fixed size. Blocks in an Arrow column form
one array of records, without a copy.

A block begins with its lowest offset, and blocks are sorted by it. They overlap only where the input holds a part of a
log twice, or where offsets go back.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from .schema import ARROW, BATCH, FIELDS, KEYS, Columns

RECORD = np.dtype([(name, FIELDS[name]) for name in BATCH], align=True)
ORDER = ("log", "producer_id", "base_offset", "unit", "section", "number")


def pack(columns: Columns) -> pa.RecordBatch:
    """The blocks of some batches of one unit; those without a producer id are left out."""
    owned = np.flatnonzero(columns["producer_id"] >= 0)
    order = owned[np.lexsort((columns["producer_id"][owned], columns["section"][owned]))]
    records = np.zeros(len(order), RECORD)
    for name in BATCH:
        records[name] = columns[name][order]
    section, producer = columns["section"][order], columns["producer_id"][order]
    begins = np.ones(len(order), bool)
    begins[1:] = (section[1:] != section[:-1]) | (producer[1:] != producer[:-1])
    starts = np.flatnonzero(begins)
    ends = np.append(starts, len(order)).astype(np.int32) * RECORD.itemsize
    facts = {name: columns[name][order][starts] for name in (*KEYS, "unit", "section")}
    facts["base_offset"] = np.minimum.reduceat(records["base_offset"], starts) if len(starts) else starts
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(records.view(np.uint8))]
    held = {name: pa.array(values, ARROW.field(name).type) for name, values in facts.items()}
    held["batches"] = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
    arrays = [held.get(field.name, pa.nulls(len(starts), field.type)) for field in ARROW]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW)


def unpack(blocks: pa.RecordBatch) -> Columns:
    """The batches of some blocks, one block after the other."""
    held = blocks.column("batches").cast(pa.large_binary())
    ends = np.frombuffer(held.buffers()[1], np.int64)[held.offset : held.offset + len(held) + 1]
    records = np.frombuffer(held.buffers()[2], np.uint8)[ends[0] : ends[-1]].view(RECORD)
    count = np.diff(ends) // RECORD.itemsize
    found = {name: np.repeat(blocks.column(name).to_numpy(), count) for name in (*KEYS, "unit", "section")}
    return found | {name: np.ascontiguousarray(records[name]) for name in BATCH}


class Merge:
    """Batches in the order of log, producer id and offset, from blocks in the order of their first batches.

    Batches that are not before the last block are `held` until the next chunk, or to the end.
    """

    def __init__(self) -> None:
        self.held: Columns | None = None

    def next(self, blocks: pa.RecordBatch) -> Columns:
        """The batches whose order is final after these blocks, at least one."""
        found = unpack(blocks)
        if self.held is not None:
            found = {name: np.concatenate([values, found[name]]) for name, values in self.held.items()}
        found = _ordered(found)
        log, producer, offset = (blocks.column(name)[-1].as_py() for name in ORDER[:3])
        open_ = (found["log"] == log) & (found["producer_id"] == producer) & (found["base_offset"] >= offset)
        certain = len(open_) - int(np.count_nonzero(open_))
        self.held = {name: values[certain:] for name, values in found.items()}
        return {name: values[:certain] for name, values in found.items()}


def _ordered(columns: Columns) -> Columns:
    same = np.ones(max(0, len(columns["log"]) - 1), bool)
    for name in KEYS:
        same &= columns[name][1:] == columns[name][:-1]
    offset = columns["base_offset"]
    if not (same & (offset[1:] <= offset[:-1])).any():
        return columns
    order = np.lexsort([columns[name] for name in reversed(ORDER)])
    return {name: values[order] for name, values in columns.items()}
