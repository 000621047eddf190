"""Workers that share a store: whatever their number and timing, the result is the same."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive, store
from everystate.checker.engines.explicit.part_tables import OutOfRoom
from everystate.checker.engines.explicit.rendezvous import Rendezvous
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer


def facts(result: Any) -> Any:
    violations = [(v.property, v.states, v.trace.length, v.trace.states) for v in result.violations]
    return result.distinct, result.generated, result.depth, result.coverage, violations


@pytest.mark.parametrize("chunk", [4, 300])
def test_a_crowd_finds_what_one_finds(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2, bumps=1, leader_changes=1)
    traced = model.build(spec)
    one = facts(exhaustive.check(traced))
    assert one[0] == 155_179
    monkeypatch.setattr(exhaustive, "CHUNK", chunk)
    for workers in (2, 3, 8):
        assert facts(exhaustive.check(traced, Limits(workers=workers))) == one


def test_a_table_that_several_threads_divide_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WORTH_SHARING", 1)
    spec = IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2, bumps=1, leader_changes=1)
    assert exhaustive.check(model.build(spec), Limits(workers=3)).distinct == 155_179


@pytest.mark.parametrize("workers", [1, 3])
def test_a_table_that_cannot_double_is_filled_further(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """155,179 states are more than half of 2^18"""
    spec = IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2, bumps=1, leader_changes=1)
    one = facts(exhaustive.check(model.build(spec)))
    monkeypatch.setattr(store, "FULL", 0.5)
    monkeypatch.setattr(store, "MAX_BITS", 18)
    search = exhaustive.Exhaustive(model.build(spec), Limits(workers=workers))
    assert facts(search.run()) == one and search.store.bits == 18


def test_a_table_that_is_full_says_what_stores_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_BITS", 16)
    spec = IdempotentProducer(batches=8, max_sends=4, resets=3, bumps=1, leader_changes=1)
    result = exhaustive.check(model.build(spec))
    said = "one process stores at most 62,259 states (--spill DIR or --engine spark stores more)"
    assert result.stopped == said and 0.94 * (1 << 16) < result.distinct <= 62_259


def test_the_memory_limit_stops_a_crowd_and_keeps_what_was_found() -> None:
    spec = IdempotentProducer(batches=8, max_sends=4, resets=3, bumps=1, leader_changes=1)
    limits = Limits(workers=3, max_memory=8 << 20)
    search = exhaustive.Exhaustive(model.build(spec), limits)
    result = search.run()
    assert result.stopped.startswith("the memory limit of 8.0 MiB is reached (")
    ranges = [*(r for level in search.levels for r in level), *search.unfinished]
    states = search.store.rows(ranges)
    assert len(states) == result.distinct > 50_000
    assert len({tuple(row) for row in states.tolist()}) == result.distinct


@pytest.mark.parametrize("moment", ["_trade_up", "open_level"])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_between_two_levels_counts_no_level_twice(
    moment: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """the levels before are whole, and none is taken for one that was not completed"""
    monkeypatch.setattr(exhaustive, "CHUNK", 4)
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    search = exhaustive.Exhaustive(model.build(IdempotentProducer()), Limits(workers=workers))
    done = getattr(search, moment)

    def interrupted(*given: Any) -> Any:
        if len(search.levels) == 9:
            raise KeyboardInterrupt
        return done(*given)

    monkeypatch.setattr(search, moment, interrupted)
    result = search.run()
    states = search.store.rows([*(r for level in search.levels for r in level), *search.unfinished])
    assert (result.interrupted, result.depth, result.stopped) == (True, 9, "interrupted")
    assert len({tuple(row) for row in states.tolist()}) == len(states) == result.distinct


def test_ranges_leave_out_holes() -> None:
    assert store.without(10, 50, [(40, 50), (12, 20)]) == [(10, 12), (20, 40)]
    assert store.without(10, 50, [(20, 20), (50, 50)]) == [(10, 50)]
    assert store.without(10, 10, []) == []
    assert list(store.pieces([(0, 5), (7, 8)], 2)) == [(0, 2), (2, 4), (4, 5), (7, 8)]


def test_shares_get_smaller_towards_the_end() -> None:
    assert list(store.shares([(0, 100), (200, 300)], 4, 2)) == [
        *[(0, 25), (25, 46), (46, 65), (65, 81), (81, 95), (95, 100)],
        *[(200, 212), (212, 223), (223, 232), (232, 240), (240, 247), (247, 253), (253, 258), (258, 263), (263, 267)],
        *[(at, min(at + 4, 300)) for at in range(267, 300, 4)],
    ]
    assert next(store.shares([(0, 10**6)], 4, 2)) == (0, 64)
    assert list(store.shares([], 4, 2)) == []


def test_whoever_meets_last_acts_for_all() -> None:
    acted: list[str] = []
    meeting = Rendezvous(3, lambda: acted.append(threading.current_thread().name))
    threads = [threading.Thread(target=meeting.wait) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert acted == []
    meeting.leave()
    for thread in threads:
        thread.join()
    assert len(acted) == 1


def test_a_failure_at_a_meeting_reaches_all_who_wait() -> None:
    def fail() -> None:
        raise OutOfRoom

    failures: list[type] = []

    def member() -> None:
        try:
            meeting.wait()
        except OutOfRoom as failure:
            failures.append(type(failure))

    meeting = Rendezvous(2, fail)
    threads = [threading.Thread(target=member) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [OutOfRoom, OutOfRoom]
