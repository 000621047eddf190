"""The schema of what reading a log yields: rows for record batches, for each piece of a segment, and for each flaw.

One wide schema serves all three, so that they come from one pass over the input. `event` is null for a block of batches
(see blocks.py), `piece` for the summary of a piece (`text` is its path, `counts` its content), else the kind of a flaw.
The sequence numbers of a batch count records (Kafka's record batch format v2); `holes` is the number of offsets of its
piece that are in no batch before this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

PIECE = "piece"
NO_SEQUENCE = -1
TRANSACTIONAL, CONTROL, WEAK = 1, 2, 4
"""Bits of `flags`; WEAK where `content` knows the records by their sizes and times only."""
COUNTS = ("batches", "records", "transactional", "control", "plain", "legacy")
"""What `counts` of a piece holds, in this order; `plain` batches have no producer id."""

FIELDS = {
    "unit": "int32",
    "section": "int32",
    "number": "int64",
    "position": "int64",
    "base_offset": "int64",
    "last_offset": "int64",
    "first_sequence": "int32",
    "last_sequence": "int32",
    "epoch": "int32",
    "leader_epoch": "int32",
    "flags": "int8",
    "content": "int64",
    "holes": "int64",
}
"""The stored fields of a batch. `content` is equal for equal records at equal times; 0 where it is not known."""
KEYS = {"log": "int64", "producer_id": "int64"}
"""The key of batches that are checked together: one producer in one log; a log is identified by a hash of its name."""
TOLD = {"event": "string", "text": "string", "log_name": "string", "file": "string", "amount": "int64"}
BATCH = tuple(name for name in FIELDS if name not in ("unit", "section"))
"""What differs among the batches of a piece."""
ROW = {**TOLD, **KEYS, **FIELDS, "batches": "binary"}
ARROW = pa.schema([*((name, getattr(pa, kind)()) for name, kind in ROW.items()), ("counts", pa.list_(pa.int64()))])
SPARK = {"string": "string", "binary": "binary", "int8": "tinyint", "int32": "int", "int64": "bigint"}
Columns = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Header:
    """The start of another segment in a dump: its path."""

    path: str


@dataclass(frozen=True)
class Flaw:
    """Something in the input that is not a sound batch: its kind, the byte where it is, bytes or batches, words."""

    kind: str
    position: int
    amount: int = 0
    text: str = ""


@dataclass
class Batches:
    """Some batches in the order of the file: their producer ids and sizes, and the known values of FIELDS."""

    columns: Columns
    records: int = 0


@dataclass(frozen=True)
class Legacy:
    """Messages of format 0 or 1, which carry no producer id: how many, and where the first is."""

    position: int
    amount: int


Item = Header | Flaw | Batches | Legacy
Items = Iterator[Item]


def ddl(columns: Mapping[str, str]) -> str:
    """Columns as Spark names a schema."""
    return ", ".join(f"{name} {SPARK[kind]}" for name, kind in columns.items())


@dataclass
class Tally:
    """The totals of a piece so far; `end` is the byte after its last batch, None where that is not known."""

    section: int = 0
    first_offset: int = 0
    last_offset: int = -1
    holes: int = 0
    end: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
