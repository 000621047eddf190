"""What is told of a measurement: paces, the table, the picture, the data."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import pytest

from everystate.model.throughput import heap
from everystate.model.throughput.measure import Outcome
from everystate.model.throughput.picture import draw
from everystate.model.throughput.plan import NOT_IDEMPOTENT, RAW, REAL, Case, Plan
from everystate.model.throughput.report import Result, as_json, compare, lines_of, only_predicted, pace
from everystate.model.throughput.timed import Delays

PLAN = Plan(trips=(100,), in_flight=(1, 5), rounds=2, repeats=3, still=10)


def outcome() -> Outcome:
    """Ten batches take 40 ms alone and 20 ms together; over 100 ms there is one slow run."""
    found = Outcome()
    for case in PLAN.cases():
        still = [0.04] * 3 if case.in_flight == 1 else [0.02] * 3
        found.seconds[case] = still if case.trip == 0 else [0.25, 0.21, 0.5]
    return found


@pytest.fixture
def result() -> Result:
    return compare(PLAN, "4.4.0", outcome(), lambda line: None)


def test_the_cases_are_those_that_a_client_can_do() -> None:
    plan = Plan(trips=(150, 10), in_flight=(10, 5))
    assert [case.trip for case in plan.cases() if (case.client, case.in_flight) == (RAW, 10)] == [0, 10, 150]
    assert [plan.of(client) for client in (REAL, NOT_IDEMPOTENT, RAW)] == [[1, 5], [1, 5, 10], [1, 5, 10]]
    assert [plan.batches(Case(RAW, 10, 150)), plan.batches(Case(RAW, 10, 0)), plan.batches(Case(RAW, 20, 0))] == [
        50,
        60,
        100,
    ]
    assert [plan.remembered(5), plan.remembered(20), Plan(window=8).remembered(20)] == [5, 20, 8]


def test_a_pace_is_taken_from_runs_without_a_round_trip() -> None:
    found = pace(PLAN, REAL, outcome())
    assert [found.trip, found.service, found.rest] == [0.0, pytest.approx(0.002), pytest.approx(0.002)]


def test_rates_are_medians_beside_predictions(result: Result) -> None:
    row = next(row for row in result.rows if row.case == Case(RAW, 5, 100))
    assert [row.batches, row.measured] == [10, pytest.approx((40, 10 / 0.21, 20))]
    assert row.rate == 40
    assert row.predicted == pytest.approx(10 / (2 * (0.1 + 0.004) + 4 * 0.002))


def test_the_table(result: Result) -> None:
    lines = list(lines_of(result))
    assert lines[:4] == [
        "Kafka 4.4.0: one broker, acks=all, batches of 16384 bytes, 3 runs of each",
        "producer: a batch without a round trip takes 2.00 ms of service, 2.00 ms besides",
        "not idempotent: a batch without a round trip takes 2.00 ms of service, 2.00 ms besides",
        "raw: a batch without a round trip takes 2.00 ms of service, 2.00 ms besides",
    ]
    assert lines[-3:-1] == [
        "",
        "raw                 1 100 ms        8.0       (4.0 to 9.5)     9.6     1.00   1.00   1.0",
    ]
    assert lines[-1] == "raw                 5 100 ms       40.0     (20.0 to 47.6)    46.3     5.00   4.81   4.9"


def test_a_measurement_that_was_interrupted_has_the_cases_until_then() -> None:
    cut = outcome()
    cut.seconds = {case: runs for case, runs in cut.seconds.items() if case.trip == 0 and case.client == REAL}
    found = compare(PLAN, "4.4.0", cut, lambda line: None)
    assert [row.case for row in found.rows] == [Case(REAL, 1, 0), Case(REAL, 5, 0)]
    assert compare(PLAN, "4.4.0", Outcome(), lambda line: None).rows == []


def test_the_picture_has_a_line_for_each_round_trip_and_a_mark_for_each_median(result: Result) -> None:
    root = ElementTree.fromstring(draw(result))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}polyline")) == 2 * 2
    titles = [title.text or "" for title in root.iter(f"{space}title")]
    assert titles[0] == "Throughput of one producer, batches of 16384 bytes, Kafka 4.4.0"
    assert titles.count("raw: 40.0 batches/s") == 1
    assert titles.count("raw: 5.00") == 1
    assert len([title for title in titles if title.endswith("batches/s")]) == len(result.rows)
    assert [title for title in titles if title.startswith("KIP-1269: ")] == ["KIP-1269: 1.0", "KIP-1269: 4.9"]


def test_a_prediction_is_drawn_without_marks() -> None:
    plan = Plan(trips=(100,), in_flight=(1, 5), rounds=1, still=5)
    result = only_predicted(plan, Delays(0.0, 0.002), lambda line: None)
    root = ElementTree.fromstring(draw(result))
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == "Throughput of one producer, batches of 16384 bytes, as the model predicts it"
    assert set(titles[1:]) == {"KIP-1269: 1.0", "KIP-1269: 4.9", "KIP-1269"}


def test_the_data(result: Result) -> None:
    data = json.loads(json.dumps(as_json(result)))
    assert (data["kafka"], data["kip_1269"]) == ("4.4.0", {"1": 1.0, "5": 4.9, "10": 9.3})
    assert data["plan"]["trips"] == [100]
    assert [set(row) for row in data["rows"]] == [
        {"client", "in_flight", "trip", "batches", "measured", "predicted"}
    ] * 12


# -- memory --------------------------------------------------------------------------------------------------


def test_arrays_of_a_deque() -> None:
    """17 references in 16 + 68 bytes, rounded up; a seventeenth batch makes it 36 references."""
    assert [heap.slots(batches) for batches in (5, 16, 17, 20, 35, 36)] == [17, 17, 36, 36, 36, 74]
    assert [heap.array(17), heap.array(36)] == [88, 160]


def test_what_a_producer_weighs() -> None:
    grown = dict.fromkeys(heap.OF_PRODUCERS, (0, 0))
    grown[heap.BATCH] = 50, 50 * 40
    grown[heap.ENTRY] = 10, 10 * 48
    grown["java.lang.Double"] = 1000, 24000
    [weight] = heap.weights(heap.HeapUse({10: grown}))
    assert (weight.producers, weight.batch, weight.producer) == (10, 40, 248)
    assert weight.of_twenty == 248 + 15 * 40 + 160 - 88
    assert set(weight.classes) == set(heap.OF_PRODUCERS)
