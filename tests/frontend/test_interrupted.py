"""Tracing that is interrupted in the middle of a merge ends: the interruption is no leaf of the model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everystate.checker import Bool, Spec, action
from everystate.checker.frontend.tracer import Tracer
from everystate.checker.frontend.watchdog import NeverReturns


class OneBoolean(Spec):
    def variables(self) -> None:
        self.on = Bool()

    @action
    def go(self) -> None:
        self.on = True


def interrupted() -> None:
    raise NeverReturns


@pytest.mark.parametrize("first", [True, False])
def test_a_side_of_a_condition_is_interrupted(first: bool) -> None:
    tracer = Tracer(OneBoolean())
    sides: list[Callable[[], None]] = [interrupted, lambda: None]
    then, otherwise = sides if first else sides[::-1]
    with pytest.raises(NeverReturns):
        tracer.operations.branching.branch(tracer.state()[0], then, otherwise, lambda term, a, b: None)


def test_an_element_is_interrupted() -> None:
    tracer = Tracer(OneBoolean())
    with pytest.raises(NeverReturns):
        tracer.operations.branching.unless(lambda: tracer.state()[0], interrupted, None)
