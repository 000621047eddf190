"""That no partition waits for ever because of another one."""

from __future__ import annotations

from everystate.checker import leads_to

from .producer import Drain


class Draining(Drain):
    """The same, and who gets a turn in the end.

    All is fair but faults and the node that is stuck. Others are the partitions that nothing hits and that the stuck
    node does not lead. Judging takes the whole graph of steps; hence a class of its own.
    """

    def variables(self) -> None:
        super().variables()
        self.others = tuple(p for p in self.parts if p not in self.faulty and self.leaders[p] != self.stuck)

    @leads_to(partition=lambda w: w.others)
    def nobody_waits_for_another(self, partition: int) -> tuple[bool, bool]:
        """a partition of a healthy node, which nothing hits, has an empty queue in the end"""
        waits = self.has_batch(partition)
        return waits, not waits
