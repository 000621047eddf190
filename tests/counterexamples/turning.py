"""A spec of its own module: beside it lies no cache, as it does beside the tests."""

from __future__ import annotations

from typing import Any

from everystate.checker import Int, Spec, action, constraint, step_invariant


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
