"""Logs for audit.py: millions of batches with known anomalies, as segment files and as a dump of each partition.

A log has producers that take turns at random. Anomalies are put in at known places, at the borders of segments too,
and each is written down as (kind, partition, offset), which is exactly what an audit must report.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

import google_crc32c

KINDS = ("duplicate", "gap", "reordered", "epoch-regression", "copy")
PRODUCERS = 50
TIME = 1_720_108_310_684
BODY = b"a record of some bytes, number %08d"
CHECKED = struct.Struct(">hiqqqhii")
FRONT = struct.Struct(">qiibI")
LINE = (
    "baseOffset: %d lastOffset: %d count: %d baseSequence: %d lastSequence: %d producerId: %d producerEpoch: %d "
    "partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: %d "
    "CreateTime: %d size: %d magic: 2 compresscodec: none crc: %d isvalid: true\n"
)


Row = tuple[int, int, int, int, int]
"""What a producer writes: sequence, count, producer id, epoch, number of its first record."""


@dataclass
class Producer:
    """What a producer writes next, its newest batch, and where the epoch before ended."""

    identity: int
    sequence: int = 0
    epoch: int = 0
    newest: Row | None = None
    old_sequence: int = 0

    def next(self, count: int, number: int) -> Row:
        """The batch that a broker accepts."""
        self.newest = (self.sequence, count, self.identity, self.epoch, number)
        self.sequence += count
        return self.newest


@dataclass
class Partition:
    """One log: its batches in the order of offsets, with anomalies at known places."""

    number: int
    batches: int
    anomalies: int
    segments: int
    expected: set[tuple[str, int, int]] = field(default_factory=set)

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Offsets and batches; `expected` is complete when they end."""
        dice = random.Random(self.number)
        producers = [Producer(1000 * self.number + at) for at in range(PRODUCERS)]
        length = self.batches // self.segments
        borders = {at for edge in range(length, self.batches - 1, length) for at in (edge - 1, edge)}
        places = borders | set(dice.sample(range(PRODUCERS * 20, self.batches - 2), self.anomalies))
        offset, waiting = 0, None
        for at in range(self.batches):
            producer = producers[int(dice.random() * PRODUCERS)]
            if waiting is not None:
                self._expect("reordered", offset)
                row, waiting = waiting, None
            elif at not in places:
                row = producer.next(1 + (at & 3), at)
            else:
                kind = KINDS[int(dice.random() * len(KINDS))]
                kind = "copy" if kind == "epoch-regression" and not producer.epoch else kind
                row, waiting = self._anomaly(kind, producer, offset, at)
            yield offset, row
            offset += row[1]

    def _anomaly(self, kind: str, producer: Producer, offset: int, at: int) -> tuple[Row, Row | None]:
        """A batch that shows an anomaly, and the one that must follow it."""
        assert producer.newest is not None
        _, count, identity, epoch, number = producer.newest
        if kind == "reordered":
            overtaken = producer.next(2, at)
            return producer.next(1, at + self.batches), overtaken
        self._expect(kind, offset)
        if kind == "duplicate":
            return producer.newest, None
        if kind == "gap":
            producer.sequence += 3
            return producer.next(2, at), None
        if kind == "copy":
            producer.old_sequence, producer.sequence, producer.epoch = producer.sequence, 0, epoch + 1
            return producer.next(count, number), None
        sequence, producer.old_sequence = producer.old_sequence, producer.old_sequence + 1
        return (sequence, 1, identity, epoch - 1, at), None

    def _expect(self, kind: str, offset: int) -> None:
        self.expected.add((kind, self.number, offset))


def write(partition: Partition, folder: Path) -> tuple[set[tuple[str, int, int]], int]:
    """The segments of a log below raw/, and its dump below text/: what must be found, and bytes of text."""
    log = folder / "raw" / f"bench-{partition.number}"
    log.mkdir(parents=True, exist_ok=True)
    (folder / "text").mkdir(exist_ok=True)
    length = partition.batches // partition.segments
    raw, position = None, 0
    with (folder / "text" / f"bench-{partition.number}.txt").open("w", buffering=1 << 20) as text:
        for at, (offset, row) in enumerate(partition.rows()):
            if at % length == 0 and at // length < partition.segments:
                if raw is not None:
                    raw.close()
                name = f"{offset:020}.log"
                raw, position = (log / name).open("wb", buffering=1 << 20), 0
                text.write(f"Dumping /var/kafka/bench-{partition.number}/{name}\nLog starting offset: {offset}\n")
            position += _put(raw, text, offset, row, position)
        size = text.tell()
    if raw is not None:
        raw.close()
    return partition.expected, size


def _put(raw: BinaryIO, text: TextIO, offset: int, row: Row, position: int) -> int:
    """Write a batch; its size."""
    sequence, count, identity, epoch, number = row
    time = TIME + number
    checked = CHECKED.pack(0, count - 1, time, time, identity, epoch, sequence, count) + BODY % number
    crc = google_crc32c.value(checked)
    raw.write(FRONT.pack(offset, len(checked) + 9, 0, 2, crc) + checked)
    size, last = len(checked) + 21, count - 1
    fields = (offset, offset + last, count, sequence, sequence + last, identity, epoch, position, time, size, crc)
    text.write(LINE % fields)
    return size
