"""Compares measurements with the model's predictions: rows, and a table of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .measure import Outcome
from .plan import GENERATIONS, RAW, REAL, Case, Plan
from .timed import Delays, Producer, Timed

CLAIMED = {1: 1.0, 5: 4.9, 10: 9.3}
"""KIP-1269's own table: throughput across regions by max.in.flight.requests.per.connection, relative to one."""


@dataclass(frozen=True)
class Row:
    """Batches per second of a case: of each run, and as predicted. Without measurements: predicted only."""

    case: Case
    batches: int
    measured: tuple[float, ...]
    predicted: float

    @property
    def rate(self) -> float:
        """The median of the measurements."""
        return statistics.median(self.measured)


@dataclass
class Result:
    """All rows; `paces` has the times without a round trip on which each client's prediction is based."""

    plan: Plan
    kafka: str
    paces: dict[str, Delays]
    rows: list[Row] = field(default_factory=list)

    def relative(self, row: Row, of: Callable[[Row], float]) -> float:
        """A rate by that of the same client with one in flight over the same round trip."""
        alone = Case(row.case.client, 1, row.case.trip)
        return of(row) / of(next(each for each in self.rows if each.case == alone))


def pace(plan: Plan, client: str, outcome: Outcome) -> Delays:
    """The pace of a client and its broker without a round trip.

    The service is the time for a batch when as many are in flight as help; the rest is the additional time for a batch
    alone: both ways through the proxy, and the client's own time.
    """
    still = {most: _batch(plan, Case(client, most, 0), outcome) for most in plan.of(client)}
    service = min(still.values())
    return Delays(0.0, service, max(0.0, still[1] - service))


def _batch(plan: Plan, case: Case, outcome: Outcome) -> float:
    return statistics.median(outcome.seconds[case]) / plan.batches(case)


def predicted(plan: Plan, paces: Mapping[str, Delays], notify: Callable[[str], None]) -> dict[Case, float]:
    """The rate of each case, by timed runs of the model."""
    producers: dict[tuple[str, int, int], Producer] = {}
    found = {}
    for case in plan.cases():
        if case.client not in paces:
            continue
        notify(f"predicting: {case.client}, {case.in_flight} in flight, {case.trip} ms")
        batches, window = plan.batches(case), plan.remembered(case.in_flight)
        key = case.client, case.in_flight, batches
        if key not in producers:
            producers[key] = Producer(batches, case.in_flight, window, GENERATIONS[case.client])
        alone = paces[case.client]
        found[case] = batches / Timed(producers[key], Delays(case.trip / 1000, alone.service, alone.rest)).seconds
    return found


def compare(plan: Plan, kafka: str, outcome: Outcome, notify: Callable[[str], None]) -> Result:
    """Compare measurements with their predictions; cases that were not run before an interrupt are left out."""
    clients = [name for name in GENERATIONS if all(Case(name, n, 0) in outcome.seconds for n in plan.of(name))]
    result = Result(plan, kafka, {name: pace(plan, name, outcome) for name in clients})
    rates = predicted(plan, result.paces, notify)
    for case, seconds in outcome.seconds.items():
        if case in rates:
            batches = plan.batches(case)
            result.rows.append(Row(case, batches, tuple(batches / each for each in seconds), rates[case]))
    return result


def only_predicted(plan: Plan, alone: Delays, notify: Callable[[str], None]) -> Result:
    """The prediction for a broker of this pace: the producer of today, and the one that KIP-1269 proposes."""
    paces = dict.fromkeys((REAL, RAW), alone)
    rates = predicted(plan, paces, notify)
    return Result(plan, "", paces, [Row(case, plan.batches(case), (), rate) for case, rate in rates.items()])


# -- as text -------------------------------------------------------------------------------------------------


def lines_of(result: Result) -> Iterator[str]:
    """The table, and the data it was made of."""
    plan = result.plan
    if result.kafka:
        yield f"Kafka {result.kafka}: one broker, acks=all, batches of {plan.size} bytes, {plan.repeats} runs of each"
        yield from _paces(result)
        yield ""
        yield f"{'':28}   {'batches/s':^34}   times one in flight"
    head = [f"{'client':14} {'flight':>6} {'trip':>6}"]
    head += [f"{'median':>8} {'(min to max)':>18} {'model':>7}", f"{'median':>6}"] if result.kafka else ["batches/s"]
    yield f"{'   '.join(head)} {'model':>6} {'KIP':>5}"
    last = None
    for row in result.rows:
        if last not in (None, (row.case.client, row.case.trip)):
            yield ""
        last = row.case.client, row.case.trip
        yield _line(result, row)


def _paces(result: Result) -> Iterator[str]:
    for client, each in result.paces.items():
        what = f"{each.service * 1000:.2f} ms of service, {each.rest * 1000:.2f} ms besides"
        yield f"{client}: a batch without a round trip takes {what}"


def _line(result: Result, row: Row) -> str:
    case = row.case
    parts = [f"{case.client:14} {case.in_flight:>6} {case.trip:>3} ms"]
    if result.kafka:
        spread = f"({min(row.measured):.1f} to {max(row.measured):.1f})"
        parts.append(f"{row.rate:>8.1f} {spread:>18} {row.predicted:>7.1f}")
        parts.append(f"{result.relative(row, lambda each: each.rate):>6.2f}")
    else:
        parts.append(f"{row.predicted:>9.1f}")
    claim = f"{CLAIMED[case.in_flight]:.1f}" if case.trip and case.in_flight in CLAIMED else ""
    model = result.relative(row, lambda each: each.predicted)
    return f"{'   '.join(parts)} {model:>6.2f} {claim:>5}".rstrip()


# -- as data -------------------------------------------------------------------------------------------------


def as_json(result: Result) -> dict[str, Any]:
    """A result as plain data."""
    return {
        "kafka": result.kafka or None,
        "plan": asdict(result.plan),
        "paces": {client: {"service": each.service, "rest": each.rest} for client, each in result.paces.items()},
        "kip_1269": {str(most): times for most, times in CLAIMED.items()},
        "rows": [
            {**asdict(row.case), "batches": row.batches, "measured": list(row.measured), "predicted": row.predicted}
            for row in result.rows
        ],
    }
