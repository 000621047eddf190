"""C7.1: the sweep of what is on the wire goes in the order of draining and stops at the first young batch."""

from __future__ import annotations

from everystate.checker import State
from everystate.model import KafkaProducer
from everystate.model.records import QUEUED, RETRYING, SENT, UNKNOWN


def after(spec: KafkaProducer, *labels: str) -> State:
    """The state after some steps, each given by its action and arguments."""
    state = spec.initial_states()[0]
    for label in labels:
        state = next(step.state for step in spec.successors(state) if str(step.action) == label)
    return state


RESENT = (
    "send(batch=0)",
    "send(batch=1)",
    "refuse(broker=0, batch=0)",
    "read_answer(broker=0, batch=0)",
    "send_again(batch=0)",
    "delivery_timeout(batch=0)",
    "expire_batches(sweep=0)",
)


def model() -> KafkaProducer:
    return KafkaProducer(batches=2, replicas=1, max_in_flight=3, refusals=1, deadlines=1, faults=2)


def test_a_batch_that_was_sent_again_outlives_its_deadline_behind_a_younger_one() -> None:
    batches = after(model(), *RESENT).batch
    assert [batch.status for batch in batches] == [SENT, SENT]


def test_it_expires_once_the_younger_one_is_answered() -> None:
    answered = ("handle(broker=0, batch=1)", "read_answer(broker=0, batch=1)")
    batches = after(model(), *RESENT, *answered).batch
    assert [batch.status for batch in batches] == [SENT, RETRYING]
    batches = after(model(), *RESENT, *answered, "expire_batches(sweep=0)").batch
    assert [batch.status for batch in batches] == [UNKNOWN, RETRYING]


def test_a_batch_on_its_first_attempt_expires_with_all_before_it() -> None:
    first = ("send(batch=0)", "send(batch=1)", "delivery_timeout(batch=0)", "expire_batches(sweep=0)")
    assert [batch.status for batch in after(model(), *first).batch] == [UNKNOWN, SENT]


def test_a_partition_stays_muted_when_its_batch_expires_on_the_wire() -> None:
    """C2.1: the answer unmutes it, so the next batch cannot go to a new leader before."""
    spec = KafkaProducer(batches=2, max_in_flight=1, deadlines=1, leader_changes=1, faults=2)
    expired = ("send(batch=0)", "delivery_timeout(batch=0)", "expire_batches(sweep=0)")
    moved = after(spec, *expired, "change_leader(broker=1)", "learn_leader(broker=1)")
    assert "send(batch=1)" not in [str(step.action) for step in spec.successors(moved)]


def test_a_new_session_sends_again_what_waited_for_a_retry() -> None:
    """C13: the application knows only that it was not acknowledged."""
    spec = KafkaProducer(batches=2, replicas=1, refusals=1, producer_restarts=1, pids=2, faults=2)
    steps = ("send(batch=0)", "send(batch=1)", "refuse(broker=0, batch=0)", "read_answer(broker=0, batch=0)")
    assert [batch.status for batch in after(spec, *steps).batch] == [RETRYING, SENT]
    assert [batch.status for batch in after(spec, *steps, "restart_producer(session=0)").batch] == [QUEUED, QUEUED]
