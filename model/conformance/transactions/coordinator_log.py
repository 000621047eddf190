"""A simulated partition of `__transaction_state`: a list of batches with one record each, as they were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..by_kind import as_java, as_scala, call, some, stand_in
from ..classes import has_class, java, kafka

STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead")
"""By the number that a record has for them."""
LARGEST = 1 << 20
"""Bytes of a batch."""
LOST, TOO_FEW = "NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS"


def nothing() -> None:
    """Nothing happens."""


@dataclass(frozen=True)
class TransactionRecord:
    """The content of one record about the transactional id; ids are -1 where the record has none."""

    state: str
    pid: int
    epoch: int
    previous_pid: int
    next_pid: int
    partitions: tuple[int, ...]


FORGOTTEN = TransactionRecord("", -1, -1, -1, -1, ())
"""A record without a value: the transactional id has expired."""


class CoordinatorLog:
    """The log, with the appends that are held back: those of a Complete state wait for `release`.

    Of the others the next one is refused if the log `fails`; `meanwhile` runs while it is being written.
    """

    def __init__(self) -> None:
        self.batches: list[Any] = []
        self.held: list[tuple[Any, Any, Any]] = []
        self.fails, self.meanwhile = False, nothing
        import jpype

        log = stand_in(kafka("UnifiedLog"), {"logStartOffset": lambda: jpype.JLong(0), "read": self._read})
        self.replica_manager = stand_in(
            kafka("ReplicaManager"),
            {
                "appendRecords": self._append,
                "defaultActionQueue": lambda: None,
                "getLog": lambda _: log,
                "getLogConfig": lambda _: stand_in(kafka("LogConfig"), {"maxMessageSize": lambda: LARGEST}),
                "getLogEndOffset": lambda _: self._end(),
                "topicIdPartition": lambda partition: kafka("TopicIdPartition")(kafka("Uuid")(7, 7), partition),
            },
        )

    def records(self) -> list[TransactionRecord]:
        """The written records, oldest first."""
        return [read(batch) for batch in self.batches]

    def release(self) -> None:
        """Write the appends that are held back."""
        held, self.held = self.held, []
        for partition, batch, callback in held:
            self._write(partition, batch, callback)

    def lose(self) -> None:
        """Held-back appends are not written: the partition has another leader."""
        held, self.held = self.held, []
        for partition, _, callback in held:
            answer(partition, callback, LOST)

    def _end(self) -> Any:
        return java("java.lang.Long").valueOf(len(self.batches))

    def _append(self, *arguments: Any) -> None:
        maps = [each for each in arguments if isinstance(each, java("scala.collection.Map"))]
        entries = as_java(maps[0])
        callback = next(each for each in arguments if isinstance(each, java("scala.Function1")) and each not in maps)
        [item] = list(entries.entrySet())
        partition, batch = item.getKey(), item.getValue()
        if read(batch).state.startswith("Complete"):
            self.held.append((partition, batch, callback))
        elif self.fails:
            self.fails = False
            answer(partition, callback, TOO_FEW)
        else:
            happens, self.meanwhile = self.meanwhile, nothing
            happens()
            self._write(partition, batch, callback)

    def _write(self, partition: Any, batch: Any, callback: Any) -> None:
        self.add(batch)
        answer(partition, callback, "NONE")

    def add(self, batch: Any) -> None:
        """A batch gets the next offset."""
        for each in batch.batches():
            each.setLastOffset(len(self.batches))
        self.batches.append(batch)

    def _read(self, offset: int, *_: Any) -> Any:
        import jpype

        where = kafka("LogOffsetMetadata")(jpype.JLong(int(offset)), jpype.JLong(0), jpype.JInt(0))
        given = {
            "LogOffsetMetadata": where,
            "Records": self.batches[int(offset)],
            "boolean": False,
            "Option": some(None),
            "Optional": java("java.util.Optional").empty(),
        }
        return call(None, kafka("FetchDataInfo"), "new", given)


def answer(partition: Any, callback: Any, error: str) -> None:
    """The replica manager reports the result of an append."""
    response = kafka("ProduceResponse$PartitionResponse")(getattr(kafka("Errors"), error))
    declared = kafka("TransactionStateManager").class_.getDeclaredMethods()
    wanted = next(each for each in declared if str(each.getName()).startswith("updateCacheCallback$"))
    callback.apply(as_scala(java("java.util.Map").of(partition, response), wanted.getParameterTypes()[0]))


def read(batch: Any) -> TransactionRecord:
    """The record of a batch."""
    [record] = list(batch.records())
    if record.value() is None:
        return FORGOTTEN
    buffer = record.value().duplicate()
    version = buffer.getShort()
    value = kafka("TransactionLogValue")(kafka("ByteBufferAccessor")(buffer), version)
    parts = value.transactionPartitions() or ()
    return TransactionRecord(
        STATES[int(value.transactionStatus())],
        int(value.producerId()),
        int(value.producerEpoch()),
        int(value.previousProducerId()) if hasattr(value, "previousProducerId") else -1,
        int(value.nextProducerId()) if hasattr(value, "nextProducerId") else -1,
        tuple(sorted(int(number) for part in parts for number in part.partitionIds())),
    )


def first_record(name: str, pid: int, epoch: int, timeout: int, version: int) -> Any:
    """A batch in which the id is Empty, with a producer id and an epoch."""
    import jpype

    value = kafka("TransactionLogValue")()
    value.setProducerId(jpype.JLong(pid)).setProducerEpoch(jpype.JShort(epoch)).setTransactionTimeoutMs(timeout)
    value.setTransactionStatus(jpype.JByte(0)).setTransactionPartitions(None)
    value.setTransactionLastUpdateTimestampMs(jpype.JLong(0)).setTransactionStartTimestampMs(jpype.JLong(-1))
    key = kafka("TransactionLogKey")().setTransactionalId(name)
    prefixed = kafka("MessageUtil").toVersionPrefixedBytes
    record = kafka("SimpleRecord")(prefixed(jpype.JShort(0), key), prefixed(jpype.JShort(version), value))
    records = jpype.JArray(kafka("SimpleRecord"))([record])
    none = kafka("Compression" if has_class("Compression") else "CompressionType").NONE
    return kafka("MemoryRecords").withRecords(none, records)
