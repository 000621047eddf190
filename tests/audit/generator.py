"""Logs for tests and measurements: real segment files of format v2, and dump text as brokers 0.11 to 4.x print it."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import google_crc32c

MODULUS = 1 << 31
CREATED = 1_720_108_310_684


@dataclass(frozen=True)
class Batch:
    """A record batch of format v2; its records are `body`, taken as they are."""

    offset: int
    sequence: int
    count: int = 1
    producer: int = 4000
    epoch: int = 0
    transactional: bool = False
    control: bool = False
    leader_epoch: int = 0
    time: int = CREATED
    body: bytes = b"0123456789"

    @property
    def last_offset(self) -> int:
        return self.offset + self.count - 1

    @property
    def last_sequence(self) -> int:
        return -1 if self.sequence < 0 else (self.sequence + self.count - 1) % MODULUS

    @property
    def attributes(self) -> int:
        return self.transactional * 0x10 + self.control * 0x20

    def encode(self) -> bytes:
        """Its bytes in a segment."""
        checked = struct.pack(
            ">hiqqqhii",
            self.attributes,
            self.count - 1,
            self.time,
            self.time,
            self.producer,
            self.epoch,
            self.sequence,
            self.count,
        )
        checked += self.body
        crc = google_crc32c.value(checked)
        return struct.pack(">qiibI", self.offset, len(checked) + 9, self.leader_epoch, 2, crc) + checked


Form = Callable[[Batch, int, int, int], str]


BATCHES = [
    Batch(100, 0, 3, leader_epoch=4),
    Batch(103, 3, 1, transactional=True),
    Batch(104, -1, 1, transactional=True, control=True),
    Batch(105, MODULUS - 2, 4, producer=2**40, epoch=32767),
    Batch(109, -1, 2, producer=-1, epoch=-1),
    Batch(120, 2, 1, body=b"x" * 300),
]
"""One of each kind, with holes between their offsets."""


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _producer(batch: Batch, count: str) -> str:
    return (
        f"baseOffset: {batch.offset} lastOffset: {batch.last_offset} {count}baseSequence: {batch.sequence} "
        f"lastSequence: {batch.last_sequence} producerId: {batch.producer} producerEpoch: {batch.epoch} "
        f"partitionLeaderEpoch: {batch.leader_epoch} isTransactional: {_flag(batch.transactional)} "
    )


def shallow_0_11(batch: Batch, position: int, size: int, crc: int) -> str:
    """0.11 to 1.x."""
    return (
        _producer(batch, "") + f"position: {position} CreateTime: {batch.time} isvalid: true size: {size} magic: 2 "
        f"compresscodec: NONE crc: {crc}"
    )


def deep_0_11(batch: Batch, position: int, size: int, crc: int) -> str:
    """0.11 to 1.x with --deep-iteration --print-data-log: records instead of batches."""
    marker = " endTxnMarker: COMMIT coordinatorEpoch: 0" if batch.control else " payload: offset: 5 position: 7"
    return "\n".join(
        f"offset: {batch.offset + at} position: {position} CreateTime: {batch.time} isvalid: true keysize: -1 "
        f"valuesize: 9 magic: 2 compresscodec: NONE producerId: {batch.producer} producerEpoch: {batch.epoch} "
        f"sequence: {-1 if batch.sequence < 0 else (batch.sequence + at) % MODULUS} "
        f"isTransactional: {_flag(batch.transactional)} headerKeys: []{marker}"
        for at in range(batch.count)
    )


def shallow_2(batch: Batch, position: int, size: int, crc: int) -> str:
    """2.0 to 2.8."""
    return (
        _producer(batch, f"count: {batch.count} ") + f"isControl: {_flag(batch.control)} position: {position} "
        f"CreateTime: {batch.time} size: {size} magic: 2 compresscodec: NONE crc: {crc} isvalid: true"
    )


def deep_2(batch: Batch, position: int, size: int, crc: int) -> str:
    """2.x with --print-data-log; a payload that looks like a header, and one with line ends."""
    lines = [shallow_2(batch, position, size, crc)]
    for at in range(batch.count):
        end = (
            " endTxnMarker: COMMIT coordinatorEpoch: 0" if batch.control else " payload: one\ntwo baseOffset: 1\n\nDump"
        )
        sequence = -1 if batch.sequence < 0 else (batch.sequence + at) % MODULUS
        lines.append(
            f"| offset: {batch.offset + at} CreateTime: {batch.time} keysize: -1 valuesize: 9 sequence: {sequence} "
            f"headerKeys: []{end}"
        )
    return "\n".join(lines)


def shallow_4(batch: Batch, position: int, size: int, crc: int) -> str:
    """3.x and 4.x."""
    return (
        _producer(batch, f"count: {batch.count} ")
        + f"isControl: {_flag(batch.control)} deleteHorizonMs: OptionalLong.empty position: {position} CreateTime: "
        f"{batch.time} size: {size} magic: 2 compresscodec: none crc: {crc} isvalid: true"
    )


def deep_4(batch: Batch, position: int, size: int, crc: int) -> str:
    """3.x and 4.x with --print-data-log."""
    records = "".join(
        f"\n| offset: {batch.offset + at} CreateTime: {batch.time} keySize: 3 valueSize: 9 "
        f"sequence: {-1 if batch.sequence < 0 else (batch.sequence + at) % MODULUS} headerKeys: [] "
        "key: \u20ac payload: {}"
        for at in range(batch.count)
    )
    return shallow_4(batch, position, size, crc) + records


FORMS: dict[str, tuple[Form, str]] = {
    "0.11": (shallow_0_11, "Starting offset"),
    "0.11-deep": (deep_0_11, "Starting offset"),
    "2.8": (shallow_2, "Starting offset"),
    "2.8-deep": (deep_2, "Starting offset"),
    "4.1": (shallow_4, "Log starting offset"),
    "4.1-deep": (deep_4, "Log starting offset"),
}
"""Ways to print a batch, and the words in front of the first offset."""


def segment(batches: Iterable[Batch]) -> bytes:
    """The bytes of a segment."""
    return b"".join(batch.encode() for batch in batches)


def segment_name(first: int) -> str:
    """The name of a segment file."""
    return f"{first:020}.log"


def write_log(folder: Path, batches: Sequence[Batch], segments: Sequence[int] = ()) -> list[Path]:
    """Segment files of a log; `segments` are the places in `batches` where a new one begins, apart from the first."""
    folder.mkdir(parents=True, exist_ok=True)
    edges = [0, *segments, len(batches)]
    paths = []
    for first, last in pairwise(edges):
        path = folder / segment_name(batches[first].offset)
        path.write_bytes(segment(batches[first:last]))
        paths.append(path)
    return paths


def dump_lines(path: str, batches: Sequence[Batch], form: str) -> Iterator[str]:
    """What a broker of some version prints of a segment."""
    told, words = FORMS[form]
    yield f"Dumping {path}"
    yield f"{words}: {int(Path(path).name.split('.')[0])}"
    position = 0
    for batch in batches:
        data = batch.encode()
        yield told(batch, position, len(data), struct.unpack_from(">I", data, 17)[0])
        position += len(data)


def write_dump(path: Path, log: str, batches: Sequence[Batch], form: str, segments: Sequence[int] = ()) -> Path:
    """A dump of a log in one file, gzip where its name ends so; `log` is the folder of the log on the broker."""
    path.parent.mkdir(parents=True, exist_ok=True)
    edges = [0, *segments, len(batches)]
    lines: list[str] = []
    for first, last in pairwise(edges):
        lines += dump_lines(f"{log}/{segment_name(batches[first].offset)}", batches[first:last], form)
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data, 1, mtime=0) if path.suffix == ".gz" else data)
    return path


class Writer:
    """What a producer writes next: its id, epoch and sequence."""

    def __init__(self, producer: int = 4000, epoch: int = 0, sequence: int = 0, transactional: bool = False) -> None:
        self.producer, self.epoch, self.sequence, self.transactional = producer, epoch, sequence, transactional


class Log:
    """A log under construction: batches get the next offset."""

    def __init__(self, start: int = 0) -> None:
        self.batches: list[Batch] = []
        self.end = start
        self.leader_epoch = 0

    def append(self, writer: Writer, count: int = 1, **changes: object) -> Batch:
        """The next batch of a writer; with `changes` it is another one, which does not move the writer on."""
        at = len(self.batches)
        batch = Batch(
            self.end,
            writer.sequence,
            count,
            writer.producer,
            writer.epoch,
            writer.transactional,
            leader_epoch=self.leader_epoch,
            time=CREATED + at,
            body=b"record %d" % at,
        )
        self.batches.append(replace(batch, **changes))  # type: ignore[arg-type]
        self.end += count
        if not changes:
            writer.sequence = (writer.sequence + count) % MODULUS
        return self.batches[-1]

    def again(self, batch: Batch, **changes: object) -> Batch:
        """A batch once more at the end of the log, as a client sends it again."""
        copy = replace(batch, offset=self.end, leader_epoch=self.leader_epoch, **changes)  # type: ignore[arg-type]
        self.batches.append(copy)
        self.end += batch.count
        return copy

    def marker(self, writer: Writer, epoch: int | None = None) -> Batch:
        """The marker that ends a transaction."""
        told = writer.epoch if epoch is None else epoch
        batch = Batch(self.end, -1, 1, writer.producer, told, True, True, self.leader_epoch, body=b"\0\0\0\1")
        self.batches.append(batch)
        self.end += 1
        return batch
