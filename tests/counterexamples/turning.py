"""A spec of its own module: beside it lies no cache, as it does beside the tests."""

from __future__ import annotations

from typing import Any

from everystate.checker import Constant, Int, Spec, action, assumption, constraint, invariant, step_invariant


class Down(Spec):
    """Goes round; its last step is wrong."""

    def variables(self) -> None:
        self.n = Int(0, 2)

    @action
    def turn(self) -> None:
        self.n = (self.n + 1) % 3

    @step_invariant
    def grows(self, before: Any) -> bool:
        return bool(self.n > before.n)


class Low(Down):
    """Is looked at no further than the first step."""

    @constraint
    def low(self) -> bool:
        return bool(self.n < 1)


class Tight(Spec):
    """Counts to a number that its limit has to be above, and that nobody may count to."""

    top = Constant(2, "the number")
    limit = Constant(3, "the limit")

    @assumption
    def sizes(self) -> bool:
        return bool(1 <= self.top < self.limit <= 4)

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        self.n = min(self.n + 1, self.top)

    @invariant
    def below(self) -> bool:
        return bool(self.n < self.top)
