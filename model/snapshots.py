"""What a replica knows of producers after a restart, a truncation, an expiry; producer snapshots (D4 to D11).

What is remembered is a position in the log for each producer id, see Broker.is_known. A snapshot is an offset: its
rows follow from the log below, which cannot change while the snapshot exists. One at or below the log start is never
loaded, so it is none.
"""

from __future__ import annotations

from collections.abc import Callable

from .broker import Broker
from .fault_table import ELECTIONS
from .generation import WHOLE_CACHE


class Snapshots(Broker):
    """LogLoader and ProducerStateManager of a replica."""

    def log_start(self, broker: int, partition: int) -> int:
        """Where the log of a replica begins: a follower hears later what retention has deleted at the leader (D14)."""
        own = self.replica[partition][broker].log_start
        return own if self.starts_apart and self.leader != broker else self.log[partition].start

    def restart_cleanly_at(self, broker: int, partition: int, end: int) -> None:
        """D6, clean: a snapshot of what is known is written at the log end and read again."""
        start = self.log_start(broker, partition)
        for pid in range(self.pids):
            row = self.row(broker, partition, pid, end, self.replica[partition][broker].start[pid])
            self.know(broker, partition, pid, row if start < end else end)  # D11
        self.lose_rows(broker, partition, start >= end, start)
        self.reopen(broker, partition, end)

    def recover(self, broker: int, partition: int, end: int) -> None:
        """D6, crash: the newest segment is replayed into a snapshot at its end, and that is read: one batch is known.

        Recovery begins with the snapshot of that segment. Without one, what retention deleted is not there any more,
        but for what the segment still has below the log start.
        """
        start, rolled = self.replayed_from(broker, partition, end), self.has_rolled(broker, partition)
        for pid in range(self.pids):
            known = self.replica[partition][broker].start[pid]
            oldest = known if rolled else max(known, start)
            found = self.row(broker, partition, pid, end, oldest)
            self.know(broker, partition, pid, found if rolled else self.replayed(broker, partition, pid, end, found))
        self.lose_rows(broker, partition, not rolled, start)
        self.reopen(broker, partition, end)

    def reload(self, broker: int, partition: int, end: int, cut: bool) -> None:
        """D4: where the log was cut, the newest snapshot that remains is loaded, and the log behind it replayed.

        A replica that knew no producer at all replays nothing. A snapshot is taken at the new end.
        """
        if not self._memory_moves():
            return
        replica, start = self.replica[partition][broker], self.log_start(broker, partition)
        newest = self.newest_snapshot(broker, partition, end)
        oldest = newest if newest > 0 else min(start, end)
        empty = self.knows_nothing(broker, partition)
        for pid in range(self.pids):
            found = self.row(broker, partition, pid, oldest, 0)
            whole = self.server.snapshot_holds == WHOLE_CACHE
            known = found if newest > 0 else oldest
            if whole:
                known = min(replica.start[pid], end)
            elif empty:
                known = end
            self.know(broker, partition, pid, known if cut else replica.start[pid])
        self.lose_rows(broker, partition, cut and newest == 0, start)
        if self.loses_rows and cut:
            replica.lost = min(replica.lost, end)
        self.keep_snapshots(
            broker,
            partition,
            lambda at: (at == end and start < end) if cut and end <= at else self.has_snapshot(broker, partition, at),
            lambda at: self.begins(broker, partition, at) and not (cut and end < at),
        )

    # -- segments below the log start ----------------------------------------------------------------------

    def replayed_from(self, broker: int, partition: int, end: int) -> int:
        """D6: where the recovery of a log begins, which reads a segment from its beginning.

        Where no records are left, what it has found is in a snapshot at the log start, which is none (D11).
        """
        start = self.log_start(broker, partition)
        return self.base[partition][broker] if self.keeps_bases and start < end else start

    def replayed(self, broker: int, partition: int, pid: int, end: int, found: int) -> int:
        """D6, D8: who has a record in a segment that reaches below the log start is known, but not who has expired."""
        if not self.keeps_bases or self.server.snapshot_holds == WHOLE_CACHE:
            return found
        begin = self.replayed_from(broker, partition, end)
        oldest = max(begin, self.expired[partition][broker])
        reaches_below = begin < self.log_start(broker, partition)
        return self.last_batch(partition, pid, oldest, end) if reaches_below else found

    def delete_segments(self, broker: int, partition: int, moved: bool) -> None:
        """D10: where the log start has moved, segments that end there or below go; the newest one stays."""
        if self.keeps_bases:
            start, base = self.log[partition].start, self.base[partition][broker]
            for at in range(1, self.log_capacity + 1):
                if moved and at <= start and self.begins(broker, partition, at) and base < at:
                    base = at
            self.base[partition][broker] = self.recovered_later(broker, base)

    def begin_afresh(self, broker: int, partition: int, at: int, afresh: bool) -> None:
        """D10, D12, B1.7: the only segment of a replica that is read begins there from now on, where that is so."""
        if self.keeps_bases:
            base = at if afresh else self.base[partition][broker]
            self.base[partition][broker] = self.recovered_later(broker, base)

    def cut_segments(self, broker: int, partition: int, end: int, cut: bool) -> None:
        """D4: a log that is cut below its oldest segment, where it is, has a new one."""
        for kept in (self.base, self.expired) if self.keeps_bases else ():
            offset = kept[partition][broker]
            kept[partition][broker] = self.recovered_later(broker, min(offset, end) if cut else offset)

    # -- snapshots -----------------------------------------------------------------------------------------

    def has_snapshot(self, broker: int, partition: int, at: int) -> bool:
        """Whether there is a snapshot at an offset."""
        return self.replica[partition][broker].snapshots[at] == 1 if self.keeps_snapshots else False

    def begins(self, broker: int, partition: int, at: int) -> bool:
        """Whether a segment begins at an offset, which then has a snapshot."""
        return self.replica[partition][broker].segments[at] == 1 if self.keeps_segments else False

    def has_rolled(self, broker: int, partition: int) -> bool:
        """Whether a segment begins above the log start."""
        return any(self.begins(broker, partition, at) for at in range(1, self.log_capacity + 1))

    def newest_snapshot(self, broker: int, partition: int, end: int) -> int:
        """The offset of the newest snapshot that a log cut at `end` keeps, 0 for none; see D4 for the range."""
        newest = 0
        for at in range(1, self.log_capacity + 1):
            if self.has_snapshot(broker, partition, at) and at <= end:
                newest = at
        return newest

    def keep_snapshots(
        self, broker: int, partition: int, kept: Callable[[int], bool], begun: Callable[[int], bool]
    ) -> None:
        """From now on there is a snapshot where `kept` says so, and a segment where `begun` does."""
        replica, matters = self.replica[partition][broker], self.is_read_later(broker)
        for at in range(1, self.log_capacity + 1) if self.keeps_snapshots else ():
            snapshot, segment = matters and kept(at), matters and begun(at)
            replica.snapshots[at] = snapshot
            if self.keeps_segments:
                replica.segments[at] = segment

    def reopen(self, broker: int, partition: int, end: int) -> None:
        """Of older snapshots only those remain with which a segment begins (removeStraySnapshots)."""
        start = self.log_start(broker, partition)
        self.keep_snapshots(
            broker,
            partition,
            lambda at: self.begins(broker, partition, at) or (at == end and start < end),
            lambda at: self.begins(broker, partition, at),
        )

    def roll_at(self, broker: int, partition: int, end: int) -> None:
        """B1.7, D6: a snapshot that is kept as long as the segment which begins there, above the log start or at it."""
        start = self.log_start(broker, partition)
        self.begin_afresh(broker, partition, end, start >= end)
        self.keep_snapshots(
            broker,
            partition,
            lambda at: self.has_snapshot(broker, partition, at) or (at == end and start < end),
            lambda at: self.begins(broker, partition, at) or (at == end and start < end),
        )

    def drop_snapshots(self, broker: int, partition: int, start: int, moved: bool) -> None:
        """D10: the log start of a replica has moved, where it has, and those at or below it go."""
        self.keep_snapshots(
            broker,
            partition,
            lambda at: self.has_snapshot(broker, partition, at) and not (moved and at <= start),
            lambda at: self.begins(broker, partition, at) and not (moved and at <= start),
        )

    def lose_rows(self, broker: int, partition: int, lost: bool, start: int) -> None:
        """No snapshot was loaded: whose records all lie below `start` is in none of those that come (D11)."""
        if self.loses_rows:
            replica = self.replica[partition][broker]
            replica.lost = self.read_later(broker, max(replica.lost, start) if lost else replica.lost)

    def knows_nothing(self, broker: int, partition: int) -> bool:
        """Whether the replica remembers no producer; without expiry it knows whoever is in its log."""
        if not self.expiries:
            return False
        places = [(at, pid) for at in range(self.log_capacity) for pid in range(self.pids)]
        return not any(self.is_known(broker, partition, at, pid) for at, pid in places)

    def row(self, broker: int, partition: int, pid: int, end: int, oldest: int) -> int:
        """D5: where the batch is that a snapshot at `end` has of a producer known from `oldest` on; `end`: no row.

        A row whose producer has expired is not loaded (D8), and a producer whose records are lost has none (D11).
        """
        if self.server.snapshot_holds == WHOLE_CACHE:
            return min(oldest, end)
        loaded_from = max(oldest, self.replica[partition][broker].lost) if self.loses_rows else oldest
        return self.last_batch(partition, pid, loaded_from, end)

    def last_batch(self, partition: int, pid: int, start: int, end: int) -> int:
        """Where the last batch of a producer is in a part of the log; `end` where there is none."""
        log, found = self.log[partition], end
        for at in range(self.log_capacity):
            entry = log.entries[at]
            mine = at < log.end and at < end and start <= at and entry.pid == pid
            if mine:
                found = at
        return found

    def know(self, broker: int, partition: int, pid: int, oldest: int) -> None:
        """From now on the replica knows of a producer what is in the log from `oldest` on."""
        self.replica[partition][broker].start[pid] = oldest if self.may_be_asked(broker) else 0

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
        if self.loses_rows:
            replica.lost = self.read_later(broker, replica.lost)
        if self.starts_apart:
            replica.log_start = self.asked_later(replica.log_start)
        if self.keeps_bases:
            self.base[partition][broker] = self.recovered_later(broker, self.base[partition][broker])
            self.expired[partition][broker] = self.recovered_later(broker, self.expired[partition][broker])
        matters = self.is_read_later(broker)
        for at in range(1, self.log_capacity + 1) if self.keeps_snapshots else ():
            replica.snapshots[at] = matters and replica.snapshots[at] == 1
            if self.keeps_segments:
                replica.segments[at] = matters and replica.segments[at] == 1

    def is_read_later(self, broker: int) -> bool:
        """Whether enough faults are left for a truncation: a leader is cut by an election, a follower leads before.

        One that has led is cut when it fetches, and that matters if it leads again.
        """
        cut = self.leader == broker or any(self.uncut(p, broker) for p in range(self.partitions))
        return (1 if cut else 2) <= self.faults_left

    def read_later(self, broker: int, offset: int) -> int:
        """An offset that matters to a later truncation only; 0 where none can come."""
        return offset if self.is_read_later(broker) else 0

    def is_recovered_later(self, broker: int) -> bool:
        """Whether enough faults are left for a crash of a replica that leads then, or is elected behind it."""
        alone = 1 if self.crashes else 2
        return (alone if self.leader == broker else alone + 1) <= self.faults_left

    def recovered_later(self, broker: int, offset: int) -> int:
        """An offset that matters to a recovery only; 0 where none can come."""
        return offset if self.is_recovered_later(broker) else 0

    def asked_later(self, start: int) -> int:
        """Where a follower's log begins; 0 where no fault is left that may ask for it."""
        return start if self.faults_left > 0 else 0

    def forget_below(self, broker: int, partition: int, start: int, forgets: bool) -> None:
        """D10 until 2.3, D12: no producer is known of what lies below an offset any more, where that is so."""
        replica = self.replica[partition][broker]
        for pid in range(self.pids):
            known = replica.start[pid]
            self.know(broker, partition, pid, max(known, start) if forgets else known)
        if self.loses_rows:
            replica.lost = self.read_later(broker, max(replica.lost, start) if forgets else replica.lost)

    def forget_deleted(self, broker: int, partition: int, moved: bool, end: int) -> None:
        """D10 until 2.3: who has no record from the log start on is forgotten; of others older batches stay, too."""
        replica, start = self.replica[partition][broker], self.log[partition].start
        for pid in range(self.pids):
            known = replica.start[pid]
            forgets = moved and self.last_batch(partition, pid, start, end) == end
            self.know(broker, partition, pid, max(known, start) if forgets else known)
        if self.loses_rows:
            replica.lost = self.read_later(broker, max(replica.lost, start) if moved else replica.lost)

    def forget(self, broker: int, partition: int, end: int) -> None:
        """D9: no producer is known any more; where nobody was, nothing has expired."""
        if self.keeps_bases:
            expired = self.expired[partition][broker] if self.knows_nothing(broker, partition) else end
            self.expired[partition][broker] = self.recovered_later(broker, expired)
        for pid in range(self.pids):
            self.know(broker, partition, pid, end)
        if self.loses_rows:
            self.replica[partition][broker].lost = self.read_later(broker, end)
