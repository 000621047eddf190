"""Requests that show which config of a broker is in force: refused in any case, so they leave no trace in a log."""

from __future__ import annotations

import struct

from ..conformance.classes import java, taken
from ..conformance.codec import Frame

ATTRIBUTES, SEQUENCE, COUNT, CHECKSUM = 21, 53, 57, 17
"""Where they begin in a record batch of format 2."""
FAR = 1 << 20


def with_wrong_checksum(frame: Frame) -> bytes:
    """CORRUPT_MESSAGE: after the checks of the replicas in sync (B1.3) and of the size (B1.4)."""
    at, batch = _batch(frame)
    return _with(frame, at, batch[:-1] + bytes([batch[-1] ^ 1]))


def too_far_ahead(frame: Frame) -> bytes:
    """OUT_OF_ORDER_SEQUENCE_NUMBER, of a producer that the broker knows: after the validation of the records (B1.6)."""
    import jpype

    at, batch = _batch(frame)
    (sequence,) = struct.unpack_from(">i", batch, SEQUENCE)
    tail = batch[ATTRIBUTES:SEQUENCE] + struct.pack(">i", sequence + FAR) + batch[COUNT:]
    checksum = java("java.util.zip.CRC32C")()
    checksum.update(jpype.JArray(jpype.JByte)(tail))
    return _with(frame, at, batch[:CHECKSUM] + struct.pack(">I", int(checksum.getValue())) + tail)


def _batch(frame: Frame) -> tuple[int, bytes]:
    """The batch of a request, and where it begins there."""
    assert frame.batch is not None
    found = taken(frame.batch.records.buffer().duplicate())
    return frame.data.index(found), found


def _with(frame: Frame, at: int, batch: bytes) -> bytes:
    return frame.data[:at] + batch + frame.data[at + len(batch) :]
