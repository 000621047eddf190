"""A barrier, the synchronisation primitive: nobody goes on before everybody has arrived."""

from typing import Self

from everystate.checker import Constant, Set, Spec, action, implies, reachable, require, step_invariant


class Barrier(Spec):
    """Processes wait for each other at a reusable barrier."""

    processes = Constant(6, "processes")

    def variables(self) -> None:
        self.waiting = Set(range(self.processes))

    @action(process="processes")
    def arrive(self, process: int) -> None:
        require(process not in self.waiting)
        self.waiting.add(process)

    @action
    def release(self) -> None:
        require(len(self.waiting) == self.processes)
        self.waiting = set()

    @step_invariant
    def nobody_leaves_early(self, before: Self) -> bool:
        """as long as somebody has yet to arrive, whoever waits keeps waiting"""
        return implies(
            len(before.waiting) < self.processes,
            all(implies(p in before.waiting, p in self.waiting) for p in range(self.processes)),
        )

    @reachable
    def everybody_waits(self) -> bool:
        """everybody can get to the barrier"""
        return len(self.waiting) == self.processes
