"""The leader of a partition: Kafka's UnifiedLog with its producer state, transactional batches and markers.

Played is what ReplicaManager does around it: that a batch whose id has no open transaction waits for the coordinator's
word, and that every record is replicated at once. Where the log layer is Scala the model plays the leader.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from ..classes import has_log, kafka
from ..clock import Clock
from ..real_log import RealLog
from ..room import require_room
from .bridge import call


class TransactionalLog(RealLog):
    """A log that takes part in transactions; `guards` are those of requests that wait for the coordinator."""

    def __init__(self, folder: Path, partition: int, clock: Clock, tv: int) -> None:
        super().__init__(folder, partition, clock, verifies=True)
        self.tv = tv

    def guard(self, pair: tuple[int, int], sequence: int) -> tuple[str, Any]:
        """What a request gets before its batch is appended: an error, a guard, or None where it needs none."""
        given = {"long": pair[0], "int": sequence, "short": pair[1], "boolean": self.tv == 2}
        error, guard = self._try(
            lambda: call(self.log, kafka("UnifiedLog"), "maybeStartTransactionVerification", given)
        )
        return error, None if guard is None or guard.equals(kafka("VerificationGuard").SENTINEL) else guard

    def append_batch(self, pair: tuple[int, int], sequence: int, guard: Any) -> str:
        """A batch of one transactional record."""
        import jpype

        record = kafka("SimpleRecord")(b"r")
        records = kafka("MemoryRecords").withTransactionalRecords(
            kafka("Compression").NONE, jpype.JLong(pair[0]), jpype.JShort(pair[1]), jpype.JInt(sequence), record
        )
        return self._append(records, "CLIENT", guard)

    def append_marker(self, pid: int, epoch: int, commit: bool, term: int) -> str:
        """An end marker."""
        import jpype

        kinds = kafka("ControlRecordType")
        marker = kafka("EndTransactionMarker")(kinds.COMMIT if commit else kinds.ABORT, jpype.JInt(term))
        records = kafka("MemoryRecords").withEndTransactionMarker(jpype.JLong(pid), jpype.JShort(epoch), marker)
        return self._append(records, "COORDINATOR", None)

    def _append(self, records: Any, origin: str, guard: Any) -> str:
        sentinel = kafka("VerificationGuard").SENTINEL
        given = {
            "MemoryRecords": records,
            "int": 0,
            "AppendOrigin": getattr(kafka("AppendOrigin"), origin),
            "RequestLocal": kafka("RequestLocal").noCaching(),
            "VerificationGuard": sentinel if guard is None else guard,
            "short": self.tv,
        }
        self.clock.forward(1)
        error, _ = self._try(lambda: call(self.log, kafka("UnifiedLog"), "appendAsLeader", given))
        self.log.updateHighWatermark(self.end)
        return error

    def _try(self, action: Any) -> tuple[str, Any]:
        import jpype

        try:
            return "NONE", action()
        except jpype.JException as error:
            cause = error
            while cause.getCause() is not None:
                cause = cause.getCause()
            require_room(error)
            return str(kafka("Errors").forException(cause).name()), None

    # -- what is seen --------------------------------------------------------------------------------------

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
        """What a consumer makes of each record (T8.2, T8.3): committed, aborted or undecided."""
        stable = int(self.log.lastStableOffset())
        fates = []
        fetched = self.log.read(0, 1 << 20, kafka("FetchIsolation").TXN_COMMITTED, True)
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

    def every_batch(self) -> list[Any]:
        """All batches, in order."""
        found = self.log.read(0, 1 << 20, kafka("FetchIsolation").LOG_END, True).records
        return list(found.batches())


def is_abort(batch: Any) -> bool:
    """Whether a control batch aborts."""
    [record] = list(batch)
    return bool(kafka("ControlRecordType").parse(record.key()) == kafka("ControlRecordType").ABORT)


class Leaders:
    """The leaders of all partitions; nothing where the log layer cannot be driven."""

    def __init__(self, spec: Any, numbers: Any) -> None:
        self.spec, self.numbers = spec, numbers
        self.logs: list[TransactionalLog] = []
        self.guards: dict[tuple[int, int], Any] = {}
        if not has_log():
            return
        clock, tv = Clock(1_000_000), 2 if spec.rules.epoch_per_transaction else 0
        folder = Path(mkdtemp())
        self.logs = [TransactionalLog(folder, partition, clock, tv) for partition in range(spec.partitions)]

    def close(self) -> None:
        """Let go of the files."""
        for log in self.logs:
            log.close()

    def mark(self, partition: int, pair: tuple[int, int], commit: bool, term: int) -> str:
        """A marker is written; the answer, or nothing where there is no log."""
        return self.logs[partition].append_marker(*pair, commit, term) if self.logs else ""

    def receive(self, side: Any, before: Any, after: Any, partition: int, slot: int) -> None:
        """A produce request is read."""
        if not self.logs:
            return
        request = before.request[partition][slot]
        pair = side.pair(request.pid, request.epoch)
        log = self.logs[partition]
        error, guard = log.guard(pair, request.sequence) if self.spec.rules.verifies else ("NONE", None)
        waits = after.request[partition][slot].stage == "guard taken"
        side.hear("whether the request waits for the coordinator", waits, guard is not None)
        if guard is not None:
            self.guards[partition, slot] = guard
            side.requests.append(("guard", request.pid, request.epoch, "taken"))
            return
        if error != "NONE":
            side.requests.append(("guard", request.pid, request.epoch, error))
        if error == "NONE":
            error = log.append_batch(pair, request.sequence, None)
        side.hear("answer to the batch", self._answer(side, before, partition, slot), error)
        side.requests.append(("batch", request.pid, request.epoch, error))

    def proceed(self, side: Any, before: Any, partition: int, slot: int) -> None:
        """A request that the coordinator let in is appended."""
        if not self.logs:
            return
        request = before.request[partition][slot]
        guard = self.guards.pop((partition, slot))
        error = self.logs[partition].append_batch(side.pair(request.pid, request.epoch), request.sequence, guard)
        side.hear("answer to the batch", side.ask(before, lambda: self.spec.append(partition, slot)), error)
        side.requests.append(("batch", request.pid, request.epoch, error))

    def delay(self, partition: int, session: int) -> None:
        """A request is left to itself, with its guard."""
        if (partition, session) in self.guards:
            self.guards[partition, self.spec.late] = self.guards.pop((partition, session))

    def _answer(self, side: Any, before: Any, partition: int, slot: int) -> str:
        request = before.request[partition][slot]
        known = before.known[partition][request.pid]
        if self.spec.rules.verifies and self.spec.rules.epoch_before_guard and request.epoch < known.epoch:
            return "INVALID_PRODUCER_EPOCH"
        return str(side.ask(before, lambda: self.spec.append(partition, slot)))

    def compare(self, side: Any, after: Any) -> None:
        """What leaders and readers know."""
        for p, log in enumerate(self.logs):
            for pid in range(self.spec.pids):
                known = after.known[p][pid]
                wanted = (
                    side.numbers.epoch(pid, known.epoch),
                    known.last,
                    known.first >= 0,
                    known.term,
                    side.numbers.epoch(pid, known.guard),
                )
                epoch, last, opened, term, guard = log.producer(side.numbers.pid(pid))
                side.hear(f"producer {pid} at the leader of {p}", wanted, (epoch, last, opened, max(term, 0), guard))
            entries = after.log[p]
            fates = [str(entries.entries[at].fate) for at in range(entries.end)]
            stable = side.ask(after, lambda p=p: self.spec.stable(p))
            fates = [fate if at < stable else "undecided" for at, fate in enumerate(fates)]
            side.hear(f"records of {p} to a read_committed reader", fates, log.read_committed())
