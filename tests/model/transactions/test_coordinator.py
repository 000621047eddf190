"""What the coordinator does where no release is driven that shows it, each as its rule says."""

from __future__ import annotations

from everystate.model.transactions import KafkaTransactions
from tests.model.transactions.test_producer import after


def timed_out(session: int) -> tuple[str, ...]:
    """The transaction of a producer times out."""
    begun = (f"initialize(session={session})", f"begin(session={session})")
    return *begun, f"add_partition(session={session}, partition=0)", "time_out(nothing=0)", "write_marker(partition=0)"


def test_each_fresh_producer_id_notes_the_one_before() -> None:
    """T1.2, T2.6: TM.prepareProducerIdRotation. Kafka's second id would need 32766 epochs until a third one."""
    spec = KafkaTransactions(
        generation="classic", partitions=1, epochs=2, pids=3, sessions=3, takeovers=2, timeouts=2, faults=4
    )
    once = (*timed_out(0), "complete()", "take_over(session=1)")
    twice = (*timed_out(1), "complete()", "take_over(session=2)", "initialize(session=2)")
    assert ids(after(spec, *once, "initialize(session=1)")) == (1, 0, 0)
    assert ids(after(spec, *once, *twice)) == (2, 0, 1)


def ids(state: object) -> tuple[int, int, int]:
    """Producer id and epoch of the coordinator, and the id before."""
    tc = state.coordinator  # type: ignore[attr-defined]
    return tc.pid, tc.epoch, tc.previous_pid


def test_a_request_with_the_id_before_is_a_retry_only_as_long_as_the_new_id_has_its_first_epoch() -> None:
    """T4.5: while the current one is 0. Before KAFKA-18660 the id was compared before the pending state (T3.4)."""
    spec = KafkaTransactions(
        generation="kafka-18660",
        partitions=1,
        epochs=3,
        start_epoch=1,
        pids=3,
        sessions=2,
        takeovers=1,
        deadlines=1,
        faults=2,
    )
    expired = ("initialize(session=0)", "begin(session=0)", "send(session=0, partition=0)")
    aborts = (*expired, "deadline(session=0, partition=0)", "abort_failed(session=0)")
    begun = ("take_over(session=1)", "initialize(session=1)", "begin(session=1)", "send(session=1, partition=0)")
    written = (f"{step}(partition=0, slot=1)" for step in ("receive", "hear", "proceed"))
    ending = (*aborts, *begun, *written, "commit(session=1)", "end_transaction(session=1)")
    before = after(spec, *ending)
    assert (before.coordinator.state, *ids(before)) == ("PrepareCommit", 1, 1, 0)
    assert (before.producer[0].status, before.producer[0].epoch) == ("aborting", 2)
    assert after(spec, *ending, "end_transaction(session=0)").producer[0].status == "at its end"
