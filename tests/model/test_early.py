"""What only early protocol versions do, step by step; Kafka's own classes of these releases do the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model import KafkaProducer
from everystate.model.records import ACKED, APPENDED, DUPLICATE, FAILED, MISREPORTED, OUT_OF_ORDER, RETRYING
from tests.model.test_memory import after, written

DOCS = Path(__file__).resolve().parents[2] / "docs"
FORGETS, DELETES = "expire_producers(broker=0, partition=0)", "delete_records(partition=0)"
HANDLED, READ = "handle(broker=0, batch=0)", "read_answer(broker=0, batch=0)"


def test_what_retention_deletes_after_the_answer_does_not_count() -> None:
    """C5.2: UNKNOWN_PRODUCER_ID carries the log start of the time at which the broker answers."""
    spec = KafkaProducer(generation="2.4", batches=2, replicas=1, expiries=1, retentions=1, pids=3, faults=2)
    before = after(spec, "send(batch=0)", FORGETS, DELETES, HANDLED, READ)
    assert (before.batch[0].status, before.batch[0].sequence, before.pid) == (RETRYING, 0, 0)
    late = after(spec, "send(batch=0)", FORGETS, HANDLED, DELETES, READ)
    assert (late.batch[0].status, late.pid) == (FAILED, -1)


@pytest.mark.parametrize(("warm", "answer"), [(0, OUT_OF_ORDER), (1, DUPLICATE)])
def test_an_old_duplicate_that_ends_at_sequence_0_is_out_of_order(warm: int, answer: str) -> None:
    """B2 in 1.0.0 and 1.0.1: a restart leaves one batch, and the one before it is sent again."""
    spec = KafkaProducer(generation="1.0.0", warm=warm, batches=2, replicas=1, clean_restarts=1, pids=2)
    state = after(spec, *written(0, 1), "restart_cleanly(broker=0)", "send_again(batch=0)", HANDLED)
    assert state.batch[0].outcome == answer


@pytest.mark.parametrize(("generation", "following"), [("kafka-5886", 0), ("kafka-8484", 1)])
def test_a_failure_of_an_old_id_takes_a_sequence_until_2_2(generation: str, following: int) -> None:
    """C6.4, KAFKA-8484: the next record gets the sequence of the one before it."""
    spec = KafkaProducer(generation=generation, batches=4, replicas=1, expiries=1, pids=2)
    sent = ("send(batch=0)", "send(batch=1)", FORGETS, HANDLED, READ, "init_producer_id(session=1)", "send(batch=2)")
    state = after(spec, *sent, "handle(broker=0, batch=1)", "read_answer(broker=0, batch=1)")
    assert (state.batch[1].status, state.partition[0].next_sequence) == (FAILED, following)


def test_later_sequences_move_down_by_records() -> None:
    """C6.4 until 2.4: the batch that fails has two."""
    spec = KafkaProducer(
        generation="2.4", batches=3, replicas=1, too_large=1, deadlines=1, disconnects=1, pids=2, faults=2
    )
    state = after(spec, "send(batch=0)")
    assert state.partition[0].next_sequence == 3
    state = after(spec, "delivery_timeout(batch=0)", "disconnect(broker=0)", state=state)
    assert state.partition[0].next_sequence == 1


def test_both_halves_of_a_batch_have_its_producer_id() -> None:
    """C11 until 2.4"""
    spec = KafkaProducer(generation="2.4", batches=3, replicas=1, too_large=1, pids=2)
    state = after(spec, "send(batch=0)", "find_too_large(broker=0, batch=0)", READ)
    assert [state.batch[b].pid for b in (0, 1)] == [0, 0]


def test_after_the_delivery_timeout_an_unknown_producer_takes_a_new_id() -> None:
    """C5, C5.2: the batch is not numbered anew, although retention has deleted the records before it."""
    spec = KafkaProducer(
        generation="2.4", batches=2, replicas=1, expiries=1, retentions=1, deadlines=1, pids=3, faults=3
    )
    state = after(spec, "send(batch=0)", FORGETS, DELETES, HANDLED, "delivery_timeout(batch=0)", READ)
    assert (state.batch[0].status, state.pid) == (FAILED, -1)


def test_the_offset_of_another_batch_raises_no_high_watermark() -> None:
    """B6.2: b1 has the sequence of b0, which is written; what its answer says of followers is not known."""
    spec = KafkaProducer(
        generation="kafka-5494", batches=3, pids=4, disconnects=1, invalid_records=1, late_errors=1, faults=3
    )
    sent = ("send(batch=0)", "send(batch=1)", HANDLED, "disconnect(broker=0)", "send_again(batch=0)")
    failed = ("reject(broker=0, batch=0)", READ, "send_again(batch=1)", "handle(broker=0, batch=1)")
    state = after(spec, *sent, *failed, "send(batch=2)", "read_answer(broker=0, batch=1)", "handle(broker=0, batch=2)")
    assert (state.log[0].high_watermark <= 2, state.batch[2].outcome) == (True, APPENDED)


def test_numbering_anew_leaves_the_unresolved_sequence() -> None:
    """C5.2 until 2.4, startSequencesAtBeginning"""
    spec = KafkaProducer(
        generation="kafka-5886",
        batches=2,
        replicas=1,
        disconnects=1,
        retentions=1,
        deadlines=1,
        invalid_records=1,
        pids=4,
        faults=4,
    )
    again = ("send_again(batch=1)", "handle(broker=0, batch=1)", "read_answer(broker=0, batch=1)")
    state = after(
        spec,
        *("send(batch=0)", "disconnect(broker=0)", DELETES, "delivery_timeout(batch=0)", "send_again(batch=0)"),
        *("send(batch=1)", "reject(broker=0, batch=0)", "expire_batches(sweep=0)", READ),
        *(*again[1:], *again),
    )
    assert (state.batch[1].sequence, state.partition[0].unresolved >= 0) == (0, True)


def test_few_retries_lose_a_record_by_lost_connections_alone() -> None:
    """Finding 16: the first batch fails while it is on its way, and the next one is numbered 0 (C5.2)."""
    page = (DOCS / "explanation" / "findings" / "producer-16-renumbered-after-retention.md").read_text("utf-8")
    [command] = re.findall(r"^    everystate check everystate.model:KafkaProducer (.*)$", page, re.MULTILINE)
    constants = dict(each.split("=") for each in command.split("-c ")[1:])
    given = {name: value.strip() if name == "generation" else int(value) for name, value in constants.items()}
    report = check(build(KafkaProducer(**given)))
    assert {violation.property: violation.length for violation in report.violations} == {
        "AckedIsPersisted": 11,
        "TruthfulOffset": 11,
    }
    report = check(build(KafkaProducer(**given | {"generation": "kip-360"})))
    assert (report.distinct, list(report.violations)) == (117, [])


KEEPS = (
    *(DELETES, "send(batch=0)", HANDLED, READ),
    *("send_again(batch=0)", HANDLED, READ),
)
"""b0 is renumbered from 0 behind the deleted record, which has sequence 0, too."""


@pytest.mark.parametrize(("generation", "known"), [("kafka-8484", [1, 0]), ("2.4", [0, 0])])
def test_a_follower_keeps_the_older_batches_of_who_writes_on(generation: str, known: list[int]) -> None:
    """D10: until 2.3 only who has no record left is forgotten; a follower hears of that behind the next record."""
    spec = KafkaProducer(generation=generation, batches=2, replicas=2, leader_changes=2, retentions=1, pids=2, faults=3)
    steps = KEEPS if generation == "kafka-8484" else (KEEPS[0], "send(batch=0)", HANDLED, READ)
    state = after(spec, *steps)
    assert [state.replica[0][broker].start[0] for broker in (0, 1)] == known


ANOTHER = (
    *(FORGETS, "send(batch=0)", HANDLED, "send(batch=1)", READ, "init_producer_id(session=1)"),
    *("handle(broker=0, batch=1)", "send(batch=2)", "read_answer(broker=0, batch=1)", "send(batch=3)"),
    *("handle(broker=0, batch=2)", "send(batch=4)", "handle(broker=0, batch=3)"),
    *("read_answer(broker=0, batch=2)", DELETES, "handle(broker=0, batch=4)"),
    *("read_answer(broker=0, batch=3)", "read_answer(broker=0, batch=4)"),
)
"""After KAFKA-8484 b2 and b3 have one sequence."""


def test_a_duplicate_of_another_batch_moves_the_last_acknowledged_offset() -> None:
    """B2, C5.2: b3 is acknowledged with the offset of b2, which retention deletes; so b4 is numbered from 0."""
    spec = KafkaProducer(
        generation="kafka-5886", batches=5, max_in_flight=5, replicas=1, expiries=1, retentions=1, pids=3, faults=2
    )
    state = after(spec, *ANOTHER)
    assert [state.batch[b].status for b in (2, 3, 4)] == [ACKED, MISREPORTED, RETRYING]
    assert (state.pid, state.batch[4].sequence) == (1, 0)
