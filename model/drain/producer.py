"""The model of the drain: idempotent production to several partitions, and what users may rely on."""

from __future__ import annotations

from typing import Any

from everystate.checker import Constant, implies, invariant, reachable

from .client import Client
from .records import ACKED, FAILED


class Drain(Client):
    """Idempotent production to several partitions of one or several nodes."""

    conformance = "everystate.model.conformance.harness:KAFKA"

    goal = Constant("", "why a partition must wait: stale, marked or not first; empty: whatever")

    def is_in_log(self, partition: int, batch: int) -> bool:
        """Whether a batch was appended."""
        return batch in self.leader[partition].log

    @invariant
    def NoDuplicate(self) -> bool:
        """no batch is in its log twice"""
        return all(sum(each == b for each in self.leader[p].log) <= 1 for p in self.parts for b in self.of(p))

    @invariant
    def InOrder(self) -> bool:
        """the batches of a partition are in its log in the order in which they were sent"""
        return not any(self.goes_back(p, i) for p in self.parts for i in range(self.batches[p]))

    def goes_back(self, partition: int, at: int) -> bool:
        """Whether an earlier batch follows a place in the log."""
        log: Any = self.leader[partition].log
        return bool(at + 1 < len(log) and log[at] > log[at + 1])

    @invariant
    def NoLoss(self) -> bool:
        """what is acknowledged is in the log"""
        return all(implies(self.at(p, b, ACKED), self.is_in_log(p, b)) for p in self.parts for b in self.of(p))

    @invariant
    def OthersUnharmed(self) -> bool:
        """a partition that nothing hits has no batch that failed, and none twice, whatever the epoch is"""
        return not any(
            self.at(p, b, FAILED) or sum(each == b for each in self.leader[p].log) > 1
            for p in self.parts
            if p not in self.faulty
            for b in self.of(p)
        )

    @reachable
    def all_acknowledged(self) -> bool:
        """every batch can be acknowledged"""
        return all(self.at(p, b, ACKED) for p in self.parts for b in self.of(p))

    @reachable
    def goal_waiting(self) -> bool:
        """a partition waits for a reason that the scenario names"""
        found = {"stale": self.is_stale, "marked": self.is_marked, "not first": self.is_not_first}
        return any(found[self.goal](p) for p in self.parts) if self.goal else True

    @reachable
    def budget_spent(self) -> bool:
        """as many faults happen as the scenario allows"""
        return self.faults_left == 0
