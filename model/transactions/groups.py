"""A consumer group that reads, processes and writes exactly once: who fences a member that has lost its partition.

Members read one partition of records. Each record is one transaction of the member's producer: what it writes, and
the offset behind the record, are committed together. What the other modules say of transactions is short here:
decisions are durable, markers are written one by one, nothing is delayed. Rules: T10.3 to T10.9, T10.11, T2.5, T5.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Record,
    Spec,
    action,
    assumption,
    eventually,
    fair,
    initial,
    invariant,
    narrate,
    reachable,
    require,
)


@dataclass(frozen=True)
class Fencing:
    """What keeps a member that has lost its partition from committing."""

    name: str
    versions: str
    id_of_partition: bool = False  # the transactional id is that of the partition, so the next producer fences (T2.5)
    by_group: bool = False  # T10.5: TxnOffsetCommit says of which member and generation it is
    stable: bool = False  # T10.4: offsets are not read while a transaction has some pending
    in_background: bool = False  # T10.8: the metadata are renewed while the application works on what it has
    revoked_in_background: bool = False  # T10.11: so is a partition given up that others are to have
    metadata_of_the_poll: bool = False  # the application keeps the metadata that it had when it polled
    by_assignment: bool = False  # no Kafka: the partition must be the member's, too

    @property
    def renews_at_work(self) -> bool:
        """Whether what a member sends with its offset can be newer than its record."""
        return self.in_background and not self.metadata_of_the_poll


KIP_447 = Fencing("2.5", "2.5 and later, classic groups", by_group=True, stable=True)
IN_BACKGROUND = replace(KIP_447, name="4.3", versions="4.2.2 and later, the consumer protocol", in_background=True)
GIVEN_UP = replace(
    IN_BACKGROUND, name="4.0", versions="4.0 to 4.2.1, the consumer protocol", revoked_in_background=True
)
FENCINGS: dict[str, Fencing] = {
    f.name: f
    for f in (
        Fencing("2.4", "until 2.4, a transactional id for each member"),
        Fencing("2.4-id-of-partition", "until 2.4, as it was meant to be used", id_of_partition=True),
        Fencing("2.5-without-metadata", "until 3.9, sendOffsetsToTransaction with the group's name", stable=True),
        replace(KIP_447, name="2.5-unstable", versions="none: the first half of KIP-447", stable=False),
        KIP_447,
        GIVEN_UP,
        IN_BACKGROUND,
        replace(GIVEN_UP, name="metadata-of-the-poll", versions="4.0, used in another way", metadata_of_the_poll=True),
        replace(GIVEN_UP, name="by-assignment", versions="none: a proposal", by_assignment=True),
    )
}

# -- a member
IDLE, FETCHING, READY = "between polls", "fetches its offset", "has a record"
PROCESSED, OFFERED, REFUSED = "has written", "has sent its offset", "must abort"
ENDING, OVER = "ending", "at its end"
STATUSES = (IDLE, FETCHING, READY, PROCESSED, OFFERED, REFUSED, ENDING, OVER)

# -- its transaction
NONE, ONGOING, PREPARE_COMMIT, PREPARE_ABORT = "none", "Ongoing", "PrepareCommit", "PrepareAbort"


class Member(Record):
    """A consumer and its producer; -1: no position, no record written, no offset pending.

    `current`: the member id and generation that it will send are those that the group coordinator has; `fenced`: its
    producer's epoch is over.
    """

    status: str
    current: bool
    fenced: bool
    position: int
    transaction: str
    written: int
    pending: int


class Group(Spec):
    """Exactly once in a consumer group: Kafka's KIP-447, and what was before it."""

    generation = Constant("2.5", "what fences")
    members = Constant(2, "members of the group, each with a producer")
    records = Constant(1, "records in the partition that they read")
    evictions = Constant(1, "members that lose the partition while they work on it")
    rebalances = Constant(0, "times that the partition is to go to another member, and nobody is late")
    stops = Constant(0, "members that stop for ever")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """what fences is one of the table in docs/reference/rules-transactions.md"""
        return self.generation in FENCINGS

    def variables(self) -> None:
        self.rules: Fencing = FENCINGS[self.generation]
        self.everybody = range(self.members)
        self.items = range(self.records)
        offset = Int(-1, self.records)
        self.member = Array(
            self.members,
            Member.of(
                status=Enum(*STATUSES),
                current=Bool(),
                fenced=Bool(),
                position=offset,
                transaction=Enum(NONE, ONGOING, PREPARE_COMMIT, PREPARE_ABORT),
                written=Int(-1, self.records - 1),
                pending=offset,
            ),
        )
        self.owner = Int(0, self.members - 1)
        self.offset = Int(0, self.records)
        self.copies = Array(self.records, Int(0, 2))
        self.evictions_left = Int(0, self.evictions, init=self.evictions)
        self.rebalances_left = Int(0, self.rebalances, init=self.rebalances)
        self.stops_left = Int(0, self.stops, init=self.stops)

    @initial
    def nothing_is_read(self) -> None:
        """All members have joined; the first one has the partition."""
        for m in self.everybody:
            me = self.member[m]
            me.current = True
            me.position = me.written = me.pending = -1

    def is_at_work(self, member: int) -> bool:
        """Whether the application has polled, and is not done with what it got."""
        status = self.member[member].status
        return status not in (IDLE, FETCHING, OVER)

    def others(self, member: int) -> list[Member]:
        """Everybody else."""
        return [self.member[m] for m in self.everybody if m != member]

    # -- the consumer --------------------------------------------------------------------------------------

    @fair
    @action(member="everybody")
    def poll(self, member: int) -> None:
        """T10.7: a member joins if it must, and learns what it has; its metadata are current then."""
        me = self.member[member]
        require(me.status == IDLE)
        require(not me.current or self.owner == member)
        if not me.current:
            me.position = -1
        me.current = True
        if self.owner == member:
            me.status = FETCHING if me.position < 0 else READY

    @fair
    @action(member=lambda w: w.everybody if w.rules.id_of_partition else ())
    def initialize_over(self, member: int) -> None:
        """T2.5: initTransactions with the partition's id, while a transaction of that id is ongoing."""
        require(self.member[member].status == FETCHING)
        require(any(other.transaction == ONGOING for other in self.others(member)))
        for other in self.others(member):
            self.fence(other)

    @fair
    @action(member="everybody")
    def fetch(self, member: int) -> None:
        """T10.4: OffsetFetch; before it, where the id is the partition's, initTransactions (T2.2, T2.4)."""
        me = self.member[member]
        require(me.status == FETCHING)
        if self.rules.id_of_partition:
            require(all(other.transaction == NONE for other in self.others(member)))
            for other in self.others(member):
                self.fence(other)
            me.fenced = False
        if self.rules.stable:
            require(all(other.pending < 0 for other in self.others(member)))
        me.position = self.offset
        me.status = READY
        narrate(f"offset {me.position}", source="group coordinator", target=f"member {member}")

    @action(member=lambda w: w.everybody if w.evictions and w.rules.renews_at_work else ())
    def rejoin(self, member: int) -> None:
        """T10.8: a heartbeat says that the member is out; it joins again, while the application works."""
        me = self.member[member]
        require(not me.current and self.is_at_work(member))
        me.current = True
        narrate("joins again, and has a new epoch", at=f"member {member}")

    @action(heir=lambda w: w.everybody if w.rebalances else ())
    def rebalance(self, heir: int) -> None:
        """T10.11: the owner gives the partition up, in poll or in the background, and another member gets it."""
        me, next_one = self.member[self.owner], self.member[heir]
        require(self.owner != heir and self.rebalances_left > 0)
        require(next_one.current and next_one.status == IDLE)
        require(me.status == IDLE or (self.rules.revoked_in_background and self.is_at_work(self.owner)))
        narrate(f"gives the partition up, member {heir} gets it", at=f"member {self.owner}")
        self.rebalances_left -= 1
        me.current = me.status == IDLE or self.rules.renews_at_work
        next_one.position = -1
        self.owner = heir

    # -- the transaction -----------------------------------------------------------------------------------

    @fair
    @action(member="everybody")
    def process(self, member: int) -> None:
        """A record is read, and what is made of it is written in a transaction."""
        me = self.member[member]
        require(me.status == READY)
        require(me.position < self.records)
        if me.fenced:
            self.die(member)
            return
        me.transaction, me.written, me.status = ONGOING, me.position, PROCESSED
        narrate(f"record {me.position} is processed", at=f"member {member}")

    @fair
    @action(member="everybody")
    def send_offset(self, member: int) -> None:
        """T10.1, T10.5: TxnOffsetCommit."""
        me = self.member[member]
        require(me.status == PROCESSED)
        if me.fenced:
            self.die(member)
            return
        stranger = not me.current
        if self.rules.by_assignment:
            stranger = stranger or self.owner != member
        if self.rules.by_group and stranger:
            me.status = REFUSED
            narrate("ILLEGAL_GENERATION or UNKNOWN_MEMBER_ID", source="group coordinator", target=f"member {member}")
            return
        me.pending, me.status = me.written + 1, OFFERED
        narrate(f"offset {me.pending}, pending", source=f"member {member}", target="group coordinator")

    @fair
    @action(member="everybody")
    def end(self, member: int) -> None:
        """T4.2, T10.6: EndTxn; the transaction of who was refused can only be aborted."""
        me = self.member[member]
        require(me.status == OFFERED or me.status == REFUSED)
        if me.fenced:
            self.die(member)
            return
        me.transaction = PREPARE_COMMIT if me.status == OFFERED else PREPARE_ABORT
        me.status = ENDING
        narrate(f"{me.transaction}", source="coordinator", target=f"member {member}")

    def fence(self, other: Member) -> None:
        """T5.1: the epoch of a producer is over, its ongoing transaction is aborted."""
        other.fenced = True
        if other.transaction == ONGOING:
            other.transaction = PREPARE_ABORT

    def die(self, member: int) -> None:
        """T9.6: a fatal error."""
        self.member[member].status = OVER
        narrate("PRODUCER_FENCED", source="coordinator", target=f"member {member}")

    def preparing(self, member: int) -> bool:
        """Whether markers are being written."""
        transaction = self.member[member].transaction
        return transaction in (PREPARE_COMMIT, PREPARE_ABORT)

    @fair
    @action(member="everybody")
    def mark_output(self, member: int) -> None:
        """T6.1: the marker in the partition that is written to."""
        me = self.member[member]
        require(self.preparing(member) and me.written >= 0)
        if me.transaction == PREPARE_COMMIT:
            self.copies[me.written] = min(2, self.copies[me.written] + 1)
        narrate(f"record {me.written}: {me.transaction}", at="leader of the output")
        me.written = -1

    @fair
    @action(member="everybody")
    def mark_offset(self, member: int) -> None:
        """T6.1, T10.1: the marker in __consumer_offsets decides the pending offset."""
        me = self.member[member]
        require(self.preparing(member) and me.pending >= 0)
        if me.transaction == PREPARE_COMMIT:
            self.offset = me.pending
        narrate(f"offset {me.pending}: {me.transaction}", at="group coordinator")
        me.pending = -1

    @fair
    @action(member="everybody")
    def complete(self, member: int) -> None:
        """T6.4: the producer goes on; after an abort the position is the committed offset again."""
        me = self.member[member]
        require(self.preparing(member) and me.written < 0 and me.pending < 0)
        me.position = me.position + 1 if me.transaction == PREPARE_COMMIT and me.status == ENDING else -1
        me.transaction = NONE
        if me.status == ENDING:
            me.status = IDLE

    # -- what goes wrong -----------------------------------------------------------------------------------

    def pass_on(self, heir: int) -> None:
        """The session of who has the partition ends; another member gets it."""
        me, next_one = self.member[self.owner], self.member[heir]
        require(self.owner != heir)
        require(next_one.current and next_one.status == IDLE)
        me.current = False
        next_one.position = -1
        self.owner = heir
        narrate(f"the partition is that of member {heir}", at="group coordinator")

    @action(heir=lambda w: w.everybody if w.evictions else ())
    def evict(self, heir: int) -> None:
        """The owner is silent for too long, and knows nothing of it."""
        require(self.is_at_work(self.owner))
        require(self.evictions_left > 0)
        self.evictions_left -= 1
        self.pass_on(heir)

    @fair
    @action(heir=lambda w: w.everybody if w.stops else ())
    def evict_who_stopped(self, heir: int) -> None:
        """The coordinator removes the owner of the partition, which has stopped, and another member takes over."""
        require(self.member[self.owner].status == OVER)
        self.pass_on(heir)

    @action(member=lambda w: w.everybody if w.stops else ())
    def stop(self, member: int) -> None:
        """A member stops, for ever."""
        require(self.member[member].status != OVER)
        require(self.stops_left > 0)
        self.stops_left -= 1
        self.member[member].status = OVER

    @fair
    @action(member=lambda w: w.everybody if w.stops else ())
    def time_out(self, member: int) -> None:
        """T5.2: the transaction of a member that stopped is aborted in the end."""
        me = self.member[member]
        require(me.status == OVER and me.transaction == ONGOING)
        self.fence(me)

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def NoDuplicate(self) -> bool:
        """what is made of a record is committed once"""
        return all(self.copies[i] <= 1 for i in self.items)

    @invariant
    def NoLoss(self) -> bool:
        """of every record before the committed offset the result is committed, or will be"""
        return all(self.offset <= i or self.copies[i] > 0 or self.will_be_committed(i) for i in self.items)

    def will_be_committed(self, item: int) -> bool:
        """Whether a decision to commit the result of a record is made, and its marker is still to come."""
        return any(me.transaction == PREPARE_COMMIT and me.written == item for me in self.member)

    @eventually
    def every_record_is_processed(self) -> bool:
        """the committed offset reaches the end, as long as a member is left"""
        return self.offset == self.records or all(me.status == OVER for me in self.member)

    @reachable
    def all_processed(self) -> bool:
        """every record can be processed, with as many faults as the scenario allows"""
        return (
            self.offset == self.records
            and self.evictions_left == 0
            and self.rebalances_left == 0
            and self.stops_left == 0
        )
