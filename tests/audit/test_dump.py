"""Dumps: every version's lines tell what the segment holds, from anywhere on, and damaged ones are told."""

from __future__ import annotations

import pytest

from everystate.model.audit import dump as reader

from .generator import BATCHES, FORMS, Batch, dump_lines, segment
from .reading import from_dump, from_segment

PATH = "/data/orders-12/00000000000000000100.log"
WEAK = 4


def text(form: str, batches: list[Batch] = BATCHES) -> bytes:
    """A dump."""
    return ("\n".join(dump_lines(PATH, batches, form)) + "\n").encode()


def expected(form: str) -> list[tuple[int, ...]]:
    """What the segment holds, as far as a version tells it."""
    rows = []
    for row in from_segment(segment(BATCHES)).batches:
        *told, leader, position, size, flags = row
        if form == "0.11-deep":
            leader, size = -1, 0
        rows.append((*told, leader, position, size, flags + WEAK))
    return rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("window", [150, 8 << 20])
def test_every_version_tells_what_the_segment_holds(
    form: str, end: bytes, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "WINDOW", window)
    (read,) = from_dump(text(form).replace(b"\n", end))
    assert read.headers == [PATH]
    assert read.flaws == []
    assert read.batches == expected(form)
    assert read.records == (0 if form == "0.11" else 12)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "0.11-deep"])
def test_a_dump_can_be_read_in_parts_from_any_byte(form: str) -> None:
    data = text(form)
    for edge in range(1, len(data), 13):
        parts = from_dump(data, [edge])
        assert [row for part in parts for row in part.batches] == expected(form)
        assert [path for part in parts for path in part.headers] == [PATH]
        assert not any(part.flaws for part in parts)
    many = from_dump(data, range(50, len(data), 50))
    assert [row for part in many for row in part.batches] == expected(form)


def test_a_line_without_an_end_is_read() -> None:
    (read,) = from_dump(text("4.1").rstrip(b"\n"))
    assert read.batches == expected("4.1")


@pytest.mark.parametrize("form", ["0.11", "2.8", "4.1"])
def test_a_line_that_is_cut_is_told_with_its_place_and_all_others_are_read(form: str) -> None:
    lines = text(form).split(b"\n")
    for cut in (15, 60, 120, 180, lines[4].index(b" size")):
        damaged = [*lines[:4], lines[4][:cut], *lines[5:]]
        (read,) = from_dump(b"\n".join(damaged))
        assert read.flaws == [("bad-line", len(b"\n".join(lines[:4])) + 1, cut)]
        assert read.batches == [row for at, row in enumerate(expected(form)) if at != 2]


def test_damaged_words_are_told() -> None:
    whole = text("4.1")
    for old, new in (
        (b"producerId: 4000", b"producer: 4000"),
        (b"baseSequence: 3 lastSequence: 3", b"lastSequence: 3 baseSequence: 3 "),
        (b"lastSequence: 3", b"lastSequence: 4"),
        (b"baseSequence: 3", b"baseSequence: three"),
        (b"baseSequence: 3", b"baseSequence: 99999999999999999999"),
        (b"lastOffset: 103", b"lastOffset: 102"),
        (b"isvalid: true", b"isvalid: maybe"),
    ):
        at = whole.index(b"baseOffset: 103")
        (read,) = from_dump(whole[:at] + whole[at:].replace(old, new, 1))
        assert [flaw[:2] for flaw in read.flaws] == [("bad-line", at)], new
        assert len(read.batches) == 5


def test_what_the_broker_found_invalid_is_a_flaw() -> None:
    at = text("4.1").index(b"baseOffset: 103")
    data = text("4.1")[:at] + text("4.1")[at:].replace(b"isvalid: true", b"isvalid: false", 1)
    (read,) = from_dump(data + b"Found 12 invalid bytes at the end of 00000000000000000100.log\n")
    size = len(BATCHES[0].encode())
    assert read.flaws == [("checksum", size, len(BATCHES[1].encode())), ("truncated", -1, 12)]
    assert len(read.batches) == 5


def test_several_segments_and_other_files_in_one_dump() -> None:
    other = PATH.replace("orders-12", "orders-13")
    index = b"Dumping /data/orders-12/00000000000000000100.index\noffset: 471 position: 4186\n"
    snapshot = b"Dumping /data/orders-12/1.snapshot\nproducerId: 1 producerEpoch: 0 firstSequence: 0 lastSequence: 5\n"
    (read,) = from_dump(text("2.8") + index + snapshot + text("4.1").replace(PATH.encode(), other.encode()))
    assert [path[-10:] for path in read.headers] == ["000100.log", "0100.index", "1.snapshot", "000100.log"]
    assert read.batches == expected("2.8") + expected("4.1")
    assert read.flaws == []


def test_old_messages_are_counted() -> None:
    old = b"".join(
        b"offset: %d position: %d isvalid: true payloadsize: 5 magic: 1 compresscodec: NONE crc: 592888119\n"
        % (n, 39 * n)
        for n in range(3)
    )
    (read,) = from_dump(b"Starting offset: 0\n" + old)
    assert (read.legacy, read.batches, read.flaws) == ([(0, 3)], [], [])


def test_a_dump_of_nothing_says_so() -> None:
    (read,) = from_dump(b"Dumping /data/a-0/00000000000000000000.log\nStarting offset: 0\n")
    assert read.flaws == [("empty", 0, 0)]


def test_a_line_of_any_length_is_passed_over_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WINDOW", 64)
    monkeypatch.setattr(reader, "LONGEST", 512)
    lines = text("4.1").split(b"\n")
    long = b"| offset: 100 payload: " + b"y" * 5000
    (read,) = from_dump(b"\n".join([*lines[:4], long, *lines[4:]]))
    assert read.batches == expected("4.1")
    assert read.flaws == []


DIED = b'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat kafka.tools.Dump\n'


@pytest.mark.parametrize("form", ["4.1", "2.8-deep"])
def test_a_dump_that_died_is_not_read_to_its_end(form: str) -> None:
    """also behind a record, whose payload may have any lines"""
    (read,) = from_dump(text(form) + DIED)
    assert read.flaws == [("stray-line", len(text(form)), 2)]
    assert read.texts == [f"line {text(form).count(b'%c' % 10) + 1}: " + DIED.decode().split("\n")[0]]
    assert read.batches == expected(form)


def test_lines_of_other_programs_are_told_and_those_of_java_are_not() -> None:
    noise = b"SLF4J: Defaulting to no-operation (NOP) logger implementation\n"
    (read,) = from_dump(noise + text("4.1") + b"command terminated with exit code 137\n")
    assert read.flaws == [("stray-line", len(noise + text("4.1")), 1)]
