"""Bounded and inductive proofs with z3 against the exhaustive search: the tables of docs/how-to/proofs.md.

python bench/proofs.py [bounded|encodings|inductive|kafka|open|decide|beyond ...]    (all of them: about an hour)

The last part is one of Kafka and fills 16 GiB of memory; the first ones are of the peer model.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from everystate.checker.backends.smt import BITS, INTEGERS
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symbolic import attempt, bounded, decide, inductive, parametric
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.results.result import Result
from everystate.model import KafkaProducer
from everystate.specs import registry
from everystate.specs.idem_producer import IdempotentProducer
from everystate.specs.kafka.state import on_independent_partitions

PATIENCE = 300.0


def producer(window: int, in_flight: int, **more: int) -> IdempotentProducer:
    """The smallest model in which one batch more than fits is sent."""
    return IdempotentProducer(**{"batches": window + 1, "max_in_flight": in_flight, "window": window, **more})


def timed(run: Callable[[], str]) -> str:
    """What a run says, and its seconds."""
    start = time.perf_counter()
    said = run()
    return f"{said:<60} {time.perf_counter() - start:8.2f} s"


def first_words(statement: str) -> str:
    """The beginning of a verdict."""
    return statement.split(";")[0].split(" (")[0][:60]


def by_depth() -> Iterator[tuple[str, Callable[[], str]]]:
    """The violation at 2W + 8 steps."""
    for window in range(1, 6):
        traced = model.build(producer(window, window + 1))
        question = Question(2 * window + 8, seconds=PATIENCE)
        yield f"W={window} z3", lambda t=traced, q=question: first_words(bounded.check(t, q).statement)
        yield f"W={window} native", lambda t=traced: first_words(exhaustive.check(t).statement)


def encodings() -> Iterator[tuple[str, Callable[[], str]]]:
    """Bit-vectors against integers."""
    traced = model.build(producer(1, 2))
    for arithmetic in (BITS, INTEGERS):
        question = Question(10, seconds=PATIENCE, arithmetic=arithmetic)
        yield arithmetic.name, lambda q=question: first_words(bounded.check(traced, q).statement)


def proofs() -> Iterator[tuple[str, Callable[[], str]]]:
    """NoDup and InOrder for any number of steps."""
    for batches, width, budget in ((6, 5, 1), (8, 5, 3), (8, 5, 9), (12, 8, 3)):
        more = {"batches": batches, "resets": budget, "leader_changes": budget, "max_sends": budget + 3}
        traced = model.build(producer(width, width, **more))
        name, question = f"N={batches} W=F={width} R=C={budget}", Question(0, seconds=PATIENCE)
        yield f"{name} z3", lambda t=traced, q=question: first_words(inductive.prove(t, q).result.statement)
        limits = Limits(workers=2, max_states=20_000_000)
        yield f"{name} native", lambda t=traced, m=limits: first_words(exhaustive.check(t, m).statement)


def kafka() -> Iterator[tuple[str, Callable[[], str]]]:
    """The promises of Kafka under lost connections, for any number of steps."""
    scenario = registry.find("window/5-in-flight-5-remembered")
    assert scenario is not None
    for partitions, batches, lost in ((1, 7, 2), (1, 7, 1000), (2, 12, 9), (3, 18, 9)):
        more = {"partitions": partitions, "batches": batches, "disconnects": lost, "faults": lost}
        traced = model.build(KafkaProducer(**{**scenario.constants, **more}))
        name, question = f"P={partitions} N={batches} D={lost}", Question(0, seconds=PATIENCE)
        yield f"{name} z3", lambda t=traced, q=question: first_words(inductive.prove(t, q).result.statement)
        limits = Limits(workers=2, max_states=20_000_000)
        yield f"{name} native", lambda t=traced, m=limits: first_words(exhaustive.check(t, m).statement)


KAFKA = (
    "window/1-in-flight-1-remembered",
    "window/2-in-flight-2-remembered",
    "window/3-in-flight-3-remembered",
    "window/4-in-flight-4-remembered",
    "window/5-in-flight-5-remembered",
    "window/2-in-flight-1-remembered",
    "window/3-in-flight-2-remembered",
    "window/4-in-flight-3-remembered",
    "window/6-in-flight-5-remembered",
    "current/lost-request-or-response",
    "current/expiry-and-lost-response",
    "kip-98/one-in-flight",
)


def decisions() -> Iterator[tuple[str, Callable[[], str]]]:
    """The verdict of explicit search, induction with the author's lemmas, and IC3 without any lemmas."""
    rooms = [s.name for s in registry.OWN if s.name != "grid"]
    kafka = [s for s in registry.scenarios() if s not in registry.OWN and not s.slow]
    names = [*KAFKA, *(s.name for s in kafka if s.name not in KAFKA)]
    for name in [*rooms, *[n for n in names if registry.find(n) is not None][:20]]:
        yield name, partial(decided, name)


def decided(name: str) -> str:
    """A row of the table."""
    traced = model.build(resolve(name).spec({}))
    rows = []
    start = time.perf_counter()
    result = exhaustive.check(traced, Limits(workers=2, max_states=3_000_000))
    rows.append(f"{result.verdict!s} {result.distinct:,} {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    result = inductive.prove(traced, Question(0, seconds=30, cross_check=0)).result
    rows.append(f"{result.verdict!s} {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    found = decide.decide(traced, Question(0, seconds=60, cross_check=0), help=attempt.Help(lemmas=False)).result
    size = found.details.get("proof", {"queries": "", "clauses": ""})
    rows.append(f"{found.verdict!s} {time.perf_counter() - start:.1f} s | {size['queries']} | {size['clauses']}")
    return " | ".join(rows)


def boundary() -> Iterator[tuple[str, Callable[[], str]]]:
    """The values of two constants that are safe."""
    for most in (2, 3):
        values = {"window": range(1, most + 1), "max_in_flight": range(1, most + 1)}
        traced = parametric.trace_all(partial(IdempotentProducer, batches=most), values)
        question = Question(2 * most + 6, ("NoDup",), seconds=PATIENCE)
        yield f"W, F in 1..{most}", lambda t=traced, q=question: parametric.check(t, q, boundary=True).relation


def beyond_memory() -> Iterator[tuple[str, Callable[[], str]]]:
    """A violation six steps away; the states of the levels before it grow with the fifth power of the partitions."""
    for number in (8, 16, 48):
        traced = model.build(KafkaProducer(**on_independent_partitions(number)))
        question = Question(6, ("NoDuplicate",), seconds=PATIENCE)
        yield f"{number} partitions z3", lambda t=traced, q=question: first_words(bounded.check(t, q).statement)
        limits = Limits(max_memory=16 << 30, stop_early=True)
        yield f"{number} partitions native", lambda t=traced, m=limits: explored(exhaustive.check(t, m))


def explored(result: Result) -> str:
    """How far an exhaustive search got."""
    lengths = {v.property: v.length for v in result.violations if v.property == "NoDuplicate"}
    size = result.distinct * result.bytes_per_state / (1 << 30)
    ended = str(lengths) if lengths else result.stopped
    each = f"{result.bytes_per_state:.0f} B each, {size:.1f} GiB"
    return f"{result.distinct:,} states, {each}, level {result.depth}: {ended}"


PARTS = {
    "bounded": by_depth,
    "encodings": encodings,
    "inductive": proofs,
    "kafka": kafka,
    "open": boundary,
    "decide": decisions,
    "beyond": beyond_memory,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        for name, run in PARTS[part]():
            print(f"{name:<28} {timed(run)}", flush=True)
