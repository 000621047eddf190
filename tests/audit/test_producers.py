"""The sequences of producers: each anomaly is found where it was put, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everystate.model.audit.schema import WEAK

from . import oracle
from .columns import told, walked
from .generator import MODULUS, Batch, Log, Writer


def written(*batches: int, start: int = 0, sequence: int = 0, transactional: bool = False) -> tuple[Log, Writer]:
    """A log with batches of these numbers of records by one producer."""
    log, writer = Log(start), Writer(sequence=sequence, transactional=transactional)
    for count in batches:
        log.append(writer, count)
    return log, writer


def test_a_sound_log_has_no_finding() -> None:
    log, _ = written(1, 3, 2, 1)
    assert told(walked([log.batches])) == []


def test_a_duplicate_names_its_original_and_the_next_batch_is_not_blamed() -> None:
    log, writer = written(1, 3, 2)
    log.again(log.batches[1])
    log.append(writer)
    (found,) = walked([log.batches])
    assert (found.kind, found.batch.base_offset, found.text) == ("duplicate", 6, "the same records")
    assert found.other is not None and found.other.base_offset == 1


def test_other_records_under_the_same_sequence_are_told_apart() -> None:
    log, _ = written(2, 2)
    log.again(log.batches[0], body=b"something else")
    assert [(f.kind, f.text) for f in walked([log.batches])] == [("duplicate", "other records")]


def test_a_dump_shows_sizes_and_times_of_records_only() -> None:
    log, _ = written(2, 2)
    log.again(log.batches[0])
    assert [(f.kind, f.text) for f in walked([log.batches], flags=WEAK)] == [
        ("duplicate", "records of the same sizes and times")
    ]


def test_a_part_of_a_batch_is_a_duplicate_too_and_what_follows_is_not() -> None:
    log, writer = written(4)
    log.append(writer, 4, sequence=2)
    writer.sequence = 6
    log.append(writer)
    assert [(f.kind, f.batch.base_offset, f.text) for f in walked([log.batches])] == [
        ("duplicate", 4, "the ranges differ")
    ]


def test_a_gap_is_the_fault_of_what_is_missing_not_of_what_follows() -> None:
    log, writer = written(2)
    writer.sequence += 5
    for _ in range(3):
        log.append(writer)
    assert told(walked([log.batches])) == [("gap", 2, 5)]


def test_what_fills_a_jump_later_is_reordered_and_no_gap() -> None:
    log, writer = written(1, 1)
    late = log.append(writer)
    log.batches.pop()
    log.end -= 1
    log.append(writer)
    log.again(late)
    log.append(writer)
    assert told(walked([log.batches])) == [("reordered", 3, 0)]


def test_a_jump_that_is_filled_in_part_leaves_a_gap_of_the_rest() -> None:
    log, writer = written(1)
    log.append(writer, 1, sequence=5)
    log.append(writer, 2, sequence=2)
    assert told(walked([log.batches])) == [("gap", 1, 2), ("reordered", 2, 0)]


def test_an_older_epoch_after_a_newer_one_is_one_finding_for_a_run() -> None:
    log, writer = written(2, 2)
    log.append(writer, 1, epoch=1, sequence=0)
    log.append(writer)
    log.append(writer)
    log.append(writer, 1, epoch=1, sequence=1)
    log.append(writer)
    assert told(walked([log.batches])) == [("epoch-bump", 4, 0), ("epoch-regression", 5, 0), ("epoch-regression", 8, 0)]


def test_a_marker_of_a_newer_epoch_fences_the_older_one() -> None:
    log, writer = written(2, transactional=True)
    log.marker(writer, epoch=1)
    log.append(writer)
    assert told(walked([log.batches])) == [("epoch-regression", 3, 0), ("open-transaction", 3, 0)]


def test_a_transaction_without_a_marker_is_open_from_its_first_batch() -> None:
    log, writer = written(1, 2, 2, transactional=True)
    assert told(walked([log.batches])) == [("open-transaction", 0, 0)]
    log.marker(writer)
    assert told(walked([log.batches])) == []
    log.append(writer, 2)
    log.append(writer, 1)
    for lot in (1, 2, 100):
        assert told(walked([log.batches], lot)) == [("open-transaction", 6, 0)]


def test_a_new_epoch_that_does_not_begin_at_0_has_a_gap() -> None:
    log, writer = written(2, 2)
    log.append(writer, 1, epoch=1, sequence=3)
    log.append(writer, 1, epoch=1, sequence=4)
    assert told(walked([log.batches])) == [("epoch-bump", 4, 0), ("gap", 4, 3)]


def test_batches_that_are_sent_again_in_a_new_epoch_are_copies() -> None:
    log, _ = written(1, 1, 2)
    log.leader_epoch = 1
    for sequence, original in ((0, log.batches[1]), (1, log.batches[2])):
        log.again(original, epoch=1, sequence=sequence)
    found = [f for f in walked([log.batches]) if f.kind == "copy"]
    assert [(f.batch.base_offset, f.other and f.other.base_offset, f.amount) for f in found] == [(4, 1, 1), (5, 2, 0)]


def test_a_copy_that_is_written_twice_is_a_copy_and_a_duplicate() -> None:
    log, _ = written(1, 1)
    copy = log.again(log.batches[1], epoch=1, sequence=0)
    log.again(copy)
    assert told(walked([log.batches])) == [("copy", 2, 0), ("duplicate", 3, 0), ("epoch-bump", 2, 0)]


def test_transactions_with_a_new_epoch_each_are_sound() -> None:
    log, writer = Log(), Writer(transactional=True)
    for epoch in range(4):
        writer.epoch, writer.sequence = epoch, 0
        log.append(writer, 2)
        log.append(writer, 1)
        log.marker(writer, epoch + 1)
    assert told(walked([log.batches])) == []


def test_the_sequence_wraps_between_batches_and_inside_one() -> None:
    log, _ = written(2, 1, start=9, sequence=MODULUS - 2)
    assert told(walked([log.batches]))[1:] == [("wrap", 11, 0)]
    log, _ = written(1, 4, 1, start=9, sequence=MODULUS - 3)
    assert [row[:2] for row in told(walked([log.batches]))] == [("missing-start", 9), ("wrap", 10)]


def test_a_sequence_that_returns_after_a_wrap_is_no_duplicate() -> None:
    quarter = MODULUS // 4
    log, writer = Log(), Writer()
    for _ in range(6):
        log.append(writer, quarter)
    assert told(walked([log.batches])) == [("wrap", MODULUS, 0)]
    log.again(log.batches[-1])
    assert told(walked([log.batches])) == [("duplicate", 6 * quarter, 0), ("wrap", MODULUS, 0)]


def test_a_first_sequence_is_legal_where_the_log_no_longer_has_what_came_before() -> None:
    log, _ = written(1, 1, start=40, sequence=40)
    assert told(walked([log.batches])) == [("first-sequence", 40, 40)]
    log, _ = written(1, 1, start=40, sequence=41)
    assert told(walked([log.batches])) == [("missing-start", 40, 41)]


def test_holes_of_compaction_prove_no_gap_and_too_few_of_them_do() -> None:
    log, writer = written(3, 3, 3, 3)
    del log.batches[1]
    assert told(walked([log.batches])) == [("unproved-gap", 6, 3)]
    writer.sequence += 1
    log.append(writer)
    assert told(walked([log.batches])) == [("gap", 12, 1), ("unproved-gap", 6, 3)]


def test_producers_and_logs_do_not_disturb_each_other() -> None:
    first, second = Log(), Log(5)
    one, two = Writer(1), Writer(2)
    for log in (first, second):
        for _ in range(3):
            log.append(one)
            log.append(two, 2)
        one.sequence = two.sequence = 0
    assert told(walked([first.batches, second.batches])) == []
    first.again(first.batches[1])
    assert told(walked([first.batches, second.batches], lot=1)) == [("duplicate", 9, 0)]


def test_a_batch_that_stands_in_two_files_counts_once() -> None:
    log, _ = written(1, 2, 1)
    log.batches.append(log.batches[-1])
    log.batches.insert(1, log.batches[0])
    for lot in (1, 2, 9):
        assert told(walked([log.batches], lot)) == []


def test_a_duplicate_whose_original_was_forgotten_is_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everystate.model.audit.producers.KEPT", 3)
    log, _ = written(*[1] * 9)
    log.again(log.batches[0])
    (found,) = walked([log.batches], lot=2)
    assert (found.kind, found.other) == ("duplicate", None)


# -- any log ---------------------------------------------------------------------------------------------------


@st.composite
def logs(draw: st.DrawFn) -> list[Batch]:
    """A log of one producer in which anything may happen."""
    log = Log(draw(st.sampled_from([0, 0, 7])))
    writer = Writer(sequence=draw(st.sampled_from([0, 0, 5, MODULUS - 4])), transactional=draw(st.booleans()))
    steps: dict[str, Callable[[], object]] = {
        "next": lambda: log.append(writer, draw(st.integers(1, 3))),
        "again": lambda: log.again(draw(st.sampled_from(log.batches[-20:]))),
        "jump": lambda: log.append(writer, 2, sequence=(writer.sequence + draw(st.integers(-6, 6))) % MODULUS),
        "skip": lambda: setattr(writer, "sequence", (writer.sequence + draw(st.integers(1, 4))) % MODULUS),
        "hole": lambda: setattr(log, "end", log.end + draw(st.integers(1, 3))),
        "marker": lambda: log.marker(writer, writer.epoch + draw(st.integers(0, 1))),
        "bump": lambda: (setattr(writer, "epoch", writer.epoch + 1), setattr(writer, "sequence", 0)),
        "old": lambda: log.append(writer, 1, epoch=max(0, writer.epoch - 1), sequence=draw(st.integers(0, 5))),
        "copy": lambda: log.again(
            draw(st.sampled_from(log.batches)), epoch=writer.epoch, sequence=writer.sequence, control=False
        ),
    }
    log.append(writer)
    for name in draw(st.lists(st.sampled_from(["next"] * 6 + sorted(steps)), max_size=40)):
        steps[name]()
    return log.batches


@settings(max_examples=250)
@given(logs(), st.integers(1, 9))
def test_any_log_is_judged_as_by_explicit_sets_of_sequences(batches: list[Batch], lot: int) -> None:
    expected = oracle.findings(batches)
    assert told(walked([batches], lot)) == expected
