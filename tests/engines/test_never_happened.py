"""Notes on what never happened in a finished search: steps that change nothing, left sides that are never true."""

from __future__ import annotations

from typing import Any, Self

import pytest

from everystate import check
from everystate.checker import (
    Bool,
    Int,
    Set,
    Spec,
    action,
    always,
    always_reachable,
    choose,
    eventually,
    fair,
    implies,
    leads_to,
    reachable,
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


class Begun(Counter):
    """What it waits for is true at the beginning."""

    @eventually
    def begins(self) -> bool:
        return self.n == 0

    @eventually
    def ends(self) -> bool:
        return self.n == self.top


class Ends(Counter):
    """Its guards are wrong: only the first step is possible."""

    may_terminate = True

    def variables(self) -> None:
        super().variables()
        self.asked = Bool()

    @action
    def up(self) -> None:
        require(not self.asked)
        self.asked = True

    @action
    def switch(self) -> None:
        require(self.asked and self.n == 1)
        self.on = True


@pytest.fixture(params=["native", "python"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_happens_has_no_note(engine: str) -> None:
    found = check(Counter, engine=engine)
    assert found.proved and found.result.vacuous == ()


def test_what_never_happens_has_one(engine: str) -> None:
    found = check(Never, engine=engine)
    assert found.proved and [note.partition(" at line")[0].partition(": ")[0] for note in found.result.vacuous] == [
        "action switch never changes the state",
        "step holds vacuously",
        "comes holds vacuously",
        "formula holds vacuously",
    ]


def test_what_is_true_at_the_beginning_has_one(engine: str) -> None:
    found = check(Begun, engine=engine)
    assert found.proved
    assert [note.partition(";")[0] for note in found.result.vacuous] == [
        "begins holds vacuously: it is true in every initial state"
    ]


def test_a_spec_that_ends_within_a_step_has_one(engine: str) -> None:
    notes = check(Ends, engine=engine).result.vacuous
    assert "no action is enabled in 1 of 2 states; no state is more than 1 step from the beginning" in notes


class NoChoice(Counter):
    """An action chooses from a set that stays empty."""

    def variables(self) -> None:
        super().variables()
        self.waiting = Set(range(3))

    @action
    def serve(self) -> None:
        require(self.n > 0)
        self.waiting.remove(choose(self.waiting))


def test_an_action_without_a_choice_has_one_with_its_lines() -> None:
    [found] = check(NoChoice, engine="native").result.vacuous
    assert found.startswith("action serve was never enabled")
    assert "require(self.n > 0)" in found and "self.waiting.remove(choose(self.waiting))" in found


class Wrong(Spec):
    """Properties that say what is not so."""

    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def up(self) -> None:
        self.n = min(self.n + 1, 2)

    @reachable
    def top(self) -> bool:
        return self.n == 3

    @always_reachable
    def back(self) -> bool:
        return self.n == 0


def test_a_report_says_what_was_expected(engine: str) -> None:
    found = [(violation.property, violation.text) for violation in check(Wrong, engine=engine).result.violations]
    assert found == [("back", "it can be reached from every state"), ("top", "some reachable state satisfies it")]
