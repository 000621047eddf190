"""The two tables of the comparison: the calls for each action of the model, and how each observable is read.

A row of ACTIONS is what Kafka does for an action of the model. A row of OBSERVABLES yields names and values of the
model's state and of Kafka's, which must be equal after every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..generation import ON_SUCCESS
from ..records import APPENDED, NONE, RETRIABLE
from .cluster import Cluster
from .codec import is_retriable
from .driver import OTHERS, Move
from .numbers import FOREIGN_PID, NOBODY
from .view import View

SURVIVORS = "requests of a closed connection"
EXECUTES = "who executes the next request of a closed connection"
SWEEPS = "what the sweep of the next pass expires"
NEXT_PASS = "what the producer does next"
OK, ELSEWHERE = "ok", "another batch"

ACTIONS: dict[str, Callable[[Cluster, Move], None]] = {
    # the producer
    "send": lambda kafka, move: kafka.client.drain(move.arguments["batch"] % kafka.setup.partitions),
    "send_again": lambda kafka, move: kafka.client.drain(move.arguments["batch"] % kafka.setup.partitions),
    "read_answer": lambda kafka, move: kafka.read(move.arguments["broker"]),
    "start_loop": lambda kafka, move: kafka.client.start_pass(),
    "expire_batches": lambda kafka, move: kafka.client.expire(),
    "delivery_timeout": lambda kafka, move: kafka.client.pass_deadline(move.arguments["batch"]),
    "learn_leader": lambda kafka, move: kafka.client.learn_leader(move.arguments["broker"]),
    "init_producer_id": lambda kafka, move: kafka.give_producer_id(),
    "restart_producer": lambda kafka, move: kafka.restart_producer(),
    # requests and connections
    "handle": lambda kafka, move: kafka.handle(move.arguments["broker"]),
    "refuse": lambda kafka, move: kafka.answer(move.arguments["broker"], "NOT_ENOUGH_REPLICAS"),
    "reject": lambda kafka, move: kafka.answer(move.arguments["broker"], "INVALID_RECORD"),
    "find_too_large": lambda kafka, move: kafka.find_too_large(move.arguments["broker"]),
    "answer_late": lambda kafka, move: kafka.answer_late(move.arguments["broker"]),
    "disconnect": lambda kafka, move: kafka.lose(move.arguments["broker"], move.survivors),
    "handle_survivor": lambda kafka, move: kafka.handle_survivor(),
    # replicas
    "fetch": lambda kafka, move: None,
    "rejoin": lambda kafka, move: kafka.rejoin(move.arguments["broker"]),
    "shrink_isr": lambda kafka, move: kafka.shrink(move.arguments["broker"], move),
    "change_leader": lambda kafka, move: kafka.elect(move.arguments["broker"], move),
    "crash_leader": lambda kafka, move: kafka.crash_leader(move.arguments["broker"], move),
    "elect_uncleanly": lambda kafka, move: kafka.elect_uncleanly(move.arguments["broker"], move),
    "restart_cleanly": lambda kafka, move: kafka.restart(move.arguments["broker"], True, move),
    "restart_after_crash": lambda kafka, move: kafka.restart(move.arguments["broker"], False, move),
    "lose_power": lambda kafka, move: kafka.lose_power(**move.arguments),
    "roll": lambda kafka, move: kafka.roll(move.arguments["broker"], move.arguments["partition"]),
    "expire_producers": lambda kafka, move: kafka.expire(move.arguments["broker"], move.arguments["partition"]),
    "delete_records": lambda kafka, move: kafka.delete_records(move.arguments["partition"]),
    "append_foreign": lambda kafka, move: kafka.append_foreign(move.arguments["partition"]),
}


@dataclass(frozen=True)
class Observable:
    """A comparison: names with values, of the model and of Kafka."""

    model: Callable[[View], Iterator[tuple[str, Any]]]
    kafka: Callable[[Cluster], Iterator[tuple[str, Any]]]
    of_the_client: bool = True


# -- connections: requests as they were stamped, answers by code and place in the log ------------------------


def model_connections(view: View) -> Iterator[tuple[str, Any]]:
    for node in range(view.spec.replicas):
        found: list[Any] = []
        link = view.connection[min(node, len(view.connection) - 1)]
        for place, b in enumerate(link.requests if node < len(view.connection) else ()):
            state, ids = view.batch[b], view.ids(b)
            if place >= link.handled:
                found.append((ids, *view.stamp(state.pid, state.epoch, state.position)))
            elif state.outcome in (APPENDED, NONE):
                found.append((ids, OK, state.position if state.position < view.spec.log_capacity else ELSEWHERE))
            else:
                found.append((ids, str(state.outcome)))
        yield f"connection to broker {node}", tuple(found)


def kafka_connections(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for node, answers in kafka.answers.items():
        found: list[Any] = []
        for place, frame in enumerate(kafka.client.frames[node]):
            batch = frame.batch
            assert batch is not None
            if place >= len(answers):
                found.append((batch.ids, *stamp(batch)))
            elif answers[place].offset >= 0:
                at = answers[place].place
                found.append((batch.ids, OK, at if at >= 0 else ELSEWHERE))
            else:
                found.append((batch.ids, RETRIABLE if is_retriable(answers[place].code) else answers[place].code))
        yield f"connection to broker {node}", tuple(found)


def stamp(batch: Any) -> tuple[int, int, int]:
    """Producer id, epoch and sequence of a batch; without a producer id the rest means nothing."""
    return (batch.pid, batch.epoch, batch.sequence) if batch.pid >= 0 else (*NOBODY, -1)


# -- logs, and what each replica remembers ---------------------------------------------------------------------


def model_logs(view: View) -> Iterator[tuple[str, Any]]:
    for p, log in enumerate(view.log):
        entries: list[Any] = []
        for at in range(log.start, log.end):
            entry = log.entries[at]
            if view.is_foreign(entry, at):
                entries.append(((OTHERS,), "another producer"))
            else:
                warm = entry.batch == view.spec.foreign
                ids = (OTHERS,) if warm else view.ids(entry.batch, entry.size)
                entries.append((ids, *view.stamp(entry.pid, entry.epoch, entry.sequence, 0 if warm else None)))
        yield f"log of partition {p}", tuple(entries)


def kafka_logs(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for p, log in enumerate(kafka.logs[kafka.leader]):
        entries: list[Any] = []
        for _, batch in log.batches():
            foreign = batch.pid >= FOREIGN_PID
            entries.append(((OTHERS,), "another producer") if foreign else (batch.ids, *stamp(batch)))
        yield f"log of partition {p}", tuple(entries)


def model_memory(view: View) -> Iterator[tuple[str, Any]]:
    for broker in range(view.spec.replicas):
        for p in range(view.spec.partitions):
            yield f"remembered by broker {broker} of partition {p}", view.memory(broker, p)


def kafka_memory(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for broker, logs in enumerate(kafka.logs):
        for p, log in enumerate(logs):
            known = sorted((pid, state) for pid, state in log.memory().items() if pid < FOREIGN_PID)
            found = tuple((pid, epoch, tuple(ranges)) for pid, (epoch, ranges) in known)
            yield f"remembered by broker {broker} of partition {p}", found


def model_files(view: View) -> Iterator[tuple[str, Any]]:
    for broker in range(view.spec.replicas):
        for p in range(view.spec.partitions):
            yield f"snapshots of broker {broker} of partition {p}", view.snapshots(broker, p)
            yield f"segments of broker {broker} of partition {p}", view.segments(broker, p)


def kafka_files(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for broker, logs in enumerate(kafka.logs):
        for p, log in enumerate(logs):
            yield f"snapshots of broker {broker} of partition {p}", kafka.places(broker, p, log.offsets(".snapshot"))
            yield f"segments of broker {broker} of partition {p}", kafka.places(broker, p, log.offsets(".log"))


# -- the producer ----------------------------------------------------------------------------------------------


def model_producer(view: View) -> Iterator[tuple[str, Any]]:
    yield "producer id and epoch", view.numbers.pair(view.pid, view.epoch)
    yield "known leader", view.client_leader
    for p, entry in enumerate(view.partition):
        yield f"producer id and epoch of partition {p}", view.pair_of(p)
        yield f"next sequence of partition {p}", view.numbers.sequence(entry.next_sequence)
        if view.spec.client.sequence_advances != ON_SUCCESS:
            last = view.numbers.sequence(entry.last_acked, view.spec.warm - 1)
            yield f"last acknowledged sequence of partition {p}", last
        yield f"unresolved sequence of partition {p}", view.unresolved(p)
        yield f"bump requested for partition {p}", bool(entry.rewrite)
        yield f"in flight of partition {p}", view.in_flight(p)


def told(pair: tuple[int, int]) -> tuple[int, int]:
    """Producer id and epoch; a bump without a producer id continues counting from -1, which means nothing (C9.1)."""
    return pair if pair[0] >= 0 else NOBODY


def kafka_producer(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    client, most = kafka.client, kafka.setup.attempts_told
    yield "producer id and epoch", told(client.pair())
    yield "known leader", client.leader
    for p in range(kafka.setup.partitions):
        entry = client.entry(p)
        yield f"producer id and epoch of partition {p}", told(entry.pair)
        yield f"next sequence of partition {p}", entry.next_sequence
        if entry.last_acked is not None:  # 0.11 does not keep it
            yield f"last acknowledged sequence of partition {p}", entry.last_acked
        yield f"unresolved sequence of partition {p}", entry.unresolved
        yield f"bump requested for partition {p}", entry.rewrite
        found = [(b.batch, b.sequence, min(b.attempts, most), b.reopened) for b in entry.in_flight]
        yield f"in flight of partition {p}", tuple(found)


# -- what the application sees, and what comes next ------------------------------------------------------------


def model_results(view: View) -> Iterator[tuple[str, Any]]:
    for record in range(view.spec.batches):
        yield f"result of record {record}", view.result(record)


def kafka_results(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for record in range(kafka.setup.batches):
        yield f"result of record {record}", kafka.result(record)


def model_next(view: View) -> Iterator[tuple[str, Any]]:
    yield NEXT_PASS, next_told(view.loops(), view.drains())


def kafka_next(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    client = kafka.client
    drains = () if client.must_loop() else tuple(client.would_send(p) for p in range(kafka.setup.partitions))
    yield NEXT_PASS, next_told(client.must_loop(), drains)


def next_told(loops: bool, batches: Iterable[int | None]) -> str:
    """What the next pass of the producer does, in words; one that resolves or bumps sends nothing before that (C1)."""
    sends = ", ".join(f"b{batch}" for batch in sorted(batch for batch in batches if batch is not None))
    if loops:
        return f"resolves or bumps, or sends {sends}" if sends else "resolves or bumps"
    return f"sends {sends}" if sends else "sends nothing"


def model_waiting(view: View) -> Iterator[tuple[str, Any]]:
    for node in range(view.spec.replicas):
        yield f"broker {node} has a request to handle", view.may_handle(node)
        yield f"the producer has an answer of broker {node} to read", view.may_read(node)
    yield SURVIVORS, tuple((view.ids(r.batch, r.size), *view.stamp(r.pid, r.epoch, r.sequence)) for r in view.surviving)
    yield EXECUTES, view.executes_survivors()
    yield SWEEPS, view.sweeps()
    yield "the producer waits for a producer id", view.may("init_producer_id")
    yield "the producer has a leader to learn of", view.may("learn_leader")


def kafka_waiting(kafka: Cluster) -> Iterator[tuple[str, Any]]:
    for node, answers in kafka.answers.items():
        yield f"broker {node} has a request to handle", len(answers) < len(kafka.client.frames[node])
        yield f"the producer has an answer of broker {node} to read", bool(answers)
    yield SURVIVORS, tuple((frame.batch.ids, *stamp(frame.batch)) for _, frame in kafka.surviving if frame.batch)
    yield EXECUTES, tuple(broker for broker, _ in kafka.surviving[:1])
    yield SWEEPS, kafka.client.would_expire()
    yield "the producer waits for a producer id", kafka.client.asks_for_producer_id()
    yield "the producer has a leader to learn of", kafka.client.leader != kafka.leader


OBSERVABLES = (
    Observable(model_connections, kafka_connections),
    Observable(model_logs, kafka_logs, of_the_client=False),
    Observable(model_memory, kafka_memory, of_the_client=False),
    Observable(model_files, kafka_files, of_the_client=False),
    Observable(model_producer, kafka_producer),
    Observable(model_results, kafka_results),
    Observable(model_next, kafka_next),
    Observable(model_waiting, kafka_waiting),
)
OF_THE_CLIENT = tuple(each for each in OBSERVABLES if each.of_the_client)
"""The observables of a release whose logs the model simulates; the answers on connections are then the model's own,
too."""
