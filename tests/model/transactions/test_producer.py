"""What producers do in cases that no scenario's length tells, each as Kafka's client does it."""

from __future__ import annotations

from typing import Any

from everystate.model.transactions import KafkaTransactions


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


def test_a_record_that_was_refused_leaves_its_sequence_to_the_next_one() -> None:
    spec = KafkaTransactions(generation="classic", partitions=1, sessions=2, takeovers=1, hasty=True)
    fenced = ("take_over(session=1)", "initialize_over(session=1)", "write_marker(partition=0)")
    me = after(spec, *SENT, *fenced, "receive(partition=0, slot=0)").producer[0]
    assert (me.status, me.parts[0], me.next_sequence[0], me.bump) == ("must abort", "given up", 0, False)


def test_a_record_behind_one_that_expired_is_sent_again_when_it_is_out_of_order() -> None:
    spec = KafkaTransactions(generation="classic", partitions=1, deadlines=1, hasty=True)
    aborted = ("deadline(session=0, partition=0)", "abort_failed(session=0)", "end_transaction(session=0)")
    ended = ("write_marker(partition=0)", "complete()")
    again = SENT[1:4]
    me = after(spec, *SENT, *aborted, *ended, *again, "receive(partition=0, slot=0)").producer[0]
    assert (me.status, me.parts[0], me.next_sequence[0]) == ("in a transaction", "sent", 1)


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
