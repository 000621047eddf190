"""A replica on its broker's disk: the batches of its segments, read with Kafka's own class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..conformance.classes import java, kafka
from ..conformance.codec import TOPIC, Produced, read_value


class Replica:
    """The segments of one partition in the folder of a broker, also while the broker writes."""

    def __init__(self, data: Path, partition: int) -> None:
        self.folder, self.partition = data / f"{TOPIC}-{partition}", partition

    @property
    def segments(self) -> list[Path]:
        """The files that hold records, oldest first."""
        return sorted(self.folder.glob("*.log"))

    def batches(self) -> list[tuple[int, Produced]]:
        """The batches with their first offsets; a segment that retention deletes meanwhile is gone."""
        found: list[tuple[int, Produced]] = []
        for path in self.segments:
            found += _batches(path, self.partition)
        return found

    @property
    def end(self) -> int:
        """The offset after the last batch."""
        batches = self.batches()
        if batches:
            return batches[-1][0] + len(batches[-1][1].ids)
        return int(self.segments[-1].stem) if self.segments else 0


def _batches(path: Path, partition: int) -> Iterator[tuple[int, Produced]]:
    import jpype

    try:
        records = kafka("FileRecords").open(java("java.io.File")(str(path)), False)
    except jpype.JException:
        return
    try:
        for batch in records.batches():
            yield int(batch.baseOffset()), _batch(batch, partition)
    finally:
        records.channel().close()  # its own close() would truncate what has been written meanwhile


def _batch(batch: Any, partition: int) -> Produced:
    ids = tuple(read_value(record.value()) for record in batch)
    return Produced(
        partition, ids, int(batch.producerId()), int(batch.producerEpoch()), int(batch.baseSequence()), None
    )
