"""Faults where they cannot be: a fault that no cluster has there, or that would change nothing, is not enabled."""

from __future__ import annotations

import pytest

from everystate.checker import State
from everystate.checker.language.concrete import ValuesFrame
from everystate.model import KafkaProducer
from everystate.model.records import APPENDED, RETRIABLE, RETRYING, UNKNOWN
from tests.model.test_memory import after, follower, written


def enabled(spec: KafkaProducer, state: State, action: str) -> list[int]:
    """The last parameter of an action, wherever it is enabled."""
    found = [step.action for step in spec.successors(state) if step.action.name == action]
    return sorted({dict(each.arguments)[each.arguments[-1][0]] for each in found})


def refused(spec: KafkaProducer, state: State, batch: int) -> set[bool]:
    """Whether a clean election makes an answer an error, in each of its ways."""
    elected = [step.state for step in spec.successors(state) if str(step.action) == "change_leader(broker=1)"]
    return {each.batch[batch].outcome == RETRIABLE for each in elected}


def test_a_leader_restarts_in_place_only_where_nobody_else_is_in_sync() -> None:
    """D6: else it hands over when it stops, and another one leads when it has crashed."""
    spec = KafkaProducer(warm=1, isr_shrinks=1, clean_restarts=1, crashes=1, leader_changes=1, faults=3)
    for state, brokers in ((after(spec), [1]), (after(spec, "shrink_isr(broker=1)"), [0, 1])):
        for restart in ("restart_cleanly", "restart_after_crash"):
            assert enabled(spec, state, restart) == brokers


@pytest.mark.parametrize("stops", ["restart_cleanly(broker=1)", "restart_after_crash(broker=1)"])
def test_a_follower_that_restarts_is_out_of_the_in_sync_set_until_it_has_caught_up(stops: str) -> None:
    """Then the leader restarts in its place, and nobody is elected but uncleanly (D15)."""
    kinds = ("clean_restarts", "crashes", "leader_changes", "unclean_elections")
    spec = KafkaProducer(warm=1, faults=3, **dict.fromkeys(kinds, 1))
    away = after(spec, f"{stops} choosing 1")
    elections = ("restart_after_crash" if "clean" in stops else "restart_cleanly", "change_leader", "elect_uncleanly")
    assert [enabled(spec, away, action) for action in elections] == [[0, 1], [], [1]]
    back = after(spec, "rejoin(broker=1)", state=away)
    assert [enabled(spec, back, action) for action in elections] == [[1], [1], []]


def test_a_leader_that_crashes_is_out_of_the_in_sync_set_until_it_has_caught_up() -> None:
    spec = KafkaProducer(warm=1, leader_crashes=2, unclean_elections=1, faults=2)
    crashed = after(spec, "crash_leader(broker=1) choosing 1")
    back = after(spec, "rejoin(broker=0)", state=crashed)
    assert [enabled(spec, crashed, action) for action in ("crash_leader", "elect_uncleanly")] == [[], [0]]
    assert [enabled(spec, back, action) for action in ("crash_leader", "elect_uncleanly")] == [[0], []]
    elected = "crash_leader(broker=1) choosing 1"
    [told] = [step.narration for step in spec.successors(after(spec)) if step.label == elected]
    left = [(event["at"], event["text"]) for event in told if "in-sync" in event["text"]]
    assert left == [("broker 0", "leaves the in-sync set")]


def test_where_nothing_asks_who_is_in_sync_all_are() -> None:
    """The last fault is spent; with too few in sync requests are still refused (B1.3)."""
    for min_insync, in_sync in ((1, True), (2, False)):
        spec = KafkaProducer(warm=1, clean_restarts=1, isr_shrinks=1, min_insync=min_insync)
        for last in ("restart_cleanly(broker=1) choosing 1", "shrink_isr(broker=1)"):
            state = after(spec, last)
            assert state.in_sync[1] == in_sync
            assert enabled(spec, state, "rejoin") == ([] if in_sync else [1])
    told = KafkaProducer(generation="kip-1269-min", wide_window=6, warm=1, isr_shrinks=1)  # K2
    assert enabled(told, after(told, "shrink_isr(broker=1)"), "rejoin") == [1]


def test_a_story_says_of_an_answer_no_more_than_is_known_of_who_is_in_sync() -> None:
    """Behind the last fault it said "once replicated" of one that had just left the in-sync set."""
    for faults, told in ((0, "once replicated"), (1, "once all in sync have it"), (2, "")):
        spec = KafkaProducer(warm=1, clean_restarts=faults and 1, isr_shrinks=faults // 2, faults=faults)
        away = ("restart_cleanly(broker=1) choosing 1",) * min(faults, 1)
        steps = spec.successors(after(spec, *away, "send(batch=0)"))
        [answers] = [step.narration for step in steps if step.label == "handle(broker=0, batch=0)"]
        assert answers[-1]["text"] == ", ".join(filter(None, ("ok for b0", told)))


def test_an_answer_that_had_left_when_too_few_were_in_sync_is_no_error_the_next_time() -> None:
    """B6.3: once it has left it stays what it was, also where the client has not read it yet."""
    spec = KafkaProducer(warm=1, min_insync=2, isr_shrinks=2, clean_restarts=1, faults=3)
    for goes in ("shrink_isr(broker=1)", "restart_cleanly(broker=1)"):
        ways = [step.state for step in spec.successors(after(spec, *written(0))) if str(step.action) == goes]
        away = {state.batch[0].outcome == RETRIABLE: state for state in ways}
        assert set(away) == {False, True}
        back = after(spec, "rejoin(broker=1)", state=away[False])
        again = [step.state for step in spec.successors(back) if str(step.action) == "shrink_isr(broker=1)"]
        assert {state.batch[0].outcome == RETRIABLE for state in again} == {False}


@pytest.mark.parametrize("stops", ["restart_cleanly(broker=1)", "restart_after_crash(broker=1)"])
def test_what_a_follower_has_is_settled_behind_whether_an_answer_has_left(stops: str) -> None:
    """B6.1: where it has left before the follower stops, the follower has the record."""
    spec = KafkaProducer(warm=1, min_insync=2, clean_restarts=1, crashes=1)
    labels = [step.label for step in spec.successors(after(spec, *written(0))) if str(step.action) == stops]
    assert {label.removeprefix(f"{stops} choosing ") for label in labels} == {"False, 1", "False, 2", "True, 2"}


def test_only_the_last_answer_may_still_wait_for_the_high_watermark() -> None:
    """B7: the next request of a connection is read once the answer before has left."""
    spec = KafkaProducer(max_in_flight=3, late_errors=1, faults=1)
    assert enabled(spec, after(spec, *written(0, 1)), "answer_late") == [1]


def test_an_answer_to_what_retention_deletes_has_left_so_no_election_refuses_it() -> None:
    """B6.2, B6.5, D10: nothing is deleted above the high watermark; what was appended since may still be refused."""
    spec = KafkaProducer(warm=1, max_in_flight=2, retentions=1, leader_changes=1, faults=2)
    deleted = after(spec, *written(0), "delete_records(partition=0)")
    assert refused(spec, deleted, 0) == {False}
    assert refused(spec, after(spec, *written(0)), 0) == {False, True}
    assert refused(spec, after(spec, *written(1), state=deleted), 1) == {False, True}


def test_where_nobody_else_is_in_sync_an_answer_leaves_at_once() -> None:
    """B6.2: the high watermark is at the log end, so no answer is late, and no later election refuses one."""
    spec = KafkaProducer(warm=1, max_in_flight=2, isr_shrinks=1, leader_changes=1, late_errors=1, faults=3)
    before = after(spec, *written(0))
    assert enabled(spec, before, "answer_late") == [0]
    for state in (after(spec, *written(0), "shrink_isr(broker=1)"), after(spec, "shrink_isr(broker=1)", *written(0))):
        assert enabled(spec, state, "answer_late") == []
        assert refused(spec, after(spec, "rejoin(broker=1)", state=state), 0) == {False}


def test_an_answer_to_a_duplicate_below_the_high_watermark_leaves_at_once() -> None:
    """B6.2: b1 was read, so the answer to b0 had left (B7); where another one leads that may be behind (D3)."""
    spec = KafkaProducer(warm=1, max_in_flight=2, disconnects=2, leader_changes=2, late_errors=1, faults=5)
    lost = after(spec, *written(0, 1), "disconnect(broker=0)")
    again = ("send_again(batch=0)", "handle(broker=0, batch=0)")
    assert enabled(spec, after(spec, *again, state=lost), "answer_late") == []
    assert refused(spec, after(spec, *again, state=lost), 0) == {False}
    also = (*again, "read_answer(broker=0, batch=0)", "send_again(batch=1)", "handle(broker=0, batch=1)")
    assert enabled(spec, after(spec, *also, state=lost), "answer_late") == [1]
    moved = after(spec, "change_leader(broker=1) choosing 3", "learn_leader(broker=1)", state=lost)
    there = tuple(label.replace("broker=0", "broker=1") for label in again)
    assert enabled(spec, after(spec, *there, state=moved), "answer_late") == [0]


def test_how_far_the_high_watermark_is_known_to_be_never_falls() -> None:
    """B6.2: the answer to b1 had left when b2 was handled (B7); and an expiry settles what no answer has told."""
    spec = KafkaProducer(warm=1, batches=3, max_in_flight=3, disconnects=1, expiries=1, late_errors=1, faults=4)
    read = after(spec, *written(0, 1, 2), "read_answer(broker=0, batch=0)", "disconnect(broker=0)")
    again = after(spec, "send_again(batch=1)", "handle(broker=0, batch=1)", state=read)
    assert enabled(spec, again, "answer_late") == []
    settled = after(spec, *written(0), "expire_producers(broker=1, partition=0) choosing 2", *written(1))
    lost = after(spec, "disconnect(broker=0)", "send_again(batch=0)", "handle(broker=0, batch=0)", state=settled)
    assert enabled(spec, lost, "answer_late") == []


def test_an_answer_to_a_duplicate_of_what_retention_has_deleted_leaves_at_once() -> None:
    spec = KafkaProducer(warm=1, disconnects=1, retentions=1, late_errors=1, faults=4)
    deleted = after(spec, *written(0), "disconnect(broker=0)", "delete_records(partition=0)", "send_again(batch=0)")
    assert enabled(spec, after(spec, "handle(broker=0, batch=0)", state=deleted), "answer_late") == []


def test_who_leaves_the_in_sync_set_leaves_that_of_each_partition() -> None:
    spec = KafkaProducer(batches=2, partitions=2, isr_shrinks=1, late_errors=1, faults=3)
    assert enabled(spec, after(spec, *written(1)), "answer_late") == [1]
    assert enabled(spec, after(spec, *written(1), "shrink_isr(broker=1)"), "answer_late") == []


def test_what_outlives_its_connection_to_the_leader_outlives_a_restart_of_the_follower() -> None:
    """B7."""
    spec = KafkaProducer(warm=0, batches=1, max_in_flight=1, survivors=1, disconnects=1, clean_restarts=1, faults=2)
    lost = after(spec, "send(batch=0)", "disconnect(broker=0) choosing 1")
    assert enabled(spec, after(spec, "restart_cleanly(broker=1) choosing 0", state=lost), "handle_survivor") == [0]


def test_the_next_delivery_timeout_passes_behind_the_sweep_of_the_one_before() -> None:
    """C1.7, C7: a pass that has begun has its sweep before its poll; a timeout of more batches is one of the last."""
    spec = KafkaProducer(max_in_flight=3, deadlines=2, faults=2)
    passed = (*written(0), "delivery_timeout(batch=0)")
    for more in ((), ("send(batch=1)",)):
        assert enabled(spec, after(spec, *passed, *more), "delivery_timeout") == []
    assert enabled(spec, after(spec, *passed, "expire_batches(sweep=0)"), "delivery_timeout") == [1, 2]


def test_no_delivery_timeout_passes_for_a_batch_that_is_finished() -> None:
    """It would be that of the older ones, or change nothing."""
    spec = KafkaProducer(max_in_flight=3, deadlines=1, faults=1)
    state = after(spec, *written(0, 1), "read_answer(broker=0, batch=0)")
    assert enabled(spec, state, "delivery_timeout") == [1, 2]


# -- a deposed leader before it fetches (D4, D15) -------------------------------------------------------------------

DEPOSED = (*written(0), "elect_uncleanly(broker=1) choosing 1", "learn_leader(broker=1)")
ALONE = {"batches": 2, "isr_shrinks": 1, "unclean_elections": 2}


def tail(state: State) -> tuple[int, int]:
    """From where to where the follower has another log than the leader."""
    return state.tail[0].start, state.tail[0].end


def known(spec: KafkaProducer, state: State, broker: int) -> list[int]:
    """The offsets that a replica remembers of the producer, in its own log."""
    with spec._reading(ValuesFrame(spec, state.values())):
        return list(spec.remembered(broker, 0, 0))


def test_who_was_deposed_is_cut_when_it_fetches_and_leads_uncut_before() -> None:
    spec = KafkaProducer(warm=1, faults=4, late_errors=1, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED)
    assert (away.log[0].end, tail(away)) == (1, (1, 2))
    assert tail(after(spec, "rejoin(broker=0)", state=away)) == (0, 0)
    written_there = after(spec, "send_again(batch=0)", "handle(broker=1, batch=0)", state=away)
    ways = [step for step in spec.successors(written_there) if str(step.action) == "elect_uncleanly(broker=0)"]
    ends = {step.label.partition("choosing ")[2]: (step.state.log[0].end, tail(step.state)) for step in ways}
    assert ends == {"True": (2, (1, 2)), "False, 1": (1, (1, 2)), "False, 2": (2, (0, 0))}


def test_two_logs_that_differ_change_places_at_each_election_without_a_fetch() -> None:
    spec = KafkaProducer(warm=1, batches=2, isr_shrinks=1, unclean_elections=4, foreign_appends=2, pids=2, faults=9)
    foreign = "append_foreign(partition=0)"
    both = after(spec, "shrink_isr(broker=1)", *DEPOSED, foreign, foreign)
    assert (both.log[0].end, tail(both), follower(both).replicated) == (3, (1, 2), 1)
    back = after(spec, "elect_uncleanly(broker=0) choosing True", state=both)
    assert [entry.batch for entry in back.log[0].entries[:2]] == [2, 0]
    assert (tail(back), follower(back).replicated) == ((1, 3), 1)
    again = after(spec, "elect_uncleanly(broker=1) choosing True", state=back)
    assert (again.log[0], tail(again)) == (both.log[0], tail(both))


@pytest.mark.parametrize("stops", ["restart_cleanly(broker=0)", "restart_after_crash(broker=0)"])
def test_who_restarts_before_it_fetches_remembers_the_last_batch_of_its_own_log(stops: str) -> None:
    spec = KafkaProducer(warm=1, crashes=1, clean_restarts=1, expiries=1, faults=9, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED)
    assert (known(spec, away, 0), known(spec, away, 1)) == ([0, 1], [0])
    back = after(spec, f"{stops} choosing True", state=away)
    assert known(spec, back, 0) == [1]
    assert known(spec, after(spec, "rejoin(broker=0)", state=back), 0) == [0]
    assert known(spec, after(spec, f"{stops} choosing False, 1", state=away), 0) == [0]


def test_who_expires_its_producers_before_it_fetches_knows_nobody_of_its_own_log() -> None:
    spec = KafkaProducer(warm=1, expiries=1, faults=9, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED, "expire_producers(broker=0, partition=0) choosing True")
    assert known(spec, after(spec, "elect_uncleanly(broker=0) choosing True", state=away), 0) == []


def test_an_answer_that_has_left_shows_that_who_was_deposed_in_sync_has_fetched() -> None:
    """B6.1: what the new leader has written is on the old one, in place of what that had."""
    spec = KafkaProducer(warm=1, batches=2, leader_changes=1, isr_shrinks=1, unclean_elections=1, faults=3)
    moved = after(spec, *written(0), "change_leader(broker=1) choosing 1", "learn_leader(broker=1)")
    assert tail(moved) == (1, 2)
    again = ("read_answer(broker=0, batch=0)", "send_again(batch=0)", "handle(broker=1, batch=0)")
    there = after(spec, *again, state=moved)
    assert tail(there) == (1, 2)
    assert tail(after(spec, "read_answer(broker=1, batch=0)", state=there)) == (0, 0)


def test_no_answer_to_what_only_its_leader_has_leaves_before_the_old_leader_leads_again() -> None:
    """B6.5: it has as many records, and not that one."""
    spec = KafkaProducer(warm=1, batches=2, leader_changes=2, isr_shrinks=1, unclean_elections=1, faults=4)
    moved = after(spec, *written(0), "change_leader(broker=1) choosing 1", "learn_leader(broker=1)")
    again = ("read_answer(broker=0, batch=0)", "send_again(batch=0)", "handle(broker=1, batch=0)")
    ways = [step for step in spec.successors(after(spec, *again, state=moved)) if step.action.name == "change_leader"]
    assert {step.state.batch[0].outcome for step in ways if step.choices[0] is True} == {RETRIABLE}


def test_retention_below_the_high_watermark_shows_that_who_was_deposed_in_sync_has_fetched() -> None:
    kinds = {"leader_changes": 1, "isr_shrinks": 1, "unclean_elections": 1, "retentions": 1}
    spec = KafkaProducer(warm=1, batches=2, faults=4, **kinds)
    moved = after(spec, *written(0), "change_leader(broker=1) choosing 1")
    assert (tail(moved), tail(after(spec, "delete_records(partition=0)", state=moved))) == ((1, 2), (0, 0))


def test_where_the_high_watermark_stands_retention_shows_nothing_of_who_was_deposed() -> None:
    """B6.1: it is at the new leader's end since before the election, and with too few in sync nothing is appended."""
    kinds = {"leader_crashes": 1, "unclean_elections": 1, "retentions": 1, "foreign_appends": 1}
    spec = KafkaProducer(warm=1, batches=2, min_insync=2, pids=2, faults=4, **kinds)
    crashed = after(spec, *written(0), "crash_leader(broker=1) choosing 1")
    deleted = after(spec, "delete_records(partition=0)", state=crashed)
    ways = [step for step in spec.successors(deleted) if str(step.action) == "elect_uncleanly(broker=0)"]
    assert {(step.state.log[0].start, step.state.log[0].end) for step in ways} == {(0, 2), (0, 1), (1, 1)}
    more = after(spec, "append_foreign(partition=0)", state=crashed)
    assert tail(after(spec, "delete_records(partition=0)", state=more)) == (0, 0)


def test_who_was_deposed_hears_of_no_deletion_by_a_leader_that_it_has_not_fetched_from() -> None:
    """D14: its log still begins where the other one's was deleted before."""
    kinds = {"leader_changes": 1, "isr_shrinks": 1, "unclean_elections": 2, "retentions": 2}
    spec = KafkaProducer(warm=1, batches=2, max_in_flight=1, min_insync=2, faults=6, **kinds)
    moved = after(spec, "delete_records(partition=0)", "change_leader(broker=1) choosing 1, False")
    told = after(spec, "learn_leader(broker=1)", "send(batch=0)", "handle(broker=1, batch=0)", state=moved)
    more = after(spec, "read_answer(broker=1, batch=0)", "send(batch=1)", "handle(broker=1, batch=1)", state=told)
    away = after(spec, "shrink_isr(broker=0) choosing False", "elect_uncleanly(broker=0) choosing 2", state=more)
    (deleted,) = [step.state for step in spec.successors(away) if step.action.name == "delete_records"]
    assert (deleted.log[0].start, follower(deleted).log_start, tail(deleted)) == (2, 0, (2, 3))


def test_the_retention_of_who_has_not_fetched_yet_does_not_run_with_that_of_the_leader() -> None:
    """D10, D14: it knows no high watermark of the new leader."""
    kinds = {"retentions": 1, "crashes": 1, "foreign_appends": 1, "pids": 2}
    spec = KafkaProducer(warm=1, faults=9, **kinds, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED)
    ways = [step for step in spec.successors(away) if step.action.name == "delete_records"]
    assert {step.choices for step in ways if tail(step.state) == (1, 2)} == {(True,)}


def test_a_fetch_that_is_a_step_cuts_who_was_deposed_in_sync() -> None:
    kinds = {"leader_changes": 1, "isr_shrinks": 1, "unclean_elections": 1, "foreign_appends": 1, "pids": 2}
    spec = KafkaProducer(warm=1, batches=2, explicit_replication=True, faults=4, **kinds)
    moved = after(spec, *written(0), "change_leader(broker=1)", "append_foreign(partition=0)")
    assert (tail(moved), tail(after(spec, "fetch(partition=0)", state=moved))) == ((1, 2), (0, 0))


def test_a_leader_that_restarts_alone_remembers_the_last_batch_of_its_own_log() -> None:
    spec = KafkaProducer(warm=1, clean_restarts=1, foreign_appends=2, pids=2, faults=9, **ALONE)
    foreign = "append_foreign(partition=0)"
    away = after(
        spec, foreign, "shrink_isr(broker=1)", *DEPOSED, "send_again(batch=0)", "handle(broker=1, batch=0)", foreign
    )
    assert (known(spec, away, 0), known(spec, away, 1)) == ([0, 2], [0, 1])
    for more in ((), ("rejoin(broker=0)",)):
        assert known(spec, after(spec, "restart_cleanly(broker=1)", *more, state=away), 1) == [1]


def test_the_snapshots_of_who_was_deposed_are_there_when_it_is_cut() -> None:
    spec = KafkaProducer(warm=1, rolls=1, foreign_appends=1, pids=2, faults=5, **ALONE)
    rolled = (*written(0), "roll(broker=0, partition=0)", *written(1), "shrink_isr(broker=1)")
    deposed = ("elect_uncleanly(broker=1) choosing 2", "append_foreign(partition=0)", "rejoin(broker=0)")
    assert known(spec, after(spec, *rolled, *deposed), 0) == [1]


def test_who_was_deposed_forgets_in_its_own_log_what_a_smaller_window_drops() -> None:
    wide = {"generation": "kip-1269", "window": 1, "wide_window": 2, "wide_replicas": "0", "window_changes": 2}
    spec = KafkaProducer(warm=1, faults=9, **wide, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *written(0), "read_answer(broker=0, batch=0)", *written(1), *DEPOSED[2:])
    assert known(spec, away, 0) == [1, 2]
    twice = ("change_window(broker=0) choosing True",) * 2
    assert known(spec, after(spec, *twice, state=away), 0) == [2]


def test_behind_the_last_fault_nobody_has_a_log_of_its_own() -> None:
    spec = KafkaProducer(warm=1, faults=2, rolls=1, **ALONE)
    assert tail(after(spec, "shrink_isr(broker=1)", *DEPOSED)) == (0, 0)
    spec = KafkaProducer(warm=1, faults=3, rolls=1, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED)
    assert (tail(away), tail(after(spec, "roll(broker=1, partition=0)", state=away))) == ((1, 2), (0, 0))


def test_the_leader_keeps_its_log_and_what_it_knows_when_the_other_one_is_cut() -> None:
    spec = KafkaProducer(warm=1, faults=4, late_errors=1, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *DEPOSED)
    assert [entry.batch for entry in away.log[0].entries[:1]] == [spec.foreign]
    there = after(spec, "send_again(batch=0)", "handle(broker=1, batch=0)", state=away)
    back = after(spec, "rejoin(broker=0)", state=there)
    assert [known(spec, state, broker) for state in (there, back) for broker in (0, 1)] == [[0, 1]] * 4


def test_tables_show_of_who_was_deposed_what_it_has() -> None:
    spec = KafkaProducer(warm=1, faults=4, **ALONE)
    shown = spec._shown(after(spec, "shrink_isr(broker=1)", *DEPOSED))
    rows = [shown[f"broker {broker}"][name] for broker in (0, 1) for name in ("log", "remembers")]
    assert [[(row["offset"], row["seq"]) for row in each] for each in rows] == [[(0, 0), (1, 1)]] * 2 + [[(0, 0)]] * 2


def test_who_was_deposed_leads_with_all_that_it_had_though_its_election_is_the_last_fault() -> None:
    spec = KafkaProducer(warm=1, max_in_flight=2, faults=3, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *written(0, 1), "elect_uncleanly(broker=1) choosing 1")
    back = after(spec, "elect_uncleanly(broker=0) choosing True", state=away)
    assert ([entry.batch for entry in back.log[0].entries[:3]], back.log[0].end) == ([spec.foreign, 0, 1], 3)


def test_an_answer_to_what_both_have_does_not_show_that_who_was_deposed_has_fetched() -> None:
    """B6.1: the high watermark is above what was there before the election as soon as the new leader is one."""
    kinds = {"leader_changes": 1, "isr_shrinks": 1, "unclean_elections": 1, "disconnects": 1}
    spec = KafkaProducer(warm=1, max_in_flight=2, faults=4, **kinds)
    moved = after(spec, *written(0, 1), "disconnect(broker=0)", "change_leader(broker=1) choosing 2")
    again = [f"{step}(broker=1, batch=0)" for step in ("handle", "read_answer")]
    told = after(spec, "learn_leader(broker=1)", "send_again(batch=0)", *again, state=moved)
    assert (tail(moved), tail(told)) == ((2, 3), (2, 3))


def test_the_retention_of_a_leader_alone_shows_nothing_of_who_was_deposed() -> None:
    spec = KafkaProducer(warm=1, faults=9, late_errors=1, retentions=1, **ALONE)
    deposed = ("shrink_isr(broker=1)", *DEPOSED, "send_again(batch=0)", "handle(broker=1, batch=0)")
    ways = [step for step in spec.successors(after(spec, *deposed)) if step.action.name == "delete_records"]
    found = {step.choices: (tail(step.state), follower(step.state).replicated) for step in ways}
    assert found == {(True,): ((1, 2), 1), (False, 1): ((0, 0), 1), (False, 2): ((0, 0), 2)}


def test_who_was_deposed_begins_where_it_is_cut_if_retention_had_deleted_that() -> None:
    """D4, D14: so does its segment, and what is written there again has not expired."""
    kinds = {"retentions": 1, "expiries": 1, "crashes": 1, "clean_restarts": 1, "foreign_appends": 1}
    spec = KafkaProducer(warm=1, pids=2, faults=9, **kinds, **ALONE)
    expired = ("shrink_isr(broker=1)", *written(0), "expire_producers(broker=0, partition=0)")
    away = after(spec, *expired, "delete_records(partition=0) choosing 1", "elect_uncleanly(broker=1) choosing 1")
    cut = after(spec, "restart_cleanly(broker=0) choosing False, 1", state=away)
    found = [(*tail(each), follower(each).log_start, each.base[0][0], each.expired[0][0]) for each in (away, cut)]
    assert found == [(1, 2, 2, 2, 2), (0, 0, 1, 1, 1)]


def test_who_expires_before_it_fetches_has_known_somebody_of_its_own_log() -> None:
    """D8, D9: nobody is brought back by a crash that has expired since."""
    kinds = {"retentions": 1, "expiries": 1, "crashes": 1, "foreign_appends": 1, "pids": 2}
    spec = KafkaProducer(warm=0, faults=9, **kinds, **ALONE)
    away = after(spec, "shrink_isr(broker=1)", *written(0), "elect_uncleanly(broker=1) choosing 0")
    expired = after(spec, "expire_producers(broker=0, partition=0) choosing True", state=away)
    assert [int(state.expired[0][0]) for state in (away, expired)] == [0, 1]


def test_a_batch_that_is_sent_again_keeps_the_epoch_of_its_partition() -> None:
    """C2.6: another partition has a new one."""
    spec = KafkaProducer(partitions=2, replicas=1, batches=2, invalid_records=1, disconnects=1, faults=2)
    sent = after(spec, "send(batch=0)", "send(batch=1)", "reject(broker=0, batch=0)", "read_answer(broker=0, batch=0)")
    bumped = after(spec, "disconnect(broker=0)", "start_loop(loop=0)", state=sent)
    again = after(spec, "send_again(batch=1)", state=bumped)
    assert (again.epoch, [entry.epoch for entry in again.partition], again.batch[1].epoch) == (1, [1, 0], 0)


def test_two_partitions_that_ask_for_a_bump_get_one() -> None:
    """C9.1."""
    spec = KafkaProducer(partitions=2, replicas=1, batches=2, invalid_records=2, faults=2)
    rejected = ("reject(broker=0, batch=0)", "reject(broker=0, batch=1)")
    read = ("read_answer(broker=0, batch=0)", "read_answer(broker=0, batch=1)")
    failed = after(spec, "send(batch=0)", "send(batch=1)", *rejected, *read)
    assert [state.epoch for state in (failed, after(spec, "start_loop(loop=0)", state=failed))] == [0, 1]


def test_a_partition_that_takes_the_new_epoch_with_its_next_batch_begins_afresh() -> None:
    """C9.4: what was acknowledged in the old one is of no use."""
    spec = KafkaProducer(partitions=2, replicas=1, batches=4, invalid_records=1, faults=1)
    acked = after(spec, "send(batch=1)", "handle(broker=0, batch=1)", "read_answer(broker=0, batch=1)")
    failed = after(spec, "send(batch=0)", "reject(broker=0, batch=0)", "read_answer(broker=0, batch=0)", state=acked)
    entries = [
        state.partition[1] for state in (failed, after(spec, "start_loop(loop=0)", "send(batch=3)", state=failed))
    ]
    assert [(e.epoch, e.next_sequence, e.last_acked) for e in entries] == [(0, 2, 1), (1, 1, -1)]


def test_a_pass_that_has_drained_sweeps_before_it_hears_of_a_lost_connection() -> None:
    """C1.7."""
    spec = KafkaProducer(replicas=1, batches=2, deadlines=1, disconnects=1, faults=2)
    late = after(spec, "send(batch=0)", "delivery_timeout(batch=0)")
    drained = after(spec, "send(batch=1)", state=late)
    assert [enabled(spec, state, "disconnect") for state in (late, drained)] == [[0], []]


def test_until_3_5_a_finished_batch_that_is_out_of_order_asks_for_a_bump_though_no_retry_is_left() -> None:
    """C6, C6.2; any other error of it does not."""
    kinds = {"retries": 0, "deadlines": 1, "refusals": 1}
    spec = KafkaProducer(generation="kafka-12152", replicas=1, batches=2, faults=2, **kinds)
    late = after(spec, "send(batch=0)", "send(batch=1)", "delivery_timeout(batch=1)", "expire_batches(sweep=0)")
    refused = after(spec, "refuse(broker=0, batch=0)", "read_answer(broker=0, batch=0)", state=late)
    told = after(spec, "handle(broker=0, batch=1)", "read_answer(broker=0, batch=1)", state=refused)
    assert [enabled(spec, state, "start_loop") for state in (refused, told)] == [[], [0]]


def test_a_client_of_today_bumps_where_a_broker_up_to_2_4_does_not_know_it() -> None:
    """C5.2: UNKNOWN_PRODUCER_ID is retried in the next epoch."""
    spec = KafkaProducer(broker_generation="2.4", replicas=1, batches=1, expiries=1, faults=1)
    unknown = after(spec, "expire_producers(broker=0, partition=0)", "send(batch=0)", "handle(broker=0, batch=0)")
    retried = after(spec, "read_answer(broker=0, batch=0)", state=unknown)
    bumped = after(spec, "start_loop(loop=0)", "send_again(batch=0)", "handle(broker=0, batch=0)", state=retried)
    assert [(each.epoch, each.sequence) for each in bumped.log[0].entries[:3]] == [(0, 0), (1, 0), (0, 0)]
    assert bumped.log[0].end == 2


def test_a_batch_that_was_renumbered_on_the_wire_is_sent_again_to_a_broker_that_does_not_know_it() -> None:
    """C5.1: UNKNOWN_PRODUCER_ID says nothing of its new epoch, so there is no further bump."""
    spec = KafkaProducer(broker_generation="2.4", replicas=1, batches=2, max_in_flight=2, expiries=1, faults=1)
    unknown = ("expire_producers(broker=0, partition=0)", "send(batch=0)", "send(batch=1)")
    answered = ("handle(broker=0, batch=0)", "handle(broker=0, batch=1)", "read_answer(broker=0, batch=0)")
    state = after(spec, *unknown, *answered, "start_loop(loop=0)", "read_answer(broker=0, batch=1)")
    assert [(batch.status, batch.sequence) for batch in state.batch] == [(RETRYING, 0), (RETRYING, 1)]
    assert (state.epoch, enabled(spec, state, "start_loop")) == (1, [])


def test_a_log_whose_records_are_all_deleted_has_held_some() -> None:
    """B4.1 of 4.5: whoever is not known there may go on where it was."""
    spec = KafkaProducer(generation="4.5", replicas=1, batches=1, retentions=1, expiries=1, faults=2)
    unknown = ("delete_records(partition=0)", "expire_producers(broker=0, partition=0)")
    state = after(spec, *unknown, "send(batch=0)", "handle(broker=0, batch=0)")
    assert (state.log[0].start, state.log[0].end, state.batch[0].outcome) == (1, 2, APPENDED)


def test_a_lost_connection_asks_for_a_bump_of_each_partition_whose_batch_is_too_late_for_a_retry() -> None:
    """C6.4."""
    spec = KafkaProducer(partitions=2, replicas=1, batches=2, deadlines=1, disconnects=1, faults=2)
    lost = after(spec, "send(batch=0)", "send(batch=1)", "delivery_timeout(batch=1)", "disconnect(broker=0)")
    assert [entry.epoch for entry in after(spec, "start_loop(loop=0)", state=lost).partition] == [1, 1]


def test_a_batch_that_was_held_back_is_swept_when_the_younger_one_loses_its_connection() -> None:
    """C7.1: it had been sent again to another broker, behind the younger one."""
    kinds = {"leader_changes": 1, "deadlines": 1, "disconnects": 1}
    spec = KafkaProducer(batches=2, faults=3, **kinds)
    moved = after(
        spec, "send(batch=0)", "send(batch=1)", "change_leader(broker=1) choosing 1", "learn_leader(broker=1)"
    )
    again = after(
        spec, "handle(broker=0, batch=0)", "read_answer(broker=0, batch=0)", "send_again(batch=0)", state=moved
    )
    held = after(spec, "delivery_timeout(batch=0)", "expire_batches(sweep=0)", state=again)
    lost = after(spec, "disconnect(broker=0)", state=held)
    assert [enabled(spec, state, "expire_batches") for state in (held, lost)] == [[], [0]]
    assert after(spec, "expire_batches(sweep=0)", state=lost).batch[0].status == UNKNOWN
