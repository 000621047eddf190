"""The state: queues, sequences, requests on each connection, logs. A feature that is not used costs no bit."""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Bool, Constant, Enum, Int, Seq, initial, require

from .loop import Loop
from .records import ABSENT, AGAIN, FAULTS, NONE, PLACES, QUEUED, RESULTS, SENT, Batch, Item, Leader, Partition, Request


class Variables(Loop):
    """Variables of the model, and what can be said of them."""

    batches = Constant((2, 1), "batches of each partition")
    max_in_flight = Constant(2, "max.in.flight.requests.per.connection")
    epochs = Constant(1, "bumps at most, more than there can be")
    stuck = Constant(-1, "a node that need not handle what it gets, -1: none")
    patience = Constant(True, "whether request.timeout.ms passes for a stuck node, or for who waits for a follower")
    late = Constant(True, "whether it may handle something at all")
    behind = Constant(-1, "a partition whose follower need not catch up (acks=all), -1: none")
    faulty = Constant((0,), "the partitions that refusals, failures, moves and deadlines hit")
    faults = Constant(1, "faults in a behaviour at most, of all kinds together")
    refusals = Constant(0, "batches that are refused with a retriable error")
    failures = Constant(0, "batches that are refused for good")
    moves = Constant(0, "leaders that move to another node")
    losses = Constant(0, "connections that are lost")
    deadlines = Constant(0, "delivery timeouts of a batch")

    def variables(self) -> None:
        super().variables()
        self.parts = range(self.partitions)
        self.budget = min(self.faults, sum(getattr(self, kind) for kind in FAULTS))
        self.most = max(self.batches)
        self.healthy = tuple(n for n in range(self.nodes) if n != self.stuck)
        self._declare_client()
        self._declare_brokers()
        self.faults_left = Int(0, self.budget, init=self.budget)
        for kind in FAULTS:
            setattr(self, f"{kind}_left", Int(0, getattr(self, kind), init=getattr(self, kind)))

    def _declare_client(self) -> None:
        epoch, sequence = Int(0, self.epochs), Int(0, self.most)
        batch = Batch.of(
            place=Enum(*PLACES),
            epoch=epoch,
            sequence=sequence,
            retried=Bool(),
            reopened=Bool(),
            backoff=Bool(),
            turn=Int(0, self.most - 1 if self.deadlines else 0),
        )
        self.batch = Array(self.partitions, Array(self.most, batch))
        entry = Partition.of(
            known_leader=Int(0, self.nodes - 1),
            epoch=epoch,
            next=sequence,
            acked=Int(-1, self.most),
            unresolved=Int(-1, self.most),
            rewrite=Bool(),
        )
        self.entry = Array(self.partitions, entry)
        self.epoch = Int(0, self.epochs)
        self.bump_required = Bool()

    def _declare_brokers(self) -> None:
        epoch, sequence = Int(0, self.epochs), Int(0, self.most)
        item = Item.of(batch=Int(0, self.most - 1), epoch=epoch, sequence=sequence, result=Enum(*RESULTS))
        request = Request.of(answered=Bool(), items=Array(self.partitions, item))
        self.wire = Array(self.nodes, Seq(request, self.max_in_flight))
        longest = self.most * (self.budget + 1) + 1  # each fault may bring every batch into the log once more
        log = Seq(Int(0, self.most - 1), longest)
        leader = Leader.of(node=Int(0, self.nodes - 1), epoch=epoch, last=Int(-1, self.most), log=log)
        self.leader = Array(self.partitions, leader)

    @initial
    def nothing_is_sent(self) -> None:
        """Each partition has its batches; earlier ones were acknowledged, so its leader knows the producer."""
        for p in self.parts:
            self.entry[p].known_leader = self.leader[p].node = self.leaders[p]
            self.entry[p].acked = self.entry[p].unresolved = self.leader[p].last = -1
            for b in range(self.most):
                self.batch[p][b].place = QUEUED if b < self.batches[p] else "acked"

    def spend(self, kind: str) -> None:
        """One fault of a kind."""
        left = getattr(self, f"{kind}_left")
        require(self.faults_left > 0 and left > 0)
        setattr(self, f"{kind}_left", left - 1)
        self.faults_left -= 1

    # -- words ---------------------------------------------------------------------------------------------

    def at(self, partition: int, batch: int, *places: str) -> bool:
        """Whether a batch is in one of some places."""
        place = self.batch[partition][batch].place
        return place in places

    def of(self, partition: int) -> range:
        """The batches of a partition."""
        return range(self.batches[partition])

    def is_first(self, partition: int, batch: int, *places: str) -> bool:
        """Whether a batch is the first one that is in one of some places; batches keep their order everywhere."""
        return self.at(partition, batch, *places) and not any(self.at(partition, b, *places) for b in range(batch))

    def is_head(self, partition: int, batch: int) -> bool:
        """Whether a batch is the head of the queue of its partition: batches with a sequence go first (C10)."""
        return self.is_first(partition, batch, QUEUED, AGAIN)

    def has_batch(self, partition: int) -> bool:
        """Whether something waits in the queue of a partition."""
        return any(self.at(partition, b, QUEUED, AGAIN) for b in self.of(partition))

    def in_flight(self, partition: int) -> Any:
        """How many batches have a sequence and are not finished, wherever they are: I(p)."""
        return sum(self.at(partition, b, AGAIN, SENT) for b in self.of(partition))

    def waits_for_follower(self, node: int) -> Any:
        """P5.3: whether the oldest request of a connection is executed, and a follower has not copied all of it."""
        if self.behind < 0:
            return False
        link = self.wire[node]
        return len(link) > 0 and link[0].answered and link[0].items[self.behind].result == NONE

    def leads(self, node: int, partition: int) -> bool:
        """Whether the client takes a node for the leader of a partition."""
        return self.entry[partition].known_leader == node

    def skipped(self, partition: int) -> bool:
        """P1.3, P1.4: nothing to send, muted, or the head is in its backoff."""
        return not self.has_batch(partition) or self.is_muted(partition) or self.is_backing_off(partition)

    def is_muted(self, partition: int) -> Any:
        """P4.1: with one request in flight, until the answer has come, whatever became of the batch meanwhile."""
        if self.max_in_flight > 1:
            return False
        return any(any(r.items[partition].result != ABSENT for r in link) for link in self.wire)

    def is_backing_off(self, partition: int) -> bool:
        """P1.4: a batch waits before it goes out again; those behind it are not asked."""
        return any(self.is_head(partition, b) and self.batch[partition][b].backoff for b in self.of(partition))

    def stopped(self, partition: int) -> bool:
        """P1.7."""
        return self.is_stale(partition) or self.is_marked(partition) or self.is_not_first(partition)

    def has_new_head(self, partition: int) -> bool:
        """Whether the head of a queue has no sequence yet."""
        return any(self.is_head(partition, b) and self.at(partition, b, QUEUED) for b in self.of(partition))

    def is_stale(self, partition: int) -> bool:
        """C2.3: a new batch waits for those of an older epoch."""
        old = self.in_flight(partition) > 0 and self.entry[partition].epoch != self.epoch
        return self.has_new_head(partition) and old

    def is_marked(self, partition: int) -> bool:
        """C2.4: a new batch waits until it is known what became of an expired one."""
        return self.has_new_head(partition) and self.entry[partition].unresolved >= 0

    def is_not_first(self, partition: int) -> bool:
        """C2.5: a batch that goes out again waits for those before it."""
        return any(
            self.is_head(partition, b) and self.at(partition, b, AGAIN) and self.at(partition, a, SENT)
            for b in self.of(partition)
            for a in range(b)
        )
