"""The audit in this process: the findings of every kind, and what a verdict covers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.model import audit
from tests.spark.test_audit import anomalous, expected_in, told

from .generator import BATCHES, CREATED, Batch, Log, Writer, dump_lines, segment, write_dump, write_log


def report(path: Path, pictures: int = 0) -> audit.Report:
    units = audit.small([str(path)])
    assert units is not None
    return audit.audit_locally(units, [str(path)], audit.FindingLimits(1000, pictures))


def test_every_anomaly_is_found(tmp_path: Path) -> None:
    log, expected = anomalous()
    write_log(tmp_path / "orders-0", log.batches, [7])
    write_dump(tmp_path / "d.txt", "/data/dump-1", log.batches, "4.1")
    found = report(tmp_path, pictures=3)
    assert told(found) == sorted(expected_in("orders-0", expected) + expected_in("dump-1", expected, weak=True))
    assert (found.verdict, found.files, found.logs, found.segments) == ("BROKEN", 3, 2, 3)
    assert [len(each.around) > 2 for each in found.found[:4]] == [True, True, True, False]


def test_retention_compaction_markers_and_plain_batches_are_no_findings(tmp_path: Path) -> None:
    log, one, two, plain = Log(500), Writer(1, sequence=77), Writer(2, 3, 9, True), Writer(-1, -1, -1)
    for _ in range(20):
        log.append(one)
        log.append(two, 2)
        log.marker(two)
        log.append(plain, sequence=-1)
    write_log(tmp_path / "orders-3", log.batches, [30])
    write_log(tmp_path / "compacted-0", [batch for at, batch in enumerate(log.batches) if at % 7 or at < 4], [31])
    found = report(tmp_path)
    assert [row for row in told(found) if row[1] == "orders-3"] == [
        ("first-sequence", "orders-3", 500),
        ("first-sequence", "orders-3", 501),
    ]
    assert set(found.kinds) == {"first-sequence", "unproved-gap"}
    assert (found.verdict, found.counts["control"], found.counts["plain"]) == ("UNDECIDED", 37, 37)
    assert found.unchecked == 37


def test_recorded_segments_hold_one_finding() -> None:
    found = report(Path(__file__).parent / "recorded").found
    kinds = [(x["kind"], x["topic"], x["base_offset"]) for x in found]
    assert [each for each in kinds if each[0] != "epoch-bump"] == [("copy", "clean-restart", 3)]


DUMP = """Dumping /k/t-0/00000000000000000000.log
Log starting offset: 0
baseOffset: 0 lastOffset: 0 count: 1 baseSequence: SEQUENCE lastSequence: SEQUENCE producerId: OWNER producerEpoch: 0 \
partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 0 CreateTime: 1600000000000 size: 80 \
magic: 2 compresscodec: none crc: 1 isvalid: true
"""


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        ("", "UNDECIDED", "nothing was checked: the input has no batch"),
        (DUMP.split("baseOffset")[0], "UNDECIDED", "nothing was checked: the input has no batch"),
        (DUMP.replace("OWNER", "-1").replace("SEQUENCE", "-1"), "UNDECIDED", "1 batch without a producer id"),
        (DUMP.replace("OWNER", "7").replace("SEQUENCE", "0") + "Killed\n", "UNDECIDED", "1 flaw of the input"),
        (DUMP.replace("OWNER", "7").replace("SEQUENCE", "3"), "SUSPICIOUS", "may break the promise"),
        (DUMP.replace("OWNER", "7").replace("SEQUENCE", "0"), "CLEAN", "1 batch of producers in 1 log"),
    ],
)
def test_clean_is_a_log_of_producers_that_was_read_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, word: str, said: str
) -> None:
    (tmp_path / "dump.txt").write_text(text)
    code = main(["audit", str(tmp_path / "dump.txt"), "-q"])
    printed = capsys.readouterr().out
    assert (code, printed.startswith(word), said in printed) == (0 if word == "CLEAN" else 3, True, True), printed


def test_equal_batches_without_a_producer_id(tmp_path: Path) -> None:
    """a batch that was sent again without idempotence, in a segment and in a dump of it"""
    once = [Batch(at, -1, producer=-1, epoch=-1, time=CREATED + at, body=b"record %d" % at) for at in range(4)]
    batches = [*once, replace(once[1], offset=4), replace(once[2], offset=5), replace(once[3], offset=6, time=CREATED)]
    place = tmp_path / "orders-0" / "00000000000000000000.log"
    place.parent.mkdir()
    place.write_bytes(segment(batches))
    dump = tmp_path / "dump.txt"
    dump.write_text("\n".join(dump_lines(str(place), batches, "4.1")) + "\n")
    for path in (place, dump):
        found = report(path)
        assert (found.verdict, found.kinds) == ("SUSPICIOUS", {"equal-batch": 2})
        assert [each["text"] for each in found.found] == [f"equal to the batch at offset {at}" for at in (1, 2)]


@pytest.mark.parametrize("prefix", ["kafka-1  | ", "2026-11-22T15:27:42.666123456Z ", "[pod/kafka-0/kafka] ", "\t"])
def test_a_dump_with_a_prefix_before_each_line(prefix: str, tmp_path: Path) -> None:
    lines = list(dump_lines("/data/orders-0/00000000000000000000.log", BATCHES, "4.1"))
    plain, prefixed = tmp_path / "plain.txt", tmp_path / "prefixed.txt"
    plain.write_text("\n".join(lines) + "\n")
    prefixed.write_text("".join(f"{prefix}{line}\n" for line in lines))
    first, second = report(plain), report(prefixed)
    assert (first.verdict, first.counts, first.kinds) == (second.verdict, second.counts, second.kinds)
    assert second.counts["batches"] == len(BATCHES)
