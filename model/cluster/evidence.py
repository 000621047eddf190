"""The final state of a replay from three sources: the model, the leader's disk, and an ordinary consumer.

Each gives the position of every record: for each partition pairs of offset and record. Conclusions are drawn only if
they agree, so that a bug of the driver or of its consumer is never reported as one of Kafka.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..conformance.driver import OPEN, OTHERS
from ..records import ACKED, FAILED, MISREPORTED

if TYPE_CHECKING:
    from ..conformance.view import View

Places = list[list[tuple[int, int]]]
"""By partition: offsets with the numbers of records; OTHERS for records of other producers."""


def predicted(view: View) -> Places:
    """The model's position of each record, including those deleted by retention: its log from the first entry on."""
    found: Places = []
    for log in view.log:
        places: list[tuple[int, int]] = []
        for at in range(log.end):
            entry = log.entries[at]
            ids = (OTHERS,) if entry.batch == view.spec.foreign else view.ids(entry.batch, entry.size)
            places += [(len(places) + number, record) for number, record in enumerate(ids)]
        found.append(places)
    return found


def offsets(places: Places, record: int) -> list[int]:
    """Where a record is."""
    return [at for partition in places for at, found in partition if found == record]


# -- do the witnesses agree? -------------------------------------------------------------------------------


def contradictions(model: Places, written: Places, read: Places, starts: Sequence[int]) -> Iterator[str]:
    """Where the sources differ; empty where they agree.

    `written` is what was on the leader's disk when it was appended, `read` what a consumer got at the end, and `starts`
    are the offsets before which retention has deleted everything.
    """
    for partition, start in enumerate(starts):
        mine = read[partition]
        if any(after <= before for (before, _), (after, _) in pairwise(mine)):
            yield f"the consumer read partition {partition} not once and in order: offsets {_list(mine)}"
        there = [(at, record) for at, record in written[partition] if at >= start]
        if mine != there:
            yield f"of partition {partition} the consumer read {_list(mine)}, and {_list(there)} were seen on the disk"
        if model[partition] != written[partition]:
            yield (
                f"in partition {partition} the model has {_list(model[partition])}, "
                f"and {_list(written[partition])} were seen on the disk"
            )


def _list(places: list[tuple[int, int]]) -> str:
    return ", ".join(f"{at}:{'another' if record == OTHERS else f'b{record}'}" for at, record in places) or "nothing"


# -- conclusions -------------------------------------------------------------------------------------------


def conclusions(places: Places, results: Sequence[str]) -> Iterator[str]:
    """The violations of guarantees: records that are duplicated, missing before others, or without a result."""
    found = {record: offsets(places, record) for record in range(len(results))}
    for record, at in found.items():
        if len(at) > 1:
            yield f"record {record} is at offsets {' and '.join(map(str, at))}"
        if at and "failed" in results[record]:
            yield f"record {record} is at offset {at[0]} and was reported as {results[record]}"
        if not at and results[record] in (ACKED, MISREPORTED):
            yield f"record {record} was acknowledged and is in no log"
        if results[record] == MISREPORTED:
            yield f"record {record} was acknowledged with the offset of another"
    for earlier, later in _overtaken(places):
        yield f"record {earlier} is not in the log, and record {later} is"


def _overtaken(places: Places) -> Iterator[tuple[int, int]]:
    """Records that are in no log while the last one of their partition is."""
    for partition in places:
        order = [record for _, record in partition if record != OTHERS]
        last = max(order, default=OTHERS)
        for record in range(last):
            if record not in order and record % len(places) == last % len(places):
                yield record, last


def _gap(places: Places, results: Sequence[str]) -> bool:
    """Record `earlier` has no result and is nowhere, and a later one of its partition is acknowledged."""
    count = len(places)
    return any(
        results[earlier] == OPEN and not offsets(places, earlier) and results[later] in (ACKED, MISREPORTED)
        for earlier in range(len(results))
        for later in range(earlier + count, len(results), count)
    )


def _disordered(places: Places) -> bool:
    """Whether a record appears first behind a later one."""
    for partition in places:
        first = list(dict.fromkeys(record for _, record in partition if record != OTHERS))
        if first != sorted(first):
            return True
    return False


SHOWN: dict[str, Callable[[Places, Sequence[str]], bool]] = {
    "NoDuplicate": lambda places, results: any(len(offsets(places, r)) > 1 for r in range(len(results))),
    "NoGap": _gap,
    "InOrder": lambda places, results: _disordered(places),
    "AckedIsPersisted": lambda places, results: any(
        result in (ACKED, MISREPORTED) and not offsets(places, r) for r, result in enumerate(results)
    ),
    "TruthfulOffset": lambda places, results: MISREPORTED in results,
    "NoFalseFailure": lambda places, results: any(
        result == FAILED and offsets(places, r) for r, result in enumerate(results)
    ),
}
"""By property of the model: whether the final state of a replay violates it."""


PROMISES = (*SHOWN, "SequencesContiguous")
"""The properties of counterexamples that can be replayed; the last one is not about records and results."""


def shows(property: str, places: Places, results: Sequence[str]) -> bool | None:
    """Whether the final state violates a property; None for one that is not about records and results."""
    asked: Any = SHOWN.get(property)
    return None if asked is None else bool(asked(places, results))
