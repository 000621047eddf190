"""The log of one partition on one broker: the real UnifiedLog, with its producer state and its files on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .by_kind import call
from .classes import has, has_class, java, kafka, place
from .clock import Clock
from .codec import NO_ERROR, TOPIC, Answer, Produced, read_batch
from .disk_space import require_room

FOREVER = 2_000_000_000
"""Milliseconds: no producer expires by itself."""
HEADER = 12
"""Bytes of a batch before those that its length counts: base offset and length."""
CONFIG = {
    "cleanup.policy": "delete",
    "file.delete.delay.ms": "60000",
    "message.timestamp.type": "LogAppendTime",
    "retention.bytes": "-1",
    "retention.ms": "-1",
    "segment.index.bytes": "4096",
}
"""With log append time, producer expiry (D9) depends only on the broker's clock; indexes are small, for speed, but
never full: that would begin a segment."""


class RealLog:
    """A replica; `expired_at` is the time of the newest batch whose producer has expired.

    `verifies`: whether transactional batches are verified with the coordinator (T7.9).
    """

    def __init__(self, folder: Path, partition: int, clock: Clock, verifies: bool = False) -> None:
        self.folder, self.clock, self.expired_at = folder / f"{TOPIC}-{partition}", clock, 0
        self.limit = self._limits(verifies)
        self._known: list[tuple[int, Produced]] | None = []
        self.log = self._open(0, 0, True)

    def _limits(self, verifies: bool) -> Any:
        """How long a producer is remembered."""
        return kafka("ProducerStateManagerConfig")(FOREVER, verifies)

    def _open(self, start: int, recovery_point: int, clean: bool) -> Any:
        import jpype

        return kafka("UnifiedLog").create(
            java("java.io.File")(str(self.folder)),
            configured(CONFIG),
            jpype.JLong(start),
            jpype.JLong(recovery_point),
            scheduler(),
            kafka("BrokerTopicStats")(),
            self.clock.java,
            jpype.JInt(FOREVER),
            self.limit,
            jpype.JInt(FOREVER),
            kafka("LogDirFailureChannel")(1),
            clean,
            java("java.util.Optional").empty(),
        )

    # -- actions -------------------------------------------------------------------------------------------

    def append(self, records: Any, leader_epoch: int) -> Answer:
        """What a leader does with the batch of a produce request (B1.4 to B1.11)."""
        import jpype

        self.clock.forward(1)
        try:
            info = self.log.appendAsLeader(records, leader_epoch)
        except jpype.JException as error:
            require_room(error)
            return Answer(str(kafka("Errors").forException(error).name()))
        return Answer(NO_ERROR, int(info.firstOffset()))

    def append_too_large(self, records: Any, leader_epoch: int) -> Answer:
        """The same under a max.message.bytes that is below the size of the batch (B1.4)."""
        self._configure(**{"max.message.bytes": "10"})
        answer = self.append(records, leader_epoch)
        self._configure()
        return answer

    def _configure(self, **entries: str) -> None:
        self.log.updateConfig(configured({**CONFIG, **entries}))

    def append_foreign(self, pid: int, leader_epoch: int) -> None:
        """Another producer writes a batch."""
        self.append(idempotent_records(pid, 0, self.clock.now), leader_epoch)

    def fetch(self, leader: RealLog, end: int, leader_epoch: int) -> None:
        """Copy the leader's log up to an offset, a batch at a time (D1); each fetch includes its log start (D14).

        A log that ends below that is discarded, and begins there (D12).
        """
        while self.end < end:
            if self.end < leader.start:
                self._copy_afresh(leader.start)
            else:
                self._append_as_follower(leader.read(self.end), leader_epoch)
                self.hear(leader.start)

    def _append_as_follower(self, records: Any, leader_epoch: int) -> None:
        self.log.appendAsFollower(records, leader_epoch)

    def _copy_afresh(self, start: int) -> None:
        """A follower whose next offset the leader has no longer copies the log afresh."""
        self._start_at(start)
        self._known = None

    def _start_at(self, start: int) -> None:
        import jpype

        self.log.truncateFullyAndStartAt(jpype.JLong(start), java("java.util.Optional").empty())

    def read(self, offset: int) -> Any:
        """The batch at an offset, as a fetch gets it."""
        found = self._fetched(offset)
        buffer = java("java.nio.ByteBuffer").allocate(found.sizeInBytes())
        found.readInto(buffer, 0)
        return kafka("MemoryRecords").readableRecords(buffer)

    def _fetched(self, offset: int) -> Any:
        return self.log.read(offset, 1, kafka("FetchIsolation").LOG_END, True).records

    def truncate(self, end: int) -> None:
        """A new leader's log ends before ours (D4)."""
        self._under_limit(lambda: self.log.truncateTo(end))
        self._known = None

    def restart(self, clean: bool) -> None:
        """The broker stops, cleanly or not, and comes back (D5, D6)."""
        start, point = self.start, int(self.log.recoveryPoint())
        if clean:
            self._stop()
        else:
            self._let_go()
        self.log = self._open_under_limit(start, point, clean)
        self._known = None

    def lose_end(self, end: int) -> None:
        """The power is lost, with what lies from an offset on, and the broker comes back (D17)."""
        start, point = self.start, min(int(self.log.recoveryPoint()), end)
        self._let_go()
        cut_segments(self.folder, end)
        self.log = self._open_under_limit(start, point, False)
        self._known = None

    def _stop(self) -> None:
        self.log.flush(True)
        if has("UnifiedLog", "prepareActiveSegmentForClose"):  # from 4.4
            self.log.prepareActiveSegmentForClose()
        self.log.close()

    def _open_under_limit(self, start: int, point: int, clean: bool) -> Any:
        return self._under_limit(lambda: self._open(start, point, clean))

    def roll(self) -> None:
        """A new segment begins (B1.7)."""
        self.log.roll()

    def delete(self) -> None:
        """Retention removes every record (D10): a new segment begins, and the others go."""
        self._raise_high_watermark()
        self.roll()
        self._begin_at(self.end, "SegmentDeletion")

    def hear(self, start: int) -> None:
        """An answer to a fetch has the start of the leader's log (D14); the newest segment remains as it is."""
        if start > self.start:
            self._raise_high_watermark()
            self._begin_at(start, "LeaderOffsetIncremented")

    def _raise_high_watermark(self) -> None:
        self.log.updateHighWatermark(self.end)

    def _begin_at(self, start: int, reason: str) -> None:
        """The log begins there, and segments that end there or below are removed."""
        self.log.maybeIncrementLogStartOffset(start, getattr(kafka("LogStartOffsetIncrementReason"), reason))
        self.log.deleteOldSegments()
        self._known = None

    def expire(self) -> None:
        """All producer state expires (D9)."""
        known = [self._last_timestamp(state) for _, state in self._producers()]
        self.expired_at = max([self.expired_at, *known])
        self._under_limit(lambda: self.log.producerStateManager().removeExpiredProducers(self.clock.now))

    def _under_limit(self, action: Callable[[], Any]) -> Any:
        """Run a function while producers expire whose last batch came no later than those that expired before."""
        self._limit(self.clock.now - self.expired_at)
        found = action()
        self._limit(FOREVER)
        return found

    def _limit(self, milliseconds: int) -> None:
        self.limit.setProducerIdExpirationMs(milliseconds)

    def close(self) -> None:
        """Release the files."""
        self._let_go()

    def _let_go(self) -> None:
        """Close the files as they are, without a snapshot."""
        if has("UnifiedLog", "closeQuietly"):  # from 4.4
            self.log.closeQuietly()
        else:
            self.log.closeHandlers()

    # -- observations --------------------------------------------------------------------------------------

    @property
    def start(self) -> int:
        """The log start offset."""
        return int(self.log.logStartOffset())

    @property
    def end(self) -> int:
        """The log end offset."""
        return int(self.log.logEndOffset())

    def batches(self) -> list[tuple[int, Produced]]:
        """The batches of the log with their first offsets."""
        if self._known is None:
            self._known = []
        at = self._known[-1][0] + len(self._known[-1][1].ids) if self._known else self.start
        while at < self.end:
            found = read_batch(self.read(at), 0)
            self._known.append((at, found))
            at += len(found.ids)
        return self._known

    def offsets(self, suffix: str) -> list[int]:
        """The offsets above the log start of the files of a kind: `.snapshot` for snapshots, `.log` for segments."""
        found = (int(name.partition(".")[0]) for name in os.listdir(self.folder) if name.endswith(suffix))
        return sorted(offset for offset in found if offset > self.start)

    def memory(self) -> dict[int, tuple[int, list[tuple[int, int]]]]:
        """For each producer id its epoch and the ranges that are remembered, oldest first."""
        found = {}
        for pid, state in self._producers():
            ranges = [(int(b.firstSeq()), _last_sequence(b)) for b in self._batches_of(state)]
            found[pid] = (int(state.producerEpoch()), ranges)
        return found

    def _producers(self) -> Iterator[tuple[int, Any]]:
        """By producer id what is remembered."""
        for item in self.log.producerStateManager().activeProducers().entrySet():
            yield int(item.getKey()), item.getValue()

    def _last_timestamp(self, state: Any) -> int:
        return int(state.lastTimestamp())

    def _batches_of(self, state: Any) -> list[Any]:
        return list(state.batchMetadata())


def cut_segments(folder: Path, end: int) -> None:
    """Remove from the files of a log what lies from an offset on."""
    for path in folder.glob("*.log"):
        if int(path.stem) > end:
            for other in folder.glob(f"{path.stem}.*"):
                other.unlink()
            continue
        data, at = path.read_bytes(), 0
        while at + HEADER <= len(data) and int.from_bytes(data[at : at + 8]) < end:
            at += HEADER + int.from_bytes(data[at + 8 : at + HEADER])
        with path.open("r+b") as file:
            file.truncate(at)


def _last_sequence(batch: Any) -> int:
    """In 4.1 a field, later a method."""
    return int(batch.lastSeq() if callable(batch.lastSeq) else batch.lastSeq)


def configured(entries: dict[str, str]) -> Any:
    """The configuration of a log; in Scala it wants the names that are overridden, too."""
    found = java("java.util.HashMap")()
    for name, text in entries.items():
        found.put(name, text)
    return call(None, kafka("LogConfig"), "new", {"Map": found, "Set": java("java.util.HashSet")()})


def scheduler() -> Any:
    """Background work is done at once; delayed work, such as the deletion of files, is skipped."""
    import jpype

    future = jpype.JProxy("java.util.concurrent.ScheduledFuture", dict={"cancel": lambda _: True})

    def schedule(_: Any, task: Any, delay: int, period: int, *unit: Any) -> Any:
        if delay == 0 and period < 0:
            task.run() if hasattr(task, "run") else task.apply()
        return future

    def once(name: Any, task: Any, delay: int = 0) -> Any:
        return schedule(name, task, delay, -1)

    handlers = {"schedule": schedule, "scheduleOnce": once, "startup": lambda: None, "shutdown": lambda: None}
    return jpype.JProxy(place("Scheduler"), dict=handlers)


def idempotent_records(pid: int, epoch: int, timestamp: int) -> Any:
    """One batch with sequence 0, of another producer or of an earlier time."""
    import jpype

    record = kafka("SimpleRecord")(timestamp, b"-1")
    return kafka("MemoryRecords").withIdempotentRecords(
        kafka("Compression" if has_class("Compression") else "CompressionType").NONE,
        jpype.JLong(pid),
        jpype.JShort(epoch),
        jpype.JInt(0),
        record,
    )
