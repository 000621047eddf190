"""The state: what producer, connections, log and replicas remember, and the constants that bound it.

A feature that a scenario does not use costs no bit: its domain has one value.
"""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Bool, Constant, Enum, If, Int, Seq, Spec, assumption, initial, require

from .generation import GENERATIONS, KEEP_WIDEST, RENUMBER, WHOLE_CACHE, Generation
from .records import (
    ABSENT,
    ACKED,
    DUPLICATE,
    FAILED,
    FAULTS,
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
    Entry,
    Log,
    Replica,
    Request,
    TxnPartitionEntry,
)


class World(Spec):
    """Constants and variables of the Kafka model."""

    generation = Constant("current", "protocol generation of the client, see everystate.model.generation")
    broker_generation = Constant("", "generation of the brokers where it differs")
    batches = Constant(3, "batches to send, one record each")
    warm = Constant(1, "batches of each partition acknowledged before the first step; 0: none")
    partitions = Constant(1, "partitions; batch b belongs to partition b mod partitions")
    replicas = Constant(2, "replicas of each partition, 1 or 2")
    max_in_flight = Constant(2, "max.in.flight.requests.per.connection; 0: nothing is sent")
    window = Constant(0, "batches that a replica remembers of a producer; 0: what the generation says")
    wide_window = Constant(0, "producer.state.batches.to.retain where it is raised (KIP-1269); 0: nowhere")
    wide_replicas = Constant("", "the replicas that start with the raised value: 0, 1 or 01")
    acks = Constant("all", "acks: all, 1 or 0")
    min_insync = Constant(1, "min.insync.replicas; 0: as with 1")
    retries = Constant(-1, "retries of one batch, -1: no limit")
    epochs = Constant(2, "the highest producer epoch; 0: only the first")
    epoch_exhausts = Constant(False, "whether the highest epoch is 32767 of the real one (C9.2)")
    pids = Constant(1, "producer ids")
    modulus = Constant(0, "sequences wrap to 0 at this number; 0: never")
    spare = Constant(2, "room in the log beyond one entry for each batch; 0: none")
    survivors = Constant(0, "requests that may still be executed after their connection was closed")
    explicit_replication = Constant(False, "whether every fetch of the follower is a step")
    goals = Constant("", "events that must be reachable, comma separated, see everystate.model.properties")

    faults = Constant(1, "faults in one behaviour, of all kinds together; 0: none")
    disconnects = Constant(0, "lost connections")
    refusals = Constant(0, "retriable errors before the append (B1.2, B1.3)")
    late_errors = Constant(0, "retriable errors after the append (B6.3, B6.4)")
    invalid_records = Constant(0, "definite errors before the duplicate lookup (B1.1, B1.4 to B1.6)")
    too_large = Constant(0, "MESSAGE_TOO_LARGE for batch 0, which then has two records and splits (C11)")
    deadlines = Constant(0, "delivery timeouts")
    leader_changes = Constant(0, "clean elections")
    leader_crashes = Constant(0, "crashes of a leader, followed by a clean election")
    isr_shrinks = Constant(0, "times that the follower leaves the in-sync set")
    unclean_elections = Constant(0, "elections of a follower outside of the in-sync set")
    clean_restarts = Constant(0, "clean restarts of a broker")
    crashes = Constant(0, "crash restarts of a broker that does not lose its leadership")
    rolls = Constant(0, "segment rolls, which take a producer snapshot")
    retentions = Constant(0, "retention runs that delete everything below the high watermark")
    expiries = Constant(0, "expiries of the producer state of a replica")
    window_changes = Constant(0, "changes of producer.state.batches.to.retain on a replica")
    idle_changes = Constant(False, "whether the window changes only while nothing is in flight")
    producer_restarts = Constant(0, "restarts of the producer; the application sends again what was not acknowledged")
    foreign_appends = Constant(0, "batches of another producer")

    may_terminate = True

    @assumption
    def known_generation(self) -> bool:
        """generation and broker_generation are names in GENERATIONS"""
        return self.generation in GENERATIONS and (self.broker_generation or self.generation) in GENERATIONS

    @assumption
    def sizes_make_sense(self) -> bool:
        """1 or 2 replicas, at least one batch and partition, acks is all, 1 or 0"""
        return self.replicas in (1, 2) and min(self.batches, self.partitions) >= 1 and self.acks in ("all", "1", "0")

    @assumption
    def sequences_do_not_alias(self) -> bool:
        """a modulus of sequences is above window + in flight, as 2^31 is"""
        return self.modulus == 0 or self.modulus > (self.window or 5) + self.max_in_flight

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
        self.sending = range(self.batches)
        self.foreign = self.batches  # a record that is none of ours: of the warm start, or of another producer
        self.written_at_most = self.warm + len(self.batches_of(0))  # of a partition; none has more than the first
        self.log_capacity = self.written_at_most + self.spare
        self.retained = self.window or self.server.batches_remembered
        self.keeps_identity = not self.client.bumps
        self.last_sequence = (self.modulus or self.written_at_most) - 1
        drops_pid = self.epoch_exhausts or (self.client.idempotent and not self.client.bumps)
        self.no_pid = NO_PRODUCER_ID if drops_pid else 0  # what a batch off the wire has for a producer id
        self.moves_leader = any((self.leader_changes, self.leader_crashes, self.unclean_elections))
        self.order_matters = bool(self.deadlines and self.moves_leader and self.client.delivery_timeout)
        self.used_brokers = range(self.replicas if self.moves_leader else 1)
        self.snapshots = self._snapshots_are_read()
        self.rows_expire = bool(self.snapshots and self.expiries)
        self.widest = max(self.retained, self.wide_window) if self.server.shrunk_window == KEEP_WIDEST else 0

    def _declare_client(self) -> None:
        sequence = Int(0, self.last_sequence)
        position = Int(0, max(self.log_capacity, self.last_sequence))
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
                forgotten=Bool() if self.keeps_identity and self.client.idempotent else Int(0, 0),
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
        self.pids_used = Int(0, self.pids - 1)
        self.client_leader = Int(0, len(self.used_brokers) - 1)
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
                replicated=Int(0, self.log_capacity if self.replicas > 1 else 0),
            ),
        )
        moved = Array(self.pids, Int(0, self.log_capacity if self._memory_moves() else 0))
        taken = Int(0, self.log_capacity if self.snapshots else 0)
        expired = Int(0, self.log_capacity if self.rows_expire else 0)
        replica = Replica.of(start=moved, rolled=taken if self.rolls else Int(0, 0), saved=taken, expired=expired)
        self.replica = Array(self.partitions, Array(self.replicas, replica))
        self.wide = Array(self.replicas, self._wide())
        self.leader = Int(0, len(self.used_brokers) - 1)
        self.follower_in_sync = Bool() if self.replicas > 1 else Int(0, 0)
        request = Request.of(batch=batch, pid=pid, epoch=epoch, sequence=sequence, size=size)
        self.surviving = Seq(request, self.survivors)

    def _declare_budget(self) -> None:
        self.faults_left = Int(0, self.faults, init=self.faults)
        self.counted = tuple(kind for kind in FAULTS if 0 < getattr(self, kind) < self.faults)
        for kind in self.counted:
            setattr(self, f"{kind}_used", Int(0, getattr(self, kind)))

    def _wide(self) -> Any:
        return Bool() if self.wide_window else Int(0, 0)

    def _memory_moves(self) -> bool:
        """Whether any replica can remember less than its whole log."""
        kinds = ("clean_restarts", "crashes", "leader_crashes", "expiries", "retentions", "window_changes")
        return self.snapshots or any(getattr(self, kind) for kind in kinds)

    def _snapshots_are_read(self) -> bool:
        """Whether a truncation can find a snapshot: of a roll or a restart, or of an election two before (D4)."""
        elections = self.leader_changes + self.leader_crashes + self.unclean_elections
        earlier = self.rolls + self.clean_restarts + self.crashes + max(min(elections, self.faults) - 2, 0)
        told_apart = self.server.snapshot_holds != WHOLE_CACHE
        return self.replicas > 1 and self.faults > 1 and elections > 0 and earlier > 0 and told_apart

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
            if self.replicas > 1:
                log.replicated = self.warm
        if self.too_large:
            self.batch[1].status = ABSENT
        self.pid = 0
        for p in range(self.partitions):
            self.partition[p].pid = 0
        if self.replicas > 1:
            self.follower_in_sync = True
        for r in range(self.replicas):
            if self.wide_window and str(r) in self.wide_replicas:
                self.wide[r] = True

    def spend(self, kind: str) -> None:
        """One fault of a kind: from the budget of the behaviour, and from the cap of the kind where it has one."""
        require(self.faults_left > 0)
        require(getattr(self, kind) > 0)
        if kind in self.counted:
            used = getattr(self, f"{kind}_used")
            require(used < getattr(self, kind))
            setattr(self, f"{kind}_used", used + 1)
        self.faults_left -= 1

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
        return If(self.batch[1].status == ABSENT, 2, 1)

    def node(self, broker: int) -> str:
        """A broker's name in a story."""
        return f"broker {broker}"
