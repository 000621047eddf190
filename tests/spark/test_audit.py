"""The audit from files to findings: every anomaly is found exactly where it was put, and none is invented."""

from __future__ import annotations

import gzip
import json
import os
import random
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.model import audit
from everystate.model.audit.finding_kinds import KINDS, Level
from everystate.specs import registry
from tests.audit.generator import Batch, Log, Writer, segment, segment_name, write_dump, write_log

Found = list[tuple[str, str, int | None]]


def told(report: audit.Report, *levels: Level) -> Found:
    """Kind, log and offset (of damage the byte) of the findings of some levels."""
    rows = []
    for found in report.found:
        if found.kind.level in (levels or tuple(Level)):
            place = found["base_offset"] if found["base_offset"] is not None else found["position"]
            rows.append((found["kind"], f"{found['topic']}-{found['partition']}", place))
    return sorted(rows)


def anomalous(start: int = 0) -> tuple[Log, Found]:
    """A log of two producers with an anomaly of every kind, and what must be found by offset."""
    log, one, two = Log(start), Writer(1), Writer(2)
    expected: Found = []

    def expect(kind: str, batch: Batch) -> None:
        expected.append((kind, "", batch.offset))

    def calm() -> None:
        for _ in range(3):
            log.append(one, 2)
            log.append(two)

    calm()
    expect("duplicate", log.again(log.batches[-2]))
    calm()
    one.sequence += 4
    expect("gap", log.append(one, 2))
    calm()
    late = log.append(two, 3)
    log.batches.pop()
    log.end -= 3
    log.append(two)
    expect("reordered", log.again(late))
    calm()
    originals = [b for b in log.batches if b.producer == 1][-2:]
    one.epoch, one.sequence, log.leader_epoch = 1, 0, 1
    for at, original in enumerate(originals):
        copy = log.again(original, epoch=1, sequence=2 * at)
        expect("copy", copy)
        if at == 0:
            expect("epoch-bump", copy)
    one.sequence = 4
    calm()
    expect("epoch-regression", log.append(one, 1, epoch=0, sequence=90))
    expected.append(("gap", "", log.batches[-1].offset))
    calm()
    return log, expected


def expected_in(log: str, found: Found, weak: bool = False) -> Found:
    """What is expected, in a log; a dump knows of copies that they are likely."""
    return sorted((f"likely-{kind}" if weak and kind == "copy" else kind, log, offset) for kind, _, offset in found)


@pytest.mark.thorough
def test_every_anomaly_is_found_with_a_border_of_segments_at_any_place(spark: Any, tmp_path: Path) -> None:
    log, expected = anomalous()
    wanted: Found = []
    shown = {offset for _, _, offset in expected}
    borders = sorted({at + beside for at, b in enumerate(log.batches) if b.offset in shown for beside in (0, 1)})
    for at in borders:
        write_log(tmp_path / f"border-{at}", log.batches, [at])
        wanted += expected_in(f"border-{at}", expected)
    write_log(tmp_path / "each-0", log.batches, range(1, len(log.batches)))
    wanted += expected_in("each-0", expected)
    report = audit.audit(spark, [str(tmp_path)], audit.FindingLimits(limit=100_000))
    assert told(report) == sorted(wanted)
    assert report.exit_code == 12
    assert (report.logs, report.files) == (len(borders) + 1, 2 * len(borders) + len(log.batches))


@pytest.mark.thorough
def test_a_large_dump_is_read_in_parts_and_a_header_holds_until_the_next(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.model.audit.sources.PART", 1500)
    log, expected = anomalous()
    data = b""
    for name in ("a-0", "b-7"):
        data += write_dump(tmp_path / "x", f"/data/{name}", log.batches, "4.1-deep", [9, 11]).read_bytes()
    (tmp_path / "x").unlink()
    (tmp_path / "all.txt").write_bytes(data)
    report = audit.audit(spark, [str(tmp_path / "all.txt")], audit.FindingLimits(limit=100_000))
    assert told(report) == sorted(expected_in("a-0", expected, True) + expected_in("b-7", expected, True))


def test_an_audit_that_fails_leaves_the_settings_of_its_session_too(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    log.append(Writer())
    write_log(tmp_path / "orders-3", log.batches, [])

    def fail(*_: object) -> None:
        raise OSError("gone")

    before = spark.conf.get("spark.sql.shuffle.partitions")
    monkeypatch.setattr("everystate.model.audit.run.frames", fail)
    with pytest.raises(OSError, match="gone"):
        audit.audit(spark, [str(tmp_path)])
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


@pytest.mark.thorough
def test_a_missing_segment_proves_nothing_and_one_that_is_there_twice_is_an_overlap(spark: Any, tmp_path: Path) -> None:
    log, _ = anomalous()
    sound = [replace(batch, sequence=batch.offset, producer=1, epoch=0) for batch in log.batches]
    paths = write_log(tmp_path / "missing-0", sound, [5, 9, 14])
    paths[1].unlink()
    write_log(tmp_path / "twice-0", sound, [8])
    (tmp_path / "twice-0" / segment_name(sound[4].offset)).write_bytes(segment(sound[4:12]))
    report = audit.audit(spark, [str(tmp_path)])
    assert told(report) == [
        ("overlap", "twice-0", sound[4].offset),
        ("overlap", "twice-0", sound[8].offset),
        ("unproved-gap", "missing-0", sound[9].offset),
    ]
    assert report.exit_code == 3


@pytest.mark.thorough
def test_hostile_input_is_told_by_file_and_byte(spark: Any, tmp_path: Path) -> None:
    batches = anomalous()[0].batches[:6]
    data = segment(batches)
    sizes = [len(batch.encode()) for batch in batches]
    huge = bytearray(data)
    struct.pack_into(">i", huge, sum(sizes[:4]) + 8, 1 << 30)
    wrong = bytearray(data)
    wrong[sum(sizes[:2]) + 50] ^= 255
    noise = bytes(random.Random(3).randrange(256) for _ in range(4000))
    files = {
        "cut-0": data[:-5],
        "huge-0": bytes(huge),
        "wrong-0": bytes(wrong),
        "noise-0": noise,
        "after-0": data + noise,
        "empty-0": b"",
        "text-0": b"this is not a log\n" * 20,
        "torn-0": gzip.compress(data)[:-20],
        "zipped-0": gzip.compress(data),
        "mixed-0": struct.pack(">qiIbbiI", 0, 14, 0, 0, 0, -1, 0xFFFFFFFF) + data,
    }
    for name, content in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / segment_name(0)).write_bytes(content)
    lines = write_dump(tmp_path / "dump.txt", "/data/dump-0", batches, "4.1").read_text().split("\n")
    (tmp_path / "dump.txt").write_text("\n".join([*lines[:3], lines[3][:100], *lines[4:5], *lines[6:]]))
    report = audit.audit(spark, [str(tmp_path)])
    assert told(report, Level.DAMAGED) == sorted(
        [
            ("truncated", "cut-0", sum(sizes[:5])),
            ("truncated", "huge-0", sum(sizes[:4])),
            ("checksum", "wrong-0", sum(sizes[:2])),
            ("not-a-log", "noise-0", 0),
            ("corrupt", "after-0", sum(sizes)),
            ("not-a-log", "text-0", 0),
            ("unreadable", "torn-0", 0),
            ("legacy", "mixed-0", 0),
            ("bad-line", "dump-0", len("\n".join(lines[:3])) + 1),
            ("lines-missing", "dump-0", sum(sizes[:4])),
        ]
    )
    assert told(report, Level.BROKEN) == []
    assert ("empty", "empty-0", 0) in told(report, Level.LEGAL)
    assert report.exit_code == 3


@pytest.mark.thorough
def test_a_hadoop_file_system_is_read_as_a_stream(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files through Hadoop's own client: local_path takes them for those of another file system."""
    log, expected = anomalous()
    write_log(tmp_path / "__orders-0", log.batches, [7])
    write_dump(tmp_path / "b.txt.gz", "/data/b-1", log.batches, "4.1")
    monkeypatch.setattr("everystate.model.audit.sources.local_path", lambda path: None)
    report = audit.audit(spark, [tmp_path.as_uri()])
    assert told(report) == sorted(expected_in("__orders-0", expected) + expected_in("b-1", expected, True))


def test_scenarios_and_rules_are_those_of_this_project() -> None:
    from everystate.model.audit import diagnosis

    names = set(registry.names())
    told_of = {name for kind in KINDS.values() for name in kind.scenarios}
    for kind in KINDS:
        for amount in (0, 9):
            for text in ("", "other records"):
                for epochs in (None, (1, 1), (1, 2), (1, 5)):
                    told_of |= set(diagnosis.scenarios(kind, amount, text, epochs))
    assert told_of <= names
    rules = Path(__file__).parents[3] / "shared" / "reference" / "kafka-idempotence.md"
    if rules.exists():
        text = rules.read_text()
        assert all(rule in text for kind in KINDS.values() for rule in kind.rules)


@pytest.mark.thorough
def test_the_audit_without_spark_says_the_same(spark: Any, tmp_path: Path) -> None:
    log, _ = anomalous()
    write_log(tmp_path / "orders-0", log.batches, [7, 12])
    write_log(tmp_path / "late-0", [replace(batch, offset=batch.offset + 90) for batch in log.batches], [11])
    write_dump(tmp_path / "d.txt", "/data/dump-1", log.batches, "4.1")
    with (tmp_path / "d.txt").open("a") as file:
        file.write("Killed\n")
    (tmp_path / "empty-0").mkdir()
    (tmp_path / "empty-0" / segment_name(0)).write_bytes(b"")
    limits = audit.FindingLimits(limit=1000, pictures=5)
    units = audit.small([str(tmp_path)])
    assert units is not None
    here, there = audit.audit_locally(units, [str(tmp_path)], limits), audit.audit(spark, [str(tmp_path)], limits)
    assert (here.files, here.logs, here.segments) == (there.files, there.logs, there.segments)
    assert (here.counts, here.kinds, here.owned, here.unchecked) == (
        there.counts,
        there.kinds,
        there.owned,
        there.unchecked,
    )
    assert told(here) == told(there)
    assert [(x["text"], x["amount"], x["scenarios"]) for x in here.found] == [
        (x["text"], x["amount"], x["scenarios"]) for x in there.found
    ]
    assert [[b["base_offset"] for b in x.around] for x in here.found] == [
        [b["base_offset"] for b in x.around] for x in there.found
    ]


# -- the command line ------------------------------------------------------------------------------------------


@pytest.fixture
def shared(spark: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command line on the session of the tests."""

    @contextmanager
    def opened(given: dict[str, Any], app: str) -> Iterator[Any]:
        yield spark

    monkeypatch.setattr("everystate.model.commands.audit.opened", opened)
    return spark


def test_the_command_line_writes_what_is_asked_for(
    shared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log, expected = anomalous()
    write_log(tmp_path / "orders-0", log.batches, [7])
    code = main(
        [
            "audit",
            "orders-0",
            "--json",
            "a.json",
            "--html",
            "a.html",
            "--parquet",
            str(tmp_path / "all"),
            "--limit",
            "3",
        ]
    )
    printed = capsys.readouterr().out
    assert code == 12
    assert printed.split("\n")[-2] == "BROKEN  7 findings break the promise of idempotence"
    assert "... and 4 more" in printed
    report = json.loads((tmp_path / "a.json").read_text())
    assert (report["exit_code"], report["batches"], report["left_out"]) == (12, len(log.batches), 0)
    assert sorted((f["kind"], f["base_offset"]) for f in report["findings"]) == sorted(
        (kind, offset) for kind, _, offset in expected
    )
    stored = shared.read.parquet(str(tmp_path / "all"))
    assert stored.count() == len(expected)
    page = (tmp_path / "a.html").read_text()
    assert page.count("<svg") == 7
    assert "<script" not in page and "://" not in page
    assert main(["audit", "orders-0", "--parquet", str(tmp_path / "all")]) == 2
    assert "E606" in capsys.readouterr().err


def test_a_clean_log_and_the_last_line_alone(
    shared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log, one = Log(), Writer()
    for _ in range(5):
        log.append(one)
    write_log(tmp_path / "orders-0", log.batches)
    assert main(["audit", "orders-0", "-q"]) == 0
    text = "every sequence of every producer is there once, in order and without gaps: 5 batches of producers in 1 log"
    assert capsys.readouterr().out == f"CLEAN  {text}\n"


@pytest.mark.thorough
def test_a_file_that_may_not_be_read(
    shared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_log(tmp_path / "orders-0", anomalous()[0].batches)
    (tmp_path / "gone-0").mkdir()
    os.symlink(tmp_path / "nowhere", tmp_path / "gone-0" / segment_name(0))
    assert main(["audit", ".", "--limit", "100"]) == 12
    printed = capsys.readouterr().out
    assert "unreadable  " in printed
    assert "no such file or directory" in printed
