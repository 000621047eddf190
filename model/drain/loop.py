"""RecordAccumulator.drainBatchesForOneNode: one loop over the partitions of a node, from the drain index on."""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Constant, Int, Spec, assumption

from .generation import GENERATIONS, Generation


class Loop(Spec):
    """The loop and its index; what a partition has for it is said by those who derive."""

    generation = Constant("3.3", "the protocol version of the client")
    leaders = Constant((0, 0), "the node that leads each partition at the start")
    room = Constant(8, "batches that fit into a request, of max.request.size")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """the generation is one of the table in docs/reference/rules-drain.md"""
        return self.generation in GENERATIONS

    @assumption
    def a_batch_fits(self) -> bool:
        """a request has room for a batch, as P1.6 sees to"""
        return self.room > 0

    def variables(self) -> None:
        self.rules: Generation = GENERATIONS[self.generation]
        self.partitions = len(self.leaders)
        self.nodes = max(self.leaders) + 1
        indexes = 1 if self.rules.shared_index else self.nodes
        self.index = Array(indexes, Int(0, self.partitions - 1))

    # -- what a partition is at the moment -----------------------------------------------------------------

    def leads(self, node: int, partition: int) -> bool:
        """Whether the client takes a node for the leader of a partition."""
        raise NotImplementedError

    def skipped(self, partition: int) -> bool:
        """P1.3, P1.4: muted, nothing to send, or in backoff."""
        raise NotImplementedError

    def stopped(self, partition: int) -> bool:
        """P1.7: there is a batch, and the transaction manager says that it must wait."""
        raise NotImplementedError

    # -- the loop ------------------------------------------------------------------------------------------

    def is_ready(self, node: int) -> bool:
        """P3.1: RecordAccumulator.ready asks neither P1.7 nor P1.6."""
        return any(self.leads(node, p) and not self.skipped(p) for p in range(self.partitions))

    def run_loop(self, node: int) -> list[Any]:
        """P1.1 to P1.7, P2.1, P2.2: which partitions give their head to the request; the index is stored."""
        parts, slot = range(self.partitions), 0 if self.rules.shared_index else node
        size = sum(self.leads(node, p) for p in parts)
        place = [sum(self.leads(node, q) for q in range(p)) for p in parts]
        skips, stops = [self.skipped(p) for p in parts], [self.stopped(p) for p in parts]
        start, goes_on, index = self.index[slot] % size, True, self.index[slot]
        taken: list[Any] = [False] * len(parts)
        for step in parts:
            at = (start + step) % size
            stored = (at + 1) % size if self.rules.index_goes_on else at
            ends = step >= size
            if goes_on and step < size:
                index = stored
            for p in parts:
                looked = goes_on and step < size and self.leads(node, p) and place[p] == at
                full = sum(taken) >= self.room
                takes = looked and not (skips[p] or full or stops[p])
                blocks = full or (stops[p] and self.rules.stop_ends_the_loop)
                ends = ends or (looked and not skips[p] and blocks)
                taken[p] = taken[p] or takes
            goes_on = goes_on and not ends
        self.index[slot] = index
        return taken
