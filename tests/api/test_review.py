"""A variant of a spec against the spec: what changed, and what a change needs that is not there."""

from __future__ import annotations

from everystate.checker import Constant, Enum, Int, Spec, action, fair, invariant, require
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
