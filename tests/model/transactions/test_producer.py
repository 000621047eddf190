"""What producers do in cases that no scenario's length tells, each as Kafka's client does it."""

from __future__ import annotations

from typing import Any

from everystate.model.transactions import GENERATIONS, KafkaTransactions
from everystate.model.transactions.generation import ADDED


def after(spec: KafkaTransactions, *labels: str) -> Any:
    """The state after some steps."""
    [state] = spec.initial_states()
    for label in labels:
        [state] = [step.state for step in spec.successors(state) if step.label == label]
    return state


FENCED = (
    "initialize(session=0)",
    "take_over(session=1)",
    "begin(session=0)",
    "add_partition(session=0, partition=1)",
    "send(session=0, partition=1)",
    "initialize_over(session=1)",
    "add_partition(session=0, partition=0)",
)


def test_who_is_at_its_end_stays_there_whatever_is_answered_later() -> None:
    spec = KafkaTransactions(generation="classic", sessions=2, takeovers=1)
    ended = after(spec, *FENCED)
    assert (ended.producer[0].status, ended.producer[0].parts[1]) == ("at its end", "sent")
    refused = after(spec, *FENCED, "write_marker(partition=1)", "receive(partition=1, slot=0)")
    assert refused.producer[0].status == "at its end"


def test_what_was_sent_before_the_end_does_not_expire() -> None:
    spec = KafkaTransactions(generation="classic", sessions=2, takeovers=1, deadlines=1, disconnects=1, faults=3)
    steps = [step.label for step in spec.successors(after(spec, *FENCED))]
    assert [label for label in steps if label.startswith(("deadline(session=0", "disconnect(session=0"))] == []


SENT = (
    "initialize(session=0)",
    "begin(session=0)",
    "add_partition(session=0, partition=0)",
    "send(session=0, partition=0)",
    "commit(session=0)",
)


EXPIRED = (
    *SENT,
    "deadline(session=0, partition=0)",
    "abort_failed(session=0)",
    "end_transaction(session=0)",
    "write_marker(partition=0)",
    "complete()",
)


def test_a_record_that_was_refused_leaves_its_sequence_to_the_next_one() -> None:
    spec = KafkaTransactions(generation="classic", partitions=1, sessions=2, takeovers=1, hasty=True)
    fenced = ("take_over(session=1)", "initialize_over(session=1)", "write_marker(partition=0)")
    me = after(spec, *SENT, *fenced, "receive(partition=0, slot=0)").producer[0]
    assert (me.status, me.parts[0], me.next_sequence[0], me.bump) == ("must abort", "given up", 0, False)


def test_a_record_behind_one_that_expired_is_sent_again_when_it_is_out_of_order() -> None:
    spec = KafkaTransactions(generation="part-1", partitions=1, deadlines=1, hasty=True)
    again = (*SENT[1:4], "receive(partition=0, slot=0)", "hear(partition=0, slot=0)", "proceed(partition=0, slot=0)")
    me = after(spec, *EXPIRED, *again).producer[0]
    assert (me.status, me.parts[0], me.next_sequence[0]) == ("in a transaction", "sent", 1)


def test_a_record_that_expired_fails_once_more_for_clients_until_3_5() -> None:
    """T9.3, C6: when its connection is lost; the commit has failed by then, an abort has not."""
    spec = KafkaTransactions(generation="classic", partitions=1, aborts=1, deadlines=1, faults=2, hasty=True)
    me = after(spec, *EXPIRED).producer[0]
    assert (me.status, me.bump) == ("bumping its epoch", True)
    state = after(spec, *SENT[:4], "abort(session=0)", *EXPIRED[5:8:2])
    me = state.producer[0]
    assert (me.status, me.bump, me.next_sequence[0], state.gap[0][0]) == ("ready", False, 0, False)


def test_no_request_ends_a_transaction_whose_records_are_on_the_way() -> None:
    spec = KafkaTransactions(generation="classic", partitions=1, late_ends=1, hasty=True)
    assert [step.label for step in spec.successors(after(spec, *SENT))] == ["receive(partition=0, slot=0)"]


def test_an_old_epoch_is_fatal_for_the_oldest_clients() -> None:
    taken = (*SENT[:4], "take_over(session=1)", "initialize_over(session=1)", "write_marker(partition=0)")
    for generation, status in {"2.5": "at its end", "classic": "must abort"}.items():
        spec = KafkaTransactions(generation=generation, partitions=1, sessions=2, takeovers=1)
        assert after(spec, *taken, "receive(partition=0, slot=0)").producer[0].status == status


def test_a_busy_coordinator_answers_nobody() -> None:
    """T2.4, T9.5: CONCURRENT_TRANSACTIONS is what everybody would hear, and asks again."""
    spec = KafkaTransactions(generation="part-1", partitions=1, sessions=2, takeovers=1, late_ends=1, faults=2)
    written = ("receive(partition=0, slot=0)", "hear(partition=0, slot=0)", "proceed(partition=0, slot=0)")
    ending = (*SENT[:4], *written, "commit(session=0)", "delay_end(session=0)")
    others = ["write_marker(partition=0)"]
    busy = after(spec, *ending, "end_late(nothing=0)", "take_over(session=1)")
    assert [step.label for step in spec.successors(busy)] == others
    begun = (*ending, "end_transaction(session=0)", "begin(session=0)", "end_late(nothing=0)", "take_over(session=1)")
    assert [step.label for step in spec.successors(after(spec, *begun))] == others


REPLACED: dict[str, Any] = {"partitions": 1, "sessions": 2, "takeovers": 1, "epochs": 3, "start_epoch": 1, "pids": 3}
TAKEN_OVER = (
    "take_over(session=1)",
    "initialize_over(session=1)",
    "write_marker(partition=0)",
    "complete()",
    "initialize(session=1)",
)


def test_whose_id_was_replaced_is_at_its_end_or_asks_for_another_epoch() -> None:
    """T9.6: as clients from 4.0 on do, and those before."""
    joins = ("initialize(session=0)", "begin(session=0)", "take_over(session=1)", "initialize(session=1)", SENT[2])
    ends = {name for name, rules in GENERATIONS.items() if rules.outside != ADDED}
    found = {name: after(KafkaTransactions(generation=name, **REPLACED), *joins).producer[0].status for name in ends}
    assert {name for name in ends if found[name] == "at its end"} == {
        "4.3-without-tv2",
        "4.3-unverified",
        "kafka-20357",
    }
    assert set(found.values()) == {"at its end", "must abort"}
    asked = after(KafkaTransactions(generation="classic", **REPLACED), *joins, "abort_failed(session=0)")
    assert (asked.producer[0].status, asked.producer[0].bump, asked.asked[0]) == ("bumping its epoch", True, "abort")


def test_who_aborts_behind_a_commit_that_is_refused_has_asked_for_the_commit() -> None:
    """T9.6: EndTxn may have been executed before, so readers may return the records."""
    spec = KafkaTransactions(generation="classic", late_ends=1, **REPLACED, faults=2)
    late = ("delay_end(session=0)", "end_late(nothing=0)")
    committed = (*SENT[:4], "receive(partition=0, slot=0)", SENT[4], *late)
    taken = ("take_over(session=1)", "write_marker(partition=0)", "complete()", "initialize(session=1)")
    aborts = ("end_transaction(session=0)", "abort_failed(session=0)", "end_transaction(session=0)")
    state = after(spec, *committed, *taken, *aborts)
    assert (state.producer[0].status, state.asked[0], state.told[0]) == (
        "aborting, and bumping its epoch",
        "commit",
        "undecided",
    )
    assert state.log[0].entries[0].fate == "committed"
    assert after(spec, *committed, *taken, *aborts, "bump(session=0)").producer[0].status == "at its end"


def test_who_aborts_of_itself_when_its_id_was_replaced_does_so_for_ever() -> None:
    """T9.6: no bump was asked for, and nothing is sent any more."""
    spec = KafkaTransactions(generation="classic", aborts=1, faults=2, **REPLACED)
    state = after(spec, *SENT[:3], *TAKEN_OVER, "abort(session=0)", "end_transaction(session=0)")
    assert state.producer[0].status == "aborting for ever"
    assert [step.label for step in spec.successors(state)] == ["begin(session=1)"]


def test_an_initialization_that_is_late_is_executed_as_a_further_producers() -> None:
    """T2.2, T2.3, T2.5, T2.8: without a pair it bumps or fences; with that of a bump it is a retry, or fences."""
    spec = KafkaTransactions(generation="classic", partitions=1, late_starts=1, deadlines=1, faults=2)
    late = "start_late(nothing=0)"
    begun = ("delay_start(session=0)", *SENT[:2])
    seen = [after(spec, *begun, late).coordinator, after(spec, *begun, SENT[2], late).coordinator]
    assert [(tc.state, tc.epoch) for tc in seen] == [("Empty", 1), ("PrepareAbort", 1)]
    bumped = (*SENT[:4], *EXPIRED[5:], "delay_start(session=0)", "bump(session=0)")
    seen = [after(spec, *bumped, late).coordinator, after(spec, *bumped, *SENT[1:3], late).coordinator]
    assert [(tc.state, tc.epoch) for tc in seen] == [("Empty", 1), ("PrepareAbort", 2)]


def test_a_producer_fences_itself_behind_a_partition_of_which_it_has_not_heard() -> None:
    """T9.15: nothing counts as added, so InitProducerId goes out where EndTxn would have ended the transaction."""
    spec = KafkaTransactions(generation="3.9.2", partitions=1, lost_joins=1)
    joined = (*SENT[:2], "lose_join(session=0, partition=0)", "abort_failed(session=0)")
    state = after(spec, *joined)
    assert (state.producer[0].status, state.coordinator.state) == ("bumping its epoch", "Ongoing")
    bumps = ("bump(session=0)", "write_marker(partition=0)", "complete()", "bump(session=0)")
    state = after(spec, *joined, *bumps)
    assert (state.producer[0].status, state.producer[0].epoch, state.coordinator.epoch) == ("at its end", 0, 1)


def test_what_an_expired_id_leaves_behind_is_sent_to_without_a_word() -> None:
    """T9.16: no marker will end the transaction that the leader opens, and EndTxn is refused."""
    constants: dict[str, Any] = {"partitions": 1, "timeouts": 1, "expiries": 1, "faults": 2, "pids": 2}
    spec = KafkaTransactions(generation="classic", **constants)
    begun = (*SENT[:4], "receive(partition=0, slot=0)")
    gone = ("time_out(nothing=0)", "write_marker(partition=0)", "complete()", "expire_id(nothing=0)")
    end = "end_transaction(session=0)"
    aborts = ("commit(session=0)", end, "abort_failed(session=0)", end, "bump(session=0)")
    state = after(spec, *begun, *gone, *aborts)
    me = state.producer[0]
    assert (me.status, me.pid, me.epoch, me.bump, list(state.left[0])) == ("ready", 1, 0, True, ["partition added"])
    state = after(spec, *begun, *gone, *aborts, SENT[1], SENT[3], "receive(partition=0, slot=0)")
    assert (state.coordinator.state, state.known[0][1].first) == ("Empty", 1)


def test_who_has_something_left_ends_even_a_transaction_to_which_nothing_was_added() -> None:
    """T9.16, T9.9: what was left counts as begun, so EndTxn goes out, and is refused."""
    spec = KafkaTransactions(
        generation="3.9.2", partitions=1, timeouts=1, expiries=1, aborts=1, faults=3, pids=2, transactions=3
    )
    end = "end_transaction(session=0)"
    gone = ("time_out(nothing=0)", "write_marker(partition=0)", "complete()", "expire_id(nothing=0)")
    again = ("begin(session=0)", "abort(session=0)")
    sent = (*SENT[:4], "receive(partition=0, slot=0)", *gone[:3], "hear(partition=0, slot=0)", gone[3])
    renewed = (*sent, "abort_failed(session=0)", end, "bump(session=0)")
    assert after(spec, *renewed, *again).producer[0].status == "aborting"
    assert after(spec, *renewed, *again, end).producer[0].status == "at its end"
