"""Compares the audit of the logs that a replay has left with the model and the consumer.

The audit knows nothing of the replay: it reads the brokers' files. A log does not show everything
(docs/how-to/audit.md), so for each error the module states whether the audit must find it, and if not, why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..conformance.driver import OPEN, OTHERS
from .evidence import offsets
from .outcome import Audited, Finding, OnDisk, Outcome

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..audit.report import Found

COPIES, GAPS = ("copy", "duplicate", "likely-copy"), ("gap", "missing-start")
WORST = ("broken", "suspicious")
LIMIT = 1000
PICTURES = 10


@dataclass(frozen=True)
class Expected:
    """A finding that the audit must report in the leader's log: its kinds, its offset, and that of a related batch."""

    kinds: tuple[str, ...]
    offset: int
    other: int | None = None

    def is_in(self, finding: Finding) -> bool:
        """Whether a finding is this."""
        same = finding.kind in self.kinds and finding.offset == self.offset
        return same and self.other in (None, finding.other)

    def __str__(self) -> str:
        return self.called(self.kinds[0])

    def called(self, kind: str) -> str:
        """Its description, as one of its kinds."""
        of = f" of offset {self.other}" if self.other is not None else ""
        return f"{kind} at offset {self.offset}{of}"


def judge(outcome: Outcome, spark: SparkSession, logs: Path) -> Audited:
    """Audit the logs of all brokers, each a folder `broker-N`, and compare the findings with the outcome."""
    from .. import audit

    report = audit.audit(spark, [str(logs)], audit.FindingLimits(LIMIT, PICTURES))
    findings = [_finding(found, logs) for found in report.found if found.kind.level in WORST]
    return compare(outcome, findings)


def compare(outcome: Outcome, findings: Sequence[Finding]) -> Audited:
    """Compare findings with the final state of a replay."""
    report = Audited(list(findings))
    for partition, batches in enumerate(outcome.batches):
        mine = [f for f in findings if f.broker == outcome.leader and f.partition == partition]
        expected = [*_copies(outcome, batches), *_gaps(batches)]
        report.hidden += [each for each in expected if isinstance(each, str)]
        wanted = [each for each in expected if isinstance(each, Expected)]
        report.found += [each.called(f.kind) for each in wanted for f in [f for f in mine if each.is_in(f)][:1]]
        report.missed += [str(each) for each in wanted if not any(each.is_in(f) for f in mine)]
        report.beyond += [_place(f) for f in mine if f.level == "broken" and not any(each.is_in(f) for each in wanted)]
    report.hidden += _untold(outcome)
    return report


def _copies(outcome: Outcome, batches: Sequence[OnDisk]) -> Iterator[Expected | str]:
    """Each batch that holds records of an earlier one."""
    kept = {record for batch in batches for record in batch.records}
    for record in range(len(outcome.results)):
        deleted = [at for at in offsets(outcome.written, record) if at < (batches[0].offset if batches else 1 << 62)]
        if record in kept and deleted:
            yield f"record {record} at offset {deleted[0]}: retention has deleted it"
    for number, batch in enumerate(batches):
        for first in batches[:number]:
            if OTHERS not in batch.records and set(first.records) & set(batch.records):
                yield _copy(first, batch)
                break


def _copy(first: OnDisk, batch: OnDisk) -> Expected | str:
    head = f"record {batch.records[0]} at offset {batch.offset}"
    if first.records != batch.records:
        return f"{head}: its batch was cut differently from the one at offset {first.offset}"
    if first.producer != batch.producer:
        return f"{head}: it is of another producer id than the one at offset {first.offset}"
    return Expected(COPIES, batch.offset, first.offset)


def _gaps(batches: Sequence[OnDisk]) -> Iterator[Expected]:
    """Each batch before which sequences of its producer and epoch are missing."""
    next_ones: dict[tuple[int, int], int] = {}
    for batch in batches:
        key = batch.producer, batch.epoch
        if batch.producer >= 0 and batch.sequence > next_ones.get(key, 0) and _may_begin(key, next_ones, batches):
            yield Expected(GAPS, batch.offset)
        if batch.producer >= 0:
            next_ones[key] = max(next_ones.get(key, 0), batch.sequence + len(batch.records))


def _may_begin(key: tuple[int, int], known: dict[tuple[int, int], int], batches: Sequence[OnDisk]) -> bool:
    """Whether a missing beginning is an error: not where retention has deleted the log's."""
    return key in known or batches[0].offset == 0


def _untold(outcome: Outcome) -> Iterator[str]:
    """What only the application knows."""
    for record, result in enumerate(outcome.results):
        if result != OPEN and "failed" in result and offsets(outcome.written, record):
            yield f"that record {record} was reported as {result}: only the application knows"


def _finding(found: Found, logs: Path) -> Finding:
    from ..audit.picture import picture
    from ..audit.wording import description

    broker = Path(found["log_name"]).relative_to(logs).parts[0]
    return Finding(
        int(broker.removeprefix("broker-")),
        found["partition"],
        found["kind"],
        str(found.kind.level),
        found["base_offset"],
        found["other_base_offset"],
        description(found),
        tuple(found["scenarios"] or ()),
        picture(found),
    )


def _place(finding: Finding) -> str:
    return f"{finding.kind} at offset {finding.offset}: {finding.said}"
