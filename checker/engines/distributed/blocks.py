"""Blocks: rows of thousands of packed states, as they travel between tasks and are stored on disk.

A Spark row for each state would cost the JVM three to five times what the kernel costs. The states of a block are
transposed by byte (the same byte of all states together) and compressed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from .meter import CODEC, spending

STATES, STATS, SUCCESSORS, COUNTS, ANCHOR = range(5)
"""Kinds of rows: states of a level; the counters of a partition in a level; successors on their way to their owner; the
counters of one expanded block; the mark that keeps a partition on its executor."""

SCHEMA = pa.schema(
    [
        pa.field("route", pa.int32()),  # hashed by Spark to find the partition of the owner
        pa.field("kind", pa.int32()),
        pa.field("owner", pa.int32()),
        pa.field("level", pa.int32()),
        pa.field("source", pa.int32()),  # the partition whose block was expanded ...
        pa.field("seq", pa.int32()),  # ... and the number of that block
        pa.field("count", pa.int64()),  # states
        pa.field("payload", pa.binary()),
    ]
)
NAMES = SCHEMA.names[1:]
DDL = "route int, kind int, owner int, level int, source int, seq int, count bigint, payload binary"
FORMAT, STRENGTH = "zstd", 1
"""6 bytes for a state of 24 to 32, at 60 to 75 ns; lz4 takes 42 ns and leaves 9.5 bytes."""
ACTION = 2
"""Bytes of an action beside its successor."""


@dataclass(frozen=True)
class Row:
    """One row; `payload` is packed states, or counters."""

    kind: int
    owner: int
    level: int
    source: int
    seq: int
    count: int
    payload: Any

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> Row:
        """A row from the values of its columns."""
        return cls(**{name: named[name] for name in NAMES})


def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of record batches, one at a time."""
    for batch in batches:
        numbers, payloads = batch.select(NAMES[:-1]).to_pylist(), batch.column("payload")
        for named, payload in zip(numbers, payloads, strict=True):
            yield Row(**named, payload=payload.as_buffer())


def batch(found: Row, routes: tuple[int, ...]) -> pa.RecordBatch:
    """A row as a record batch of its own: batches leave a task one by one, not all at its end."""
    payload = found.payload if isinstance(found.payload, bytes) else bytes(found.payload)
    numbers = [found.kind, found.owner, found.level, found.source, found.seq, found.count]
    values = [routes[found.owner], *numbers, payload]
    return pa.record_batch([column(v, f.type) for v, f in zip(values, SCHEMA, strict=True)], schema=SCHEMA)


def column(value: Any, kind: Any) -> Any:
    """A column of one number or of some bytes; `pa.array` would import pandas, the dearest import of a task."""
    if kind == pa.binary():
        ends = np.array([0, len(value)], np.int32)
        return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(ends), pa.py_buffer(value)])
    return pa.Array.from_buffers(
        kind, 1, [None, pa.py_buffer(int(value).to_bytes(kind.bit_width // 8, sys.byteorder, signed=True))]
    )


def pack(states: Any, actions: Any = None) -> bytes:
    """States (n rows of 64-bit words), and with each the action (16 bits) that led to it, compressed."""
    n, width = len(states), 8 * states.shape[1]
    with spending(CODEC):
        planes = np.empty((width + (ACTION if actions is not None else 0), n), np.uint8)
        planes[:width] = np.ascontiguousarray(states).view(np.uint8).reshape(n, width).T
        if actions is not None:
            planes[width:] = np.ascontiguousarray(actions).view(np.uint8).reshape(n, ACTION).T
        packed: bytes = pa.Codec(FORMAT, compression_level=STRENGTH).compress(planes, asbytes=True)
    return packed


def unpack(row: Row, words: int) -> Any:
    """The states of a block of states."""
    with spending(CODEC):
        return _planes(row, 8 * words).T.copy().view(np.uint64)


def unpack_successors(row: Row, words: int) -> tuple[Any, Any]:
    """(states, actions) of a block of successors."""
    with spending(CODEC):
        planes = _planes(row, 8 * words + ACTION)
        states = planes[: 8 * words].T.copy().view(np.uint64)
        return states, planes[8 * words :].T.copy().view(np.uint16).reshape(-1)


def _planes(row: Row, width: int) -> Any:
    plain = pa.Codec(FORMAT).decompress(row.payload, row.count * width)
    return np.frombuffer(plain, np.uint8).reshape(width, row.count)
