"""The state: what producer, connections, log and replicas remember.

A feature that a scenario does not use costs no bit: its domain has one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everystate.checker import Array, Bool, Enum, Int, Seq, initial, require

from .bounds import Bounds
from .fault_table import FAULTS, FORGETTING
from .generation import (
    ANOTHER_EPOCH,
    GENERATIONS,
    KEEP_WIDEST,
    RENUMBER,
    SHIFT,
    SMALLEST_IN_SYNC,
    WHOLE_CACHE,
    Generation,
)
from .records import (
    ABSENT,
    ACKED,
    DUPLICATE,
    FAILED,
    MISREPORTED,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    OUTCOMES,
    QUEUED,
    RETRYING,
    SENT,
    TOO_LARGE,
    UNKNOWN,
    UNKNOWN_PRODUCER,
    Batch,
    Connection,
    DivergentTail,
    Entry,
    Log,
    Replica,
    Request,
    TxnPartitionEntry,
)


class Variables(Bounds):
    """Variables of the Kafka model."""

    may_terminate = True

    if TYPE_CHECKING:  # what the layers below ask of those above

        def on_connection(self, broker: int, batch: int) -> bool: ...
        def turns_on(self, broker: int) -> list[int]: ...
        def answer_left(self, broker: int, batch: int) -> None: ...
        def answer_before_left(self, broker: int) -> None: ...
        def uncut(self, partition: int, broker: int) -> bool: ...
        def in_sync_matters(self) -> bool: ...

    # -- state ---------------------------------------------------------------------------------------------

    def variables(self) -> None:
        self._derive()
        self._declare_client()
        self._declare_brokers()
        self._declare_budget()

    def _derive(self) -> None:
        """Constants that follow from others."""
        self.client: Generation = GENERATIONS[self.generation]
        self.server: Generation = GENERATIONS[self.broker_generation or self.generation]
        self.budget = min(self.faults, sum(getattr(self, kind) for kind in FAULTS))
        self.sending = range(self.batches)
        self.foreign = self.batches  # a record that is none of ours: of the warm start, or of another producer
        self.written_at_most = self.warm + len(self.batches_of(0))  # of a partition; none has more than the first
        self.log_capacity = self.written_at_most + self.spare
        self.retained = self.window or self.server.batches_remembered
        self.keeps_identity = not self.client.bumps
        self.compares_pairs = self.client.old_pairs_ignored
        self.compares_offsets = self.client.unknown_producer == RENUMBER and self.retentions > 0
        shifts = self.client.failed_batch == SHIFT and self.client.idempotent
        self.shifts_when_lost = shifts and self.client.told_again and self.deadlines > 0
        self.last_sequence = (self.modulus or self.written_at_most) - 1
        drops_pid = self.epoch_exhausts or (self.client.idempotent and not self.client.bumps)
        self.no_pid = NO_PRODUCER_ID if drops_pid else 0  # what a batch off the wire has for a producer id
        self.own_pids = self.pids - 1 if self.foreign_appends else self.pids  # the last one is the other producer's
        self.moves_leader = any((self.leader_changes, self.leader_crashes, self.unclean_elections))
        restarts = self.clean_restarts + self.crashes + self.leader_crashes + self.power_cuts
        self.follower_leaves = self.replicas > 1 and bool(self.isr_shrinks or restarts)  # the in-sync set
        self.order_matters = bool(self.deadlines and self.moves_leader and self.client.delivery_timeout)
        self.wide_from_the_start, _, self.wide_topics = self.wide_replicas.partition(":")
        self.tells_epochs = self.moves_leader and self.client.limit_restarts == ANOTHER_EPOCH
        self.used_brokers = range(self.replicas if self.moves_leader else 1)
        told = bool(self.wide_window) and self.server.advertised_window == SMALLEST_IN_SYNC
        waits = self.acks == "all"  # B1.3, B6.7
        self.least_in_sync = min(self.min_insync, self.replicas)  # Partition#effectiveMinIsr
        too_few = waits and self.least_in_sync > 1
        self.always_in_sync_asked = too_few or told
        later = self.leader_changes or self.late_errors or (too_few and self.follower_leaves)
        self.refuses_later = waits and bool(later)  # B6.3 to B6.5
        self.starts_apart = bool(self.retentions and self.moves_leader)
        elections = self.leader_changes + self.leader_crashes + self.unclean_elections
        self.keeps_tails = bool(self.unclean_elections and min(elections, self.budget) > 1)
        self.keeps_epoch_starts = self.replicas > 2 and self.moves_leader and self.follower_leaves
        self.keeps_snapshots = self._snapshots_are_read()
        self.keeps_segments = bool(self.keeps_snapshots and self.rolls and restarts)
        read = self.keeps_snapshots and (self.expiries or self.retentions)
        self.loses_rows = bool(read or (self.power_cuts and self.expiries))
        crashes = self.crashes + self.leader_crashes
        self.keeps_bases = bool(self.starts_apart and self.pids > 1 and crashes and self.budget > 2)
        self.widest = max(self.retained, self.wide_window) if self.server.shrunk_window == KEEP_WIDEST else 0

    def _declare_client(self) -> None:
        sequence = Int(0, self.last_sequence)
        offsets = self.log_capacity * (2 if self.compares_offsets else 1)  # see offset_told
        position = Int(0, max(offsets, self.last_sequence))
        pid, epoch = Int(self.no_pid, self.pids - 1), Int(0, self.epochs)
        used = [o for o in OUTCOMES if o not in (UNKNOWN_PRODUCER, DUPLICATE, TOO_LARGE)]
        used += [TOO_LARGE] * bool(self.too_large)
        used += [UNKNOWN_PRODUCER] * (self.server.unknown_pid == "59") + [DUPLICATE] * self.server.duplicate_answer_46
        wide = self._wide()
        self.batch = Array(
            self.batches,
            Batch.of(
                status=Enum(QUEUED, RETRYING, SENT, ACKED, MISREPORTED, FAILED, UNKNOWN, ABSENT),
                sequence=sequence,
                attempts=Int(0, 1 if self.retries < 0 else self.retries),
                reopened=Bool() if self.client.idempotent else Int(0, 0),
                forgotten=Bool() if self._batches_are_forgotten() else Int(0, 0),
                pid=pid,
                epoch=epoch,
                position=position,
                outcome=Enum(*used),
                carried=wide,
            ),
        )
        if self.order_matters:
            self.drained_behind = Array(self.batches, Bool())  # a younger one on another connection, see note_order
        self.partition = Array(
            self.partitions,
            TxnPartitionEntry.of(
                pid=pid,
                epoch=epoch,
                next_sequence=Int(0, self.last_sequence if self.modulus else self.written_at_most),
                last_acked=Int(NO_SEQUENCE, self.last_sequence),
                last_acked_offset=Int(-1, self.log_capacity if self.client.unknown_producer == RENUMBER else -1),
                unresolved=Int(-1, self.last_sequence + 1 if self.deadlines else -1),
                rewrite=Bool() if self.client.bumps else Int(0, 0),
                wide=wide if self.client.window_discovered else Int(0, 0),
            ),
        )
        self.pid, self.epoch = Int(self.no_pid, self.pids - 1), Int(0, self.epochs)
        self.pids_used = Int(0, self.own_pids - 1)
        self.client_leader = Int(0, len(self.used_brokers) - 1)
        if self.tells_epochs:
            self.leader_epoch_is_new = Bool()  # the client has not learnt of the last election
        self.deadline = Int(0, self.batches if self.deadlines else 0)
        self.overdue = Int(0, 2 if self.deadlines else 0)

    def _declare_brokers(self) -> None:
        batch = Int(0, self.batches - 1)
        pid, epoch = Int(self.no_pid, self.pids - 1), Int(0, self.epochs)
        sequence, at = Int(0, self.last_sequence), Int(0, self.log_capacity)
        self.connection = Array(
            len(self.used_brokers),
            Connection.of(requests=Seq(batch, self.max_in_flight), handled=Int(0, self.max_in_flight)),
        )
        size = Int(1, 2 if self.too_large else 1)
        entry = Entry.of(batch=Int(0, self.foreign), pid=pid, epoch=epoch, sequence=sequence, size=size)
        self.log = Array(
            self.partitions,
            Log.of(
                entries=Array(self.log_capacity, entry),
                end=at,
                start=Int(0, self.log_capacity if self.retentions else 0),
                high_watermark=Int(0, self.log_capacity if self.refuses_later else 0),
            ),
        )
        if self.keeps_tails:
            owner = Int(0, self.replicas - 1 if self.replicas > 2 else 0)
            tail = DivergentTail.of(entries=Array(self.log_capacity, entry), start=at, end=at, owner=owner)
            self.tail = Array(self.partitions, tail)
        if self.keeps_epoch_starts:
            self.epoch_start = Array(self.partitions, at)  # where the log of the leader ended when it began to lead
        moved = Array(self.pids, Int(0, self.log_capacity if self._memory_moves() else 0))
        offsets = self.log_capacity + 1
        replica = Replica.of(
            replicated=Int(0, self.log_capacity if self.replicas > 1 else 0),
            log_start=Int(0, self.log_capacity if self.starts_apart else 0),
            start=moved,
            snapshots=Array(offsets if self.keeps_snapshots else 1, Bool() if self.keeps_snapshots else Int(0, 0)),
            segments=Array(offsets if self.keeps_segments else 1, Bool() if self.keeps_segments else Int(0, 0)),
            lost=Int(0, self.log_capacity if self.loses_rows else 0),
        )
        self.replica = Array(self.partitions, Array(self.replicas, replica))
        if self.keeps_bases:
            self.base = Array(self.partitions, Array(self.replicas, at))  # where its oldest segment begins
            expired = Int(0, self.log_capacity if self.expiries else 0)
            self.expired = Array(self.partitions, Array(self.replicas, expired))  # whoever wrote last below it (D8)
        self.wide = Array(self.replicas, self._wide())
        self.leader = Int(0, len(self.used_brokers) - 1)
        self.in_sync = Array(self.replicas, Bool() if self.replicas > 1 else Int(0, 0))  # the leader always is
        if self.elr:
            self.eligible = Array(self.replicas, Bool())  # KIP-966: outside of the in-sync set, with all that was acked
        request = Request.of(batch=batch, pid=pid, epoch=epoch, sequence=sequence, size=size)
        self.surviving = Seq(request, self.survivors)

    def _declare_budget(self) -> None:
        self.faults_left = Int(0, self.budget, init=self.budget)
        self.counted = tuple(kind for kind in FAULTS if 0 < getattr(self, kind) < self.budget)
        for kind in self.counted:
            setattr(self, f"{kind}_used", Int(0, getattr(self, kind)))

    def _batches_are_forgotten(self) -> bool:
        """Whether a batch can outlive its id or epoch: unfinished until 2.4, expired on the wire in 2.5 to 2.7.0."""
        return (self.keeps_identity and self.client.idempotent) or bool(self.compares_pairs and self.deadlines)

    def _wide(self) -> Any:
        return Bool() if self.wide_window else Int(0, 0)

    def _memory_moves(self) -> bool:
        """Whether any replica can remember less than its whole log."""
        return self.keeps_snapshots or any(getattr(self, kind) for kind in FORGETTING)

    def _snapshots_are_read(self) -> bool:
        """Whether a truncation can find a snapshot: of a roll or a restart, or of an election two before (D4).

        Without one, recovery can find in that of a roll a producer whose records are deleted (D6).
        """
        elections = self.leader_changes + self.leader_crashes + self.unclean_elections
        earlier = self.rolls + self.clean_restarts + self.crashes + max(min(elections, self.budget) - 2, 0)
        truncated = self.budget > 1 and elections > 0 and earlier > 0
        recovered = self.budget > 2 and self.pids > 1 and self.retentions and self.rolls and self.crashes
        return self.server.snapshot_holds != WHOLE_CACHE and bool(truncated or recovered)

    @initial
    def warm_start(self) -> None:
        """The first `warm` batches of each partition are in the log of every replica and acknowledged."""
        for p in range(self.partitions):
            log, entry = self.log[p], self.partition[p]
            for sequence in range(self.warm):
                log.entries[sequence] = Entry(batch=self.foreign, pid=0, epoch=0, sequence=sequence, size=1)
            log.end = self.warm
            entry.next_sequence = self.warm
            entry.last_acked = self.warm - 1
            if self.client.unknown_producer == RENUMBER:
                entry.last_acked_offset = self.warm - 1
            for r in range(1, self.replicas):
                self.replica[p][r].replicated = self.warm
        if self.too_large:
            self.batch[1].status = ABSENT
        self.pid = 0
        for p in range(self.partitions):
            self.partition[p].pid = 0
        for r in range(self.replicas):
            if self.replicas > 1:
                self.in_sync[r] = True
            if self.wide_window and str(r) in self.wide_from_the_start:
                self.wide[r] = True

    def afford(self, kind: str) -> None:
        """That a fault of a kind is left: of the budget of the behaviour, and of the cap of the kind where it has one.

        An action that chooses before it may spend asks this first: else plain Python tries every choice in vain.
        """
        require(self.faults_left > 0)
        require(getattr(self, kind) > 0)
        if kind in self.counted:
            require(getattr(self, f"{kind}_used") < getattr(self, kind))

    def spend(self, kind: str) -> None:
        """One fault of a kind, which must be left."""
        self.afford(kind)
        if kind in self.counted:
            used = f"{kind}_used"
            setattr(self, used, getattr(self, used) + 1)
        self.faults_left -= 1

    # -- who is in sync ------------------------------------------------------------------------------------

    def follows(self, broker: int) -> bool:
        """Whether a broker is a follower that is in sync."""
        return self.leader != broker and self.in_sync[broker] == 1

    def followers_in_sync(self) -> list[bool]:
        """Of each broker, whether it is a follower that is in sync."""
        return [self.follows(broker) for broker in range(self.replicas)]

    def members_in_sync(self) -> int:
        """The size of the in-sync set."""
        return 1 + sum(self.followers_in_sync())

    def alone(self) -> bool:
        """Whether the leader is the only member of the in-sync set."""
        return not any(self.followers_in_sync())

    # -- words ---------------------------------------------------------------------------------------------

    def partition_of(self, batch: int) -> int:
        """The partition of a batch."""
        return batch % self.partitions

    def batches_of(self, partition: int) -> list[int]:
        """The batches to be sent to a partition, in the order of creation."""
        return [b for b in self.sending if self.partition_of(b) == partition]

    def size(self, batch: int) -> int:
        """How many records a batch has: one, but two for batch 0 until it is split (C11)."""
        if not self.too_large or batch != 0:
            return 1
        return 2 if self.batch[1].status == ABSENT else 1

    def of(self, partition: int) -> str:
        """Which partition, in a story that has several."""
        return f" of partition {partition}" if self.partitions > 1 else ""

    def node(self, broker: int) -> str:
        """A broker's name in a story."""
        return f"broker {broker}"
