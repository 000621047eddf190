"""The loop alone: every partition has a next batch for ever, and what is sent is answered at once."""

from __future__ import annotations

from everystate.checker import Array, Bool, Constant, action, fair, leads_to, require

from .loop import Loop


class Turns(Loop):
    """Which partition is sent, where each of them always has a next batch."""

    stops = Constant((-1,), "partitions whose first batch must wait all the time (P1.7); -1: none")
    pauses = Constant((-1,), "partitions that are muted or in backoff all the time; -1: none")

    def variables(self) -> None:
        super().variables()
        self.sent = Array(self.partitions, Bool())
        self.others = tuple(p for p in range(self.partitions) if p not in (*self.stops, *self.pauses))

    def leads(self, node: int, partition: int) -> bool:
        """Nobody moves."""
        return bool(self.leaders[partition] == node)

    def skipped(self, partition: int) -> bool:
        """P1.3, P1.4."""
        return partition in self.pauses

    def stopped(self, partition: int) -> bool:
        """P1.7."""
        return partition in self.stops

    @fair
    @action(node="nodes")
    def drain(self, node: int) -> None:
        """A request to a node."""
        require(self.is_ready(node))
        for p, taken in enumerate(self.run_loop(node)):
            if self.leads(node, p):
                self.sent[p] = taken

    @leads_to(partition=lambda w: w.others)
    def everybody_has_a_turn(self, partition: int) -> tuple[bool, bool]:
        """a partition that has a batch is drained in the end"""
        return not self.sent[partition], bool(self.sent[partition])
