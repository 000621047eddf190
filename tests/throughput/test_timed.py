"""The timed run of the model against curves that were calculated by hand."""

from __future__ import annotations

import pytest

from everystate.model.throughput.plan import Case, Plan
from everystate.model.throughput.report import only_predicted
from everystate.model.throughput.timed import PLAIN, PROPOSED, TODAY, Delays, Producer, Timed

TRIP, SERVICE, REST = 0.100, 0.002, 0.004
AWAY = Delays(TRIP, SERVICE, REST)


def test_one_in_flight_waits_for_every_answer() -> None:
    run = Timed(Producer(3, 1, 5, TODAY), AWAY)
    cycle = TRIP + REST + SERVICE
    assert run.sent == pytest.approx([0, cycle, 2 * cycle])
    assert run.handled == pytest.approx([moment + (TRIP + REST) / 2 + SERVICE for moment in run.sent])
    assert run.read == pytest.approx([cycle, 2 * cycle, 3 * cycle])
    assert run.seconds == pytest.approx(3 * cycle)


@pytest.mark.parametrize(("generation", "most"), [(TODAY, 5), (PLAIN, 10), (PROPOSED, 10)])
def test_what_is_in_flight_shares_a_round_trip(generation: str, most: int) -> None:
    run = Timed(Producer(3 * most, most, most, generation), AWAY)
    assert run.sent[:most] == [0] * most
    assert run.seconds == pytest.approx(3 * (TRIP + REST + SERVICE) + (most - 1) * SERVICE)


def test_the_producer_of_today_and_the_proposed_one_with_a_window_of_five_have_five_in_flight() -> None:
    """K4: what is in flight of a partition stays within the limit, whatever max.in.flight says."""
    for producer in (Producer(20, 5, 5, TODAY), Producer(20, 10, 5, PROPOSED)):
        run = Timed(producer, AWAY)
        assert run.seconds == pytest.approx(4 * (TRIP + REST + SERVICE) + 4 * SERVICE)


def test_a_window_between_bounds_what_is_in_flight() -> None:
    run = Timed(Producer(16, 20, 8, PROPOSED), AWAY)
    assert run.seconds == pytest.approx(2 * (TRIP + REST + SERVICE) + 7 * SERVICE)


def test_a_broker_that_is_busy_is_the_limit() -> None:
    """Five requests take ten milliseconds of the broker, more than the round trip: it never waits."""
    run = Timed(Producer(20, 5, 5, TODAY), Delays(0.004, SERVICE))
    assert run.seconds == pytest.approx(0.004 + 20 * SERVICE)


def test_a_run_at_another_pace_has_its_steps_in_common_with_the_first() -> None:
    producer = Producer(10, 5, 5, TODAY)
    first = Timed(producer, AWAY).seconds
    known = len(producer._known)
    again = Timed(producer, Delays(2 * TRIP, SERVICE, REST)).seconds
    assert len(producer._known) == known
    assert again == pytest.approx(first + 2 * TRIP)


def test_the_prediction_for_a_broker_of_two_milliseconds() -> None:
    plan = Plan(trips=(100,), in_flight=(1, 5, 10), rounds=4, still=10)
    result = only_predicted(plan, Delays(0.0, SERVICE), lambda line: None)
    rates = {row.case: row.predicted for row in result.rows if row.case.trip}
    expected = {1: 4 / (4 * 0.102), 5: 20 / (4 * 0.102 + 0.008), 10: 40 / (4 * 0.102 + 0.018)}
    assert rates == {
        Case("producer", 1, 100): pytest.approx(expected[1]),
        Case("producer", 5, 100): pytest.approx(expected[5]),
        **{Case("raw", most, 100): pytest.approx(rate) for most, rate in expected.items()},
    }
    still = {row.case.in_flight: row.predicted for row in result.rows if row.case.trip == 0}
    assert still == {1: pytest.approx(500), 5: pytest.approx(500), 10: pytest.approx(500)}
