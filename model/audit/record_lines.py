"""Reads dumps of 0.11 to 1.x with --deep-iteration: a line for each record, which names the position of its batch."""

from __future__ import annotations

import re

import numpy as np

from .batch_lines import Facts, sound
from .schema import Items, Legacy

RECORD = re.compile(
    rb"^offset: (\d+) position: (\d+) (\w+): -?\d+ isvalid: (\w+) keysize: -?\d+ valuesize: -?\d+ magic: 2 "
    rb"compresscodec: \w+ producerId: (-?\d+) producerEpoch: (-?\d+) sequence: (-?\d+) isTransactional: (\w+)",
    re.MULTILINE,
)
LEGACY = re.compile(rb"^offset: \d+ position: (\d+) .*magic: [01] ", re.MULTILINE)


class Records:
    """Puts batches together; the last one stays open until another position, another segment or the end is met."""

    def __init__(self) -> None:
        self.open: list[tuple[bytes, ...]] = []

    def read(self, text: bytes) -> Items:
        """The batches that the records of a text complete, and its old messages."""
        if b"\noffset: " not in text and not text.startswith(b"offset: "):
            return
        if old := LEGACY.findall(text):
            yield Legacy(int(old[0]), len(old))
        if found := self.open + RECORD.findall(text):
            last = next((at for at in range(len(found), 0, -1) if found[at - 1][1] != found[-1][1]), 0)
            self.open = found[last:]
            yield from _grouped(found[:last])

    def flush(self) -> Items:
        """The batch that is open."""
        held, self.open = self.open, []
        yield from _grouped(held)


def _grouped(records: list[tuple[bytes, ...]]) -> Items:
    if not records:
        return
    offset, position, producer, epoch, sequence = (
        np.array([int(record[at]) for record in records], np.int64) for at in (0, 1, 4, 5, 6)
    )
    firsts = np.flatnonzero(np.diff(position, prepend=position[0] - 1))
    lasts = np.append(firsts[1:], len(records)) - 1
    transactional = np.array([records[at][7] == b"true" for at in firsts])
    columns = {
        "position": position[firsts],
        "base_offset": offset[firsts],
        "last_offset": offset[lasts],
        "first_sequence": sequence[firsts],
        "last_sequence": sequence[lasts],
        "producer_id": producer[firsts],
        "epoch": epoch[firsts],
        "leader_epoch": np.full(len(firsts), -1),
        "size": np.zeros(len(firsts), np.int64),
        "content": np.zeros(len(firsts), np.int64),
    }
    valid = np.array([all(r[3] == b"true" for r in records[a : b + 1]) for a, b in zip(firsts, lasts, strict=True)])
    control = (columns["producer_id"] >= 0) & (columns["first_sequence"] < 0)
    yield from sound(columns, Facts(transactional, control, valid), lasts - firsts + 1)
