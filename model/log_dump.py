"""The log of a replica as kafka-dump-log.sh prints it with --print-data-log; for readers only, never compiled."""

from __future__ import annotations

from collections.abc import Iterator

from ..checker.language.concrete import ValuesFrame
from ..checker.language.state import State
from .kafka import KafkaProducer
from .records import Entry


def dump(spec: KafkaProducer, state: State, broker: int | None, partitions: list[int]) -> str:
    """The logs of a broker in a state, by default of the leader, a line for each batch and for each record."""
    with spec._reading(ValuesFrame(spec, state.values())):
        at = spec.leader if broker is None else broker
        return "".join(f"{line}\n" for partition in partitions for line in lines(spec, at, partition))


def lines(spec: KafkaProducer, broker: int, partition: int) -> Iterator[str]:
    """The lines of one log. What retention deleted is left out, as its segment file is."""
    entries, start = spec.own_log(broker, partition), spec.log_start(broker, partition)
    offset = sum(entry.size for entry in entries[:start])
    yield f"Dumping broker-{broker}/topic-{partition}/{offset:020}.log"
    yield f"Log starting offset: {offset}"
    for at, entry in enumerate(entries[start:], start):
        yield batch_line(spec, entry, offset)
        first = spec.record_name(entry, at)
        names = [first, *(f"b{entry.batch + i}" for i in range(1, entry.size))]  # b1 is the second half of b0 (C11)
        for i, name in enumerate(names):
            yield f"| offset: {offset + i} sequence: {sequence(spec, entry, i)} payload: {name}"
        offset += entry.size


def batch_line(spec: KafkaProducer, entry: Entry, offset: int) -> str:
    """The line of a batch, with the fields that the model has."""
    known = spec.client.idempotent
    fields = {
        "baseOffset": offset,
        "lastOffset": offset + entry.size - 1,
        "count": entry.size,
        "baseSequence": sequence(spec, entry, 0),
        "lastSequence": sequence(spec, entry, entry.size - 1),
        "producerId": entry.pid if known else -1,
        "producerEpoch": entry.epoch if known else -1,
        "isTransactional": "false",
        "isControl": "false",
    }
    return " ".join(f"{name}: {value}" for name, value in fields.items())


def sequence(spec: KafkaProducer, entry: Entry, record: int) -> int:
    """The sequence of a record of a batch."""
    if not spec.client.idempotent:
        return -1
    return (entry.sequence + record) % spec.modulus if spec.modulus else entry.sequence + record
