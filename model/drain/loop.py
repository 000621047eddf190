"""RecordAccumulator.drainBatchesForOneNode: one loop over the partitions of a node, from the drain index on."""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Constant, If, Int, Spec, all_of, any_of, assumption, count, none_of

from .generation import GENERATIONS, Generation


class Loop(Spec):
    """The loop and its index; what a partition has for it is said by those who derive."""

    generation = Constant("3.3", "the generation of the client")
    leaders = Constant((0, 0), "the node that leads each partition at the start")
    room = Constant(8, "batches that fit into a request, of max.request.size")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """the generation is one of the table in docs/rules-drain.md"""
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
        return any_of(self.leads(node, p) & none_of(self.skipped(p)) for p in range(self.partitions))

    def run_loop(self, node: int) -> list[Any]:
        """P1.1 to P1.7, P2.1, P2.2: which partitions give their head to the request; the index is stored."""
        parts, slot = range(self.partitions), 0 if self.rules.shared_index else node
        size = count(self.leads(node, p) for p in parts)
        place = [count(self.leads(node, q) for q in range(p)) for p in parts]
        skips, stops = [self.skipped(p) for p in parts], [self.stopped(p) for p in parts]
        start, goes_on, index = self.index[slot] % size, any_of(True), self.index[slot]
        taken: list[Any] = [any_of(False) for _ in parts]
        for step in parts:
            at = (start + step) % size
            stored = (at + 1) % size if self.rules.index_goes_on else at
            ends = any_of(step >= size)
            index = If(all_of(goes_on, step < size), stored, index)
            for p in parts:
                looked = all_of(goes_on, step < size, self.leads(node, p), place[p] == at)
                full = count(taken) >= self.room
                takes = all_of(looked, none_of(skips[p], full, stops[p]))
                blocks = any_of(full, stops[p]) if self.rules.stop_ends_the_loop else full
                ends = any_of(ends, all_of(looked, none_of(skips[p]), blocks))
                taken[p] = any_of(taken[p], takes)
            goes_on = all_of(goes_on, none_of(ends))
        self.index[slot] = index
        return taken
