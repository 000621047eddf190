"""A variant of a spec against the spec: what changed, and what a change needs that is not there."""

from __future__ import annotations

import sys
from types import FrameType

from everystate.checker import Constant, Enum, Int, Spec, action, fair, invariant, require
from everystate.checker.api.executed_lines import Statement
from everystate.checker.api.review import ChangedProperty, ChangedStep, WaitingAction, overridden, review

IDLE, BUSY = "idle", "busy"


class Lamp(Spec):
    """Counts to three; a helper rests where there are helpers."""

    helpers = Constant(0, "helpers")

    def variables(self) -> None:
        self.n, self.state = Int(0, 3), Enum(IDLE, BUSY)

    def mark(self) -> None:
        """Nothing."""

    @action
    def up(self) -> None:
        require(self.state == IDLE and self.n < 2)
        self.n += 1
        self.mark()

    @fair
    @action(helper=lambda spec: range(spec.helpers))
    def rest(self, helper: int) -> None:
        require(self.state == BUSY)
        self.state = IDLE

    @invariant
    def low(self) -> bool:
        """n stays below 3"""
        return self.n < 3


class Marks(Lamp):
    """Each step ends busy."""

    def mark(self) -> None:
        self.state = BUSY


class Skips(Lamp):
    """From 1 on it counts by two."""

    def mark(self) -> None:
        if self.n == 2:
            self.n = 3


STOPS_SOONER = ChangedProperty("deadlock", 2, 1)


def test_a_change_that_needs_an_action_without_instances_is_not_just_proved() -> None:
    found = review(Lamp(), Marks(), "lamp")
    assert (found.before.distinct, found.after.distinct, found.properties) == (3, 2, (STOPS_SOONER,))
    assert found.waiting == (WaitingAction("rest", ("BUSY",), ("mark",)),)
    assert found.steps == (ChangedStep("up()", (), (True, True), {"state": ("idle", "busy")}),)
    assert review(Lamp(helpers=1), Marks(helpers=1), "lamp").waiting == ()


def test_a_property_that_fails_now_and_the_first_step_that_changed() -> None:
    found = review(Lamp(), Skips(), "lamp")
    assert found.properties == (ChangedProperty("low", None, 2),)
    assert found.steps == (ChangedStep("up()", ("up()",), (True, True), {"n": ("2", "3")}),)
    assert (list(overridden(Skips, Lamp)), found.is_decided) == (["mark"], True)


class Guarded(Lamp):
    """What no state of the lamp executes, and what is executed without an effect."""

    spare = 7

    def mark(self) -> None:
        """Nothing below two."""
        if self.n > 7:
            while self.n > 9:
                self.n -= 1
        elif self.n > 1:
            text: str
            while True:
                """Rounds."""
                text = "two"
                break
            self.n = max(
                self.n,
                len(text) - 3,
            )

    def marks(self) -> None:
        self.state = BUSY


class Declares(Lamp):
    """Constants that nothing reads."""

    def variables(self) -> None:
        super().variables()
        self.most = 3


class Renamed(Lamp):
    """An action under another name."""

    @action
    def raise_it(self) -> None:
        require(self.n == 2)
        self.n = 3


def test_parts_of_a_change_without_an_effect_are_listed() -> None:
    found = review(Lamp(), Guarded(), "lamp")
    assert (found.properties, found.steps) == ((), ())
    first = Guarded.mark.__code__.co_firstlineno
    inner = Statement("mark", first + 3, "while self.n > 9")
    assert found.idle == (inner, Statement("marks", Guarded.marks.__code__.co_firstlineno), Statement("spare", 0))
    assert str(inner) == f"mark, line {first + 3}: while self.n > 9"
    declared = review(Lamp(), Declares(), "lamp")
    assert [str(each) for each in declared.idle] == ["variables"]


def test_a_change_that_is_executed_has_no_idle_part() -> None:
    for variant in (Marks(), Skips(), Renamed()):
        assert review(Lamp(), variant, "lamp").idle == ()


def test_a_debugger_traces_again_after_a_review() -> None:
    before, seen = sys.gettrace(), set[str]()

    def trace(frame: FrameType, event: str, argument: object) -> None:
        seen.add(frame.f_code.co_name)

    sys.settrace(trace)
    try:
        review(Lamp(), Skips(), "lamp")
        assert sys.gettrace() is trace and "low" in seen
    finally:
        sys.settrace(before)
