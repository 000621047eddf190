"""The constants: sizes, bounds, the budget of faults, and which of them go together."""

from __future__ import annotations

from everystate.checker import Constant, Spec, assumption

from .generation import GENERATIONS

ENDS = 3_000
"""Combinations of log ends that one step may choose from; each is a path of its own, or three (B6.5)."""


class Bounds(Spec):
    """The constants of the Kafka model, and which of them need another one."""

    generation = Constant("current", "protocol version of the client, see everystate.model.generation")
    broker_generation = Constant("", "protocol version of the brokers where it differs")
    batches = Constant(3, "batches to send, one record each")
    warm = Constant(1, "batches of each partition acknowledged before the first step; 0: none")
    partitions = Constant(1, "partitions; batch b belongs to partition b mod partitions")
    replicas = Constant(2, "replicas of each partition, 1 to 3")
    max_in_flight = Constant(2, "max.in.flight.requests.per.connection; 0: nothing is sent")
    window = Constant(0, "batches that a replica remembers of a producer; 0: what the protocol version says")
    wide_window = Constant(0, "producer.state.batches.to.retain where it is raised (KIP-1269); 0: nowhere")
    wide_replicas = Constant(
        "", "the replicas that start with the raised value: 0, 1, 01, ...; 0:1 is for partition 1 only"
    )
    acks = Constant("all", "acks: all, 1 or 0")
    min_insync = Constant(1, "min.insync.replicas; 0: as with 1; not more than there are replicas")
    elr = Constant(False, "eligible leader replicas (KIP-966): unclean_elections are of these only")
    retries = Constant(-1, "retries of one batch, -1: no limit")
    epochs = Constant(2, "the highest producer epoch; 0: only the first")
    epoch_exhausts = Constant(False, "whether the highest epoch is 32767 of the real one (C9.2)")
    pids = Constant(1, "producer ids")
    modulus = Constant(0, "sequences wrap to 0 at this number; 0: never")
    spare = Constant(2, "room in the log beyond one entry for each batch, at least 1")
    survivors = Constant(0, "requests that may still be executed after their connection was closed")
    explicit_replication = Constant(False, "whether every fetch of the follower is a step")
    goals = Constant("", "situations that must be reachable, by name, such as bump; in everystate.model.properties")

    faults = Constant(1, "faults in one behaviour, of all kinds together, at most; 0: none")
    disconnects = Constant(0, "lost connections")
    refusals = Constant(0, "retriable errors before the append (B1.2, B1.3)")
    late_errors = Constant(0, "retriable errors after the append (B6.3, B6.4)")
    invalid_records = Constant(0, "definite errors before the duplicate lookup (B1.1, B1.4 to B1.6)")
    too_large = Constant(0, "MESSAGE_TOO_LARGE for batch 0, which then has two records and splits (C11)")
    deadlines = Constant(0, "delivery timeouts")
    leader_changes = Constant(0, "clean elections")
    leader_crashes = Constant(0, "crashes of a leader, which leaves the in-sync set, followed by a clean election")
    isr_shrinks = Constant(0, "times that a follower falls behind and leaves the in-sync set")
    unclean_elections = Constant(0, "elections of a follower when nobody else in the in-sync set is left")
    clean_restarts = Constant(0, "clean restarts of a broker; a follower leaves the in-sync set")
    crashes = Constant(0, "crash restarts of a broker that stays leader; a follower leaves the in-sync set")
    power_cuts = Constant(0, "restarts of the leader, alone in sync, with less of one partition than it had")
    rolls = Constant(0, "segment rolls, which take a producer snapshot")
    retentions = Constant(0, "retention runs that delete everything below the high watermark")
    expiries = Constant(0, "expiries of the producer state of a replica")
    window_changes = Constant(0, "changes of producer.state.batches.to.retain on a replica")
    idle_changes = Constant(False, "whether the window changes only while nothing is in flight")
    producer_restarts = Constant(0, "restarts of the producer; the application sends again what was not acknowledged")
    foreign_appends = Constant(0, "batches of another producer")

    @assumption
    def known_generation(self) -> bool:
        """generation and broker_generation are names in GENERATIONS"""
        return self.generation in GENERATIONS and (self.broker_generation or self.generation) in GENERATIONS

    @assumption
    def sizes_make_sense(self) -> bool:
        """1 to 3 replicas, at least one batch, partition, producer id and spare place, acks is all, 1 or 0"""
        least = min(self.batches, self.partitions, self.pids, self.spare)
        return self.replicas in (1, 2, 3) and least >= 1 and self.acks in ("all", "1", "0")

    @assumption
    def sequences_do_not_alias(self) -> bool:
        """a modulus of sequences is above window + in flight, as 2^31 is"""
        return self.modulus == 0 or self.modulus > (self.window or 5) + self.max_in_flight

    # -- what a fault needs --------------------------------------------------------------------------------

    @assumption
    def a_follower(self) -> bool:
        """leader_changes, leader_crashes, isr_shrinks, unclean_elections and min_insync = 2 need two replicas"""
        kinds = (self.leader_changes, self.leader_crashes, self.isr_shrinks, self.unclean_elections)
        return self.replicas > 1 or (not any(kinds) and self.min_insync < 2)

    @assumption
    def ends_can_be_chosen(self) -> bool:
        """an election or a restart chooses the follower's log end in every partition at once, from 3,000 combinations
        at most: with more partitions, batches or spare places use explicit_replication, which makes each fetch a
        step"""
        elections = self.leader_changes + self.leader_crashes + self.unclean_elections
        if self.replicas == 1 or self.explicit_replication or not (elections + self.clean_restarts + self.crashes):
            return True
        places = -(-self.batches // self.partitions) + self.spare + 1
        hears = 3 if self.retentions and elections else 1  # nothing to hear of, heard, not heard yet
        return (places * hears) ** self.partitions <= ENDS

    @assumption
    def out_of_sync_first(self) -> bool:
        """unclean_elections need isr_shrinks or restarts: a follower that is in sync is elected cleanly"""
        restarts = self.leader_crashes + self.clean_restarts + self.crashes
        return not self.unclean_elections or self.isr_shrinks + restarts > 0

    @assumption
    def alone_first(self) -> bool:
        """power_cuts need one replica, isr_shrinks or restarts: else what a leader loses is at the others"""
        restarts = self.leader_crashes + self.clean_restarts + self.crashes
        return not self.power_cuts or self.replicas == 1 or self.isr_shrinks + restarts > 0

    @assumption
    def another_window(self) -> bool:
        """window_changes and wide_replicas need wide_window, idle_changes need window_changes"""
        wide = self.wide_window > 0 or not (self.window_changes or self.wide_replicas)
        return wide and (not self.idle_changes or self.window_changes > 0)

    @assumption
    def enough_producer_ids(self) -> bool:
        """every restart of the producer needs one of the pids, and the producer of foreign_appends one of its own"""
        return self.pids > self.producer_restarts + (1 if self.foreign_appends else 0)

    @assumption
    def somebody_waits(self) -> bool:
        """late_errors need acks = all and two replicas: only then does an answer wait after the append (B6.1, B6.2)"""
        return not self.late_errors or (self.acks == "all" and self.replicas > 1)

    @assumption
    def two_halves(self) -> bool:
        """too_large needs two batches or more in one partition, and no modulus"""
        return not self.too_large or (self.batches > 1 and self.partitions == 1 and not self.modulus)

    @assumption
    def a_closed_connection(self) -> bool:
        """survivors need disconnects"""
        return not self.survivors or self.disconnects > 0
