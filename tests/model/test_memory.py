"""What a replica remembers after a restart, a truncation and an expiry, step by step (D4 to D9)."""

from __future__ import annotations

from typing import Any

from everystate import check
from everystate.checker import State
from everystate.model import KafkaProducer
from everystate.model.conformance.model_side import ModelSide
from everystate.specs.kafka.rare import BY_NAME

WRITTEN = ("send(batch={0})", "handle(broker=0, batch={0})")


def after(spec: KafkaProducer, *labels: str, state: State | None = None) -> State:
    """The state after the steps of these labels, from a state or from the first one."""
    state = state or spec.initial_states()[0]
    for wanted in labels:
        [state] = [step.state for step in spec.successors(state) if step.label == wanted]
    return state


def written(*batches: int) -> list[str]:
    """The steps that write batches."""
    return [step.format(batch) for batch in batches for step in WRITTEN]


def remembered(spec: KafkaProducer, state: State, broker: int) -> list[int]:
    """The offsets of what a replica remembers."""
    rows: list[dict[str, Any]] = spec._shown(state)[f"broker {broker}"]["remembers"]
    return [row["offset"] for row in rows]


def environment(**constants: Any) -> KafkaProducer:
    """A warm log, three batches in flight, and more faults than the steps spend."""
    return KafkaProducer(max_in_flight=3, faults=6, **constants)


def test_a_crash_restart_leaves_one_batch_as_a_clean_one_does() -> None:
    spec = environment(replicas=1, crashes=2, clean_restarts=2)
    assert remembered(spec, after(spec, *written(0, 1, 2)), 0) == [0, 1, 2, 3]
    for restart in ("restart_after_crash(broker=0)", "restart_cleanly(broker=0)"):
        assert remembered(spec, after(spec, *written(0, 1, 2), restart), 0) == [3]


def test_a_truncation_replays_the_whole_log_where_there_is_no_snapshot() -> None:
    spec = environment(leader_changes=3)
    state = after(spec, *written(0, 1, 2), "change_leader(broker=1) choosing 3")
    assert remembered(spec, state, 1) == [0, 1, 2] == remembered(spec, state, 0)


def test_a_truncation_loads_the_last_batch_below_a_roll_and_replays_what_lies_behind_it() -> None:
    spec = environment(leader_changes=3, rolls=1)
    roll = "roll(broker=0, partition=0)"
    state = after(spec, *written(0), roll, *written(1, 2), "change_leader(broker=1) choosing 3")
    assert remembered(spec, state, 0) == [1, 2]
    state = after(spec, *written(0, 1, 2), roll, "change_leader(broker=1) choosing 3")
    assert remembered(spec, state, 0) == [0, 1, 2]  # the snapshot lay behind the cut, and is gone


def test_a_power_cut_takes_the_end_of_the_log_and_leaves_one_batch() -> None:
    """D17: what was acknowledged, too; the producer is known by what is left of its records."""
    spec = environment(replicas=1, power_cuts=2)
    written_ = after(spec, *written(0, 1, 2))
    cut = after(spec, "lose_power(broker=0, partition=0, end=3)", state=written_)
    assert (cut.log[0].end, remembered(spec, cut, 0)) == (3, [2])
    assert remembered(spec, after(spec, "lose_power(broker=0, partition=0, end=0)", state=cut), 0) == []


def test_a_power_cut_does_not_bring_an_expired_producer_back() -> None:
    """D8: what a crash leaves of its records is too old."""
    spec = environment(replicas=1, power_cuts=2, expiries=1)
    steps = (*written(0), "expire_producers(broker=0, partition=0)", *written(1, 2))
    lost_one = after(spec, *steps, "lose_power(broker=0, partition=0, end=3)")
    assert (lost_one.log[0].end, remembered(spec, lost_one, 0)) == (3, [2])
    lost_both = after(spec, *steps, "lose_power(broker=0, partition=0, end=2)")
    assert (lost_both.log[0].end, remembered(spec, lost_both, 0)) == (2, [])


def test_a_leader_that_crashed_and_lost_its_tail_replays_its_log() -> None:
    spec = environment(leader_crashes=3)
    state = after(spec, *written(0, 1, 2), "crash_leader(broker=1) choosing 3")
    assert remembered(spec, state, 0) == [0, 1, 2]
    state = after(spec, *written(0, 1, 2), "crash_leader(broker=1) choosing 4")
    assert remembered(spec, state, 0) == [3]


def test_a_truncation_brings_an_expired_producer_back_unless_nobody_was_known() -> None:
    spec = environment(leader_changes=3, expiries=2, rolls=1)
    expiry, election = "expire_producers(broker=0, partition=0)", "change_leader(broker=1) choosing 3"
    state = after(spec, *written(0), expiry, *written(1, 2), election)
    assert remembered(spec, state, 0) == [0, 1, 2]
    state = after(spec, *written(0, 1, 2), expiry, "change_leader(broker=1) choosing 3")
    assert remembered(spec, state, 0) == []


def test_a_row_of_a_producer_that_expired_is_not_loaded() -> None:
    spec = environment(leader_changes=3, expiries=2, rolls=1)
    steps = (*written(0), "roll(broker=0, partition=0)", "expire_producers(broker=0, partition=0)", *written(1, 2))
    assert remembered(spec, after(spec, *steps, "change_leader(broker=1) choosing 3"), 0) == [2]
    steps = (*written(0), "roll(broker=0, partition=0)", *written(1, 2))
    assert remembered(spec, after(spec, *steps, "change_leader(broker=1) choosing 3"), 0) == [1, 2]


def test_what_a_follower_remembers_is_not_told_once_no_fault_is_left_to_make_it_lead() -> None:
    spec = KafkaProducer(leader_changes=1)
    state = after(spec, "change_leader(broker=1) choosing 1")
    tables = spec._shown(state)
    assert "remembers" in tables["broker 1"] and "remembers" not in tables["broker 0"]


def test_a_truncation_finds_the_snapshot_of_an_older_roll() -> None:
    spec = environment(leader_changes=3, rolls=2)
    roll = "roll(broker=0, partition=0)"
    steps = (*written(0, 1), roll, *written(2), roll, "change_leader(broker=1) choosing 3")
    assert remembered(spec, after(spec, *steps), 0) == [2]


def test_a_truncation_finds_the_snapshot_of_a_restart_below_that_of_a_truncation() -> None:
    spec = environment(replicas=2, leader_changes=6, clean_restarts=1)
    lead, follow = "change_leader(broker=1)", "change_leader(broker=0)"
    restarted = (
        "send(batch=0)",
        "handle(broker=0, batch=0)",
        "read_answer(broker=0, batch=0)",
        "restart_cleanly(broker=1) choosing 2",
        "rejoin(broker=1)",
    )
    steps = (*restarted, f"{lead} choosing 2", "learn_leader(broker=1)", "send(batch=1)", "handle(broker=1, batch=1)")
    assert remembered(spec, after(spec, *steps), 1) == [1, 2]
    cut = after(spec, *steps, f"{follow} choosing 2")
    assert remembered(spec, cut, 1) == [1]


def test_a_restart_drops_the_snapshots_that_no_segment_begins_with() -> None:
    spec = environment(leader_changes=4, leader_crashes=2, clean_restarts=2, rolls=1, crashes=1)
    stray = (
        "send(batch=0)",
        "handle(broker=0, batch=0)",
        "read_answer(broker=0, batch=0)",
        "restart_cleanly(broker=1) choosing 2",
        "rejoin(broker=1)",
    )
    steps = (
        *stray,
        "change_leader(broker=1) choosing 2",
        "learn_leader(broker=1)",
        *(step for b in (1, 2) for step in (f"send(batch={b})", f"handle(broker=1, batch={b})")),
    )
    state = after(spec, *steps)
    assert [bool(marked) for marked in state.replica[0][1].snapshots] == [at == 2 for at in range(7)]
    crashed = after(spec, *steps, "crash_leader(broker=0) choosing 3")
    assert [at for at, marked in enumerate(crashed.replica[0][1].snapshots) if marked] == [3]
    assert remembered(spec, crashed, 1) == [0, 1, 2]
    cut = after(spec, *steps, "change_leader(broker=0) choosing 3")
    assert [at for at, marked in enumerate(cut.replica[0][1].snapshots) if marked] == [2, 3]
    assert remembered(spec, cut, 1) == [1, 2]


def test_a_crash_brings_back_a_producer_whose_records_are_deleted_from_the_snapshot_of_a_roll() -> None:
    spec = environment(replicas=1, retentions=1, rolls=1, crashes=1, pids=2, foreign_appends=1)
    deleted = (*written(0), "delete_records(partition=0)", "append_foreign(partition=0)")
    crash = "restart_after_crash(broker=0)"
    assert remembered(spec, after(spec, *deleted, crash), 0) == [2]
    assert remembered(spec, after(spec, *deleted, "roll(broker=0, partition=0)", crash), 0) == [1, 2]


def test_a_batch_of_an_old_epoch_that_was_let_in_parts_those_before_it_from_those_behind() -> None:
    """B5: ProducerStateEntry clears its batches at every change of the epoch, also to a lower one (a replayed log)."""
    behaviour = BY_NAME["an old epoch that was let in behind an expiry is the newest one of a log that is replayed"]
    spec = KafkaProducer(**behaviour.constants)
    side = ModelSide(spec)
    for turn in behaviour.turns[:17]:
        step = side.step_of(turn)
        assert step is not None
        side.take(step)
    log = side.state.log[0]
    assert [(log.entries[at].batch, log.entries[at].epoch) for at in range(log.end)] == [(0, 0), (1, 1), (0, 0)]
    assert [remembered(spec, side.state, broker) for broker in (0, 1)] == [[2], [2]]


def follower(state: State) -> Any:
    """What the state has of the follower, where there are two replicas."""
    return state.replica[0][1 - state.leader]


def starts(spec: KafkaProducer, state: State, action: str) -> list[tuple[int, int, int]]:
    """Where the log of the leader begins and ends, and where that of the other replica begins, after an action."""
    found = [step.state for step in spec.successors(state) if str(step.action) == action]
    return [(each.log[0].start, each.log[0].end, follower(each).log_start) for each in found]


def test_a_follower_that_is_elected_uncleanly_has_what_retention_has_deleted_at_the_leader() -> None:
    """D14; the old leader's log is cut below its start, and begins where it ends (D4), or is copied afresh (D12)."""
    spec = KafkaProducer(warm=1, isr_shrinks=1, retentions=1, unclean_elections=1, crashes=1, faults=4)
    behind = after(spec, "shrink_isr(broker=1)", *written(0, 1), "delete_records(partition=0) choosing 2")
    assert (behind.log[0].start, behind.log[0].end, follower(behind).log_start) == (3, 3, 0)
    assert starts(spec, behind, "elect_uncleanly(broker=1)") == [(0, 2, 2), (3, 3, 3)]
    far_behind = after(spec, "shrink_isr(broker=1)", *written(0, 1), "delete_records(partition=0) choosing 1")
    assert starts(spec, far_behind, "elect_uncleanly(broker=1)") == [(0, 1, 1), (3, 3, 3)]  # 2 is nowhere to be fetched
    caught_up = after(spec, "shrink_isr(broker=1)", *written(0, 1), "delete_records(partition=0) choosing 3")
    assert starts(spec, caught_up, "elect_uncleanly(broker=1)") == [(3, 3, 3), (0, 3, 3)]


def test_a_follower_in_sync_hears_of_the_log_start_with_the_next_fetch() -> None:
    """D14: with what it fetches, or before; until then it has its own."""
    spec = KafkaProducer(warm=1, retentions=1, leader_changes=2, clean_restarts=1, faults=4)
    acked = (*written(0), "read_answer(broker=0, batch=0)")
    deleted = after(spec, *acked, "delete_records(partition=0)")
    assert starts(spec, deleted, "change_leader(broker=1)") == [(2, 2, 2), (0, 2, 2)]
    more = after(spec, *acked, "delete_records(partition=0)", *written(1))
    assert starts(spec, more, "change_leader(broker=1)") == [(2, 2, 2), (0, 2, 2), (2, 3, 2), (2, 3, 2)]


def test_who_has_to_copy_a_log_afresh_knows_nobody_whose_records_are_deleted() -> None:
    """D12: a follower that ends below the leader's log start throws away its log and what it knows of producers."""
    spec = KafkaProducer(warm=1, isr_shrinks=1, retentions=1, leader_changes=1, faults=3)
    out = ("shrink_isr(broker=1)", *written(0), "delete_records(partition=0) choosing {}", "rejoin(broker=1)")
    for end, known in ((1, []), (2, [0, 1])):
        state = after(spec, *(step.format(end) for step in out))
        assert (remembered(spec, state, 0), remembered(spec, state, 1)) == ([0, 1], known)


def test_only_requests_to_the_leader_outlive_their_connection() -> None:
    """B7: a broker that does not lead refuses them (B1.2), and nobody reads that."""
    spec = KafkaProducer(disconnects=1, leader_changes=1, survivors=1, faults=2)
    sent = after(spec, "send(batch=0)")
    [changed, *_] = [step.state for step in spec.successors(sent) if str(step.action) == "change_leader(broker=1)"]
    handled = after(spec, *written(0))
    for state, survivors in ((sent, [0, 1]), (changed, [0]), (handled, [0])):
        lost = [step.state for step in spec.successors(state) if str(step.action) == "disconnect(broker=0)"]
        assert [len(each.surviving) for each in lost] == survivors


def test_what_a_broker_has_not_executed_when_it_stops_it_never_does() -> None:
    """B7: the requests of a closed connection lie in the process."""
    lost = ("send(batch=0)", "disconnect(broker=0) choosing 1")
    for stop in ("restart_cleanly(broker=0)", "restart_after_crash(broker=0)"):
        spec = KafkaProducer(replicas=1, disconnects=1, clean_restarts=1, crashes=1, survivors=1, faults=2)
        assert len(after(spec, *lost).surviving) == 1
        assert len(after(spec, *lost, stop).surviving) == 0
    spec = KafkaProducer(disconnects=1, clean_restarts=1, survivors=1, faults=2)
    assert len(after(spec, *lost, "restart_cleanly(broker=1) choosing 1").surviving) == 1


def test_a_request_that_outlives_its_connection_is_refused_like_any_other() -> None:
    """B1.3: nothing is appended while too few are in sync; with acks = 1 nobody asks that."""
    for acks, end in (("all", 1), ("1", 2)):
        spec = KafkaProducer(acks=acks, min_insync=2, isr_shrinks=1, disconnects=1, survivors=1, faults=2)
        steps = ("send(batch=0)", "disconnect(broker=0) choosing 1", "shrink_isr(broker=1)")
        state = after(spec, *steps, "handle_survivor(broker=0, batch=0)")
        assert state.log[0].end == end


def test_the_state_has_of_who_is_in_sync_and_what_they_have_what_an_answer_waits_for() -> None:
    """B1.3, B6.7: only with acks = all an answer waits, or is an error since too few are in sync."""
    for acks, waits in (("all", True), ("1", False), ("0", False)):
        idempotent = {} if acks == "all" else {"generation": "non-idempotent"}
        spec = KafkaProducer(acks=acks, min_insync=2, isr_shrinks=1, leader_changes=1, **idempotent)
        assert (spec.always_in_sync_asked, spec.refuses_later) == (waits, waits)


def test_while_too_few_are_in_sync_only_what_the_follower_has_is_deleted() -> None:
    """B6.1, KAFKA-15583: from 3.7 on the high watermark stands then, and retention deletes nothing above it."""
    environment = {"min_insync": 2, "isr_shrinks": 1, "retentions": 1, "leader_changes": 1, "faults": 3}
    for generation, ends in (("current", [2]), ("kafka-12152", [1, 2]), ("2.4", [1, 2])):
        spec = KafkaProducer(generation=generation, **environment)
        steps = spec.successors(after(spec, *written(0), "shrink_isr(broker=1) choosing False"))
        deleted = [step.state for step in steps if step.action.name == "delete_records"]
        assert [int(follower(state).replicated) for state in deleted] == ends
    assert check(KafkaProducer(batches=1, max_in_flight=1, **environment)).verdict == "PROVED"


def test_a_segment_that_begins_at_the_log_start_is_all_that_recovery_reads() -> None:
    """D6, B1.7: the one before it reaches below the log start, and is not the newest any more."""
    spec = environment(warm=0, pids=2, retentions=1, leader_changes=1, foreign_appends=1, rolls=1, crashes=1)
    led = (*written(0), "delete_records(partition=0) choosing False", "change_leader(broker=1) choosing 1, True")
    out = after(spec, *led)
    assert [int(out.base[0][broker]) for broker in (0, 1)] == [1, 0]
    assert int(after(spec, "roll(broker=1, partition=0)", state=out).base[0][1]) == 1


def test_the_answer_to_a_duplicate_of_what_is_deleted_has_left() -> None:
    """B6.2: the high watermark had passed it, so no election and no timeout makes an error of it."""
    spec = KafkaProducer(batches=1, retentions=1, disconnects=1, leader_changes=1, late_errors=1, faults=4)
    again = ("disconnect(broker=0)", "send_again(batch=0)", "handle(broker=0, batch=0)")
    for deleted, outcome, late in ((("delete_records(partition=0)",), "NONE", 0), ((), "appended", 1)):
        state = after(spec, *written(0), *deleted, *again)
        assert str(state.batch[0].outcome) == outcome
        steps = [step for step in spec.successors(state) if step.action.name == "answer_late"]
        assert len(steps) == late
