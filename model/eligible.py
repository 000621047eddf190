"""Who may lead when replicas stop: the in-sync set, eligible leader replicas, and the last known leader (KIP-966).

One partition whose brokers stop and come back. The controller does what PartitionChangeBuilder does with each of these
events. A record is a number, a log the numbers that a broker has. Rules: B1.3, B6.1, D3, D4, D15, D17 to D20.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
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

NONE = -1


@dataclass(frozen=True)
class Electing:
    """What the controllers of some releases do."""

    name: str
    versions: str
    eligible: bool = True  # D18: eligible.leader.replicas.version=1
    last_must_live: bool = True  # D20: the last known leader is elected if it is alive (KAFKA-19522)
    noted_at_loss: bool = True  # D20: it is noted when no leader is left; else when the in-sync set is empty


WITHOUT = Electing("without", "until 3.9, and 4.0 by default: without KIP-966", eligible=False)
ELR_4_1 = Electing("4.1", "4.1 to 4.4, clusters made with 4.1 or later")
ELR_4_0 = replace(
    ELR_4_1, name="4.0", versions="4.0, eligible.leader.replicas.version=1", last_must_live=False, noted_at_loss=False
)
ELECTING = {e.name: e for e in (WITHOUT, ELR_4_0, ELR_4_1)}


class EligibleReplicas(Spec):
    """A partition whose replicas stop, come back, and are elected."""

    generation = Constant("4.1", "what the controller does")
    replicas = Constant(3, "replicas of the partition")
    min_insync = Constant(2, "min.insync.replicas")
    unclean = Constant(False, "unclean.leader.election.enable")
    writes = Constant(1, "records that are written")
    stops = Constant(2, "brokers that stop in order, or crash and keep their log, and come back")
    power_cuts = Constant(1, "brokers that crash and may lack the end of their log (D17)")
    shrinks = Constant(0, "followers that are slow and leave the in-sync set")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """what the controller does is one of everystate.model.eligible"""
        return self.generation in ELECTING

    def variables(self) -> None:
        self.rules: Electing = ELECTING[self.generation]
        self.brokers = range(self.replicas)
        self.ends = range(self.writes + 1)
        self.log = Array(self.replicas, Seq(Int(0, max(0, self.writes - 1)), max(1, self.writes)))
        self.alive = Array(self.replicas, Bool(init=True))
        self.crashed = Array(self.replicas, Bool())
        self.registered = Array(self.replicas, Bool())
        self.in_sync = Array(self.replicas, Bool(init=True))
        self.eligible = Array(self.replicas, Bool())
        self.last_known = Int(NONE, self.replicas - 1, init=NONE)
        self.leader = Int(NONE, self.replicas - 1, init=0)
        self.written = Int(0, self.writes)
        self.acked = Array(max(1, self.writes), Bool())
        self.stops_left = Int(0, self.stops, init=self.stops)
        self.cuts_left = Int(0, self.power_cuts, init=self.power_cuts)
        self.shrinks_left = Int(0, self.shrinks, init=self.shrinks)

    # -- the controller ------------------------------------------------------------------------------------

    def enough(self) -> bool:
        """Whether the in-sync set is large enough."""
        return sum(1 for b in self.brokers if self.in_sync[b]) >= self.min_insync

    def change(self, removed: int, crashed: int) -> None:
        """PartitionChangeBuilder.build: one broker leaves the in-sync set, or comes back after a crash (D18)."""
        stays = [self.in_sync[b] and b != removed and b != crashed for b in self.brokers]
        enough = sum(1 for b in self.brokers if stays[b]) >= self.min_insync
        eligible = [
            self.rules.eligible
            and not enough
            and (self.eligible[b] or self.in_sync[b])
            and not stays[b]
            and b != crashed
            for b in self.brokers
        ]
        old, last = self.leader, self.last_known
        acceptable = [self.alive[b] and b != removed and b != crashed for b in self.brokers]
        empty = not any(stays)
        valid = [(stays[b] or (empty and eligible[b])) and acceptable[b] for b in self.brokers]
        clean, unclean = self.first_of(valid, old), self.without_any(acceptable, empty and not any(eligible))
        chosen = clean if clean != NONE else unclean
        self.leader = chosen
        by_force = clean == NONE and unclean != NONE and unclean != old
        for b in self.brokers:
            from_eligible = clean != NONE and clean != old and empty
            if by_force or from_eligible:
                self.in_sync[b] = b == chosen
            elif not empty or self.rules.eligible:
                self.in_sync[b] = stays[b]
            self.eligible[b] = eligible[b] and not by_force and not (from_eligible and b == chosen)
        if self.rules.eligible:
            self.note_last(old, last, chosen, empty and not by_force and chosen == NONE)

    def first_of(self, valid: list[bool], old: int) -> int:
        """D3, D18: the leader if it may stay, else the first that may be elected."""
        found = NONE
        for b in reversed(self.brokers):
            found = b if valid[b] else found
        for b in self.brokers:
            found = b if valid[b] and b == old else found
        return found

    def without_any(self, acceptable: list[bool], left_alone: bool) -> int:
        """D15, D20: the last known leader where neither set has a member, then any other if that is allowed."""
        found = NONE
        for b in reversed(self.brokers):
            found = b if self.unclean and acceptable[b] else found
        for b in self.brokers:
            if self.rules.eligible and left_alone and self.last_known == b:
                found = b if acceptable[b] or not self.rules.last_must_live else found
        return found

    def note_last(self, old: int, last: int, chosen: int, emptied: bool) -> None:
        """D20: who led when the partition lost its leader, until there is one again."""
        lost = chosen == NONE and old != NONE if self.rules.noted_at_loss else emptied and old != NONE
        if lost and (last == NONE or not self.rules.noted_at_loss):
            self.last_known = old
        elif chosen != NONE:
            self.last_known = NONE

    # -- replicas ------------------------------------------------------------------------------------------

    @initial
    def all_in_sync(self) -> None:
        """All replicas are in sync, and have nothing."""

    @action
    def write(self) -> None:
        """The leader writes a record, if enough are in sync (B1.3)."""
        require(self.written < self.writes and self.leader != NONE and self.enough())
        for b in self.brokers:
            if self.leader == b:
                require(self.alive[b])
                self.log[b].append(self.written)
        self.written += 1

    @fair
    @action(broker="brokers", leader="brokers")
    def fetch(self, broker: int, leader: int) -> None:
        """D1, D4: a follower cuts its log where it differs, and gets the rest."""
        require(broker != leader and self.leader == leader and self.alive[leader] and self.alive[broker])
        require(self.log[broker] != self.log[leader])
        self.log[broker] = self.log[leader]
        narrate(f"its log ends at {len(self.log[broker])}", at=f"broker {broker}")

    @fair
    @action(broker="brokers", leader="brokers")
    def join(self, broker: int, leader: int) -> None:
        """B6.4: a follower with the leader's log is in sync again."""
        require(broker != leader and self.leader == leader and self.alive[leader] and self.alive[broker])
        require(not self.in_sync[broker] and self.log[broker] == self.log[leader])
        self.in_sync[broker] = True
        for b in self.brokers:
            self.eligible[b] = self.eligible[b] and b != broker and not self.enough()

    @fair
    @action(leader="brokers")
    def acknowledge(self, leader: int) -> None:
        """B6.1: what all in sync have is committed, while these are enough."""
        require(self.leader == leader and self.alive[leader] and self.enough())
        new = [
            not self.acked[r] and all(r in self.log[b] for b in self.brokers if self.in_sync[b])
            for r in range(self.writes)
        ]
        require(any(new))
        for r in range(self.writes):
            self.acked[r] = self.acked[r] or new[r]

    # -- what goes wrong -----------------------------------------------------------------------------------

    @action(broker=lambda w: w.brokers if w.shrinks else (), leader="brokers")
    def shrink(self, broker: int, leader: int) -> None:
        """The leader removes a slow follower from the in-sync set."""
        require(self.shrinks_left > 0 and self.leader == leader and self.alive[leader])
        require(broker != leader and self.in_sync[broker] and self.alive[broker])
        self.shrinks_left -= 1
        self.change(broker, NONE)

    @action(broker=lambda w: w.brokers if w.stops else ())
    def stop(self, broker: int) -> None:
        """A broker stops, and keeps its log; the controller fences it."""
        require(self.stops_left > 0 and self.alive[broker])
        self.stops_left -= 1
        self.leave(broker)

    @action(broker=lambda w: w.brokers if w.power_cuts else (), end="ends")
    def cut_power(self, broker: int, end: int) -> None:
        """D17: a broker crashes, and may lack the end of its log when it is back."""
        require(self.cuts_left > 0 and self.alive[broker] and end <= len(self.log[broker]))
        self.cuts_left -= 1
        for _ in range(self.writes):
            if len(self.log[broker]) > end:
                self.log[broker].pop()
        self.crashed[broker] = True
        narrate(f"its log will end at {end}", at=f"broker {broker}")
        self.leave(broker)

    def leave(self, broker: int) -> None:
        """The controller fences a broker."""
        self.alive[broker] = False
        if self.in_sync[broker]:
            self.change(broker, NONE)
        narrate(lambda: self.roles(), at="controller")

    @fair
    @action(broker="brokers")
    def register(self, broker: int) -> None:
        """D19: a broker that comes back registers; after a crash it leaves both sets."""
        require(not self.alive[broker] and not self.registered[broker])
        self.registered[broker] = True
        if self.rules.eligible and self.crashed[broker]:
            if self.in_sync[broker] or self.eligible[broker]:
                self.change(NONE, broker)
        elif self.in_sync[broker]:
            self.change(broker, NONE)
        self.crashed[broker] = False
        narrate(lambda: self.roles(), at="controller")

    @fair
    @action(broker="brokers")
    def unfence(self, broker: int) -> None:
        """D3: a registered broker may lead; partitions without a leader get one if they can."""
        require(self.registered[broker])
        self.registered[broker], self.alive[broker] = False, True
        if self.leader == NONE:
            self.change(NONE, NONE)
        narrate(lambda: self.roles(), at="controller")

    def roles(self) -> str:
        """Who leads, and who may."""
        in_sync = [b for b in self.brokers if self.in_sync[b]]
        eligible = [b for b in self.brokers if self.eligible[b]]
        leader = "no leader" if self.leader == NONE else f"broker {self.leader} leads"
        last = "" if self.last_known == NONE else f", broker {self.last_known} led last"
        return f"{leader}; in sync {in_sync}, eligible {eligible}{last}"

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def AckedIsKept(self) -> bool:
        """the leader has every record that was acknowledged"""
        return all(
            r in self.log[b]
            for r in range(self.writes)
            for b in self.brokers
            if self.acked[r] and self.leader == b and self.alive[b]
        )

    @invariant
    def LeaderIsAlive(self) -> bool:
        """the controller has elected no broker that is fenced"""
        return all(self.alive[b] for b in self.brokers if self.leader == b)

    @eventually_always
    def LeadsAgain(self) -> bool:
        """when all brokers are back, one of them leads"""
        return self.leader != NONE
