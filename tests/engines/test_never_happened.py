"""Notes on what never happened in a finished search: steps that change nothing, left sides that are never true."""

from __future__ import annotations

from typing import Any, Self

from everystate import check
from everystate.checker import (
    Bool,
    Int,
    Spec,
    action,
    always,
    eventually,
    fair,
    implies,
    leads_to,
    require,
    step_invariant,
    temporal,
)


class Counter(Spec):
    """Each left side is true some time, and each action changes some state."""

    top = 3

    def variables(self) -> None:
        self.n = Int(0, 4)
        self.on = Bool()

    @fair
    @action
    def up(self) -> None:
        self.n = (self.n + 1) % 4

    @action
    def switch(self) -> None:
        require(self.n == 1)
        self.on = True

    @step_invariant
    def step(self, before: Self) -> bool:
        return implies(before.n == self.top, self.n in (0, self.top))

    @leads_to
    def comes(self) -> tuple[bool, bool]:
        return self.n == self.top, self.n == 0

    @temporal
    def formula(self) -> Any:
        return always(implies(self.n == self.top, eventually(self.n == 0)))


class Never(Counter):
    top = 4

    def variables(self) -> None:
        super().variables()
        self.on = Bool(init=True)


def test_what_happens_has_no_note() -> None:
    found = check(Counter)
    assert found.proved and found.result.vacuous == ()


def test_what_never_happens_has_one() -> None:
    found = check(Never)
    assert found.proved and [note.partition(" at line")[0].partition(": ")[0] for note in found.result.vacuous] == [
        "action switch never changes the state",
        "step holds vacuously",
        "comes holds vacuously",
        "formula holds vacuously",
    ]
