"""Deliberate mistakes in the model of the drain, for Kafka to find: each is one method as a slip would make it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from everystate.model.drain import Drain
from everystate.model.drain.records import INVALID, NONE, SENT


class GoesOn(Drain):
    """P2.2 as it is not: the index is that of the next partition, as it was until 3.2."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, index_goes_on=True)


class PassesOverWhoMustWait(Drain):
    """P1.7 as it is not: `continue`."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, stop_ends_the_loop=False)


class BumpsForTheLate(Drain):
    """P5.4 as it was until 3.5."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, late_error_bumps=True)


class SendsAgainAtOnce(Drain):
    """P1.4 as it is not: a retry waits for nothing."""

    def is_backing_off(self, partition: int) -> bool:
        return False


class BacksOffTogether(Drain):
    """P1.4 as it is not: the backoff of any batch holds its whole partition."""

    def is_backing_off(self, partition: int) -> bool:
        return any(self.batch[partition][b].backoff for b in self.of(partition))


class ReadyIfNobodyMustWait(Drain):
    """P3.1 as it is not: a node is ready for what the drain would take."""

    def is_ready(self, node: int) -> bool:
        return any(self.leads(node, p) and not (self.skipped(p) or self.stopped(p)) for p in range(self.partitions))


class UnmutesTheExpired(Drain):
    """P4.1 as it is not: a partition is muted as long as its batch has no result."""

    def is_muted(self, partition: int) -> Any:
        if self.max_in_flight > 1:
            return False
        return any(self.at(partition, b, SENT) for b in self.of(partition))


class RetriesInAnyOrder(Drain):
    """P1.7, C2.5 as it is not: a batch that goes out again waits for nobody."""

    def is_not_first(self, partition: int) -> bool:
        return False


class MixesEpochs(Drain):
    """P6.2 as it is not: a partition goes on in the new epoch at once."""

    def is_stale(self, partition: int) -> bool:
        return False


class RenumbersAll(Drain):
    """P6.1 as it is not: a bump renumbers every partition."""

    def bump(self) -> None:
        for entry in self.entry:
            entry.rewrite = True
        super().bump()


class SweepsInAnyOrder(Drain):
    """C7.1 as it is not: the sweep finds a batch wherever it stands among those that are out."""

    def how_many_out(self, partition: int) -> Any:
        return 0


class SweepsBeforeItResolves(Drain):
    """C7 as it is not: a pass sweeps before it resolves and bumps."""

    def must_settle(self) -> bool:
        return False


class AnswersAllAlike(Drain):
    """P5.2 as it is not: the first result of a request is that of all its partitions."""

    def complete(self, partition: int, batch: Any, result: str) -> None:
        super().complete(partition, batch, NONE if partition > 0 else result)


class GoesOnWithItsSequence(Drain):
    """C9.4 as it is not: in a new epoch a partition counts on."""

    def take(self, partition: int, taken: Any) -> Any:
        if taken:
            self.entry[partition].epoch = self.epoch
        return super().take(partition, taken)


class SendsTheLostAtOnce(Drain):
    """P4.2 as it is not: what is lost with a connection is sent again without a backoff."""

    def drop(self, node: int) -> None:
        before = [[bool(each.backoff) for each in batches] for batches in self.batch]
        super().drop(node)
        for p in self.parts:
            for b in self.of(p):
                self.batch[p][b].backoff = before[p][b]


class AcknowledgesBackwards(Drain):
    """C4.2 as it is not: the last acknowledged sequence is that of the last answer."""

    def complete(self, partition: int, batch: Any, result: str) -> None:
        super().complete(partition, batch, result)
        if result == NONE:
            self.entry[partition].acked = batch.sequence


class FailsWithoutABump(Drain):
    """C6.4 as it is not: a batch that fails leaves its gap."""

    def complete(self, partition: int, batch: Any, result: str) -> None:
        rewrite, required = self.entry[partition].rewrite, self.bump_required
        super().complete(partition, batch, result)
        if result == INVALID:
            self.entry[partition].rewrite, self.bump_required = rewrite, required


@dataclass(frozen=True)
class Mistake:
    """Where it is found: the first walk of an environment, the action after which it shows, and what differs."""

    cls: type[Drain]
    name: str
    rule: str
    environment: str
    walk: int
    step: str
    differs: str


MISTAKES = [
    Mistake(GoesOn, "the index is that of the next partition", "P2.2", "two-nodes", 0, "drain", "drain index"),
    Mistake(
        PassesOverWhoMustWait,
        "a partition that must wait is passed over",
        "P1.7",
        "one-node",
        0,
        "drain",
        "requests to node 0",
    ),
    Mistake(
        BumpsForTheLate,
        "an error for an expired batch asks for a bump",
        "P5.4",
        "two-nodes",
        2,
        "lose",
        "the next pass resolves or bumps",
    ),
    Mistake(SendsAgainAtOnce, "a retry waits for nothing", "P1.4", "two-nodes", 0, "read", "node 1 is ready"),
    Mistake(
        BacksOffTogether,
        "the backoff of any batch holds its whole partition",
        "P1.4",
        "one-moves",
        1,
        "back_off_no_more",
        "partition 1 is in backoff",
    ),
    Mistake(
        ReadyIfNobodyMustWait,
        "a node is ready only for what the drain takes",
        "P3.1",
        "one-node",
        0,
        "drain",
        "node 0 is ready",
    ),
    Mistake(
        UnmutesTheExpired,
        "an expired batch leaves its partition unmuted",
        "P4.1",
        "one-in-flight",
        0,
        "expire",
        "node 0 is ready",
    ),
    Mistake(
        RetriesInAnyOrder,
        "a retry goes out before the batches in front of it",
        "C2.5",
        "one-node",
        0,
        "drain",
        "partition 1 must wait",
    ),
    Mistake(
        MixesEpochs,
        "a partition goes on in a new epoch at once",
        "P6.2",
        "one-node",
        2,
        "drain",
        "partition 0 must wait",
    ),
    Mistake(RenumbersAll, "a bump renumbers every partition", "P6.1", "one-node", 0, "settle", "epoch of partition 1"),
    Mistake(
        SweepsInAnyOrder,
        "a sweep does not stop at a batch whose time has not passed",
        "C7.1",
        "deadlines",
        11,
        "drain",
        "the first open batch of partition 0 may expire",
    ),
    Mistake(
        SweepsBeforeItResolves,
        "nothing is resolved or bumped",
        "C8",
        "one-node",
        0,
        "read",
        "the next pass resolves or bumps",
    ),
    Mistake(
        AnswersAllAlike,
        "all partitions but the first are taken for written",
        "P5.2",
        "one-node",
        0,
        "read",
        "queue of partition 2",
    ),
    Mistake(
        GoesOnWithItsSequence,
        "in a new epoch a partition counts on",
        "C9.4",
        "one-node",
        0,
        "drain",
        "epoch of partition 1",
    ),
    Mistake(
        SendsTheLostAtOnce,
        "what is lost with a connection waits for nothing",
        "P4.2",
        "one-node",
        0,
        "lose",
        "node 0 is ready",
    ),
    Mistake(
        FailsWithoutABump,
        "a batch that fails leaves its gap",
        "C6.4",
        "one-node",
        0,
        "read",
        "bump requested for partition 0",
    ),
]
