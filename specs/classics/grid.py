"""Counters that know nothing of each other: the plainest large state space there is, for measuring and for practice."""

from everystate.checker import Array, Constant, Int, Spec, action, reachable


class Grid(Spec):
    """Independent counters, each of which can step at any time."""

    counters = Constant(4, "independent counters")
    modulus = Constant(32, "values of one counter")

    def variables(self) -> None:
        self.counter = Array(self.counters, Int(0, self.modulus - 1))

    @action(i="counters")
    def step(self, i: int) -> None:
        self.counter[i] = (self.counter[i] + 1) % self.modulus

    @reachable
    def far_corner(self) -> bool:
        """all counters can be at their top value at once (in the last of all states)"""
        return all(value == self.modulus - 1 for value in self.counter)
