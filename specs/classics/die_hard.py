"""Die Hard: measure four gallons with a three- and a five-gallon jug."""

from everystate.checker import Constant, Int, Spec, action, invariant


class DieHard(Spec):
    """Measure exactly `goal` gallons with two unmarked jugs."""

    goal = Constant(4, "gallons to end up with")

    def variables(self) -> None:
        self.small = Int(0, 3)
        self.big = Int(0, 5)

    @action
    def fill_small(self) -> None:
        self.small = 3

    @action
    def fill_big(self) -> None:
        self.big = 5

    @action
    def empty_small(self) -> None:
        self.small = 0

    @action
    def empty_big(self) -> None:
        self.big = 0

    @action
    def pour_small_into_big(self) -> None:
        poured = min(self.small, 5 - self.big)
        self.small -= poured
        self.big += poured

    @action
    def pour_big_into_small(self) -> None:
        poured = min(self.big, 3 - self.small)
        self.big -= poured
        self.small += poured

    @invariant
    def goal_not_reached(self) -> bool:
        """big never holds exactly `goal` gallons (the puzzle is the counterexample)"""
        return self.big != self.goal
