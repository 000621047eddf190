"""The leader of a partition changes, restarts or refuses records; the log of the coordinator is lost."""

from __future__ import annotations

import pytest

from everystate.checker import Spec
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model.transactions import Ending, KafkaTransactions
from everystate.model.transactions.records import CLEARED, NOWHERE
from tests.model.transactions.test_enabled import after

SENT = ("initialize(session=0)", "begin(session=0)", "send(session=0, partition=0)")
LET_IN = ("receive(partition=0, slot=0)", "hear(partition=0, slot=0)")
ELECTED = "elect(partition=0)"


def found(spec: Spec) -> tuple[int, dict[str, int | None]]:
    """The states, and the shortest length for each property that fails."""
    result = check(build(spec))
    assert not result.stopped
    return result.distinct, {violation.property: violation.length for violation in result.violations}


@pytest.mark.parametrize(
    ("generation", "states"),
    [("2.5", 766), ("classic", 766), ("part-1", 1_186), ("4.0.0", 2_737), ("4.3", 2_737), ("4.3-old-clients", 1_186)],
)
def test_two_leader_changes_and_a_failover_break_nothing(generation: str, states: int) -> None:
    """T7.19: what was acknowledged is in the log of the new leader, and all else is sent again."""
    assert found(KafkaTransactions(generation=generation, elections=2, failovers=1, faults=3)) == (states, {})


@pytest.mark.parametrize(
    ("generation", "faults", "states", "broken"),
    [
        ("4.3", {"elections": 1, "disconnects": 1}, 3_991, {}),
        ("classic", {"refusals": 2}, 172, {}),
        ("4.3", {"refusals": 2}, 416, {}),
        ("4.3", {"invalid_records": 1, "disconnects": 1, "partitions": 1}, 382, {}),
        (
            "classic",
            {"invalid_records": 1, "disconnects": 1, "partitions": 1},
            163,
            {"NoHangingTransaction": 11, "NoUncommittedRead": 20, "NoAbortedRead": 20, "NoDuplicate": 20},
        ),
        ("classic", {"retentions": 1, "disconnects": 1, "partitions": 1}, 224, {}),
        ("4.3", {"retentions": 1, "disconnects": 1, "partitions": 1}, 535, {}),
        ("classic", {"lost_logs": 1, "pids": 2}, 233, {"NoHangingTransaction": 6, "NoNeedlessEnd": 12}),
        ("4.3", {"lost_logs": 1, "pids": 2}, 237, {"NoHangingTransaction": 7, "NoNeedlessEnd": 6}),
    ],
)
def test_what_leaders_and_the_log_of_the_coordinator_do(
    generation: str, faults: dict[str, int], states: int, broken: dict[str, int | None]
) -> None:
    number = sum(value for name, value in faults.items() if name not in ("partitions", "pids"))
    assert found(KafkaTransactions(generation=generation, faults=number, **faults)) == (states, broken)


@pytest.mark.parametrize(("generation", "broken"), [("kafka-19999", {"every_transaction_ends": 10}), ("4.2", {})])
def test_a_marker_whose_answer_is_lost_with_the_leader_is_written_again(
    generation: str, broken: dict[str, int | None]
) -> None:
    """T7.4: a release that refuses a repeated marker would never complete the transaction (KAFKA-19999)."""
    assert found(Ending(generation=generation, partitions=1, transactions=1, elections=1))[1] == broken


OF_READERS = {"StableOffsetNeverBack": 11, "ReadForEver": 11}
JOINED = {"NoUncommittedRead": 24, "NoAbortedRead": 24, "NoDuplicate": 24}


@pytest.mark.parametrize(
    ("faults", "states", "broken"),
    [
        (
            {},
            4_447,
            {"NoCommittedLost": 14, "NoHangingTransaction": 15, "StableOffsetNeverBack": 15, "ReadForEver": 15},
        ),
        (
            {"partitions": 1, "sessions": 2, "takeovers": 1},
            3_198,
            {"NoCommittedLost": 10, "NoHangingTransaction": 11, "NoUncommittedRead": 21, "NoDuplicate": 21}
            | OF_READERS,
        ),
        (
            {"aborts": 1},
            12_437,
            {"Atomic": 25, "NoCommittedLost": 14, "NoHangingTransaction": 11} | JOINED | OF_READERS,
        ),
    ],
)
def test_an_unclean_election(faults: dict[str, int], states: int, broken: dict[str, int]) -> None:
    """T7.20: records are lost, and a transaction whose marker is lost is decided by the next one."""
    number = 1 + sum(faults.get(kind, 0) for kind in ("aborts", "takeovers"))
    assert found(KafkaTransactions(generation="4.3", unclean_elections=1, faults=number, **faults)) == (states, broken)


def test_the_leader_that_was_elected_uncleanly_knows_what_is_in_its_log() -> None:
    spec = KafkaTransactions(generation="4.3", partitions=1, unclean_elections=1)
    appended = after(spec, *SENT, *LET_IN, "fall_behind(partition=0)", "proceed(partition=0, slot=0)")
    assert (appended.log[0].end, appended.known[0][0].epoch, appended.producer[0].parts[0]) == (1, 0, "acked")
    elected = after(spec, "elect_uncleanly(partition=0)", state=appended)
    assert (elected.log[0].end, elected.known[0][0].epoch, elected.producer[0].parts[0]) == (0, -1, "acked")
    assert elected.old_log[0] == spec.initial_states()[0].old_log[0]


@pytest.mark.parametrize(
    ("generation", "faults", "states", "broken"),
    [
        ("4.3", {"partitions": 1}, 287, {"NoHangingTransaction": 8, "NoNeedlessEnd": 7}),
        (
            "4.3",
            {"partitions": 1, "aborts": 1},
            622,
            {"NoHangingTransaction": 8, "NoNeedlessEnd": 7}
            | dict.fromkeys(("NoUncommittedRead", "NoAbortedRead", "NoDuplicate"), 19),
        ),
        (
            "4.1",
            {"partitions": 1},
            291,
            {"NoUncommittedRead": 18, "NoHangingTransaction": 8, "NoNeedlessEnd": 7},
        ),
    ],
)
def test_a_coordinator_that_lacks_the_end_of_its_log(
    generation: str, faults: dict[str, int], states: int, broken: dict[str, int]
) -> None:
    """T1.13: a partition that is not known gets no marker; in 4.1 a repeated marker decides the next transaction."""
    number = 1 + faults.get("aborts", 0)
    assert found(KafkaTransactions(generation=generation, pids=2, shorter_logs=1, faults=number, **faults)) == (
        states,
        broken,
    )


def test_a_coordinator_knows_what_its_log_has() -> None:
    spec = KafkaTransactions(generation="4.3", partitions=1, pids=2, shorter_logs=1)
    behind = after(spec, *SENT, LET_IN[0], "fall_behind_coordinator(nothing=0)", LET_IN[1])
    assert (behind.coordinator.state, behind.coordinator.partitions[0]) == ("Ongoing", True)
    elected = after(spec, "elect_coordinator_uncleanly(nothing=0)", state=behind)
    assert (elected.coordinator.state, elected.coordinator.partitions[0]) == ("Empty", False)
    assert (elected.coordinator.epoch, elected.coordinator.term) == (0, 1)
    assert elected.old_coordinator == spec.initial_states()[0].old_coordinator
    unknown = after(spec, "fall_behind_coordinator(nothing=0)", SENT[0], "elect_coordinator_uncleanly(nothing=0)")
    assert (unknown.coordinator.epoch, unknown.coordinator.pid) == (-1, 1)


def test_a_new_leader_has_no_guard_and_no_request() -> None:
    spec = KafkaTransactions(generation="4.3", elections=1)
    before = after(spec, *SENT, *LET_IN)
    assert (before.request[0][0].stage, before.known[0][0].guard) == (CLEARED, 0)
    elected = after(spec, ELECTED, state=before)
    assert (elected.request[0][0].stage, elected.known[0][0].guard) == (NOWHERE, -1)
    assert "send_again(session=0, partition=0)" in {step.label for step in spec.successors(elected)}
    assert elected.coordinator == before.coordinator


def test_a_record_whose_answer_is_lost_with_the_leader_is_in_the_log_once() -> None:
    spec = KafkaTransactions(generation="4.3", elections=1)
    lost = after(spec, *SENT, *LET_IN, "elect_after_record(session=0, partition=0)")
    assert (lost.log[0].end, lost.producer[0].parts[0], lost.known[0][0].first) == (1, "sent", 0)
    again = after(spec, "send_again(session=0, partition=0)", LET_IN[0], state=lost)
    assert (again.log[0].end, again.producer[0].parts[0]) == (1, "acked")


class ForgetsTheSequence(KafkaTransactions):
    """T7.19: a new leader does not know the last sequence."""

    def lose_requests(self, partition: int) -> None:
        super().lose_requests(partition)
        self.known[partition][0].last = -1


class ForgetsTheOpenTransaction(KafkaTransactions):
    """T7.19: a new leader does not know the open transaction."""

    def lose_requests(self, partition: int) -> None:
        super().lose_requests(partition)
        self.known[partition][0].first = -1


class LosesAcknowledgedRecords(KafkaTransactions):
    """T7.19: a new leader lacks the last record, although it was acknowledged."""

    def lose_requests(self, partition: int) -> None:
        super().lose_requests(partition)
        log = self.log[partition]
        log.end = max(0, log.end - 1)


@pytest.mark.parametrize(
    ("kind", "more", "broken"),
    [
        (ForgetsTheSequence, {"retentions": 1}, {"NoDuplicate": 11}),
        (ForgetsTheOpenTransaction, {}, {"NoCommittedLost": 9}),
        (LosesAcknowledgedRecords, {}, {"NoCommittedLost": 9, "StableOffsetNeverBack": 10}),
    ],
)
def test_mistakes_are_found(kind: type[KafkaTransactions], more: dict[str, int], broken: dict[str, int | None]) -> None:
    """With `retentions` a log has room for a record that is written twice."""
    assert found(kind(generation="4.3", partitions=1, elections=1, faults=1, **more))[1] == broken
