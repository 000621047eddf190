"""Segments that a real broker wrote (bench/segments.py): compression, control batches, compaction, a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from .reading import NAMES, Read, from_segment

RECORDED = Path(__file__).with_name("recorded")
TRANSACTIONAL, CONTROL = 1, 2


def read(name: str, first: int = 0) -> Read:
    return from_segment((RECORDED / name / f"{first:020}.log").read_bytes())


def column(found: Read, name: str) -> list[int]:
    return [row[NAMES.index(name)] for row in found.batches]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_compression_is_read(codec: str) -> None:
    found = read(f"{codec}-0")
    assert (found.flaws, found.legacy, found.records) == ([], [], 12)
    ranges = zip(*(column(found, name) for name in NAMES[:4]), strict=True)
    assert list(ranges) == [(0, 3, 0, 3), (4, 7, 4, 7), (8, 11, 8, 11)]
    assert (max(column(found, "size")) < 421) == (codec != "none")


def test_control_batches_have_no_sequence_and_move_the_epoch() -> None:
    found = read("transactions-0")
    assert (found.flaws, found.records) == ([], 12)
    assert column(found, "flags") == [TRANSACTIONAL, TRANSACTIONAL + CONTROL] * 4
    assert column(found, "first_sequence") == [0, -1] * 4
    assert column(found, "epoch") == [0, 1, 1, 2, 2, 3, 3, 4]


def test_compaction_takes_records_and_leaves_the_sequences_of_their_batches() -> None:
    found, later = read("compacted-0"), read("compacted-0", 6)
    assert (found.flaws, found.records) == ([], 4)
    assert list(zip(column(found, "first_sequence"), column(found, "last_sequence"), strict=True)) == [
        (0, 1),
        (2, 3),
        (4, 5),
    ]
    assert (later.records, column(later, "first_sequence")) == (2, [6])


def test_the_two_copies_of_a_replay_have_the_same_content() -> None:
    found = read("clean-restart-0")
    assert column(found, "epoch") == [0, 0, 0, 1]
    assert column(found, "leader_epoch") == [0, 0, 0, 2]
    assert found.content[1] == found.content[3]
    assert len({*found.content}) == 3
