"""Where a follower cuts its log: high watermark or leader epochs, and what was wrong (KIP-101, KIP-279, KIP-595).

A record is the epoch in which a leader has written it, at an offset. Every replica is in sync and may be elected; who
led before knows it at once. All else that can happen is the order of fetches, truncations and elections. The epoch
cache of a replica has the offset at which each epoch begins. Rules: D1, D3, D4, D12.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
    Record,
    Seq,
    Spec,
    action,
    assumption,
    eventually_always,
    fair,
    initial,
    invariant,
    narrate,
    require,
)

UNKNOWN = -1


@dataclass(frozen=True)
class Truncation:
    """What followers and leaders of some releases do."""

    name: str
    versions: str
    by_epoch: bool = True  # KIP-101: the follower asks where its last epoch ends; before, it cuts at its high watermark
    epoch_in_answer: bool = False  # KIP-279: the answer says of which epoch it is
    noted_at_election: bool = False  # KAFKA-7415: a leader notes its epoch before it writes
    cache_always_cut: bool = False  # KAFKA-10706: the cache, too, where the log has nothing to cut
    in_fetch: bool = False  # KIP-595: fetches have the last epoch, and answers say where it ends
    diverging_counts: bool = False  # KAFKA-13141: such a fetch moves the high watermark


HIGH_WATERMARK = Truncation("high-watermark", "until 0.10", by_epoch=False)
KIP_101 = Truncation("kip-101", "0.11 to 1.1")
KIP_279 = replace(KIP_101, name="kip-279", versions="2.0.0", epoch_in_answer=True)
NOTED = replace(KIP_279, name="kafka-7415", versions="2.0.1 to 2.5", noted_at_election=True)
CLEANED = replace(NOTED, name="kafka-10706", versions="2.6.3", cache_always_cut=True)
IN_FETCH = replace(CLEANED, name="kip-595", versions="2.7.0, 2.7.1 and 2.8.0", in_fetch=True, diverging_counts=True)
CURRENT = replace(IN_FETCH, name="kafka-13141", versions="2.7.2, 2.8.1, 3.0 and later", diverging_counts=False)
TRUNCATIONS = {t.name: t for t in (HIGH_WATERMARK, KIP_101, KIP_279, NOTED, CLEANED, IN_FETCH, CURRENT)}


class Replica(Record):
    """The log as the epochs of its records, where each epoch begins in the cache, and the high watermark.

    `asks`: whether it is to cut its log before it fetches. `seen` is where the leader knows it to be.
    """

    log: list[int]
    begins: list[int]
    high_watermark: int
    asks: bool
    seen: int


class LeaderEpochs(Spec):
    """Replicas of one partition, all in sync, whose leader changes often."""

    generation = Constant("kafka-13141", "how followers cut their logs")
    replicas = Constant(2, "replicas of the partition")
    warm = Constant(1, "records of epoch 0 that every replica has at first, and knows to be committed")
    records = Constant(3, "records that a log has at most")
    elections = Constant(2, "changes of the leader")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """the way to cut logs is one of everystate.model.truncation"""
        return self.generation in TRUNCATIONS

    def variables(self) -> None:
        self.rules: Truncation = TRUNCATIONS[self.generation]
        self.brokers, self.last = range(self.replicas), self.elections
        offset = Int(0, self.records)
        self.replica = Array(
            self.replicas,
            Replica.of(
                log=Seq(Int(0, self.last), self.records),
                begins=Array(self.elections + 1, Int(UNKNOWN, self.records)),
                high_watermark=offset,
                asks=Bool(),
                seen=offset,
            ),
        )
        self.leader = Int(0, self.replicas - 1)
        self.epoch = Int(0, self.last)
        self.committed = Seq(Int(0, self.last), self.records)

    @initial
    def all_are_alike(self) -> None:
        """Broker 0 leads in epoch 0, and all logs have the same records."""
        for b in self.brokers:
            me = self.replica[b]
            for e in range(self.elections + 1):
                me.begins[e] = UNKNOWN
            if self.warm or (b == 0 and self.rules.noted_at_election):
                me.begins[0] = 0
            for _ in range(self.warm):
                me.log.append(0)
            me.high_watermark = self.warm
        for _ in range(self.warm):
            self.committed.append(0)

    # -- the epoch cache -----------------------------------------------------------------------------------

    def latest(self, broker: int) -> int:
        """The last epoch of the cache."""
        found = UNKNOWN
        for e in range(self.elections + 1):
            found = e if self.replica[broker].begins[e] != UNKNOWN else found
        return found

    def note(self, broker: int, epoch: int) -> None:
        """An epoch begins at the end of the log; what is not below it in the cache goes."""
        me = self.replica[broker]
        end = len(me.log)
        for e in range(self.elections + 1):
            if e == epoch:
                me.begins[e] = end
            elif e > epoch or me.begins[e] >= end:
                me.begins[e] = UNKNOWN

    def end_of(self, broker: int, epoch: int) -> tuple[int, int]:
        """The largest epoch up to one that is asked for, and where it ends; UNKNOWN where the cache cannot say."""
        me, latest = self.replica[broker], self.latest(broker)
        floor, end = UNKNOWN, UNKNOWN
        for e in range(self.elections + 1):
            begins = me.begins[e]
            floor = e if begins != UNKNOWN and e <= epoch else floor
            end = begins if end == UNKNOWN and begins != UNKNOWN and e > epoch else end
        known = epoch != UNKNOWN and (floor != UNKNOWN or self.rules.noted_at_election) and end != UNKNOWN
        if epoch == latest and epoch != UNKNOWN:
            return epoch, len(me.log)
        return (floor if floor != UNKNOWN else epoch) if known else UNKNOWN, end if known else UNKNOWN

    # -- logs ----------------------------------------------------------------------------------------------

    def cut(self, broker: int, end: int) -> None:
        """D4: the log has no more than `end` records."""
        me = self.replica[broker]
        before = len(me.log)
        for e in range(self.elections + 1):
            stays = end >= before and not self.rules.cache_always_cut
            if not stays and me.begins[e] >= end:
                me.begins[e] = UNKNOWN
        for _ in range(self.records):
            if len(me.log) > end:
                me.log.pop()
        me.high_watermark = min(me.high_watermark, end)
        narrate(f"has {min(before, end)} of {before} records left", at=f"broker {broker}")

    def add(self, broker: int, epoch: int) -> None:
        """A record is appended, and its epoch noted."""
        if self.latest(broker) != epoch:
            self.note(broker, epoch)
        self.replica[broker].log.append(epoch)

    @action
    def write(self) -> None:
        """The leader writes a record."""
        for b in self.brokers:
            if self.leader == b:
                require(len(self.replica[b].log) < self.records)
                self.add(b, self.epoch)
                narrate(f"a record of epoch {self.epoch}", at=f"broker {b}")

    @action(broker="brokers")
    def elect(self, broker: int) -> None:
        """D3: another replica leads, in a new epoch; all others are to cut their logs."""
        require(self.leader != broker and self.epoch < self.elections)
        self.leader, self.epoch = broker, self.epoch + 1
        for b in self.brokers:
            self.replica[b].asks, self.replica[b].seen = b != broker and not self.rules.in_fetch, 0
        if self.rules.noted_at_election:
            self.note(broker, self.epoch)
        narrate(f"leads in epoch {self.epoch}", at=f"broker {broker}")

    def see(self, leader: int, follower: int, offset: int) -> None:
        """The leader knows where a follower is, and commits what all have."""
        mine = self.replica[leader]
        self.replica[follower].seen = offset
        everywhere = min(min(r.seen for b, r in enumerate(self.replica) if b != leader), len(mine.log))
        mine.high_watermark = max(mine.high_watermark, everywhere)
        for at in range(self.records):
            if len(self.committed) == at and at < mine.high_watermark:
                self.committed.append(mine.log[at])

    # -- followers -----------------------------------------------------------------------------------------

    def answer(self, broker: int, leader: int) -> tuple[int, int]:
        """The leader says where the follower's last epoch ends."""
        return self.end_of(leader, self.latest(broker))

    def cut_by(self, broker: int, epoch: int, end: int) -> None:
        """ReplicaFetcherThread: what a follower does with the answer; it asks again if it does not know the epoch."""
        me = self.replica[broker]
        me.asks = False
        if end == UNKNOWN:
            self.cut(broker, me.high_watermark)
            return
        if not self.rules.epoch_in_answer:
            self.cut(broker, min(end, len(me.log)))
            return
        own, own_end = self.end_of(broker, epoch)
        if own_end == UNKNOWN:
            self.cut(broker, min(end, len(me.log)))
        elif own != epoch:
            self.cut(broker, min(own_end, len(me.log)))
            me.asks = not self.rules.in_fetch
        else:
            self.cut(broker, min(min(own_end, end), len(me.log)))

    @fair
    @action(broker="brokers", leader="brokers")
    def truncate(self, broker: int, leader: int) -> None:
        """D4: a new follower cuts its log."""
        require(broker != leader and self.leader == leader and self.replica[broker].asks)
        if self.rules.by_epoch:
            epoch, end = self.answer(broker, leader)
            self.cut_by(broker, epoch, end)
        else:
            self.cut(broker, self.replica[broker].high_watermark)
            self.replica[broker].asks = False

    @fair
    @action(broker="brokers", leader="brokers")
    def fetch(self, broker: int, leader: int) -> None:
        """D1: the follower gets the next record, or the high watermark, or hears that the logs differ."""
        me, source = self.replica[broker], self.replica[leader]
        require(broker != leader and self.leader == leader and not me.asks)
        offset = len(me.log)
        if self.rules.in_fetch and self.latest(broker) != UNKNOWN:
            epoch, end = self.answer(broker, leader)
            if end == UNKNOWN or epoch < self.latest(broker) or end < offset:
                if self.rules.diverging_counts:
                    self.see(leader, broker, offset)
                self.cut_by(broker, epoch, end)
                return
        require(offset <= len(source.log))
        told = source.high_watermark  # of the time at which the leader reads, so it lags behind by a fetch
        self.see(leader, broker, offset)
        if offset < len(source.log):
            self.add(broker, source.log[offset])
        me.high_watermark = max(me.high_watermark, min(told, len(me.log)))

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def LogsAgree(self) -> bool:
        """logs do not differ below the high watermarks of both replicas"""
        return all(
            self.replica[b].log[at] == self.replica[c].log[at]
            for b in self.brokers
            for c in self.brokers
            for at in range(self.records)
            if b < c and at < self.replica[b].high_watermark and at < self.replica[c].high_watermark
        )

    @invariant
    def CommittedIsKept(self) -> bool:
        """the leader has every record that all replicas in sync had"""
        return all(
            at < len(self.replica[b].log) and self.replica[b].log[at] == self.committed[at]
            for b in self.brokers
            for at in range(self.records)
            if self.leader == b and at < len(self.committed)
        )

    @eventually_always
    def FollowersCatchUp(self) -> bool:
        """when nothing happens any more, every follower gets the leader's log"""
        return all(self.replica[b].log == self.replica[c].log for b in self.brokers for c in self.brokers)
