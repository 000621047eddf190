"""What a choice costs: as many steps of Python as there are alternatives, counted and not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker import Constant, Int, Spec, action, choose, require
from everystate.checker.ir.model import build
from everystate.checker.ir.tree import nodes


class Chooser(Spec):
    """Goes to any of n places."""

    n = Constant(10)
    listed = Constant(False)

    def variables(self) -> None:
        self.at = Int(0, self.n)

    @action
    def go(self) -> None:
        to = choose(list(range(self.n)) if self.listed else range(self.n))
        require(self.at != 0)
        self.at = to


@pytest.mark.parametrize("listed", [False, True])
def test_tracing_a_choice_is_linear(listed: bool, calls: Callable[[Callable[[], Any]], int]) -> None:
    few, many = (calls(lambda n=n: build(Chooser(n=n, listed=listed))) for n in (100, 400))
    assert many < 5 * few


def test_a_choice_has_each_alternative_once() -> None:
    [traced] = build(Chooser(n=500)).actions
    assert sum(1 for _ in nodes(traced.tree)) == 1 + 2 * 500 + 500
