"""What a replica knows of producers after a restart, a truncation, an expiry; producer snapshots (D4 to D11).

What is remembered is a position in the log for each producer id, see Broker.is_known. A snapshot is an offset: its
rows follow from the log below, which cannot change while the snapshot exists.
"""

from __future__ import annotations

from everystate.checker import If, maximum, minimum, none_of

from .broker import Broker
from .generation import WHOLE_CACHE
from .records import ELECTIONS


class Snapshots(Broker):
    """LogLoader and ProducerStateManager of a replica."""

    def restart_cleanly_at(self, broker: int, partition: int, end: int) -> None:
        """D6, clean: a snapshot of what is known is written at the log end and read again."""
        start = self.log[partition].start
        for pid in range(self.pids):
            row = self.row(broker, partition, pid, end, self.replica[partition][broker].start[pid])
            self.know(broker, partition, pid, If(start < end, row, end))  # D11
        self.snapshot_at(broker, partition, end)

    def recover(self, broker: int, partition: int, end: int) -> None:
        """D6, crash: the log is replayed into a snapshot at its end, and that is read: again one batch is known.

        What retention deleted is not there to be replayed.
        """
        for pid in range(self.pids):
            oldest = maximum(self.replica[partition][broker].start[pid], self.log[partition].start)
            self.know(broker, partition, pid, self.row(broker, partition, pid, end, oldest))
        self.snapshot_at(broker, partition, end)

    def reload(self, broker: int, partition: int, end: int, cut: bool) -> None:
        """D4: where the log was cut, the newest snapshot that remains is loaded, and the log behind it replayed.

        A replica that knew no producer at all replays nothing. A snapshot is taken at the new end.
        """
        if not self._memory_moves():
            return
        replica = self.replica[partition][broker]
        newest = self.newest_snapshot(broker, partition, end)
        oldest = If(newest > 0, newest, minimum(self.log[partition].start, end))
        empty = self.knows_nothing(broker, partition)
        for pid in range(self.pids):
            found = self.row(broker, partition, pid, oldest, 0)
            whole = self.server.snapshot_holds == WHOLE_CACHE
            known = minimum(replica.start[pid], end) if whole else If(empty, end, If(newest > 0, found, oldest))
            self.know(broker, partition, pid, If(cut, known, replica.start[pid]))
        if self.snapshots:
            replica.rolled = self.read_later(broker, If(cut & (end < replica.rolled), 0, replica.rolled))
            replica.saved = self.read_later(broker, If(cut, end, replica.saved))
        if self.rows_expire:
            replica.expired = self.read_later(broker, If(cut, minimum(replica.expired, end), replica.expired))

    def newest_snapshot(self, broker: int, partition: int, end: int) -> int:
        """The offset of the newest snapshot that a log cut at `end` keeps, 0 for none; see D4 for the range."""
        replica, start = self.replica[partition][broker], self.log[partition].start
        rolled = If((start < replica.rolled) & (replica.rolled <= end), replica.rolled, 0)
        return maximum(rolled, If((start < replica.saved) & (replica.saved <= end), replica.saved, 0))

    def knows_nothing(self, broker: int, partition: int) -> bool:
        """Whether the replica remembers no producer; without expiry it knows whoever is in its log."""
        if not self.expiries:
            return False
        places = [(at, pid) for at in range(self.log_capacity) for pid in range(self.pids)]
        return none_of(self.is_known(broker, partition, at, pid) for at, pid in places)

    def row(self, broker: int, partition: int, pid: int, end: int, oldest: int) -> int:
        """D5: where the batch is that a snapshot at `end` has of a producer known from `oldest` on; `end`: no row.

        A row whose producer has expired is not loaded (D8).
        """
        if self.server.snapshot_holds == WHOLE_CACHE:
            return minimum(oldest, end)
        log, found = self.log[partition], end
        loaded_from = maximum(oldest, self.replica[partition][broker].expired) if self.rows_expire else oldest
        for at in range(self.log_capacity):
            entry = log.entries[at]
            mine = (at < log.end) & (at < end) & (loaded_from <= at) & (entry.pid == pid)
            found = If(mine, at, found)
        return found

    def know(self, broker: int, partition: int, pid: int, oldest: int) -> None:
        """From now on the replica knows of a producer what is in the log from `oldest` on."""
        self.replica[partition][broker].start[pid] = If(self.may_be_asked(broker), oldest, 0)

    def snapshot_at(self, broker: int, partition: int, end: int) -> None:
        """A snapshot that no segment begins with: of older ones like it none is kept."""
        if self.snapshots:
            self.replica[partition][broker].saved = self.read_later(broker, end)

    def roll_at(self, broker: int, partition: int, end: int) -> None:
        """B1.7, D6: a snapshot that is kept as long as the segment which begins there."""
        self.replica[partition][broker].rolled = self.read_later(broker, end)

    # -- what no longer matters ----------------------------------------------------------------------------

    def spend(self, kind: str) -> None:
        """One fault; after the last one what a follower knows is cleared, since it cannot lead any more."""
        super().spend(kind)
        if self._memory_moves() and kind not in ELECTIONS:  # those say themselves who leads
            for broker in range(self.replicas):
                for p in range(self.partitions):
                    self.clear(broker, p)

    def clear(self, broker: int, partition: int) -> None:
        """Write what is known again, so that it goes where it cannot matter."""
        replica = self.replica[partition][broker]
        for pid in range(self.pids):
            self.know(broker, partition, pid, replica.start[pid])
        if self.snapshots:
            replica.saved = self.read_later(broker, replica.saved)
            replica.rolled = self.read_later(broker, replica.rolled)
            replica.expired = self.read_later(broker, replica.expired)

    def read_later(self, broker: int, offset: int) -> int:
        """An offset that matters to a later truncation only; 0 where too few faults are left for one.

        A leader is cut by an election, a follower has to lead before.
        """
        return If(If(self.leader == broker, 1, 2) <= self.faults_left, offset, 0)

    def forget(self, broker: int, partition: int, end: int) -> None:
        """D9, or D10 until 2.3: no producer is known any more."""
        for pid in range(self.pids):
            self.know(broker, partition, pid, end)
        if self.rows_expire:
            self.replica[partition][broker].expired = self.read_later(broker, end)
