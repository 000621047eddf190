"""Observables in words, for a trace: the content of a connection, of a log, and of a replica's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .driver import OTHERS, UNTOLD

NOTHING = "nothing"
OF_COURSE = ("broker ", "the producer ")
"""Observables of what may come next: they follow from other changes of a step, and are shown only where they differ."""


def value_text(name: str, value: Any) -> str:
    """The value of an observable for readers; None where a side has nothing of that name."""
    if value is None:
        return NOTHING
    for beginning, words in WORDS.items():
        if name.startswith(beginning) and value != UNTOLD:
            return "; ".join(words(each) for each in value) or NOTHING
    if name.startswith("producer id"):
        return _pair(*value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if "sequence" in name or name == "known leader":
        return "none" if value == OTHERS else str(value)
    return str(value)


def _records(ids: tuple[int, ...]) -> str:
    return "+".join(f"b{record}" if record != OTHERS else "another" for record in ids)


def _pair(pid: int, epoch: int) -> str:
    return f"id {pid} epoch {epoch}" if pid >= 0 else "no id"


def _stamp(pid: int, epoch: int, sequence: int) -> str:
    return f"({_pair(pid, epoch)} seq {sequence})" if pid >= 0 else "(no id)"


def _on_connection(entry: tuple[Any, ...]) -> str:
    ids, *rest = entry
    if len(rest) == 3:
        return f"{_records(ids)} {_stamp(*rest)}"
    if len(rest) == 2:
        return f"answer {_records(ids)}: ok, place {rest[1]} in the log"
    return f"answer {_records(ids)}: {rest[0]}"


def _in_log(entry: tuple[Any, ...]) -> str:
    ids, *rest = entry
    return f"{_records(ids)} {_stamp(*rest)}" if len(rest) == 3 else str(rest[0])


def _remembered(entry: tuple[Any, ...]) -> str:
    pid, epoch, ranges = entry
    found = [str(first) if first == last else f"{first}-{last}" for first, last in ranges]
    return f"{_pair(pid, epoch)}: seq {', '.join(found)}"


def _in_flight(entry: tuple[Any, ...]) -> str:
    batch, sequence, attempts, reopened = entry
    return f"b{batch} seq {sequence}" + (", retried" if attempts else "") + (", renumbered" if reopened else "")


def request_told(request: Iterable[Sequence[Any]]) -> str:
    """A request for several partitions: the batch of each with its epoch and sequence, or with its result."""
    return " + ".join(f"b{batch} of {partition} {_stamped(rest)}" for partition, batch, *rest in request)


def _stamped(rest: Sequence[Any]) -> str:
    return f"(epoch {rest[0]} seq {rest[1]})" if len(rest) == 2 else str(rest[0])


def _sequenced(entry: tuple[Any, ...]) -> str:
    batch, epoch, sequence, retried, reopened = entry
    value_text = f"b{batch} (epoch {epoch} seq {sequence})"
    return value_text + (", sent again" if retried else "") + (", renumbered" if reopened else "")


def _place(place: int) -> str:
    return f"place {place}"


def _batch(batch: int) -> str:
    return f"b{batch}"


def _broker(broker: int) -> str:
    return f"broker {broker}"


WORDS: dict[str, Callable[[Any], str]] = {
    "connection to": _on_connection,
    "requests of a closed": _on_connection,
    "log of": _in_log,
    "remembered by": _remembered,
    "in flight": _in_flight,
    "requests to": request_told,
    "sequenced batches": _sequenced,
    "segments of": _place,
    "snapshots of": _place,
    "batches in the log": _batch,
    "what the sweep": _batch,
    "who executes": _broker,
}
