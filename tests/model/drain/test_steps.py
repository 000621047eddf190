"""Single steps of the model of the drain: what Kafka's own classes have shown."""

from __future__ import annotations

from everystate.checker import State
from everystate.model.drain import Drain
from everystate.model.drain.records import AGAIN, EXPIRED, SENT


def after(spec: Drain, *labels: str) -> State:
    """The state after some steps, each given by its action and arguments."""
    state = spec.initial_states()[0]
    for label in labels:
        state = next(step.state for step in spec.successors(state) if str(step.action) == label)
    return state


def enabled(spec: Drain, state: State) -> list[str]:
    return [str(step.action) for step in spec.successors(state)]


REFUSED = ("drain(node=0)", "drain(node=0)", "refuse(node=0, partition=0, result=NOT_ENOUGH_REPLICAS)", "read(node=0)")


def test_a_batch_that_was_sent_again_outlives_its_deadline_behind_a_younger_one() -> None:
    spec = Drain(leaders=(0,), batches=(2,), faults=2, refusals=1, deadlines=1, epochs=2)
    resent = after(spec, *REFUSED, "back_off_no_more(partition=0)", "drain(node=0)")
    assert "expire(partition=0)" not in enabled(spec, resent)
    answered = after(spec, *REFUSED, "back_off_no_more(partition=0)", "drain(node=0)", "handle(node=0)", "read(node=0)")
    assert [batch.place for batch in answered.batch[0]] == [SENT, AGAIN]
    assert "expire(partition=0)" in enabled(spec, answered)


def test_a_pass_resolves_and_bumps_before_it_sweeps() -> None:
    spec = Drain(leaders=(0,), batches=(2,), faults=2, failures=1, deadlines=1, epochs=2)
    failed = after(spec, "drain(node=0)", "refuse(node=0, partition=0, result=INVALID_RECORD)", "read(node=0)")
    assert enabled(spec, failed) == ["settle()"]


def test_a_partition_stays_muted_when_its_batch_expires_on_the_wire() -> None:
    spec = Drain(leaders=(0, 1), batches=(2, 1), max_in_flight=1, faults=2, moves=1, deadlines=1, epochs=2)
    moved = after(
        spec, "drain(node=0)", "expire(partition=0)", "move(partition=0, node=1)", "learn_leader(partition=0)"
    )
    assert moved.batch[0][0].place == EXPIRED
    later = after(
        spec,
        "drain(node=0)",
        "expire(partition=0)",
        "move(partition=0, node=1)",
        "learn_leader(partition=0)",
        "drain(node=1)",
    )
    assert [[item.result for item in request.items] for request in later.wire[1]] == [["-", "unread"]]


def test_the_backoff_of_a_batch_is_not_that_of_the_one_behind_it() -> None:
    spec = Drain(leaders=(0,), batches=(2,), faults=2, refusals=1, deadlines=1, epochs=2)
    first = ("drain(node=0)", "refuse(node=0, partition=0, result=NOT_ENOUGH_REPLICAS)", "read(node=0)")
    waiting = after(spec, *first)
    assert "back_off_no_more(partition=0)" in enabled(spec, waiting)
    expired = after(spec, *first, "expire(partition=0)", "settle()")
    assert (expired.batch[0][0].place, "drain(node=0)" in enabled(spec, expired)) == (EXPIRED, True)


def test_a_connection_is_lost_that_has_something_on_it_and_as_often_as_there_are_losses() -> None:
    """C3."""
    spec = Drain(leaders=(0,), batches=(2,), faults=3, losses=1, refusals=1, epochs=2)
    again = ("drain(node=0)", "lose(node=0)", "back_off_no_more(partition=0)", "drain(node=0)")
    found = [after(spec, *again[:number]) for number in range(len(again) + 1)]
    assert ["lose(node=0)" in enabled(spec, state) for state in found] == [False, True, False, False, False]
    assert len(found[-1].wire[0]) == 1


def test_until_3_5_an_expired_batch_whose_connection_is_lost_asks_for_a_bump() -> None:
    """P5.4, C3; and so does one whose error arrives."""
    for generation, bumps in (("3.5", True), ("3.3", False)):
        kinds = {"losses": 1, "deadlines": 1, "failures": 1}
        spec = Drain(generation=generation, leaders=(0,), batches=(2,), faults=3, epochs=2, **kinds)
        expired = ("drain(node=0)", "expire(partition=0)")
        refused = ("refuse(node=0, partition=0, result=INVALID_RECORD)", "read(node=0)")
        for late in (("lose(node=0)",), refused):
            assert ("settle()" in enabled(spec, after(spec, *expired, *late))) == bumps


def test_who_does_not_lead_any_more_refuses_by_that_alone() -> None:
    """B1.2."""
    spec = Drain(leaders=(0, 1), batches=(1, 1), faults=2, moves=1, refusals=1, epochs=2)
    refusal = "refuse(node=0, partition=0, result=NOT_ENOUGH_REPLICAS)"
    found = [after(spec, "drain(node=0)", *moved) for moved in ((), ("move(partition=0, node=1)",))]
    assert [refusal in enabled(spec, state) for state in found] == [True, False]


def test_a_node_that_may_never_answer_answers_like_any_other() -> None:
    spec = Drain(leaders=(0, 1), batches=(1, 1), stuck=0, late=True)
    [request] = after(spec, "drain(node=0)", "handle_late(node=0)").wire[0]
    assert (request.answered, [item.result for item in request.items]) == (True, ["NONE", "-"])


def test_request_timeout_passes_for_what_a_stuck_node_has() -> None:
    """P4.2."""
    spec = Drain(leaders=(0, 1), batches=(1, 1), stuck=0)
    found = [after(spec, *sent) for sent in ((), ("drain(node=0)",), ("drain(node=0)", "time_out(node=0)"))]
    assert ["time_out(node=0)" in enabled(spec, state) for state in found] == [False, True, False]


def test_a_batch_that_failed_harms_its_partition_though_it_is_nowhere_twice() -> None:
    kinds = {"leaders": (0, 1), "batches": (1, 1), "faults": 1, "failures": 1}
    spec = Drain(**kinds)
    failed = after(spec, "drain(node=0)", "refuse(node=0, partition=0, result=INVALID_RECORD)", "read(node=0)")
    held = [Drain(faulty=faulty, **kinds).property_holds("OthersUnharmed", failed) for faulty in ((0,), (1,))]
    assert held == [True, False]


def test_the_next_in_line_that_is_out_of_order_asks_for_a_bump() -> None:
    """C5.6: behind one that was renumbered while its old request was on the wire, which the broker has taken (C9.3)."""
    spec = Drain(leaders=(0,), batches=(3,), max_in_flight=3, faults=2, refusals=1, failures=1, epochs=3)
    answered = ("handle(node=0)", "read(node=0)")
    failed = ("refuse(node=0, partition=0, result=INVALID_RECORD)", "drain(node=0)", *answered)
    known = after(spec, *REFUSED, "back_off_no_more(partition=0)", *failed, "settle()", "drain(node=0)", *answered)
    assert (known.entry[0].acked, known.batch[0][2].sequence, "settle()" in enabled(spec, known)) == (0, 1, False)
    [read] = [step.state for step in spec.successors(known) if str(step.action) == "read(node=0)"]
    assert "settle()" in enabled(spec, read)


def test_two_batches_may_be_in_a_log_twice() -> None:
    """The log had room for one such batch only, so that a walk ended with an error of the model."""
    spec = Drain(leaders=(0,), batches=(3,), max_in_flight=3, faults=2, losses=1, failures=1, epochs=2)
    send, receive, hear = "drain(node=0)", "handle(node=0)", "read(node=0)"
    wait = "back_off_no_more(partition=0)"
    lost = (send, receive) * 3 + ("lose(node=0)", wait, send, "refuse(node=0, partition=0, result=INVALID_RECORD)")
    bumped = (hear, "settle()", wait, send, wait, receive, hear, send, receive)
    assert list(after(spec, *lost, *bumped).leader[0].log) == [0, 1, 2, 1, 2]
