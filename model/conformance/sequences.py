"""What the TransactionManager knows of each partition: sequences, and the batches that have one and are not finished.

Over the releases it was kept in three ways. In 0.11 there is the next sequence alone; from 1.0 on a map for each value;
from 2.3 on an entry for each partition.
"""

from __future__ import annotations

from typing import Any

from ..records import NO_SEQUENCE
from .classes import field, has, method

MANAGER, ENTRY, MAP = "TransactionManager", "TxnPartitionEntry", "TxnPartitionMap"
REWRITE, UNRESOLVED = "partitionsToRewriteSequences", "partitionsWithUnresolvedSequences"
SOME = 0
"""That some sequence is unresolved, up to 2.4; later which one."""


def sequences_of(manager: Any) -> Sequences:
    """The reader of a release."""
    if has(MANAGER, "sequenceNumbers"):
        return Sequences(manager)
    return SequencesInMaps(manager) if has(MANAGER, "nextSequence") else SequencesInEntries(manager)


class Sequences:
    """0.11: the next sequence of each partition."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def value(self, name: str, partition: Any, default: int) -> int:
        """A number that is kept in a map."""
        found = field(MANAGER, name).get(self.manager).get(partition)
        return default if found is None else int(found)

    def next(self, partition: Any) -> int:
        """The sequence of the next batch."""
        return self.value("sequenceNumbers", partition, 0)

    def last_acked(self, partition: Any) -> int | None:
        """The last acknowledged sequence; None if it is not kept."""
        return None

    def unresolved(self, partition: Any) -> int:
        """The sequence that is not resolved."""
        return NO_SEQUENCE

    def bumps(self, partition: Any) -> bool:
        """Whether a bump of the epoch is requested for it."""
        return False

    def must_bump(self) -> bool:
        """Whether the next pass bumps the epoch."""
        return False

    def in_flight(self, partition: Any) -> list[Any] | None:
        """The batches in flight, in the order of sequences; None if they are not kept."""
        return None

    def pair(self, partition: Any) -> Any:
        """Producer id and epoch of the partition; None if it has none of its own (up to 2.7.0)."""
        return None

    def begin_at(self, partition: Any, sequence: int) -> None:
        """Let a partition continue at a sequence."""
        import jpype

        name = "sequenceNumbers" if has(MANAGER, "sequenceNumbers") else "nextSequence"
        field(MANAGER, name).get(self.manager).put(partition, jpype.JInt(sequence))


class SequencesInMaps(Sequences):
    """1.0 to 2.2: a map for each value."""

    def next(self, partition: Any) -> int:
        """The sequence of the next batch."""
        return self.value("nextSequence", partition, 0)

    def last_acked(self, partition: Any) -> int | None:
        """The last acknowledged sequence."""
        return self.value("lastAckedSequence", partition, NO_SEQUENCE)

    def unresolved(self, partition: Any) -> int:
        """The sequence that is not resolved; up to 2.4 only that there is one is known."""
        found = field(MANAGER, UNRESOLVED).get(self.manager)
        if hasattr(found, "containsKey"):
            sequence = found.get(partition)
            return NO_SEQUENCE if sequence is None else int(sequence)
        return SOME if found.contains(partition) else NO_SEQUENCE

    def in_flight(self, partition: Any) -> list[Any] | None:
        """The batches in flight, in the order of sequences; two may have the same one (KAFKA-8484)."""
        found = field(MANAGER, "inflightBatchesBySequence").get(self.manager).get(partition)
        return sorted(found or (), key=_place)


def _place(batch: Any) -> tuple[int, int]:
    return int(batch.baseSequence()), int(field("ProducerBatch", "createdMs").getLong(batch))


class SequencesInEntries(SequencesInMaps):
    """From 2.3 on: an entry for each partition."""

    def _entries(self) -> Any:
        return field(MANAGER, "txnPartitionMap").get(self.manager)

    def entry(self, partition: Any) -> Any:
        """The entry of a partition; None before its first batch."""
        return field(MAP, "topicPartitions").get(self._entries()).get(partition)

    def _number(self, partition: Any, name: str, default: int) -> int:
        found = self.entry(partition)
        return default if found is None else int(field(ENTRY, name).getInt(found))

    def next(self, partition: Any) -> int:
        """The sequence of the next batch."""
        return self._number(partition, "nextSequence", 0)

    def last_acked(self, partition: Any) -> int | None:
        """The last acknowledged sequence."""
        return self._number(partition, "lastAckedSequence", NO_SEQUENCE)

    def must_bump(self) -> bool:
        """Whether the next pass bumps the epoch; from 2.5 on."""
        return has(MANAGER, REWRITE) and bool(field(MANAGER, "clientSideEpochBumpRequired").getBoolean(self.manager))

    def bumps(self, partition: Any) -> bool:
        """Whether a bump of the epoch is requested for it; from 2.5 on."""
        return has(MANAGER, REWRITE) and bool(field(MANAGER, REWRITE).get(self.manager).contains(partition))

    def in_flight(self, partition: Any) -> list[Any] | None:
        """The batches in flight, in the order of sequences."""
        found = self.entry(partition)
        return [] if found is None else list(field(ENTRY, "inflightBatchesBySequence").get(found))

    def pair(self, partition: Any) -> Any:
        """Producer id and epoch of the partition; None if it has none of its own (up to 2.7.0)."""
        found = self.entry(partition)
        own = found is not None and has(ENTRY, "producerIdAndEpoch")
        return field(ENTRY, "producerIdAndEpoch").get(found) if own else None

    def begin_at(self, partition: Any, sequence: int) -> None:
        """Let a partition continue at a sequence."""
        import jpype

        if not has(ENTRY, "producerIdAndEpoch"):
            method(MAP, "addPartition", 1).invoke(self._entries(), partition)
            entry = method(MAP, "getPartition", 1).invoke(self._entries(), partition)
        else:
            entry = method(MAP, "getOrCreate", 1).invoke(self._entries(), partition)
            pair = field(MANAGER, "producerIdAndEpoch").get(self.manager)
            field(ENTRY, "producerIdAndEpoch").set(entry, pair)
        field(ENTRY, "nextSequence").setInt(entry, jpype.JInt(sequence))
