"""From the generator's batches to the columns that the audit walks, without files and without Spark."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from everystate.model.audit.producers import Audit, Finding
from everystate.model.audit.schema import FIELDS, Columns

from .generator import Batch


def columns(logs: Sequence[Sequence[Batch]]) -> Columns:
    """The batches of some logs, sorted by log, producer and offset."""
    rows = []
    for log, batches in enumerate(logs):
        end = holes = 0
        for number, batch in enumerate(batches):
            holes += max(0, batch.offset - end)
            end = max(end, batch.last_offset + 1)
            rows.append((log, batch.producer, batch.offset, number, holes, batch))
    rows.sort(key=lambda row: row[:4])
    found: Columns = {name: np.zeros(len(rows), np.int64) for name in ("log", "producer_id", *FIELDS)}
    for at, (log, producer, offset, number, holes, batch) in enumerate(rows):
        values = {
            "log": log,
            "producer_id": producer,
            "number": number,
            "base_offset": offset,
            "last_offset": batch.last_offset,
            "first_sequence": batch.sequence,
            "last_sequence": batch.last_sequence,
            "epoch": batch.epoch,
            "leader_epoch": batch.leader_epoch,
            "flags": batch.transactional + 2 * batch.control,
            "content": zlib.crc32(batch.body) + 1,
            "holes": holes,
        }
        for name, value in values.items():
            found[name][at] = value
    return found


def walked(logs: Sequence[Sequence[Batch]], lot: int = 1 << 16, flags: int = 0) -> list[Finding]:
    """What walking the producers finds, with the rows in lots of some size, all with some more flags."""
    rows, audit, found = columns(logs), Audit(), list[Finding]()
    rows["flags"] |= flags
    for begin in range(0, len(rows["log"]), lot):
        found += audit.read({name: values[begin : begin + lot] for name, values in rows.items()})
    return [*found, *audit.finish()]


def told(found: Sequence[Finding]) -> list[tuple[str, int, int]]:
    """Kind, offset and amount, sorted; starts and jumps are judged by the holes, all in one piece."""
    return sorted((_judged(one), one.batch.base_offset, one.amount) for one in found)


def _judged(found: Finding) -> str:
    proved = found.amount > found.batch.holes - (found.other.holes if found.other else 0)
    judged = {"start": ("first-sequence", "missing-start"), "jump": ("unproved-gap", "gap")}
    return judged[found.kind][proved] if found.kind in judged else found.kind
