"""Segments: batches as another implementation reads and writes them, and bytes that are none."""

from __future__ import annotations

import random
import struct
import warnings
from dataclasses import replace

import pytest

from everystate.model.audit import segment as reader

from .generator import BATCHES, Batch, segment
from .reading import from_segment

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record import MemoryRecords
    from kafka.record.default_records import DefaultRecordBatchBuilder
    from kafka.record.legacy_records import LegacyRecordBatchBuilder

SIZES = [len(batch.encode()) for batch in BATCHES]
STARTS = [sum(SIZES[:at]) for at in range(len(SIZES))]


def rows(batches: list[Batch], start: int = 0) -> list[tuple[int, ...]]:
    """What must be read of some batches that begin at a byte of a segment."""
    found: list[tuple[int, ...]] = []
    for batch in batches:
        size = len(batch.encode())
        flags = batch.transactional + 2 * batch.control
        told = (batch.offset, batch.last_offset, batch.sequence, batch.last_sequence, batch.producer, batch.epoch)
        found.append((*told, batch.leader_epoch, start, size, flags))
        start += size
    return found


@pytest.mark.parametrize("window", [17, 64, 200, 4 << 20])
@pytest.mark.parametrize("large", [100, 64 << 20])
def test_every_batch_is_read_whatever_the_window(window: int, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WINDOW", window)
    monkeypatch.setattr(reader, "LARGE", large)
    for known in (True, False):
        read = from_segment(segment(BATCHES), known)
        assert read.batches == rows(BATCHES)
        assert (read.flaws, read.legacy, read.records) == ([], [], 12)


def test_another_implementation_reads_our_segments_alike() -> None:
    theirs = []
    records = MemoryRecords(segment([b for b in BATCHES if b.producer >= 0]))
    while (batch := records.next_batch()) is not None:
        assert batch.validate_crc()
        told = (batch.base_offset, batch.base_offset + batch.last_offset_delta, batch.base_sequence)
        theirs.append((*told, batch.producer_id, batch.producer_epoch, batch.leader_epoch))
    ours = from_segment(segment([b for b in BATCHES if b.producer >= 0])).batches
    assert theirs == [(row[0], row[1], row[2], row[4], row[5], row[6]) for row in ours]


@pytest.mark.parametrize("codec", [0, 1])
def test_segments_of_another_implementation_are_read(codec: int) -> None:
    data = b""
    for first in range(3):
        builder = DefaultRecordBatchBuilder(
            magic=2,
            compression_type=codec,
            is_transactional=0,
            producer_id=77,
            producer_epoch=5,
            base_sequence=10 * first,
            batch_size=1 << 20,
        )
        for at in range(10):
            builder.append(offset=at, timestamp=1000 + at, key=b"k", value=b"v" * 50, headers=[("h", b"x")])
        data += struct.pack(">q", 10 * first) + bytes(builder.build())[8:]
    read = from_segment(data)
    assert [row[:6] for row in read.batches] == [(10 * n, 10 * n + 9, 10 * n, 10 * n + 9, 77, 5) for n in range(3)]
    assert read.flaws == []
    assert read.content[0] == read.content[1] == read.content[2]


@pytest.mark.parametrize("magic", [0, 1])
def test_old_messages_are_counted_and_what_follows_is_read(magic: int) -> None:
    builder = LegacyRecordBatchBuilder(magic=magic, compression_type=0, batch_size=1 << 20)
    for at in range(4):
        builder.append(offset=at, timestamp=1000, key=None, value=b"old")
    old = bytes(builder.build())
    new = [Batch(4, 0), Batch(5, 1)]
    read = from_segment(old + segment(new))
    assert (read.legacy, read.flaws, read.batches) == ([(0, 4)], [], rows(new, len(old)))


def test_records_that_are_sent_again_under_another_sequence_have_the_same_content() -> None:
    first = Batch(0, 7, 2)
    again = [first, replace(first, offset=9, epoch=1, sequence=0), replace(first, offset=11, body=b"other 1234")]
    content = from_segment(segment(again)).content
    assert content[0] == content[1] != content[2]


@pytest.mark.parametrize("cut", range(1, SIZES[0]))
def test_a_batch_that_is_cut_anywhere_is_told_with_its_place(cut: int) -> None:
    data = segment(BATCHES[1:2]) + BATCHES[0].encode()[:cut]
    for known in (True, False):
        read = from_segment(data, known)
        assert read.batches == rows(BATCHES[1:2])
        zeros = cut <= 7  # the first bytes of an offset
        assert read.flaws == [("preallocated" if zeros else "truncated", SIZES[1], cut)]


def test_a_wrong_checksum_leaves_out_its_batch_only() -> None:
    data = bytearray(segment(BATCHES))
    data[STARTS[2] + 40] ^= 1
    read = from_segment(bytes(data))
    assert read.flaws == [("checksum", STARTS[2], SIZES[2])]
    assert read.batches == [row for at, row in enumerate(rows(BATCHES)) if at != 2]
    assert "offset 104" in read.texts[0]


@pytest.mark.parametrize("byte", range(61))
@pytest.mark.parametrize("bit", [1, 128])
def test_any_flipped_bit_of_a_header_is_survived(byte: int, bit: int) -> None:
    data = bytearray(segment(BATCHES))
    data[STARTS[1] + byte] ^= bit
    read = from_segment(bytes(data))
    assert read.batches[:1] == rows(BATCHES)[:1]
    if byte >= 17:  # from here on the checksum covers everything
        assert read.flaws == [("checksum", STARTS[1], SIZES[1])]
        assert len(read.batches) == 5


@pytest.mark.parametrize(
    ("length", "told"),
    [(1 << 30, "truncated"), ((1 << 31) - 1, "truncated"), (-1, "corrupt"), (0, "corrupt"), (48, "corrupt")],
)
def test_an_impossible_length_ends_the_walk_where_it_stands(length: int, told: str) -> None:
    data = bytearray(segment(BATCHES))
    struct.pack_into(">i", data, STARTS[3] + 8, length)
    read = from_segment(bytes(data))
    assert read.batches == rows(BATCHES)[:3]
    assert read.flaws == [(told, STARTS[3], len(data) - STARTS[3])]


def test_an_unknown_format_ends_the_walk_where_it_stands() -> None:
    data = bytearray(segment(BATCHES))
    data[STARTS[5] + 16] = 3
    assert from_segment(bytes(data)).flaws == [("corrupt", STARTS[5], SIZES[5])]


@pytest.mark.parametrize("zeros", [1, 16, 17, 61, 5000])
def test_zeros_behind_the_last_batch_are_legal(zeros: int) -> None:
    for known in (True, False):
        read = from_segment(segment(BATCHES) + bytes(zeros), known)
        assert read.flaws == [("preallocated", sum(SIZES), zeros)]


def test_what_is_no_segment_is_told_so() -> None:
    assert from_segment(b"just text, nothing else, and more of it").flaws == [("not-a-log", 0, 39)]
    assert from_segment(b"short").flaws == [("not-a-log", 0, 5)]


def test_random_bytes_are_survived() -> None:
    dice = random.Random(1)
    for length in range(0, 400, 7):
        data = segment(BATCHES[:2]) + bytes(dice.randrange(256) for _ in range(length))
        read = from_segment(data, known=bool(length % 2))
        assert read.batches[:2] == rows(BATCHES[:2])
        assert len(read.flaws) >= bool(length)
        assert sum(flaw[2] for flaw in read.flaws) == length
