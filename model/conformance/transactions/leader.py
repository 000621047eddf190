"""The leader of a partition: Kafka's UnifiedLog with its producer state, transactional batches and markers.

The verification of a batch before its append is real, too, from 4.1 on (admission.py). Immediate replication of every
record is simulated. Logs of 3.6 to 4.0 are Scala's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from ..by_kind import call, newest_version, request_local, some
from ..classes import has_class, has_java_log, java, kafka
from ..clock import Clock
from ..disk_space import require_room
from ..driver import Observation
from ..real_log import CONFIG, FOREVER, RealLog, configured, scheduler
from .admission import Admission, DriverAdmission, Guard, Question
from .coordinator_moves import ANSWERS, BATCH, EARLY, WAITS


class TransactionalLog(RealLog):
    """A log that takes part in transactions; `guards` are those of requests that wait for the coordinator."""

    def __init__(self, folder: Path, partition: int, clock: Clock, tv: int, verifies: bool) -> None:
        super().__init__(folder, partition, clock, verifies)
        self.tv = tv

    def _open(self, start: int, recovery_point: int, clean: bool) -> Any:
        if has_java_log():
            return super()._open(start, recovery_point, clean)
        nothing = java("java.util.Optional").empty()
        given = {
            "File": java("java.io.File")(str(self.folder)),
            "LogConfig": configured(CONFIG),
            "long": [start, recovery_point],
            "Scheduler": scheduler(),
            "BrokerTopicStats": call(None, kafka("BrokerTopicStats"), "new", {"boolean": False, "Optional": nothing}),
            "Time": self.clock.java,
            "int": FOREVER,
            "ProducerStateManagerConfig": self.limit,
            "LogDirFailureChannel": kafka("LogDirFailureChannel")(1),
            "boolean": [clean, True, False],
            "Option": some(None),
            "ConcurrentMap": java("java.util.concurrent.ConcurrentHashMap")(),
            "LogOffsetsListener": kafka("LogOffsetsListener").NO_OP_OFFSETS_LISTENER,
        }
        return call(None, kafka("UnifiedLog"), "apply", given)

    def guard(self, pid: int, sequence: int, epoch: int, bumps: bool) -> Any:
        """The guard that a request takes before its batch is appended; exceptions of the log are raised."""
        import jpype

        given = {"long": pid, "int": sequence, "short": epoch, "boolean": bumps}
        try:
            return call(self.log, kafka("UnifiedLog"), "maybeStartTransactionVerification", given)
        except jpype.JException as error:
            raise _cause(error) from None

    def append_batch(self, records: Any, guard: Any) -> str:
        """A batch of a client."""
        return self._append(records, "CLIENT", guard, self.tv)

    def append_marker(self, pid: int, epoch: int, commit: bool, term: int, tv: int) -> str:
        """An end marker of a transaction version."""
        import jpype

        kinds = kafka("ControlRecordType")
        marker = kafka("EndTransactionMarker")(kinds.COMMIT if commit else kinds.ABORT, jpype.JInt(term))
        records = kafka("MemoryRecords").withEndTransactionMarker(jpype.JLong(pid), jpype.JShort(epoch), marker)
        return self._append(records, "COORDINATOR", None, tv)

    def _append(self, records: Any, origin: str, guard: Any, tv: int) -> str:
        given = {
            "MemoryRecords": records,
            "int": 0,
            "AppendOrigin": getattr(kafka("AppendOrigin"), origin),
            "RequestLocal": request_local(),
            "Object": guard,  # in 3.6
            "short": tv,
        }
        if has_class("VerificationGuard"):
            given["VerificationGuard"] = kafka("VerificationGuard").SENTINEL if guard is None else guard
        if not has_java_log():
            given["MetadataVersion"] = newest_version()
        self.clock.forward(1)
        error = self._try(lambda: call(self.log, kafka("UnifiedLog"), "appendAsLeader", given))
        self.log.updateHighWatermark(self.end)
        return error

    def _try(self, action: Any) -> str:
        import jpype

        try:
            action()
            return "NONE"
        except jpype.JException as error:
            require_room(error)
            return str(kafka("Errors").forException(_cause(error)).name())

    # -- observations --------------------------------------------------------------------------------------

    def producer(self, pid: int) -> tuple[int, int, bool, int, int]:
        """Epoch, last sequence, whether a transaction is open, coordinator epoch, and the epoch of the guard."""
        producers = self.log.producerStateManager()
        entry = producers.lastEntry(pid).orElse(None)
        waiting = producers.verificationStateEntry(pid)
        guard = -1 if waiting is None else int(waiting.epoch())
        if entry is None:
            return -1, -1, False, -1, guard
        batches = list(entry.batchMetadata())
        last = (
            -1 if not batches else int(batches[-1].lastSeq() if callable(batches[-1].lastSeq) else batches[-1].lastSeq)
        )
        opened = entry.currentTxnFirstOffset().isPresent()
        return int(entry.producerEpoch()), last, bool(opened), int(entry.coordinatorEpoch()), guard

    def read_committed(self) -> list[str]:
        """The view of a consumer on each record (T8.2, T8.3): committed, aborted or undecided."""
        stable = int(self.log.lastStableOffset())
        fates = []
        fetched = self.log.read(self.start, 1 << 20, kafka("FetchIsolation").TXN_COMMITTED, True)
        aborted = [] if fetched.abortedTransactions is None else list(fetched.abortedTransactions.orElse(None) or ())
        begun = sorted((int(each.firstOffset()), int(each.producerId())) for each in aborted)
        skipped: set[int] = set()
        for batch in self.every_batch():
            first, pid = int(batch.baseOffset()), int(batch.producerId())
            while begun and begun[0][0] <= first:
                skipped.add(begun.pop(0)[1])
            if batch.isControlBatch():
                if first < stable and is_abort(batch):
                    skipped.discard(pid)
            elif first >= stable:
                fates.append("undecided")
            else:
                fates.append("aborted" if pid in skipped else "committed")
        return fates

    def stable(self) -> int:
        """How many records are below the last stable offset (T8.1): markers have offsets in Kafka only."""
        end = int(self.log.lastStableOffset())
        return sum(int(each.baseOffset()) < end for each in self.every_batch() if not each.isControlBatch())

    def every_batch(self) -> list[Any]:
        """All batches, in order."""
        found = self.log.read(self.start, 1 << 20, kafka("FetchIsolation").LOG_END, True).records
        return list(found.batches())


def _cause(error: Any) -> Any:
    """The cause of an error."""
    return error if error.getCause() is None else _cause(error.getCause())


def one_record(pair: tuple[int, int], sequence: int) -> Any:
    """A batch of one transactional record."""
    import jpype

    record, none = (
        kafka("SimpleRecord")(b"r"),
        kafka("Compression" if has_class("Compression") else "CompressionType").NONE,
    )
    stamped = jpype.JLong(pair[0]), jpype.JShort(pair[1]), jpype.JInt(sequence)
    return kafka("MemoryRecords").withTransactionalRecords(none, *stamped, record)


def needs_no_word(guard: Any) -> bool:
    """Whether a guard needs no verification because the transaction is open."""
    return guard is None or (has_class("VerificationGuard") and bool(guard.equals(kafka("VerificationGuard").SENTINEL)))


def is_abort(batch: Any) -> bool:
    """Whether a control batch aborts."""
    [record] = list(batch)
    return bool(kafka("ControlRecordType").parse(record.key()) == kafka("ControlRecordType").ABORT)


class Leaders:
    """The leaders of all partitions, with the requests that wait, by partition and slot: batch and admission."""

    def __init__(self, partitions: int, tv: int, verifies: bool = True) -> None:
        self.clock, self.tv, self.verifies, folder = Clock(1_000_000), tv, verifies, Path(mkdtemp())
        self.logs = [TransactionalLog(folder, partition, self.clock, tv, verifies) for partition in range(partitions)]
        self.waiting: dict[tuple[int, int], tuple[Any, Admission | DriverAdmission]] = {}
        self.elections = 0
        self.behind: dict[int, int] = {}
        """Where the log of a replica ends that fetches nothing more, by partition."""
        self.deleted: list[tuple[str, ...]] = [()] * partitions
        """What readers have got of records that are deleted."""

    def close(self) -> None:
        """Release the files."""
        for log in self.logs:
            log.close()

    def mark(self, partition: int, pair: tuple[int, int], commit: bool, term: int, tv: int) -> str:
        """A marker of a transaction version is written; the answer."""
        return self.logs[partition].append_marker(*pair, commit, term, tv)

    def receive(self, partition: int, slot: int, pair: tuple[int, int], sequence: int) -> Observation:
        """A produce request is read: whether it waits for the coordinator or is refused before that, or the answer."""
        log, records = self.logs[partition], one_record(pair, sequence)
        admission = self._admission(partition, log.guard)
        admission.receive(records)
        found: Observation = {WAITS: admission.question is not None, EARLY: bool(admission.answer)}
        if admission.question is not None:
            self.waiting[partition, slot] = records, admission
            return found
        return {**found, ANSWERS[BATCH]: admission.answer or log.append_batch(records, admission.guard)}

    def _admission(self, partition: int, guard: Guard) -> Admission | DriverAdmission:
        if has_java_log():
            return Admission(partition, self.tv, self.clock, guard, verifies=self.verifies)
        return DriverAdmission(partition, self.tv, guard, needs_no_word)

    def asking(self) -> list[tuple[int, int]]:
        """The requests that wait for the coordinator, by partition and slot."""
        return sorted(place for place, (_, admission) in self.waiting.items() if admission.question is not None)

    def asks_again(self, partition: int, slot: int, answer: str) -> bool:
        """Whether a waiting request would retry the coordinator after an answer: tried on a copy of it."""
        records, _ = self.waiting[partition, slot]
        guard = kafka("VerificationGuard")()
        like = self._admission(partition, lambda *_: guard)
        like.receive(records)
        like.hear(answer)
        return like.repeats

    def question(self, partition: int, slot: int) -> Question:
        """The request to the coordinator for a produce request that waits."""
        question = self.waiting[partition, slot][1].question
        assert question is not None
        return question

    def hear(self, partition: int, slot: int, answer: str) -> str:
        """The coordinator answers; returns the answer to the client, empty if the batch is let in."""
        admission = self.waiting[partition, slot][1]
        admission.hear(answer)
        return admission.answer

    def lets_in(self, partition: int, slot: int) -> bool:
        """Whether a request may be appended."""
        return self.waiting[partition, slot][1].let_in

    def proceed(self, partition: int, slot: int) -> str:
        """A request that the coordinator has accepted is appended."""
        records, admission = self.waiting.pop((partition, slot))
        return self.logs[partition].append_batch(records, admission.guard)

    def forget(self, partition: int, slot: int) -> None:
        """A request is answered without an append; its guard stays."""
        self.waiting.pop((partition, slot), None)

    def elect(self, partition: int) -> None:
        """Another leader begins with the log, read from its files: with a snapshot at every other time.

        What waits at the old one is lost.
        """
        self.elections += 1
        for place in [place for place in self.waiting if place[0] == partition]:
            self.forget(*place)
        log = self.logs[partition]
        log.restart(clean=self.elections % 2 == 0)
        log.log.updateHighWatermark(log.end)

    def fall_behind(self, partition: int) -> None:
        """A replica fetches nothing more."""
        self.behind[partition] = self.logs[partition].end

    def elect_uncleanly(self, partition: int) -> None:
        """That replica leads: what is behind its end is gone, and producers are as they were there (D4)."""
        self.logs[partition].truncate(self.behind.pop(partition))
        self.elect(partition)

    def restart_empty(self, partition: int) -> None:
        """Retention has deleted every record, and the broker restarts: it knows no producer (D11)."""
        log = self.logs[partition]
        self.deleted[partition] += tuple(log.read_committed())
        log.delete()
        self.elections = 1
        self.elect(partition)

    def delay(self, partition: int, session: int, late: int) -> None:
        """A request is left waiting, with its guard."""
        if (partition, session) in self.waiting:
            self.waiting[partition, late] = self.waiting.pop((partition, session))

    def observe(self, pids: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
        """The observables of leaders: their producer ids, and what readers get."""
        for p, log in enumerate(self.logs):
            for pid in pids:
                epoch, last, opened, term, guard = log.producer(pid)
                yield f"producer {pid} at the leader of {p}", (epoch, last, opened, max(term, 0), guard)
            yield f"stable records of {p}", len(self.deleted[p]) + log.stable()
            yield f"records of {p} to a read_committed reader", (*self.deleted[p], *log.read_committed())
