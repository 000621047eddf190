"""Known differences that are not modelled; they remain differences, and are reported by name.

Each is recognised by the observables that it explains. If others differ, even in the same step, it is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..drain.records import EXPIRED
from ..records import UNKNOWN
from .compare import SideBySide
from .driver import OPEN
from .mapping import NEXT_PASS, SWEEPS
from .versions import order

KAFKA_13794 = (
    "KAFKA-13794: up to 3.0.1, and in 3.1.0, what is in flight is ordered by sequence alone: the answer to a batch that"
    " has expired, or the loss of its connection, takes the batch that has its sequence in a newer epoch out of what is"
    " in flight"
)
KAFKA_9393 = "KAFKA-9393: until 2.7 a restart leaves the snapshots of earlier ones (D5)"
KAFKA_8483 = "KAFKA-8483: up to 2.2 batches in flight are numbered anew in any order (C10)"
KAFKA_8484 = (
    "KAFKA-8484: up to 2.2 the failure of a batch whose producer id was reset takes a sequence from the next id; of two"
    " batches with one sequence the model sends either first, Kafka one of them; where the id has no sequence left, the"
    " loop of the producer fails, and the record gets no result"
)
KAFKA_8325 = "KAFKA-8325: in 2.1 and 2.2 a batch that was split stays among those in flight, and expires once more"
NO_SNAPSHOT = "D4 in 1.0 and 1.1: a truncation writes no snapshot"
CHECKED = (2, 3)
"""The release from which on such a failure takes nothing."""
SWEPT = (2, 8)
"""The release from which on a restart removes them."""
TIMED, REMOVED = (2, 1), (2, 3)
"""The releases with KAFKA-8325: from the delivery timeout on; 2.3.1 has the fix."""
WRITTEN = (2, 0)
"""The release from which on a truncation writes a snapshot."""
MENDED = (3, 0, 2)
"""The oldest pinned release with the fix."""
KEPT_PAIRS = (2, 7, 1)
"""The release from which on a partition keeps its pair (KAFKA-12152); before, it restarts when nothing is in flight."""
RESTARTED = {"next sequence": 0, "last acknowledged sequence": -1}


class LateAnswer(NamedTuple):
    """A finished batch whose answer has arrived, and the observables of what is in flight of its partition.

    `sequence` is its position in an entry there; `first` are the names that depend on the first one (C2.3, C2.5, C8).
    """

    batch: int
    partition: int
    in_flight: str
    sequence: int
    first: str


def known(version: str, sides: SideBySide) -> str:
    """The name of a known difference; otherwise empty."""
    if sides.difference is None or not sides.turns or not version or order(version) >= MENDED:
        return ""
    values = dict(sides.difference.values)
    if order(version) < SWEPT and _has_more_snapshots(values):
        return KAFKA_9393
    if order(version) < WRITTEN and _has_fewer_snapshots(values):
        return NO_SNAPSHOT
    if TIMED <= order(version) < REMOVED and _expires_again(sides, values):
        return KAFKA_8325
    if order(version) < CHECKED and (_has_no_result(sides, values) or _shares_a_sequence(sides, values)):
        return KAFKA_8484
    if order(version) < CHECKED and _in_another_order(values):
        return KAFKA_8483
    late = (*_late(sides), *_late_of_drain(sides))
    return KAFKA_13794 if any(_takes_another_out(version, sides, each) for each in late) else ""


Values = dict[str, tuple[Any, Any]]
"""What differs: the value of the model, and that of Kafka."""
FLIGHT = "in flight of partition "


def _has_more_snapshots(values: Values) -> bool:
    """Whether only snapshots differ, and Kafka has those of the model."""
    return _are_snapshots(values) and all(set(model) <= set(kafka) for model, kafka in values.values())


def _has_fewer_snapshots(values: Values) -> bool:
    """Whether only snapshots differ, and the model has those of Kafka."""
    return _are_snapshots(values) and all(set(kafka) <= set(model) for model, kafka in values.values())


def _are_snapshots(values: Values) -> bool:
    return bool(values) and all(name.startswith("snapshots of ") for name in values)


def _expires_again(sides: SideBySide, values: Values) -> bool:
    """Whether only what a sweep expires differs: Kafka has what the model has, and batches that were split."""
    if list(values) != [SWEEPS]:
        return False
    model, kafka = (Counter[int](side) for side in values[SWEEPS])
    split = {dict(turn.arguments)["batch"] for turn in sides.turns if turn.action == "find_too_large"}
    return model <= kafka and set(kafka - model) <= split


def _has_no_result(sides: SideBySide, values: Values) -> bool:
    """Whether only the result of the batch differs whose answer was read, and its partition has no sequence left."""
    turn, before = sides.turns[-1], sides.seen[-2].kafka
    if turn.action != "read_answer":
        return False
    batch = dict(turn.arguments)["batch"]
    name, partition = f"result of record {batch}", batch % sides.setup.partitions
    open_ = list(values) == [name] and values[name][1] == OPEN
    return open_ and before[f"next sequence of partition {partition}"] == 0


def _shares_a_sequence(sides: SideBySide, values: Values) -> bool:
    """Whether only what is sent next differs, and two batches of a partition have, or had in flight, the same
    sequence."""
    flights = (
        [value for name, value in seen.kafka.items() if name.startswith(FLIGHT) and value]
        for seen in reversed(sides.seen)
    )
    last = next(filter(None, flights), [])
    return set(values) == {NEXT_PASS} and any(len({each[1] for each in f}) < len(f) for f in last)


def _in_another_order(values: Values) -> bool:
    """Whether only the batches in flight of a partition differ, which have the same sequences in another order."""
    flights = [pair for name, pair in values.items() if name.startswith(FLIGHT)]
    if len(flights) != 1 or len(values.keys() - {NEXT_PASS}) != 1:
        return False
    model, kafka = flights[0]
    return all(sorted(each[place] for each in model) == sorted(each[place] for each in kafka) for place in (0, 1))


def _late(sides: SideBySide) -> Iterator[LateAnswer]:
    """The finished batches whose answer arrived in the last step: it was read, or their connection was lost."""
    turn, (before, after) = sides.turns[-1], (seen.kafka for seen in sides.seen[-2:])
    if turn.action == "read_answer":
        answered = [dict(turn.arguments)["batch"]]
    else:
        lost = (name for name in before if name.startswith("connection to broker ") and after.get(name) == ())
        answered = [ids[0] for name in lost for ids, *_ in before[name]]
    for batch in answered:
        if before.get(f"result of record {batch}") == UNKNOWN:
            partition = batch % sides.setup.partitions
            yield LateAnswer(batch, partition, f"in flight of partition {partition}", 1, NEXT_PASS)


def _late_of_drain(sides: SideBySide) -> Iterator[LateAnswer]:
    """The same in the model of the drain, whose requests have several partitions."""
    turn, before = sides.turns[-1], sides.seen[-2].kafka
    requests = before.get(f"requests to node {dict(turn.arguments).get('node')}", ())
    for request in requests[: 1 if turn.action == "read" else None] if turn.action in ("read", "lose") else ():
        for partition, batch, *_ in request:
            if before[f"results of partition {partition}"][batch] == EXPIRED:
                waits = f"partition {partition} must wait"
                yield LateAnswer(batch, partition, f"sequenced batches of partition {partition}", 2, waits)


def _takes_another_out(version: str, sides: SideBySide, late: LateAnswer) -> bool:
    """Whether one batch is gone, that with the sequence of the finished one, and all that differs follows from it."""
    before, after, partition = sides.seen[-2].kafka, sides.seen[-1].kafka, late.partition
    assert sides.difference is not None
    values = dict(sides.difference.values)
    model, kafka = values.pop(late.in_flight, ((), ()))
    sequence = _last_sequence(sides, late)
    taken = [entry[0] for entry in before.get(late.in_flight, ()) if entry[late.sequence] == sequence]
    left = tuple(entry for entry in model if entry[0] not in taken)
    if kafka != left or len(left) != len(model) - 1:
        return False
    if not left and order(version) < KEPT_PAIRS:
        foreseen: dict[str, Any] = {f"{what} of partition {partition}": value for what, value in RESTARTED.items()}
        pair = "producer id and epoch"
        foreseen[f"{pair} of partition {partition}"] = after.get(pair)
        values = {
            each: differing
            for each, differing in values.items()
            if each not in foreseen or differing[1] != foreseen[each]
        }
    if left[:1] != model[:1]:
        values.pop(late.first, None)
    return not values


def _last_sequence(sides: SideBySide, late: LateAnswer) -> int | None:
    """The sequence that a batch had when it was in flight for the last time."""
    entries = (entry for seen in reversed(sides.seen[:-1]) for entry in seen.kafka.get(late.in_flight, ()))
    return next((entry[late.sequence] for entry in entries if entry[0] == late.batch), None)
