"""Reads raw segments: the headers of record batches, with their checksums, without decompressing a record.

A batch of format v2 (Kafka 0.11 and later) is a header of 61 bytes and the records. The checksum covers everything from
the attributes on; the fields before it (base offset, length, leader epoch, format) are not covered. Batches can only be
found one after the other, so a segment is read from its beginning, in bounded memory: a window of some MiB, and a
checksum in pieces for a larger batch.

A batch with a wrong checksum is skipped by its length. Where no batch can begin (an impossible length, an unknown
format) the next one cannot be found, and the rest of the segment is reported as one flaw.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import google_crc32c
import numpy as np

from .schema import CONTROL, NO_SEQUENCE, TRANSACTIONAL, Batches, Columns, Flaw, Items, Legacy

WINDOW = 4 << 20
LARGE = 64 << 20
"""A batch above this size is not held in memory."""
BEFORE_LENGTH = 12
"""Bytes of an entry that its length does not count."""
TO_MAGIC = 17
CHECKED = 21
"""The position of the attributes, from which on the checksum covers the batch."""
HEADER = 61
LEAST, LEAST_OLD = HEADER - BEFORE_LENGTH, 14
MODULUS = 1 << 31
FIELDS = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_delta", ">i4"),
        ("base_time", ">i8"),
        ("max_time", ">i8"),
        ("producer_id", ">i8"),
        ("epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("count", ">i4"),
    ]
)
Array = np.ndarray[Any, Any]
_LENGTH = struct.Struct(">i")


def read_segment(stream: BinaryIO, size: int | None) -> Items:
    """The batches and flaws of a segment; `size` in bytes, None where it is not known before the end."""
    return _Walk(stream, size).items()


class _Walk:
    """Goes from batch to batch. `data` is a window of the file that begins at byte `start`, `at` a position in it."""

    def __init__(self, stream: BinaryIO, size: int | None) -> None:
        self.stream, self.size = stream, size
        self.data, self.start, self.at = b"", 0, 0

    def items(self) -> Items:
        legacy, first_legacy = 0, 0
        while True:
            starts = self._sound()
            if starts:
                yield from _decoded(self.data, starts, self.start)
            if not self._more(TO_MAGIC):
                break
            magic, length = self.data[self.at + 16], self._length()
            if magic < 2 and length >= LEAST_OLD and not self._beyond(length):
                first_legacy = first_legacy if legacy else self._position()
                legacy += 1
                position, passed = self._position(), self._skip(length + BEFORE_LENGTH)
                if passed < length + BEFORE_LENGTH:
                    yield Flaw("truncated", position, passed, f"a message of {BEFORE_LENGTH + length:,} bytes")
            elif magic == 2 and length >= LEAST and not self._beyond(length):
                if length <= LARGE:
                    if not self._more(BEFORE_LENGTH + length):
                        break
                else:
                    yield from self._large(length)
            else:
                yield from self._lost(magic, length)
                break
        if legacy:
            yield Legacy(first_legacy, legacy)
        if self.at < len(self.data):
            yield from self._cut()

    def _sound(self) -> list[int]:
        """The places in the window of the whole batches of format 2 from here on; `at` is behind the last."""
        data, at, end = self.data, self.at, len(self.data)
        starts: list[int] = []
        while at + HEADER <= end and data[at + 16] == 2:
            length = _LENGTH.unpack_from(data, at + 8)[0]
            if length < LEAST or at + BEFORE_LENGTH + length > end:
                break
            starts.append(at)
            at += BEFORE_LENGTH + length
        self.at = at
        return starts

    def _length(self) -> int:
        return cast(int, _LENGTH.unpack_from(self.data, self.at + 8)[0])

    def _position(self) -> int:
        return self.start + self.at

    def _beyond(self, length: int) -> bool:
        """Whether an entry of this length would end behind the end of the file."""
        return self.size is not None and self._position() + BEFORE_LENGTH + length > self.size

    def _more(self, wanted: int) -> bool:
        """Read until the window holds so many bytes from here on; returns whether it does."""
        if len(self.data) - self.at >= wanted:
            return True
        parts, held = [self.data[self.at :]], len(self.data) - self.at
        while held < wanted:
            part = self.stream.read(max(WINDOW, wanted - held))
            if not part:
                break
            parts.append(part)
            held += len(part)
        self.start, self.at, self.data = self._position(), 0, b"".join(parts)
        return held >= wanted

    def _skip(self, count: int) -> int:
        """Skip a number of bytes; returns how many there were."""
        return sum(len(part) for part in self._pass(count))

    def _pass(self, count: int) -> Iterator[bytes]:
        while count and self._more(1):
            part = self.data[self.at : self.at + count]
            self.at += len(part)
            count -= len(part)
            yield part

    def _large(self, length: int) -> Items:
        """A batch larger than the window: its checksum in pieces, then its header as that of a batch of its own."""
        position = self._position()
        self._more(HEADER)
        header = b"".join(self._pass(HEADER))
        crc, body, held = google_crc32c.value(header[CHECKED:]), google_crc32c.value(_lasting(header)), HEADER
        for part in self._pass(BEFORE_LENGTH + length - HEADER):
            crc, body, held = google_crc32c.extend(crc, part), google_crc32c.extend(body, part), held + len(part)
        if held < BEFORE_LENGTH + length:
            yield Flaw("truncated", position, held, f"a batch of {BEFORE_LENGTH + length:,} bytes")
            return
        yield from _checked(np.frombuffer(header, FIELDS), np.array([position]), np.array([crc]), np.array([body]))

    def _lost(self, magic: int, length: int) -> Items:
        position = self._position()
        if self.size is not None and length >= (LEAST if magic == 2 else LEAST_OLD) and magic <= 2:
            rest = self.size - position
            yield Flaw("truncated", position, rest, f"a batch of {BEFORE_LENGTH + length:,} bytes; {rest:,} are left")
        elif length == magic == 0 and (zeros := self._zeros()):
            yield Flaw("preallocated", position, zeros, "zeros to the end of the file")
        else:
            text = f"format {magic}" if magic > 2 else f"length {length:,}"
            rest = (self.size if self.size is not None else self._position() + self._skip(1 << 62)) - position
            yield Flaw(
                "corrupt" if position else "not-a-log",
                position,
                rest,
                f"no batch can begin here: {text}; {rest:,} bytes are not read",
            )
        self.at = len(self.data)

    def _zeros(self) -> int:
        """The number of zeros up to the end of the file; 0 where there is anything else."""
        count = 0
        for part in self._pass(1 << 62):
            if part.count(0) < len(part):
                return 0
            count += len(part)
        return count

    def _cut(self) -> Items:
        rest = self.data[self.at :]
        if rest.count(0) == len(rest):
            yield Flaw("preallocated", self._position(), len(rest), "zeros to the end of the file")
        else:
            kind = "truncated" if self._position() or len(rest) >= TO_MAGIC else "not-a-log"
            yield Flaw(kind, self._position(), len(rest), f"{len(rest):,} bytes are left, less than a batch")


def _lasting(header: bytes) -> bytes:
    """The part of a header that a client keeps when it sends the batch again under another sequence number."""
    return header[23:35] + header[57:61]


def _decoded(data: bytes, starts: list[int], offset: int) -> Items:
    places = np.array(starts, np.int64)
    window = np.frombuffer(data, np.uint8)
    headers = window[places[:, None] + np.arange(HEADER)].view(FIELDS).reshape(-1)
    ends = (places + BEFORE_LENGTH + headers["length"]).tolist()
    value, extend = google_crc32c.value, google_crc32c.extend
    crcs = np.array([value(data[at + CHECKED : end]) for at, end in zip(starts, ends, strict=True)])
    bodies = np.array(
        [extend(value(data[at + 23 : at + 35]), data[at + 57 : end]) for at, end in zip(starts, ends, strict=True)]
    )
    yield from _checked(headers, places + offset, crcs, bodies)


def _checked(headers: Array, positions: Array, crcs: Array, bodies: Array) -> Items:
    """The batches whose checksum is right, and a flaw for each other one, in the order of the file."""
    wrong = np.flatnonzero((headers["crc"] != crcs) | (headers["last_delta"] < 0))
    first = 0
    for at in [*wrong.tolist(), len(headers)]:
        if at > first:
            part = slice(first, at)
            yield Batches(_columns(headers[part], positions[part], bodies[part]), int(headers["count"][part].sum()))
        if at < len(headers):
            size = int(headers["length"][at]) + BEFORE_LENGTH
            text = (
                f"{int(headers['crc'][at])} is written, {int(crcs[at])} is right; offset {headers['base_offset'][at]}"
            )
            yield Flaw("checksum", int(positions[at]), size, text)
        first = at + 1


def _columns(headers: Array, positions: Array, bodies: Array) -> Columns:
    first = headers["base_sequence"].astype(np.int64)
    delta = headers["last_delta"].astype(np.int64)
    control = (headers["attributes"] & 0x20) != 0
    size = headers["length"].astype(np.int64) + BEFORE_LENGTH
    return {
        "position": positions,
        "base_offset": headers["base_offset"].astype(np.int64),
        "last_offset": headers["base_offset"] + delta,
        "first_sequence": first.astype(np.int32),
        "last_sequence": np.where(first < 0, NO_SEQUENCE, (first + delta) % MODULUS).astype(np.int32),
        "producer_id": headers["producer_id"].astype(np.int64),
        "epoch": headers["epoch"].astype(np.int32),
        "leader_epoch": headers["leader_epoch"].astype(np.int32),
        "flags": (((headers["attributes"] & 0x10) != 0) * TRANSACTIONAL + control * CONTROL).astype(np.int8),
        "size": size,
        "content": (bodies.astype(np.int64) << 31) ^ size,
    }
