"""What is played around the logs is a second word: it refuses what no cluster does, and keeps what each broker has."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from everystate.model import KafkaProducer
from everystate.model.conformance import cluster
from everystate.model.conformance.cluster import Cluster, DivergentTail
from everystate.model.conformance.driver import Move
from everystate.model.conformance.model_side import move_of
from everystate.model.conformance.played_log import PlayedLog
from everystate.model.conformance.watermark import BrokenRule, HighWatermark
from tests.model.test_memory import after, written

RESTARTS = [True, False]


@pytest.fixture(autouse=True)
def a_release_with_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "has_log", lambda: True)


def log(end: int) -> PlayedLog:
    """A log with so many batches of one record."""
    found = PlayedLog(0, lambda: None)
    found.offsets, found.end = list(range(end)), end
    return found


def played(leader: int, follower: int) -> Cluster:
    """Broker 0 leads, broker 1 is in sync; they have so many batches, which are records 0, 1, ..."""
    found = Cluster.__new__(Cluster)
    found.setup = SimpleNamespace(replicas=2, partitions=1, min_insync=1, high_watermark_stands=True)  # type: ignore[assignment]
    found.leader, found.leader_epoch, found.away = 0, 0, set()
    found.answers, found.surviving, found.beyond, found.move = {0: [], 1: []}, [], {}, None
    found.written = [[(at, (at,)) for at in range(leader)]]
    found.logs = [[log(leader)], [log(follower)]]
    found.client = SimpleNamespace(frames={0: [], 1: []}, lose=lambda broker: None)  # type: ignore[assignment]
    found.watermark = HighWatermark(1, found.fetched)
    return found


def election(action: str, broker: int, end: int, *uncut: bool) -> Move:
    """An election of a broker whose log ends there then."""
    return Move(action, {"broker": broker}, replicated=((end, end),), ends=(end,), uncut=uncut)


def test_nobody_is_elected_cleanly_who_is_out_of_sync() -> None:
    found = played(2, 1)
    found.away = {1}
    with pytest.raises(BrokenRule, match=r"^who is elected is in sync \(D3\)$"):
        found.elect(1, election("change_leader", 1, 1))


def test_a_leader_that_crashed_is_out_of_sync() -> None:
    found = played(2, 1)
    found.crash_leader(1, election("crash_leader", 1, 1))
    assert (found.leader, found.in_sync, found.logs[0][0].end) == (1, False, 1)


@pytest.mark.parametrize("clean", RESTARTS)
def test_a_follower_that_restarts_is_out_of_sync_and_a_leader_restarts_alone(clean: bool) -> None:
    found, told = played(2, 1), Move("restart", {})
    with pytest.raises(BrokenRule, match=r"^a leader that stops is followed by who is in sync$"):
        found.restart(0, clean, told)
    found.restart(1, clean, told)
    assert not found.in_sync
    found.restart(0, clean, told)
    assert (found.leader, found.in_sync) == (0, False)


def test_what_is_below_a_log_end_at_which_everybody_is_has_been_acknowledged() -> None:
    actions: list[tuple[set[int], Callable[[Cluster], None]]] = [
        ({1}, lambda found: found.rejoin(1)),
        (set(), lambda found: found.delete_records(0)),
    ]
    for away, action in actions:
        found = played(2, 2)
        found.away = away
        action(found)
        assert (found.watermark.offsets, found.watermark.settled) == ([2], [2])
    behind = played(2, 1)
    with pytest.raises(BrokenRule, match=r"when the follower has offset 1 of partition 0 \(B6\.1\)$"):
        behind.delete_records(0)
    behind.away = {1}
    behind.delete_records(0)
    assert behind.watermark.offsets == [2]


@pytest.mark.parametrize("stands", [True, False])
def test_retention_deletes_what_too_few_have_until_3_6(monkeypatch: pytest.MonkeyPatch, stands: bool) -> None:
    """B6.1: from 3.7 on the high watermark does not rise while too few are in sync."""
    monkeypatch.setattr("everystate.model.conformance.cluster.has_log", lambda: True)
    found = played(2, 1)
    found.away, found.setup.min_insync, found.setup.high_watermark_stands = {1}, 2, stands  # type: ignore[misc]
    if stands:
        with pytest.raises(BrokenRule):
            found.delete_records(0)
    else:
        found.delete_records(0)
        assert found.watermark.offsets == [2]


def test_followers_cut_what_a_power_cut_took_from_their_leader() -> None:
    """D17"""
    found = played(3, 2)
    found.away = {1}
    found.watermark.passed(0, 3, False)
    found.lose_power(0, 0, 1)
    assert ([own.end for (own,) in found.logs], found.written, found.watermark.offsets) == ([1, 1], [[(0, (0,))]], [1])


def test_an_answer_waits_for_what_has_not_passed_and_for_whoever_leads_now() -> None:
    """B6.2: it is late only above the high watermark; a new leader may not have heard of it yet (D3)."""
    marks = HighWatermark(1, lambda partition: 3)
    marks.may_wait(0, 1)
    marks.passed(0, 2, True)
    marks.may_wait(0, 3)
    for end in (1, 2):
        with pytest.raises(BrokenRule, match=r"below offset 2 of partition 0 has left \(B6\.2\)$"):
            marks.may_wait(0, end)
    marks.elected(0, 2, True)
    marks.may_wait(0, 1)
    with pytest.raises(BrokenRule, match=r"^the new leader has all below offset 2 of partition 0 \(D3\)$"):
        marks.elected(0, 1, True)
    marks.elected(0, 1, False)
    marks.elected(0, 1, True)


# -- a deposed leader before it fetches ----------------------------------------------------------------------------


def test_a_deposed_leader_is_cut_at_once_where_nothing_is_said_of_it() -> None:
    found = played(3, 1)
    found.elect(1, election("change_leader", 1, 1))
    assert (found.logs[0][0].end, found.written, found.beyond) == (1, [[(0, (0,))]], {})


def test_a_deposed_leader_keeps_its_log_until_it_fetches() -> None:
    found = played(3, 1)
    found.elect(1, election("change_leader", 1, 1, False))
    assert (found.logs[0][0].end, found.written) == (3, [[(0, (0,))]])
    assert found.beyond == {0: DivergentTail(1, [(1, (1,)), (2, (2,))], 0)}
    assert [found.places(broker, 0, [1, 3]) for broker in range(2)] == [(1, 3), (1, 1)]
    found.written[0] += [(1, (7,)), (2, (8,)), (3, (9,))]
    assert [found.places(broker, 0, [1, 3, 4]) for broker in range(2)] == [(1, 3, 3), (1, 3, 4)]
    del found.written[0][1:]
    found.move = Move("send", {}, ends=(1,), uncut=(True,))
    found.replicate([[1, 1]])
    assert found.logs[0][0].end == 3
    found.move = Move("rejoin", {}, ends=(1,), uncut=(False,))
    found.replicate([[1, 1]])
    assert (found.logs[0][0].end, found.beyond) == (1, {})


def test_one_that_leads_again_before_it_fetches_has_what_it_had() -> None:
    found = played(3, 1)
    found.away = {1}
    found.elect_uncleanly(1, election("elect_uncleanly", 1, 1, False))
    found.logs[1] = [log(2)]
    found.written[0].append((1, (7,)))
    found.watermark.passed(0, 2, False)
    found.elect_uncleanly(0, Move("elect_uncleanly", {"broker": 0}, replicated=((1, 0),), ends=(3,), uncut=(True,)))
    assert (found.leader, [where.end for (where,) in found.logs]) == (0, [3, 2])
    assert found.written == [[(0, (0,)), (1, (1,)), (2, (2,))]]
    assert found.beyond == {0: DivergentTail(1, [(1, (7,))], 1)}
    assert found.watermark.offsets == [1]


def test_what_who_was_deposed_has_of_its_own_is_no_acknowledgement() -> None:
    """B6.1, D3: its log is as long, and it has not fetched."""
    found = played(3, 1)
    found.elect(1, election("change_leader", 1, 1, False))
    found.logs[1] = [log(2)]
    found.written[0].append((1, (7,)))
    with pytest.raises(BrokenRule, match=r"when the follower has offset 1 of partition 0 \(B6\.1\)$"):
        found.watermark.passed(0, 2, True)
    with pytest.raises(BrokenRule, match=r"^the new leader has all below offset 2 of partition 0 \(D3\)$"):
        found.elect(0, Move("change_leader", {"broker": 0}, replicated=((1, 0),), ends=(3,), uncut=(True,)))


def test_who_was_deposed_hears_of_no_log_start_and_deletes_nothing_before_it_fetches() -> None:
    """D10, D14."""
    found, told = played(3, 1), []
    found.elect(1, election("change_leader", 1, 1, False))
    for broker, (own,) in enumerate(found.logs):
        own.hear = lambda start, broker=broker: told.append((broker, start))
        own.delete = lambda broker=broker: told.append((broker, "deletes"))
    for uncut in (True, False):
        found.move = Move("delete_records", {}, ends=(1,), starts=((1, 1),), uncut=(uncut,))
        found.replicate([[1, 1]], found.move.starts)
        found.delete_records(0)
    assert told == [(1, "deletes"), (0, 1), (0, "deletes"), (1, "deletes")]


def test_a_step_tells_whether_who_followed_before_it_is_cut() -> None:
    spec = KafkaProducer(warm=1, batches=2, isr_shrinks=1, unclean_elections=2, faults=3)
    lost = after(spec, "shrink_isr(broker=1)", *written(0))
    deposed = after(spec, "elect_uncleanly(broker=1) choosing 1", state=lost)
    steps = {step.label: step for step in spec.successors(deposed)}
    found = {label: move_of(spec, deposed, step).uncut for label, step in steps.items() if "rejoin" not in label}
    assert found == dict.fromkeys(found, (True,)) | {"elect_uncleanly(broker=0) choosing False, 1": (False,)}
    assert "learn_leader(broker=1)" in found and "elect_uncleanly(broker=0) choosing True" in found
    assert move_of(spec, deposed, steps["rejoin(broker=0)"]).uncut == (False,)
