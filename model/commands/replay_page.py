"""A replay as evidence on the page of its trace: model, cluster and audit side by side."""

from __future__ import annotations

from ...counterexamples.evidence import Cell, Column, ComparedValue, Evidence
from ..cluster.evidence import Places, conclusions, offsets
from ..cluster.outcome import Outcome
from ..cluster.report import FINE, exit_code, likely, read, verdict
from ..conformance.compare import Difference
from ..conformance.difference_text import SAME, compared_steps
from ..conformance.driver import OPEN, OTHERS
from ..conformance.report import AGREED, DIFFERS

Stamps = dict[int, str]
"""Epoch and sequence of a batch, by its first offset."""
LOOKS = {AGREED: "good", DIFFERS: "wrong"}


def evidence(outcome: Outcome, version: str) -> Evidence:
    """What is known of a replay; columns are empty as far as it did not come."""
    kafka = f"Kafka {version}"
    look = LOOKS.get(exit_code(outcome), "unknown")
    columns = (_model(outcome), _cluster(outcome, kafka), _audit(outcome))
    return Evidence(verdict(outcome, version), columns, ("Model", kafka), _steps(outcome), look)


def _model(outcome: Outcome) -> Column:
    if not outcome.predicted:
        return Column("Model", ("the replay did not come to its end",), look="unknown")
    said = tuple(conclusions(outcome.predicted, outcome.results)) or (FINE,)
    stamps = [_of_the_model(outcome, partition) for partition in range(len(outcome.predicted))]
    return Column("Model: what is predicted", said, _logs(outcome.predicted, stamps))


def _of_the_model(outcome: Outcome, partition: int) -> Stamps:
    """What the model's log says of each batch that retention has left."""
    entries = outcome.seen[-1].model[f"log of partition {partition}"]
    at, found = len(outcome.predicted[partition]) - sum(len(ids) for ids, *_ in entries), {}
    for ids, *stamp in entries:
        found[at] = f"epoch {stamp[1]} seq {stamp[2]}" if len(stamp) > 1 else ""
        at += len(ids)
    return found


def _cluster(outcome: Outcome, kafka: str) -> Column:
    title = f"{kafka}: what a consumer reads"
    if not outcome.records:
        look = "wrong" if outcome.difference is not None else "unknown"
        return Column(title, ("nothing: the replay did not come to its end",), look=look)
    shown = [f"record {n}: {'no result yet' if r == OPEN else r}" for n, r in enumerate(outcome.results)]
    stamps = [{b.offset: f"epoch {b.epoch} seq {b.sequence}" for b in batches} for batches in outcome.batches]
    said = (*read(outcome), *shown)
    return Column(title, said, _logs(outcome.records, stamps))


def _logs(places: Places, stamps: list[Stamps]) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Each partition as its places; the first record of a batch with epoch and sequence."""
    found = []
    for partition, records in enumerate(places):
        cells = tuple(_cell(at, record, stamps[partition].get(at, ""), places) for at, record in records)
        found.append((f"partition {partition}" if len(places) > 1 else "", cells))
    return tuple(found)


def _cell(at: int, record: int, stamp: str, places: Places) -> Cell:
    if record == OTHERS:
        return Cell(at, f"another {stamp}".strip(), "other")
    return Cell(at, f"b{record} {stamp}".strip(), "twice" if len(offsets(places, record)) > 1 else "")


def _audit(outcome: Outcome) -> Column:
    title, audited = "Audit: the content of the brokers' files", outcome.audited
    if audited is None:
        return Column(title, (f"none; {outcome.not_audited or '--no-audit'}",), look="unknown")
    mine = [each for each in audited.findings if each.broker == outcome.leader]
    said = [f"{each.kind} at offset {each.offset}: {each.said}; {likely(each, outcome.target)}" for each in mine]
    hidden = [f"no log shows {each}" for each in audited.hidden]
    pictures = tuple(each.picture for each in mine if each.picture)
    look = "wrong" if audited.disagrees else "good"
    return Column(title, (*(said or ["nothing wrong in the log"]), *hidden), pictures=pictures, look=look)


def _steps(outcome: Outcome) -> tuple[tuple[ComparedValue, ...], ...]:
    difference = outcome.difference or Difference()
    rows: dict[int, tuple[ComparedValue, ...]] = {}
    for chapter in compared_steps(outcome.seen, difference):
        shown = [
            ComparedValue(row.name, row.model, row.kafka if row.differs or row.kafka == "-" else SAME, row.differs)
            for row in chapter.rows
        ]
        shown += [ComparedValue("Kafka cannot do that", "", chapter.error, True)] if chapter.error else []
        rows[chapter.number] = tuple(shown)
    return tuple(rows.get(number, ()) for number in range(len(outcome.seen)))
