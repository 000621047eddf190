"""The faults: every one an action that spends from the budget of the behaviour. Recovery has no budget.

A fault that would change nothing is not enabled; a kind whose cap is 0 has no action instance.
"""

from __future__ import annotations

from everystate.checker import action, narrate, require

from .partition import Replication
from .records import APPENDED, FRESH, INVALID, QUEUED, RETRIABLE, RETRYING, SENT, TOO_LARGE, Entry


def brokers(kind: str) -> object:
    """The brokers that a kind of fault may hit: none when the scenario does not have it."""
    return lambda spec: range(spec.replicas if getattr(spec, kind) else 0)


def partitions(kind: str) -> object:
    """The partitions that a kind of fault may hit: none when the scenario does not have it."""
    return lambda spec: range(spec.partitions if getattr(spec, kind) else 0)


def leaders(kind: str) -> object:
    """The brokers that may ever lead, for a kind of fault that hits the connection to a leader."""
    return lambda spec: spec.used_brokers if getattr(spec, kind) else ()


def one(kind: str) -> object:
    """A parameter with a single value, and with none when the scenario does not have the kind of fault."""
    return lambda spec: range(1 if getattr(spec, kind) else 0)


def of_client(kind: str) -> object:
    """The batches that a kind of fault may hit: none when the scenario does not have it."""
    return lambda spec: spec.sending if getattr(spec, kind) else ()


class Faults(Replication):
    """What can go wrong."""

    # -- requests ------------------------------------------------------------------------------------------

    @action(broker=leaders("disconnects"))
    def disconnect(self, broker: int) -> None:
        """The connection is lost with its answers; some of the unread requests may still be executed (B7)."""
        link = self.connection[broker]
        require(len(link.requests) > 0)
        self.spend("disconnects")
        if self.survivors:
            self.let_survive(broker)
        self.lose_connection(broker)

    @action(broker="used_brokers", batch=of_client("refusals"))
    def refuse(self, broker: int, batch: int) -> None:
        """A retriable error before the append: NOT_ENOUGH_REPLICAS, a storage error, a corrupt message."""
        require(self.leader == broker)
        self.spend("refusals")
        self.next_request(broker, batch)
        narrate(f"b{batch}: nothing appended", at=self.node(broker))
        self.answer(broker, batch, RETRIABLE, 0, "NOT_ENOUGH_REPLICAS")

    @action(broker="used_brokers", batch=of_client("invalid_records"))
    def reject(self, broker: int, batch: int) -> None:
        """A definite error before the duplicate lookup: authorization, size, record validation (B1.1, B1.4 to B1.6)."""
        require(self.leader == broker)
        self.spend("invalid_records")
        self.next_request(broker, batch)
        narrate(f"b{batch}: invalid, told before the duplicate lookup", at=self.node(broker))
        self.answer(broker, batch, INVALID, 0)

    @action(broker="used_brokers", batch=lambda w: range(1 if w.too_large else 0))
    def find_too_large(self, broker: int, batch: int) -> None:
        """MESSAGE_TOO_LARGE, before the duplicate lookup (B1.4): the limit is below the size of the batch."""
        require(self.leader == broker and self.size(batch) == 2)
        self.spend("too_large")
        self.next_request(broker, batch)
        narrate(f"b{batch}: larger than max.message.bytes", at=self.node(broker))
        self.answer(broker, batch, TOO_LARGE, 0)

    @action(broker="used_brokers", batch=of_client("late_errors"))
    def answer_late(self, broker: int, batch: int) -> None:
        """A retriable error after the append: NOT_ENOUGH_REPLICAS_AFTER_APPEND or REQUEST_TIMED_OUT (B6.3, B6.4)."""
        link, state = self.connection[broker], self.batch[batch]
        require(self.leader == broker and link.handled > 0)
        require(len(link.requests) >= link.handled)
        require(link.requests[link.handled - 1] == batch)
        require(state.outcome == APPENDED)
        self.spend("late_errors")
        state.outcome, state.position, state.carried = RETRIABLE, 0, False
        narrate(f"b{batch}: in the log, but not replicated in time", at=self.node(broker))
        narrate(f"REQUEST_TIMED_OUT for b{batch}", source=self.node(broker), target="producer")

    # -- the producer --------------------------------------------------------------------------------------

    @action(session=one("producer_restarts"))
    def restart_producer(self, session: int) -> None:
        """A new process: the application sends again whatever was not acknowledged, under a new producer id."""
        require(self.pids_used < self.own_pids - 1)
        require(any(self.batch[b].status == SENT for b in self.sending))
        self.spend("producer_restarts")
        self.pids_used += 1
        self.pid, self.epoch = self.pids_used, 0
        self.client_leader = self.leader
        for broker in self.used_brokers:
            self.tell_lost(broker)
            self.connection[broker].requests.clear()
            self.connection[broker].handled = 0
        for b in self.sending:
            state = self.batch[b]
            open_ = state.status == SENT or state.status == RETRYING
            status = QUEUED if open_ else state.status
            self.leave_the_wire(b)
            self.finish(b, status)
        for p in range(self.partitions):
            entry = self.partition[p]
            entry.pid, entry.epoch, entry.next_sequence, entry.last_acked = self.pid, 0, 0, -1
            entry.unresolved, entry.rewrite, entry.last_acked_offset, entry.wide = -1, False, -1, False
        if self.deadlines:
            self.deadline, self.overdue = 0, 0  # what is sent again has a createdMs of its own
        narrate(f"restarts with producer id {self.pid}", at="producer")

    @action(batch=of_client("deadlines"))
    def delivery_timeout(self, batch: int) -> None:
        """The delivery timeout of a batch and of all older ones passes (C7; createdMs is in the order of creation)."""
        require(self.overdue == 0 and not self.overdue_batch(batch))
        require(self.pending(batch))
        self.spend("deadlines")
        self.deadline = self.created(batch) + 1
        self.overdue = FRESH
        narrate(f"the delivery timeout of b{batch} passes", at="producer")

    def pending(self, batch: int) -> bool:
        """Whether the future of a batch is open."""
        status = self.batch[batch].status
        return status in (QUEUED, RETRYING, SENT)

    # -- replicas ------------------------------------------------------------------------------------------

    @action(broker=brokers("leader_changes"))
    def change_leader(self, broker: int) -> None:
        """A clean election: an in-sync follower leads."""
        require(self.follows(broker))
        self.afford("leader_changes")
        ends, old, in_sync = self.follower_ends(broker), int(self.leader), self.followers_in_sync()
        self.spend("leader_changes")
        self.elect(broker, old, ends, in_sync)

    @action(broker=brokers("leader_crashes"))
    def crash_leader(self, broker: int) -> None:
        """The leader crashes and comes back as a follower out of the in-sync set; `broker`, in sync, leads."""
        require(self.follows(broker))
        self.afford("leader_crashes")
        ends, old, in_sync = self.follower_ends(broker), int(self.leader), self.followers_in_sync()
        self.spend("leader_crashes")
        narrate("crashes", at=self.node(old))
        self.lose_connection(old)
        for p in range(self.partitions):
            self.recover(old, p, self.log[p].end)
        self.elect(broker, old, ends, in_sync)
        self.leave_in_sync_set(old, crashed=True)

    @action(broker=brokers("isr_shrinks"))
    def shrink_isr(self, broker: int) -> None:
        """A follower falls behind and leaves the in-sync set."""
        require(self.follows(broker))
        self.spend("isr_shrinks")
        self.settle_for_shrink()
        self.leave_in_sync_set(broker, crashed=False)

    @action(broker=brokers("unclean_elections"))
    def elect_uncleanly(self, broker: int) -> None:
        """A follower leads that is not in sync, since the leader alone is: acknowledged records may be lost (D15).

        With eligible leader replicas only these are elected, and the old leader, which may come back, is one then.
        """
        require(self.leader != broker and self.alone())
        if self.elr:
            require(self.eligible[broker] == 1)
        self.afford("unclean_elections")
        ends, old, in_sync = self.follower_ends(broker), int(self.leader), self.followers_in_sync()
        self.spend("unclean_elections")
        narrate("is elected uncleanly", at=self.node(broker))
        self.lose_connection(old)
        self.elect(broker, old, ends, in_sync)
        self.in_sync[broker], self.in_sync[old] = True, not self.in_sync_matters()
        if self.elr:
            self.note_eligible(broker, False)
            self.note_eligible(old, True)

    @action(broker=brokers("clean_restarts"))
    def restart_cleanly(self, broker: int) -> None:
        """A clean restart: one batch of each producer is remembered afterwards (D6). A leader restarts in place."""
        self.afford("clean_restarts")
        leaves = self.begin_restart(broker)
        ends = [self.end_at(broker, p) for p in range(self.partitions)]
        for p, end in enumerate(ends):
            self.in_own_log(self.restart_cleanly_at, broker, p, end)
        self.spend("clean_restarts")  # not before: it clears what is lost, which the snapshot does not have
        narrate(lambda: self.memory_told(broker, "restarts cleanly"), at=self.node(broker))
        self.end_restart(broker, leaves, crashed=False)

    @action(broker=brokers("crashes"))
    def restart_after_crash(self, broker: int) -> None:
        """A crash without loss of written data: one batch of each producer is remembered afterwards, too (D6)."""
        self.afford("crashes")
        leaves = self.begin_restart(broker)
        ends = [self.end_at(broker, p) for p in range(self.partitions)]
        for p, end in enumerate(ends):
            self.in_own_log(self.recover, broker, p, end)
        self.spend("crashes")  # not before: it clears the segments, of which recovery asks
        narrate(lambda: self.memory_told(broker, "crashes and restarts"), at=self.node(broker))
        self.end_restart(broker, leaves, crashed=True)

    @action(
        broker=brokers("power_cuts"),
        partition=partitions("power_cuts"),
        end=lambda w: range(w.log_capacity if w.power_cuts else 0),
    )
    def lose_power(self, broker: int, partition: int, end: int) -> None:
        """D17: the leader, alone in sync, restarts without the end of a log; the others drop what it lacks."""
        log = self.log[partition]
        require(self.leader == broker and self.alone())
        require(log.start <= end and end < log.end)
        self.afford("power_cuts")
        for other in range(self.replicas):
            if other != broker:
                self.cut(other, partition, True)
                self.cut_shorter(other, partition, end)
        self.truncate(broker, partition, end)
        log.high_watermark = min(log.high_watermark, end)
        if self.keeps_epoch_starts:
            self.epoch_start[partition] = min(self.epoch_start[partition], end)
        for p in range(self.partitions):
            self.recover(broker, p, self.log[p].end)
        self.spend("power_cuts")
        narrate(lambda: self.memory_told(broker, "loses its power"), at=self.node(broker))
        self.end_restart(broker, False, crashed=True)

    def begin_restart(self, broker: int) -> bool:
        """Whether a broker that stops leaves the in-sync set: all do but the last one, and only that one leads on."""
        require(self.leader != broker or self.alone())
        leaves = self.replicas > 1 and self.follows(broker)
        if leaves:
            self.settle_for_shrink()
        return leaves

    def end_restart(self, broker: int, leaves: bool, crashed: bool) -> None:
        """B7: its connections are lost, and what it has not executed of those that were closed before."""
        self.lose_connection(broker)
        if self.survivors and self.leader == broker:
            self.surviving.clear()
        if leaves:
            self.leave_in_sync_set(broker, crashed)
        elif crashed and self.elr:
            self.note_eligible(broker, False)

    @action(broker=brokers("rolls"), partition=partitions("rolls"))
    def roll(self, broker: int, partition: int) -> None:
        """A segment roll takes a producer snapshot (B1.7)."""
        if self.keeps_snapshots:
            self.afford("rolls")
            end = self.end_at(broker, partition)
            self.spend("rolls")
            self.roll_at(broker, partition, end)
        else:
            self.spend("rolls")
        narrate(f"rolls the segment{self.of(partition)} and takes a producer snapshot", at=self.node(broker))

    @action(partition=partitions("retentions"))
    def delete_records(self, partition: int) -> None:
        """Retention deletes everything below the high watermark, which is at the log end (D10)."""
        log = self.log[partition]
        require(log.start < log.end)
        self.afford("retentions")
        has_all = [self.follows(b) or (self.leader != b and self.high_watermark_stands()) for b in range(self.replicas)]
        for b, has in enumerate(has_all):
            has_fetched = self.in_sync[b] == 1 or self.shared_end(b, partition, log.end) < log.end
            self.cut(b, partition, has and has_fetched)
            if self.starts_apart and has and not self.uncut(partition, b):
                self.settle_start(b, partition, log.end)
            elif self.starts_apart and self.leader != b and not has:
                self.follower_end(b, partition)
        self.spend("retentions")
        self.let_answers_leave(partition)
        log.start = log.end
        for b, has in enumerate(has_all):
            if has:
                self.replica[partition][b].replicated = log.end
        for broker in range(self.replicas):
            here = self.leader == broker if self.starts_apart else True
            self.lose_beginning(broker, partition, here, log.end)
            self.begin_afresh(broker, partition, log.end, here)
        place = self.node(self.leader) if self.starts_apart else "every replica"
        narrate("retention deletes every record", at=place)
        if self.keeps_bases:
            self.delete_everywhere(partition)

    @action(broker=brokers("expiries"), partition=partitions("expiries"))
    def expire_producers(self, broker: int, partition: int) -> None:
        """The producer state of a replica expires (D9); every log looks for itself."""
        self.afford("expiries")
        end = self.end_at(broker, partition)
        self.spend("expiries")
        self.in_own_log(self.forget, broker, partition, end)
        event = f"expires the producer state{self.of(partition)}"
        narrate(lambda: self.memory_told(broker, event), at=self.node(broker))

    @action(broker=brokers("window_changes"))
    def change_window(self, broker: int) -> None:
        """The broker sees another producer.state.batches.to.retain (K1); what it forgot stays forgotten."""
        self.spend("window_changes")
        if self.idle_changes:
            require(all(self.none_in_flight(p) for p in range(self.partitions)))
        for p in range(self.partitions):
            self.keep_forgotten(broker, p)
        self.wide[broker] = self.wide[broker] != 1
        number = self.wide_window if self.wide[broker] == 1 else self.retained
        narrate(lambda: self.memory_told(broker, f"remembers {number} batches from now on"), at=self.node(broker))

    def keep_forgotten(self, broker: int, partition: int) -> None:
        """A raised value does not bring back the batches that a smaller one had dropped."""
        end = self.end_at(broker, partition)
        self.in_own_log(self.keep_forgotten_of, broker, partition, end)

    def keep_forgotten_of(self, broker: int, partition: int, end: int) -> None:
        """The same of a log that ends at `end`."""
        window, replica = self.remembers(broker, partition), self.replica[partition][broker]
        for pid in range(self.pids):
            newer, oldest = 0, replica.start[pid]
            for at in reversed(range(self.log_capacity)):
                known = self.is_known(broker, partition, at, pid) and at < end and newer < window
                if known:
                    oldest = at
                    newer += 1
            self.know(broker, partition, pid, oldest)

    @action(partition=partitions("foreign_appends"))
    def append_foreign(self, partition: int) -> None:
        """Another producer writes a batch."""
        self.spend("foreign_appends")
        log = self.log[partition]
        log.entries[log.end] = Entry(batch=self.foreign, pid=self.pids - 1, epoch=0, sequence=0, size=1)
        log.end += 1
        narrate(f"a batch of another producer goes to offset {log.end - 1}", at=self.node(self.leader))
