"""Delivery timeouts step by step: which batches time out together, and what is left behind (C7, C8, C11, C12)."""

from __future__ import annotations

from everystate.checker import State
from everystate.model import KafkaProducer
from everystate.model.conformance.model_side import ModelSide
from everystate.model.records import NO_PRODUCER_ID, RETRYING, UNKNOWN
from tests.conformance.passes import ANSWERED, BEHIND_A_BUMP, BEHIND_A_DRAIN
from tests.model.test_memory import after


def statuses(state: State) -> list[str]:
    return [str(batch.status) for batch in state.batch]


def test_the_halves_of_a_batch_that_was_split_time_out_together() -> None:
    spec = KafkaProducer(faults=2, too_large=1, deadlines=1)
    split = ("send(batch=0)", "find_too_large(broker=0, batch=0)", "read_answer(broker=0, batch=0)")
    for half in (0, 1):
        state = after(spec, *split, f"delivery_timeout(batch={half})", "expire_batches(sweep=0)")
        assert statuses(state) == [UNKNOWN, UNKNOWN, "queued"]


def refused(batch: int) -> tuple[str, ...]:
    return f"refuse(broker=0, batch={batch})", f"read_answer(broker=0, batch={batch})"


def answered(batch: int) -> tuple[str, ...]:
    return f"handle(broker=0, batch={batch})", f"read_answer(broker=0, batch={batch})"


AROUND = {"batches": 2, "warm": 4, "window": 2, "max_in_flight": 2, "modulus": 5}
"""The first batch has the last sequence before the wrap, the second one 0."""


def test_an_old_batch_is_not_swept_while_a_young_one_from_behind_the_wrap_is_queued_before_it() -> None:
    spec = KafkaProducer(faults=3, refusals=1, deadlines=2, **AROUND)
    waiting = ("send(batch=0)", "send(batch=1)", *refused(0), *answered(1))
    state = after(spec, *waiting, "delivery_timeout(batch=0)", "expire_batches(sweep=0)")
    assert statuses(state) == [RETRYING, RETRYING]
    state = after(
        spec,
        *waiting,
        "delivery_timeout(batch=0)",
        "expire_batches(sweep=0)",
        "send_again(batch=1)",
        "expire_batches(sweep=0)",
    )
    assert statuses(state) == [UNKNOWN, "sent"]


def test_the_mark_of_the_last_sequence_before_the_wrap_is_that_of_no_batch() -> None:
    """C12: 2^31 is no int, so the batch behind it is refused without a bump, where any other one asks for it (C5.5)."""
    swept = ("send(batch=0)", "send(batch=1)", *refused(0), "delivery_timeout(batch=0)")
    bumps = {}
    for modulus in (5, 0):
        spec = KafkaProducer(faults=3, refusals=1, deadlines=1, **(AROUND | {"modulus": modulus}))
        state = after(spec, *swept, "expire_batches(sweep=0)", *answered(1))
        assert state.partition[0].unresolved == 5
        bumps[modulus] = bool(state.partition[0].rewrite)
    assert bumps == {5: False, 0: True}


def test_the_later_of_two_marks_is_not_the_one_that_ran_over() -> None:
    spec = KafkaProducer(faults=4, disconnects=1, deadlines=1, **(AROUND | {"warm": 3}))
    steps = ("send(batch=0)", "send(batch=1)", "disconnect(broker=0)", "delivery_timeout(batch=1)")
    assert after(spec, *steps, "expire_batches(sweep=0)").partition[0].unresolved == 4


def test_a_pass_that_waits_for_a_producer_id_has_no_sweep() -> None:
    """C1.5: the loop returns while InitProducerId is on its way, and an answer may arrive meanwhile."""
    spec = KafkaProducer(
        faults=2, invalid_records=1, deadlines=1, batches=2, replicas=1, epochs=0, epoch_exhausts=True, pids=2
    )
    rejected = ("send(batch=0)", "send(batch=1)", "reject(broker=0, batch=0)", "read_answer(broker=0, batch=0)")
    state = after(spec, *rejected, "delivery_timeout(batch=1)", "start_loop(loop=0)", "handle(broker=0, batch=1)")
    assert state.pid == NO_PRODUCER_ID
    labels = {step.label for step in spec.successors(state)}
    assert labels == {"read_answer(broker=0, batch=1)", "init_producer_id(session=1)"}
    [known] = [step.state for step in spec.successors(state) if step.label.startswith("init")]
    assert "expire_batches(sweep=0)" in {step.label for step in spec.successors(known)}


def test_an_answer_and_a_loss_wait_for_the_sweep_of_a_pass_that_has_begun() -> None:
    """C1.7, C7.1; what Kafka's producer does in such a pass is compared in tests/conformance/test_told_apart.py."""
    for behaviour in (BEHIND_A_BUMP, BEHIND_A_DRAIN):
        spec = KafkaProducer(**behaviour.constants)
        side = ModelSide(spec)
        for turn in behaviour.turns:
            step = side.step_of(turn)
            assert step is not None
            side.take(step)
        labels = {step.label for step in spec.successors(side.state)}
        assert {label for label in labels if label.startswith(("read", "expire", "disconnect"))} == {
            "expire_batches(sweep=0)"
        }
        [swept] = [step.state for step in spec.successors(side.state) if step.label.startswith("expire")]
        answer = f"read_answer(broker=0, batch={ANSWERED[behaviour.name]})"
        assert {answer, "disconnect(broker=0)"} <= {step.label for step in spec.successors(swept)}
