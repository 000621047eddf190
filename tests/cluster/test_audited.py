"""The audit's findings against what model and consumer have: what it has to find, what it cannot, what is too much."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.counterexamples.evidence import as_data, section
from everystate.model.cluster.audited import compare
from everystate.model.cluster.outcome import Audited, Finding, OnDisk, Outcome
from everystate.model.cluster.report import as_json, outcome_lines, verdict, word
from everystate.model.commands.replay_page import evidence
from everystate.model.conformance.compare import Difference, ObservedStep

WARM, FIRST, SECOND = OnDisk(0, (-1,), 7, 0, 0), OnDisk(1, (0,), 7, 0, 1), OnDisk(2, (1,), 7, 0, 2)
AGAIN = OnDisk(3, (0,), 7, 1, 0)


def outcome(*batches: OnDisk, results: tuple[str, ...] = ("open", "open"), **given: Any) -> Outcome:
    """A replay of two steps that left some batches."""
    places = [[(batch.offset + n, r) for batch in batches for n, r in enumerate(batch.records)]]
    log = tuple((batch.records, 1000, batch.epoch, batch.sequence) for batch in batches)
    seen = [
        ObservedStep(label, (), {"log of partition 0": log}, {"log of partition 0": log}) for label in ("begin", "send")
    ]
    facts = {"predicted": places, "written": places, "records": places, "batches": [list(batches)], "seen": seen}
    turns = ["send(batch=0)", "handle(broker=0)"]
    return Outcome("current/x", "NoDuplicate", 2, turns, results=list(results), **{**facts, **given})


def finding(kind: str, offset: int, other: int | None = None, broker: int = 0) -> Finding:
    level = "suspicious" if kind in ("likely-copy", "missing-start") else "broken"
    return Finding(broker, 0, kind, level, offset, other, "is so", ("current/x", "current/y"), "<svg></svg>")


COPY = finding("copy", 3, 1)


def test_a_copy_that_all_three_have() -> None:
    found = compare(outcome(WARM, FIRST, SECOND, AGAIN), [COPY, finding("copy", 3, 1, broker=1)])
    assert (found.found, found.missed, found.beyond, found.hidden) == (["copy at offset 3 of offset 1"], [], [], [])
    assert found.disagrees == ""


def test_a_copy_that_the_audit_misses_or_sees_elsewhere() -> None:
    missed = compare(outcome(WARM, FIRST, SECOND, AGAIN), [])
    assert missed.disagrees == "the audit does not find the copy at offset 3 of offset 1"
    elsewhere = compare(outcome(WARM, FIRST, SECOND, AGAIN), [finding("copy", 3, 2)])
    assert elsewhere.disagrees == (
        "the audit does not find the copy at offset 3 of offset 1; "
        "the audit finds a copy at offset 3: is so, which neither model nor consumer has"
    )


def test_what_only_the_audit_has_is_too_much() -> None:
    found = compare(outcome(WARM, FIRST, SECOND), [finding("duplicate", 2, 1), finding("missing-start", 0)])
    assert (found.found, found.beyond) == ([], ["duplicate at offset 2: is so"])


@pytest.mark.parametrize(
    ("batches", "why"),
    [
        (
            (FIRST, OnDisk(2, (0,), 8, 0, 0)),
            "record 0 at offset 2: it is of another producer id than the one at offset 1",
        ),
        (
            (OnDisk(1, (0, 1), 7, 0, 1), OnDisk(3, (0,), 7, 1, 0)),
            "record 0 at offset 3: its batch was cut differently from the one at offset 1",
        ),
    ],
)
def test_what_no_log_shows(batches: tuple[OnDisk, ...], why: str) -> None:
    found = compare(outcome(*batches), [])
    assert (found.disagrees, found.hidden) == ("", [why])


def test_retention_and_the_application_hide_things() -> None:
    gone = outcome(AGAIN, written=[[(1, 0), (3, 0)]])
    assert compare(gone, []).hidden == ["record 0 at offset 1: retention has deleted it"]
    failed = outcome(FIRST, results=("failed", "open"))
    assert compare(failed, []).hidden == ["that record 0 was reported as failed: only the application knows"]


def test_gaps_are_expected_where_sequences_are_missing() -> None:
    jump = outcome(WARM, FIRST, OnDisk(2, (1,), 7, 0, 4))
    assert compare(jump, [finding("gap", 2, 1)]).found == ["gap at offset 2"]
    assert compare(jump, []).missed == ["gap at offset 2"]
    start = outcome(OnDisk(0, (1,), 7, 0, 1))
    assert compare(start, [finding("missing-start", 0)]).found == ["missing-start at offset 0"]
    assert compare(outcome(OnDisk(5, (1,), 7, 0, 1), written=[[(5, 1)]]), []).missed == []


# what is said -----------------------------------------------------------------------------------------------


def audited() -> Outcome:
    found = outcome(WARM, FIRST, SECOND, AGAIN)
    found.audited = compare(found, [COPY])
    return found


def test_the_three_witnesses_have_a_line_each() -> None:
    lines = list(outcome_lines(audited(), "4.4.0"))
    assert lines[-4:-1] == [
        "model:    record 0 is at offsets 1 and 3",
        "consumer: record 0 is at offsets 1 and 3",
        "audit:    copy at offset 3: is so; like current/x (this one), current/y",
    ]
    assert lines[-1].endswith("record 0 is at offsets 1 and 3; the audit finds the copy at offset 3 of offset 1")
    assert "picture" not in as_json(audited(), "4.4.0")["audited"]["findings"][0]


def test_why_there_is_no_audit_is_told() -> None:
    assert "audit:    none; --no-audit" in outcome_lines(outcome(FIRST), "4.4.0")
    assert "audit:    none; no Spark" in outcome_lines(outcome(FIRST, not_audited="no Spark"), "4.4.0")


def test_what_retention_deleted_was_seen_by_the_consumer_only_as_gone() -> None:
    gone = outcome(AGAIN, predicted=[[(0, -1), (1, 0), (3, 0)]], written=[[(0, -1), (1, 0), (3, 0)]])
    lines = list(outcome_lines(gone, "4.4.0"))
    assert lines[-4:-2] == [
        "model:    record 0 is at offsets 1 and 3",
        "consumer: offset 1 on the disk until retention came",
    ]


def test_a_promise_of_sequences_is_reproduced_by_its_steps() -> None:
    found = outcome(FIRST)
    found.shows = "SequencesContiguous"
    assert word(found) == "REPRODUCED"


def test_a_walk_agrees_and_reproduces_nothing() -> None:
    walk = outcome(FIRST)
    walk.shows = "walk 0 of seed 0"
    assert word(walk) == "AGREED"
    assert verdict(walk, "4.4.0").startswith("AGREED  current/x, walk 0 of seed 0, on Kafka 4.4.0: 2 steps, each as in")


def test_the_page_has_a_column_for_each_witness() -> None:
    found = evidence(audited(), "4.4.0")
    assert [column.title for column in found.columns] == [
        "Model: what is predicted",
        "Kafka 4.4.0: what a consumer reads",
        "Audit: the content of the brokers' files",
    ]
    html = section(found)
    assert html.count('<li class="twice"><b>1</b> b0 epoch 0 seq 1</li>') == 2
    assert html.count('<li class="twice"><b>3</b> b0 epoch 1 seq 0</li>') == 2
    assert html.count('<article class="good">') == 3
    assert "<svg></svg></figure><p>copy at offset 3: is so; like current/x (this one), current/y</p>" in html
    assert as_data(found) == {"heads": ["Model", "Kafka 4.4.0"], "steps": [[], []]}


def test_the_model_has_its_own_stamps_on_the_page() -> None:
    found = audited()
    log = {"log of partition 0": (((0,), 1000, 5, 9),)}
    found.seen[-1] = ObservedStep("send", (), log, log)
    html = section(evidence(found, "4.4.0"))
    assert html.count("<b>3</b> b0 epoch 5 seq 9") == 1
    assert html.count("<b>3</b> b0 epoch 1 seq 0") == 1
    assert html.count("<b>1</b> b0</li>") == 1


def test_a_difference_has_a_page_too() -> None:
    seen = [ObservedStep("begin", (), {"x": 1}, {"x": 1}), ObservedStep("send", (), {"x": 2}, {"x": 3})]
    found = Outcome("current/x", "NoDuplicate", 2, ["send"], seen=seen, difference=Difference({"x": (2, 3)}))
    told_ = evidence(found, "4.4.0")
    assert [column.look for column in told_.columns] == ["unknown", "wrong", "unknown"]
    assert as_data(told_) == {"heads": ["Model", "Kafka 4.4.0"], "steps": [[], [["x", "2", "3", True]]]}
    assert '<p class="said wrong">DIFFERENT  current/x, NoDuplicate, on Kafka 4.4.0: step 1 differs</p>' in section(
        told_
    )


def test_an_audit_that_disagrees_is_wrong_on_the_page() -> None:
    found = outcome(WARM, FIRST, SECOND, AGAIN)
    found.audited = Audited(missed=["copy at offset 3 of offset 1"])
    assert evidence(found, "4.4.0").columns[2].look == "wrong"
