"""A consumer group whose members share several partitions: what KIP-848 compares when a transaction covers two.

A member reads one record of each partition that it has, and commits results and offsets in one transaction. Epochs are
numbers here, since brokers compare them by partition from 4.3 on (KIP-1251). Offset and markers are one step, a
heartbeat and its answer, too. Rules: T10.3 to T10.8, T10.11.
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
    require,
)


@dataclass(frozen=True)
class Sharing:
    """What clients, brokers and the application do."""

    name: str
    versions: str
    revoked_in_background: bool = False  # T10.11
    of_the_poll: bool = False  # the application keeps the metadata that it had when it polled
    by_partition: bool = False  # T10.5: an older epoch is enough for a partition that the member has had since


CLIENTS_4_0 = Sharing("4.0", "4.0 to 4.2.0", revoked_in_background=True)
CLIENTS_4_3 = Sharing("4.3", "4.3 and later", by_partition=True)
POLLED_4_2 = Sharing("4.2-metadata-of-the-poll", "4.2.1 and later, brokers until 4.2", of_the_poll=True)
POLLED_4_3 = replace(CLIENTS_4_3, name="4.3-metadata-of-the-poll", of_the_poll=True)
MIXED = replace(
    POLLED_4_3,
    name="4.0-with-4.3-metadata-of-the-poll",
    versions="clients of 4.0 to 4.2.0, brokers from 4.3 on",
    revoked_in_background=True,
)
SHARINGS = {s.name: s for s in (CLIENTS_4_0, CLIENTS_4_3, POLLED_4_2, POLLED_4_3, MIXED)}

IDLE, WORKING, OFFERED, REFUSED = "between polls", "works", "has sent its offsets", "must abort"


class Sharer(Record):
    """A member: its epoch in the group, that of its last poll, and the partitions in its transaction."""

    status: str
    joined: bool
    epoch: int
    polled: int
    work: list[bool]


class SharedGroup(Spec):
    """Exactly once in a group that shares partitions, with the consumer protocol."""

    generation = Constant("4.3", "what clients and brokers do")
    members = Constant(2, "members of the group")
    partitions = Constant(2, "partitions with one record each; the first member has all of them")
    evictions = Constant(0, "members whose session ends while they work")
    rebalances = Constant(1, "partitions that go to another member")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """what clients and brokers do is one of everystate.model.transactions.shared"""
        return self.generation in SHARINGS

    def variables(self) -> None:
        self.rules: Sharing = SHARINGS[self.generation]
        self.everybody, self.places = range(self.members), range(self.partitions)
        epoch = Int(0, self.rebalances + 2 * self.evictions)
        self.member = Array(
            self.members,
            Sharer.of(
                status=Enum(IDLE, WORKING, OFFERED, REFUSED),
                joined=Bool(init=True),
                epoch=epoch,
                polled=epoch,
                work=Array(self.partitions, Bool()),
            ),
        )
        self.epoch = epoch
        self.owner = Array(self.partitions, Int(0, self.members - 1))
        self.since = Array(self.partitions, epoch)
        self.committed = Array(self.partitions, Bool())
        self.copies = Array(self.partitions, Int(0, 2))
        self.evictions_left = Int(0, self.evictions, init=self.evictions)
        self.rebalances_left = Int(0, self.rebalances, init=self.rebalances)

    @initial
    def one_has_all(self) -> None:
        """All members have joined, and the first one has every partition."""

    def pending(self, place: int) -> bool:
        """Whether an offset of a partition waits for the end of a transaction."""
        return any(me.status == OFFERED and me.work[place] for me in self.member)

    @fair
    @action(member="everybody")
    def poll(self, member: int) -> None:
        """T10.7, T10.4: a member gets the next record of each of its partitions that has a stable offset."""
        me = self.member[member]
        require(me.status == IDLE)
        if not me.joined:
            self.join(member)
        found = [self.owner[p] == member and not self.committed[p] and not self.pending(p) for p in self.places]
        require(any(found))
        me.polled, me.status = me.epoch, WORKING
        for p in self.places:
            me.work[p] = found[p]

    def join(self, member: int) -> None:
        """A member that was out of the group has a new epoch."""
        self.epoch += 1
        self.member[member].joined, self.member[member].epoch = True, self.epoch

    @fair
    @action(member="everybody")
    def send_offsets(self, member: int) -> None:
        """T10.5: TxnOffsetCommit of all partitions; one that is refused fails the request."""
        me = self.member[member]
        require(me.status == WORKING)
        sent = me.polled if self.rules.of_the_poll else me.epoch
        accepted = me.joined and (sent == me.epoch or (self.rules.by_partition and self.covers(member, sent)))
        me.status = OFFERED if accepted else REFUSED
        answer = "accepted" if accepted else "ILLEGAL_GENERATION or UNKNOWN_MEMBER_ID"
        narrate(f"epoch {sent} of {me.epoch}: {answer}", source="group coordinator", target=f"member {member}")

    def covers(self, member: int, epoch: int) -> bool:
        """Whether the partitions of a transaction have all been the member's since an epoch."""
        work = self.member[member].work
        return all(self.owner[p] == member and self.since[p] <= epoch for p in self.places if work[p])

    @fair
    @action(member="everybody")
    def end(self, member: int) -> None:
        """T10.1, T10.6: results and offsets are committed together, or aborted."""
        me = self.member[member]
        require(me.status == OFFERED or me.status == REFUSED)
        for p in self.places:
            if me.work[p] and me.status == OFFERED:
                self.copies[p] = min(2, self.copies[p] + 1)
                self.committed[p] = True
            me.work[p] = False
        me.status = IDLE

    # -- the group -----------------------------------------------------------------------------------------

    def assign(self, place: int, heir: int) -> None:
        """A partition is another member's from this epoch on."""
        self.owner[place], self.since[place] = heir, self.epoch
        self.member[heir].epoch = self.epoch

    @action(place=lambda w: w.places if w.rebalances else (), heir="everybody")
    def rebalance(self, place: int, heir: int) -> None:
        """T10.8, T10.11: a member gives up a partition, between polls or in the background, and another one gets it."""
        owner = self.owner[place]
        require(self.rebalances_left > 0 and owner != heir and self.member[heir].joined)
        require(self.member[owner].joined)
        require(self.member[owner].status == IDLE or self.rules.revoked_in_background)
        self.rebalances_left -= 1
        self.epoch += 1
        self.member[owner].epoch = self.epoch
        self.assign(place, heir)
        narrate(f"partition {place} is that of member {heir} from epoch {self.epoch} on", at="group coordinator")

    @fair
    @action(member=lambda w: w.everybody if w.evictions or w.members > 2 else ())
    def heartbeat(self, member: int) -> None:
        """T10.8: a member has the epoch of the group, though its partitions stay."""
        me = self.member[member]
        require(me.joined and me.epoch < self.epoch)
        me.epoch = self.epoch

    @action(member=lambda w: w.everybody if w.evictions else (), heir="everybody")
    def evict(self, member: int, heir: int) -> None:
        """The session of a member that works ends, and another one gets its partitions."""
        me = self.member[member]
        require(self.evictions_left > 0 and member != heir and self.member[heir].joined)
        require(me.joined and me.status == WORKING)
        self.evictions_left -= 1
        self.epoch += 1
        me.joined = False
        for p in self.places:
            if self.owner[p] == member:
                self.assign(p, heir)
        narrate(f"member {member} is out of the group", at="group coordinator")

    @action(member=lambda w: w.everybody if w.evictions else ())
    def rejoin(self, member: int) -> None:
        """T10.8: the background thread joins again, while the application works."""
        require(not self.member[member].joined and self.member[member].status == WORKING)
        self.join(member)

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def NoDuplicate(self) -> bool:
        """what is made of a record is committed once"""
        return all(self.copies[p] <= 1 for p in self.places)

    @invariant
    def NoLoss(self) -> bool:
        """the result of a record behind a committed offset is committed"""
        return all(self.copies[p] > 0 for p in self.places if self.committed[p])

    @invariant
    def NoNeedlessRefusal(self) -> bool:
        """a transaction is not refused whose partitions have been the member's since it polled"""
        return not any(me.status == REFUSED and self.covers(m, me.polled) for m, me in enumerate(self.member))

    @eventually
    def every_record_is_processed(self) -> bool:
        """every offset is committed"""
        return all(self.committed)
