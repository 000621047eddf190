"""The Tower of Hanoi (Édouard Lucas, 1883): move a tower disk by disk, and never put a disk on a smaller one."""

from itertools import pairwise

from everystate.checker import Array, Constant, Int, Seq, Spec, action, invariant, require


class Hanoi(Spec):
    """Move a tower of disks to the last peg."""

    disks = Constant(5, "disks; number 1 is the smallest")
    pegs = Constant(3, "pegs")

    def variables(self) -> None:
        tower = list(range(self.disks, 0, -1))  # from the largest disk, at the bottom, to the smallest
        empty: list[list[int]] = [[]] * (self.pegs - 1)
        self.peg = Array(self.pegs, Seq(Int(1, self.disks), self.disks), init=[tower, *empty])

    @action(source="pegs", target="pegs")
    def move(self, source: int, target: int) -> None:
        require(source != target)
        require(len(self.peg[source]) > 0)
        disk = self.peg[source].pop()
        require(len(self.peg[target]) == 0 or self.peg[target].last > disk)
        self.peg[target].append(disk)

    @invariant
    def larger_below_smaller(self) -> bool:
        """no disk ever lies on a smaller one"""
        return all(below > above for disks in self.peg for below, above in pairwise(disks))

    @invariant
    def not_solved(self) -> bool:
        """the last peg never holds the whole tower (the puzzle's solution is the counterexample)"""
        return len(self.peg[-1]) < self.disks
